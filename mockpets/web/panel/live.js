// Live updates by long polling: one request waits at the server for the next change. Hidden pages
// abort it, since a browser opens at most six connections to a server for all its tabs.

import { control } from "./api.js";

const WAIT_SECONDS = 20;
const PAUSE_MS = 250; // minimum time between two polls
const RETRY_MS = [500, 1000, 2000, 4000];

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const visible = () => new Promise((resolve) => {
  if (!document.hidden) resolve(undefined);
  else document.addEventListener("visibilitychange", () => resolve(undefined), { once: true });
});

/**
 * Call `changed` once at the start and then after every change. Never returns.
 * @param {(kinds: Set<string> | null) => Promise<void>} changed null: anything may have changed
 * @param {(problem: Error | null) => void} connection null: the server responds
 */
export async function watch(changed, connection) {
  let last = null; // the state of the last poll
  let failures = 0;
  for (;;) {
    await visible();
    try {
      last = await poll(last, changed);
      failures = 0;
      connection(null);
      await sleep(PAUSE_MS);
    } catch (error) {
      if (error.name === "AbortError") continue;
      connection(error);
      await sleep(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
    }
  }
}

/** Wait for a change and show it; return the new state. */
async function poll(last, changed) {
  if (last === null) {
    const now = await control("events");
    await changed(null);
    return now;
  }
  const hidden = new AbortController();
  const stop = () => document.hidden && hidden.abort();
  document.addEventListener("visibilitychange", stop);
  let now;
  try {
    now = await control(`events?since=${last.change}&wait=${WAIT_SECONDS}`, { signal: hidden.signal });
  } finally {
    document.removeEventListener("visibilitychange", stop);
  }
  // A lower number means another server. Another number of resets also means a recreated session.
  const restarted = now.change < last.change || now.resets !== last.resets;
  if (restarted) await changed(null);
  else if (now.changed.length) await changed(new Set(now.changed));
  return now;
}
