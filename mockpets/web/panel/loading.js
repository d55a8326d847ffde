// What a component loads: its value, or why it failed.

import { html, useEffect, useState } from "./preact.js";
import { describeError } from "./store.js";

/** Load something when the component appears, and again when the inputs change; return [value, error]. */
export function useLoaded(fetched, inputs) {
  const [result, setResult] = useState([null, null]);
  useEffect(() => {
    let current = true;
    fetched().then(
      (value) => current && setResult([value, null]),
      (error) => current && setResult([null, error]),
    );
    return () => {
      current = false;
    };
  }, inputs);
  return result;
}

export const Failure = ({ error }) =>
  html`<p class="failure" role="alert">${describeError(error)}</p>`;

/** A component of a module that is loaded when the component first appears. */
export function Lazy({ module: load, name, ...rest }) {
  const [module, error] = useLoaded(load, []);
  return module
    ? html`<${module[name]} ...${rest} />`
    : error && html`<${Failure} error=${error} />`;
}
