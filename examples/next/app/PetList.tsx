"use client";

import Link from "next/link";
import { type FormEvent, useState } from "react";
import type { Pet } from "../lib/api";

/** The list, with pets from the server component first and from the route handler after that. */
export function PetList({ initial }: { initial: Pet[] }) {
  const [pets, setPets] = useState(initial);
  const [problem, setProblem] = useState<string>();

  async function call(init?: RequestInit): Promise<boolean> {
    const response = await fetch("/api/pets", init);
    const body = await response.json();
    setProblem(response.ok ? undefined : body.message);
    if (response.ok && Array.isArray(body)) setPets(body);
    return response.ok;
  }

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const pet = {
      name: String(form.get("name")),
      categoryId: Number(form.get("categoryId")),
    };
    if (await call({ method: "POST", body: JSON.stringify(pet) })) await call();
  }

  return (
    <>
      {pets.length === 0 ? (
        <p>No pets yet</p>
      ) : (
        <ul aria-label="Pets">
          {pets.map((pet) => (
            <li key={pet.id}>
              <Link href={`/pets/${pet.id}`} prefetch={false}>
                {pet.name}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <button onClick={() => call()}>Reload</button>
      <form aria-label="Add a pet" onSubmit={add}>
        <label>
          Name
          <input name="name" required />
        </label>
        <label>
          Category
          <input name="categoryId" type="number" min={1} required />
        </label>
        <button>Add pet</button>
      </form>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </>
  );
}
