import { useEffect, useState } from "react";
import type { ApiError, ReadOptions } from "./api/client";

export type Load<Value> =
  // With the previous value, if there is one.
  | { state: "loading"; value: Value | undefined; retryIn?: number }
  | { state: "loaded"; value: Value }
  | { state: "failed"; value: Value | undefined; error: ApiError };

/** Load a value, again on each `reload()` and whenever `load` changes, so memoize it with `useCallback`. */
export function useLoad<Value>(load: (options: ReadOptions) => Promise<Value>) {
  const [result, setResult] = useState<Load<Value>>({
    state: "loading",
    value: undefined,
  });
  const [reloads, setReloads] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // After an abort, a newer call reports its result.
    const report = (next: (value: Value | undefined) => Load<Value>) => {
      if (!signal.aborted) setResult(({ value }) => next(value));
    };
    report((value) => ({ state: "loading", value }));
    load({
      signal,
      onRetry: (retryIn) =>
        report((value) => ({ state: "loading", value, retryIn })),
    }).then(
      (value) => report(() => ({ state: "loaded", value })),
      (error) => report((value) => ({ state: "failed", value, error })),
    );
    return () => controller.abort();
  }, [load, reloads]);
  return { result, reload: () => setReloads((count) => count + 1) };
}
