// What users write for an API of their own. It must compile, and is never run.

import { Mockpets } from "mockpets";
import type { CollectionName, Data, Expression, NewRecordOf, Operation, RecordOf, RequestBody, ResponseBody, Scenario, Stub, VerifyMatch } from "mockpets";
import { expect, states, test } from "mockpets/playwright";

export const mock = new Mockpets();

export async function useStates(): Promise<void> {
  await mock.use("CreateArticle:422");
  await mock.use("CreateArticle:401", "GetArticle:404:missing", "GetComments:404", "DeleteArticle:500", "DeleteArticle:403");
  await mock.use("GetArticles:empty", "GetArticles:3s", "Login:hold", "GetCurrentUser:offline", "get-reading-list:503", "get-reading-list:404");
  await mock.use("all:401", "all:503", "all:empty", "tired-author", "unauthorized");
  const chosen: Expression = "CreateArticle:connection_reset";
  const names: Operation[] = ["CreateArticle", "get-reading-list"];
  await mock.use(chosen);
  console.log(names, states({ exclude: ["tired-author"] }));
}

export async function useData(): Promise<string> {
  await mock.data("articles").set([{ title: "Hi" }]);
  await mock.data("articles").set([{ title: "Hi", subtitle: null, author: { username: "jake" } }]);
  const [article] = await mock.data("articles").all({ status: "draft" });
  const title: string | undefined = article?.title;
  const articles: Data<RecordOf<"articles">> = mock.data("articles");
  const made: NewRecordOf<"articles"> = { title: "Hi", tags: ["a"] };
  const { slug, likes } = await articles.add(made);
  await articles.add();
  await articles.change(slug, { likes: likes + 1, subtitle: null });
  await mock.data("comments").set(3);
  await mock.make({ data: { articles: [{ title: "Hi" }], comments: 2, users: "three-users", "*": [] } });
  const carts: Record<string, unknown>[] = await mock.data("carts").all();
  const known: CollectionName[] = ["articles", "carts"];
  return `${title ?? ""} ${String(carts.length + known.length)}`;
}

const body: RequestBody<"CreateArticle"> = { article: { title: "Hi", body: "There" } };
const invalid: ResponseBody<"CreateArticle", 422> = { errors: { body: ["title taken"] } };
const other: ResponseBody<"DeleteArticle", 409> = invalid;
const ranged: ResponseBody<"GetComments", 404> = other;
const rejected: Stub = { match: { operation: "CreateArticle" }, times: 1, reply: { status: 422, body: invalid } };
const scenario: Scenario = {
  description: "Rejects the first article.",
  data: { articles: [{ title: "Hi" }] },
  stubs: [
    rejected,
    { match: { operation: "CreateArticle", body: { article: { title: "Hi" } } }, reply: { error: "conflict" } },
    { match: { operation: "GetArticles", query: { status: "draft", author: { contains: "j" }, limit: 5 } }, delay: "2s" },
    { match: { operation: "GetArticle", params: { slug: "hi" } }, sequence: ["pass", { status: 404, body: ranged }, { fault: "empty_reply" }] },
    { match: { operation: "GetArticles" }, reply: { page: [{ title: "Hi" }] } },
    { match: { operation: "GetArticles" }, reply: { status: 418, body: { any: "thing" } }, off_contract: true },
    { match: { operation: ["GetArticle", "GetArticles"] }, reply: { status: 503, body: { any: "thing" } } },
    { match: { role: "list" }, hold: "feed" },
    { match: { method: "GET", path: "/api/other" }, reply: { status: 200, body: [1] }, off_contract: true },
  ],
};
const received: VerifyMatch = { operation: "CreateArticle", body: { article: { title: { contains: "H" }, status: "draft" } }, status: 422 };

test("an article", async ({ mock, request }) => {
  await mock.use(scenario);
  await request.post(`${mock.baseUrl}/articles`, { data: body });
  await expect(mock).toHaveReceived({ operation: "CreateArticle", body: { article: { title: "Hi" } } }, 1);
  await expect(mock).toHaveReceived(received, { at_least: 1 });
  await expect(mock).toHaveReceived({ body: { article: { title: 7 } } });
  const [entry] = await mock.requests({ operation: "GetArticles" });
  if (entry?.operation === "GetArticles") console.log(entry.status);
});

test.use({ storageState: async ({ mock }, use) => use((await mock.as({ username: "jake" })).storageState()) });
export const email = async (): Promise<string> => (await mock.as()).user.email;
