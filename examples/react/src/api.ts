const defaultBaseUrl =
  import.meta.env.VITE_API_URL ?? "http://localhost:7387/v1";
const maxRetries = 3;

export const statuses = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof statuses)[number];

export interface NewPet {
  name: string;
  categoryId: number;
  status?: PetStatus;
}

export interface Pet extends NewPet {
  id: number;
}

export interface NewOrder {
  petId: number;
  name: string;
}

export interface Order extends NewOrder {
  id: number;
}

/** A request failed. The message describes the problem; the status is 0 if there was no valid response. */
export class ApiError extends Error {
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

export interface ReadOptions {
  signal: AbortSignal;
  /** Called before each retry with the seconds until then. */
  onRetry: (seconds: number) => void;
}

export class Api {
  readonly #key: string;
  readonly #onUnauthorized: (message: string) => void;
  readonly #baseUrl: string;

  constructor(
    key: string,
    onUnauthorized: (message: string) => void,
    baseUrl: string = defaultBaseUrl,
  ) {
    this.#key = key;
    this.#onUnauthorized = onUnauthorized;
    this.#baseUrl = baseUrl;
  }

  async listPets(options: ReadOptions): Promise<Pet[]> {
    return json(await this.#get("/pets?limit=100", options));
  }

  /** Return the pet, and the date after which the operation is removed, if the server sends one. */
  async getPet(
    id: string,
    options: ReadOptions,
  ): Promise<{ pet: Pet; sunset: Date | undefined }> {
    const response = await this.#get(
      `/pets/${encodeURIComponent(id)}`,
      options,
    );
    const sunset = response.headers.get("Sunset");
    return {
      pet: await json(response),
      sunset: sunset === null ? undefined : new Date(sunset),
    };
  }

  async createPet(pet: NewPet): Promise<Pet> {
    return this.#post("/pets", pet);
  }

  async placeOrder(order: NewOrder): Promise<Order> {
    return this.#post("/store/orders", order);
  }

  async listOrders(): Promise<Order[]> {
    return json(await this.#accept(await this.#send("/store/orders", {})));
  }

  async #post<Body>(path: string, body: object): Promise<Body> {
    const headers = { "Content-Type": "application/json" };
    const response = await this.#send(path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return json(await this.#accept(response));
  }

  /** Get a resource. A GET can be repeated safely, so wait as long as `Retry-After` says and try again. */
  async #get(
    path: string,
    { signal, onRetry }: ReadOptions,
  ): Promise<Response> {
    for (let retries = 0; ; retries++) {
      const response = await this.#send(path, { signal });
      const seconds = Number(response.headers.get("Retry-After"));
      // Number gives 0 without the header, and NaN for a date, which this app does not support.
      if (response.status !== 503 || !(seconds > 0) || retries === maxRetries) {
        return this.#accept(response);
      }
      onRetry(seconds);
      await sleep(seconds * 1000, signal);
    }
  }

  async #send(
    path: string,
    { headers, ...init }: RequestInit,
  ): Promise<Response> {
    try {
      return await fetch(this.#baseUrl + path, {
        ...init,
        credentials: import.meta.env.DEV ? "include" : "same-origin", // the cookie of the toolbar's links
        headers: { ...headers, Authorization: `Bearer ${this.#key}` },
      });
    } catch {
      throw new ApiError(
        "The server cannot be reached. Check your connection.",
      );
    }
  }

  /** Return the response; throw an error if it is one, with a text for users if the server itself has failed. */
  async #accept(response: Response): Promise<Response> {
    const { ok, status, statusText } = response;
    if (ok) return response;
    if (status === 429)
      throw new ApiError(
        "Too many requests. Wait a moment before you try again.",
        status,
      );
    if (status >= 500)
      throw new ApiError(
        `The server has failed: ${status} ${statusText}.`,
        status,
      );
    const { message } = await json<{ message: string }>(response);
    if (status === 401) this.#onUnauthorized(message);
    throw new ApiError(message, status);
  }
}

async function json<Body>(response: Response): Promise<Body> {
  try {
    return await response.json();
  } catch {
    throw new ApiError(
      "The server sent a response that is incomplete or not valid JSON.",
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
