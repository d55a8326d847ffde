/** The name of a scenario file. */
export type ScenarioName =
  | "empty"
  | "no-status"
  | "sold-out"
  | "awkward-names"
  | "big-ids"
  | "crowded"
  | "default"
  | "full-page"
  | "expired-key"
  | "unauthorized"
  | "create-rejected"
  | "maintenance"
  | "rate-limited"
  | "server-error"
  | "flaky"
  | "flaky-create"
  | "retry"
  | "retry-now"
  | "after-removal"
  | "missing"
  | "double-submit"
  | "jittery"
  | "loading"
  | "slow"
  | "slow-body"
  | "broken-json"
  | "offline"
  | "truncated"
  | "orders";

/** A gate at which a scenario file holds responses. */
export type GateName = "loading";

/** A collection that a scenario file defines. */
export type ResourceName = never;

/** All scenarios that can be activated. */
export const scenarios: { name: ScenarioName; description: string }[];
