export * from "./client.js";
export type MockpetsOptions = import("./cypress-command.d.ts").MockpetsOptions;
