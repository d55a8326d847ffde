// How long a response has waited.

import { view } from "./view.js";

/**
 * @import { WaitingResponse } from "../control.js"
 */

/** @param {WaitingResponse} waiting */
export function waited({ waited_ms }) {
  const ms = waited_ms + performance.now() - view.loaded;
  return `${(ms / 1000).toFixed(1)} s`;
}
