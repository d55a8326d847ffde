// The dialog of the session's clock.

import { html, useRef } from "./preact.js";
import { announce, call, handler, loadedState } from "./store.js";
import { Dialog } from "./overlays.js";
import { Button } from "./ui.js";

/**
 * @import { ClockChange } from "../../../kit/control.js"
 * @import { Ref } from "./preact.js"
 */

/** @param {{ close: () => void }} properties */
export default function Clock({ close }) {
  /** @type {Ref<HTMLInputElement>} */
  const time = useRef(null);
  /** @type {Ref<HTMLInputElement>} */
  const frozen = useRef(null);
  const { clock } = loadedState();
  const set = async (/** @type {ClockChange} */ change) => {
    const { set: isSet, now } = await call("PUT /clock", { body: change });
    announce(isSet ? `Clock set to ${now}` : "Clock set to real time");
    close();
  };
  const submit = handler(() =>
    set({ now: time.current.value.trim(), frozen: frozen.current.checked }),
  );
  return html`<${Dialog} label="Clock" close=${close}>
    <form onSubmit=${submit}>
      <h2>Clock</h2>
      <p class="soft">
        The time in responses: the <code>Date</code> header
        and <code>{from: now}</code>. Delays and holds still take real time.
      </p>
      <label>
        Time${" "}
        <input
          ref=${time}
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
          ref=${frozen}
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
