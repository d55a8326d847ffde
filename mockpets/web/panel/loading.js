// What a component loads: its value, or why it failed.

import { html, useEffect, useState } from "./preact.js";
import { describeError } from "./store.js";

/**
 * Load something when the component appears, and again when the inputs change.
 * @template T
 * @param {() => Promise<T>} load
 * @param {unknown[]} inputs
 * @returns {[value: T | null, error: unknown]} null until it is loaded, or has failed
 */
export function useLoaded(load, inputs) {
  const [result, setResult] = useState(
    /** @type {[value: T | null, error: unknown]} */ ([null, null]),
  );
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (value) => isCurrent && setResult([value, null]),
      (/** @type {unknown} */ error) => isCurrent && setResult([null, error]),
    );
    return () => {
      isCurrent = false;
    };
  }, inputs);
  return result;
}

/**
 * Load a module. The error of an import has another text in each browser.
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
export const loadModule = (load) =>
  load().catch((/** @type {unknown} */ cause) => {
    throw new Error(
      "A part of the page could not be loaded. The server may have been updated or stopped; reload the page.",
      { cause },
    );
  });

/** @param {{ error: unknown }} properties */
export const Failure = ({ error }) =>
  html`<p class="failure" role="alert">${describeError(error)}</p>`;

/**
 * A component of a module that is loaded when the component first appears.
 * @param {{ module: () => Promise<Record<string, unknown>>, name: string }
 *   & Record<string, unknown>} properties the others are the component's
 */
export function Lazy({ module: load, name, ...rest }) {
  const [module, error] = useLoaded(() => loadModule(load), []);
  if (module) return html`<${module[name]} ...${rest} />`;
  return error ? html`<${Failure} error=${error} />` : null;
}
