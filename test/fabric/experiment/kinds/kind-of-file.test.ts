/** The kind of every example, found from its keys. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";
import { kindOfFile } from "../../../../src/fabric/experiment/read.js";
import { SCHEMES } from "../../../../src/fabric/schemes/index.js";

const root = join(import.meta.dirname, "../../../../examples");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".yaml") && !name.includes("exercise"),
);

describe("the kind of an example", () => {
  it.each(files)("is found without its key kind: %s", (name) => {
    const { kind, sweep = {}, ...rest } = parse(readFileSync(join(root, name), "utf8"));
    if (rest.schemes === undefined) return;
    const swept = Object.fromEntries(
      Object.keys(sweep)
        .filter((key) => key !== "seeds" && !key.includes("."))
        .map((key) => [key, 0]),
    );
    if (kind !== undefined) return;
    expect(kindOfFile({ ...swept, ...rest }, KINDS, SCHEMES)).toHaveProperty("kind");
  });
});
