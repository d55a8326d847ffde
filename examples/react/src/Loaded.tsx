import type { ReactNode } from "react";
import type { Load } from "./useLoad";

interface Props<Value> {
  result: Load<Value>;
  reload: () => void;
  children: (value: Value) => ReactNode;
}

/** Show a spinner, the error, or the value. */
export function Loaded<Value>({ result, reload, children }: Props<Value>) {
  switch (result.state) {
    case "loading":
      return (
        <p role="status" className="spinner">
          {result.retryIn === undefined
            ? "Loading…"
            : `The server is busy. Trying again in ${result.retryIn} ${result.retryIn === 1 ? "second" : "seconds"}.`}
        </p>
      );
    case "failed":
      return (
        <div role="alert">
          <p>{result.error.message}</p>
          <button onClick={reload}>Try again</button>
        </div>
      );
    case "loaded":
      return children(result.value);
  }
}
