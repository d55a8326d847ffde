// How the toolbar opens, closes and moves.

import { byId, host } from "./host.js";
import { listen, load, show } from "./loading.js";
import { keep, render, update, view } from "./view.js";

const DRAGGED = 16; // CSS pixels from which it is not a click

/** @type {Element | null} */
let focused = null; // before the toolbar was opened

/** @param {boolean} open */
export async function toggle(open) {
  if (open) focused = document.activeElement;
  keep({ open });
  update({ search: "", listed: false, why: undefined });
  listen();
  await show(load);
  if (open) byId("add")?.focus();
  else returnFocus();
}

function returnFocus() {
  const isApp = focused !== document.body && focused !== host;
  if (focused instanceof HTMLElement && focused.isConnected && isApp) {
    focused.focus();
  } else byId("pill")?.focus();
}

/**
 * Open and close with Alt+M.
 * @param {KeyboardEvent} event
 */
export function onKey(event) {
  const { code, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (code !== "KeyM" || !altKey || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  void toggle(!view.open);
}

/**
 * Move to another corner.
 * @param {string} vertical `top` or `bottom`
 * @param {string} horizontal `left` or `right`
 */
function moveTo(vertical, horizontal) {
  keep({ corner: `${vertical} ${horizontal}` });
  render();
}

/** @param {KeyboardEvent} event */
export function moveByKey({ key }) {
  const [vertical = "", horizontal = ""] = view.corner.split(" ");
  if (key === "ArrowUp") moveTo("top", horizontal);
  if (key === "ArrowDown") moveTo("bottom", horizontal);
  if (key === "ArrowLeft") moveTo(vertical, "left");
  if (key === "ArrowRight") moveTo(vertical, "right");
}

/** @param {PointerEvent} event */
export function drag({ currentTarget: pill, pointerId, clientX, clientY }) {
  if (!(pill instanceof HTMLElement)) return;
  pill.setPointerCapture(pointerId);
  pill.onpointerup = ({ clientX: x, clientY: y }) => {
    if (Math.hypot(x - clientX, y - clientY) < DRAGGED) return;
    const options = { once: true, capture: true };
    const ignore = (/** @type {Event} */ click) =>
      click.stopImmediatePropagation();
    pill.addEventListener("click", ignore, options);
    moveTo(
      y < innerHeight / 2 ? "top" : "bottom",
      x < innerWidth / 2 ? "left" : "right",
    );
  };
}
