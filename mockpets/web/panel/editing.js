// The editor of a scenario: its toolbar and its text, and below it what is wrong with the text and
// what it does.

import { editNew } from "./drafts.js";
import { Editor, goTo } from "./editor.js";
import { html, useEffect, useLayoutEffect, useRef } from "./preact.js";
import { isValidName, save, useCheck, useEdited, write } from "./saving.js";
import { act, go, loadedState, stack, store } from "./store.js";
import { Strip } from "./strip.js";
import { TryOn } from "./try-on.js";
import { Button, Section } from "./ui.js";

/**
 * @import { ScenarioDetails, ScenarioSummary, StubDescription } from "../../../kit/control.js"
 * @import { On, Ref } from "./preact.js"
 * @import { Edited } from "./saving.js"
 */

/** @param {{ name: string, row: ScenarioSummary | undefined }} properties */
export function Editing({ name, row }) {
  /** @type {Ref<HTMLTextAreaElement>} */
  const area = useRef(null);
  const edited = useEdited(name);
  const checked = useCheck(edited);
  useStubInUrl(edited, area);
  useSaveKey(() => save(edited));
  const { isNew, saved, text, newName } = edited;
  const isActive = loadedState().active.includes(name);
  const nameOrNew = isValidName(newName) ? newName : "new";
  const unsaved =
    edited.isEdited || isNew ? { text, valid: checked.valid } : null;
  return html`<section
    class="editing"
    aria-label=${isNew ? "New scenario" : `Scenario ${name}`}
  >
    <${Toolbar} edited=${edited} row=${row} isActive=${isActive} />
    ${
      saved === null
        ? null
        : !edited.hasText
          ? html`<p class="empty">
            ${saved.missing ?? "The file cannot be read."}
          </p>`
          : html`<${Editor}
            text=${text}
            label=${`Source of ${isNew ? "the new scenario" : name}`}
            problems=${checked.problems}
            readOnly=${!edited.canEdit}
            area=${area}
            onInput=${(/** @type {string} */ typed) => write(edited, typed)}
          />`
    }
    <${Strip}
      edited=${edited}
      checked=${checked}
      isActive=${isActive}
      area=${area}
    />
    ${!isNew && saved?.details && html`<${Does} scenario=${saved.details} />`}
    ${
      saved &&
      saved.missing === null &&
      html`<${TryOn}
        name=${isNew ? nameOrNew : name}
        version=${saved}
        unsaved=${unsaved}
      />`
    }
  </section>`;
}

/**
 * Show the stub that responded to a request: a link from the request names it.
 * @param {Edited} edited
 * @param {Ref<HTMLTextAreaElement>} area
 */
function useStubInUrl({ text, hasText }, area) {
  const { stub } = store.route.params;
  useEffect(() => {
    if (!stub || !hasText) return;
    const line = text
      .split("\n")
      .findIndex((each) => each.trim().replace(/^- /, "") === `name: ${stub}`);
    if (line >= 0) goTo(area.current, line + 1, 1);
  }, [stub, hasText]);
}

/** @param {() => Promise<void>} does */
function useSaveKey(does) {
  const latest = useRef(does);
  latest.current = does;
  // Before the editor is painted: a key that is pressed at once must not be lost.
  useLayoutEffect(() => {
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (key !== "s" || !(ctrlKey || metaKey) || altKey) return;
      event.preventDefault();
      void act(() => latest.current());
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** @param {{ edited: Edited, row: ScenarioSummary | undefined, isActive: boolean }} properties */
function Toolbar({ edited, row, isActive }) {
  const { isNew, saved, canEdit } = edited;
  return html`<div class="toolbar">
    <${Button}
      kind="ghost"
      class="narrow-only"
      icon="back"
      label="Back to the list"
      does=${() => go("scenarios", null, { filter: store.route.params.filter })}
    />
    ${
      isNew
        ? html`<${NameField} edited=${edited} />`
        : html`<${Title} edited=${edited} />`
    }
    ${
      !isNew &&
      saved?.details &&
      html`<${Actions}
        scenario=${saved.details}
        text=${edited.text}
        isUsable=${row !== undefined && row.description !== null}
        isActive=${isActive}
      />`
    }
    ${
      canEdit &&
      html`<${Button}
        kind="primary"
        text=${saved?.writable ? "Save" : "Save for this session"}
        keys="Ctrl S"
        disabled=${!edited.canSave}
        does=${() => save(edited)}
      />`
    }
  </div>`;
}

/** @param {{ edited: Edited }} properties */
const NameField = ({ edited: { newName, change } }) => html`<input
  class="grow"
  aria-label="Scenario name"
  placeholder="Name, such as checkout-error"
  autocomplete="off"
  autocapitalize="off"
  value=${newName}
  onInput=${(/** @type {On<HTMLInputElement>} */ event) =>
    change({ newName: event.target.value, rejection: null })}
/>`;

/** @param {{ edited: Edited }} properties */
function Title({ edited: { name, saved, isEdited } }) {
  const { path, source } = saved?.details ?? {};
  return html`
    <h2>${name}</h2>
    <span class="soft grow" title=${path ?? source}>
      ${isEdited && "Edited"}
      <span class="wide-only">${isEdited && source && " · "}${source}</span>
    </span>
  `;
}

/**
 * @param {object} properties
 * @param {ScenarioDetails} properties.scenario
 * @param {string} properties.text
 * @param {boolean} properties.isUsable
 * @param {boolean} properties.isActive
 */
const Actions = ({
  scenario: { name, path },
  text,
  isUsable,
  isActive,
}) => html`
  <${Button}
    kind="ghost"
    icon="copy"
    label=${`Duplicate ${name}`}
    does=${() => editNew(`${name}-copy`, text)}
  />
  ${
    path &&
    html`<${Button}
      kind="ghost"
      icon="open"
      label="Open in editor"
      href=${`vscode://file${encodeURI(path)}:1`}
    />`
  }
  <${Button}
    aria-pressed=${String(isActive)}
    icon=${isActive ? "check" : undefined}
    text=${isActive ? "Active" : "Activate"}
    disabled=${!isUsable}
    does=${() => stack(name)}
  />
`;

/**
 * What the stubs and data of a scenario do, as the server describes them.
 * @param {{ scenario: ScenarioDetails }} properties
 */
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
      ${stubs.length > 0 && html`<ol>${stubs.map(stubItem)}</ol>`}
      ${origin && html`<p class="soft">${origin}</p>`}
    <//>
  </div>`;
}

/** @param {StubDescription} stub */
const stubItem = ({ label, when, does, limits }) => html`<li key=${label}>
  <code>${label}</code> For ${when}: <b>${does}</b>
  ${limits && html` <span class="soft">${limits}</span>`}
</li>`;
