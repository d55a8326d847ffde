// The view of the findings: what the client of this session does wrong, and which states it was shown, as `mockpets report` lists them.

import { html, useState } from "./preact.js";
import { activate, control, link, update, useChange } from "./store.js";
import { Button, clock, count, EmptyState, Section } from "./ui.js";

const PAUSE_MS = 1000; // a page that sends many requests needs no report on each
const SHOWN = 20; // requests of a finding

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export default function View() {
  const [found, setFound] = useState(null);
  useChange(["requests"], async () => {
    const now = await control("findings");
    setFound(now);
    update({ findings: now.report.findings.length });
    await sleep(PAUSE_MS);
  });
  if (found === null) return null;
  const { report, coverage } = found;
  const rules = report.rules.map((rule) => [rule, report.findings.filter((finding) => finding.rule === rule.name)]).filter(([, findings]) => findings.length);
  return html`
    <div class="findings scroll">
      <section aria-label="Findings"><h2 class="away">Findings</h2>
        <p class="soft" role="status">${report.summary}</p>
        ${report.limits.map((limit) => html`<p class="soft">${limit}</p>`)}
        ${rules.length === 0 && html`<${EmptyState} title="No findings">Retries without a pause, duplicate creates, unknown parameters and more appear here while your app sends requests.<//>`}
        ${rules.map(([rule, findings]) => html`<${Rule} key=${rule.name} rule=${rule} findings=${findings} />`)}
      </section>
      <${Coverage} summary=${coverage.summary} total=${coverage.total} />
    </div>`;
}

function Rule({ rule, findings }) {
  const level = html`<b class=${rule.level === "error" ? "server" : "client"}>${rule.level}</b>`;
  return html`
    <${Section} title=${rule.title} note=${html`${level} · ${count(findings.length, "finding")}`}>
      <p class="soft">${rule.explanation}</p><p>${rule.fix}</p>
      <ul>${findings.map((finding) => html`<li>${finding.message}<ul class="evidence">
        ${finding.evidence.slice(0, SHOWN).map(({ request, response, number, at, detail }) => html`<li>
          <a href=${link("requests", String(number))}>Request ${number}</a> <span class="soft">${clock(at)}</span> <span class="mono">${request}</span> <b>${response}</b>${detail && html` <span class="soft">${detail}</span>`}</li>`)}
        ${finding.evidence.length > SHOWN && html`<li class="soft">and ${count(finding.evidence.length - SHOWN, "more request")}</li>`}</ul></li>`)}</ul>
    <//>`;
}

/** How often each state was served, with a way to activate a scenario for each that was not. */
function Coverage({ summary, total }) {
  const { percent, matrix, holes } = summary;
  const operations = Object.keys(matrix);
  const states = [...new Set(operations.flatMap((operation) => Object.keys(matrix[operation])))];
  const scenarioOf = (operation, state) => holes.find((hole) => hole.operation === operation && hole.state === state)?.scenario;
  const cell = (operation, state) => {
    const n = matrix[operation][state];
    if (n === undefined) return html`<td class="number soft" title="Not in the contract"></td>`;
    const scenario = scenarioOf(operation, state);
    if (n > 0 || !scenario) return html`<td class="number">${n.toLocaleString("en")}</td>`;
    return html`<td class="number"><${Button} kind="ghost" text=${scenario} label=${`Use ${scenario} to serve ${state} for ${operation}`} does=${() => activate([scenario])} /></td>`;
  };
  return html`
    <section class="coverage" aria-label="State coverage">
      <h2>${percent} % of the states served <span class="soft">in ${count(total, "response")}; a name is the scenario that serves the missing state</span></h2>
      <table class="records"><thead><tr><th scope="col">State</th>${operations.map((operation) => html`<th key=${operation} scope="col" class="number">${operation}</th>`)}</tr></thead>
        <tbody>${states.map((state) => html`<tr key=${state}><th scope="row">${state}</th>${operations.map((operation) => cell(operation, state))}</tr>`)}</tbody></table>
    </section>`;
}
