import { states, test } from "./mockpets/playwright";

process.env.MOCKPETS_CONTROL_TOKEN = process.env.PUBLIC_TOKEN; // the other servers have none

for (const state of states({ only: ["offline"] })) {
  test(state.name, state.details, async ({ mock }) => {
    throw new Error(`the test has run in ${mock.session}`);
  });
}
