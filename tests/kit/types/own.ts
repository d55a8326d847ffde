// What users write with the names of their own scenarios, from the file that `mockpets kit --types` writes.

import { Mockpets } from "mockpets";
import type { GateName, ScenarioName } from "mockpets";
import { states } from "mockpets/playwright";

void new Mockpets().use("tired-cat", "empty");
states({ exclude: ["tired-cat"] });
export const names: [ScenarioName, GateName] = ["tired-cat", "feed"];
