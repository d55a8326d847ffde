// By fetch. getMe: a failure leads to another page (moved), and nothing shows that it loads (no-loading).

import { useEffect, useState } from "react";
import { navigate } from "../../shared/router.jsx";
import { readOk } from "../api.js";

export function Account() {
  const [user, setUser] = useState();
  useEffect(() => {
    readOk("/me").then(setUser, () => navigate("/"));
  }, []);
  return (
    <>
      <h1>Your account</h1>
      {user && <p>Your address is {user.email}.</p>}
    </>
  );
}
