// Origins of pages whose control calls were rejected: their browser shows only a CORS error.

import { byId, copyButton, el, keyed } from "./dom.js";

const dismissed = new Set();
let rejected = [];

export function start() {
  byId("dismiss-origins").addEventListener("click", () => {
    for (const origin of rejected) dismissed.add(origin);
    render();
    byId("reset").focus(); // the focused button is hidden now
  });
}

export function show(state) {
  rejected = state.rejected_origins;
  render();
}

function render() {
  const rows = rejected.filter((origin) => !dismissed.has(origin));
  byId("origins").hidden = rows.length === 0;
  keyed(byId("origin-rows"), rows, (origin) => origin, createRow);
}

function createRow(origin) {
  if (origin === "null") {
    return { node: el("li", {}, "A page without an origin, such as a local file. Serve it from localhost instead.") };
  }
  const option = `--control-origin ${origin}`;
  return { node: el("li", {}, el("code", {}, option), copyButton(() => option, `Copy option for ${origin}`)) };
}
