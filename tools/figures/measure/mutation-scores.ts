/** The recorded scores of mutation tests, `tools/mutants/scores.json`, without their commits, as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const path = join(import.meta.dirname, "../../mutants/scores.json");
const scores = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>[];
console.log(JSON.stringify(scores.map(({ commit: _, ...score }) => score)));
