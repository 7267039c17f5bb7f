/** What a fit works out once belongs to it alone: nothing of it is left for the next program of the process. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { fitProgram, toJson } from "../../../src/toolchain/fit/index.js";
import { NO_MEMORY, type TableLayout } from "../../../src/toolchain/fit/memory/layout.js";
import { type CrossbarUse, ExactCrossbar } from "../../../src/toolchain/fit/place/crossbar.js";
import { Known } from "../../../src/toolchain/fit/place/known.js";
import { NO_DEMAND, subproblem } from "../../../src/toolchain/fit/reason/subproblem.js";
import { compileText, loadTarget } from "./golden.js";
import { randomProgram } from "./programs.js";

const tofino = loadTarget("tofino");
const ROOM = join(import.meta.dirname, "../../../src/toolchain/fit");

const tables = fc.array(
  fc.record({
    key: fc.integer({ min: -1, max: 5 }),
    writes: fc.nat(5),
    ternary: fc.boolean(),
    size: fc.constantFrom(16, 5000, 60_000),
    guarded: fc.boolean(),
  }),
  { minLength: 2, maxLength: 6 },
);
const compiled = (list: Parameters<typeof randomProgram>[0]) => {
  const { program, error } = compileText(randomProgram(list));
  if (program === undefined) throw new Error(error);
  return program;
};

describe("what a fit works out once", () => {
  it("is its own: a second fit of the same program asks the crossbar as often as the first", () => {
    const program = compiled(
      Array.from({ length: 12 }, (_, i) => ({
        key: -1,
        writes: i,
        ternary: false,
        size: 64,
        guarded: i % 2 === 0,
      })),
    );
    const place = vi.spyOn(ExactCrossbar.prototype, "place");
    const asked = () => {
      place.mockClear();
      const { problem } = fitProgram(program, tofino);
      return { problem, count: place.mock.calls.length };
    };
    const [first, second] = [asked(), asked()];
    place.mockRestore();
    expect(first.count).toBeGreaterThan(0);
    expect(second.count).toBe(first.count);
    expect(second.problem.known).not.toBe(first.problem.known);
    // What is made of a problem shares it, with the units that were left out.
    const [one, other] = [new Set([0, 1]), new Set([0, 2])].map((kept) => subproblem(first.problem, kept));
    expect(one!.known).toBe(first.problem.known);
    expect(one!.model.units[5]).toBe(other!.model.units[5]);
    expect(subproblem(second.problem, new Set([0])).model.units[5]).not.toBe(one!.model.units[5]);
  });

  it("has the uses of a table by its demand and searches, its key before what else it needs", () => {
    const bytes = [{ name: "1:0", align: 1 as const, phase: 0 }];
    const condition: CrossbarUse = { kind: "gateway", bytes, bits: 3, groups: 1 };
    const demand = { ...NO_DEMAND, matchBytes: bytes, crossbar: [condition] };
    const known = new Known();
    const layout = (ways: number, select: number, match: "exact" | "ternary" = "exact"): TableLayout => ({
      ...NO_MEMORY,
      match,
      searches: [{ ways, select }],
    });
    const searched = (ways: number, select: number) => ({ kind: "match", bytes, ways, select });
    for (const [ways, select] of [
      [4, 0],
      [4, 2],
      [3, 2],
    ] as const)
      expect(known.usesOf(demand, layout(ways, select)).list).toEqual([searched(ways, select), condition]);
    expect(known.usesOf(demand, layout(4, 2))).toBe(known.usesOf(demand, layout(4, 2)));
    expect(known.usesOf(demand, layout(4, 2, "ternary")).list).toEqual([condition]);
    // A key without a byte is on no crossbar.
    expect(known.usesOf({ ...demand, matchBytes: [] }, layout(4, 0)).list).toEqual([condition]);
  });

  it("has a table and its gateway as one: a logical table and a gateway less, the condition behind what the table needs", () => {
    const use = (key: string): CrossbarUse => ({ kind: "distribution", key, bytes: [], bits: 8 });
    const of = (logicalTables: number, gateways: number, key: string) => ({
      ...NO_DEMAND,
      logicalTables,
      gateways,
      crossbar: [use(key)],
    });
    const known = new Known();
    const table = of(1, 0, "table");
    const condition = of(2, 2, "condition");
    const both = known.withGateway(table, condition);
    // A condition of two gateways is two logical tables, of which the table is one.
    expect(both).toEqual({
      ...NO_DEMAND,
      logicalTables: 2,
      gateways: 2,
      crossbar: [use("table"), use("condition")],
    });
    expect(known.withGateway(table, condition)).toBe(both);
    // The gateway that a table has itself is the one of the condition.
    expect([1, 3].map((own) => known.withGateway(of(1, own, "t"), of(1, 1, "c")).gateways)).toEqual([1, 3]);
  });

  it("changes no result: a program has the same fit after another one as before it", () => {
    fc.assert(
      fc.property(tables, tables, (a, b) => {
        const [one, other] = [compiled(a), compiled(b)];
        const shown = (program: typeof one) => JSON.stringify(toJson(fitProgram(program, tofino)));
        const alone = shown(one);
        shown(other);
        expect(shown(one)).toBe(alone);
      }),
      { numRuns: 20 },
    );
  });

  it("is kept in no variable of a module", () => {
    const files = readdirSync(ROOM, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    expect(files.length).toBeGreaterThan(50);
    // A variable that changes, or a collection that begins empty.
    const state =
      /^(?:export )?(?:(?:let|var) .*|const \w+.*= (?:new (?:Weak)?(?:Map|Set)\b.*\(\)|\[\]|\{\});)$/gm;
    const found = files.flatMap((name) =>
      [...readFileSync(join(ROOM, name), "utf8").matchAll(state)].map(([line]) => `${name}: ${line}`),
    );
    expect(found).toEqual([]);
    expect(
      "const known = new WeakMap<Unit, Unit>();\nlet kept = 0;\nconst list: string[] = [];".match(state),
    ).toHaveLength(3);
  });
});
