// The server of the toolbar, the session of the app there, and the connection to it.

import { Connection } from "../connection.js";
import { cookie, parts } from "./cookie.js";

const DEFAULT_URL = "http://localhost:7387";

const source = new URL(import.meta.url); // of the bundle
const given = document.documentElement.dataset.mockpetsUrl; // of <html>, which no text of a visitor can change
const loaded =
  given === undefined
    ? source.origin + source.pathname
    : `${httpUrl(given)}/__mockpets/toolbar.js`;

/** Whether the page names a server by something that is not a plain URL. */
export const hasInvalidUrl = loaded.startsWith("/");

/** The URL of the server, without a slash at its end, and the session of the URL that the toolbar came from, if any. */
export const [, server = DEFAULT_URL, servedFor] =
  /^(.+?)(?:\/~([^/+]+)[^/]*)?\/__mockpets\/toolbar\.js$/.exec(loaded) ?? [];

export const connection = new Connection({ root: server, session });

/** Return the session of the app. */
export function session() {
  return parts(cookie()).session || servedFor || "default";
}

/** Return the URL of the panel for the session of the app. */
export function panelUrl() {
  const name = session();
  return `${server}${name === "default" ? "" : `/~${name}`}/__mockpets/`;
}

/**
 * Return an absolute HTTP URL without its last slash; empty if the text is not one, or has a user name or password.
 * @param {string} text
 */
function httpUrl(text) {
  try {
    const { href, protocol, username, password } = new URL(text, location.href);
    const isPlain = /^https?:$/.test(protocol) && !username && !password;
    return isPlain ? href.replace(/\/$/, "") : "";
  } catch {
    return "";
  }
}
