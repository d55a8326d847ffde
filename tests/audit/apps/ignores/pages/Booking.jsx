// By fetch, with a modal dialog. listPatients: a failure leaves a page without a link or button (dead-end).
// createAppointment: a second click sends it again (double-send).

import { useEffect, useRef, useState } from "react";
import { APPOINTMENT } from "../../shared/fields.jsx";
import { post, readOk } from "../api.js";
import { Form } from "../ui.jsx";

export function Booking({ onFatal }) {
  const [data, setData] = useState();
  const [chosen, setChosen] = useState();
  const [booked, setBooked] = useState();
  useEffect(() => {
    readOk("/patients?limit=3").then(setData, () => onFatal("The clinic cannot be reached. Please come back later."));
  }, [onFatal]);
  return (
    <>
      <h1>Book an appointment</h1>
      {!data && <p role="status">Loading patients…</p>}
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
      {chosen && <Dialog patient={chosen} onBooked={setBooked} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function Dialog({ patient, onBooked, onClose }) {
  const dialog = useRef(null);
  const [error, setError] = useState();
  useEffect(() => dialog.current.showModal(), []);
  async function send(values) {
    try {
      await post(`/patients/${patient.id}/appointments`, values);
      onBooked(patient.name);
      onClose();
    } catch {
      setError("The appointment was not booked. Please try again later.");
    }
  }
  return (
    <dialog ref={dialog} onClose={onClose}>
      <h2>An appointment for {patient.name}</h2>
      <Form fields={APPOINTMENT} button="Book the appointment" onSend={send}>
        {error && <p role="alert">{error}</p>}
      </Form>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
