// One line below the editor on what is wrong, with a way to fix it: a conflict, a rejected save, a
// problem or a warning.

import { goTo, replaceText } from "./editor.js";
import { html, useState } from "./preact.js";
import { discard, overwrite, removeOverride } from "./saving.js";
import { Button, Icon } from "./ui.js";
import { fixOf } from "./yaml.js";

/**
 * @import { InputProblem } from "../../../kit/control.js"
 * @import { Ref } from "./preact.js"
 * @import { Checked, Edited } from "./saving.js"
 */

/**
 * @param {object} properties
 * @param {Edited} properties.edited
 * @param {Checked} properties.checked
 * @param {boolean} properties.isActive
 * @param {Ref<HTMLTextAreaElement>} properties.area
 */
export function Strip({ edited, checked, isActive, area }) {
  const [index, setIndex] = useState(0);
  const { isConflict, rejection } = edited;
  if (isConflict) return conflict(edited);
  // The problems of a text that the server rejected with 422 follow.
  if (rejection && rejection.status !== 422)
    return html`<div class="strip wrong" role="alert">
      <${Icon} name="alert" />
      <p>${rejection.message}</p>
    </div>`;
  const isError = checked.problems.length > 0;
  const problems = isError ? checked.problems : checked.warnings;
  const shown = index % problems.length;
  const problem = problems[shown];
  if (problem === undefined) return readOnly(edited);
  return html`<div
    class=${`strip ${isError ? "wrong" : "warned"}`}
    role="status"
  >
    <${Icon} name="alert" />
    <${Problem}
      problem=${problem}
      area=${area}
      more=${isError && isActive && ". The last valid version stays active."}
    />
    ${
      problems.length > 1 &&
      html`<${Button}
        kind="ghost"
        text=${`${shown + 1} of ${problems.length}`}
        label=${`Problem ${shown + 1} of ${problems.length}: show the next one`}
        does=${() => setIndex((index + 1) % problems.length)}
      />`
    }
    ${
      isError &&
      html`<${Fix} problem=${problem} text=${edited.text} area=${area} />`
    }
  </div>`;
}

/** @param {Edited} edited */
function conflict(edited) {
  const message = edited.isNew
    ? "A scenario with this name already exists. Choose another name."
    : (edited.rejection?.message ??
      `The file ${edited.saved?.missing ? "was deleted" : "has changed"} since you started editing.`);
  return html`<div class="strip wrong" role="alert">
    <${Icon} name="alert" />
    <p>${message}</p>
    ${
      !edited.isNew &&
      html`
        <${Button} text="Overwrite the file" does=${() => overwrite(edited)} />
        <${Button} text="Discard my changes" does=${() => discard(edited)} />
      `
    }
  </div>`;
}

/** @param {Edited} edited */
function readOnly({ saved }) {
  const details = saved?.details;
  if (!details?.read_only) return null;
  return html`<div class="strip">
    <p class="soft">
      ${details.override ? "Saved for this session only" : details.read_only}.
    </p>
    ${
      details.override &&
      html`<${Button} text="Discard" does=${() => removeOverride(details)} />`
    }
  </div>`;
}

/**
 * @param {object} properties
 * @param {InputProblem} properties.problem
 * @param {Ref<HTMLTextAreaElement>} properties.area
 * @param {string | false} properties.more
 */
function Problem({ problem: { line, column, where, what, hint }, area, more }) {
  return html`
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
      ${more}
    </p>
  `;
}

/** @param {{ problem: InputProblem, text: string, area: Ref<HTMLTextAreaElement> }} properties */
function Fix({ problem, text, area }) {
  const fix = fixOf(text, problem);
  if (fix === null) return null;
  return html`<${Button}
    text="Fix"
    does=${() => replaceText(area.current, fix.start, fix.end, fix.text)}
  />`;
}
