// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

export interface ServerOptions {
  /** The command that runs mockpets, such as `uvx mockpets`; by default the server in the npm package, or `mockpets`. */
  command?: string | undefined;
  /** The URL of the server, also for the tests; by default, the variable `MOCKPETS_URL` or `http://localhost:7387`. */
  url?: string | undefined;
  /** The data of every session, such as `{ pets: 40, orders: "orders.json" }`: a JSON or YAML file, or a number of records to generate. */
  data?: { readonly [collection: string]: string | number } | undefined;
  /** The time that the clock of every session shows, such as `2030-12-06T09:00:00Z`; it stands still. */
  now?: string | undefined;
  /** More options of `mockpets serve`, such as `--scenarios-dir mock/scenarios`. */
  args?: string | readonly string[] | undefined;
}

/** Return an entry for `webServer` in `playwright.config.ts` that starts mockpets. */
export function webServer(options?: ServerOptions): {
  command: string;
  url: string;
  reuseExistingServer: boolean;
  gracefulShutdown: { signal: "SIGTERM"; timeout: number };
};

/**
 * Start mockpets, unless it is already running at the URL, and wait until it is ready. In CI (the variable
 * `CI` is set), a running server is an error, unless you set `MOCKPETS_URL`.
 * @returns a function that stops the server, unless it was already running
 */
export function startServer(options?: ServerOptions): Promise<() => Promise<void>>;
