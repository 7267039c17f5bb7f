/** The recorded survivors of mutation tests, `tools/mutants/survivors.json`, as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

console.log(readFileSync(join(import.meta.dirname, "../../mutants/survivors.json"), "utf8"));
