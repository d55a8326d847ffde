// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

/**
 * Importing this module adds the toolbar to the page. Use it in development only, such as
 * `if (import.meta.env.DEV) await import("mockpets/toolbar");`.
 *
 * The server is at `http://localhost:7387`, or where the attribute `data-mockpets-url` of `<html>` says, such as
 * `<html data-mockpets-url="http://localhost:8080">`. The module that a server serves uses that server.
 *
 * After a switch, the toolbar dispatches the event `mockpets` at the window. To load the data yourself, prevent its
 * default, which reloads the page.
 */
declare global {
  interface WindowEventMap {
    mockpets: CustomEvent<null>;
  }
}

export {};
