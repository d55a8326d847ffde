// What users write to be logged in, and typos. It must compile, and is never run.

import type { BrowserContextOptions } from "@playwright/test";
import { Mockpets } from "mockpets";
import type { Login, StorageState, TokenPlaces } from "mockpets";
import { test } from "mockpets/playwright";

const jwt: (login: Login) => TokenPlaces = ({ token }) => ({ origin: "http://localhost:5173", localStorage: { jwt: token } });

test.use({
  storageState: async ({ mock, baseURL }, use) => {
    const { token, user, storageState } = await mock.as({ username: "jake" });
    await use(storageState({ origin: baseURL, localStorage: { session: { token, user } }, cookies: { theme: "dark" } }));
  },
});
test.use({ storageState: async ({ mock }, use) => use((await mock.as()).storageState()) });

test("calls the API as a user", async ({ mock, request, browser }) => {
  const login = await mock.as({ address: { city: "Bonn" }, tags: ["a"], level: 3 }, { contract: "blog" });
  const { headers, cookie, key } = login;
  await request.get(`${mock.baseUrl}/user`, { headers });
  const state: StorageState = login.storageState(jwt(login));
  const options: BrowserContextOptions = { storageState: state };
  await browser.newContext(options);
  const name: string | undefined = cookie?.name;
  console.log(name, key, login.user["username"]);
});

const mock = new Mockpets();
export interface User {
  username?: string;
}
export const loggedIn = async (user: User): Promise<Login> => mock.as(user);
export const response = async (): Promise<Response> => fetch(`${mock.baseUrl}/user`, { headers: (await mock.as()).headers });

// @ts-expect-error
void mock.as("jake");
// @ts-expect-error
void mock.as({ username: "jake" }, { contrat: "blog" });
export const typos = (login: Login): void => {
  // @ts-expect-error
  login.storageState({ origin: "http://localhost:5173", localstorage: { jwt: login.token } });
  // @ts-expect-error
  login.storageState({ cookies: { sid: 3 } });
  // @ts-expect-error
  login.tokn;
  // @ts-expect-error
  login.cookie.name;
};
