// A form that sends by axios.

import { NEW_USER } from "../../shared/fields.jsx";
import { Link } from "../../shared/router.jsx";
import { logIn } from "../../shared/session.js";
import { postByAxios } from "../api.js";
import { Form } from "../ui.jsx";

export function Register() {
  return (
    <>
      <h1>Create an account</h1>
      <Form
        fields={NEW_USER}
        button="Register"
        onSend={async (values) => logIn(await postByAxios("/register", values))}
      />
      <Link to="/login">Log in</Link>
    </>
  );
}
