// A page by hash, with a form in a modal dialog.

import { useState } from "react";
import { APPOINTMENT } from "../../shared/fields.jsx";
import { post, read } from "../api.js";
import { Failure, Form, Modal, useLoad } from "../ui.jsx";

export function Booking() {
  const { data, error, reload } = useLoad(read, "/patients?limit=3");
  const [chosen, setChosen] = useState();
  const [booked, setBooked] = useState();
  async function book(values) {
    await post(`/patients/${chosen.id}/appointments`, values);
    setBooked(chosen.name);
    setChosen(undefined);
  }
  return (
    <>
      <h1>Book an appointment</h1>
      {!data && !error && <p role="status">Loading patients…</p>}
      {error && <Failure error={error} onRetry={reload} />}
      {data?.patients.length === 0 && <p>There are no patients yet.</p>}
      {booked && <p role="status">The appointment for {booked} is booked.</p>}
      <ul>
        {data?.patients.map((patient) => (
          <li key={patient.id}>
            {patient.name}{" "}
            <button type="button" onClick={() => setChosen(patient)}>
              Book
            </button>
          </li>
        ))}
      </ul>
      {chosen && (
        <Modal title={`An appointment for ${chosen.name}`} onClose={() => setChosen(undefined)}>
          <Form fields={APPOINTMENT} button="Book the appointment" onSend={book} />
        </Modal>
      )}
    </>
  );
}
