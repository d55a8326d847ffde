// The view of the scenarios: the list with the place of each in the stack, and the editor.

import { NEW } from "./drafts.js";
import { Editing } from "./editing.js";
import { html, useEffect, useRef, useState } from "./preact.js";
import {
  act,
  activate,
  go,
  link,
  loadedState,
  setParams,
  stack,
  store,
  useKeys,
} from "./store.js";
import { matching } from "./overlays.js";
import { Button, EmptyState, Group, SearchField } from "./ui.js";

export { editNew } from "./drafts.js";

/**
 * @import { ScenarioSummary } from "../../../kit/control.js"
 * @import { Ref } from "./preact.js"
 */

/** @typedef {{ title: string, members: ScenarioSummary[] }} ScenarioGroup */

const OWN = "Your own";

export default function View() {
  const chosen = store.route.id;
  return html`<div class=${`scenarios ${chosen === null ? "" : "is-open"}`}>
    <${List} chosen=${chosen} />
    ${
      chosen === null
        ? html`<${EmptyState} title="No scenario selected">
          <p>Select one to see its file, or click + to write your own.</p>
        <//>`
        : html`<${Editing}
          key=${chosen}
          name=${chosen}
          row=${loadedState().scenarios.find(({ name }) => name === chosen)}
        />`
    }
  </div>`;
}

/** @param {{ chosen: string | null }} properties */
function List({ chosen }) {
  const { scenarios, skipped, folder_problems: problems } = loadedState();
  const [toggled, setToggled] = useState(
    /** @type {Record<string, boolean>} */ ({}),
  );
  const { filter: text = "" } = store.route.params;
  const isSearch = text.trim() !== "";
  const rows = search(scenarios, text);
  const groups = isSearch
    ? [{ title: "Results", members: rows }].filter(() => rows.length)
    : groupsOf(rows);
  const isOpen = (/** @type {ScenarioGroup} */ group) =>
    isSearch || (toggled[group.title] ?? isOpenAtFirst(group));
  const toggle = (/** @type {string} */ title, /** @type {boolean} */ to) =>
    setToggled({ ...toggled, [title]: to });
  useListKeys(
    chosen,
    groups.filter(isOpen).flatMap((group) => group.members),
  );
  return html`<section class="grouped scenario-list" aria-label="Scenarios">
    <${Toolbar} text=${text} found=${isSearch ? rows : []} />
    <div class="scroll">
      ${problems.length > 0 && html`<${FolderProblems} problems=${problems} />`}
      ${groups.map(
        (group) => html`<${Group}
          key=${group.title}
          title=${group.title}
          n=${group.members.length}
          isOpen=${isOpen(group)}
          disabled=${isSearch}
          toggle=${() => toggle(group.title, !isOpen(group))}
        >
          <ul>
            ${group.members.map(
              (row) => html`<${Row}
                key=${row.name}
                row=${row}
                filter=${text}
                isChosen=${row.name === chosen}
              />`,
            )}
          </ul>
        <//>`,
      )}
      ${
        Object.keys(skipped).length > 0 &&
        !isSearch &&
        html`<${Skipped}
          skipped=${skipped}
          isOpen=${toggled.Skipped ?? false}
          toggle=${() => toggle("Skipped", !toggled.Skipped)}
        />`
      }
      ${
        rows.length === 0 &&
        html`<p class="empty">No scenarios match the search.</p>`
      }
    </div>
  </section>`;
}

/** @param {{ text: string, found: ScenarioSummary[] }} properties */
function Toolbar({ text, found }) {
  const activateFirst = () => {
    const first = found.find((row) => row.description !== null);
    if (first) void act(() => activate([first.name]));
  };
  return html`<div class="toolbar">
    <${SearchField}
      label="Search scenarios"
      placeholder=${`Search ${loadedState().scenarios.length} scenarios`}
      value=${text}
      onInput=${(/** @type {string} */ filter) => setParams({ filter })}
      onEnter=${activateFirst}
    />
    <${Button}
      icon="add"
      label="New scenario"
      does=${() => go("scenarios", NEW)}
    />
  </div>`;
}

/**
 * Return the scenarios that match a search.
 * @param {ScenarioSummary[]} scenarios
 * @param {string} text
 * @returns {ScenarioSummary[]}
 */
const search = (scenarios, text) =>
  matching(
    scenarios.map((row) => ({
      name: row.name,
      hint: row.description ?? "",
      tags: row.group,
      row,
    })),
    text,
  ).map(({ row }) => row);

/**
 * Return the title of a scenario's group.
 * @param {ScenarioSummary} scenario
 */
const groupOf = ({ group }) => (group === "Files with problems" ? OWN : group);

/**
 * @param {ScenarioSummary[]} scenarios
 * @returns {ScenarioGroup[]}
 */
const groupsOf = (scenarios) =>
  [...new Set(scenarios.map(groupOf))].map((title) => ({
    title,
    members: scenarios.filter((row) => groupOf(row) === title),
  }));

/**
 * Whether a group is open before the user toggles it. With scenarios of your own, the shipped ones
 * are counts, except the groups of the active ones.
 * @param {ScenarioGroup} group
 */
function isOpenAtFirst({ title, members }) {
  const { scenarios, active } = loadedState();
  const hasOwn = scenarios.some((row) => groupOf(row) === OWN);
  const isActive = (/** @type {ScenarioSummary} */ { name }) =>
    name !== "default" && active.includes(name);
  return !hasOwn || title === OWN || members.some(isActive);
}

/**
 * Let keys open the next or previous scenario of the list, or close the open one.
 * @param {string | null} chosen
 * @param {ScenarioSummary[]} shown
 */
function useListKeys(chosen, shown) {
  const { filter } = store.route.params;
  const step = (/** @type {number} */ by) => () => {
    const index = shown.findIndex(({ name }) => name === chosen) + by;
    const next = shown[Math.min(Math.max(index, 0), shown.length - 1)];
    if (next) go("scenarios", next.name, { filter });
  };
  useKeys({
    j: step(1),
    k: step(-1),
    ...(chosen !== null && {
      Escape: () => go("scenarios", null, { filter }),
    }),
  });
}

/** @param {{ problems: string[] }} properties */
const FolderProblems = ({ problems }) => html`<div
  class="folder-problems"
  role="status"
>
  <p>Changed files are not reloaded until you fix this:</p>
  <ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul>
</div>`;

/**
 * @param {object} properties
 * @param {Record<string, string>} properties.skipped names with the reasons
 * @param {boolean} properties.isOpen
 * @param {() => void} properties.toggle
 */
const Skipped = ({ skipped, isOpen, toggle }) => html`<${Group}
  title="Skipped"
  n=${Object.keys(skipped).length}
  isOpen=${isOpen}
  toggle=${toggle}
>
  <ul>
    ${Object.entries(skipped).map(
      ([name, reason]) => html`<li class="row skipped" key=${name}>
        <b>${name}</b>${" "}
        <span class="soft" title=${reason}>${reason}</span>
      </li>`,
    )}
  </ul>
<//>`;

/** @param {{ row: ScenarioSummary, filter: string, isChosen: boolean }} properties */
function Row({ row, filter, isChosen }) {
  /** @type {Ref<HTMLLIElement>} */
  const item = useRef(null);
  useEffect(() => {
    if (isChosen) item.current.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const { active } = loadedState();
  const place = active.indexOf(row.name) + 1;
  const [problem] = row.problems;
  // A file without a valid version cannot be activated, and `default` defines nothing.
  const isUseless =
    row.description === null ||
    (row.name === "default" && (place === 0 || active.length === 1));
  return html`<li
    ref=${item}
    class=${`row ${isChosen ? "selected" : ""}`}
    aria-current=${isChosen ? "true" : null}
  >
    <label class="stack-box">
      <input
        type="checkbox"
        aria-label=${`Activate ${row.name}`}
        checked=${place > 0}
        disabled=${isUseless}
        onChange=${() => act(() => stack(row.name))}
      />
      <span aria-hidden="true">${place || ""}</span>
    </label>
    <a href=${link("scenarios", row.name, { filter })} title=${row.name}>
      <b>${row.name}</b>${" "}
      ${
        problem
          ? html`<span class="server" title=${row.problems.join("\n")}>
            ${shorten(problem, row.source)}
          </span>`
          : html`<span class="soft" title=${row.description}>
            ${row.description}
          </span>`
      }
    </a>
  </li>`;
}

/**
 * Return a problem without the name of its file: the row has it.
 * @param {string} problem
 * @param {string} source
 */
const shorten = (problem, source) =>
  problem.startsWith(`${source}:`) ? problem.slice(source.length + 1) : problem;
