import { headers } from "next/headers";
import { withSession } from "./mockpets/ssr";

const baseUrl = process.env.API_URL ?? "http://localhost:7387/v1";
const key = process.env.API_KEY ?? "mockpets";

export interface NewPet {
  name: string;
  categoryId: number;
}

export interface Pet extends NewPet {
  id: number;
  status?: string;
}

/** The API has responded with an error, which the message describes. */
export class ApiError extends Error {
  readonly status: number;
  readonly retryAfter: string | null;

  constructor(message: string, response: Response) {
    super(message);
    this.status = response.status;
    this.retryAfter = response.headers.get("Retry-After");
  }
}

export async function listPets(init?: RequestInit): Promise<Pet[]> {
  return request("/pets?limit=100", init);
}

export async function getPet(id: string): Promise<Pet> {
  return request(`/pets/${encodeURIComponent(id)}`);
}

export async function createPet(pet: NewPet): Promise<Pet> {
  return request("/pets", { method: "POST", body: JSON.stringify(pet) });
}

/** Call the API, for the page, route handler or server action that is running. */
async function request<Result>(
  path: string,
  init?: RequestInit,
): Promise<Result> {
  const own = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
  };
  const response = await fetch(baseUrl + path, {
    cache: "no-store",
    ...init,
    headers: withSession(await headers(), own),
  });
  const body = await response.json();
  if (!response.ok)
    throw new ApiError(
      body.message ?? `the server responded with ${response.status}`,
      response,
    );
  return body;
}
