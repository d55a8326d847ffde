// A form whose messages are toasts.

import { ownerField, PATIENT } from "../../shared/fields.jsx";
import { post, read } from "../api.js";
import { Failure, Form, useLoad, useToasts } from "../ui.jsx";

export function NewPatient() {
  const { data, error, reload } = useLoad(read, "/owners");
  const [toasts, show] = useToasts();
  async function add(values) {
    const { name } = await post("/patients", values);
    show(`${name} was added.`);
  }
  return (
    <>
      <h1>New patient</h1>
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <p role="status">Loading owners…</p>}
      {data?.length === 0 && <p>There are no owners yet, so nobody can bring a patient.</p>}
      {data?.length > 0 && (
        <Form
          fields={[...PATIENT, ownerField(data)]}
          button="Add the patient"
          onSend={add}
          onError={({ message, fields }) => show(`Adding failed. ${message} ${textOf(fields)}`)}
        />
      )}
      {toasts}
    </>
  );
}

const textOf = (fields) => Object.entries(fields).map(([name, problems]) => `The ${name} ${problems.join(", ")}.`);
