// Values as text for people: JSON with lines, durations, times, and the words for what a note means.

/**
 * Read JSON; integers that a number cannot hold come back as strings of their digits, since ids may
 * be as large as int64 and a rounded one is another pet's.
 */
export function parseExact(text) {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (part) =>
    part[0] === '"' || Number.isSafeInteger(Number(part)) ? part : `"${part}"`));
}

/** Give JSON its lines, every digit and escape as it came; null for a text that is no JSON. */
export function withLines(text) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (part) => {
    if (part[0] === '"') return part;
    if (/^\s/.test(part)) return "";
    if (/^[[{]\s*[\]}]$/.test(part)) return part[0] + part.at(-1);
    if (part === "{" || part === "[") { depth += 1; return part + line(); }
    if (part === "}" || part === "]") { depth -= 1; return line() + part; }
    return part === "," ? part + line() : ": ";
  }).trim();
}

/** @param {number} ms */
export function duration(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(ms % 1000 ? 1 : 0)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** The time of day of an ISO time, as clocks here show it. */
export function clock(at) {
  return new Date(at).toLocaleTimeString(undefined, { hourCycle: "h23" });
}

/** @param {number} n */
export const count = (n, one, more = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

/** @param {number} bytes */
export const size = (bytes) => (bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`);

/** A note's code in two words. */
export const NOTES = {
  off_contract: "off contract",
  unmatched: "nothing there",
  key_missing: "no key",
  key_invalid: "wrong key",
  limit_out_of_range: "limit out of range",
  ignored_query: "query ignored",
  ignored_headers: "header ignored",
  ignored_members: "members ignored",
  deprecated: "deprecated",
};

/** What class of status it is: "ok", "moved", "client", "server", or "broken" for no answer. */
export function kindOf(status) {
  if (status === null) return "broken";
  return { 2: "ok", 3: "moved", 4: "client", 5: "server" }[Math.floor(status / 100)] ?? "server";
}
