// mockpets 0.1.0: written by "mockpets kit"; run it again instead of editing this file
/* eslint-disable */

/** The name of a scenario file. */
export type ScenarioName =
  | "after-removal"
  | "awkward-names"
  | "big-ids"
  | "broken-json"
  | "create-rejected"
  | "crowded"
  | "default"
  | "double-submit"
  | "empty"
  | "expired-key"
  | "flaky"
  | "flaky-create"
  | "full-page"
  | "jittery"
  | "loading"
  | "maintenance"
  | "missing"
  | "no-status"
  | "offline"
  | "orders"
  | "rate-limited"
  | "retry"
  | "server-error"
  | "slow"
  | "slow-body"
  | "sold-out"
  | "truncated"
  | "unauthorized";
