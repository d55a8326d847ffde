// Send a request, explain it without sending it, or load a recorded one to do so again.

import { headersToResend } from "./formats.js";
import {
  address,
  asJson,
  call,
  inSession,
  loadedState,
  store,
} from "./store.js";

/** @import { ScenarioDraft } from "../../../kit/control.js" */
/** @import { OutgoingRequest } from "./sending.js" */

/** @typedef {{ response: Response, text: string, ms: number }} Received */

/**
 * An exchange that the connection ended, before or after the head of the response.
 * @typedef {{ response: Response | undefined, reason: string }} Broken
 */

/** @param {string} path */
const inOwnSession = (path) =>
  path.startsWith("/~") ? path : inSession(store.session, path);

/** @param {string} path */
export const urlOf = (path) => address(inOwnSession(path));

/** @param {unknown} error */
const messageOf = (error) =>
  error instanceof Error ? error.message : String(error);

/**
 * @param {OutgoingRequest} request
 * @returns {Promise<Received | Broken>}
 */
export async function send({ method, path, headers, body }) {
  const start = performance.now();
  /** @type {Response | undefined} */
  let response;
  try {
    // Without the cookies of apps on this host.
    const options = /** @type {const} */ ({ credentials: "omit" });
    response = await fetch(urlOf(path), { ...options, method, headers, body });
    const text = await response.text();
    return { response, text, ms: performance.now() - start };
  } catch (error) {
    return { response, reason: messageOf(error) };
  }
}

/**
 * Return what the server would respond, without sending the request.
 * @param {OutgoingRequest} request
 * @param {ScenarioDraft} [draft] a scenario that is not saved
 */
export function explain({ method, path, headers, body }, draft) {
  const request = JSON.stringify({
    method,
    path: inOwnSession(path),
    headers: Object.fromEntries(headers),
    draft,
  });
  if (!body) return call("POST /explain", asJson(request));
  try {
    JSON.parse(body);
  } catch (error) {
    throw new Error(
      `The body is not valid JSON: ${messageOf(error)}. ` +
        "Fix it, or send the request: the request log explains every request.",
      { cause: error },
    );
  }
  // As text, since parsing would round large ids.
  return call(
    "POST /explain",
    asJson(`${request.slice(0, -1)},"body":${body}}`),
  );
}

/**
 * Return a recorded request, to send or explain it again.
 * @param {string | number} key its number; of another session, such as "12@worker-3"
 * @returns {Promise<OutgoingRequest>}
 */
export async function recorded(key) {
  const [number = "", session] = String(key).split("@");
  const entry = await call("GET /requests/{number}", {
    path: { number },
    session,
  });
  const { body } = entry.request;
  return {
    method: entry.method,
    path: entry.target.replace(/^\/~[^/]*/, ""),
    headers: headersToResend(entry, loadedState().settings.key),
    body: body.size ? body.text : null,
  };
}
