// What the clients of test_clients.py share: the mock's base URL, and a page for libraries of browsers.

import { JSDOM } from "jsdom";

export const { BASE_URL } = process.env;
export const LIST = `${BASE_URL}/pets`;
export const headers = { Authorization: "Bearer mockpets" };
export const json = { ...headers, "Content-Type": "application/json" };
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** GET the list; the result is the response. */
export const list = (query = "", options = {}) => fetch(LIST + query, { headers, ...options }).then(read);

/** POST a pet; the result is the response. */
export const create = (pet) =>
  fetch(LIST, { method: "POST", headers: json, body: JSON.stringify(pet) }).then(read);

/** Read a body, so that the server sees a response that arrived. */
async function read(response) {
  await response.text();
  return response;
}

/** Make this process look like a page: libraries retry less, or not at all, on a server. */
export function openPage() {
  const { window } = new JSDOM("<!doctype html><div id=root></div>", { url: "http://localhost/" });
  globalThis.window = window;
  globalThis.document = window.document;
  globalThis.navigator ??= window.navigator;
  globalThis.IS_REACT_ACT_ENVIRONMENT = false;
  return window.document.getElementById("root");
}
