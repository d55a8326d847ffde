// The clinic's API, by fetch and by axios. Each error has a message for users.

import axios from "axios";
import axiosRetry from "axios-retry";
import { logOut, token } from "../shared/session.js";

const BASE = "http://api.clinic.example/api";

export class ApiError extends Error {
  constructor(message, status = 0, fields = {}) {
    super(message);
    Object.assign(this, { status, fields });
  }
}

const unreachable = () => new ApiError("The clinic cannot be reached. Check your connection.");
const invalid = (status) => new ApiError("The clinic sent an invalid response. Please tell the reception.", status);

function errorOf(status, body, retryAfter) {
  if (status === 503 && retryAfter)
    return new ApiError(`The clinic is busy. Please wait ${retryAfter} seconds.`, status);
  if (status >= 500) return new ApiError("The clinic has a problem. Please try again later.", status);
  return new ApiError(body?.message ?? "The clinic rejected the request.", status, body?.fields);
}

const authorization = () => (token() ? { Authorization: `Bearer ${token()}` } : {});

async function request(path, init = {}) {
  let response, text;
  try {
    response = await fetch(BASE + path, { ...init, headers: { ...init.headers, ...authorization() } });
    text = await response.text();
  } catch {
    throw unreachable();
  }
  const { ok, status, headers } = response;
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    if (ok) throw invalid(status);
  }
  if (!ok) throw errorOf(status, body, headers.get("Retry-After"));
  return body;
}

/** Without a valid token there is nothing to show, so the log-in page comes next. */
function endSession(error) {
  if (error.status === 401) logOut(error.message);
  throw error;
}

export const read = (path) => request(path).catch(endSession);

/** Retry twice, after a pause. */
export async function readPatiently(path) {
  for (const pause of [400, 800]) {
    try {
      return await request(path);
    } catch (error) {
      if (error.status !== 0 && error.status < 500) return endSession(error);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return read(path);
}

export const post = (path, body = {}) =>
  request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

const OPTIONS = { baseURL: BASE, responseType: "json", transitional: { silentJSONParsing: false } };
const reader = axios.create(OPTIONS);
axiosRetry(reader, { retries: 3, retryDelay: axiosRetry.exponentialDelay });
// Not retried: the server may have done what it could not respond to.
const writer = axios.create(OPTIONS);

function fromAxios({ response }) {
  if (!response) throw unreachable();
  if (response.status < 300) throw invalid(response.status);
  throw errorOf(response.status, response.data, response.headers["retry-after"]);
}

export const readByAxios = (path) =>
  reader
    .get(path, { headers: authorization() })
    .then(({ data }) => data, fromAxios)
    .catch(endSession);

export const postByAxios = (path, body) => writer.post(path, body).then(({ data }) => data, fromAxios);
