// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// The page of the states' reporter: a table of screenshots, in one file that loads nothing.
// It is not an interface of the kit.

import { createHash } from "node:crypto";

const SHOT = /data-shot="([^"<>]+)" data-now="([0-9a-f]{16})"/g;
const PICTURE =
  /<img data-picture="([0-9a-f]{16})" [^<>]*src="data:image\/png;base64,([A-Za-z0-9+/=]+)"/g;
const CREATED = /<time datetime="([\dT:.Z-]+)">/;
/** @type {Record<string, string>} */
const ENTITIES = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * @typedef {object} Shot a screenshot
 * @property {number} width
 * @property {string} theme
 * @property {Buffer} png
 */

/**
 * A test that has run in a state.
 * @template [OneShot=Shot]
 * @typedef {object} Row
 * @property {string} state
 * @property {string} result
 * @property {string} test
 * @property {string} reason
 * @property {string} description
 * @property {string[]} findings
 * @property {OneShot[]} shots
 */

/**
 * @typedef {object} Compared
 * @property {string} key
 * @property {string} now the digest
 * @property {string | undefined} before the digest in the last sheet
 * @property {"new" | "same" | "changed" | undefined} change undefined without a last sheet
 */

/** @typedef {Shot & Compared} ComparedShot */

/**
 * @typedef {object} Sheet
 * @property {string} created
 * @property {Map<string, string>} shots the digest of each screenshot by its key
 * @property {Map<string, string>} pictures in base64, by digest
 */

/**
 * @typedef {object} Comparison
 * @property {Row<ComparedShot>[]} rows
 * @property {string[]} gone the keys of the screenshots that only the last sheet has
 */

/**
 * Return the screenshots of a sheet; undefined for another file.
 * @param {string} html
 * @returns {Sheet | undefined}
 */
export function readSheet(html) {
  const created = CREATED.exec(html)?.[1];
  if (!created || !html.trimEnd().endsWith("</html>")) return undefined;
  const keyed = (/** @type {RegExp} */ pattern) =>
    new Map(
      [...html.matchAll(pattern)].map(([, key = "", value = ""]) => [
        key,
        value,
      ]),
    );
  return { created, shots: keyed(SHOT), pictures: keyed(PICTURE) };
}

/**
 * Return what changed since the last sheet.
 * @param {Row[]} rows
 * @param {Sheet | undefined} last
 * @returns {Comparison}
 */
export function compare(rows, last) {
  /** @type {Set<string>} */
  const keys = new Set();
  const compared = rows.map((row) => ({
    ...row,
    shots: row.shots.map((shot) => {
      const now = createHash("sha256")
        .update(shot.png)
        .digest("hex")
        .slice(0, 16);
      const key = escaped(
        [row.state, row.test, shot.width, shot.theme].join(" · "),
      );
      const before = last?.shots.get(key);
      keys.add(key);
      return {
        ...shot,
        key,
        now,
        before,
        change: last && changeOf(now, before),
      };
    }),
  }));
  return {
    rows: compared,
    gone: [...(last?.shots.keys() ?? [])].filter((key) => !keys.has(key)),
  };
}

/**
 * @param {string} now
 * @param {string | undefined} before
 * @returns {Compared["change"]}
 */
function changeOf(now, before) {
  if (before === undefined) return "new";
  return before === now ? "same" : "changed";
}

/**
 * Return such as `3 screenshots changed, 1 new, 2 gone since 2026-11-24 10:02 UTC`; empty without a last sheet.
 * @param {Comparison} comparison
 * @param {Sheet | undefined} last
 */
export function changes({ rows, gone }, last) {
  if (!last) return "";
  const count = (/** @type {Compared["change"]} */ change) =>
    rows.flatMap(({ shots }) => shots).filter((shot) => shot.change === change)
      .length;
  const since = last.created.slice(0, 16).replace("T", " ");
  return `${count("changed")} screenshots changed, ${count("new")} new, ${gone.length} gone since ${since} UTC`;
}

/**
 * Return the sheet.
 * @param {string} title
 * @param {Comparison} comparison
 * @param {Sheet | undefined} last
 * @param {string} [created]
 */
export function toHtml(
  title,
  { rows, gone },
  last,
  created = new Date().toISOString(),
) {
  const columns = columnsOf(rows);
  const picture = picturesOnce();
  const body = rows.map((row, index) =>
    rowOf(row, index + 1, columns, picture),
  );
  // After the rows, so that a picture that a row shows is not in the file twice.
  const before = rows
    .flatMap(({ shots }) => shots)
    .flatMap(({ change, before: digest = "" }) => {
      const old = change === "changed" && last?.pictures.get(digest);
      return old ? [picture(digest, old, `alt=""`)] : [];
    });
  const lost = gone.length
    ? `<details><summary>Gone since the last sheet: ${gone.length}</summary><ul><li>${gone.join("<li>")}</ul></details>`
    : "";
  const code = createHash("sha256").update(SCRIPT).digest("base64");
  const policy = [
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    `script-src 'sha256-${code}'`,
  ].join("; ");
  const summary =
    changes({ rows, gone }, last) || "No last sheet to compare with";
  const minute = created.slice(0, 16).replace("T", " ");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>States</title>
<style>${STYLE}</style>
<h1>${escaped(title)}</h1>
<p>${summary}. Created <time datetime="${created}">${minute} UTC</time>.</p>
<p><label><input type="checkbox" id="only"> Only states that failed, changed or have findings</label></p>
${lost}<div class="table" tabindex="0" role="region" aria-label="Screenshots"><table>
<thead><tr><th scope="col">State${columns.map((name) => `<th scope="col">${name}`).join("")}</thead>
<tbody>
${body.join("")}</tbody>
</table></div>
<div hidden>${before.join("\n")}</div>
${DIALOG}
<script>${SCRIPT}</script>
</html>
`;
}

/**
 * Return the columns of the table, such as `390 light`: the narrowest first, of a width light before dark.
 * @param {Row<ComparedShot>[]} rows
 */
function columnsOf(rows) {
  const all = rows.flatMap(({ shots }) => shots);
  const columns = new Map(all.map((shot) => [columnOf(shot), shot]));
  return [...columns]
    .sort(
      ([, one], [, other]) =>
        one.width - other.width || other.theme.localeCompare(one.theme),
    )
    .map(([name]) => name);
}

/** @param {Shot} shot */
function columnOf({ width, theme }) {
  return `${width} ${theme}`;
}

/**
 * @callback Picture
 * @param {string} digest
 * @param {string} base64
 * @param {string} rest other attributes
 * @returns {string}
 */

/**
 * Return a function for `<img>` elements. Each picture is in the file once; the script copies it to the others.
 * @returns {Picture}
 */
function picturesOnce() {
  /** @type {Set<string>} */
  const shown = new Set();
  return (digest, base64, rest) => {
    if (shown.has(digest)) return `<img data-of="${digest}" ${rest}>`;
    shown.add(digest);
    return `<img data-picture="${digest}" ${rest} src="data:image/png;base64,${base64}">`;
  };
}

/**
 * @param {Row<ComparedShot>} row
 * @param {number} number
 * @param {string[]} columns
 * @param {Picture} picture
 */
function rowOf(row, number, columns, picture) {
  const { state, result, test, reason, description, findings, shots } = row;
  const isQuiet =
    ["passed", "skipped"].includes(result) &&
    !findings.length &&
    shots.every(({ change = "same" }) => change === "same");
  const texts = [reason, ...findings]
    .filter(Boolean)
    .map((text) => `<li>${escaped(text)}`)
    .join("");
  const head = [
    `<b>${escaped(state)}</b> <span>${result}</span>`,
    `<p>${escaped(description)}<p class="test">${escaped(test)}`,
    texts && `<ul>${texts}</ul>`,
  ].join("");
  const cells = columns.map((name) =>
    cellOf(
      shots.find((shot) => columnOf(shot) === name),
      picture,
    ),
  );
  const kind = `${result.replace(/ /g, "-")}${isQuiet ? " quiet" : ""}`;
  return `<tr id="${number}" class="${kind}"><th scope="row">${head}</th>${cells.join("")}\n`;
}

/**
 * @param {ComparedShot | undefined} shot
 * @param {Picture} picture
 */
function cellOf(shot, picture) {
  if (!shot) return `<td class="none">no screenshot`;
  const { key, now, before = "", change = "" } = shot;
  const attributes = [
    `type="button" class="${change}"`,
    `data-shot="${key}" data-now="${now}"`,
    ...(change === "changed" ? [`data-before="${before}"`] : []),
  ].join(" ");
  const label = change && change !== "same" ? `<b>${change}</b>` : "";
  const image = picture(now, shot.png.toString("base64"), `alt="${key}"`);
  return `<td><button ${attributes}>${image}${label}</button>`;
}

/** @param {string} text */
function escaped(text) {
  return text.replace(
    /[&<>"']/g,
    (character) => ENTITIES[character] ?? character,
  );
}

const DIALOG = `<dialog aria-labelledby="name">
<form method="dialog"><p id="name"></p><p id="facts" role="status"></p>
<p id="views"><button type="button" value="now">Now</button> <button type="button" value="before">Before</button>
<button type="button" value="difference">Difference</button>
<button type="button" value="previous">← Previous</button> <button type="button" value="next">Next →</button>
<button autofocus>Close</button></p></form>
<canvas role="img" aria-labelledby="name"></canvas>
</dialog>`;

const STYLE = `
  :root { color-scheme: light dark; }
  :root { --line: light-dark(#ccc, #444); --bad: light-dark(#b00020, #ff8a94); --new: light-dark(#8a4b00, #ffb95c); }
  body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem; }
  .table { overflow: auto; max-height: 90vh; border: 1px solid var(--line); }
  table { border-collapse: collapse; }
  th, td { padding: 0.5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
  thead th { position: sticky; top: 0; z-index: 2; background: Canvas; }
  th:first-child { width: 16rem; min-width: 11rem; max-width: 16rem; font-weight: normal; overflow-wrap: anywhere; }
  @media (min-width: 700px) { tbody th { position: sticky; left: 0; z-index: 1; background: Canvas; } }
  th p, th ul { margin: 0.2rem 0; font-size: 13px; }
  th ul { padding-left: 1rem; color: var(--bad); }
  .skipped ul { color: inherit; }
  .test, .none { color: GrayText; font-size: 13px; }
  .failed span, .flaky span { color: var(--bad); font-weight: bold; }
  .only .quiet, .only .quiet * { display: none; }
  td button { display: block; padding: 2px; border: 1px solid var(--line); cursor: zoom-in; }
  td button { background: none; color: inherit; font: inherit; }
  td button.changed, td button.new { border: 3px solid var(--new); }
  td button b { display: block; color: var(--new); }
  td img { display: block; width: 200px; }
  :focus-visible { outline: 3px solid Highlight; outline-offset: 1px; }
  dialog { max-width: 96vw; max-height: 94vh; border: 1px solid var(--line); overflow: auto; }
  dialog p { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
  dialog button[aria-pressed="true"] { font-weight: bold; text-decoration: underline; }
  canvas { max-width: 100%; border: 1px solid var(--line); }
`;

// Pixels are compared here, so that no project needs a decoder of PNG.
const SCRIPT = `
const one = (selector) => document.querySelector(selector);
const source = (digest) => one('img[data-picture="' + digest + '"]')?.src ?? "";
for (const image of document.querySelectorAll("img[data-of]")) image.src = source(image.dataset.of);
one("#only").onchange = ({ target }) => document.body.classList.toggle("only", target.checked);
const dialog = one("dialog"), canvas = one("canvas");
let shot, turn = 0;
async function pixels(digest) {
  const image = new Image();
  image.src = source(digest);
  await image.decode();
  const context = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext("2d");
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.naturalWidth, image.naturalHeight);
}
/** Return an image with the changed pixels in red, and their number; undefined if the sizes differ. */
function difference({ width, height, data }, old) {
  if (old.width !== width || old.height !== height) return;
  const image = new ImageData(width, height);
  let count = 0;
  for (let place = 0; place < data.length; place += 4) {
    const isSame = [0, 1, 2].every((part) => data[place + part] === old.data[place + part]);
    count += !isSame;
    const faded = (part) => 255 - (255 - data[place + part]) / 4;
    image.data.set(isSame ? [faded(0), faded(1), faded(2), 255] : [220, 0, 60, 255], place);
  }
  return { image, count };
}
async function show(next, view) {
  const own = ++turn;
  shot = next;
  const { shot: name, now, before } = shot.dataset;
  one("#name").textContent = name;
  const views = ["now", "before", "difference"].map((value) => one("#views [value=" + value + "]"));
  for (const button of views) {
    button.setAttribute("aria-pressed", button.value === view);
    button.disabled = button.value !== "now" && !before;
  }
  if (!dialog.open) dialog.showModal();
  let facts = { new: "not in the last sheet", same: "as in the last sheet" }[shot.className] ?? "";
  let image;
  try {
    image = await pixels(now);
    if (before) {
      const old = await pixels(before);
      const found = difference(image, old);
      const { width, height } = image;
      facts = found
        ? found.count + " of " + width * height + " pixels differ"
        : "the last sheet has " + old.width + " × " + old.height + " pixels";
      image = { now: image, before: old, difference: found?.image ?? image }[view];
    }
  } catch {
    facts = "this screenshot cannot be decoded";
  }
  if (own !== turn) return;
  one("#facts").textContent = facts;
  canvas.width = image?.width ?? 1;
  canvas.height = image?.height ?? 1;
  if (image) canvas.getContext("2d", { willReadFrequently: true }).putImageData(image, 0, 0);
}
function move(step) {
  const shots = [...document.querySelectorAll("[data-shot]")].filter((each) => each.getClientRects().length);
  const next = shots[(shots.indexOf(shot) + step + shots.length) % shots.length];
  return show(next, next.dataset.before ? "difference" : "now");
}
one("table").onclick = ({ target }) => {
  const next = target.closest("[data-shot]");
  if (next) show(next, next.dataset.before ? "difference" : "now");
};
one("#views").onclick = ({ target: { value } }) => {
  if (value === "previous" || value === "next") move(value === "next" ? 1 : -1);
  else if (value) show(shot, value);
};
dialog.onkeydown = ({ key }) => key === "ArrowLeft" ? move(-1) : key === "ArrowRight" ? move(1) : undefined;
dialog.onclose = () => shot?.querySelector("img") && shot.focus();
`;
