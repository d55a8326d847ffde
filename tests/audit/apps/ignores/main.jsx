// An app that handles failures badly: each page has its own mistakes, which the comment at its top names.

import { Suspense, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import "../shared/app.css";
import { Link, navigate, useRoute } from "../shared/router.jsx";
import { logOut, useSession } from "../shared/session.js";
import { Account } from "./pages/Account.jsx";
import { Appointments } from "./pages/Appointments.jsx";
import { Booking } from "./pages/Booking.jsx";
import { LogIn } from "./pages/LogIn.jsx";
import { NewPatient } from "./pages/NewPatient.jsx";
import { Owner } from "./pages/Owner.jsx";
import { Owners } from "./pages/Owners.jsx";
import { Patient } from "./pages/Patient.jsx";
import { Patients } from "./pages/Patients.jsx";
import { Register } from "./pages/Register.jsx";

const VISITORS = [
  ["/login", LogIn],
  ["/register", Register],
];
const USERS = [
  ["/", Patients],
  ["/#/booking", Booking],
  ["/patients/:id", Patient],
  ["/patients/:id/appointments", Appointments],
  ["/new-patient", NewPatient],
  ["/owners", Owners],
  ["/owners/:id", Owner],
  ["/account", Account],
];

function App() {
  const { user } = useSession();
  const { path, Page, id } = useRoute(user ? USERS : VISITORS);
  const [fatal, setFatal] = useState();
  useEffect(() => {
    if (!Page) navigate(user ? "/" : "/login", { replace: true });
  }, [Page, user]);
  if (fatal) return <p>{fatal}</p>;
  return (
    // Blank while a page is suspended, with its header.
    <Suspense fallback={null}>
      {user && <Header name={user.name} />}
      <main>{Page && <Page key={path} id={id} onFatal={setFatal} />}</main>
    </Suspense>
  );
}

function Header({ name }) {
  return (
    <header>
      <p>Clinic, logged in as {name}</p>
      <nav>
        <Link to="/">Patients</Link>
        <Link to="/new-patient">New patient</Link>
        <Link to="/owners">Owners</Link>
        <Link to="/#/booking">Booking</Link>
        <Link to="/account">Account</Link>
        <button type="button" onClick={() => logOut()}>
          Log out
        </button>
      </nav>
    </header>
  );
}

createRoot(document.getElementById("root")).render(<App />);
