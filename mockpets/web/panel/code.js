// Text with line numbers.

import { html, useState } from "./preact.js";
import { Button } from "./ui.js";
import { count, indent } from "./values.js";

/** @import { Content } from "./preact.js" */

const TOKENS =
  /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/**
 * Colour one line of JSON.
 * @param {string} line
 */
function coloured(line) {
  /** @type {Content[]} */
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    const [text, string, colon, number] = match;
    parts.push(line.slice(end, match.index));
    const kind = colon
      ? "key"
      : string
        ? "string"
        : number
          ? "number"
          : "literal";
    parts.push(
      html`<span class=${kind}>${colon ? string : text}</span>`,
      colon ?? "",
    );
    end = match.index + text.length;
  }
  return [...parts, line.slice(end)];
}

const MOST_LINES = 1000;
const OPENS = /[[{]$/;

/**
 * A line of code that is shown.
 * @typedef {object} Line
 * @property {number} index
 * @property {string} line
 * @property {boolean} opens whether it begins a part that can be folded
 * @property {string} end the end of the part that it begins, if that is folded
 */

/**
 * Return the lines that are shown: of a folded part, the first one.
 * @param {string[]} lines
 * @param {boolean} isJson
 * @param {ReadonlySet<number>} folded
 */
function unfolded(lines, isJson, folded) {
  /** @type {Line[]} */
  const rows = [];
  let closes = -1; // the depth at which the folded part ends
  for (const [index, line] of lines.entries()) {
    const depth = line.search(/\S|$/);
    if (closes >= 0 && depth > closes) continue;
    const last = rows.at(-1);
    if (closes >= 0 && last && /^\s*[\]}]/.test(line)) {
      last.end = line.trim();
      closes = -1;
      continue;
    }
    const opens = isJson && OPENS.test(line);
    rows.push({ index, line, opens, end: "" });
    if (opens && folded.has(index)) closes = depth;
  }
  return rows;
}

/** @param {{ row: Line, isJson: boolean, toggle: (index: number) => void }} properties */
const CodeLine = ({
  row: { index, line, opens, end },
  isJson,
  toggle,
}) => html`<div class="code-line">
  <span
    class="code-number ${opens ? "opens" : ""}"
    aria-hidden="true"
    onClick=${opens ? () => toggle(index) : undefined}
  >
    ${index + 1}
  </span>
  <span class="code-text">
    ${isJson ? coloured(line) : line}
    ${end && html`<span class="soft">…</span>${end}`}
    ${"\n"}
  </span>
</div>`;

/**
 * Text with line numbers. JSON is indented, coloured and foldable: a click on the number of a line
 * folds what it begins.
 * @param {{ text: string, label: string, wrap?: boolean }} properties
 */
export function CodeBlock({ text, label, wrap = false }) {
  const [folded, setFolded] = useState(
    /** @type {ReadonlySet<number>} */ (new Set()),
  );
  const [all, setAll] = useState(false);
  const json = indent(text);
  const lines = (json ?? text).split("\n");
  const rows = unfolded(lines, json !== null, folded);
  const shown = all ? rows : rows.slice(0, MOST_LINES);
  const toggle = (/** @type {number} */ index) =>
    setFolded(
      new Set(
        folded.has(index)
          ? [...folded].filter((each) => each !== index)
          : [...folded, index],
      ),
    );
  const inner = lines
    .map((line, index) => (index && OPENS.test(line) ? index : -1))
    .filter((index) => index >= 0);
  return html`<div
    class="code ${wrap ? "wrap" : ""}"
    role="region"
    aria-label=${label}
    tabindex="0"
  >
    ${
      json !== null &&
      inner.length > 0 &&
      html`<button
        type="button"
        class="fold"
        onClick=${() => setFolded(new Set(folded.size ? [] : inner))}
      >
        ${folded.size ? "Unfold" : "Fold"}
      </button>`
    }
    ${shown.map(
      (row) => html`<${CodeLine}
        key=${row.index}
        row=${row}
        isJson=${json !== null}
        toggle=${toggle}
      />`,
    )}
    ${
      shown.length < rows.length &&
      html`<${Button}
        text=${`Show ${count(rows.length - shown.length, "more line")}`}
        does=${() => setAll(true)}
      />`
    }
  </div>`;
}
