// A list by fetch, with a text while it loads.

import { Link } from "../../shared/router.jsx";
import { read } from "../api.js";
import { Failure, useLoad } from "../ui.jsx";

export function Patients() {
  const { data, error, reload } = useLoad(read, "/patients?limit=5");
  return (
    <>
      <h1>Patients</h1>
      {!data && !error && <p role="status">Loading patients…</p>}
      {error && <Failure error={error} onRetry={reload} />}
      {data?.patients.length === 0 && <p>There are no patients yet. Add the first one.</p>}
      <ul>
        {data?.patients.map(({ id, name, species }) => (
          <li key={id}>
            <Link to={`/patients/${id}`}>{name}</Link> {species}
          </li>
        ))}
      </ul>
    </>
  );
}
