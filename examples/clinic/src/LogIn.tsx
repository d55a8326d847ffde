import { useState } from "react";
import { type LoggedIn, logIn, register } from "./api/client";
import { Form } from "./Form";

const credentials = [
  { name: "email", label: "Email", type: "email", autoComplete: "username" },
  {
    name: "password",
    label: "Password",
    type: "password",
    autoComplete: "current-password",
  },
];
const newUser = [
  { name: "name", label: "Name", autoComplete: "name" },
  { name: "email", label: "Email", type: "email", autoComplete: "username" },
  {
    name: "password",
    label: "Password",
    type: "password",
    autoComplete: "new-password",
  },
];

interface Props {
  message: string | undefined;
  onLogIn: (user: LoggedIn) => void;
}

export function LogIn({ message, onLogIn }: Props) {
  const [isNew, setIsNew] = useState(false);
  return (
    <main>
      <h2>{isNew ? "Create an account" : "Log in"}</h2>
      {message !== undefined && <p role="alert">{message}</p>}
      {isNew ? (
        <Form
          key="new"
          label="Create an account"
          button="Create the account"
          fields={newUser}
          onSend={async (values) => onLogIn(await register(values))}
        />
      ) : (
        <Form
          key="known"
          label="Log in"
          button="Log in"
          fields={credentials}
          onSend={async (values) => onLogIn(await logIn(values))}
        />
      )}
      <button type="button" className="plain" onClick={() => setIsNew(!isNew)}>
        {isNew ? "Log in with an account" : "Create an account"}
      </button>
    </main>
  );
}
