// The types of what the panel uses of preact.js. Preact's own package has them where TypeScript finds none.

/** What a component returns, and what a template has between its tags. */
export type Content =
  string | number | boolean | null | undefined | VNode | Content[];

/** An element of a component or of the page. */
export interface VNode {
  readonly type: unknown;
  readonly props: object;
}

/** A value that stays from one rendering to the next; that of an element is set in effects and event handlers. */
export interface Ref<T> {
  current: T;
}

/** An event of an element with its handler. */
export type On<
  Target extends EventTarget,
  Kind extends Event = Event,
> = Kind & { readonly currentTarget: Target; readonly target: Target };

type Effect = () => void | (() => void);

export declare function html(
  strings: TemplateStringsArray,
  ...values: unknown[]
): Content;

export declare function render(content: Content, parent: Element): void;

export declare function useState<T>(
  initial: T | (() => T),
): [value: T, set: (value: T | ((before: T) => T)) => void];

export declare function useRef<T>(initial: null): Ref<T>;
export declare function useRef<T>(initial: T): Ref<T>;

export declare function useEffect(
  effect: Effect,
  inputs?: readonly unknown[],
): void;

export declare function useLayoutEffect(
  effect: Effect,
  inputs?: readonly unknown[],
): void;

export declare function useMemo<T>(
  make: () => T,
  inputs: readonly unknown[],
): T;
