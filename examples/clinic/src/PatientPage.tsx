import { useCallback } from "react";
import type { Api, ReadOptions } from "./api/client";
import { Appointments } from "./Appointments";
import { Loaded } from "./Loaded";
import { useLoad } from "./useLoad";

export function PatientPage({ api, id }: { api: Api; id: string }) {
  const load = useCallback(
    (options: ReadOptions) => api.getPatient(id, options),
    [api, id],
  );
  const { result, reload } = useLoad(load);
  return (
    <>
      <p>
        <a href="#/">All patients</a>
      </p>
      {result.state === "failed" && result.error.status === 404 ? (
        <>
          <h2>Patient not found</h2>
          <p role="alert">{result.error.message}</p>
        </>
      ) : (
        <>
          <Loaded name="the patient" result={result} reload={reload}>
            {(patient) => (
              <>
                <title>{`${patient.name} – Clinic`}</title>
                <h2>{patient.name}</h2>
                <dl>
                  <dt>Species</dt>
                  <dd>{patient.species}</dd>
                  <dt>Born</dt>
                  <dd>
                    {patient.bornOn ? formatDate(patient.bornOn) : "unknown"}
                  </dd>
                  <dt>Owner</dt>
                  <dd>
                    <Owner api={api} id={patient.ownerId} />
                  </dd>
                </dl>
              </>
            )}
          </Loaded>
          <Appointments api={api} patientId={id} />
        </>
      )}
    </>
  );
}

function Owner({ api, id }: { api: Api; id: number }) {
  const load = useCallback(
    (options: ReadOptions) => api.getOwner(id, options),
    [api, id],
  );
  const { result, reload } = useLoad(load);
  return (
    <Loaded name="the owner" result={result} reload={reload}>
      {({ name, phone }) => (
        <>
          {name}, <a href={`tel:${phone}`}>{phone}</a>
        </>
      )}
    </Loaded>
  );
}

function formatDate(date: string): string {
  return new Date(date).toLocaleDateString("en-GB", {
    dateStyle: "long",
    timeZone: "UTC",
  });
}
