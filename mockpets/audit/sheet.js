// The filter, the screenshots in full size, and the buttons that copy. Without it, the page shows everything.

/**
 * Return the first element for a selector; sheet.html has it.
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} [within]
 */
function one(selector, type, within = document) {
  const element = within.querySelector(selector);
  if (element instanceof type) return element;
  throw new TypeError(`the sheet has no ${selector}`);
}
const all = (/** @type {string} */ selector) => [
  .../** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(selector)
  ),
];

// --- The filter ---

const filter = one(".filter", HTMLFormElement);
const pages = one("[name=page]", HTMLSelectElement);
const shownCauses = one(".filter output", HTMLOutputElement);

function choose() {
  const levels = new Set(new FormData(filter).getAll("level"));
  const page = pages.value;
  const causes = all(".cause");
  for (const cause of causes) {
    const { level = "", pages: shapes = "[]" } = cause.dataset;
    /** @type {unknown} */
    const list = JSON.parse(shapes);
    const isOnPage =
      page === "" || (Array.isArray(list) && list.includes(page));
    cause.hidden = !levels.has(level) || !isOnPage;
  }
  for (const group of all("tbody[data-page]"))
    group.hidden = page !== "" && group.dataset.page !== page;
  const count = causes.filter(({ hidden }) => !hidden).length;
  shownCauses.value = `${count} of ${causes.length} causes`;
}
filter.hidden = false;
filter.onchange = choose;
choose(); // a browser restores what was chosen

// --- The buttons that copy ---

/** @param {HTMLElement} button */
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? "");
    button.textContent = "Copied";
  } catch {
    const { previousElementSibling: text } = button;
    if (text) getSelection()?.selectAllChildren(text);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 2000);
}
for (const button of all("[data-copy]")) {
  button.hidden = false;
  button.onclick = () => void copy(button);
}

// --- Links to findings ---

/** Show the finding of a link, which the filter or a closed element can hide. */
function reveal() {
  const finding = /^#finding-\d+$/.test(location.hash)
    ? document.querySelector(location.hash)
    : null;
  if (!finding) return;
  const cause = finding.closest(".cause");
  if (cause instanceof HTMLElement && cause.hidden) {
    filter.reset();
    choose();
  }
  /** @type {Element | null} */
  let element = finding;
  for (; element; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement) element.open = true;
  }
  finding.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();

// --- The screenshots ---

const dialog = one("dialog", HTMLDialogElement);
const large = one(".large img", HTMLImageElement);
const title = one("#shown", HTMLElement);
/** @type {HTMLElement | undefined} */
let shown;

/** @param {HTMLElement} shot */
function show(shot) {
  shown = shot;
  const { src, alt } = one("img", HTMLImageElement, shot);
  title.textContent = alt;
  Object.assign(large, { src, alt });
  if (!dialog.open) dialog.showModal();
}

/** @param {number} step */
function move(step) {
  const shots = all(".shot").filter((shot) => shot.getClientRects().length);
  const index = shots.findIndex((shot) => shot === shown) + step;
  const next = shots.at(index % shots.length);
  if (next) show(next);
}

document.addEventListener("click", (event) => {
  const { target } = event;
  const shot = target instanceof Element ? target.closest(".shot") : null;
  if (!(shot instanceof HTMLElement)) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(shot);
});
for (const button of all("dialog [type=button]"))
  button.onclick = () => move(Number(button.getAttribute("value")));
dialog.addEventListener("keydown", ({ key }) => {
  if (key === "ArrowLeft" || key === "ArrowRight")
    move(key === "ArrowLeft" ? -1 : 1);
});
dialog.addEventListener("close", () => shown?.focus());
