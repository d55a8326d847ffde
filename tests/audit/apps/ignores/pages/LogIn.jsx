// By fetch. logIn: a failure shows nothing (silent).

import { useState } from "react";
import { CREDENTIALS } from "../../shared/fields.jsx";
import { Link } from "../../shared/router.jsx";
import { logIn } from "../../shared/session.js";
import { post } from "../api.js";
import { Form } from "../ui.jsx";

export function LogIn() {
  const [isSending, setIsSending] = useState(false);
  async function send(values) {
    setIsSending(true);
    try {
      logIn(await post("/login", values));
    } catch {
      setIsSending(false);
    }
  }
  return (
    <>
      <h1>Log in to the clinic</h1>
      <Form fields={CREDENTIALS} button="Log in" disabled={isSending} onSend={send} />
      <Link to="/register">Create an account</Link>
    </>
  );
}
