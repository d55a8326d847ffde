// What changed, as it happens: one request waits at the server for the next change. It is ended
// while the page is hidden, since a browser has six connections to a server for all its pages.

import { control } from "./api.js";

const WAIT_SECONDS = 20;
const PAUSE_MS = 250; // between two looks, however much happens
const RETRY_MS = [500, 1000, 2000, 4000];

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const visible = () => new Promise((resolve) => {
  if (!document.hidden) resolve(undefined);
  else document.addEventListener("visibilitychange", () => resolve(undefined), { once: true });
});

/**
 * Call back for the start, then for every change; never returns.
 * @param {(kinds: Set<string> | null) => Promise<void>} changed null: anything may have changed
 * @param {(problem: Error | null) => void} link null: the server answers
 */
export async function watch(changed, link) {
  let known = null; // the number of the last change that was shown
  let failures = 0;
  for (;;) {
    await visible();
    try {
      known = await look(known, changed);
      failures = 0;
      link(null);
      await sleep(PAUSE_MS);
    } catch (error) {
      if (error.name === "AbortError") continue;
      link(error);
      await sleep(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
    }
  }
}

/** Wait for a change and have it shown; return what is known then. */
async function look(known, changed) {
  if (known === null) {
    const now = await control("events");
    await changed(null);
    return now;
  }
  const hidden = new AbortController();
  const stop = () => document.hidden && hidden.abort();
  document.addEventListener("visibilitychange", stop);
  let now;
  try {
    now = await control(`events?since=${known.change}&wait=${WAIT_SECONDS}`, { signal: hidden.signal });
  } finally {
    document.removeEventListener("visibilitychange", stop);
  }
  // A lower number is another server's; resets differ, too, for a session dropped and made anew.
  const anew = now.change < known.change || now.resets !== known.resets;
  if (anew) await changed(null);
  else if (now.changed.length) await changed(new Set(now.changed));
  return now;
}
