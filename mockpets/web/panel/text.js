// Format values as text: indented JSON, durations, times, sizes, and labels of notes.

/**
 * Parse JSON. Unsafe integers become strings of their digits: ids are int64, and a rounded id would
 * be that of another pet.
 */
export function parseExact(text) {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (part) =>
    part[0] === '"' || Number.isSafeInteger(Number(part)) ? part : `"${part}"`));
}

/** Indent JSON without changing digits or escapes; return null if the text is not valid JSON. */
export function indent(text) {
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

/** Return the local time of day of an ISO 8601 time. */
export function clock(time) {
  return new Date(time).toLocaleTimeString(undefined, { hourCycle: "h23" });
}

/** @param {number} n */
export const count = (n, one, more = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

/** @param {number} bytes */
export const size = (bytes) => (bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`);

/** Short labels of the note codes. */
export const NOTES = {
  off_contract: "off contract",
  unmatched: "unmatched",
  key_missing: "missing key",
  key_invalid: "invalid key",
  limit_out_of_range: "limit out of range",
  released: "released",
  server_limit: "server limit",
  ignored_query: "query ignored",
  ignored_headers: "header ignored",
  ignored_members: "properties ignored",
  deprecated: "deprecated",
};

/** Labels of the outcomes. */
export const OUTCOMES = {
  pending: "pending",
  sent: "sent",
  client_left: "client left",
  broken: "broken",
};

/** Return a status as text; a request without one is not responded to yet, or its connection ended without a response. */
export const statusText = ({ status, outcome, hold }) => {
  if (outcome === "pending") return hold ? "held" : "pending";
  return status === null ? (outcome === "broken" ? "broken" : "none") : String(status);
};

/** Return the milliseconds that a delay, a gate and a throttle have added so far. */
export function addedMs({ app_ms, delay_ms, held_ms, total_ms, throttle }) {
  const isMeasured = total_ms !== null && (held_ms !== null || throttle);
  return isMeasured ? total_ms - app_ms : Math.max(delay_ms, held_ms);
}

/** Return the class of a status: "ok", "moved", "client", "server", or "broken" without a response. */
export function kindOf({ status, outcome }) {
  if (outcome === "pending") return "moved";
  if (status === null) return "broken";
  return { 2: "ok", 3: "moved", 4: "client", 5: "server" }[Math.floor(status / 100)] ?? "server";
}
