/**
 * Return an entry for `webServer` in `playwright.config.ts` that starts mockpets.
 * @param {ServerOptions} [options]
 * @returns {{
 *   command: string;
 *   url: string;
 *   reuseExistingServer: boolean;
 *   gracefulShutdown: { signal: "SIGTERM"; timeout: number };
 * }}
 */
export function webServer(options?: ServerOptions): {
    command: string;
    url: string;
    reuseExistingServer: boolean;
    gracefulShutdown: {
        signal: "SIGTERM";
        timeout: number;
    };
};
/**
 * Start mockpets, unless it is already running at the URL, and wait until it is ready. In CI (the variable
 * `CI` is set), a running server is an error, unless you set `MOCKPETS_URL`.
 * @param {ServerOptions} [options]
 * @returns {Promise<() => Promise<void>>} a function that stops the server, unless it was already running
 */
export function startServer(options?: ServerOptions): Promise<() => Promise<void>>;
/**
 * Warn once if Playwright uses a server that was already running and is not as `webServer()` would start it. It is not an
 * interface of the kit.
 * @param {Mockpets} mock
 * @param {string} [configFile]
 */
export function warnOfReusedServer(mock: Mockpets, configFile?: string): Promise<void>;
export type ServerOptions = {
    /**
     * The command that runs mockpets, such as `uvx mockpets`; by default the server
     * in the npm package, or `mockpets`.
     */
    command?: string | undefined;
    /**
     * The URL of the server, also for the tests; by default, the variable `MOCKPETS_URL`
     * or `http://localhost:7387`.
     */
    url?: string | undefined;
    /**
     * The data of every session, such as
     * `{ pets: 40, orders: "orders.json" }`: a JSON or YAML file, or a number of records to generate.
     */
    data?: {
        readonly [collection: string]: string | number;
    } | undefined;
    /**
     * The time that the clock of every session shows, such as `2030-12-06T09:00:00Z`; it
     * stands still.
     */
    now?: string | undefined;
    /**
     * More options of `mockpets serve`, such as
     * `--scenarios-dir mock/scenarios`.
     */
    args?: string | readonly string[] | undefined;
};
import { Mockpets } from "./client.js";
