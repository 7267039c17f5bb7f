import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conclude, type FitResult, fitProgram } from "../../../src/toolchain/fit/index.js";
import { placeExactly } from "../../../src/toolchain/fit/place/exact.js";
import { verifyPlacement } from "../../../src/toolchain/fit/place/verify.js";
import { compileText, loadProgram, loadTarget } from "./golden.js";
import { type RandomTable, randomProgram } from "./programs.js";

const targets = ["tofino", "tofino2", "rmt"].map(loadTarget);
const tofino = targets[0]!;

const table: fc.Arbitrary<RandomTable> = fc.record({
  key: fc.integer({ min: -3, max: 9 }),
  writes: fc.nat({ max: 9 }),
  ternary: fc.boolean(),
  size: fc.constantFrom(1, 512, 4096, 20_000, 100_000),
  guarded: fc.boolean(),
});

function check(text: string, target: (typeof targets)[number]): FitResult {
  const { program, error } = compileText(text);
  expect(error).toBeUndefined();
  return fitProgram(program!, target);
}

describe("placement of random programs", () => {
  it("is accepted by the verifier and never below a bound", () => {
    fc.assert(
      fc.property(
        fc.array(table, { minLength: 1, maxLength: 10 }),
        fc.constantFrom(...targets),
        (tables, target) => {
          const result = check(randomProgram(tables), target);
          expect(verifyPlacement(result.problem, result.placement)).toEqual([]);
          expect(result.stages).toBeGreaterThanOrEqual(result.bounds[0]!.stages);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });

  it("is never worse when solved exactly", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(table, { minLength: 4, maxLength: 8 }), async (tables) => {
        const result = check(randomProgram(tables), tofino);
        const exact = await placeExactly(result.problem, result.placement, { timeLimit: 2 });
        expect(exact.stages).toBeLessThanOrEqual(result.stages);
        expect(exact.stages).toBeGreaterThanOrEqual(exact.bound);
        expect(exact.bound).toBeGreaterThanOrEqual(result.bounds[0]!.stages);
        expect(verifyPlacement(result.problem, exact.placement)).toEqual([]);
      }),
      { numRuns: 15, seed: 2 },
    );
  });
});

describe("exact placement", () => {
  it("beats the greedy one where conflicts and hash groups meet", async () => {
    const result = fitProgram(loadProgram("many_ex_40").program!, tofino);
    expect(result.stages).toBe(8);
    const exact = await placeExactly(result.problem, result.placement, { timeLimit: 20 });
    expect([exact.stages, exact.bound, exact.gap]).toEqual([5, 5, 0]);
    expect(conclude(result.problem, exact.placement, []).verdict).toBe("placed");
  });
});

describe("the verifier", () => {
  const result = fitProgram(loadProgram("real_l2l3").program!, tofino);
  const { problem, placement } = result;
  const changed = (stages: ReadonlyMap<string, number>) => ({
    ...placement,
    parts: placement.parts.map((part) => ({ ...part, stage: stages.get(part.unit.name) ?? part.stage })),
  });

  it("accepts what was placed", () => {
    expect(verifyPlacement(problem, placement)).toEqual([]);
  });

  it("sees a table before what it depends on", () => {
    const wrong = verifyPlacement(problem, changed(new Map([["Ing.nexthop", 0]])));
    expect(wrong.join("\n")).toContain("Ing.nexthop (match) is too early after");
  });

  it("sees a missing table, missing entries and wrong sums", () => {
    const without = placement.parts.filter((part) => part.unit.name !== "Ing.fib");
    expect(verifyPlacement(problem, { ...placement, parts: without }).join("\n")).toContain(
      "Ing.fib is in no stage",
    );
    const fewer = placement.parts.map((part) =>
      part.unit.name === "Ing.fib" ? { ...part, entries: 5 } : part,
    );
    expect(verifyPlacement(problem, { ...placement, parts: fewer }).join("\n")).toContain(
      "5 of 8192 entries",
    );
    const stages = placement.stages.map((counts) => ({ ...counts, srams: counts.srams + 1 }));
    expect(verifyPlacement(problem, { ...placement, stages }).join("\n")).toMatch(
      /has \d+ srams, the placement states \d+/,
    );
  });

  it("sees a full stage", () => {
    const small = { ...problem, target: { ...tofino, sram: { ...tofino.sram, blocks: 10 } } };
    expect(verifyPlacement(small, placement).join("\n")).toMatch(/stage 0 uses \d+ of 10 srams/);
  });

  it("sees two writers of one container", () => {
    const other = fitProgram(loadProgram("many_te_4").program!, tofino);
    const parts = other.placement.parts.map((part) => ({ ...part, stage: 0 }));
    expect(verifyPlacement(other.problem, { ...other.placement, parts }).join("\n")).toContain(
      "write one container",
    );
  });
});
