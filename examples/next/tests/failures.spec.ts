import type { ScenarioName } from "./mockpets/playwright";
import { expect, test } from "./store";

interface Failure {
  scenario: ScenarioName;
  path: string;
  status: number;
  text: RegExp;
}

// The list is streamed: its status is sent before the server has the pets.
const failures: Failure[] = [
  { scenario: "empty", path: "/", status: 200, text: /No pets yet/ },
  {
    scenario: "unauthorized",
    path: "/",
    status: 200,
    text: /401: the API key is invalid/,
  },
  { scenario: "server-error", path: "/", status: 200, text: /500: / },
  {
    scenario: "maintenance",
    path: "/",
    status: 200,
    text: /503: .+ \(try again in 120 seconds\)/,
  },
  { scenario: "missing", path: "/pets/1", status: 404, text: /Not found/ },
];

for (const { scenario, path, status, text } of failures) {
  test(`the server sends the page for '${scenario}'`, async ({
    mock,
    names,
    request,
    baseURL,
  }) => {
    await mock.use(scenario);
    const response = await request.get(baseURL + path);
    expect(response.status()).toBe(status);
    const html = (await response.text()).replaceAll("<!-- -->", "");
    expect(html).toMatch(text);
    expect(html).not.toContain(names[0]);
  });

  test(`the browser shows the page for '${scenario}'`, async ({
    mock,
    names,
    page,
  }) => {
    await mock.use(scenario);
    await page.goto(path);
    await expect(page.getByText(text)).toBeVisible();
    await expect(page.getByText(names[0]!)).toHaveCount(0);
  });
}
