// By SWR. listAppointments: a failure looks like an empty list (looks-empty). getPatient: a failure shows nothing (silent).
// cancelAppointment: an optimistic update is undone without a message (silent).

import useSWR from "swr";
import { formatTime, Skeleton } from "../../shared/fields.jsx";
import { post, readOk } from "../api.js";

export function Appointments({ id }) {
  const patient = useSWR(`/patients/${id}`, readOk);
  const { data, isLoading, error, mutate } = useSWR(`/patients/${id}/appointments`, readOk);

  function cancel(appointment) {
    const others = data.filter((each) => each.id !== appointment);
    const cancelled = post(`/appointments/${appointment}/cancel`);
    mutate(cancelled, { optimisticData: others, populateCache: () => others, throwOnError: false });
  }

  const booked = data?.filter(({ status }) => status === "booked") ?? [];
  return (
    <>
      <h1>Appointments</h1>
      {patient.isLoading && <Skeleton lines={1} />}
      {patient.data && <p>These are the appointments of {patient.data.name}.</p>}
      {isLoading && !error ? <Skeleton /> : booked.length === 0 && <p>No appointments are booked.</p>}
      <ul>
        {booked.map((each) => (
          <li key={each.id}>
            {formatTime(each.startsAt)}: {each.reason}{" "}
            <button type="button" onClick={() => cancel(each.id)}>
              Cancel
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
