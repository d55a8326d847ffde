import { useCallback } from "react";
import type { Api, PatientPage, ReadOptions } from "./api/client";
import { Loaded } from "./Loaded";
import { useLoad } from "./useLoad";

interface Props {
  api: Api;
  page: number;
  search: string;
}

export function PatientsPage({ api, page, search }: Props) {
  const load = useCallback(
    (options: ReadOptions) => api.listPatients(page, search, options),
    [api, page, search],
  );
  const { result, reload } = useLoad(load);
  return (
    <>
      <title>Patients – Clinic</title>
      <h2>Patients</h2>
      <p>
        <a href="#/patients/new">Add a patient</a>
      </p>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          window.location.hash = address(
            1,
            String(new FormData(event.currentTarget).get("q")),
          );
        }}
      >
        <div className="field">
          <label htmlFor="search">Name contains</label>
          <input
            key={search}
            id="search"
            name="q"
            type="search"
            defaultValue={search}
            maxLength={40}
          />
        </div>
        <button>Search</button>
      </form>
      <Loaded
        name="the patients"
        result={result}
        reload={reload}
        summary={summary}
      >
        {({ patients, pages }) => (
          <>
            {patients.length === 0 && <Empty page={page} search={search} />}
            <ul aria-label="Patients">
              {patients.map((patient) => (
                <li key={patient.id}>
                  <a href={`#/patients/${patient.id}`}>{patient.name}</a>{" "}
                  {patient.species}
                </li>
              ))}
            </ul>
            {pages > 1 && (
              <nav aria-label="Pages">
                {page > 1 && (
                  <a href={address(page - 1, search)}>Previous page</a>
                )}
                {page < pages && (
                  <a href={address(page + 1, search)}>Next page</a>
                )}
              </nav>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function summary({ total, page, pages }: PatientPage): string {
  return `${total} ${total === 1 ? "patient" : "patients"}${pages > 1 ? `, page ${page} of ${pages}` : ""}`;
}

function Empty({ page, search }: { page: number; search: string }) {
  if (page > 1) {
    return (
      <p>
        This page is empty.{" "}
        <a href={address(1, search)}>Go to the first page</a>
      </p>
    );
  }
  return (
    <p>
      {search
        ? `No patient has a name that contains “${search}”.`
        : "No patients yet."}
    </p>
  );
}

function address(page: number, search: string): string {
  const query = new URLSearchParams({
    ...(page > 1 && { page: String(page) }),
    ...(search && { q: search }),
  });
  return `#/${query.size ? `?${query}` : ""}`;
}
