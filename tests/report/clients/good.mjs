// Clients without a fault. Their argument is the name of one; each gets failures before the list.

import { headers, LIST, list, openPage, pause } from "./lib.mjs";

const GOOD = {
  /** TanStack Query with its default retries. */
  async "tanstack-query"() {
    openPage();
    const { QueryClient } = await import("@tanstack/react-query");
    const client = new QueryClient();
    await client.fetchQuery({ queryKey: ["pets"], queryFn: getPets, retry: 3 });
  },

  /** SWR with its default retries, in a shorter interval, in React's StrictMode. */
  async swr() {
    const root = openPage();
    const { createElement, StrictMode } = await import("react");
    const { createRoot } = await import("react-dom/client");
    const { default: useSWR } = await import("swr");
    await new Promise((resolve) => {
      function Pets() {
        const { data } = useSWR("pets", getPets, { errorRetryInterval: 300, onSuccess: resolve });
        return data ? data.length : "Loading";
      }
      createRoot(root).render(createElement(StrictMode, null, createElement(Pets)));
    });
  },

  async "axios-retry"() {
    const { default: axios } = await import("axios");
    const { default: axiosRetry, exponentialDelay } = await import("axios-retry");
    const client = axios.create({ headers });
    axiosRetry(client, { retries: 4, retryDelay: exponentialDelay });
    await client.get(LIST);
  },

  /** ky with its default pauses and one more retry. */
  async ky() {
    const { default: ky } = await import("ky");
    await ky.get(LIST, { headers, retry: 4 }).json();
  },

  /** fetch with pauses that grow, and at least as long as Retry-After. */
  async fetch() {
    for (let attempt = 0; ; attempt++) {
      const response = await list();
      if (response.ok) return;
      const least = 1000 * Number(response.headers.get("Retry-After") ?? 0);
      await pause(Math.max(200 * 2 ** attempt, least));
    }
  },

  /** React's StrictMode runs the effect of each of two components twice, and ends the first request. */
  async "strict-mode"() {
    const root = openPage();
    const { createElement, StrictMode, useEffect } = await import("react");
    const { createRoot } = await import("react-dom/client");
    await new Promise((resolve) => {
      function Pets({ limit }) {
        useEffect(() => {
          const controller = new AbortController();
          list(`?limit=${limit}`, { signal: controller.signal }).then(resolve, () => {});
          return () => controller.abort();
        }, []);
        return limit;
      }
      const pets = [1, 2].map((limit) => createElement(Pets, { limit, key: limit }));
      createRoot(root).render(createElement(StrictMode, null, pets));
    });
    await pause(300);
  },
};

async function getPets() {
  const response = await fetch(LIST, { headers });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}

await GOOD[process.argv[2]]();
process.exit(); // jsdom and the caches of libraries have timers
