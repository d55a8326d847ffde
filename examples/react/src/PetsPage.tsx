import { useCallback } from "react";
import type { Api, ReadOptions } from "./api";
import { Loaded } from "./Loaded";
import { PetForm } from "./PetForm";
import { useLoad } from "./useLoad";

export function PetsPage({ api }: { api: Api }) {
  const load = useCallback(
    (options: ReadOptions) => api.listPets(options),
    [api],
  );
  const { result, reload } = useLoad(load);
  return (
    <>
      <Loaded result={result} reload={reload}>
        {(pets) =>
          pets.length === 0 ? (
            <p>No pets yet</p>
          ) : (
            <ul aria-label="Pets">
              {pets.map((pet) => (
                <li key={pet.id}>
                  <a href={`#/pets/${pet.id}`}>{pet.name}</a> {pet.status}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <PetForm api={api} onAdded={reload} />
    </>
  );
}
