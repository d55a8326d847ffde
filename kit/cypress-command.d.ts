// By hand, because JSDoc cannot declare a command in Cypress' global namespace. `cypress.js` imports it.

/// <reference types="cypress" />
import type { Contents, Mockpets } from "./client.js";

/** Options of the first `cy.mockpets()` of a test. */
export interface MockpetsOptions {
  /** The URL of the server; by default, Cypress' variable `MOCKPETS_URL` or `http://localhost:7387`. */
  url?: string | undefined;
  /** The API key of your app, for `mock.key`; by default, Cypress' variable `MOCKPETS_KEY` or `mockpets`. */
  key?: string | undefined;
  /** The control token; by default, Cypress' variable `MOCKPETS_CONTROL_TOKEN`. */
  token?: string | undefined;
  /**
   * Options of the server that the tests expect, besides `--sessions declared`, such as `--seed 4`; by default,
   * Cypress' variable `MOCKPETS_ARGS`. The command log warns if the server has others.
   */
  args?: string | undefined;
  /** Origins to which the page sends the session, in addition to those of mockpets and `baseUrl`. */
  origins?: readonly string[] | undefined;
}

declare global {
  namespace Cypress {
    interface Chainable {
      /**
       * Return the session of this test. The first call creates it, and the page sends its name with each
       * request to mockpets and to your app; it is deleted after the test. Call it in a test or in `beforeEach`.
       * @param scenario scenarios to activate, the first with precedence
       * @example
       * cy.mockpets("empty");
       * cy.visit("/");
       * cy.mockpets().then((mock) => mock.verify({ operation: "listPets" }, 1, { within: 3_000 }));
       */
      mockpets(scenario?: Contents["scenario"], options?: MockpetsOptions): Chainable<Mockpets>;
    }
  }
}
