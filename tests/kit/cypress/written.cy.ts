// What users write in Cypress tests, and typos, which the compiler must find. It is never run.

import type { Entry, Mockpets, MockpetsOptions, Scenario } from "../mockpets/cypress";

const options: MockpetsOptions = { url: "http://localhost:7400", key: "secret", origins: ["http://localhost:3000"] };
const held: Scenario = { description: "The first list waits.", stubs: [{ match: { operation: "listPets" }, hold: "list" }] };

describe("pets", () => {
  beforeEach(() => {
    cy.mockpets(undefined, options);
    cy.mockpets("empty", { token: Cypress.env("TOKEN") as string | undefined });
  });

  it("shows what the server has", () => {
    cy.mockpets("retry");
    cy.mockpets(["retry", held]).as("mock");
    cy.visit("/");
    cy.mockpets().then((mock) => mock.pets.set([{ id: 1, name: "Miso", categoryId: 2 }]));
    cy.mockpets().then({ timeout: 20_000 }, (mock) => mock.gate("list").held(1, 15_000));
    cy.mockpets()
      .then((mock) => mock.verify({ operation: "listPets" }, { at_least: 1 }, { within: 3_000 }))
      .then((entries: Entry[]) => expect(entries[0]?.status).to.equal(200));
    cy.mockpets().its("session").should("match", /^shows/);
    cy.mockpets().its("pets").invoke("all", { status: "sold" }).should("have.length", 1);
    cy.get<Mockpets>("@mock").then((mock) => {
      cy.request({ url: `${mock.baseUrl}/pets`, headers: { ...mock.headers, Authorization: `Bearer ${mock.key}` } });
    });
  });
});

describe("typos", () => {
  // @ts-expect-error
  cy.mockpets("emtpy");
  // @ts-expect-error
  cy.mockpets({ description: "d", stubs: [{ macth: {}, delay: "1s" }] });
  // @ts-expect-error
  cy.mockpets("empty", { origin: "http://localhost" });
  // @ts-expect-error
  cy.mockpet();
  // @ts-expect-error
  cy.mockpets().then((mock) => mock.verify({ operation: "listPet" }));
});
