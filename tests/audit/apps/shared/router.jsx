// Pages by path, with the history API, and by hash.

import { useSyncExternalStore } from "react";

const EVENTS = ["popstate", "hashchange", "navigated"];

function subscribe(onChange) {
  for (const event of EVENTS) addEventListener(event, onChange);
  return () => EVENTS.forEach((event) => removeEventListener(event, onChange));
}

const currentPath = () => location.pathname + location.hash;

export function navigate(to, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", to);
  dispatchEvent(new Event("navigated"));
}

export function Link({ to, children }) {
  const follow = (event) => {
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={follow}>
      {children}
    </a>
  );
}

/** Return the component and the ID for the address: `routes` are pairs of a path, such as `/owners/:id`, and a component. */
export function useRoute(routes) {
  const path = useSyncExternalStore(subscribe, currentPath);
  for (const [pattern, Page] of routes) {
    const match = new RegExp(`^${pattern.replace(":id", "([^/]+)")}$`).exec(path);
    if (match) return { path, Page, id: match[1] };
  }
  return { path };
}
