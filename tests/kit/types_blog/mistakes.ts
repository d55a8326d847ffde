// Mistakes, which the compiler must find: in operations, statuses, bodies, collections, properties, expressions and names.

import { Mockpets } from "mockpets";
import type { Expression, GateName, RequestBody, ResponseBody, Scenario } from "mockpets";
import { expect, test } from "mockpets/playwright";

const mock = new Mockpets();

// @ts-expect-error - a status that the operation does not document
void mock.use("CreateArticle:418");
// @ts-expect-error - an unknown operation
void mock.use("CreateArtcle:422");
// @ts-expect-error - only a list can be empty
void mock.use("CreateArticle:empty");
// @ts-expect-error - an unknown state
export const state: Expression = "GetArticles:emty";
// @ts-expect-error - success belongs to one operation
void mock.use("all:200");
// @ts-expect-error - an operation of the built-in contract
void mock.use("createPet:400");
// @ts-expect-error - a scenario that this contract has no place for
void mock.use("sold-out");
// @ts-expect-error - an unknown collection
mock.data("artcles");
// @ts-expect-error - the records of another contract
void mock.pets.all();
// @ts-expect-error - an unknown property
void mock.data("articles").set([{ titel: "Hi" }]);
// @ts-expect-error - a value of another type
void mock.data("articles").add({ title: 7 });
// @ts-expect-error - a value that is not in the enumeration
void mock.data("articles").all({ status: "drafted" });
// @ts-expect-error - a property that cannot be null
void mock.data("articles").change("hi", { title: null });
// @ts-expect-error - a record of another collection
void mock.make({ data: { comments: [{ title: "Hi" }] } });
// @ts-expect-error - an unknown collection
void mock.make({ data: { artcles: [] } });
// @ts-expect-error - an unknown operation
void mock.use({ stubs: [{ match: { operation: "CreateArtcle" }, delay: "1s" }] });
// @ts-expect-error - a status that the operation does not document
void mock.use({ stubs: [{ match: { operation: "GetArticles" }, reply: { status: 422 } }] });
// @ts-expect-error - a body that the status does not have
void mock.use({ stubs: [{ match: { operation: "CreateArticle" }, reply: { status: 422, body: { errors: "title taken" } } }] });
// @ts-expect-error - a body without a property that it must have
export const missing: Scenario = { stubs: [{ match: { operation: "GetArticle" }, reply: { status: 404, body: {} } }] };
// @ts-expect-error - an item of a sequence with such a body
export const later: Scenario = { stubs: [{ match: { operation: "GetArticle" }, sequence: ["pass", { status: 404, body: { error: "" } }] }] };
// @ts-expect-error - an unknown parameter in the path
export const path: Scenario = { stubs: [{ match: { operation: "GetArticle", params: { id: "hi" } }, delay: "1s" }] };
// @ts-expect-error - an unknown query parameter
export const query: Scenario = { stubs: [{ match: { operation: "GetArticles", query: { auhtor: "jake" } }, delay: "1s" }] };
// @ts-expect-error - a value that a query parameter cannot have
export const value: Scenario = { stubs: [{ match: { operation: "GetArticles", query: { status: "drafted" } }, delay: "1s" }] };
// @ts-expect-error - an unknown code of an error
export const code: Scenario = { stubs: [{ match: { operation: "GetArticle" }, reply: { error: "not_fond" } }] };
// @ts-expect-error - a property that the body does not have
void mock.verify({ operation: "CreateArticle", body: { article: { titel: "Hi" } } });
// @ts-expect-error - a body without its envelope
void mock.verify({ operation: "CreateArticle", body: { title: "Hi" } });
// @ts-expect-error - a body, of an operation without one
void mock.verify({ operation: "GetArticles", body: { article: {} } });
// @ts-expect-error - an unknown operation
void mock.requests({ operation: "GetArtcles" });
// @ts-expect-error - an unknown gate
export const gate: GateName = "fead";
// @ts-expect-error - a body that the operation does not allow
export const body: RequestBody<"CreateArticle"> = { article: { title: "Hi" } };
// @ts-expect-error - the body of another status
export const response: ResponseBody<"CreateArticle", 422> = { article: { title: "Hi" } };
// @ts-expect-error - a property that no user has
void mock.as({ usrname: "jake" });
test("mistakes", async ({ mock, page }) => {
  // @ts-expect-error - an unknown operation
  await expect(mock).toHaveReceived({ operation: "CreateArtcle" });
  // @ts-expect-error - a method that Playwright's expect does not have
  await expect(page).toHaveReceived({ operation: "CreateArticle" });
});
