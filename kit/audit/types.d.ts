// The types that the modules of the audit share. docs/bugs/audit.md explains the rules.

import type { BrowserContext, Page } from "@playwright/test";
import type { Mockpets } from "../client.js";
import type { RULES } from "./causes.js";

/** What `mockpets audit` passes: see `mockpets/cli/audit.py`. Times are in minutes. */
export interface Config {
  app: string;
  url: string;
  token: string | null;
  baseUrl: string | null;
  output: string;
  pages: number;
  minutes: number;
  workers: number;
  user: string | null;
  storageState: string | null;
  browser: string | null;
  cwd: string;
}

export type Level = "error" | "warning" | "note";

export type Rule = keyof typeof RULES;

/** An operation of the contract; `path` begins with the base path and has `{}` for each parameter. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  role: string;
  states: string[];
  reads: boolean;
  pattern: RegExp;
}

/** A line of visible text; `control` if it is only the label of something to press or to fill in. */
export interface Line {
  text: string;
  announced: boolean;
  control: boolean;
}

/**
 * What a user sees at one time. `visuals` are painted elements without text, such as spinners and skeletons; `fields` and `controls`
 * are numbers of elements.
 */
export interface Snapshot {
  at: number;
  url: string;
  lines: Line[];
  fields: number;
  visuals: string[];
  busy: boolean;
  /** The values of all fields, also of hidden ones. */
  kept: string[];
  controls: number;
  asksPassword: boolean;
}

/** A snapshot as the page reports it: the time is that of the audit's process. */
export type PageSnapshot = Omit<Snapshot, "at">;

/** What the page reports: one of these. */
export interface Report {
  exception?: string;
  rejection?: string;
  snapshot?: PageSnapshot;
}

declare global {
  interface Window {
    /** Playwright defines it: `BINDING` in observe.js. */
    __mockpetsAudit(report: Report): void;
    /** Returns what the page shows now: `NOW` in observe.js. */
    __mockpetsAuditNow?(): PageSnapshot;
  }
}

/** A request of the page to the contract. `ended` and `status` are null while it waits; a failed one has no status. */
export interface Call {
  operation: string;
  method: string;
  path: string;
  begun: number;
  ended: number | null;
  status: number | null;
}

/** How to find an element again; `nth` is null if it is the only one. */
export interface Place {
  by: "role" | "label" | "placeholder" | "css";
  name: string;
  nth: number | null;
  role?: string;
}

export interface Step {
  do: "click" | "fill" | "select" | "check";
  place: Place;
  value?: string;
  /** Whether the field is a password. */
  secret?: boolean;
}

/** Something to press: a form with its fields, or a button. `key` is equal for those that repeat in a list. */
export interface Candidate {
  key: string;
  name: string;
  asksPassword: boolean;
  steps: Step[];
}

/** What happened on a page from its start, or from the start of an action, until it was quiet. */
export interface Observation {
  last: Snapshot;
  seen: Snapshot[];
  /** When the lines have changed last, digits aside. */
  changed: number;
  calls: Call[];
  exceptions: string[];
  rejections: string[];
  dialogs: string[];
  /** The bodies of failed responses. */
  failures: unknown[];
  /** Whether a request has failed. */
  broken: boolean;
}

/** What the audit reads of an entry of a HAR document. */
export interface HarEntry {
  response: { content: { text?: string } };
  _mockpets: { operation: string | null };
}

/** A page in a context and a session of its own. */
export interface Visit {
  context: BrowserContext;
  page: Page;
  mock: Mockpets;
  observation: Observation;
  /** The bodies of responses, as the page reads them. */
  bodies: { operation: string; text: Promise<string> }[];
  /** The operation whose responses are held. */
  held: string | null;
  /** The exception of the app that Playwright has reported last. */
  thrown: string | null;
  /** The operation whose responses are those of a broken proxy. */
  proxied: string | null;
}

/**
 * How a page is when nothing fails. Lines are normalized; `texts` has the operations whose responses contain a line. Of an action,
 * `shape` and `after` are those of the page after it.
 */
export interface Healthy {
  shape: string;
  lines: Set<string>;
  after: Set<string>;
  originals: Map<string, string>;
  texts: Map<string, Set<string>>;
  visuals: Set<string>;
  controls: number;
  errors: Set<string>;
  counts: Map<string, number>;
  screenshot: string;
}

export interface Target {
  shape: string;
  url: string;
  signedIn: boolean;
  title: string;
  operations: string[];
  healthy: Healthy;
  asksPassword: boolean;
  action: Action | null;
  /** By operation, what the page shows while it waits, and when its list is empty. */
  loading: Map<string, Snapshot>;
  empty: Map<string, Snapshot>;
}

/** How the audit has signed in; without steps by `--storage-state`. */
export interface SignIn {
  name: string;
  url: string;
  steps: Step[];
}

/** Steps that lead to calls that write, on a page. */
export interface Action {
  name: string;
  steps: Step[];
}

export interface Probe {
  target: Target;
  operation: Operation;
  state: string;
  stage: number;
}

/** What a rule has found, before it is known where. */
export interface Verdict {
  rule: Rule;
  message: string;
  lost: string[];
  shown: string[];
}

export interface Finding {
  rule: Rule;
  level: Level;
  page: string;
  url: string;
  signed_in: boolean;
  action: string | null;
  steps: { do: string; locator: string; value?: string }[];
  operation: string;
  state: string;
  expression: string | null;
  message: string;
  lost: string[];
  shown: string[];
  requests: {
    method: string;
    path: string;
    status: number | null;
    count: number;
  }[];
  healthy: string;
  failing: string;
}

export interface Cause {
  id: string;
  rule: Rule;
  level: Level;
  title: string;
  advice: string;
  operations: string[];
  pages: string[];
  findings: number[];
  accepted: string | null;
  known: boolean;
}
