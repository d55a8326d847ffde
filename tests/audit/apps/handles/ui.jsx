// What the pages share: loading by fetch, errors, forms and toasts.

import { useCallback, useEffect, useRef, useState } from "react";
import { Field, valuesOf } from "../shared/fields.jsx";
import { Link } from "../shared/router.jsx";
import { askAgain, token } from "../shared/session.js";
import { ApiError } from "./api.js";

/** Load a path by a function of `api.js`. */
export function useLoad(load, path) {
  const [result, setResult] = useState({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const report = (next) => isCurrent && setResult(next);
    report({});
    load(path).then(
      (data) => report({ data }),
      (error) => report({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [load, path, tries]);
  return { ...result, reload: useCallback(() => setTries((count) => count + 1), []) };
}

/** The message of a failed read, in place of what is missing. */
export function Failure({ error, onRetry }) {
  if (error.status === 404) {
    return (
      <div role="alert">
        <h2>Not found</h2>
        <p>{error.message}</p>
        <Link to="/">Go to the patients</Link>
      </div>
    );
  }
  return (
    <div role="alert">
      <p>{error.message}</p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** Send one request at a time, and keep its error until the next one. */
export function useSend() {
  const [error, setError] = useState();
  const [isSending, setIsSending] = useState(false);
  async function send(task) {
    setError(undefined);
    setIsSending(true);
    try {
      await task();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (failure.status === 401 && token()) askAgain(failure.message);
      setError(failure);
      return failure;
    } finally {
      setIsSending(false);
    }
  }
  return { error, isSending, send };
}

/** A form that keeps what was typed until it is saved. Its message is below the button, or goes to `onError`. */
export function Form({ fields, button, onSend, onError }) {
  const { error, isSending, send } = useSend();
  async function submit(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const failure = await send(() => onSend(valuesOf(form)));
    if (failure) onError?.(failure);
    else form.reset();
  }
  return (
    <form onSubmit={submit}>
      {fields.map((field) => (
        <Field key={field.name} {...field} />
      ))}
      <button disabled={isSending}>{button}</button>
      {isSending && <p role="status">Sending…</p>}
      {error && !onError && <Problems error={error} />}
    </form>
  );
}

function Problems({ error: { message, fields } }) {
  return (
    <div role="alert">
      <p>{message}</p>
      {Object.entries(fields).map(([name, problems]) => (
        <p key={name}>
          {name} {problems.join(", ")}
        </p>
      ))}
    </div>
  );
}

const TOAST_MS = 4_000;

/** Return the toasts, in a region that screen readers announce, and a function that shows one for four seconds. */
export function useToasts() {
  const [toasts, setToasts] = useState([]);
  const next = useRef(0);
  function show(text) {
    const key = next.current++;
    setToasts((now) => [...now, { key, text }]);
    setTimeout(() => setToasts((now) => now.filter((toast) => toast.key !== key)), TOAST_MS);
  }
  const region = (
    <div role="status" className="toasts">
      {toasts.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
  return [region, show];
}

/** A dialog in front of the page, which is open as long as it is rendered. */
export function Modal({ title, onClose, children }) {
  const dialog = useRef(null);
  useEffect(() => dialog.current.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose}>
      <h2>{title}</h2>
      {children}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
