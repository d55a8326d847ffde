import { useState, useSyncExternalStore } from "react";
import { Api } from "./api";
import { PetPage } from "./PetPage";
import { PetsPage } from "./PetsPage";
import { SignIn } from "./SignIn";

interface Access {
  api: Api | undefined;
  rejection?: string;
}

export function App() {
  const [{ api, rejection }, setAccess] = useState<Access>(() => {
    const key = import.meta.env.VITE_API_KEY;
    return { api: key ? connect(key) : undefined };
  });
  const petId = useSyncExternalStore(subscribeToHash, readPetId);

  function connect(key: string): Api {
    // A response to the previous key can arrive after the user has signed in again, and says nothing about the new key.
    const api: Api = new Api(key, (rejection) =>
      setAccess((now) => (now.api === api ? { api, rejection } : now)),
    );
    return api;
  }

  const isSignedIn = api && rejection === undefined;
  return (
    <>
      <h1>Pet store</h1>
      {!isSignedIn && (
        <SignIn
          message={rejection}
          onSignIn={(key) => setAccess({ api: connect(key) })}
        />
      )}
      {api && (
        // Hidden, not removed, so that a half-filled form is still there after the user signs in again.
        <main hidden={!isSignedIn}>
          {petId === undefined ? (
            <PetsPage api={api} />
          ) : (
            <PetPage api={api} id={petId} />
          )}
        </main>
      )}
    </>
  );
}

function subscribeToHash(onChange: () => void) {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}

/** Return the ID in an address such as `/#/pets/3`. */
function readPetId(): string | undefined {
  return /^#\/pets\/(.+)$/.exec(window.location.hash)?.[1];
}
