// What the pages share: a form that leaves everything to `onSend`.

import { Field, valuesOf } from "../shared/fields.jsx";

export function Form({ fields, button, disabled, onSend, children }) {
  function submit(event) {
    event.preventDefault();
    onSend(valuesOf(event.currentTarget), event.currentTarget);
  }
  return (
    <form onSubmit={submit}>
      {fields.map((field) => (
        <Field key={field.name} {...field} />
      ))}
      <button disabled={disabled}>{button}</button>
      {children}
    </form>
  );
}
