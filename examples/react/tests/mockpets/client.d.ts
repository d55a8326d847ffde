// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

import type {
  BodyOperators,
  Change,
  CheckedScenario,
  ClockChange,
  ClockState,
  CollectionSummary,
  DroppedStub,
  ErrorCode,
  Fault,
  Findings,
  GeneratedRecords,
  HeldResponses,
  InvalidInputDetails,
  LoggedIn,
  RecordedScenario,
  RecordedStub,
  RecordingStarted,
  Release,
  RequestFilters,
  RequestSummary,
  ScenarioDetails,
  ScenarioDocument,
  ScenarioSummary,
  SessionExport,
  State,
  StubInUse,
  Undone,
  Verification,
  VerificationDetails,
  WaitingResponse,
} from "./control.js";
import type { Explanation, Har, NewPet, Operation, Pet, PetStatus, RequestBodies, RequestToExplain, Times } from "./control.js";
import type { GateName as KnownGate, CollectionName as KnownCollection, ScenarioName as KnownScenario } from "./scenarios.js";

export type { Change, ClockState, CollectionSummary, ErrorCode, Explanation, GeneratedRecords, Har, NewPet, Pet, PetStatus, RequestToExplain };
export type { CheckedScenario, Findings, RecordedScenario, RecordedStub, SessionExport, StubInUse, WaitingResponse } from "./control.js";
export type { ScenarioDetails, ScenarioSummary, Times };
export type { Delay, Fault, Match, Operation, Reply, SequenceItem, Stub } from "./control.js";

/** The names of your scenarios, gates and collections: `mockpets kit --types` adds them to those that are known here. */
export interface Register {}

/** The name of a scenario. */
export type ScenarioName = KnownScenario | (Register extends { scenarios: infer Name } ? Name : never);

/** A state of an operation: a status and perhaps an example, a delay, `hold`, `empty`, `offline`, or a fault. */
type OperationState = `${number}` | `${number}:${string}` | `${number}ms` | `${number}s` | "hold" | "empty" | "offline" | Fault;

/** A scenario without a file: `createPet:422`, `listPets:3s`, or `all:offline` for all operations. */
export type Expression = `${string}:${OperationState}`;

/** A gate at which a scenario file holds responses. */
export type GateName = KnownGate | (Register extends { gates: infer Name } ? Name : never);

type AnyCollection = KnownCollection | (Register extends { collections: infer Name } ? Name : never);

/**
 * A collection of the contract, or of your scenario files; any name if the files define none. For one that a scenario
 * outside a file defines, write `"carts" as CollectionName`.
 */
export type CollectionName = [Exclude<AnyCollection, "pets">] extends [never] ? string : AnyCollection;

/** A whole scenario, as in a scenario file. Without a `name`, the server names it. */
export interface Scenario extends Omit<ScenarioDocument, "data" | "extends"> {
  /** Scenarios whose stubs follow this scenario's stubs, in this order. */
  extends?: ScenarioName | readonly ScenarioName[];
  /** The contents of collections by name; others have those of the session. */
  data?: DataContents;
}

/** The contents of collections by name; `{ "*": [] }` empties every collection. */
export interface DataContents {
  readonly pets?: Records<Pet>;
  readonly "*"?: readonly [];
  readonly [collection: string]: Records<object> | undefined;
}

/** A list of records, `{ records }`, the name of a fixture, a number of records to generate, or options for generating them. */
export type Records<T extends object = Record<string, unknown>> =
  | readonly T[]
  | { readonly records: readonly T[] }
  | string
  | number
  | GeneratedRecords;

/** Properties of a pet to change; null removes one that a pet need not have. */
export type PetChange = { [Name in keyof NewPet]?: NewPet[Name] | ({} extends Pick<NewPet, Name> ? null : never) };

/** A recorded request and its outcome. */
export type Entry = RequestSummary;

/** Filters for the request log. A request must match all of them. */
export type Filter = RequestFilters;

/** The conditions of a verification: those of a stub, and `status` (503 or `5xx`) and `outcome` of the response. */
export type VerifyMatch = BodyMatch | OtherMatch;

type Conditions = Verification["match"];

/**
 * With an operation whose requests have a body, such as `createPet`, `body` has the properties of this body. To check
 * others, leave the operation out.
 */
export type BodyMatch = { [Name in keyof RequestBodies]: MatchWithBody<Name> }[keyof RequestBodies];

export interface MatchWithBody<Name extends keyof RequestBodies> extends Omit<Conditions, "operation" | "body"> {
  operation: Name;
  body?: { [Property in keyof RequestBodies[Name]]?: RequestBodies[Name][Property] | BodyOperators };
}

export interface OtherMatch extends Omit<Conditions, "operation"> {
  operation?: Exclude<Operation, keyof RequestBodies> | Operation[];
}

/** The scenarios, seed, data and clock of a session. */
export interface Contents {
  scenario?: ScenarioName | Expression | Scenario | (ScenarioName | Expression | Scenario)[];
  seed?: number;
  data?: DataContents;
  clock?: ClockChange;
}

/** What a stub does instead of responding as recorded, and which requests it responds to. */
export interface StubOptions {
  status?: number;
  fault?: Fault;
  /** The gate that holds the response of the operation. */
  hold?: string;
  /** Milliseconds by which the response of the operation is delayed. */
  delay?: number;
  /** How many requests it responds to; by default all. */
  times?: number;
  /** Match the ids and dates of the request too. */
  exact?: true;
}

export interface Options {
  /**
   * The URL of the server, which can name a session, as in `http://localhost:7387/~my-session`, and end with a base path.
   * By default, that of `webServer` or `startServer`, or else the variable `MOCKPETS_URL` or `http://localhost:7387`.
   */
  url?: string | undefined;
  /** The session; by default the one that the URL names, or `default`. */
  session?: string | undefined;
  /** The control token. By default the variable `MOCKPETS_CONTROL_TOKEN`. */
  token?: string | undefined;
  /** The API key that your app sends; by default `mockpets`. */
  key?: string | undefined;
  /** The function that sends the requests; by default the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** The details of an error. Its code decides which properties are present; most codes have no details. */
export type ErrorDetails = Partial<InvalidInputDetails & VerificationDetails & HeldResponses>;

/** Thrown if the server rejects a call, does not respond, or has lost the session. */
export class MockpetsError extends Error {
  constructor(code: MockpetsError["code"], message: string, status?: number, details?: ErrorDetails);
  /**
   * The code of the server's error, `unreachable` if mockpets does not respond at the URL,
   * `incompatible` if the server is older or newer than this kit, or `session_lost` if the server was
   * restarted or another client deleted the session.
   */
  readonly code: ErrorCode | "unreachable" | "incompatible" | "session_lost";
  /** The HTTP status; 0 if the server did not respond. */
  readonly status: number;
  /** `problems` for an invalid body, `nearest` for a failed `verify`, `held` for a gate. */
  readonly details: ErrorDetails;
}

/** Properties that records must have: those that are no object or list. */
export type RecordFilters<T extends object> = { readonly [Name in keyof T]?: T[Name] & (string | number | boolean) };

/** The records of a collection, whatever the stubs respond to its requests. */
export interface Data<T extends object = Record<string, unknown>> {
  /** Return all records, or those that match the filters: pets by ID, others in the order in which they were added. */
  all(filters?: RecordFilters<T>): Promise<T[]>;
  /** Return a record. */
  get(id: number | string): Promise<T>;
  /** Replace all records. Those without an ID get one. */
  set(records: Records<Partial<T>>): Promise<void>;
  /** Add a record; return it with its ID. */
  add(record: Partial<T>): Promise<T>;
  /** Apply a JSON merge patch: null removes a property. */
  change(id: number | string, changes: { [Name in keyof T]?: T[Name] | null }): Promise<T>;
  /** Delete a record. */
  delete(id: number | string): Promise<void>;
}

/** The pets. */
export interface Pets extends Data<Pet> {
  /** Replace all pets. */
  set(pets: Records<Pet>): Promise<void>;
  /** Add a pet; return it with its ID. */
  add(pet: NewPet): Promise<Pet>;
  /** Change properties of a pet, and return it. */
  change(id: number | string, changes: PetChange): Promise<Pet>;
}

/** A user who is logged in. */
export interface Login extends LoggedIn {
  /**
   * Return what Playwright's option `storageState` takes. The cookie of the log-in is in it.
   * @param places where your app keeps the token
   * @throws TypeError if there is neither a cookie nor an item of localStorage
   */
  storageState(places?: TokenPlaces): StorageState;
}

/** Where an app keeps the token of its user. */
export interface TokenPlaces {
  /** The URL of your app, such as Playwright's `baseURL`; `localStorage` needs it. */
  origin?: string | undefined;
  /** Items of localStorage; JSON of a value that is no text, such as `{ user: login.user }`. */
  localStorage?: Readonly<Record<string, unknown>>;
  /** Cookies of your app and of mockpets, besides that of the log-in. */
  cookies?: Readonly<Record<string, string>>;
}

/** The cookies and the localStorage of a browser, as Playwright takes them. */
export interface StorageState {
  cookies: {
    name: string;
    value: string;
    domain: string;
    path: string;
    expires: number;
    httpOnly: boolean;
    secure: boolean;
    sameSite: "Lax";
  }[];
  origins: { origin: string; localStorage: { name: string; value: string }[] }[];
}

/** A point at which scenarios hold responses until you release them. */
export interface Gate {
  /**
   * Wait until the gate holds at least `count` responses, by default one.
   * @param within milliseconds, at most 30000; by default 5000
   * @throws MockpetsError `not_held`, if it holds fewer after that time
   */
  held(count?: number, within?: number): Promise<void>;
  /** Release the held responses; return their number. */
  open(): Promise<number>;
}

/** The clock of a session. */
export interface Clock {
  /** Return the time of the clock, and whether it stands still. */
  get(): Promise<ClockState>;
  /**
   * Set the time; `null` restores the real time.
   * @param options.frozen whether the clock stands still; by default as before, and at first it runs
   */
  set(now: Time | null, options?: { frozen?: boolean }): Promise<ClockState>;
  /** Move the clock. */
  advance(milliseconds: number): Promise<ClockState>;
  /** Make the clock stand still, at its present time or another. */
  freeze(now?: Time): Promise<ClockState>;
}

/** A time: a `Date`, milliseconds since 1970, or text with an offset such as `2030-12-06T09:00:00Z`, or a date. */
export type Time = Date | number | string;

/**
 * A session of a mockpets server: its own data, scenarios and request log.
 *
 * If a call fails, it throws a `MockpetsError`. The code `session_lost` means that the session's data is
 * gone, because the server was restarted or another client deleted the session.
 */
export class Mockpets {
  constructor(options?: Options);

  /** Return a readable session name that is unique for the title and the parts. */
  static slug(title: string, ...parts: (string | number)[]): string;

  /** The name of the session. */
  readonly session: string;
  /** The root URL of the server. */
  readonly url: string;
  /**
   * The base paths of the server's contracts, empty for the root. Until the first call of a client has connected, they
   * are those of the server that `startServer` has started, or `["/v1"]`.
   */
  readonly bases: readonly string[];
  /** The URL of the session, such as `http://localhost:7387/~my-session`, to which any of the `bases` can be added. */
  readonly rootUrl: string;
  /**
   * A base URL for your app that selects the session, such as `http://localhost:7387/~my-session/v1`. It ends with the
   * first of the `bases`.
   */
  readonly baseUrl: string;
  /** An API key for your app that selects the session, such as `mockpets~my-session`. */
  readonly key: string;
  /** A header for the requests of your app that selects the session. */
  readonly headers: { "Mockpets-Session": string };
  /** An entry in the header `baggage` that selects the session, such as `mockpets.session=my-session`. */
  readonly baggage: string;
  /** The clock of the session: the header `Date`, the reference `now`, and whether getPet is removed. */
  readonly clock: Clock;

  /** Return the session and the server at a glance. */
  state(): Promise<State>;
  /** Create or change the session. With `--sessions declared`, call this before all other methods. */
  make(contents?: Contents): Promise<void>;
  /** Activate scenarios; the first takes precedence. */
  use(...scenarios: (ScenarioName | Expression | Scenario)[]): Promise<void>;
  /** Return all scenarios that the session can activate. */
  scenarios(): Promise<ScenarioSummary[]>;
  /** Return the names of the active scenarios; the first takes precedence. */
  active(): Promise<string[]>;
  /** Return a scenario: its description and stubs, and whether a request of the session has shown it. */
  scenario(name: string): Promise<ScenarioDetails>;
  /** Reset data, counters, random numbers and the request log; the active scenarios stay active. */
  reset(): Promise<void>;
  /**
   * Delete the session and release the responses it holds. Its name stays closed for 60 seconds.
   * @param options.checkLost whether to throw `session_lost` if it was another session than in earlier calls
   */
  drop(options?: { checkLost?: boolean }): Promise<void>;
  /**
   * Return data, scenarios, counters, seed and clock of the session, for `import()` on another server.
   * @param options.log whether to add the request log as HAR, with secrets redacted
   */
  export(options?: { log?: boolean }): Promise<SessionExport>;
  /** Replace the contents of the session by those of an exported one; the request log starts again. */
  import(exported: SessionExport): Promise<void>;
  /** Put back what the last reset, clear or delete of the session removed, within 10 seconds. */
  undo(): Promise<Undone>;

  /** Return the collections of the contract and of the active scenarios. */
  collections(): Promise<CollectionSummary[]>;
  /** The pets: short for `data("pets")`. */
  readonly pets: Pets;
  /** Return the records of a collection, to read and change them. */
  data(name: "pets"): Pets;
  data<T extends object = Record<string, unknown>>(name: CollectionName | `${ScenarioName}.${Exclude<CollectionName, "pets">}`): Data<T>;

  /**
   * Log a user of the session in, without a password: for a contract with a log-in.
   * @param user properties that the user has, such as `{ username: "jake" }`; by default the first user
   * @param options.contract the label of a contract, if several have a log-in
   * @throws MockpetsError `not_found` if no user has them; its message lists the nearest values
   */
  as(user?: object, options?: { contract?: string | undefined }): Promise<Login>;

  /** Return the newest requests that match the filter, by default at most 100, oldest first. */
  requests(filter?: Filter): Promise<Entry[]>;
  /** Return the same requests as a HAR 1.2 document. */
  har(filter?: Filter): Promise<Har>;
  /**
   * Check that matching requests were received, by default at least one; return them.
   * @param options.within milliseconds to wait for them, at most 30000; by default 0
   * @throws MockpetsError `verification_failed`; its message shows the nearest requests
   */
  verify(match: VerifyMatch, times?: number | Times, options?: { within?: number }): Promise<Entry[]>;
  /** Return why a request, by default the last one, got its response: each stub with each condition. */
  explain(number?: number): Promise<Explanation>;
  /**
   * Return what would respond to a request now, and why. This changes nothing. Without the header
   * `Authorization`, the request has the key of this session.
   */
  explainRequest(request: RequestToExplain): Promise<Explanation>;
  /** Return what `mockpets report` finds in the request log. */
  findings(): Promise<Findings>;
  /** Return the problems in the text of a scenario file. */
  checkScenario(text: string, name?: string): Promise<CheckedScenario>;
  /**
   * Save a scenario file in a `--scenarios-dir` of the server.
   * @param digest that of the file as it was read (`scenario()`); leave it out for a new file
   * @throws MockpetsError `conflict`, if the file has changed since; `invalid_scenario` with the problems
   */
  saveScenario(name: string, text: string, digest?: string): Promise<ScenarioDetails>;
  /** Use the text of a scenario file in this session only. */
  overrideScenario(name: string, text: string): Promise<ScenarioDetails>;
  /** Use the file of a scenario again. */
  dropOverride(name: string): Promise<void>;
  /** Return a stub that sends the response of a recorded request to similar requests. */
  stub(number: number, options?: StubOptions): Promise<RecordedStub>;
  /** Put such a stub on top of the active scenarios, whose counters go on. */
  respondLike(request: Pick<Entry, "number">, options?: StubOptions): Promise<StubInUse>;
  /** Remove the stub of `respondLike` again. */
  dropStub(number: number): Promise<DroppedStub>;
  /** Start recording with the next request, and save the current records. */
  startRecording(): Promise<RecordingStarted>;
  /** Return a scenario with which the requests since then get the same responses. */
  recording(): Promise<RecordedScenario>;
  /** Return the responses that are held, delayed or throttled now, the first one first. */
  held(): Promise<WaitingResponse[]>;
  /**
   * Send the responses to some requests, which wait, now.
   * @param options.reply what to send in their place, as in the `sequence` of a stub
   * @param options.delay milliseconds that each waits before that
   */
  release(requests: number[], options?: { reply?: Release["reply"]; delay?: number }): Promise<void>;
  /** Return a gate, to wait until it holds responses and to release them. */
  gate(name: GateName | (string & {})): Gate;
  /**
   * Call `listener` with each request of the session after its response was sent, beginning with those in
   * the request log. To stop, call the returned function.
   */
  on(kind: "request", listener: (entry: Entry) => void): () => void;
  /**
   * Call `listener` once when connected, and after each change of this kind; `held` is the same as
   * `gates`. To stop, call the returned function. If the server does not respond, the client retries. If the server rejects the
   * call, the error is an unhandled rejection.
   */
  on(kind: Change | "held", listener: () => void): () => void;
}
