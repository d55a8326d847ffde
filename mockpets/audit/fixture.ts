// The fixture of the tests while the audit runs them: the app may call an API other than the mock.
import { test as base } from "./mockpets/playwright.js";

export * from "./mockpets/playwright.js";

const BASE_URL: string | null = BASE;

export const test = base.extend({
  context: async ({ context, mock }, use) => {
    const own = new URL(mock.url);
    const bases = BASE_URL ? [new URL(BASE_URL).pathname] : mock.bases;
    const prefixes = bases
      .map((each) => each.replace(/\/$/, ""))
      .filter(Boolean);
    const isCall = (url: URL) =>
      url.origin !== own.origin &&
      (BASE_URL === null || url.origin === new URL(BASE_URL).origin) &&
      (BASE_URL !== null || prefixes.length > 0) &&
      (prefixes.length === 0 ||
        prefixes.some(
          (each) =>
            url.pathname === each || url.pathname.startsWith(`${each}/`),
        ));
    await context.route(isCall, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const path = BASE_URL
        ? (mock.bases[0] ?? "") + pathname.slice((prefixes[0] ?? "").length)
        : pathname;
      try {
        const headers = { ...route.request().headers(), ...mock.headers };
        const response = await route.fetch({
          url: own.origin + path + search,
          headers,
          timeout: 0,
          maxRedirects: 0,
        });
        await route.fulfill({ response });
      } catch {
        await route.abort().catch(() => undefined); // the mock has broken the connection, or the test is over
      }
    });
    await use(context);
  },
});
