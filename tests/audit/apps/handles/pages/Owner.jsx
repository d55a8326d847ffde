// A record by axios, which retries with growing pauses.

import { readByAxios } from "../api.js";
import { Failure, useLoad } from "../ui.jsx";

export function Owner({ id }) {
  const { data, error, reload } = useLoad(readByAxios, `/owners/${id}`);
  if (error) return <Failure error={error} onRetry={reload} />;
  if (!data) return <p role="status">Loading the owner…</p>;
  return (
    <>
      <h1>{data.name}</h1>
      <p>Phone: {data.phone}</p>
    </>
  );
}
