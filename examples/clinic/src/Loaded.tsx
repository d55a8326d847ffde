import type { ReactNode } from "react";
import type { Load } from "./useLoad";

interface Props<Value> {
  /** What is loaded, such as "the patients". */
  name: string;
  result: Load<Value>;
  reload: () => void;
  /** What to announce when it is loaded. */
  summary?: (value: Value) => string;
  children: (value: Value) => ReactNode;
}

/** Show that a value is loading, the error, or the value; while it loads again, the previous value. */
export function Loaded<Value>({
  name,
  result,
  reload,
  summary,
  children,
}: Props<Value>) {
  return (
    <>
      {/* Always on the page, so that screen readers announce its text. */}
      <p
        role="status"
        className={result.state === "loading" ? "spinner" : undefined}
      >
        {result.state === "loading" &&
          (result.retryIn ? busy(result.retryIn) : `Loading ${name}…`)}
        {result.state === "loaded" && summary?.(result.value)}
      </p>
      {result.state === "failed" ? (
        <div role="alert">
          <p>{result.error.message}</p>
          <button type="button" onClick={reload}>
            Load {name} again
          </button>
        </div>
      ) : (
        result.value !== undefined && children(result.value)
      )}
    </>
  );
}

function busy(seconds: number): string {
  return `The clinic's server is busy. Trying again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
}
