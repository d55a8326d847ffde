// The rail with the links to the views, which on a phone are tabs and a dialog; and the rejected pages.

import { opens, shut } from "./actions.js";
import { Dialog } from "./overlays.js";
import { LISTED, NavLink } from "./pages.js";
import { html } from "./preact.js";
import { link, store } from "./store.js";
import { Button, CopyButton, Icon } from "./ui.js";
import { count } from "./values.js";

/** @import { View } from "./store.js" */

/** @type {View[]} */
const ON_PHONES = ["requests", "scenarios", "data"];

export function Rail() {
  const { state } = store;
  const broken = (state?.scenarios ?? []).filter((row) => row.problems.length);
  const problems = broken.length + (state?.folder_problems.length ?? 0);
  const origins = rejected();
  return html`
    <nav class="rail" aria-label="Views">
      ${LISTED.map(([id]) => html`<${NavLink} id=${id} key=${id} />`)}
      <a href="docs" title="Reference">
        <${Icon} name="reference" />
        <span>Reference</span>
      </a>
      <span class="grow"></span>
      ${
        origins.length > 0 &&
        html`<button
          type="button"
          class="origins"
          title="Rejected pages"
          onClick=${opens("origins")}
        >
          <${Icon} name="alert" />
          <span>${count(origins.length, "rejected page")}</span>
        </button>`
      }
      ${
        problems > 0 &&
        html`<a
          class="problems"
          href=${link("scenarios", broken[0]?.name ?? null)}
          title="Problems in scenario files"
        >
          <${Icon} name="alert" />
          <span>${count(problems, "problem")}</span>
        </a>`
      }
      <p class="rail-foot soft">
        <span>${location.host}</span>
        <span>Version ${state?.version}</span>
      </p>
    </nav>
    <${Tabs} />
  `;
}

const Tabs = () => html`<nav class="tabs-bottom" aria-label="Views">
      ${ON_PHONES.map((id) => html`<${NavLink} id=${id} key=${id} />`)}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-current=${ON_PHONES.includes(store.route.view) ? undefined : "page"}
        onClick=${opens("more")}
      >
        <${Icon} name="more" />
        <span>More</span>
      </button>
    </nav>`;

/** The dialog of a phone with the other views. */
export function More() {
  const rest = LISTED.filter(([id]) => !ON_PHONES.includes(id));
  return html`<${Dialog} label="More" class="more" close=${shut}>
    <ul>
      ${rest.map(
        ([id]) => html`<li key=${id} onClick=${shut}>
          <${NavLink} id=${id} />
        </li>`,
      )}
      <li>
        <a href="docs">
          <${Icon} name="reference" />
          <span>Reference</span>
        </a>
      </li>
    </ul>
    <p class="live soft">
      <span class="dot on"></span>
      ${location.host}, version ${store.state?.version}
    </p>
    <${Button} text="Close" does=${shut} />
  <//>`;
}

// --- Pages on other origins whose control calls were rejected: their browser shows only a CORS error ---

/** @type {Set<string>} */
const dismissed = new Set();
const rejected = () =>
  (store.state?.rejected_origins ?? []).filter(
    (origin) => !dismissed.has(origin),
  );

export function Origins() {
  const dismiss = () => {
    for (const origin of rejected()) dismissed.add(origin);
    shut();
  };
  return html`<${Dialog} label="Rejected pages" close=${shut}>
    <h2>Rejected pages</h2>
    <p>
      Pages on other origins called the control API and were rejected; their
      browser reports a CORS error. To allow a page that you trust, restart the
      server with its option:
    </p>
    <ul class="rows">
      ${rejected().map((origin) =>
        origin === "null"
          ? html`<li>
            A page without an origin, such as a local file. Serve it from localhost instead.
          </li>`
          : html`<li>
            <code>--control-origin ${origin}</code>
            <${CopyButton}
              text=${() => `--control-origin ${origin}`}
              label=${`Copy option for ${origin}`}
            />
          </li>`,
      )}
    </ul>
    <div class="line">
      <${Button} text="Dismiss" does=${dismiss} />
      <${Button} text="Close" does=${shut} />
    </div>
  <//>`;
}
