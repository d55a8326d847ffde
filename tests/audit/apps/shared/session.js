// Who is logged in, which local storage keeps, and why somebody must log in again.

import { useSyncExternalStore } from "react";

const KEY = "clinic.session";
const listeners = new Set();
let now = { user: JSON.parse(localStorage.getItem(KEY)), message: undefined, asksAgain: false };

function set(next) {
  now = { message: undefined, asksAgain: false, ...next };
  if (now.user) localStorage.setItem(KEY, JSON.stringify(now.user));
  else localStorage.removeItem(KEY);
  for (const listener of listeners) listener();
}

function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSession = () => useSyncExternalStore(subscribe, () => now);

export const token = () => now.user?.token;

/** @param {{ token: string, user: { name: string } }} response */
export const logIn = ({ token, user }) => set({ user: { token, name: user.name } });

export const logOut = (message) => set({ user: null, message });

/** Ask for the password without leaving the page. */
export const askAgain = (message) => set({ ...now, message, asksAgain: true });

export const stopAsking = () => set({ user: now.user });
