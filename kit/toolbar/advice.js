// Why the page or its link does not work with the server, and what to change.

import { MockpetsError } from "../connection.js";
import { contractOf } from "./active.js";
import { cookie, parts } from "./cookie.js";
import { left } from "./host.js";
import { connection, server } from "./server.js";
import { render, update, view } from "./view.js";

const CHECKED = 50; // last requests, to find one of the page
const UNSENT =
  'The link has no effect: the requests of this page do not send the cookie. Add this to their options: credentials: "include" (axios: withCredentials: true)';

// --- A link without an effect ---

/**
 * Report why a link has no effect: a browser sends the cookie to another origin only with credentials.
 * @param {number} since when the cookie changed: earlier requests of the page were sent without it
 */
export function checkCookie(since) {
  if (!cookie() || new URL(server).origin === location.origin) return;
  const observer = new PerformanceObserver((entries) => {
    const sent = entries.getEntries().find((entry) => isCall(entry, since));
    if (!sent) return;
    observer.disconnect();
    void checkLog(new URL(sent.name).pathname);
  });
  observer.observe({ type: "resource", buffered: true });
}

/**
 * Whether a request of the page was a call of a contract that got a response.
 * @param {PerformanceEntry} entry
 * @param {number} since
 */
function isCall(entry, since) {
  if (!(entry instanceof PerformanceResourceTiming)) return false;
  const { name, startTime, responseStart } = entry;
  if (!name.startsWith(`${server}/`) || startTime < since) return false;
  if (!responseStart) return false; // such as a request that the page has aborted
  const [path = ""] = name.slice(server.length).split("?");
  const needsCookie = !/^\/(?:~|__mockpets\/)/.test(path);
  return needsCookie && contractOf(view.state, path) !== undefined;
}

/**
 * Advise the user if the request of the page with this path did not have the scenarios of the cookie.
 * @param {string} pathname
 */
async function checkLog(pathname) {
  const query = { limit: CHECKED };
  const log = await connection
    .call("GET /requests", { query })
    .catch(() => null);
  if (!log) return;
  const last = log.requests.findLast(
    ({ path, outcome }) => outcome !== "pending" && pathname.endsWith(path),
  );
  const { scenarios } = parts(cookie());
  const isSent =
    !scenarios.length || hasNames(last?.scenarios ?? [], scenarios);
  if (last && isSent) return;
  update({ news: UNSENT, advice: UNSENT });
  console.warn(`mockpets: ${UNSENT}`);
  render();
}

/**
 * @param {readonly string[]} names
 * @param {readonly string[]} others
 */
function hasNames(names, others) {
  return names.join().toLowerCase() === others.join().toLowerCase();
}

// --- A page that may not call the server ---

let isBlocked = false;

/** Note if the page's Content-Security-Policy blocks calls of the server. */
export function watchPolicy() {
  const { origin } = new URL(server);
  document.addEventListener(
    "securitypolicyviolation",
    ({ effectiveDirective, blockedURI }) => {
      const isOurs = blockedURI.startsWith(origin);
      if (isOurs && effectiveDirective === "connect-src") isBlocked = true;
    },
    { signal: left },
  );
}

/**
 * Return the server's option that lets this page call it; empty if the error has another reason.
 * @param {unknown} error
 */
export async function missingOption(error) {
  if (!(error instanceof MockpetsError) || isBlocked) return "";
  if (error.status === 401) return "--control open";
  if (!isSilence(error)) return "";
  try {
    await fetch(`${server}/__mockpets/health`, {
      mode: "no-cors",
      credentials: "omit",
    });
    return `--control-origin ${location.origin}`;
  } catch {
    return ""; // it does not run
  }
}

/**
 * Return why the toolbar cannot start.
 * @param {unknown} error
 */
export function reasonOf(error) {
  const { origin } = new URL(server);
  if (isBlocked) {
    return `connect-src of the page's Content-Security-Policy lacks ${origin}; add it, or forward /__mockpets`;
  }
  if (error instanceof MockpetsError && isSilence(error)) {
    return `cannot connect to ${server}; is mockpets running there, and does it allow ${location.origin} (--control-origin)?`;
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * Whether the page got no response, or may not read it.
 * @param {MockpetsError} error
 */
function isSilence({ code, status }) {
  return code === "unreachable" && status === 0;
}
