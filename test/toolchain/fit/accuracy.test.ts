import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { accuracyPage, agreementText, CAUSES, readAgreement } from "./accuracy-page.js";
import { compareOne, compareWith, goldenResults } from "./golden.js";

const agreement = join(import.meta.dirname, "../../golden/fit/agreement.txt");
const page = join(import.meta.dirname, "../../../docs/fit/accuracy.md");

describe("agreement with the open Tofino compiler", () => {
  const results = goldenResults();
  if (process.env["P4LOOM_GOLDEN"] === "update") {
    const rows = results.map(compareOne);
    writeFileSync(agreement, agreementText(rows));
    writeFileSync(page, accuracyPage(rows));
  }
  const recorded = readFileSync(agreement, "utf8").split("\n").slice(1, -1);
  const programs = [...new Set(results.map(({ program }) => program))];

  it("is recorded for each result", () => {
    expect(results).toHaveLength(518);
    expect(recorded).toHaveLength(518);
  });

  it.each(programs)("of %s is the recorded one", (program) => {
    const rows = results.filter((result) => result.program === program).map(compareOne);
    const lines = recorded.filter((line) => line.split(" ")[1] === program);
    expect(agreementText(rows).split("\n").slice(1, -1)).toEqual(lines);
  });

  it("is what docs/fit/accuracy.md says, with a cause for each difference", () => {
    const rows = readAgreement(recorded).map((ours, i) => compareWith(results[i]!, ours));
    expect(rows.filter((row) => !row.same && CAUSES[row.program] === undefined)).toEqual([]);
    expect(accuracyPage(rows)).toBe(readFileSync(page, "utf8"));
  });
});
