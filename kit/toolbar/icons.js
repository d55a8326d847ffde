// The logo, and icons: paths of 16 x 16.

import { h } from "./elements.js";

const LOGO = [
  "M3.2 9.4a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
  "M6.2 6.1a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2Z",
  "M9.8 6.1a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2Z",
  "M12.8 9.4a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
  "M8 7.5c-2 0-3.7 1.9-3.7 3.6 0 1.3.9 1.9 1.9 1.9h3.6c1 0 1.9-.6 1.9-1.9 0-1.7-1.7-3.6-3.7-3.6Z",
].join("");
const ICONS = {
  link: "M6.7 9.3a3 3 0 0 0 4.3 0l2-2a3 3 0 0 0-4.3-4.3l-1 1M9.3 6.7a3 3 0 0 0-4.3 0l-2 2a3 3 0 0 0 4.3 4.3l1-1",
  open: "M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  down: "M3.5 6 8 10.5 12.5 6",
  up: "M3.5 10 8 5.5l4.5 4.5",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  return h(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    h("path", { d: ICONS[name] }),
  );
}

export function logo() {
  return h(
    "svg",
    { class: "logo", viewBox: "-2 -2 20 20", "aria-hidden": "true" },
    h("path", { d: LOGO }),
  );
}
