import { type FormEvent, useState } from "react";
import {
  type Api,
  ApiError,
  type NewPet,
  type PetStatus,
  statuses,
} from "./api";

export function PetForm({ api, onAdded }: { api: Api; onAdded: () => void }) {
  const [error, setError] = useState<string>();
  const [isSending, setIsSending] = useState(false);

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    setError(undefined);
    setIsSending(true);
    try {
      await api.createPet(readPet(new FormData(form)));
      form.reset();
      onAdded();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setError(error.message);
    } finally {
      setIsSending(false);
    }
  }

  return (
    <form aria-label="Add a pet" onSubmit={add}>
      <label>
        Name
        <input name="name" required />
      </label>
      <label>
        Category
        <input name="categoryId" type="number" min={1} required />
      </label>
      <label>
        Status
        <select name="status">
          <option value="">none</option>
          {statuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <button disabled={isSending}>Add pet</button>
      {error !== undefined && <p role="alert">{error}</p>}
    </form>
  );
}

function readPet(data: FormData): NewPet {
  const status = data.get("status");
  return {
    name: String(data.get("name")),
    categoryId: Number(data.get("categoryId")),
    ...(status && { status: status as PetStatus }),
  };
}
