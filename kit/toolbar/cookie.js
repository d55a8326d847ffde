// The session of the app and its scenarios: in the cookie, or in a link to the page.

/** The name of the cookie, of the parameter in links, and of the event after a switch. */
export const NAME = "mockpets";

/**
 * Return the session, which may be empty, and the scenarios that a cookie or a link names.
 * @param {string} text
 */
export function parts(text) {
  const [session = "", ...scenarios] = text.split(/[+ ]/);
  return { session, scenarios: scenarios.filter(Boolean) };
}

/** Return the value of the cookie; empty without one. */
export function cookie() {
  const value = /(?:^|;\s*)mockpets=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // for the server to reject
  }
}

/**
 * Set the cookie; delete it if it would name nothing.
 * @param {string} session
 * @param {readonly string[]} [scenarios]
 */
export function setCookie(session, scenarios = []) {
  const value = encodeURIComponent([session, ...scenarios].join("+"));
  const age = value ? "" : "; Max-Age=0";
  document.cookie = `${NAME}=${value}; Path=/; SameSite=Lax${age}`;
}

/**
 * Move what a link names from the page's address to the cookie.
 * @returns what the cookie names; when it changed, 0 if it did not; and whether the page has requested data before
 */
export function followLink() {
  const url = new URL(location.href);
  const before = cookie();
  const text = url.searchParams.get(NAME);
  const { session, scenarios } = parts(text ?? before);
  if (text !== null) {
    url.searchParams.delete(NAME);
    history.replaceState(history.state, "", url);
    setCookie(session, scenarios);
  }
  const isChanged = cookie() !== before;
  const changed = isChanged ? performance.now() : 0;
  return { session, scenarios, changed, isLate: isChanged && hasRequested() };
}

/** Whether the page has requested data, or could have. */
function hasRequested() {
  return (
    document.readyState === "complete" ||
    performance
      .getEntriesByType("resource")
      .some(
        (entry) =>
          entry instanceof PerformanceResourceTiming &&
          ["fetch", "xmlhttprequest"].includes(entry.initiatorType),
      )
  );
}
