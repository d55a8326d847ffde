// By fetch. listPatients: a failure loads forever (stuck), and nothing is in place of an empty list (no-empty).

import { useEffect, useState } from "react";
import { Link } from "../../shared/router.jsx";
import { readOk } from "../api.js";

export function Patients() {
  const [data, setData] = useState();
  useEffect(() => {
    readOk("/patients?limit=5").then(setData, () => {});
  }, []);
  return (
    <>
      <h1>Patients</h1>
      {!data && <p role="status">Loading patients…</p>}
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
