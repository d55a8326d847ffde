// The state sheet of a hostile page; the variable CHANGED changes it.

import { expect, states, test } from "./mockpets/playwright";

const [empty, other, same] = states({ only: ["empty", "no-status", "default"] });

test.describe("two widths and themes", () => {
  test.use({ mockScreens: { widths: [900, 390], themes: ["dark", "light"] } });

  test(`</script><img src=x onerror=alert(1)>"' & \u202eend`, empty!.details, async ({ mock, page, request }) => {
    await request.get(`${mock.baseUrl}/pets?</b><i>=1`, { headers: { Authorization: "Bearer mockpets" } });
    await page.setContent(`
      <style>body { color-scheme: light dark; background: light-dark(white, black) } i { animation: spin 1s infinite }</style>
      <div style="width: 500px; background: ${process.env.CHANGED ? "red" : "blue"}">${process.env.CHANGED ?? "as before"}</div>
      <script>setTimeout(() => { throw new Error("</ul><script>alert(1)</" + "script>") })</script>`);
    await page.waitForTimeout(0);
    expect(process.env.CHANGED ?? "", "</table><b>").not.toBe("all");
  });
});

test(process.env.CHANGED ? "renamed" : "as it was", other!.details, async ({ page }) => {
  await page.setContent("<p>one width");
});

test("the same", same!.details, async ({ page }) => {
  await page.setContent("<p>one width");
});

for (const [title, mockScreens] of Object.entries({
  "a list": [],
  "an unknown property": { width: [390] },
  "a width that is too small": { widths: [20] },
  "a width that is a text": { widths: ["390"] },
  "no widths": { widths: [] },
  "an unknown theme": { themes: ["drak"] },
})) {
  test.describe(title, () => {
    test.use({ mockScreens: mockScreens as {} });
    test(`wrong: ${title}`, empty!.details, async ({ mock }) => void mock);
  });
}
