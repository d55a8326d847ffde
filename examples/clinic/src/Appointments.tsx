import { useCallback } from "react";
import type { Api, ReadOptions } from "./api/client";
import { Form } from "./Form";
import { Loaded } from "./Loaded";
import { useLoad } from "./useLoad";
import { useSend } from "./useSend";

const fields = [
  { name: "startsAt", label: "Start", type: "datetime-local" },
  { name: "reason", label: "Reason" },
];

/** The appointments of a patient, and a form to add one. */
export function Appointments({
  api,
  patientId,
}: {
  api: Api;
  patientId: string;
}) {
  const load = useCallback(
    (options: ReadOptions) => api.listAppointments(patientId, options),
    [api, patientId],
  );
  const { result, reload } = useLoad(load);
  const { error, isSending, send } = useSend();

  async function cancel(id: number) {
    const error = await send(
      async () => void (await api.cancelAppointment(id)),
    );
    // After these errors, the list is out of date.
    if (!error || error.status === 404 || error.status === 409) reload();
  }

  return (
    <section aria-label="Appointments">
      <h3>Appointments</h3>
      <Loaded name="the appointments" result={result} reload={reload}>
        {(appointments) =>
          appointments.length === 0 ? (
            <p>No appointments yet.</p>
          ) : (
            <ul>
              {appointments.map(({ id, startsAt, reason, status }) => (
                <li key={id}>
                  <time dateTime={startsAt}>{formatTime(startsAt)}</time>:{" "}
                  {reason}, {status}{" "}
                  {status === "booked" && (
                    <button
                      type="button"
                      disabled={isSending}
                      onClick={() => cancel(id)}
                    >
                      Cancel{" "}
                      <span className="hidden">
                        the appointment on {formatTime(startsAt)}
                      </span>
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <p role="status">{isSending && "Cancelling…"}</p>
      {error && <p role="alert">{error.message}</p>}
      <h3>New appointment</h3>
      <Form
        label="New appointment"
        button="Book the appointment"
        fields={fields}
        onSend={async ({ startsAt, reason }) => {
          await api.createAppointment(patientId, {
            startsAt: startsAt && new Date(startsAt).toISOString(),
            reason,
          });
          reload();
        }}
      />
    </section>
  );
}

function formatTime(time: string): string {
  return new Date(time).toLocaleString("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
  });
}
