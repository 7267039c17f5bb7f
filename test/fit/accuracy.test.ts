import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { accuracyPage, agreementText, CAUSES } from "./accuracy-page.js";
import { compare } from "./golden.js";

const agreement = join(import.meta.dirname, "../golden/fit/agreement.txt");
const page = join(import.meta.dirname, "../../docs/fit/accuracy.md");

describe("agreement with the open Tofino compiler", () => {
  const rows = compare();
  if (process.env["P4LOOM_GOLDEN"] === "update") {
    writeFileSync(agreement, agreementText(rows));
    writeFileSync(page, accuracyPage(rows));
  }

  it("is the recorded one in every row", () => {
    expect(rows).toHaveLength(518);
    const recorded = readFileSync(agreement, "utf8").split("\n");
    for (const [index, line] of agreementText(rows).split("\n").entries()) expect(line).toBe(recorded[index]);
  });

  it("has a cause for every difference", () => {
    expect(rows.filter((row) => !row.same && CAUSES[row.program] === undefined)).toEqual([]);
  });

  it("is what docs/fit/accuracy.md says", () => {
    expect(accuracyPage(rows)).toBe(readFileSync(page, "utf8"));
  });
});
