// Clients with one fault each. Their argument is the name of the rule that they break.

import { create, headers, LIST, list, pause } from "./lib.mjs";

const MISO = { name: "Miso", categoryId: 2 };

const FAULTY = {
  async "deprecated-operation"() {
    await list("/3");
  },

  /** Waits, but as long each time. */
  async "retry-without-backoff"() {
    for (let attempt = 0; attempt < 4; attempt++) {
      if ((await list()).ok) return;
      await pause(700); // long enough that a busy machine does not make it look like growth
    }
  },

  async "retry-after-ignored"() {
    const response = await list();
    if (response.status === 429) await pause(500);
    await list();
  },

  /** Loads on each key press. */
  async "request-storm"() {
    for (let key = 0; key < 8; key++) await list();
  },

  /** Does not disable the button. */
  async "duplicate-create"() {
    const first = create(MISO);
    await pause(400);
    await Promise.all([first, create(MISO)]);
  },

  /** Polls with a key that was rejected. */
  async "request-after-401"() {
    for (let poll = 0; poll < 3; poll++) {
      await list(`?limit=${poll + 1}`);
      await pause(200);
    }
  },

  async "unknown-parameter"() {
    await list("?page=2");
  },

  async "unknown-property"() {
    await create({ ...MISO, photo: "miso.jpg" });
  },

  /** Retries every error. */
  async "rejected-body-repeated"() {
    for (let attempt = 0; attempt < 2; attempt++) {
      if ((await create({ ...MISO, categoryId: "2" })).ok) return;
      await pause(200 * 2 ** attempt);
    }
  },

  async "key-in-query"() {
    await list("?api_key=s3cret-value");
  },

  async "off-contract-path"() {
    await fetch(`${LIST}/3`, { method: "DELETE", headers }).then((response) => response.text());
  },

  /** Has a timeout that is shorter than the responses take. */
  async "response-unread"() {
    for (let page = 1; page <= 4; page++) {
      await list(`?limit=${page}`, { signal: AbortSignal.timeout(300) }).catch(() => {});
    }
  },
};

await FAULTY[process.argv[2]]();
