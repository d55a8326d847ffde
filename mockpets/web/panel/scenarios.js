// The view of the scenarios: the list with the place of each in the stack, and the editor.

import { goTo, Editor, replaceText } from "./editor.js";
import {
  html,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "./preact.js";
import {
  act,
  activate,
  announce,
  collections,
  call,
  isRejected,
  go,
  link,
  setParams,
  stack,
  store,
  toast,
  useChange,
  useKeys,
} from "./store.js";
import { explain, recorded } from "./try.js";
import { matching } from "./overlays.js";
import {
  Button,
  EmptyState,
  Group,
  Icon,
  SearchField,
  Section,
  StatusText,
} from "./ui.js";
import { fixOf } from "./yaml.js";

const NEW = "+"; // in the URL: a scenario that has no name yet
const template = () => `description: What your app shows in this state.
stubs:
  - name: first
${collections()
  .flatMap(({ lists }) => lists)
  .slice(0, 1)
  .map((name) => `    match: {operation: ${name}}\n`)
  .join("")}\
    reply: {status: 503, headers: {Retry-After: 2}}
    times: 2
`;
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const CHECK_MS = 250;

export default function View() {
  const { scenarios } = store.state;
  const chosen = store.route.id ?? null;
  return html`<div class=${`scenarios ${chosen === null ? "" : "is-open"}`}>
    <${List} chosen=${chosen} />
    ${
      chosen === null
        ? html`<${EmptyState} title="No scenario is open">
          <p>Open one to see its file, or write your own with +.</p>
        <//>`
        : html`<${Editing}
          key=${chosen}
          name=${chosen}
          row=${scenarios.find((each) => each.name === chosen)}
        />`
    }
  </div>`;
}

// --- The list ---

function List({ chosen }) {
  const { scenarios, active, skipped, folder_problems: problems } = store.state;
  const [toggled, setToggled] = useState({});
  const { filter: text = "" } = store.route.params;
  const searched = text.trim() !== "";
  const rows = matching(
    scenarios.map((row) => ({
      name: row.name,
      hint: row.description ?? "",
      tags: row.group,
      row,
    })),
    text,
  ).map(({ row }) => row);
  const groups = searched
    ? [["Results", rows]].filter(() => rows.length)
    : [...new Set(rows.map(groupOf))].map((title) => [
        title,
        rows.filter((row) => groupOf(row) === title),
      ]);
  const hasOwn = scenarios.some((row) => groupOf(row) === OWN);
  // With scenarios of your own, the shipped ones are counts; those in use and found ones are always shown.
  const isOpen = (title, members) =>
    searched ||
    (toggled[title] ??
      (!hasOwn ||
        title === OWN ||
        members.some(
          ({ name }) => name !== "default" && active.includes(name),
        )));
  const useFirst = () => {
    const first = searched && rows.find((row) => row.description !== null);
    if (first) act(() => activate([first.name]));
  };
  const shown = groups
    .flatMap(([title, members]) => (isOpen(title, members) ? members : []))
    .map((row) => row.name);
  const step = (by) => () => {
    const next =
      shown[
        Math.min(Math.max(shown.indexOf(chosen) + by, 0), shown.length - 1)
      ];
    if (next !== undefined) go("scenarios", next, { filter: text });
  };
  useKeys({
    j: step(1),
    k: step(-1),
    ...(chosen !== null && {
      Escape: () => go("scenarios", null, { filter: text }),
    }),
  });
  return html`<section class="grouped scenario-list" aria-label="List">
    <div class="toolbar">
      <${SearchField}
        label="Search scenarios"
        placeholder=${`Search ${scenarios.length} scenarios`}
        value=${text}
        onInput=${(filter) => setParams({ filter })}
        onEnter=${useFirst}
      />
      <${Button}
        icon="add"
        label="New scenario"
        does=${() => go("scenarios", NEW)}
      />
    </div>
    <div class="scroll">
      ${
        problems.length > 0 &&
        html`<div class="folder-problems" role="status">
          <p>Changed files are not reloaded until you fix this:</p>
          <ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul>
        </div>`
      }
      ${groups.map(
        ([title, members]) => html`<${Group}
          key=${title}
          title=${title}
          n=${members.length}
          isOpen=${isOpen(title, members)}
          disabled=${searched}
          toggle=${() =>
            setToggled({ ...toggled, [title]: !isOpen(title, members) })}
        >
          <ul>
            ${members.map(
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
        !searched &&
        html`<${Group}
          title="Skipped"
          n=${Object.keys(skipped).length}
          isOpen=${toggled.Skipped ?? false}
          toggle=${() => setToggled({ ...toggled, Skipped: !toggled.Skipped })}
        >
          <ul>
            ${Object.entries(skipped).map(
              ([name, reason]) => html`<li class="row skipped" key=${name}>
                <b>${name}</b>${" "}
                <span class="soft" title=${reason}>${reason}</span>
              </li>`,
            )}
          </ul>
        <//>`
      }
      ${
        rows.length === 0 &&
        html`<p class="empty">No scenarios match the search.</p>`
      }
    </div>
  </section>`;
}

const OWN = "Your own";
const groupOf = ({ group }) => (group === "Files with problems" ? OWN : group);

function Row({ row, filter, isChosen }) {
  const item = useRef(null);
  useEffect(() => {
    if (isChosen) item.current.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const { active } = store.state;
  const place = active.indexOf(row.name) + 1;
  const [problem] = row.problems;
  // A file without a valid version cannot be used, and `default` defines nothing.
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
        aria-label=${`Use ${row.name}`}
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

/** Return a problem without the name of its file: the row has it. */
const shorten = (problem, source) =>
  problem.startsWith(`${source}:`) ? problem.slice(source.length + 1) : problem;

// --- The editor ---

/** Texts that are not saved, by scenario; they survive a reload of the page. */
const drafts = {
  key: (name) => `mockpets-draft:${store.session}:${name}`,
  get: (name) => JSON.parse(sessionStorage.getItem(drafts.key(name)) ?? "null"),
  set: (name, draft) => {
    try {
      sessionStorage.setItem(drafts.key(name), JSON.stringify(draft));
    } catch {
      // The storage is full: the text stays until the page is left.
    }
  },
  drop: (name) => sessionStorage.removeItem(drafts.key(name)),
};

/** Open the editor for a scenario that is not saved yet. */
export function editNew(name, text) {
  drafts.set(NEW + name, { text, digest: null });
  go("scenarios", NEW + name);
}

function Editing({ name, row }) {
  const isNew = name.startsWith(NEW);
  const area = useRef(null);
  const [saved, setSaved] = useState(
    isNew
      ? {
          text: template(),
          digest: null,
          writable: true,
          path: null,
          stubs: [],
        }
      : null,
  );
  const [draft, setDraft] = useState(() => drafts.get(name));
  const [newName, setNewName] = useState(name.slice(1));
  const [checked, setChecked] = useState({
    problems: [],
    warnings: [],
    valid: null,
  }); // valid: the last text without problems
  const [refused, setRefused] = useState(null); // the error of the last attempt to save
  useChange(["files", "scenario"], async () => {
    if (isNew) return;
    try {
      setSaved(await call("GET /scenarios/{name}", { path: { name } }));
    } catch (error) {
      if (error.status !== 404) throw error;
      // A text that is being edited stays when its file is deleted.
      if (saved === null || draft === null)
        setSaved({ text: null, missing: error.message });
    }
  });

  const text = draft?.text ?? saved?.text ?? "";
  const isEdited = draft !== null && draft.text !== saved?.text;
  const canEdit =
    saved !== null && saved.text !== null && !store.state.settings.public;
  const base = draft ? draft.digest : saved?.digest;
  const isConflict =
    refused?.status === 409 ||
    (isEdited && saved !== null && base !== saved.digest);

  useEffect(() => {
    if (!canEdit) return undefined;
    const stop = new AbortController();
    const check = async () => {
      try {
        const result = await call("POST /scenarios/check", {
          query: { name: isNew ? undefined : name },
          text,
          signal: stop.signal,
        });
        setChecked((before) => ({
          ...result,
          valid: result.problems.length ? before.valid : text,
        }));
      } catch (error) {
        if (isRejected(error))
          setChecked(({ valid }) => ({
            problems: [
              { line: 1, column: 1, where: "", what: error.message, hint: "" },
            ],
            warnings: [],
            valid,
          }));
        else throw error;
      }
    };
    const timer = setTimeout(() => act(check), CHECK_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, canEdit]);

  const write = (value, digest = base) => {
    const changed = value === saved?.text ? null : { text: value, digest };
    if (changed) drafts.set(name, changed);
    else drafts.drop(name);
    setDraft(changed);
  };
  /** Save to a file, or without one for this session only. */
  const put = async (target, digest) => {
    const request = { path: { name: target }, text };
    const override = () => call("PUT /overrides/{name}", request);
    if (!isNew && !saved.writable) return override();
    const condition =
      digest === null
        ? { "If-None-Match": "*" }
        : { "If-Match": `"${digest}"` };
    try {
      return await call("PUT /scenarios/{name}", {
        ...request,
        headers: condition,
      });
    } catch (error) {
      const isTaken = store.state.scenarios.some(
        (each) => each.name === target,
      );
      if (error.status === 403 && isNew && !isTaken) return override(); // no folder is writable
      throw error;
    }
  };
  const save = async (digest = base) => {
    if (!canEdit || !(isEdited || isNew)) return;
    const target = isNew ? newName.trim() : name;
    if (!KEBAB_CASE.test(target)) {
      setRefused({
        status: 400,
        message: "The name must be in kebab-case, such as checkout-error.",
      });
      return;
    }
    try {
      const now = await put(target, digest);
      drafts.drop(name);
      setDraft(null);
      setSaved(now);
      setRefused(null);
      announce(`Saved ${target}${now.override ? " for this session" : ""}`);
      if (isNew) go("scenarios", target, {}, true);
    } catch (error) {
      if (!isRejected(error)) throw error;
      setRefused(error);
    }
  };
  const overwrite = async () => {
    const { scenarios } = await call("GET /scenarios");
    const now = scenarios.some((each) => each.name === name)
      ? await call("GET /scenarios/{name}", { path: { name } })
      : null;
    if (now) setSaved(now);
    await save(now?.digest ?? null);
  };
  const discard = async () => {
    const lost = draft;
    drafts.drop(name);
    setDraft(null);
    setRefused(null);
    if (!store.state.scenarios.some((each) => each.name === name))
      setSaved({ text: null, missing: `The file of ${name} was deleted.` });
    toast(`Discarded your changes to ${name}.`, {
      undo: async () => {
        drafts.set(name, lost);
        setDraft(lost);
      },
    });
  };
  const removeOverride = async () => {
    const { text: lost } = saved;
    await call("DELETE /overrides/{name}", { path: { name } });
    toast(`Discarded what was saved of ${name} for this session.`, {
      undo: () => call("PUT /overrides/{name}", { path: { name }, text: lost }),
    });
  };
  const duplicate = () => editNew(`${name}-copy`, text);

  // A link from a request names the stub that responded.
  const { stub } = store.route.params;
  useEffect(() => {
    const line = stub
      ? text
          .split("\n")
          .findIndex(
            (each) => each.trim().replace(/^- /, "") === `name: ${stub}`,
          )
      : -1;
    if (line >= 0) goTo(area.current, line + 1, 1);
  }, [stub, saved === null]);

  const latest = useRef(save);
  latest.current = save;
  // Before the editor is painted: a key that is pressed at once must not be lost.
  useLayoutEffect(() => {
    const onKey = (event) => {
      if (
        event.key !== "s" ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey
      )
        return;
      event.preventDefault();
      act(() => latest.current());
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  const place = store.state.active.indexOf(name) + 1;
  const tried = !isNew ? name : KEBAB_CASE.test(newName) ? newName : "new";
  const unsaved = isEdited || isNew ? { text, valid: checked.valid } : null;
  return html`<section
    class="editing"
    aria-label=${isNew ? "New scenario" : `Scenario ${name}`}
  >
    <div class="toolbar">
      <${Button}
        kind="ghost"
        class="narrow-only"
        icon="back"
        label="Back to the list"
        does=${() =>
          go("scenarios", null, { filter: store.route.params.filter })}
      />
      ${
        isNew
          ? html`<input
            class="grow"
            aria-label="Name of the scenario"
            placeholder="Name, such as checkout-error"
            autocomplete="off"
            autocapitalize="off"
            value=${newName}
            onInput=${(event) => {
              setNewName(event.target.value);
              setRefused(null);
            }}
          />`
          : html`
            <h2>${name}</h2>
            <span class="soft grow" title=${saved?.path ?? saved?.source}>
              ${isEdited && "Edited"}
              <span class="wide-only">
                ${isEdited && " · "}${saved?.source}
              </span>
            </span>
          `
      }
      ${
        !isNew &&
        saved &&
        !saved.missing &&
        html`
          <${Button}
            kind="ghost"
            icon="copy"
            label=${`Duplicate ${name}`}
            does=${duplicate}
          />
          ${
            saved.path &&
            html`<${Button}
              kind="ghost"
              icon="open"
              label="Open in editor"
              href=${`vscode://file${encodeURI(saved.path)}:1`}
            />`
          }
          <${Button}
            aria-pressed=${String(place > 0)}
            icon=${place ? "check" : undefined}
            text=${place ? "In use" : "Use"}
            disabled=${row === undefined || row.description === null}
            does=${() => stack(name)}
          />
        `
      }
      ${
        canEdit &&
        html`<${Button}
          kind="primary"
          text=${saved.writable ? "Save" : "Save for this session"}
          keys="Ctrl S"
          disabled=${!(isEdited || isNew)}
          does=${() => save()}
        />`
      }
    </div>
    ${
      saved === null
        ? null
        : saved.text === null
          ? html`<p class="empty">
            ${saved.missing ?? "The file cannot be read."}
          </p>`
          : html`<${Editor}
            text=${text}
            label=${`Source of ${isNew ? "the new scenario" : name}`}
            problems=${checked.problems}
            readOnly=${!canEdit}
            area=${area}
            onInput=${write}
          />`
    }
    <${Strip}
      ...${{
        checked,
        refused,
        isConflict,
        text,
        area,
        saved,
        place,
        onOverwrite: isNew ? null : overwrite,
        onDiscard: discard,
        onRemove: removeOverride,
      }}
    />
    ${!isNew && saved && !saved.missing && html`<${Does} scenario=${saved} />`}
    ${
      saved &&
      !saved.missing &&
      html`<${TryOn} name=${tried} version=${saved} unsaved=${unsaved} />`
    }
  </section>`;
}

/** One line on what is wrong, with a way to fix it: a conflict, a rejected save, a problem or a warning. */
function Strip({
  checked,
  refused,
  isConflict,
  text,
  area,
  saved,
  place,
  onOverwrite,
  onDiscard,
  onRemove,
}) {
  const [index, setIndex] = useState(0);
  if (isConflict) {
    const message = onOverwrite
      ? (refused?.message ?? "The file has changed since you began to edit it.")
      : "A scenario of this name exists. Choose another name.";
    return html`<div class="strip wrong" role="alert">
      <${Icon} name="alert" />
      <p>${message}</p>
      ${
        onOverwrite &&
        html`
          <${Button} text="Overwrite it" does=${onOverwrite} />
          <${Button} text="Discard mine" does=${onDiscard} />
        `
      }
    </div>`;
  }
  const problems = checked.problems.length
    ? checked.problems
    : checked.warnings;
  if (refused && refused.status !== 422)
    return html`<div class="strip wrong" role="alert">
      <${Icon} name="alert" />
      <p>${refused.message}</p>
    </div>`;

  if (!problems.length)
    return saved?.read_only
      ? html`<div class="strip">
        <p class="soft">
          ${saved.override ? "Saved for this session only" : saved.read_only}.
        </p>
        ${saved.override && html`<${Button} text="Discard" does=${onRemove} />`}
      </div>`
      : null;
  const problem = problems[index % problems.length];
  const { line, column, where, what, hint } = problem;
  const isError = problems === checked.problems;
  const fix = isError ? fixOf(text, problem) : null;
  return html`<div
    class=${`strip ${isError ? "wrong" : "warned"}`}
    role="status"
  >
    <${Icon} name="alert" />
    ${
      line > 0 &&
      html`<button
        type="button"
        class="position"
        aria-label=${`Go to line ${line}, column ${column}`}
        onClick=${() => goTo(area.current, line, column)}
      >
        ${line}:${column}
      </button>`
    }
    <p title=${where}>
      ${hint ? `${what}; ${hint}` : what}
      ${isError && place > 0 && ". The last valid version stays in use."}
    </p>
    ${
      problems.length > 1 &&
      html`<${Button}
        kind="ghost"
        text=${`${(index % problems.length) + 1} of ${problems.length}`}
        label=${`Problem ${(index % problems.length) + 1} of ${problems.length}: show the next`}
        does=${() => setIndex((index + 1) % problems.length)}
      />`
    }
    ${
      fix &&
      html`<${Button}
        text="Fix"
        does=${() => replaceText(area.current, fix.start, fix.end, fix.text)}
      />`
    }
  </div>`;
}

/** What the stubs and data of a scenario do, as the server describes them. */
function Does({ scenario }) {
  const { stubs, data, extends: parents, replaces, disabled } = scenario;
  const contents = Object.entries(data);
  const origin = [
    parents.length && `extends ${parents.join(", ")}`,
    replaces.length && `replaces ${replaces.join(", ")}`,
  ]
    .filter(Boolean)
    .join("; ");
  return html`<div class="does">
    <${Section} title="What it does" open=${false}>
      ${disabled && html`<p class="server">${disabled}</p>`}
      ${
        !stubs.length &&
        !contents.length &&
        html`<p>No stubs and no data: all responses follow the contract.</p>`
      }
      ${
        contents.length > 0 &&
        html`<ul>
          ${contents.map(
            ([name, words]) => html`<li key=${name}>
              Data: ${name === "*" ? "" : `${name}, `}${words}
            </li>`,
          )}
        </ul>`
      }
      ${
        stubs.length > 0 &&
        html`<ol>
          ${stubs.map(
            (stub) => html`<li key=${stub.label}>
              <code>${stub.label}</code> For ${stub.when}: <b>${stub.does}</b>
              ${stub.limits && html` <span class="soft">${stub.limits}</span>`}
            </li>`,
          )}
        </ol>`
      }
      ${origin && html`<p class="soft">${origin}</p>`}
    <//>
  </div>`;
}

/** Return a request that names this scenario only. */
const withScenario = (request, name) => ({
  ...request,
  headers: [
    ...request.headers.filter(([header]) => !/^mockpets-/i.test(header)),
    ["Mockpets-Scenario", name],
  ],
});

/** What a recorded request would get from this scenario, or from the text that is not saved, without sending it. */
function TryOn({ name, version, unsaved }) {
  const draft = unsaved?.valid ?? null;
  const [entries, setEntries] = useState([]);
  const [number, setNumber] = useState("");
  const [result, setResult] = useState(null);
  useChange(["requests"], async () =>
    setEntries(
      (
        await call("GET /requests", { query: { limit: 50 } })
      ).requests.reverse(),
    ),
  );
  const matching = entries.find((entry) =>
    entry.stubs.some((stub) => stub.startsWith(`${name}/`)),
  );
  const entry =
    entries.find((each) => String(each.number) === number) ??
    matching ??
    entries[0];
  useEffect(() => {
    let isLate = false;
    const tryOn = async () => {
      const request = withScenario(await recorded(entry.number), name);
      const explanation = await explain(
        request,
        draft === null ? undefined : { name, text: draft },
      );
      if (!isLate) setResult(explanation);
    };
    if (entry && (draft !== null || unsaved === null)) act(tryOn);
    return () => {
      isLate = true;
    };
  }, [entry?.number, name, version, draft]);
  if (!entry)
    return html`<div class="try-on">
      <span class="soft">
        Send a request to see here what it gets from this scenario.
      </span>
    </div>`;
  const others =
    result?.stubs?.filter((stub) => stub.result === "no_match").length ?? 0;
  return html`<div class="try-on">
    <label>
      Try on${" "}
      <select
        value=${String(entry.number)}
        onChange=${(event) => setNumber(event.target.value)}
      >
        ${entries.map(
          (each) => html`<option
            key=${each.number}
            value=${String(each.number)}
            selected=${each === entry}
          >
            Request${" "}
            ${each.number}${each === matching ? ", the last that matches" : ""}
          </option>`,
        )}
      </select>
    </label>
    <span class="mono soft" title=${entry.target}>
      ${entry.method} ${entry.target}
    </span>
    <p role="status">
      ${
        result &&
        html`
          <${StatusText} row=${result.request} />${" "}
          ${result.summary.replace(/^\d{3},? /, "")}
          ${
            others > 0 &&
            html`<span class="soft">
              ${" "}· ${others} other ${others === 1 ? "stub does" : "stubs do"} not match
            </span>`
          }
          ${
            unsaved &&
            html`<span class="soft">
              ${" "}
              ·${" "}
              ${
                draft === unsaved.text
                  ? "not saved yet"
                  : "without the last change"
              }
            </span>`
          }
        `
      }
    </p>
  </div>`;
}
