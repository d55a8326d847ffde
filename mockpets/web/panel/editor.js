// A text area with line numbers over a `pre` that has the colours: what the browser does for a text
// area, such as undo, spelling of dead keys and screen readers, works without code of ours.

import {
  html,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "./preact.js";
import { span, startOf, tokens } from "./yaml.js";

/**
 * @import { InputProblem } from "../../../kit/control.js"
 * @import { On, Ref } from "./preact.js"
 * @import { Token } from "./yaml.js"
 */

const LINE = 20; // px, as in the style sheet
const AROUND = 30; // lines to render above and below those in view

/**
 * Change a text area's text as a user does, so that Ctrl Z reverts it.
 * @param {HTMLTextAreaElement} area
 * @param {number} start
 * @param {number} end
 * @param {string} text
 */
export function replaceText(area, start, end, text) {
  area.focus();
  area.setSelectionRange(start, end);
  document.execCommand(text ? "insertText" : "delete", false, text);
}

/**
 * Move the caret to a position, and scroll it into view.
 * @param {HTMLTextAreaElement} area
 * @param {number} line from 1
 * @param {number} column from 1
 */
export function goTo(area, line, column) {
  const lines = area.value.split("\n");
  const [start] = span(lines[line - 1] ?? "", column);
  const caret = startOf(lines, line) + start;
  area.focus();
  area.setSelectionRange(caret, caret);
  area.scrollTop = Math.max(0, (line - 1) * LINE - area.clientHeight / 2);
}

/**
 * @typedef {object} Line
 * @property {number} number from 1
 * @property {string} text
 * @property {Token[]} parts
 * @property {InputProblem | undefined} problem
 */

/**
 * @param {object} properties
 * @param {string} properties.text
 * @param {string} properties.label
 * @param {InputProblem[]} properties.problems
 * @param {boolean} [properties.readOnly]
 * @param {Ref<HTMLTextAreaElement>} properties.area
 * @param {(text: string) => void} properties.onInput
 */
export function Editor({
  text,
  label,
  problems,
  readOnly = false,
  area,
  onInput,
}) {
  /** @type {Ref<HTMLDivElement>} */
  const frame = useRef(null);
  const { view, follow } = useScrolled(area, frame, text);
  const lines = text.split("\n");
  const first = Math.max(0, Math.floor(view.top / LINE) - AROUND);
  const rows = linesFrom(lines, first, view.top + view.height, problems);
  const offset = first * LINE - view.top;
  return html`<div class="editor" ref=${frame}>
    <${Gutter}
      rows=${rows}
      offset=${offset}
      digits=${String(lines.length).length}
    />
    <div class="page">
      <${Colors} rows=${rows} left=${view.left} offset=${offset} />
      <textarea
        ref=${area}
        aria-label=${label}
        aria-invalid=${problems.length > 0}
        readonly=${readOnly}
        spellcheck=${false}
        autocomplete="off"
        autocapitalize="off"
        wrap="off"
        onScroll=${follow}
        onKeyDown=${indent}
        onInput=${(/** @type {On<HTMLTextAreaElement>} */ event) =>
          onInput(event.target.value)}
      ></textarea>
    </div>
  </div>`;
}

/**
 * Give a text area its text, and return which part of it is in view, in pixels.
 * @param {Ref<HTMLTextAreaElement>} area
 * @param {Ref<HTMLElement>} frame whose size is that of the area
 * @param {string} text
 */
function useScrolled(area, frame, text) {
  const [view, setView] = useState({ top: 0, left: 0, height: 600 });
  const follow = () =>
    setView({
      top: area.current.scrollTop,
      left: area.current.scrollLeft,
      height: area.current.clientHeight,
    });
  useLayoutEffect(() => {
    // Only texts that come from elsewhere: setting the value again moves the caret.
    if (area.current.value !== text) area.current.value = text;
    follow();
  }, [text]);
  useEffect(() => {
    const observer = new ResizeObserver(() =>
      requestAnimationFrame(() => area.current && follow()),
    );
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return { view, follow };
}

/**
 * Return the lines to render, from the first one to those below the end of the view.
 * @param {string[]} lines of the whole text
 * @param {number} first index
 * @param {number} bottom of the view in pixels
 * @param {InputProblem[]} problems
 * @returns {Line[]}
 */
function linesFrom(lines, first, bottom, problems) {
  const end = Math.min(lines.length, Math.ceil(bottom / LINE) + AROUND);
  const marked = new Map(problems.map((problem) => [problem.line, problem]));
  return tokens(lines, first, end).map((parts, index) => {
    const number = first + index + 1;
    const text = lines[number - 1] ?? "";
    return { number, text, parts, problem: marked.get(number) };
  });
}

/** @param {{ rows: Line[], offset: number, digits: number }} properties */
const Gutter = ({ rows, offset, digits }) => html`<ol
  class="gutter"
  aria-hidden="true"
  style=${{
    transform: `translateY(${offset}px)`,
    minWidth: `${digits + 5}ch`,
  }}
>
  ${rows.map(
    ({ number, problem }) => html`<li
      key=${number}
      class=${problem ? "wrong" : ""}
    >
      ${number}
    </li>`,
  )}
</ol>`;

/** @param {{ rows: Line[], left: number, offset: number }} properties */
const Colors = ({ rows, left, offset }) => html`<pre
  aria-hidden="true"
  style=${{ transform: `translate(${-left}px, ${offset}px)` }}
>
  ${rows.map(
    (row) => html`<div
      key=${row.number}
      class=${row.problem ? "wrong" : ""}
    >
      ${colored(row)}${"\n"}
    </div>`,
  )}
</pre>`;

/**
 * Return the tokens of a line, with the one that a problem is about underlined.
 * @param {Line} row
 */
function colored({ text, parts, problem }) {
  if (!problem)
    return parts.map(
      ([kind, part]) => html`<span class=${kind}>${part}</span>`,
    );
  const [start, end] = span(text, problem.column);
  let position = 0;
  return parts.flatMap(([kind, part]) => {
    const [from, to] = [start - position, end - position].map((cut) =>
      Math.min(Math.max(cut, 0), part.length),
    );
    position += part.length;
    return [
      { piece: part.slice(0, from), isWrong: false },
      { piece: part.slice(from, to), isWrong: true },
      { piece: part.slice(to), isWrong: false },
    ]
      .filter(({ piece }) => piece)
      .map(
        ({ piece, isWrong }) => html`<span
          class=${`${kind} ${isWrong ? "wavy" : ""}`}
        >
          ${piece}
        </span>`,
      );
  });
}

/**
 * Start a line as the one before it starts; one more step after a key without a value.
 * @param {On<HTMLTextAreaElement, KeyboardEvent>} event
 */
function indent(event) {
  const area = event.target;
  if (
    event.key !== "Enter" ||
    event.ctrlKey ||
    event.metaKey ||
    event.isComposing ||
    area.readOnly
  )
    return;
  event.preventDefault();
  const before = area.value.slice(
    area.value.lastIndexOf("\n", area.selectionStart - 1) + 1,
    area.selectionStart,
  );
  const [start = ""] = /^ *(?:- +)*/.exec(before) ?? [];
  const step = /:\s*$/.test(before) ? "  " : "";
  document.execCommand(
    "insertText",
    false,
    `\n${" ".repeat(start.length)}${step}`,
  );
}
