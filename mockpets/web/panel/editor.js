// A text area with line numbers over a `pre` that has the colours: what the browser does for a text
// area, such as undo, spelling of dead keys and screen readers, works without code of ours.

import {
  html,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "./preact.js";
import { span, tokens } from "./yaml.js";

const LINE = 20; // px, as in the style sheet
const AROUND = 30; // lines to render above and below those in view

/** Change a text area's text as a user does, so that Ctrl Z reverts it. */
export function replaceText(area, start, end, text) {
  area.focus();
  area.setSelectionRange(start, end);
  document.execCommand(text ? "insertText" : "delete", false, text);
}

/** Move the caret to a position from 1, and scroll it into view. */
export function goTo(area, line, column) {
  const lines = area.value.split("\n");
  const before = lines
    .slice(0, line - 1)
    .reduce((sum, each) => sum + each.length + 1, 0);
  const [start] = span(lines[line - 1] ?? "", column);
  area.focus();
  area.setSelectionRange(before + start, before + start);
  area.scrollTop = Math.max(0, (line - 1) * LINE - area.clientHeight / 2);
}

/**
 * @param {{text: string, label: string, problems: any[], readOnly?: boolean, area: {current: any},
 *   onInput: (text: string) => void}} props `problems` have a line and a column from 1
 */
export function Editor({
  text,
  label,
  problems,
  readOnly = false,
  area,
  onInput,
}) {
  const [view, setView] = useState({ top: 0, left: 0, height: 600 });
  const frame = useRef(null);
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

  const lines = text.split("\n");
  const from = Math.max(0, Math.floor(view.top / LINE) - AROUND);
  const to = Math.min(
    lines.length,
    Math.ceil((view.top + view.height) / LINE) + AROUND,
  );
  const marked = new Map(problems.map((problem) => [problem.line, problem]));
  const rows = tokens(lines, from, to).map((parts, index) => ({
    number: from + index + 1,
    parts,
    line: lines[from + index],
  }));
  const offset = from * LINE - view.top;
  return html`<div class="editor" ref=${frame}>
    <ol
      class="gutter"
      aria-hidden="true"
      style=${{
        transform: `translateY(${offset}px)`,
        minWidth: `${String(lines.length).length + 5}ch`,
      }}
    >
      ${rows.map(
        ({ number }) => html`<li
          key=${number}
          class=${marked.has(number) ? "wrong" : ""}
        >
          ${number}
        </li>`,
      )}
    </ol>
    <div class="page">
      <pre
        aria-hidden="true"
        style=${{ transform: `translate(${-view.left}px, ${offset}px)` }}
      >
        ${rows.map(
          ({ number, parts, line }) => html`<div
            key=${number}
            class=${marked.has(number) ? "wrong" : ""}
          >
            ${colored(parts, line, marked.get(number))}${"\n"}
          </div>`,
        )}
      </pre>
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
        onInput=${(event) => onInput(event.target.value)}
      ></textarea>
    </div>
  </div>`;
}

/** Start a line as the one before it starts; one more step after a key without a value. */
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
  const spaces = " ".repeat(/^ *(?:- +)*/.exec(before)[0].length);
  document.execCommand(
    "insertText",
    false,
    `\n${spaces}${/:\s*$/.test(before) ? "  " : ""}`,
  );
}

/** Return the tokens of a line, with the one that a problem is about underlined. */
function colored(parts, line, problem) {
  if (!problem)
    return parts.map(
      ([kind, text]) => html`<span class=${kind}>${text}</span>`,
    );
  const [start, end] = span(line, problem.column);
  let position = 0;
  return parts.flatMap(([kind, text]) => {
    const cuts = [0, start - position, end - position, text.length].map((cut) =>
      Math.min(Math.max(cut, 0), text.length),
    );
    position += text.length;
    return [0, 1, 2]
      .map((index) => [text.slice(cuts[index], cuts[index + 1]), index === 1])
      .filter(([piece]) => piece)
      .map(
        ([piece, isWrong]) => html`<span
          class=${`${kind} ${isWrong ? "wavy" : ""}`}
        >
          ${piece}
        </span>`,
      );
  });
}
