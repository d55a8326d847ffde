// A form and a toast. listOwners: a failure shows "undefined" (artefact), or leaves a rejected promise unhandled
// (unhandled-rejection). createPatient: a failure loses what was typed (input-lost), and its toast is in no live region
// (not-announced).

import { useEffect, useState } from "react";
import { ownerField, PATIENT } from "../../shared/fields.jsx";
import { post, read } from "../api.js";
import { Form } from "../ui.jsx";

const TOAST_MS = 4_000;

export function NewPatient() {
  const [owners, setOwners] = useState();
  const [toast, setToast] = useState();
  const [isSending, setIsSending] = useState(false);
  useEffect(() => {
    read("/owners").then(setOwners);
  }, []);

  async function send(values, form) {
    setIsSending(true);
    form.reset();
    try {
      const { name } = await post("/patients", values);
      setToast(`${name} was added.`);
    } catch {
      setToast("The patient was not added. Please try again later.");
    }
    setIsSending(false);
    setTimeout(() => setToast(undefined), TOAST_MS);
  }

  return (
    <>
      <h1>New patient</h1>
      {owners ? <p>Choose one of {`${owners.length} owners`}.</p> : <p role="status">Loading owners…</p>}
      {owners?.length > 0 && (
        <Form fields={[...PATIENT, ownerField(owners)]} button="Add the patient" disabled={isSending} onSend={send} />
      )}
      <div className="toasts">{toast && <p>{toast}</p>}</div>
    </>
  );
}
