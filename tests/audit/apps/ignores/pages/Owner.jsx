// By axios-retry. getOwner: a failure sends 20 requests almost without a pause (storm), and shows the server's own text
// (raw-response).

import { useEffect, useState } from "react";
import { readByAxios } from "../api.js";

export function Owner({ id }) {
  const [owner, setOwner] = useState();
  const [error, setError] = useState();
  useEffect(() => {
    readByAxios(`/owners/${id}`).then(({ data }) => setOwner(data), setError);
  }, [id]);
  if (error) {
    return (
      <div role="alert">
        <p>The owner could not be loaded.</p>
        <p>{error.response && JSON.stringify(error.response.data)}</p>
      </div>
    );
  }
  if (!owner) return <p role="status">Loading the owner…</p>;
  return (
    <>
      <h1>{owner.name}</h1>
      <p>Phone: {owner.phone}</p>
    </>
  );
}
