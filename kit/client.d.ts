/**
 * Return a URL for messages, without a user name and password, and the token in the fragment of the panel's URL.
 * @param {string} url
 */
export function redacted(url: string): string;
/** Return the URL of the server that a user names for all programs, or the default. */
export function namedUrl(): string;
export * from "./types.js";
/**
 * The variable with which `webServer` and `startServer` pass the URL of their server on to the tests. It is stronger
 * than MOCKPETS_URL. Its name begins with another word, because the server rejects unknown variables of mockpets.
 */
export const TESTS_URL: "PLAYWRIGHT_MOCKPETS_URL";
/** The variable with which `startServer` passes on the base paths of this server, as JSON. */
export const TESTS_BASES: "PLAYWRIGHT_MOCKPETS_BASES";
/**
 * What is called after changes of a kind; of requests, what it was called with.
 * @typedef {object} Listener
 * @property {Change | "request"} kind
 * @property {(entry: Entry) => void} listener
 * @property {number} since
 * @property {Set<number>} reported
 */
/**
 * A session of a mockpets server: its own data, scenarios and request log.
 *
 * If a call fails, it throws a `MockpetsError`. The code `session_lost` means that the session's data is
 * gone, because the server was restarted or another client deleted the session.
 */
export class Mockpets {
    /**
     * Return a readable session name that is unique for the title and the parts.
     * @param {string} title
     * @param {(string | number)[]} parts
     */
    static slug(title: string, ...parts: (string | number)[]): string;
    /** @param {Options} [options] */
    constructor(options?: Options);
    /**
     * The name of the session.
     * @readonly
     */
    readonly session: string;
    /**
     * An API key for your app that selects the session, such as `mockpets~my-session`.
     * @readonly
     */
    readonly key: string;
    /**
     * A header for the requests of your app that selects the session.
     * @readonly
     */
    readonly headers: {
        "Mockpets-Session": string;
    };
    /**
     * An entry in the header `baggage` that selects the session, such as `mockpets.session=my-session`.
     * @readonly
     */
    readonly baggage: string;
    /** The root URL of the server. */
    get url(): string;
    /**
     * The base paths of the server's contracts, empty for the root. Until the first call of a client has connected, they
     * are those of the server that `startServer` has started, or `["/v1"]`.
     */
    get bases(): readonly string[];
    /** The URL of the session, such as `http://localhost:7387/~my-session`, to which any of the `bases` can be added. */
    get rootUrl(): string;
    /**
     * A base URL for your app that selects the session, such as `http://localhost:7387/~my-session/v1`. It ends with the
     * first of the `bases`.
     */
    get baseUrl(): string;
    /**
     * Return the session and the server at a glance.
     * @returns {Promise<State>}
     */
    state(): Promise<State>;
    /**
     * Create or change the session. With `--sessions declared`, call this before all other methods.
     * @param {Contents} [contents]
     */
    make(contents?: Contents): Promise<void>;
    /**
     * Activate scenarios; the first takes precedence. An expression such as `getPet:404` is a scenario without a file.
     * @param {(ScenarioName | Expression | Scenario)[]} scenarios
     */
    use(...scenarios: (ScenarioName | Expression | Scenario)[]): Promise<void>;
    /**
     * Return the scenarios that the session can activate.
     * @returns {Promise<ScenarioSummary[]>}
     */
    scenarios(): Promise<ScenarioSummary[]>;
    /**
     * Return the names of the active scenarios; the first takes precedence.
     * @returns {Promise<string[]>}
     */
    active(): Promise<string[]>;
    /**
     * Return a scenario: its description, its stubs, and whether it has affected a request of the session.
     * @param {string} name
     * @returns {Promise<ScenarioDetails>}
     */
    scenario(name: string): Promise<ScenarioDetails>;
    /** Reset data, counters, random numbers and the request log; the active scenarios stay active. */
    reset(): Promise<void>;
    /**
     * Delete the session and release the responses it holds. Its name stays closed for 60 seconds.
     * @param {DropOptions} [options]
     */
    drop(options?: DropOptions): Promise<void>;
    /**
     * Export the data, scenarios, counters, seed and clock of the session, for `import()` on another server.
     * @param {ExportOptions} [options]
     * @returns {Promise<SessionExport>}
     */
    export(options?: ExportOptions): Promise<SessionExport>;
    /**
     * Replace the contents of the session with those of an exported one; the request log restarts.
     * @param {SessionExport} exported
     */
    import(exported: SessionExport): Promise<void>;
    /**
     * Undo the last reset, clear or delete of the session, within 10 seconds.
     * @returns {Promise<Undone>}
     */
    undo(): Promise<Undone>;
    /**
     * The clock of the session, which sets the header `Date`, the reference `now`, and whether getPet is removed.
     * @returns {Clock}
     */
    get clock(): Clock;
    /**
     * Return the collections of the contract and of the active scenarios.
     * @returns {Promise<CollectionSummary[]>}
     */
    collections(): Promise<CollectionSummary[]>;
    /**
     * The pets of the built-in contract: short for `data("pets")`.
     * @returns {PetData}
     */
    get pets(): PetData;
    /**
     * Return the records of a collection, to read and change them; those of a scenario with a type of your own.
     * @template {CollectionName} Name
     * @overload
     * @param {Name} name
     * @returns {DataOf<Name>}
     */
    data<Name extends CollectionName>(name: Name): DataOf<Name>;
    /**
     * Return the records of a collection, to read and change them; those of a scenario with a type of your own.
     * @template {object} T
     * @overload
     * @param {CollectionName | `${ScenarioName}.${ResourceName}`} name
     * @returns {Data<T>}
     */
    data<T extends object>(name: CollectionName | `${ScenarioName}.${ResourceName}`): Data<T>;
    /**
     * Log in as a user of the session, without a password. The contract needs a log-in operation.
     * @param {UserProperties} [user] properties that the user has, such as `{ username: "jake" }`; by default the first user
     * @param {LoginOptions} [options]
     * @returns {Promise<Login>}
     * @throws {MockpetsError} `not_found` if no user has them; its message lists the nearest values
     */
    as(user?: UserProperties, options?: LoginOptions): Promise<Login>;
    /**
     * Return the newest requests that match the filter, by default at most 100, oldest first.
     * @param {Filter} [filter]
     * @returns {Promise<Entry[]>}
     */
    requests(filter?: Filter): Promise<Entry[]>;
    /**
     * Return these requests as a HAR 1.2 document.
     * @param {Filter} [filter]
     * @returns {Promise<Har>}
     */
    har(filter?: Filter): Promise<Har>;
    /**
     * Check that matching requests were received, by default at least one; return them.
     * @param {VerifyMatch} match
     * @param {number | Times} [times]
     * @param {VerifyOptions} [options]
     * @returns {Promise<Entry[]>}
     * @throws {MockpetsError} `verification_failed`; its message shows the nearest requests
     */
    verify(match: VerifyMatch, times?: number | Times, options?: VerifyOptions): Promise<Entry[]>;
    /**
     * Explain why a request, by default the last one, got its response: each stub with its conditions.
     * @param {number} [number]
     * @returns {Promise<Explanation>}
     */
    explain(number?: number): Promise<Explanation>;
    /**
     * Explain what would respond to a request now, without sending it. This changes nothing. Without the header
     * `Authorization`, the request has the key of this session.
     * @param {RequestToExplain} request
     * @returns {Promise<Explanation>}
     */
    explainRequest(request: RequestToExplain): Promise<Explanation>;
    /**
     * Return what each operation of the contracts does, and which rule determined it.
     * @returns {Promise<ContractList["contracts"]>}
     */
    contract(): Promise<ContractList["contracts"]>;
    /**
     * Return what `mockpets report` finds in the request log.
     * @returns {Promise<Findings>}
     */
    findings(): Promise<Findings>;
    /**
     * Return the problems in the text of a scenario file.
     * @param {string} text
     * @param {string} [name]
     * @returns {Promise<CheckedScenario>}
     */
    checkScenario(text: string, name?: string): Promise<CheckedScenario>;
    /**
     * Save a scenario file in a `--scenarios-dir` of the server.
     * @param {string} name
     * @param {string} text
     * @param {string} [digest] that of the file as it was read (`scenario()`); leave it out for a new file
     * @returns {Promise<ScenarioDetails>}
     * @throws {MockpetsError} `conflict`, if the file has changed since; `invalid_scenario` with the problems
     */
    saveScenario(name: string, text: string, digest?: string): Promise<ScenarioDetails>;
    /**
     * Override the text of a scenario in this session only.
     * @param {string} name
     * @param {string} text
     * @returns {Promise<ScenarioDetails>}
     */
    overrideScenario(name: string, text: string): Promise<ScenarioDetails>;
    /**
     * Stop overriding a scenario.
     * @param {string} name
     */
    dropOverride(name: string): Promise<void>;
    /**
     * Return a stub that sends the response of a recorded request to similar requests.
     * @param {number} number
     * @param {StubOptions} [options]
     * @returns {Promise<RecordedStub>}
     */
    stub(number: number, options?: StubOptions): Promise<RecordedStub>;
    /**
     * Activate such a stub, above the other scenarios, which keep their counters.
     * @param {Pick<Entry, "number">} request
     * @param {StubOptions} [options]
     * @returns {Promise<StubInUse>}
     */
    respondLike(request: Pick<Entry, "number">, options?: StubOptions): Promise<StubInUse>;
    /**
     * Remove the stub that `respondLike` activated.
     * @param {number} number
     * @returns {Promise<DroppedStub>}
     */
    dropStub(number: number): Promise<DroppedStub>;
    /**
     * Start recording with the next request, and save the current records.
     * @returns {Promise<RecordingStarted>}
     */
    startRecording(): Promise<RecordingStarted>;
    /**
     * Return a scenario that reproduces the responses since the recording started.
     * @returns {Promise<RecordedScenario>}
     */
    recording(): Promise<RecordedScenario>;
    /**
     * Return the responses that are held, delayed or throttled now, oldest first.
     * @returns {Promise<WaitingResponse[]>}
     */
    held(): Promise<WaitingResponse[]>;
    /**
     * Release the waiting responses to these requests, or replace them.
     * @param {number[]} requests
     * @param {ReleaseOptions} [options]
     */
    release(requests: number[], options?: ReleaseOptions): Promise<void>;
    /**
     * Return a gate, to wait until it holds responses and to release them.
     * @param {GateName | (string & {})} name
     * @returns {Gate}
     */
    gate(name: GateName | (string & {})): Gate;
    /**
     * Call `listener` with each request of the session after its response was sent, beginning with those in
     * the request log. To stop, call the returned function.
     * @overload
     * @param {"request"} kind
     * @param {(entry: Entry) => void} listener
     * @returns {() => void}
     */
    on(kind: "request", listener: (entry: Entry) => void): () => void;
    /**
     * Call `listener` once when connected, and after each change of this kind; `held` is the same as
     * `gates`. To stop, call the returned function. If the server does not respond, the client retries. If the server rejects the
     * call, the error is an unhandled rejection.
     * @overload
     * @param {Change | "held"} kind
     * @param {() => void} listener
     * @returns {() => void}
     */
    on(kind: Change | "held", listener: () => void): () => void;
    #private;
}
/**
 * Where a server is, and the base paths of its contracts.
 */
export type Place = {
    root: string;
    bases: readonly string[];
};
/**
 * What is called after changes of a kind; of requests, what it was called with.
 */
export type Listener = {
    kind: Change | "request";
    listener: (entry: Entry) => void;
    since: number;
    reported: Set<number>;
};
import type { State } from "./control.js";
import type { Contents } from "./types.js";
import type { ScenarioName } from "./types.js";
import type { Expression } from "./types.js";
import type { Scenario } from "./types.js";
import type { ScenarioSummary } from "./control.js";
import type { ScenarioDetails } from "./control.js";
import type { DropOptions } from "./types.js";
import type { ExportOptions } from "./types.js";
import type { SessionExport } from "./control.js";
import type { Undone } from "./control.js";
import type { Clock } from "./types.js";
import type { CollectionSummary } from "./control.js";
import type { PetData } from "./types.js";
import type { CollectionName } from "./types.js";
import type { DataOf } from "./types.js";
import type { ResourceName } from "./types.js";
import type { Data } from "./types.js";
import type { UserProperties } from "./types.js";
import type { LoginOptions } from "./types.js";
import type { Login } from "./types.js";
import type { Filter } from "./types.js";
import type { Entry } from "./types.js";
import type { Har } from "./control.js";
import type { VerifyMatch } from "./types.js";
import type { Times } from "./control.js";
import type { VerifyOptions } from "./types.js";
import type { Explanation } from "./control.js";
import type { RequestToExplain } from "./control.js";
import type { ContractList } from "./control.js";
import type { Findings } from "./control.js";
import type { CheckedScenario } from "./control.js";
import type { StubOptions } from "./types.js";
import type { RecordedStub } from "./control.js";
import type { StubInUse } from "./control.js";
import type { DroppedStub } from "./control.js";
import type { RecordingStarted } from "./control.js";
import type { RecordedScenario } from "./control.js";
import type { WaitingResponse } from "./control.js";
import type { ReleaseOptions } from "./types.js";
import type { GateName } from "./types.js";
import type { Gate } from "./types.js";
import type { Change } from "./control.js";
import type { Options } from "./types.js";
export { MockpetsError, parseObject } from "./connection.js";
