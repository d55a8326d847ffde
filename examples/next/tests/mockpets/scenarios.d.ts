// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

/** The name of a scenario file. */
export type ScenarioName =
  | "empty"
  | "sold-out"
  | "no-status"
  | "default"
  | "full-page"
  | "crowded"
  | "awkward-names"
  | "big-ids"
  | "unauthorized"
  | "expired-key"
  | "server-error"
  | "maintenance"
  | "rate-limited"
  | "create-rejected"
  | "retry"
  | "retry-now"
  | "flaky"
  | "flaky-create"
  | "missing"
  | "after-removal"
  | "slow"
  | "jittery"
  | "slow-body"
  | "loading"
  | "double-submit"
  | "offline"
  | "truncated"
  | "broken-json"
  | "orders";

/** A gate at which a scenario file holds responses. */
export type GateName = "loading";

/** A resource of a scenario file. */
export type ResourceName = never;
