// By axios. register: a failure shows the text of the exception (raw-exception).

import { useState } from "react";
import { NEW_USER } from "../../shared/fields.jsx";
import { Link } from "../../shared/router.jsx";
import { logIn } from "../../shared/session.js";
import { postByAxios } from "../api.js";
import { Form } from "../ui.jsx";

export function Register() {
  const [error, setError] = useState();
  const [isSending, setIsSending] = useState(false);
  async function send(values) {
    setIsSending(true);
    try {
      logIn((await postByAxios("/register", values)).data);
    } catch (failure) {
      setError(failure);
      setIsSending(false);
    }
  }
  return (
    <>
      <h1>Create an account</h1>
      <Form fields={NEW_USER} button="Register" disabled={isSending} onSend={send}>
        {error && <p role="alert">{String(error)}</p>}
      </Form>
      <Link to="/login">Log in</Link>
    </>
  );
}
