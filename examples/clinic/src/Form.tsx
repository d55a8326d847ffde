import {
  type FormEvent,
  type InputHTMLAttributes,
  useEffect,
  useId,
  useRef,
} from "react";
import type { ApiError } from "./api/client";
import { useSend } from "./useSend";

export interface Field extends Pick<
  InputHTMLAttributes<HTMLInputElement>,
  "type" | "autoComplete"
> {
  name: string;
  label: string;
  /** Values and their texts, for a list in place of an input. */
  options?: readonly (readonly [value: string | number, text: string])[];
}

interface Props {
  label: string;
  button: string;
  fields: readonly Field[];
  /** Send what was typed, without empty fields. */
  onSend: (values: Record<string, string>) => Promise<void>;
}

/** A form that the server checks. It shows the problem of each field, and keeps what was typed until it is accepted. */
export function Form({ label, button, fields, onSend }: Props) {
  const { error, isSending, send } = useSend();
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (error)
      form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const element = event.currentTarget;
    const values = [...new FormData(element)].flatMap(([name, value]) =>
      value ? [[name, String(value)] as const] : [],
    );
    if (!(await send(() => onSend(Object.fromEntries(values)))))
      element.reset();
  }

  return (
    // `noValidate`: the server knows better, and its messages are the same in every browser.
    <form ref={form} aria-label={label} onSubmit={submit} noValidate>
      {fields.map((field) => (
        <Labelled
          key={field.name}
          field={field}
          problems={error?.fields[field.name] ?? []}
        />
      ))}
      <button disabled={isSending}>{button}</button>
      <p role="status">{isSending && "Sending…"}</p>
      {error && <p role="alert">{summary(error, fields)}</p>}
    </form>
  );
}

function Labelled({
  field,
  problems,
}: {
  field: Field;
  problems: readonly string[];
}) {
  const id = useId();
  const { label, options, ...input } = field;
  const control = {
    id,
    "aria-invalid": problems.length > 0,
    "aria-describedby": problems.length > 0 ? `${id}-problems` : undefined,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {options ? (
        <select {...control} name={field.name}>
          <option value="">Choose…</option>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input {...control} {...input} />
      )}
      {problems.length > 0 && (
        <p id={`${id}-problems`} className="problem">
          {label} {problems.join(", and ")}
        </p>
      )}
    </div>
  );
}

/** Return the message, which can repeat what the fields show, or only the problems of fields that the form does not have. */
function summary(
  { message, fields }: ApiError,
  shown: readonly Field[],
): string {
  if (Object.keys(fields).length === 0) return message;
  const others = Object.entries(fields).filter(
    ([name]) => !shown.some((field) => field.name === name),
  );
  return [
    "Some fields are invalid.",
    ...others.map(([name, problems]) => `${name} ${problems.join(", and ")}.`),
  ].join(" ");
}
