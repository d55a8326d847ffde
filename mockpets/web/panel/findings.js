// The view of the findings: what the client of this session does wrong, as `mockpets report` lists
// it.

import { sleep } from "../../../kit/connection.js";
import { html, useState } from "./preact.js";
import { call, link, update, useChange } from "./store.js";
import { EmptyState, Section } from "./ui.js";
import { clock, count } from "./values.js";

/**
 * @import { ClientReport, ReportEvidence, ReportFinding } from "../../../kit/control.js"
 * @import { ReportRule } from "../../../kit/control.js"
 */

const PAUSE_MS = 1000; // a page that sends many requests needs no report on each
const SHOWN = 20; // requests of a finding

/**
 * Return the rules that are broken, each with its findings.
 * @param {ClientReport} report
 */
const brokenRules = ({ rules, findings }) =>
  rules
    .map((rule) => ({
      rule,
      findings: findings.filter((finding) => finding.rule === rule.name),
    }))
    .filter((broken) => broken.findings.length);

export default function View() {
  const [report, setReport] = useState(
    /** @type {ClientReport | null} */ (null),
  );
  useChange(["requests"], async () => {
    const now = await call("GET /findings");
    setReport(now.report);
    update({ findings: now.report.findings.length });
    await sleep(PAUSE_MS);
  });
  if (report === null) return null;
  const rules = brokenRules(report);
  return html`<section class="findings scroll" aria-label="Findings">
    <h2 class="away">Findings</h2>
    <p class="soft" role="status">${report.summary}</p>
    ${report.limits.map((limit) => html`<p class="soft">${limit}</p>`)}
    ${
      rules.length === 0 &&
      html`<${EmptyState} title="No findings">
        Use your app: client bugs such as retrying without backoff, duplicate
        creates and unknown parameters appear here.
      <//>`
    }
    ${rules.map(
      ({ rule, findings }) =>
        html`<${Rule} key=${rule.name} rule=${rule} findings=${findings} />`,
    )}
  </section>`;
}

/** @param {{ rule: ReportRule, findings: ReportFinding[] }} properties */
function Rule({ rule, findings }) {
  const level = html`<b class=${rule.level === "error" ? "server" : "client"}>
    ${rule.level}
  </b>`;
  return html`<${Section}
    title=${rule.title}
    note=${html`${level} · ${count(findings.length, "finding")}`}
  >
    <p class="soft">${rule.explanation}</p>
    <p>${rule.fix}</p>
    <ul>
      ${findings.map((finding) => html`<${Finding} finding=${finding} />`)}
    </ul>
  <//>`;
}

/** @param {{ finding: ReportFinding }} properties */
const Finding = ({ finding: { message, evidence } }) => html`<li>
  ${message}
  <ul class="evidence">
    ${evidence
      .slice(0, SHOWN)
      .map((request) => html`<${Evidence} request=${request} />`)}
    ${
      evidence.length > SHOWN &&
      html`<li class="soft">
        and ${count(evidence.length - SHOWN, "more request")}
      </li>`
    }
  </ul>
</li>`;

/** @param {{ request: ReportEvidence }} properties */
const Evidence = ({
  request: { request, response, number, at, detail },
}) => html`<li>
  <a href=${link("requests", String(number))}>Request ${number}</a>${" "}
  <span class="soft">${clock(at)}</span>${" "}
  <span class="mono">${request}</span> <b>${response}</b>
  ${detail && html` <span class="soft">${detail}</span>`}
</li>`;
