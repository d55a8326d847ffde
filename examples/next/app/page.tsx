import { Suspense } from "react";
import { Failure } from "../lib/Failure";
import { ApiError, listPets } from "../lib/api";
import { PetList } from "./PetList";

export default function Page() {
  return (
    <main>
      <h1>Pets</h1>
      <Suspense fallback={<p role="status">Loading…</p>}>
        <Pets />
      </Suspense>
    </main>
  );
}

async function Pets() {
  try {
    return <PetList initial={await listPets()} />;
  } catch (error) {
    if (error instanceof ApiError) return <Failure error={error} />;
    throw error;
  }
}
