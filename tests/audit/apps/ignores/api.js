// The clinic's API at the origin of the app. No error has a message for users, and nothing checks a status but `readOk`.

import axios from "axios";
import axiosRetry from "axios-retry";
import { token } from "../shared/session.js";

const BASE = "/api";

const authorization = () => (token() ? { Authorization: `Bearer ${token()}` } : {});

export const call = (path, init = {}) =>
  fetch(BASE + path, { ...init, headers: { ...init.headers, ...authorization() } });

export const read = async (path) => (await call(path)).json();

/** Read, and throw for every status that is not successful. */
export async function readOk(path) {
  const response = await call(path);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

/** Send, and throw for every status that is not successful. */
export async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  const response = await call(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

export const postByAxios = (path, body) => axios.post(BASE + path, body);

const hasty = axios.create();
axiosRetry(hasty, { retries: 20, retryDelay: () => 20, retryCondition: () => true });

export const readByAxios = (path) => hasty.get(BASE + path, { headers: authorization() });
