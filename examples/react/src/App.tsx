import { useState, useSyncExternalStore } from "react";
import { Api } from "./api";
import { PetPage } from "./PetPage";
import { PetsPage } from "./PetsPage";
import { SignIn } from "./SignIn";

export function App() {
  const [rejection, setRejection] = useState<string>();
  const [api, setApi] = useState(() => {
    const key = import.meta.env.VITE_API_KEY;
    return key ? new Api(key, setRejection) : undefined;
  });
  const petId = useSyncExternalStore(subscribeToHash, readPetId);

  function signIn(key: string) {
    setRejection(undefined);
    setApi(new Api(key, setRejection));
  }

  const isSignedIn = api && rejection === undefined;
  return (
    <>
      <h1>Pet store</h1>
      {!isSignedIn && <SignIn message={rejection} onSignIn={signIn} />}
      {api && (
        // Hidden, not removed, so that a half-filled form is still there after the user signs in again.
        <main hidden={!isSignedIn}>
          {petId === undefined ? <PetsPage api={api} /> : <PetPage api={api} id={petId} />}
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
