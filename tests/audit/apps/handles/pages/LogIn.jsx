// A form that sends by fetch.

import { CREDENTIALS } from "../../shared/fields.jsx";
import { Link } from "../../shared/router.jsx";
import { logIn } from "../../shared/session.js";
import { post } from "../api.js";
import { Form } from "../ui.jsx";

export function LogInForm() {
  return <Form fields={CREDENTIALS} button="Log in" onSend={async (values) => logIn(await post("/login", values))} />;
}

export function LogIn({ message }) {
  return (
    <>
      <h1>Log in to the clinic</h1>
      {message && <p role="alert">{message}</p>}
      <LogInForm />
      <Link to="/register">Create an account</Link>
    </>
  );
}
