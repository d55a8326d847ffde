import { useCallback, useState, useSyncExternalStore } from "react";
import { Api, type LoggedIn, type ReadOptions } from "./api/client";
import { Loaded } from "./Loaded";
import { LogIn } from "./LogIn";
import { NewPatientPage } from "./NewPatientPage";
import { PatientPage } from "./PatientPage";
import { PatientsPage } from "./PatientsPage";
import { useLoad } from "./useLoad";

const storedToken = "clinic.token";

interface Access {
  api: Api | undefined;
  rejection?: string;
}

export function App() {
  const [{ api, rejection }, setAccess] = useState<Access>(() => {
    const token = localStorage.getItem(storedToken);
    return { api: token === null ? undefined : connect(token) };
  });

  function connect(token: string): Api {
    const api: Api = new Api(token, (rejection) => {
      // A response to the previous token can arrive after the user has logged in again, and says nothing about the new one.
      if (localStorage.getItem(storedToken) === token)
        localStorage.removeItem(storedToken);
      setAccess((now) => (now.api === api ? { api, rejection } : now));
    });
    return api;
  }

  function logIn({ token }: LoggedIn) {
    localStorage.setItem(storedToken, token);
    setAccess({ api: connect(token) });
  }

  function logOut() {
    localStorage.removeItem(storedToken);
    setAccess({ api: undefined });
  }

  const isLoggedIn = api !== undefined && rejection === undefined;
  return (
    <>
      <h1>Clinic</h1>
      {!isLoggedIn && <LogIn message={rejection} onLogIn={logIn} />}
      {api && (
        // Hidden, not removed, so that a half-filled form is still there after the user logs in again.
        <div hidden={!isLoggedIn}>
          <header>
            <Me api={api} />
            <button type="button" onClick={logOut}>
              Log out
            </button>
          </header>
          <main>
            <Page api={api} />
          </main>
        </div>
      )}
    </>
  );
}

function Me({ api }: { api: Api }) {
  const load = useCallback((options: ReadOptions) => api.getMe(options), [api]);
  const { result, reload } = useLoad(load);
  return (
    <Loaded name="your account" result={result} reload={reload}>
      {({ name }) => name}
    </Loaded>
  );
}

/** The page for the hash of the address, such as `#/patients/3` or `#/?page=2&q=mi`. */
function Page({ api }: { api: Api }) {
  const hash = useSyncExternalStore(
    subscribeToHash,
    () => window.location.hash,
  );
  const [path = "", query] = hash.replace(/^#?\/?/, "").split("?");
  if (path === "patients/new") return <NewPatientPage api={api} />;
  const [, id] = /^patients\/(.+)$/.exec(path) ?? [];
  if (id !== undefined) return <PatientPage key={id} api={api} id={id} />;
  const parameters = new URLSearchParams(query);
  return (
    <PatientsPage
      api={api}
      page={Number(parameters.get("page")) || 1}
      search={parameters.get("q") ?? ""}
    />
  );
}

function subscribeToHash(onChange: () => void) {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}
