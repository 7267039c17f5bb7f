/** The mean flow size in bytes of each distribution of the package, by name, as JSON. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SourceFile } from "../../../src/base/index.js";
import { readSizeDistribution } from "../../../src/fabric/traffic/index.js";

const folder = join(import.meta.dirname, "../../../data/cdf");
const means: Record<string, number> = {};
for (const file of readdirSync(folder).sort()) {
  const source = new SourceFile(file, readFileSync(join(folder, file), "utf8"));
  means[file.replace(/\.txt$/, "")] = readSizeDistribution(source).mean;
}
console.log(JSON.stringify(means));
