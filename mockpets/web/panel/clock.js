// The dialog of the session's clock.

import { html, useRef } from "./preact.js";
import { announce, call, handler, loadedState } from "./store.js";
import { Dialog } from "./overlays.js";
import { Button } from "./ui.js";

/** @param {{close: () => void}} properties */
export default function Clock({ close }) {
  const form = useRef(null);
  const { clock } = loadedState();
  const set = async (change) => {
    const now = await call("PUT /clock", { body: change });
    announce(
      now.set ? `The clock shows ${now.now}` : "The clock shows the real time",
    );
    close();
  };
  const submit = handler(() => {
    const { now, frozen } = form.current.elements;
    return set({ now: now.value.trim(), frozen: frozen.checked });
  });
  return html`<${Dialog} label="Clock" close=${close}>
    <form ref=${form} onSubmit=${submit}>
      <h2>Clock</h2>
      <p class="soft">
        The time that responses show: the header Date,
        and <code>{from: now}</code>. Delays and holds take real time.
      </p>
      <label>
        Time${" "}
        <input
          name="now"
          autocomplete="off"
          spellcheck=${false}
          required
          autofocus
          defaultValue=${clock?.now ?? new Date().toISOString()}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          name="frozen"
          defaultChecked=${clock?.frozen ?? true}
        />${" "}
        Frozen
      </label>
      <div class="line">
        <${Button} kind="primary" type="submit" text="Set the clock" />
        ${
          clock &&
          html`<${Button} text="Real time" does=${() => set({ now: null })} />`
        }
        <${Button} text="Close" does=${close} />
      </div>
    </form>
  <//>`;
}
