// The types of preact.js, as the panel uses it.

import type { ComponentChildren } from "preact";

export { render } from "preact";
export {
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
  type StateUpdater,
} from "preact/hooks";

/** What a component returns and a template has as a child. */
export type Content = ComponentChildren;

/** A value that stays from one rendering to the next; that of an element is set in effects and event handlers. */
export interface Ref<T> {
  current: T;
}

/** An event of an element with its handler. */
export type On<
  Target extends EventTarget,
  Kind extends Event = Event,
> = Kind & { readonly currentTarget: Target; readonly target: Target };

export declare function html(
  strings: TemplateStringsArray,
  ...values: unknown[]
): Content;

export declare function useRef<T>(initial: null): Ref<T>;
export declare function useRef<T>(initial: T): Ref<T>;
