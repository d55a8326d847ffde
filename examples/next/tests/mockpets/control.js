// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// Made by `python -m generate` from the constants of the server.

export const VERSION = "0.2.0";
export const PROTOCOL = 2;
export const CHANGES = ["requests", "scenario", "data", "gates", "sessions", "files", "origins", "clock"];
