// What users write with the client. It must compile, and is never run.

import { Mockpets, MockpetsError } from "mockpets";
import type {
  Change,
  Changes,
  ClockState,
  CollectionSummary,
  Data,
  DataContents,
  Delay,
  Entry,
  Explanation,
  Fault,
  Filter,
  Gate,
  Match,
  NewRecordOf,
  Options,
  RecordOf,
  Records,
  Reply,
  RequestToExplain,
  Scenario,
  ScenarioName,
  SequenceItem,
  SessionExport,
  Stub,
  Times,
  VerifyMatch,
} from "mockpets";

// A session

const options: Options = { url: "http://localhost:7387", session: "w1", token: "secret", key: "mockpets" };
const session = Mockpets.slug("shows the pet", "chromium", 3);
export const mock = new Mockpets({ ...options, session });
export const unnamed = new Mockpets();
export const withFetch = new Mockpets({ fetch: (input, init) => fetch(input, { ...init, cache: "no-store" }) });

export async function makeSession(): Promise<void> {
  await mock.make();
  await mock.make({ scenario: "retry", seed: 3, data: { pets: 5 }, clock: { now: "2031-01-01", frozen: true } });
  await mock.clock.set(new Date(), { frozen: true });
  await mock.clock.set(null);
  const { now, frozen }: ClockState = await mock.clock.advance(86_400_000);
  await mock.clock.freeze(frozen ? now : undefined);
  await mock.make({ scenario: ["retry", { description: "Down.", stubs: [{ reply: { status: 503 } }] }] });
  await mock.make({ data: { "*": [], orders: [{ id: 1, petId: 3 }], carts: "carts" } });
  const exported: SessionExport = await mock.export({ log: true });
  await mock.import(exported);
  await mock.reset();
  await mock.drop();
}

export function callApp(): Promise<Response> {
  const name: string = mock.session;
  const { url, key, headers } = mock;
  console.log(name, url);
  return fetch(`${mock.baseUrl}/pets`, { headers: { ...headers, Authorization: `Bearer ${key}` } });
}

// Scenarios

const match: Match = { operation: ["listPets"], headers: { Accept: { contains: "json" } } };
const delay: Delay = { min: "100ms", max: "2s" };
const fault: Fault = "connection_reset";
const reply: Reply = { error: "unauthorized", message: "Your key has expired." };
const busy: SequenceItem = { status: 429, headers: { "Retry-After": 5 } };
const sequence: SequenceItem[] = ["pass", busy, { fault: "empty_reply" }];
const stubs: Stub[] = [
  { match, times: 2, delay, reply: "pass" },
  { match: { operation: "getPet", params: { petId: { one_of: [3, 4] } } }, reply },
  { match: { body: { name: { one_of: ["Miso", null] } } }, fault },
  { match: { query: { status: "sold", limit: { present: false } } }, sequence, repeat: "cycle" },
  { hold: "checkout", throttle: "500 B/s", probability: 0.25, after: 1 },
  { reply: { status: 200, body: { items: [{ id: 1 }], next: null } }, off_contract: true },
  { reply: { page: [{ id: 1, name: "Miso", categoryId: 2 }] } },
];
export const scenario: Scenario = {
  name: "slow-then-down",
  description: "Slow, then down.",
  extends: ["retry", "empty"],
  data: { pets: { count: 3, locale: "de_DE" }, orders: [{ id: 1, petId: 3 }] },
  resources: [{ path: "/v1/store/orders", required: ["petId"], filters: ["petId"] }],
  stubs,
};
export const empty = { description: "Nothing.", data: { "*": [] } } satisfies Scenario;
export const down = { description: "Down.", extends: "empty", stubs: [] } satisfies Scenario;
const names = ["retry", "empty"] as const satisfies readonly ScenarioName[];
const chosen: (ScenarioName | Scenario)[] = ["empty", scenario];

export async function useScenarios(): Promise<void> {
  await mock.use("empty");
  await mock.use("createPet:400", "listPets:3s", "getPet:200:cat", "listPets:connection_reset", "all:offline");
  await mock.use("retry", scenario, { description: "Held.", stubs: [{ hold: "checkout" }] });
  await mock.use(...names);
  await mock.use(...chosen, down);
  await mock.use();
}

// Data

type Pet = RecordOf<"pets">;
type NewPet = NewRecordOf<"pets">;
const pets: Pet[] = [{ id: 1, name: "Miso", categoryId: 2, status: "sold" }];
const frozen: readonly Pet[] = pets;
const sources: Records<Pet>[] = [pets, frozen, "fixture", 5, { count: 3, seed: 4 }, { records: frozen }];
const contents: DataContents = { pets: frozen };
const statuses: NonNullable<Pet["status"]>[] = ["available", "pending", "sold"];

export async function usePets(): Promise<string[]> {
  for (const source of sources) await mock.pets.set(source);
  await mock.make({ data: contents });
  const created: NewPet = { name: "Miso", categoryId: 2 };
  const { id }: Pet = await mock.pets.add(created);
  const change: Changes<Pet, keyof NewPet> = { status: null };
  await mock.pets.change(id, change);
  await mock.pets.delete(id);
  interface Order {
    id: number;
    petId: number;
    note?: string;
  }
  const same: Data<Pet, NewPet> = mock.data("pets");
  await same.all({ name: "Miso", categoryId: 2 });
  const any: Record<string, unknown>[] = await mock.data("orders").all({ open: true });
  await mock.data("orders").set(any);
  const orders = mock.data<Order>("orders");
  const [order] = await orders.all({ petId: 3 });
  await orders.set([{ petId: order?.id ?? 1 }]);
  await orders.set("orders");
  const { petId } = await orders.add({ petId: 3 });
  await orders.change(petId, { note: null });
  const collections: CollectionSummary[] = await mock.collections();
  for (const { name, hidden_by, content_of } of collections) console.log(name, hidden_by, content_of);
  await Promise.all(statuses.map((status) => mock.pets.all({ status })));
  const sold: Pet[] = await mock.pets.all({ status: "sold" });
  await mock.pets.set(sold);
  const first = sold[0];
  return first ? [first.name, first.status ?? "unknown"] : [];
}

// Requests

const filter: Filter = { operation: "listPets", status: "4xx", note: "key_missing", since: 3, limit: 10 };
const atMost: Times = { at_least: 1, at_most: 3 };
const created: VerifyMatch = { operation: "createPet", body: { name: { contains: "Mi" } }, outcome: ["sent"], status: ["5xx", 404] };

export async function verifyRequests(): Promise<void> {
  const entries: Entry[] = await mock.requests(filter);
  const all = await mock.requests();
  const last = all.at(-1);
  console.log(last?.number.toFixed(), last?.status?.toFixed(), last?.notes.map((note) => note.code), entries);
  const archive = await mock.har(filter);
  console.log(archive.log.version, archive.log.entries.length);
  const why: Explanation = await mock.explain();
  console.log(why.summary, why.stubs[0]?.conditions[0]?.holds, (await mock.explain(3)).by);
  const unsent: RequestToExplain = { method: "POST", path: "/v1/pets", headers: { a: "b" }, body: { name: "Miso" } };
  console.log((await mock.explainRequest(unsent)).nearest);
  // @ts-expect-error - a request needs a path
  await mock.explainRequest({ method: "GET" });
  const [request] = await mock.verify(created);
  console.log(request?.target.toUpperCase());
  await mock.verify({ method: "DELETE", path: "/v1/pets/{petId}" }, atMost);
  await mock.verify(match, undefined, { within: 2_000 });
}

export async function explain(): Promise<string[]> {
  try {
    await mock.verify({ operation: "createPet" }, 2);
    return [];
  } catch (error) {
    if (!(error instanceof MockpetsError)) throw error;
    if (error.code === "session_lost" || error.code === "unreachable") return [error.message];
    const { nearest = [], problems = [], held } = error.details;
    const differences = nearest.flatMap((each) => each.differences.map(({ where, got }) => `${where}: ${got}`));
    return [`${error.status} ${held ?? ""}`, ...differences, ...problems.map((each) => each.what)];
  }
}

// Gates and changes

export async function holdResponse(): Promise<number> {
  const gate: Gate = mock.gate("checkout");
  await gate.held();
  await gate.held(2, 3_000);
  const released: number = await gate.open();
  return released;
}

export function listen(kinds: Change[]): () => void {
  const stop = mock.on("request", ({ method, path, status }) => console.log(method, path, status));
  const stops = kinds.map((kind) => mock.on(kind, async () => console.log(await mock.requests())));
  return () => [stop, ...stops].forEach((each) => each());
}
