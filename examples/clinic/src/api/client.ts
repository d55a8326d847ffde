import type { components } from "./schema";

const baseUrl = import.meta.env.VITE_API_URL ?? "http://localhost:7387/api";
const maxRetries = 3;

type Schemas = components["schemas"];
export type Appointment = Schemas["Appointment"];
export type Owner = Schemas["Owner"];
export type Patient = Schemas["Patient"];
export type PatientPage = Schemas["PatientPage"];
export type User = Schemas["User"];
export type LoggedIn =
  components["responses"]["LoggedIn"]["content"]["application/json"];

/** What a form sends. Empty fields are left out: the server says which ones it requires. */
export type Draft<Body> = { [Name in keyof Body]?: Body[Name] | undefined };

/** A request failed. The message is for users; the status is 0 if there was no valid response. */
export class ApiError extends Error {
  readonly status: number;
  /** The problems of each field of the request, such as "is required". */
  readonly fields: Schemas["InvalidFields"]["fields"];

  constructor(message: string, status = 0, fields: ApiError["fields"] = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

export interface ReadOptions {
  signal: AbortSignal;
  /** Called before each retry with the seconds until then. */
  onRetry: (seconds: number) => void;
}

export async function logIn(
  credentials: Draft<Schemas["Credentials"]>,
): Promise<LoggedIn> {
  return json(await accept(await send("/login", post(credentials))));
}

export async function register(
  user: Draft<Schemas["NewUser"]>,
): Promise<LoggedIn> {
  return json(await accept(await send("/register", post(user))));
}

/** The API for a user who has logged in. */
export class Api {
  readonly #token: string;
  readonly #onUnauthorized: (message: string) => void;

  constructor(token: string, onUnauthorized: (message: string) => void) {
    this.#token = token;
    this.#onUnauthorized = onUnauthorized;
  }

  getMe(options: ReadOptions): Promise<User> {
    return this.#get("/me", options);
  }

  listOwners(options: ReadOptions): Promise<Owner[]> {
    return this.#get("/owners", options);
  }

  getOwner(id: number, options: ReadOptions): Promise<Owner> {
    return this.#get(`/owners/${id}`, options);
  }

  listPatients(
    page: number,
    search: string,
    options: ReadOptions,
  ): Promise<PatientPage> {
    const query = new URLSearchParams({
      page: String(page),
      ...(search && { q: search }),
    });
    return this.#get(`/patients?${query}`, options);
  }

  createPatient(patient: Draft<Schemas["NewPatient"]>): Promise<Patient> {
    return this.#send("/patients", post(patient));
  }

  getPatient(id: string, options: ReadOptions): Promise<Patient> {
    return this.#get(`/patients/${encodeURIComponent(id)}`, options);
  }

  listAppointments(
    patientId: string,
    options: ReadOptions,
  ): Promise<Appointment[]> {
    return this.#get(
      `/patients/${encodeURIComponent(patientId)}/appointments`,
      options,
    );
  }

  createAppointment(
    patientId: string,
    appointment: Draft<Schemas["NewAppointment"]>,
  ): Promise<Appointment> {
    return this.#send(
      `/patients/${encodeURIComponent(patientId)}/appointments`,
      post(appointment),
    );
  }

  cancelAppointment(id: number): Promise<Appointment> {
    return this.#send(`/appointments/${id}/cancel`, { method: "POST" });
  }

  /** Get a resource. A GET can be repeated safely, so wait as long as `Retry-After` says and try again. */
  async #get<Body>(
    path: string,
    { signal, onRetry }: ReadOptions,
  ): Promise<Body> {
    for (let retries = 0; ; retries++) {
      const response = await send(path, { signal }, this.#token);
      const seconds = Number(response.headers.get("Retry-After"));
      // Number gives 0 without the header, and NaN for a date, which this app does not support.
      if (response.status !== 503 || !(seconds > 0) || retries === maxRetries)
        return this.#read(response);
      onRetry(seconds);
      await sleep(seconds * 1000, signal);
    }
  }

  async #send<Body>(path: string, init: RequestInit): Promise<Body> {
    return this.#read(await send(path, init, this.#token));
  }

  async #read<Body>(response: Response): Promise<Body> {
    try {
      return await json(await accept(response));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        this.#onUnauthorized(error.message);
      throw error;
    }
  }
}

function post(body: object): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
}

async function send(
  path: string,
  { headers, ...init }: RequestInit,
  token?: string,
): Promise<Response> {
  try {
    return await fetch(baseUrl + path, {
      ...init,
      headers: {
        ...headers,
        ...(token && { Authorization: `Bearer ${token}` }),
      },
    });
  } catch {
    throw new ApiError("The clinic cannot be reached. Check your connection.");
  }
}

/** Return a successful response; throw any other one, with a text for users if the server itself has failed. */
async function accept(response: Response): Promise<Response> {
  const { ok, status, statusText } = response;
  if (ok) return response;
  if (status >= 500)
    throw new ApiError(
      `The clinic's server has failed: ${status} ${statusText}.`,
      status,
    );
  // A proxy can respond with HTML.
  const body: Partial<Schemas["InvalidFields"]> = await response
    .json()
    .catch(() => ({}));
  const message =
    status === 429
      ? "Too many requests. Wait a moment before you try again."
      : `The request failed: ${status} ${statusText}.`;
  throw new ApiError(body.message ?? message, status, body.fields);
}

async function json<Body>(response: Response): Promise<Body> {
  try {
    return await response.json();
  } catch {
    throw new ApiError(
      "The clinic sent a response that is incomplete or not valid JSON.",
    );
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
