import { useEffect, useState } from "react";
import { ApiError, type ReadOptions } from "./api";

export type Load<Value> =
  | { state: "loading"; retryIn?: number }
  | { state: "loaded"; value: Value }
  | { state: "failed"; error: ApiError };

/** Load a value, again on each `reload()` and whenever `load` changes, so memoize it with `useCallback`. */
export function useLoad<Value>(load: (options: ReadOptions) => Promise<Value>) {
  const [result, setResult] = useState<Load<Value>>({ state: "loading" });
  const [reloads, setReloads] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // After an abort, a newer call reports its result.
    const report = (next: Load<Value>) => {
      if (!signal.aborted) setResult(next);
    };
    report({ state: "loading" });
    load({
      signal,
      onRetry: (retryIn) => report({ state: "loading", retryIn }),
    }).then(
      (value) => report({ state: "loaded", value }),
      (error) => report({ state: "failed", error }),
    );
    return () => controller.abort();
  }, [load, reloads]);
  return { result, reload: () => setReloads((count) => count + 1) };
}
