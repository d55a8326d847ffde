// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

export interface Contract {
  /** The operations: their types, and the states that others need not have. */
  operations: {
    /** GET /v1/pets */
    listPets: {
      types: {
        parameters: { query?: { limit?: number; status?: PetStoreSchemas["PetStatus"] } };
        responses: {
          200: { content: { "application/json": PetStoreSchemas["Pets"] } };
          400: { content: { "application/json": PetStoreSchemas["Error"] } };
          401: { content: { "application/json": PetStoreSchemas["Error"] } };
          default: { content: { "application/json": PetStoreSchemas["Error"] } };
        };
      };
      states: "200" | "401" | "500" | `4${number}` | "empty";
    };
    /** POST /v1/pets */
    createPet: {
      types: {
        parameters: {};
        requestBody: { content: { "application/json": PetStoreSchemas["NewPet"] } };
        responses: {
          201: { content: { "application/json": PetStoreSchemas["Pet"] } };
          400: { content: { "application/json": PetStoreSchemas["Error"] } };
          401: { content: { "application/json": PetStoreSchemas["Error"] } };
          413: { content: { "application/json": PetStoreSchemas["Error"] } };
          507: { content: { "application/json": PetStoreSchemas["Error"] } };
          default: { content: { "application/json": PetStoreSchemas["Error"] } };
        };
      };
      states: "201" | "400" | "401" | "500" | `4${number}`;
    };
    /** GET /v1/pets/{petId} */
    getPet: {
      types: {
        parameters: { path: { petId: number } };
        responses: {
          200: { content: { "application/json": PetStoreSchemas["Pet"] } };
          401: { content: { "application/json": PetStoreSchemas["Error"] } };
          404: { content: { "application/json": PetStoreSchemas["Error"] } };
          default: { content: { "application/json": PetStoreSchemas["Error"] } };
        };
      };
      states: "200" | "401" | "404" | "500" | `4${number}`;
    };
  };
  /** The records of the collections. */
  collections: { pets: PetStoreSchemas["Pet"] };
  /** New records, of collections that do not generate missing properties. */
  created: { pets: PetStoreSchemas["NewPet"] };
  /** The collections of those who log in. */
  people: never;
  /** The codes of errors. */
  errors: "invalid_request" | "unauthorized" | "pet_not_found" | "not_found" | "method_not_allowed" | "conflict" | "payload_too_large";
}

interface PetStoreSchemas {
  Error: { code: string; message: string; status: number };
  NewPet: { name: string; categoryId: number; status?: PetStoreSchemas["PetStatus"] };
  Pet: { id: number; name: string; categoryId: number; status?: PetStoreSchemas["PetStatus"] };
  PetStatus: "available" | "pending" | "sold";
  Pets: PetStoreSchemas["Pet"][];
}
