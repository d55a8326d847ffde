import { states, test } from "./mockpets/playwright";

for (const state of states({ only: ["empty"] })) {
  test(`<img src=x> | ${state.name}`, state.details, async ({ mock }) => {
    throw new Error(`<script>x()</script> | \`\u001b[31mred\u0007 &amp;\nsecond of ${mock.session}`);
  });
}
test("has no state", ({ mock }) => void mock);
