// A list by SWR, from which an optimistic update removes rows; a failed one brings them back with a message.

import useSWR from "swr";
import { formatTime, Skeleton } from "../../shared/fields.jsx";
import { post, read } from "../api.js";
import { Failure, useSend } from "../ui.jsx";

export function Appointments({ id }) {
  const patient = useSWR(`/patients/${id}`, read);
  const { data, error, mutate } = useSWR(`/patients/${id}/appointments`, read);
  const sending = useSend();

  const without = (cancelled) => data.filter((each) => each.id !== cancelled);
  const cancel = (appointment) =>
    sending.send(() =>
      mutate(post(`/appointments/${appointment}/cancel`), {
        optimisticData: without(appointment),
        populateCache: () => without(appointment),
      }),
    );

  const booked = data?.filter(({ status }) => status === "booked");
  return (
    <>
      <h1>Appointments</h1>
      {patient.error ? <Failure error={patient.error} onRetry={() => patient.mutate()} /> : <Name of={patient.data} />}
      {error ? <Failure error={error} onRetry={() => mutate()} /> : !data && <Skeleton />}
      {booked?.length === 0 && <p>No appointments are booked.</p>}
      {sending.error && <p role="alert">Cancelling failed. {sending.error.message}</p>}
      <ul>
        {booked?.map((each) => (
          <li key={each.id}>
            {formatTime(each.startsAt)}: {each.reason}{" "}
            <button type="button" disabled={sending.isSending} onClick={() => cancel(each.id)}>
              Cancel
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Name({ of }) {
  return of ? <p>These are the appointments of {of.name}.</p> : <Skeleton lines={1} />;
}
