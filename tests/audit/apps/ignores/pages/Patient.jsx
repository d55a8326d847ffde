// By TanStack Query, in one query. getOwner: a failure takes the patient away, too (collateral), and the patient waits for
// its response (blocked).

import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { Skeleton } from "../../shared/fields.jsx";
import { Link } from "../../shared/router.jsx";
import { readOk } from "../api.js";

const client = new QueryClient();

export function Patient({ id }) {
  return (
    <QueryClientProvider client={client}>
      <Details id={id} />
    </QueryClientProvider>
  );
}

async function readBoth(id) {
  const patient = await readOk(`/patients/${id}`);
  return { patient, owner: await readOk(`/owners/${patient.ownerId}`) };
}

function Details({ id }) {
  const { data, error } = useQuery({ queryKey: [id], queryFn: () => readBoth(id) });
  if (error) return <p role="alert">The patient could not be loaded. Please try again later.</p>;
  if (!data) return <Skeleton />;
  const { patient, owner } = data;
  return (
    <>
      <h1>{patient.name}</h1>
      <p>
        {patient.species}, born on {patient.bornOn ?? "an unknown day"}
      </p>
      <p>
        Brought by <Link to={`/owners/${owner.id}`}>{owner.name}</Link>
      </p>
      <Link to={`/patients/${id}/appointments`}>Appointments</Link>
    </>
  );
}
