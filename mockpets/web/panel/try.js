// Send any request as a front end would, or explain it without sending.

import { recorded } from "./exchange.js";
import { TryForm } from "./form.js";
import { loadContracts } from "./openapi.js";
import { html, useEffect, useState } from "./preact.js";
import { act, go, loadedState, store, useChange } from "./store.js";
import { Dialog, matching, Picker } from "./overlays.js";
import { Icon, Segments, StatusText } from "./ui.js";
import { count } from "./values.js";

/**
 * @import { FormSettings, Kept } from "./form.js"
 * @import { ContractOperation, LoadedContract, Operation } from "./openapi.js"
 * @import { FormValues, OutgoingRequest } from "./sending.js"
 */

const MOST_SEGMENTS = 8; // of more operations, one is chosen from a list

/**
 * What was chosen, with what its form keeps. Without a `name`, it is the first operation; each
 * choice has a `key` of its own, so that its form is a new one.
 * @typedef {object} Chosen
 * @property {string | null} name
 * @property {FormValues | null} initial
 * @property {number} key
 * @property {Kept} kept
 */

/**
 * What was chosen when the view was shown last.
 * @type {Chosen}
 */
let latest = { name: null, initial: null, key: 0, kept: {} };

/**
 * An operation to choose.
 * @typedef {{ name: string, group: string, hint: string, operation: Operation }} Row
 */

export default function View() {
  const [contracts, setContracts] = useState(
    /** @type {LoadedContract[] | null} */ (null),
  );
  const { chosen, choose, edit } = useChoice();
  const [sent, addSent] = useSent();
  useChange(["files"], async () => setContracts(await loadContracts()));
  if (!contracts) return null;
  const rows = rowsOf(contracts);
  const value = chosen.name ?? rows[0]?.name ?? "any";
  const row = rows.find((each) => each.name === value);
  const hasSegments = contracts.length === 1 && rows.length < MOST_SEGMENTS;
  return html`<div class="view">
    <div class="toolbar">
      ${
        hasSegments
          ? html`<${Segments}
            label="Operation"
            value=${row ? value : "any"}
            options=${[
              ...rows.map(({ name }) => [name, name]),
              ["any", "Any path"],
            ]}
            choose=${choose}
          />`
          : html`<${Chooser} rows=${rows} row=${row} choose=${choose} />`
      }
      ${row?.operation.deprecated && html`<span class="chip">deprecated</span>`}
      <span class="words soft">${row?.operation.summary}</span>
    </div>
    <div class="scroll">
      <${TryForm}
        key=${chosen.key}
        operation=${row?.operation ?? null}
        name=${row?.name}
        initial=${chosen.initial}
        settings=${settingsFor(rows)}
        onSent=${addSent}
        kept=${chosen.kept}
      />
      ${sent.length > 0 && html`<${SentList} sent=${sent} edit=${edit} />`}
    </div>
  </div>`;
}

/**
 * Return the operations to choose from: those that a document describes.
 * @param {LoadedContract[]} contracts
 * @returns {Row[]}
 */
function rowsOf(contracts) {
  return contracts.flatMap(({ title, base, operations }) =>
    operations.filter(isDescribed).map((operation) => ({
      name: operation.name,
      group:
        [contracts.length > 1 && `${title}, ${base || "/"}`, operation.tags[0]]
          .filter(Boolean)
          .join(": ") || "Operations",
      hint: `${operation.method} ${operation.path}`,
      operation,
    })),
  );
}

/**
 * @param {ContractOperation} operation
 * @returns {operation is ContractOperation & Operation}
 */
const isDescribed = (operation) => operation.details !== undefined;

/**
 * @param {Row[]} rows
 * @returns {FormSettings}
 */
function settingsFor(rows) {
  const { settings, scenarios } = loadedState();
  const paths = rows.map(({ operation }) => operation.path);
  return {
    key: settings.key,
    scenarios: scenarios
      .filter((each) => each.description !== null)
      .map((each) => each.name),
    explains: true,
    path: paths.find((each) => !each.includes("{")) ?? "/",
  };
}

// --- What is chosen ---

/** Return what is chosen, at first what the URL names, and functions that choose something else. */
function useChoice() {
  const [chosen, setChosen] = useState(latest);
  latest = chosen;
  const { id, params } = store.route;
  /**
   * @param {string} name
   * @param {FormValues | null} [initial]
   */
  const choose = (name, initial = null) =>
    setChosen((now) => ({ name, initial, key: now.key + 1, kept: {} }));
  /** @param {OutgoingRequest} request */
  const edit = (request) => choose("any", valuesOf(request));
  const leaveUrl = () => go("try", null, {}, true);
  useEffect(() => {
    const { from } = params;
    if (from)
      void act(async () => {
        edit(await recorded(from));
        leaveUrl();
      });
  }, [params.from]);
  useEffect(() => {
    if (id === null) return;
    choose(id);
    leaveUrl();
  }, [id]);
  return { chosen, choose, edit };
}

/**
 * Return the values of the form for any path that send a request; a bearer token is the key.
 * @param {OutgoingRequest} request
 * @returns {FormValues}
 */
function valuesOf({ method, path, headers, body }) {
  /** @param {[name: string, value: string]} header */
  const isKey = ([name, value]) =>
    /^authorization$/i.test(name) && /^Bearer /i.test(value);
  const [, key = ""] = headers.find(isKey) ?? [];
  const lines = headers
    .filter((header) => !isKey(header))
    .map((header) => header.join(": "));
  return {
    method,
    path,
    headers: lines.join("\n"),
    body: body ?? "",
    key: key.slice("Bearer ".length),
  };
}

/**
 * The operation that is chosen, which opens a list with a search of all.
 * @param {{ rows: Row[], row: Row | undefined, choose: (name: string) => void }} properties
 */
function Chooser({ rows, row, choose }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return html`
    <button
      type="button"
      class="button chooser"
      aria-haspopup="dialog"
      aria-label=${`Operation: ${row?.name ?? "any path"}`}
      onClick=${() => setOpen(true)}
    >
      <span class="name">${row?.name ?? "Any path"}</span>
      ${row && html`<span class="mono soft name">${row.hint}</span>`}
      <${Icon} name="down" />
    </button>
    ${
      isOpen &&
      html`<${Dialog} label="Operations" class="palette" close=${close}>
        <${Picker}
          label="Search operations"
          placeholder=${`Search ${count(rows.length, "operation")}`}
          options=${(/** @type {string} */ text) =>
            matching(optionsOf(rows, choose), text)}
          close=${close}
        />
      <//>`
    }
  `;
}

/**
 * @param {Row[]} rows
 * @param {(name: string) => void} choose
 */
const optionsOf = (rows, choose) => [
  ...rows.map(({ name, group, hint, operation }) => ({
    id: name,
    name,
    group,
    hint,
    tags: `${group} ${operation.summary}`,
    does: () => choose(name),
  })),
  {
    id: "any",
    name: "Any path",
    group: "Other requests",
    hint: "",
    does: () => choose("any"),
  },
];

// --- What was sent, in this tab ---

const SENT = "mockpets-sent";
const MOST_SENT = 20;

/** @typedef {OutgoingRequest & { status: number | null, at: number }} Sent */

function storedSent() {
  /** @type {unknown} */
  const stored = JSON.parse(sessionStorage.getItem(SENT) ?? "[]");
  return /** @type {Sent[]} */ (stored);
}

/**
 * Return what was sent, newest first, and a function that adds a request.
 * @returns {[Sent[], (request: OutgoingRequest, status: number | null) => void]}
 */
function useSent() {
  const [sent, setSent] = useState(storedSent);
  return [
    sent,
    (request, status) => {
      const added = { ...request, status, at: Date.now() };
      const all = [added, ...storedSent()].slice(0, MOST_SENT);
      sessionStorage.setItem(SENT, JSON.stringify(all));
      setSent(all);
    },
  ];
}

/** @param {{ sent: Sent[], edit: (request: OutgoingRequest) => void }} properties */
const SentList = ({ sent, edit }) => html`<section
  class="sent"
  aria-label="Sent"
>
  <h2>Sent</h2>
  <ol>
    ${sent.map(
      (request, index) => html`<li key=${request.at + index}>
        <button
          type="button"
          title=${`Edit and resend: ${request.path}`}
          onClick=${() => edit(request)}
        >
          <${StatusText}
            row=${{
              status: request.status,
              outcome: request.status === null ? "broken" : "sent",
            }}
          />${" "}
          <span class="mono">
            <span class="soft">${request.method}</span> ${request.path}
          </span>
        </button>
      </li>`,
    )}
  </ol>
</section>`;
