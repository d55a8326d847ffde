// YAML as the editor shows it: the kinds of its tokens, and the fix of a problem that the server's
// checker found.

/** @import { InputProblem } from "../../../kit/control.js" */

const NUMBER =
  /^[-+]?(?:\d[\d_]*)(?:\.\d+)?(?:ms|s|m|h|B\/s|KB\/s|KiB\/s|MB\/s|%)?$/;
const LITERAL = /^(?:true|false|null|~|yes|no|on|off)$/i;
// A comment, a quoted text, a separator, or words up to the next of them.
const TOKEN =
  /(#.*)|("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|([[\]{},]|:(?=\s|$|[,\]}])|-(?=\s|$)|\s+)|((?:[^\s:,[\]{}]|:(?!\s|$))(?:(?!\s#|:(?:\s|$))[^,[\]{}])*)/gy;
const LONG = 2000; // characters of a line that stays without colours
const BLOCK = /(?:^|\s)[|>][-+0-9]*\s*(?:#.*)?$/;

/** @typedef {"" | "key" | "string" | "number" | "literal" | "comment"} Kind */
/** @typedef {[kind: Kind, text: string]} Token */

/**
 * Split lines into tokens.
 * @param {string[]} lines of the whole text
 * @param {number} from index of the first line that is needed
 * @param {number} to index after the last one
 * @returns {Token[][]} the tokens of each line
 */
export function tokens(lines, from, to) {
  /** @type {Token[][]} */
  const result = [];
  let block = -1; // the indentation of the key of a block of text
  for (const [index, line] of lines.slice(0, to).entries()) {
    const indentation = line.search(/\S/);
    if (block >= 0 && indentation >= 0 && indentation <= block) block = -1;
    const isText = block >= 0;
    if (!isText && indentation >= 0 && BLOCK.test(line)) block = indentation;
    if (index >= from) result.push(isText ? [["string", line]] : split(line));
  }
  return result;
}

/**
 * @param {string} line
 * @returns {Token[]}
 */
function split(line) {
  if (line.length > LONG) return [["", line]];
  /** @type {Token[]} */
  const parts = [];
  let end = 0;
  for (const [text, comment, quoted, separator] of line.matchAll(TOKEN)) {
    end += text.length;
    const rest = line.slice(end);
    /** @type {Kind} */
    let kind = "";
    if (comment) kind = "comment";
    else if (separator) kind = "";
    else if (/^\s*:(?:\s|$)/.test(rest)) kind = "key";
    else if (quoted) kind = rest.startsWith(":") ? "key" : "string";
    else if (NUMBER.test(text.trim())) kind = "number";
    else if (LITERAL.test(text.trim())) kind = "literal";
    parts.push([kind, text]);
  }
  if (end < line.length) parts.push(["", line.slice(end)]);
  return parts;
}

/**
 * Return where the value or key with a problem is in its line.
 * @param {string} line
 * @param {number} column from 1, in characters as the server counts them: not in UTF-16 units
 * @returns {[start: number, end: number]} UTF-16 units; the whole line if the position has no text
 */
export function span(line, column) {
  const start = [...line].slice(0, Math.max(column - 1, 0)).join("").length;
  let position = 0;
  for (const [, text] of split(line)) {
    const end = position + text.trimEnd().length;
    if (position <= start && start < end) return [start, end];
    position += text.length;
  }
  return start < line.length
    ? [start, line.length]
    : [Math.max(line.search(/\S/), 0), line.length];
}

/**
 * Return where a line starts in its text, in UTF-16 units.
 * @param {string[]} lines of the text
 * @param {number} line from 1
 */
export const startOf = (lines, line) =>
  lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);

/**
 * Return the change that fixes a problem, or null if its hint names none.
 * @param {string} text
 * @param {Pick<InputProblem, "line" | "column" | "hint">} problem
 * @returns {{ start: number, end: number, text: string } | null} UTF-16 units of the whole text
 */
export function fixOf(text, { line, column, hint }) {
  const lines = text.split("\n");
  const shown = lines[line - 1];
  if (!shown) return null;
  const [start, end] = span(shown, column);
  const old = shown.slice(start, end);
  const better = replacement(hint, old);
  if (better === null || better === old) return null;
  const before = startOf(lines, line);
  return { start: before + start, end: before + end, text: better };
}

/**
 * Return the text that a hint suggests in place of the old one, if any.
 * @param {string} hint
 * @param {string} old
 */
function replacement(hint, old) {
  const quote = /^["']/.exec(old)?.[0] ?? "";
  const similar = /^did you mean '([^']+)'\?/.exec(hint);
  if (similar) return quote + similar[1] + quote;
  if (/^remove the quotes/.test(hint)) return quote ? old.slice(1, -1) : null;
  if (quote) return null;
  return /^quote it: (".*")$/.exec(hint)?.[1] ?? null;
}
