// What users write with the names of their own scenarios, from the file that `mockpets kit --types` writes.

import { Mockpets } from "mockpets";
import type { CollectionName, GateName, ScenarioName } from "mockpets";
import { states } from "mockpets/playwright";

void new Mockpets().use("tired-cat", "empty");
states({ exclude: ["tired-cat"] });
export const names: [ScenarioName, GateName, GateName] = ["tired-cat", "feed", "orders"]; // also the name of a shipped scenario
void new Mockpets().data("orders").all();
void new Mockpets().data("tired-cat.orders").all();
void new Mockpets().data("carts" as CollectionName).all();
