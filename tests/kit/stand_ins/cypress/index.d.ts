// In place of Cypress, which is large: what `kit/cypress.js` uses.

declare namespace Cypress {
  interface Chainable<Subject = unknown> {
    then(options: { timeout: number }, callback: (subject: Subject) => void | Promise<void>): Chainable<Subject>;
    wrap<Value>(value: Value, options: { log: boolean }): Chainable<Value>;
    intercept(
      matcher: { url: RegExp; method: RegExp; middleware: boolean },
      handler: (request: { headers: { [name: string]: string | string[] } }) => void,
    ): Chainable<null>;
  }
  interface Commands {
    add<Name extends keyof Chainable>(
      name: Name,
      run: (...values: Parameters<Chainable[Name]>) => ReturnType<Chainable[Name]>,
    ): void;
  }
}

declare namespace Mocha {
  interface Test {
    state?: "failed" | "passed" | "pending";
    err?: Error;
  }
  interface Context {
    currentTest?: Test;
  }
}

declare const cy: Cypress.Chainable<undefined>;
declare const Cypress: {
  Commands: Cypress.Commands;
  currentTest: { title: string; titlePath: string[] };
  currentRetry: number;
  spec: { relative: string };
  config(name: "baseUrl"): string | null;
  env(name: string): any; // as in Cypress
  log(options: { name: string; message: string }): unknown;
};

declare function beforeEach(hook: (this: Mocha.Context) => void): void;
declare function afterEach(hook: (this: Mocha.Context) => void): void;
