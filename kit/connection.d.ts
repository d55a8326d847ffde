/**
 * Return an object in JSON; undefined for anything else.
 * @param {string} text
 * @param {(text: string) => unknown} [parse]
 */
export function parseObject(text: string, parse?: (text: string) => unknown): Object | undefined;
/**
 * Return a name as one segment of a path.
 * @param {string} name
 * @throws {TypeError} the name cannot be one
 */
export function segment(name: string): string;
/**
 * Wait for changes until the signal is aborted.
 * @param {(query: { since?: number, wait?: number }) => Promise<Events>} next calls `GET /events`
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(kinds: Change[] | null) => unknown} options.changed called with the kinds of change, and with null at first and
 *   whenever anything may have changed: in another session of this name, or on another server
 * @param {(error: unknown, failures: number) => void} options.failed called before each retry; throws to end the waiting
 * @param {Events} [options.last] what an earlier wait has returned, to continue from
 * @returns {Promise<Events | undefined>}
 */
export function watch(next: (query: {
    since?: number;
    wait?: number;
}) => Promise<Events>, { signal, changed, failed, last }: {
    signal: AbortSignal;
    changed: (kinds: Change[] | null) => unknown;
    failed: (error: unknown, failures: number) => void;
    last?: {
        change: number;
        resets: number | null;
        changed: import("./control.js").components["schemas"]["Change"][];
    } | undefined;
}): Promise<Events | undefined>;
/**
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
export function sleep(milliseconds: number): Promise<void>;
/** Milliseconds to add for a call that waits at the server. */
export const LONGEST_WAIT_MS: 30000;
/** Thrown if the server rejects a call, does not respond, or has lost the session. */
export class MockpetsError extends Error {
    /**
     * @param {FailureCode} code
     * @param {string} message
     * @param {number} [status]
     * @param {ErrorDetails} [details]
     */
    constructor(code: FailureCode, message: string, status?: number, details?: ErrorDetails);
    /**
     * The code of the server's error, `unreachable` if mockpets does not respond at the URL,
     * `incompatible` if the server is older or newer than this kit, or `session_lost` if the server was
     * restarted or another client deleted the session.
     * @readonly
     */
    readonly code: FailureCode;
    /**
     * The HTTP status; 0 if the server did not respond.
     * @readonly
     */
    readonly status: number;
    /**
     * `problems` for an invalid body, `nearest` for a failed `verify`, `held` for a gate.
     * @readonly
     */
    readonly details: Partial<{
        problems: import("./control.js").components["schemas"]["InputProblem"][];
    } & {
        matched: number;
        unknown: number;
        expected: string;
        match: string;
        nearest: import("./control.js").components["schemas"]["NearestRequest"][];
    } & {
        held: number;
    }>;
}
/** The calls of one server, in one session unless a call names another. */
export class Connection {
    /**
     * @param {object} options
     * @param {string} options.root the URL of the server, without a slash at its end
     * @param {() => string} [options.session] the name of the session; empty for none
     * @param {() => string | undefined} [options.token] the control token
     * @param {typeof fetch} [options.fetch]
     * @param {(text: string) => unknown} [options.parse] parses JSON
     * @param {RequestCredentials} [options.credentials] as for `fetch`
     * @param {number} [options.timeout] milliseconds for the response to a call that does not wait
     */
    constructor({ root, session, token, fetch, parse, credentials, timeout, }: {
        root: string;
        session?: (() => string) | undefined;
        token?: (() => string | undefined) | undefined;
        fetch?: typeof globalThis.fetch | undefined;
        parse?: ((text: string) => unknown) | undefined;
        credentials?: RequestCredentials | undefined;
        timeout?: number | undefined;
    });
    /** The URL of the server, without a slash at its end. */
    root: string;
    /**
     * Call the control API; return the JSON of the response.
     * @template {CallName} Name
     * @param {Name} name the method and the path, with the names of its parameters in braces
     * @param {CallArguments<Name>} given
     * @returns {Promise<CallResponse<Name>>}
     * @throws {MockpetsError} the server rejects the call, or does not respond
     */
    call<Name extends CallName>(name: Name, ...given: CallArguments<Name>): Promise<CallResponse<Name>>;
    /**
     * Call the control API; return the JSON of the response as text, with all digits of its numbers.
     * @template {CallName} Name
     * @param {Name} name the method and the path, with the names of its parameters in braces
     * @param {CallArguments<Name>} given
     * @throws {MockpetsError} the server rejects the call, or does not respond
     */
    text<Name extends CallName>(name: Name, ...given: CallArguments<Name>): Promise<string>;
    #private;
}
import type { Events } from "./control.js";
import type { Change } from "./control.js";
import type { FailureCode } from "./types.js";
import type { ErrorDetails } from "./types.js";
import type { CallName } from "./types.js";
import type { CallArguments } from "./types.js";
import type { CallResponse } from "./types.js";
