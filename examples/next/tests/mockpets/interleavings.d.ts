// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

import type { APIRequestContext, BrowserContext, Page } from "@playwright/test";
import type { Mockpets } from "./client.js";

/** The fixtures of one order: each order has its own. */
export interface InterleavingsFixtures {
  page: Page;
  context: BrowserContext;
  /** The session of this order. */
  mock: Mockpets;
  request: APIRequestContext;
  /**
   * Call the actions, hold the requests to the contracts that they cause, and let the server respond in the
   * order that is tried. Ends when the actions have ended and the page is quiet. Call it once.
   */
  race(actions: () => unknown): Promise<void>;
}

export interface InterleavingsOptions {
  /**
   * The fewest orders that must exist, by default 2: fewer means that no requests competed. A request that the page
   * cancels while it is held counts as one order.
   */
  atLeast?: number;
  /** In some orders, one request fails with this status, such as 503, before the server sees it. */
  fail?: number;
  /** Requests that take no part, such as polling: a part of `GET /v1/pets?limit=5`, or a pattern. */
  ignore?: readonly (string | RegExp)[];
  /** In some orders, the server responds to one request and the connection breaks. */
  lose?: boolean;
  /** The most orders to try, by default 40. */
  orders?: number;
  /** Milliseconds without a change after which the page is quiet, by default 50. Longer than any debounce of the page. */
  quiet?: number;
  /** Seed of the sample that is tried if there are more orders. */
  seed?: number;
}

/**
 * Declare one test that runs `body` under each order in which the requests sent in `race()` can be
 * answered and their responses arrive. Set `MOCKPETS_ORDER` to replay one order of a failed test.
 *
 * Each order has the timeout of a test. Other fixtures and hooks run once for all orders.
 */
export function interleavings(
  title: string,
  body: (fixtures: InterleavingsFixtures) => Promise<void>,
  options?: InterleavingsOptions,
): void;
