// Orders that work, and those that fail with a message that `test_interleavings.py` expects. The page has no component.

import type { Page } from "@playwright/test";
import { expect, interleavings, test } from "./mockpets/playwright";

/** Send requests at the same time from the page; their bodies, or messages, are added to its `results`. */
const send = (page: Page, ...requests: string[]) =>
  page.evaluate((all) => {
    const own = globalThis as unknown as { API: string; results: string[] };
    own.results ??= [];
    for (const [method, path] of all.map((one) => one.split(" "))) {
      const body = method === "POST" ? JSON.stringify({ name: "Miso", categoryId: 1 }) : undefined;
      const sent = fetch(own.API + path, { method, body, headers: { Authorization: "Bearer mockpets", "Content-Type": "application/json" } });
      const result = sent.then((response) => response.text()).catch((error) => String(error));
      void result.then((text) => own.results.push(`${path} ${text}`));
    }
  }, requests);
const results = (page: Page) => page.evaluate(() => (globalThis as unknown as { results: string[] }).results);
test.use({ viewport: { width: 400, height: 300 } });

const both = ["GET /pets/1", "GET /pets/2"];

test.describe("in time", () => { // first, because it takes longest
  test.describe.configure({ timeout: 15_000 });
  interleavings("hangs", async ({ page, race }) => {
    test.fail();
    await page.goto("/");
    await race(() => send(page, ...both));
    if ((await results(page))[0].startsWith("/pets/2")) await page.waitForEvent("popup", { timeout: 0 });
  });
  for (const [title, query] of [["polls", "poll"], ["polls with another query each time", "since="]]) {
    interleavings(title, async ({ page, race }) => {
      test.fail();
      await page.goto("/");
      await race(() =>
        page.evaluate((query) => {
          let number = 0;
          const url = () => `${(globalThis as unknown as { API: string }).API}/pets?${query}${query.endsWith("=") ? number++ : ""}`;
          setInterval(() => fetch(url()).catch(() => {}), 300);
        }, query),
      );
    });
  }
});

interleavings("each order has its own session, context and page", async ({ page, context, mock, request, race }) => {
  expect(context.pages()).toEqual([page]);
  expect(await context.cookies()).toEqual([]);
  expect(page.viewportSize()).toEqual({ width: 400, height: 300 });
  await page.goto("/");
  await context.addCookies([{ name: "a", value: "b", url: page.url() }]);
  await mock.pets.set([{ id: 1, name: mock.session, categoryId: 1 }, { id: 2, name: "Otto", categoryId: 1 }]);
  await race(() => send(page, ...both));
  expect((await results(page)).join()).toContain(mock.session);
  await expect(mock).toHaveReceived({ operation: "getPet" }, 2);
  const headers = { Authorization: `Bearer ${mock.key}` };
  expect(await (await request.get(`${mock.baseUrl}/pets`, { headers })).json()).toHaveLength(2);
});

interleavings("XHR, a worker, an image and a second page", async ({ page, context, race }) => {
  const second = await context.newPage();
  await Promise.all([page.goto("/"), second.goto("/")]);
  await race(async () => {
    await second.evaluate(() => {
      const call = new XMLHttpRequest();
      call.open("GET", `${(globalThis as unknown as { API: string }).API}/pets?limit=1`);
      call.setRequestHeader("Authorization", "Bearer mockpets");
      call.onload = () => { document.title = call.responseText; };
      call.send();
      new Image().src = `${(globalThis as unknown as { API: string }).API}/pets?limit=2`;
    });
    await page.evaluate(() => {
      const url = `${(globalThis as unknown as { API: string }).API}/pets?limit=3`;
      const code = `fetch("${url}", { headers: { Authorization: "Bearer mockpets" } }).then((response) => response.json()).then(postMessage)`;
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      worker.onmessage = ({ data }) => { document.title = data.length; };
    });
  });
  await expect(page).toHaveTitle("3");
  await expect(second).toHaveTitle(/"id"/);
}, { atLeast: 6 });

interleavings("a connection that breaks", async ({ page, mock, race }) => {
  await page.goto("/");
  await mock.use({ stubs: [{ match: { operation: "getPet", params: { petId: 1 } }, fault: "connection_reset" }] });
  await race(() => send(page, ...both));
  expect((await results(page)).join()).toContain("/pets/1 TypeError: Failed to fetch");
  await expect(mock).toHaveReceived({ operation: "getPet", params: { petId: 1 } }, 1);
});

interleavings("a request that fails", async ({ page, mock, race }) => {
  await page.goto("/");
  await race(() => send(page, "POST /pets"));
  const hasFailed = (await results(page))[0].includes('"status":503');
  await expect(mock).toHaveReceived({ operation: "createPet" }, hasFailed ? 0 : 1);
}, { fail: 503 });

interleavings("a page that loads in the race, and polls", async ({ page, race }) => {
  await race(async () => {
    await page.goto("/");
    await page.evaluate(() => setInterval(() => fetch(`${(globalThis as unknown as { API: string }).API}/pets?poll`).catch(() => {}), 100));
    await send(page, ...both);
  });
}, { ignore: ["/pets?poll"] });

interleavings("a response that the actions wait for", async ({ page, race }) => {
  await page.goto("/");
  await race(async () => {
    const response = page.waitForResponse(/pets.1/);
    await send(page, ...both);
    await response;
  });
});

interleavings("a request that the page cancels has competed", async ({ page, race }) => {
  await page.goto("/?stale-filter&sound");
  await race(async () => {
    for (const name of ["Sold", "Available"]) await page.getByRole("button", { name }).click();
  });
  await expect(page.locator("h2")).toHaveText("Available");
});

let runs = 0;
interleavings("an order that can be repeated the second time", async ({ page, race }) => {
  await page.goto("/");
  const isOther = ++runs === 2;
  await race(() => send(page, ...(isOther ? ["GET /pets/3", "GET /pets/4"] : both)));
});

interleavings("more orders than are tried", async ({ page, race }) => {
  await page.goto("/");
  await race(() => send(page, "GET /pets/1", "GET /pets/2", "GET /pets/3", "POST /pets", "GET /pets/5"));
  expect(await results(page)).toHaveLength(5);
}, { orders: 3 });

test.describe("a preflight", () => {
  test.use({ extraHTTPHeaders: {} }); // they let the requests arrive in the order of issue
  let first: string | undefined;
  interleavings("changes nothing about which request is the first", async ({ page, race }) => {
    await page.goto("/");
    await race(() =>
      page.evaluate(() => {
        const own = globalThis as unknown as { API: string; results: string[] };
        own.results = [];
        for (const [path, headers] of [["/pets/1", { Authorization: "Bearer mockpets" }], ["/pets/2", {}]] as const) {
          void fetch(own.API + path, { headers }).then(() => own.results.push(path));
        }
      }),
    );
    first ??= (await results(page))[0];
    expect(first).toBe("/pets/1");
  });
});

interleavings("skipped", async ({ race }) => {
  test.skip(true, "not here");
  await race(() => {});
});

test.describe("fails", () => {
  test.beforeEach(() => test.fail()); // an expected failure needs no new browser

  interleavings("no race", async () => {});
  interleavings("two races", async ({ race }) => {
    await race(() => {});
    await race(() => {});
  });
  interleavings("no await", async ({ race }) => void race(() => {}));
  // @ts-expect-error it has no actions
  interleavings("no actions", async ({ race }) => race());
  interleavings("nothing branched", async ({ page, race }) => {
    await page.goto("/");
    await race(() => send(page, "GET /pets/1"));
  });
  interleavings("too few", async ({ page, race }) => {
    await page.goto("/");
    await race(() => send(page, ...both));
  }, { atLeast: 3 });
  interleavings("too few, with a cancelled request", async ({ page, race }) => {
    await page.goto("/?stale-filter&sound");
    await race(async () => {
      for (const name of ["Sold", "Available"]) await page.getByRole("button", { name }).click();
    });
  }, { atLeast: 3 });
  interleavings("a poll after the race", async ({ page, race }) => {
    await page.goto("/");
    await send(page, "GET /pets?late");
    await race(() => send(page, ...both));
    await send(page, "GET /pets?late");
  });
  interleavings("too late", async ({ page, race }) => {
    await page.goto("/");
    await race(() => send(page, ...both));
    await send(page, "GET /pets?late");
  });
  interleavings("the actions fail", async ({ race }) => race(() => { throw new Error("no button"); }));
  interleavings("soft", async ({ page, race }) => {
    await page.goto("/");
    await race(() => send(page, ...both));
    expect.soft((await results(page))[0]).toContain("/pets/1");
  });
  interleavings("differs", async ({ page, race }) => {
    await page.goto("/");
    await race(() => send(page, `GET /pets?random=${crypto.randomUUID()}`, `GET /pets?random=${crypto.randomUUID()}`));
  });
});

test.describe("replays", () => {
  for (const [order, first] of [
    ["natural", "/pets/1"],
    ["deliver:GET:/v1/pets/2", "/pets/2"],
    ["deliver:GET:/v1/pets/3", "an order with another request"],
    ["deliver:GET:/v1/pets/2 deliver:GET:/v1/pets/1", "an order with a choice too many"],
    ["delivr:GET:/v1/pets/2", "a misspelt order"],
  ]) {
    test.describe(order, () => {
      test.beforeEach(() => {
        process.env.MOCKPETS_ORDER = order;
        test.fail(!first.startsWith("/"));
      });
      test.afterEach(() => { delete process.env.MOCKPETS_ORDER; });
      interleavings(`replays ${first}`, async ({ page, race }) => {
        await page.goto("/");
        await race(() => send(page, ...both));
        expect((await results(page))[0]).toContain(first);
      });
    });
  }
});
