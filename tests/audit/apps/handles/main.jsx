// An app that handles every failure. With VITE_NOISE, the URL of a third party, its pages change all the time.

import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import "../shared/app.css";
import { Link, navigate, useRoute } from "../shared/router.jsx";
import { logOut, stopAsking, useSession } from "../shared/session.js";
import { Account } from "./pages/Account.jsx";
import { Appointments } from "./pages/Appointments.jsx";
import { Booking } from "./pages/Booking.jsx";
import { LogIn, LogInForm } from "./pages/LogIn.jsx";
import { NewPatient } from "./pages/NewPatient.jsx";
import { Owner } from "./pages/Owner.jsx";
import { Owners } from "./pages/Owners.jsx";
import { Patient } from "./pages/Patient.jsx";
import { Patients } from "./pages/Patients.jsx";
import { Register } from "./pages/Register.jsx";
import { Modal } from "./ui.jsx";

const noise = import.meta.env.VITE_NOISE;
const { Noise } = noise ? await import("./noise.jsx") : {};

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
  const { user, message, asksAgain } = useSession();
  const { path, Page, id } = useRoute(user ? USERS : VISITORS);
  const isElsewhere = user ? VISITORS.some(([own]) => own === path) : !Page;
  useEffect(() => {
    if (isElsewhere) navigate(user ? "/" : "/login", { replace: true });
  }, [isElsewhere, user]);
  if (isElsewhere) return null;
  return (
    <>
      {user && <Header name={user.name} />}
      <main>{Page ? <Page key={path} id={id} message={message} /> : <NotFound />}</main>
      {asksAgain && (
        <Modal title="Log in again" onClose={stopAsking}>
          <p role="alert">{message}</p>
          <LogInForm />
        </Modal>
      )}
      {noise && <Noise thirdParty={noise} />}
    </>
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

function NotFound() {
  return (
    <>
      <h1>Page not found</h1>
      <Link to="/">Go to the patients</Link>
    </>
  );
}

createRoot(document.getElementById("root")).render(<App />);
