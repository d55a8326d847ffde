// When a page counts as quiet. Pure functions.

/** @import { Call, Snapshot } from "./types.d.ts" */

/**
 * @typedef {object} Expectations
 * @property {string | undefined} [expected] an operation that the page is about to call
 * @property {string | undefined} [failing] an operation whose requests fail, so that the page may send them again
 * @property {(snapshot: Snapshot) => boolean} [seemsToLoad]
 */

/**
 * What was seen of a page since the waiting began. Times are in milliseconds since 1970.
 * @typedef {object} Seen
 * @property {Call[]} calls
 * @property {string | null} held the operation whose responses are held
 * @property {number} changed when the lines have changed last
 * @property {Snapshot} last
 * @property {number} begun when the waiting began
 */

const QUIET_MS = 600;
const CALM_MS = 3_000; // after which a page that changes all the time counts as quiet
const RETRY_MS = 1_300; // TanStack Query sends its first retry after a second
const STUCK_MS = 4_000; // until a page that seems to load is believed to
const LONGER = 2.5; // times the last pause between two retries: most clients double it

/**
 * Return whether a page is quiet: its requests have their responses, it does not change, and seems to send no further one.
 * @param {Seen} seen
 * @param {number} now
 * @param {Expectations} [expectations]
 */
export function isQuiet(seen, now, expectations = {}) {
  const { calls, held, changed, begun } = seen;
  const { expected } = expectations;
  if (calls.some((call) => call.ended === null && call.operation !== held))
    return false;
  const isMissing =
    expected && !calls.some(({ operation }) => operation === expected);
  if (isMissing && now - begun < CALM_MS) return false;
  const last = Math.max(begun, ...calls.map(endOf));
  const pause = pauseOf(seen, expectations);
  if (now - last < pause) return false;
  return now - changed >= QUIET_MS || now - last >= Math.max(CALM_MS, pause);
}

/**
 * Return how long no request must come, in milliseconds: longer while a failed one may be sent again.
 * @param {Seen} seen
 * @param {Expectations} expectations
 */
function pauseOf({ calls, last }, { failing, seemsToLoad }) {
  const failed =
    failing === undefined
      ? []
      : calls.filter(({ operation }) => operation === failing);
  const [latest, previous] = [failed.at(-1), failed.at(-2)];
  if (!latest) return QUIET_MS;
  if (previous)
    return Math.max(RETRY_MS, LONGER * (latest.begun - endOf(previous)));
  return seemsToLoad?.(last) ? STUCK_MS : RETRY_MS;
}

/** @param {Call} call */
function endOf({ ended, begun }) {
  return ended ?? begun;
}
