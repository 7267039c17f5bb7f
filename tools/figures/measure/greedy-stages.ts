/** The stages of the greedy orders FFD, FFL and FFLS on RMT for the table graphs of Jose et al., by graph, as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { placeGreedily, type TableGraph, targetSchema } from "../../../src/toolchain/fit/index.js";

interface GraphFile {
  name: string;
  tables: TableGraph["tables"];
  dependencies: [from: string, to: string, kind: string][];
}

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const rmt = targetSchema.parse(parse(read("data/targets/rmt.yaml")));

function graphOf({ tables, dependencies }: GraphFile): TableGraph {
  const index = new Map(tables.map(({ name }, i) => [name, i]));
  return {
    tables,
    dependencies: dependencies.map(([from, to, kind]) => ({
      from: index.get(from)!,
      to: index.get(to)!,
      distance: kind === "successor" ? 0 : 1,
    })),
  };
}

const files = JSON.parse(read("test/golden/fit/rmt-graphs.json")) as GraphFile[];
const stages = files.map((file) => [
  file.name,
  (["ffd", "ffl", "ffls"] as const).map((order) => placeGreedily(graphOf(file), rmt, order).stages),
]);
console.log(JSON.stringify(Object.fromEntries(stages)));
