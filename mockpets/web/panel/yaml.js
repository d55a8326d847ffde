// YAML as the editor shows it: the kinds of its tokens, and the fix of a problem that the server's checker found.

const NUMBER =
  /^[-+]?(?:\d[\d_]*)(?:\.\d+)?(?:ms|s|m|h|B\/s|KB\/s|KiB\/s|MB\/s|%)?$/;
const LITERAL = /^(?:true|false|null|~|yes|no|on|off)$/i;
// A comment, a quoted text, a separator, or words up to the next of them.
const TOKEN =
  /(#.*)|("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|([[\]{},]|:(?=\s|$|[,\]}])|-(?=\s|$)|\s+)|((?:[^\s:,[\]{}]|:(?!\s|$))(?:(?!\s#|:(?:\s|$))[^,[\]{}])*)/gy;
const LONG = 2000; // characters of a line that stays without colours
const BLOCK = /(?:^|\s)[|>][-+0-9]*\s*(?:#.*)?$/;

/**
 * Split lines into tokens.
 * @param {string[]} lines of the whole text
 * @param {number} from index of the first line that is needed
 * @param {number} to index after the last one
 * @returns {[kind: "" | "key" | "string" | "number" | "literal" | "comment", text: string][][]} the tokens of each
 */
export function tokens(lines, from, to) {
  const result = [];
  let block = -1; // the indentation of the key of a block of text
  for (let index = 0; index < Math.min(to, lines.length); index += 1) {
    const line = lines[index];
    const indentation = line.search(/\S/);
    if (block >= 0 && indentation >= 0 && indentation <= block) block = -1;
    const isText = block >= 0;
    if (!isText && indentation >= 0 && BLOCK.test(line)) block = indentation;
    if (index >= from) result.push(isText ? [["string", line]] : split(line));
  }
  return result;
}

function split(line) {
  if (line.length > LONG) return [["", line]];
  const parts = [];
  let end = 0;
  for (const [text, comment, quoted, separator] of line.matchAll(TOKEN)) {
    const isKey =
      /^\s*:(?:\s|$)/.test(line.slice(end + text.length)) ||
      (quoted && line[end + text.length] === ":");
    let kind = "";
    if (comment) kind = "comment";
    else if (separator) kind = "";
    else if (isKey) kind = "key";
    else if (quoted) kind = "string";
    else if (NUMBER.test(text.trim())) kind = "number";
    else if (LITERAL.test(text.trim())) kind = "literal";
    parts.push([kind, text]);
    end += text.length;
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
 * Return the change that fixes a problem, or null if its hint names none.
 * @param {string} text
 * @param {{line: number, column: number, hint: string}} problem
 * @returns {{start: number, end: number, text: string} | null} UTF-16 units of the whole text
 */
export function fixOf(text, { line, column, hint }) {
  const lines = text.split("\n");
  const shown = lines[line - 1];
  if (!shown) return null;
  const [start, end] = span(shown, column);
  const old = shown.slice(start, end);
  const better = replacement(hint, old);
  if (better === null || better === old) return null;
  const before = lines
    .slice(0, line - 1)
    .reduce((sum, each) => sum + each.length + 1, 0);
  return { start: before + start, end: before + end, text: better };
}

function replacement(hint, old) {
  const quote = /^["']/.exec(old)?.[0] ?? "";
  const similar = /^did you mean '([^']+)'\?/.exec(hint);
  if (similar) return quote + similar[1] + quote;
  if (/^remove the quotes/.test(hint)) return quote ? old.slice(1, -1) : null;
  const quoted = /^quote it: (".*")$/.exec(hint);
  return quoted && !quote ? quoted[1] : null;
}
