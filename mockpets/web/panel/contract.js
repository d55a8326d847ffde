// The view of the contracts: what the server has inferred of each operation, as `mockpets contract` prints it.

import { html, useState } from "./preact.js";
import { call, link, setParams, store, useChange } from "./store.js";
import { kindOf } from "../../../kit/toolbar/shown.js";
import { matching } from "./overlays.js";
import { Button, EmptyState, SearchField, Segments } from "./ui.js";
import { count } from "./values.js";

const KINDS = {
  state: "With state",
  example: "Without state",
  not_served: "Not served",
};

/**
 * Return the groups of a contract as the command has them: collections, then what has none, each
 * with its operations.
 */
function groupsOf({ label, operations, collections }) {
  const rest = ["example", "not_served"].map((kind) => ({
    key: `${label} ${kind}`,
    title: KINDS[kind],
    about: "",
    operations: operations.filter(
      ({ state, collection }) => state === kind && !collection,
    ),
  }));
  const own = collections.map(({ name, about, shows }) => ({
    key: `${label} ${name}`,
    title: name,
    about,
    data: shows ?? name,
    operations: operations.filter(({ collection }) => collection === name),
  }));
  return [...own, ...rest];
}

export default function View() {
  const [contracts, setContracts] = useState(null);
  const { filter: text = "", only = "all" } = store.route.params;
  useChange(["files"], async () =>
    setContracts(
      (await call("GET /contract")).contracts.map((each) => ({
        ...each,
        groups: groupsOf(each),
      })),
    ),
  );
  if (contracts === null) return null;
  const all = contracts.flatMap(({ operations }) => operations);
  const searched = ({ operations, title }) =>
    matching(
      operations.map((each) => ({
        name: each.name,
        hint: `${each.method} ${each.path}`,
        tags: `${title} ${each.does.join(" ")}`,
        each,
      })),
      text,
    )
      .map(({ each }) => each)
      .filter(({ state }) => only === "all" || state === only);
  const shown = contracts.map((contract) => ({
    ...contract,
    groups: contract.groups
      .map((group) => ({ ...group, operations: searched(group) }))
      .filter(({ operations }) => operations.length),
  }));
  const isEmpty = shown.every(({ groups }) => !groups.length);
  const segments = [
    ["all", "All", all.length],
    ...Object.entries(KINDS).map(([kind, name]) => [
      kind,
      name,
      all.filter(({ state }) => state === kind).length,
    ]),
  ];
  return html`<section class="grouped contract" aria-label="Contract">
    <div class="toolbar">
      <${SearchField}
        label="Search operations"
        placeholder=${`Search ${count(all.length, "operation")}`}
        value=${text}
        onInput=${(filter) => setParams({ filter })}
      />
      <${Segments}
        label="Show"
        value=${only}
        options=${segments.filter(([, , n]) => n)}
        choose=${(kind) => setParams({ only: kind === "all" ? "" : kind })}
      />
    </div>
    <div class="scroll">
      ${shown.map(
        (contract) => html`<${Contract}
          key=${contract.label}
          contract=${contract}
          isSearched=${text.trim() !== "" || only !== "all"}
        />`,
      )}
      ${
        isEmpty &&
        html`<${EmptyState} title="No operations match the search.">
          <${Button}
            text="Clear the search"
            does=${() => setParams({ filter: "", only: "" })}
          />
        <//>`
      }
    </div>
  </section>`;
}

function Contract({
  contract: { file, title, version, label, base, groups, notes, operations },
  isSearched,
}) {
  const about = notes.filter(({ kind }) => kind !== "operation");
  if (isSearched && !groups.length) return null;
  return html`<article aria-label=${title}>
    <header class="contract-head">
      <h2>${title} ${version}</h2>
      <p class="soft">
        ${count(operations.length, "operation")} below${" "}
        <code>${base || "/"}</code>, from <code>${file}</code> ·${" "}
        <a href=${`docs?contract=${encodeURIComponent(label)}`}>Reference</a>
      </p>
    </header>
    <table class="records operations">
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <th scope="col">Request</th>
          <th scope="col">Role</th>
          <th scope="col">Details</th>
          <th scope="col">States</th>
        </tr>
      </thead>
      ${groups.map(
        (group) => html`<tbody key=${group.key}>
          <tr class="head">
            <th scope="rowgroup" colspan="5">
              <b>${group.title}</b> <span class="soft">${group.about}</span>
              ${
                group.data &&
                html`
                  ${" "}
                  <a
                    href=${link("data", group.data)}
                    aria-label=${`Records of ${group.data}`}
                  >
                    Records
                  </a>
                `
              }
            </th>
          </tr>
          ${group.operations.map(
            (each) => html`<${Row} key=${each.name} operation=${each} />`,
          )}
        </tbody>`,
      )}
    </table>
    ${
      about.length > 0 &&
      !isSearched &&
      html`<section class="contract-notes" aria-label="Notes">
        <h3>Not served, not enforced, or likely mistakes</h3>
        <ul>
          ${about.map(
            ({ what, file: where, line }) => html`<li key=${`${line} ${what}`}>
              <span class="soft">
                ${where === file ? "line " : `${where}:`}${line}
              </span>${" "}
              ${what}
            </li>`,
          )}
        </ul>
      </section>`
    }
  </article>`;
}

/** An operation: its name leads to Try it, its statuses to the states. */
function Row({ operation: { name, method, path, state, role, does, states } }) {
  const [first, ...details] = does;
  return html`<tr>
    <th scope="row">
      <a href=${link("try", name)} title=${`Try ${name}`}>${name}</a>
    </th>
    <td class="mono"><span class="soft">${method}</span> ${path}</td>
    <td>
      ${
        state === "not_served"
          ? html`<span class="note client">not served</span>`
          : html`
            ${role} <span class="soft">${first.slice(role.length).trim()}</span>
          `
      }
    </td>
    <td class="soft">
      ${(state === "not_served" ? does : details).join("; ")}
    </td>
    <td>
      ${
        states.length > 0 &&
        html`<a
          class="statuses"
          href=${link("states", null, { filter: name })}
          aria-label=${`States of ${name}`}
        >
          ${states.map(
            (status) => html`<span key=${status} class=${kindOf(status)}>
              ${status}
            </span>`,
          )}
        </a>`
      }
    </td>
  </tr>`;
}
