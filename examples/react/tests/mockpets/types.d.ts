// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

// The types of what users pass to the client and get from it. Interfaces that users augment, and types that depend on
// the contract, cannot be written in JSDoc.

import type { MockpetsError } from "./connection.js";
import type {
  BodyOperators,
  Calls,
  Change,
  CheckedScenario,
  ClockChange,
  ClockState,
  CollectionSummary,
  ContractList,
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
import type {
  Delay,
  ErrorReply,
  Explanation,
  FaultReply,
  Har,
  Match as AnyMatch,
  PageReply,
  Reply as AnyReply,
  RequestToExplain,
} from "./control.js";
import type {
  StatusReply,
  Stub as AnyStub,
  TextOperators,
  Times,
} from "./control.js";
import type { Contract as KnownContract } from "./contract.js";
import type {
  GateName as KnownGate,
  ResourceName as KnownResource,
  ScenarioName as KnownScenario,
} from "./scenarios.js";

export type {
  Change,
  ClockState,
  CollectionSummary,
  Delay,
  ErrorCode,
  Explanation,
  Fault,
  GeneratedRecords,
  Har,
  RequestToExplain,
};
export type {
  CheckedScenario,
  Findings,
  RecordedScenario,
  RecordedStub,
  SessionExport,
  StubInUse,
  WaitingResponse,
} from "./control.js";
export type { ScenarioDetails, ScenarioSummary, Times };

// --- Names and types of your contract ---

/**
 * Your contract, and the names of your scenarios, gates and resources: `mockpets kit --types` declares them in place of
 * those that are known here.
 */
export interface Register {}

type Registered<Key extends string, Known> = Register extends {
  [Name in Key]: infer Own;
}
  ? Own
  : Known;
type Contract = Registered<"contract", KnownContract>;
export type Part<Key extends string> = Contract extends {
  [Name in Key]: infer Value;
}
  ? Value
  : never;
type Operations = Part<"operations">;
export type Collections = Part<"collections">;

/** The name of a scenario. */
export type ScenarioName = Registered<"scenarios", KnownScenario>;

/** A gate at which a scenario file holds responses. */
export type GateName = Registered<"gates", KnownGate>;

/** The name of an operation of your contract. */
export type Operation = keyof Operations & string;

/** A collection that a scenario file defines under `resources`. */
export type ResourceName = Registered<"resources", KnownResource>;

/**
 * A collection of your contract, or of a scenario file. For one that a scenario outside a file defines, write
 * `"carts" as CollectionName`.
 */
export type CollectionName = (keyof Collections & string) | ResourceName;

/** A record of a collection, as responses show it. */
export type RecordOf<Name extends string> = Name extends keyof Collections
  ? AsObject<Collections[Name]>
  : Record<string, unknown>;

/** A new record of a collection: what it lacks is generated, except in the built-in contract. */
export type NewRecordOf<Name extends string> =
  Name extends keyof Part<"created">
    ? AsObject<Part<"created">[Name]>
    : Partial<RecordOf<Name>>;

type AsObject<T> = T extends object ? T : never;

type TypesOf<Name extends string> = Name extends keyof Operations
  ? Operations[Name] extends { types: infer Types }
    ? Types
    : never
  : never;
type StatesOf<Name extends string> = Name extends keyof Operations
  ? Operations[Name] extends { states: infer States extends string }
    ? States
    : never
  : never;

/** The value of a JSON body, from openapi-typescript's type of a message. */
type JsonOf<Message> = Message extends { content: infer Content }
  ? JsonIn<Content>
  : unknown;
type JsonIn<Content> = [
  Extract<keyof Content, `${string}json${string}`>,
] extends [never]
  ? unknown
  : Content[Extract<keyof Content, `${string}json${string}`>];

/** The JSON body of the requests of an operation; `never` if they have none. */
export type RequestBody<Name extends Operation> =
  TypesOf<Name> extends { requestBody?: infer Message }
    ? [NonNullable<Message>] extends [never]
      ? never
      : JsonOf<NonNullable<Message>>
    : never;

/** The JSON body of the responses of an operation with a status. */
export type ResponseBody<Name extends Operation, Status extends number> =
  TypesOf<Name> extends { responses: infer Responses }
    ? BodyOf<Responses, Status>
    : unknown;
type BodyOf<Responses, Status extends number> = Status extends keyof Responses
  ? JsonOf<Responses[Status]>
  : RangeOf<Status> extends keyof Responses
    ? JsonOf<Responses[RangeOf<Status>]>
    : "default" extends keyof Responses
      ? JsonOf<Responses["default"]>
      : unknown;
type RangeOf<Status extends number> =
  `${Status}` extends `${infer First}${number}` ? `${First}XX` : never;

type ParametersOf<Name extends string, Place extends string> =
  TypesOf<Name> extends { parameters: infer Places }
    ? Places extends { [Key in Place]?: infer Parameters }
      ? NonNullable<Parameters>
      : {}
    : {};

// --- Scenarios ---

/** A status that every operation can have: those that networks send. */
type NetworkStatus =
  | 429
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 506
  | 507
  | 508
  | 510
  | 511
  | 520
  | 521
  | 522
  | 523
  | 524
  | 525
  | 526
  | 529
  | 530;
type ClientError =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 418
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 431
  | 451;

/** A state that every operation can have: a status that networks send, a delay, `hold`, `offline`, or a fault. */
type AnyState =
  | "429"
  | `5${number}`
  | `5${number}:${string}`
  | `${number}ms`
  | `${number}s`
  | "hold"
  | "offline"
  | Fault;
type StateOf<Name extends Operation> =
  | StatesOf<Name>
  | `${Extract<StatesOf<Name>, `${number}`>}:${string}`
  | AnyState;

/** A scenario without a file: `createPet:400`, `listPets:3s`, or `all:offline` for all operations. */
export type Expression =
  | { [Name in Operation]: `${Name}:${StateOf<Name>}` }[Operation]
  | `all:${AnyState | "empty" | `4${number}`}`;

/** The statuses that an operation can have. */
type StatusOf<Name extends Operation> =
  NetworkStatus | DocumentedStatus<StatesOf<Name>>;
type DocumentedStatus<State extends string> =
  State extends `${infer Status extends number}`
    ? number extends Status
      ? ClientError
      : Status
    : never;

type Conditions = Omit<AnyMatch, "operation" | "params" | "query" | "body">;

/** The conditions on requests to one operation: names and values are those of the contract. */
export interface OperationMatch<Name extends Operation> extends Conditions {
  operation: Name;
  params?: ParameterConditions<ParametersOf<Name, "path">>;
  query?: ParameterConditions<ParametersOf<Name, "query">>;
  /** Those of the JSON body. To match a body that the contract does not allow, leave the operation out. */
  body?: BodyConditions<RequestBody<Name>>;
}

type ParameterConditions<Parameters> = {
  [Name in keyof Parameters]?:
    ParameterValue<NonNullable<Parameters[Name]>> | TextOperators;
};
type ParameterValue<Value> = Value extends string
  ? Value
  : string | number | boolean;
type BodyConditions<Body> = unknown extends Body
  ? NonNullable<AnyMatch["body"]>
  : Body extends readonly (infer Item)[]
    ? { readonly [position: number]: BodyCondition<Item> }
    : { [Name in keyof Body]?: BodyCondition<Body[Name]> };
type BodyCondition<Value> =
  | BodyOperators
  | (Value extends readonly unknown[]
      ? Value | BodyConditions<Value>
      : Value extends object
        ? BodyConditions<Value>
        : Value);

/** The conditions on requests to several operations, to all, or to a path outside the contract. */
export interface OtherMatch extends Omit<AnyMatch, "operation"> {
  operation?: readonly Operation[];
}

export type Match =
  { [Name in Operation]: OperationMatch<Name> }[Operation] | OtherMatch;

/** What every stub may have. */
type StubOptionsOfAll = Omit<
  AnyStub,
  "match" | "reply" | "sequence" | "off_contract"
>;

/** The response of a stub for one operation: its statuses, each with the body that the contract has. */
export type ReplyOf<Name extends Operation> =
  | "pass"
  | CodeReply
  | PageReply
  | {
      [Status in StatusOf<Name>]: ReplyWith<Status, ResponseBody<Name, Status>>;
    }[StatusOf<Name>];

interface ReplyWith<Status extends number, Body> extends Omit<
  StatusReply,
  "status" | "body"
> {
  status: Status;
  body?: Body;
}

interface CodeReply extends Omit<ErrorReply, "error"> {
  error: Part<"errors">;
}

export type Reply = Exclude<AnyReply, ErrorReply> | CodeReply;
export type SequenceItem = Reply | FaultReply;

/** A stub for one operation. */
export interface OperationStub<
  Name extends Operation,
> extends StubOptionsOfAll {
  match: OperationMatch<Name>;
  reply?: ReplyOf<Name>;
  sequence?: readonly (ReplyOf<Name> | FaultReply)[];
  off_contract?: false;
}

/** A stub for several operations, for all, or for a path outside the contract. */
export interface OtherStub extends StubOptionsOfAll {
  match?: OtherMatch;
  reply?: Reply;
  sequence?: readonly SequenceItem[];
  off_contract?: boolean;
}

/** A stub whose replies may deviate from the contract. */
export interface OffContractStub extends StubOptionsOfAll {
  match?: Match;
  reply?: Reply;
  sequence?: readonly SequenceItem[];
  off_contract: true;
}

export type Stub =
  | { [Name in Operation]: OperationStub<Name> }[Operation]
  | OtherStub
  | OffContractStub;

/** A whole scenario, as in a scenario file. Without a `name`, the server names it. */
export interface Scenario extends Omit<
  ScenarioDocument,
  "data" | "extends" | "stubs"
> {
  /** Scenarios whose stubs follow this scenario's stubs, in this order. */
  extends?: ScenarioName | readonly ScenarioName[];
  /** The contents of collections by name; others have those of the session. */
  data?: DataContents;
  /** Stubs, checked in order; the first one that responds ends the search. */
  stubs?: readonly Stub[];
}

// --- Data ---

/** The contents of collections by name; `{ "*": [] }` empties every collection. */
export type DataContents = {
  readonly [Name in CollectionName]?: Records<GivenRecord<Name>>;
} & { readonly "*"?: readonly [] };

/** A record with or without its key. */
type GivenRecord<Name extends string> = NewRecordOf<Name> | RecordOf<Name>;

/** A list of records, `{ records }`, the name of a fixture, a number of records to generate, or options for generating them. */
export type Records<T extends object = Record<string, unknown>> =
  | readonly T[]
  | { readonly records: readonly T[] }
  | string
  | number
  | GeneratedRecords;

/** Properties of a record to change; null removes one that a record need not have. */
export type Changes<T extends object, Names extends keyof T = keyof T> = {
  [Name in Names]?: T[Name] | ({} extends Pick<T, Name> ? null : never);
};

/** Properties that records must have: those that are no object or list. */
export type RecordFilters<T extends object> = {
  readonly [Name in keyof T]?: T[Name] & (string | number | boolean);
};

/** The records of a collection, whatever the stubs respond to its requests. */
export interface Data<
  T extends object = Record<string, unknown>,
  New extends object = Partial<T>,
> {
  /** Return all records, or those that match the filters: by ID if it is a number, others in the order in which they were added. */
  all(filters?: RecordFilters<T>): Promise<T[]>;
  /** Return a record. */
  get(id: number | string): Promise<T>;
  /** Replace all records. Those without an ID get one. */
  set(records: Records<New | T>): Promise<void>;
  /** Add a record, by default a generated one; return it with its ID. */
  add(record?: New): Promise<T>;
  /** Apply a JSON merge patch: null removes a property. */
  change(
    id: number | string,
    changes: Changes<T, keyof New & keyof T>,
  ): Promise<T>;
  /** Delete a record. */
  delete(id: number | string): Promise<void>;
}

export type DataOf<Name extends string> = Data<
  RecordOf<Name>,
  NewRecordOf<Name>
>;

// --- Requests ---

/** A recorded request and its outcome. */
export interface Entry extends Omit<RequestSummary, "operation"> {
  operation: Operation | null;
}

/** Filters for the request log. A request must match all of them. */
export interface Filter extends Omit<RequestFilters, "operation"> {
  operation?: Operation;
}

/** The conditions of a verification: those of a stub, and `status` (503 or `5xx`) and `outcome` of the response. */
export type VerifyMatch = Match &
  Pick<Verification["match"], "status" | "outcome">;

// --- Sessions ---

/** The scenarios, seed, data and clock of a session. */
export interface Contents {
  scenario?:
    | ScenarioName
    | Expression
    | Scenario
    | (ScenarioName | Expression | Scenario)[];
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

// --- Options of methods ---

/** Properties that a user has; any in a contract without a log-in. */
export type UserProperties = [Part<"people">] extends [never]
  ? object
  : Subset<User>;

/** The pets of the built-in contract. */
export type PetData = Collections extends { pets: unknown }
  ? DataOf<"pets">
  : never;

export interface DropOptions {
  /** Whether to throw `session_lost` if it was another session than in earlier calls. */
  checkLost?: boolean;
}

export interface ExportOptions {
  /** Whether to add the request log as HAR, with secrets redacted. */
  log?: boolean;
}

export interface LoginOptions {
  /** The label of a contract, if several have a log-in. */
  contract?: string | undefined;
}

export interface VerifyOptions {
  /** Milliseconds to wait for the requests, at most 30000; by default 0. */
  within?: number;
}

export interface ReleaseOptions {
  /** What to send in place of the responses, as in the `sequence` of a stub. */
  reply?: Release["reply"];
  /** Milliseconds that each response waits before that. */
  delay?: number;
}

/** The scenarios of `states()`. */
export interface StatesOptions {
  /** Only these scenarios, then these expressions, such as `listPets:500`. */
  only?: readonly (ScenarioName | Expression)[];
  /** Not these scenarios. */
  exclude?: readonly ScenarioName[];
}

// --- Calls ---

/** The name of a call of the control API, such as `GET /scenarios/{name}`. */
export type CallName = keyof Calls;

type ParametersIn<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}`
    ? Name | ParametersIn<Rest>
    : never;

/** What any call of the control API can send. */
export interface AnyCallOptions {
  path?: Readonly<Record<string, string | number>>;
  query?: object | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as YAML, in place of `body`. */
  text?: string | undefined;
  /** Headers besides those of the session. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Another session than that of the connection. */
  session?: string | undefined;
  /** Milliseconds that the server may take in addition. */
  wait?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the ID of the session in the response, and the error that is about to be thrown. */
  check?: ((id: string | null, error?: MockpetsError) => void) | undefined;
}

/** Properties without a value are not sent. */
type Sent<T> = { [Key in keyof T]: T[Key] | undefined };

/** What a call of the control API sends. */
export type CallOptions<Name extends CallName> = Omit<
  AnyCallOptions,
  "path" | "query" | "body"
> & {
  query?: Calls[Name] extends { query?: infer Query }
    ? Sent<Query> | undefined
    : undefined;
  body?: Calls[Name] extends { body?: infer Body }
    ? Sent<Body> | undefined
    : undefined;
} & ([ParametersIn<Name>] extends [never]
    ? { path?: undefined }
    : { path: { [Key in ParametersIn<Name>]: string | number } });

/** The options of a call; those with a path need some. */
export type CallArguments<Name extends CallName> =
  {} extends CallOptions<Name>
    ? [options?: CallOptions<Name>]
    : [options: CallOptions<Name>];

/** The JSON of a response to a call. */
export type CallResponse<Name extends CallName> = Calls[Name]["response"];

/** The code of an error, also of those that the client finds. */
export type FailureCode =
  ErrorCode | "unreachable" | "incompatible" | "session_lost";

/** The details of an error. Its code decides which properties are present; most codes have no details. */
export type ErrorDetails = Partial<
  InvalidInputDetails & VerificationDetails & HeldResponses
>;

/** A user, of a contract with a log-in. */
export type User = [Part<"people">] extends [never]
  ? Record<string, unknown>
  : RecordOf<Part<"people">>;

/** Properties of an object, some of which may be missing at any depth. */
export type Subset<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Name in keyof T]?: Subset<T[Name]> }
    : T;

/** A user who is logged in. */
export interface Login extends Omit<LoggedIn, "user"> {
  /** The user, as the log-in responds with it. */
  user: User;
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
  origins: {
    origin: string;
    localStorage: { name: string; value: string }[];
  }[];
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
