// Two queries of TanStack Query, with its default retries and skeletons.

import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { Skeleton } from "../../shared/fields.jsx";
import { Link } from "../../shared/router.jsx";
import { read } from "../api.js";
import { Failure } from "../ui.jsx";

const client = new QueryClient();

export function Patient({ id }) {
  return (
    <QueryClientProvider client={client}>
      <Details id={id} />
    </QueryClientProvider>
  );
}

function Details({ id }) {
  const path = `/patients/${id}`;
  const { data, error, refetch } = useQuery({ queryKey: [path], queryFn: () => read(path) });
  if (error) return <Failure error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  return (
    <>
      <h1>{data.name}</h1>
      <p>
        {data.species}, born on {data.bornOn ?? "an unknown day"}
      </p>
      <Owner id={data.ownerId} />
      <Link to={`/patients/${id}/appointments`}>Appointments</Link>
    </>
  );
}

function Owner({ id }) {
  const path = `/owners/${id}`;
  const { data, error, refetch } = useQuery({ queryKey: [path], queryFn: () => read(path) });
  if (error) return <Failure error={error} onRetry={refetch} />;
  if (!data) return <Skeleton lines={1} />;
  return (
    <p>
      Brought by <Link to={path}>{data.name}</Link>
    </p>
  );
}
