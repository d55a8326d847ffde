// By Suspense, without an error boundary. listOwners: a failure is an exception that nothing catches (uncaught) and takes
// the whole page away (blank), which is blank while it loads (blank-loading).

import { use, useState } from "react";
import { Link } from "../../shared/router.jsx";
import { readOk } from "../api.js";

const promises = new Map();

function readOnce(path) {
  if (!promises.has(path)) promises.set(path, readOk(path));
  return promises.get(path);
}

export function Owners() {
  const [path] = useState("/owners");
  const owners = use(readOnce(path));
  return (
    <>
      <h1>Owners</h1>
      {owners.length === 0 && <p>There are no owners yet.</p>}
      <ul>
        {owners.map(({ id, name }) => (
          <li key={id}>
            <Link to={`/owners/${id}`}>{name}</Link>
          </li>
        ))}
      </ul>
    </>
  );
}
