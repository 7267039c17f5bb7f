/** Why a program does not fit: smallest sets of its parts, each of which is needed for the refusal. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import {
  type FitResult,
  findReasons,
  fitProgram,
  onePipe,
  pipesOf,
  QUICK,
  reasonsText,
  type Target,
} from "../../../src/toolchain/fit/index.js";
import { stageCount } from "../../../src/toolchain/fit/place/placement.js";
import { Stage } from "../../../src/toolchain/fit/place/stage.js";
import { placeByStages, placeWithin } from "../../../src/toolchain/fit/place/tofino.js";
import { Work } from "../../../src/toolchain/fit/place/work.js";
import { fieldsWithoutContainer } from "../../../src/toolchain/fit/reason/containers.js";
import { smallest } from "../../../src/toolchain/fit/reason/smallest.js";
import { subproblem } from "../../../src/toolchain/fit/reason/subproblem.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { compileText, loadTarget } from "./golden.js";
import { FIELDS, randomProgram, smaller, tableText, tnaSource, wrap } from "./programs.js";

const tofino = loadTarget("tofino");
const small = smaller(tofino);

function fitOf(text: string, target: Target = tofino): FitResult {
  const { program, error } = compileText(text);
  expect(error).toBeUndefined();
  return fitProgram(program!, target);
}

/** Steps of a chain, each needs the result of the one before; two more that nothing waits for. */
function chain(length: number): string {
  const fields = Array.from({ length: length + 3 }, (_, i) => `bit<32> f${i};`).join(" ");
  const steps = Array.from({ length }, (_, i) => `h.d.f${i + 1} = h.d.f${i} + 1;`);
  const last = length + 1;
  return wrap(fields, "", [...steps, `h.d.f${last} = h.d.f${last} + 1;`].join("\n"));
}

/** Ternary tables with so many TCAM blocks each. */
function ternaries(blocks: readonly number[]): string {
  const fields = blocks.map((_, i) => `bit<32> k${i}; bit<32> r${i};`).join(" ");
  const tables = blocks.map((count, i) =>
    tableText(`t${i}`, `h.d.k${i}: ternary`, `h.d.r${i} = v;`, "", count * tofino.tcam.depth),
  );
  return wrap(fields, tables.join("\n"), blocks.map((_, i) => `t${i}.apply();`).join(" "));
}

describe("the reason of a refusal", () => {
  it("is none for a program that is placed", async () => {
    expect(await findReasons(fitOf(chain(12)))).toEqual([]);
  });

  it("is one operation that the hardware lacks, at its line, with what to do instead", async () => {
    const [reason, ...others] = await findReasons(fitOf(wrap(FIELDS, "", "\n h.d.a = h.d.a * 3;")));
    expect(others).toEqual([]);
    expect(reason).toMatchObject({ kind: "operation", size: 1, isMinimal: true });
    expect(reason!.members[0]!.text).toBe("no ALU computes d.a * 3: there is no multiplier");
    expect(reason!.members[0]!.source!.line).toBe(14);
    expect(reason!.because).toContain("add shifted copies");
  });

  it("is a chain of one step more than the device has stages, not the steps beside it", async () => {
    const [reason, ...others] = await findReasons(fitOf(chain(15)));
    expect(others).toEqual([]);
    expect(reason).toMatchObject({ kind: "tables", size: 13, isMinimal: true });
    expect(reason!.because).toBe(
      "each waits for another, so that they take 13 stages, and the device has 12",
    );
    expect(reason!.members[1]!.text).toMatch(/, waits for d\.f\d+ of h\.d\.f\d+ = /);
    expect(new Set(reason!.members.map(({ source }) => source!.line)).size).toBe(13);
  });

  it("is the largest tables whose sum the device does not have", async () => {
    const result = fitOf(ternaries([2, 10, 10, 2, 10]), { ...tofino, stages: 1 });
    const [reason] = await findReasons(result);
    expect(reason).toMatchObject({ kind: "tables", size: 3, isMinimal: true });
    expect(reason!.members.map(({ text }) => text.split(" ")[1])).toEqual(["Ing.t1", "Ing.t2", "Ing.t4"]);
    expect(reason!.because).toBe("they take 30 TCAM blocks at 24 a stage, and the device has 1 stages");
  });

  it("tries remedies on the whole program: a size, or without a table", async () => {
    const result = fitOf(ternaries([2, 10, 10, 4]), { ...tofino, stages: 1 });
    const [reason] = await findReasons(result);
    const fitting = reason!.remedies.filter(({ fits }) => fits).map(({ text }) => text);
    expect(fitting).toContain("without Ing.t1");
    const shrunk = fitting.find((text) => text.startsWith("Ing.t1 with"));
    const size = Number(/with (\d+) entries instead of 5120/.exec(shrunk ?? "")?.[1]);
    // 24 blocks less 2, 10 and 4 are left.
    expect(size).toBeGreaterThan(7 * 512);
    expect(size).toBeLessThanOrEqual(8 * 512);
  });

  it("is two calls that share a register, and what lies between them", async () => {
    const text = wrap(
      FIELDS,
      "register<bit<32>>(16) r; action up() { r.read(h.d.a, 0); } action down() { r.write(0, h.d.b); }",
      "up(); h.d.b = h.d.a + 1; down(); h.d.x = 3;",
    );
    const reasons = await findReasons(fitOf(text));
    const tables = reasons.find(({ kind }) => kind === "tables")!;
    expect(tables.isMinimal).toBe(true);
    expect(tables.members).toHaveLength(3);
    expect(tables.because).toBe(
      "Ing.up() and Ing.down() share register Ing.r, so they need one stage, but one needs what the other writes, so they need two",
    );
  });

  it("is the fields that together take more containers than there are", async () => {
    const phv = { ...tofino.phv, containers: { 8: 1, 16: 1, 32: 3 } };
    const result = fitOf(chain(4), { ...tofino, phv });
    const reasons = await findReasons(result);
    const fields = reasons.find(({ kind }) => kind === "fields")!;
    expect(fields).toMatchObject({ size: 4, isMinimal: true });
    expect(fields.because).toBe("they take containers of 128 bits, and the device has 120");
    expect(reasonsText(reasons)).toMatch(/^why not: 4 fields together \(minimal\)/m);
  });

  describe("is fields that the allocation has no container for", () => {
    // Values are set by one table each, and all are matched behind them.
    const count = 36;
    const values = Array.from({ length: count }, (_, i) => i);
    const text = tnaSource({
      ingress: `${values.map((i) => `bit<32> f${i}; action s${i}(bit<32> v) { f${i} = v; } table in${i} { actions = { s${i}; } size = 1; }`).join("\n")}
        action mark() {}
        ${values.map((i) => `table out${i} { key = { f${i} : exact; } actions = { mark; } size = 16; }`).join("\n")}`,
      apply: `tm.ucast_egress_port = 1; ${values.map((i) => `in${i}.apply();`).join(" ")} ${values.map((i) => `out${i}.apply();`).join(" ")}`,
    });
    const { arrangement } = tofino.phv;
    const few = (groups: Record<8 | 16 | 32, number>): Target => ({
      ...tofino,
      phv: { ...tofino.phv, arrangement: { ...arrangement!, groups, first_groups_fixed: false } },
    });
    const { program } = compile({ file: new SourceFile("p.p4", text), form: "hardware" }, new Diagnostics())!;
    const fitted = (target: Target) => fitProgram(onePipe(program, pipesOf(program)[0]!), target);
    const target = few({ 8: 2, 16: 1, 32: 1 });

    it("with the room of the groups, stages and lines, and what was tried", async () => {
      const result = fitted(target);
      expect(result.phv.exceeded.join()).toContain("no container");
      const reasons = await findReasons(result);
      const fields = reasons.find(({ kind }) => kind === "fields")!;
      expect(fields.isMinimal).toBe(false);
      expect(fields.because).toMatch(/groups? of 16 containers of \d+ bits \d+ containers are left/);
      expect(fields.members.some(({ text: shown }) => /in stages \d+ to \d+: from \S+ to /.test(shown))).toBe(
        true,
      );
      expect(await findReasons(fitted(few({ 8: 4, 16: 6, 32: 4 })))).toEqual([]);
    });

    it("and, with more work, a smallest set, without one of which all others have containers", async () => {
      const all = (await fieldsWithoutContainer(fitted(target), "thorough", 10 * QUICK.work))!;
      // Ingress has 24 - 2 containers of 8 bits (a block of 8 is for egress, one has the kind of mirror, one validity), 16 - 3 of 16 (its port, its
      // mirror session, the port of egress) and 16 of 32: 896 bits for 28 values of 32 bits.
      expect(all.size).toBe(29);
      expect(all.because).toMatch(
        /^they take 928 bits, \d+ of them at once in stage \d+, and the containers hold 1024; .*7 containers are left, which the other gress has/,
      );
      expect(all.members).toHaveLength(1);
      expect(all.members[0]!.text).toContain(
        `${all.size} fields of scalars, ${32 * all.size} bits, in stages 0 to `,
      );
      expect(all.remedies[0]).toMatchObject({
        fits: false,
        outcome: expect.stringMatching(/^\d+ of \d+ bits without a container$/),
      });
    });

    it("and says where its allocations reach the bound of their work, which is counted", async () => {
      const result = fitted(target);
      const asked = (limit: number) => fieldsWithoutContainer(result, "quick", limit);
      const all = (await asked(QUICK.work))!;
      expect(all.isAtBound).toBe(false);
      expect(all.remedies.length).toBeGreaterThan(0);
      const none = (await asked(0))!;
      expect([none.isAtBound, none.remedies, none.size, none.because]).toEqual([
        true,
        [],
        all.size,
        all.because,
      ]);
      const reasons = await findReasons(result, { ...QUICK, work: 1 });
      expect(reasonsText(reasons)).toContain(
        "fields together (not proven minimal, the search reached its bound): ",
      );
      expect(reasonsText(await findReasons(result))).not.toContain("reached its bound");
    });
  });

  describe("of counters of so many map RAMs, on two stages of 10", () => {
    const fitted = (rams: readonly number[]) => {
      const counters = rams.map(
        (count, i) => `counter(${(count - 1) * 2048}, CounterType.packets) k${i};
        action a${i}() { k${i}.count(h.d.i${i}); }
        table t${i} { key = { h.d.k${i} : ternary; } actions = { a${i}; } size = 16; default_action = a${i}(); }`,
      );
      const fields = counters.map((_, i) => `bit<32> k${i}; bit<32> i${i};`).join(" ");
      const apply = counters.map((_, i) => `t${i}.apply();`).join(" ");
      return fitOf(wrap(fields, counters.join("\n"), apply), small({}, { map_rams: 10 }, { stages: 2 }));
    };
    const solver = { questions: 8, nodes: 10_000, seconds: 20 };

    it("is not called minimal where only the heuristic refuses, and is proven with the solver", async () => {
      // 18 map RAMs: by counts they fit, but no stage holds two counters of 6.
      const result = fitted([6, 6, 6]);
      const [quick] = await findReasons(result);
      expect(quick).toMatchObject({ kind: "tables", size: 3, isMinimal: false });
      expect(quick!.because).toContain("was found");
      const [exact] = await findReasons(result, { ...QUICK, solver });
      expect(exact).toMatchObject({ kind: "tables", size: 3, isMinimal: true });
      expect(exact!.because).toContain("no placement within the 2 stages exists");
    });

    it("is the smallest of the tables that the solver refuses, in a larger set", async () => {
      const [exact] = await findReasons(fitted([6, 2, 6, 2, 6]), { ...QUICK, solver });
      expect(exact).toMatchObject({ kind: "tables", size: 3, isMinimal: true });
      expect(exact!.members.map(({ text }) => text.split(" ")[1])).toEqual(["Ing.t0", "Ing.t2", "Ing.t4"]);
    });

    it("is none where the solver places what the heuristic does not", async () => {
      // As if nothing had been found: two stages are enough, 4 + 6 in each.
      const result: FitResult = { ...fitted([4, 4, 6, 6]), verdict: "fits by counts", stages: 3 };
      expect((await findReasons(result)).map(({ kind, isMinimal }) => [kind, isMinimal])).toEqual([
        ["tables", false],
      ]);
      expect(await findReasons(result, { ...QUICK, solver })).toEqual([]);
    });
  });
});

describe("the work of a search for reasons", () => {
  /** Small tables with a key of their own and as many conditions, on a target with a stage less than they take. */
  const tooMany = (count: number): FitResult => {
    const list = Array.from({ length: count }, (_, i) => ({
      key: -1,
      writes: i,
      ternary: false,
      size: 64,
      guarded: true,
    }));
    const text = randomProgram(list);
    return fitOf(text, { ...tofino, stages: fitOf(text).stages - 1 });
  };
  const result = tooMany(40);

  it("has a bound that the program's size does not move, and gives the same answer each time", async () => {
    const work = 30_000;
    const asked = async (one: FitResult) => {
      const questions = vi.spyOn(Stage.prototype, "exceeded");
      const reasons = await findReasons(one, { ...QUICK, work });
      const count = questions.mock.calls.length;
      questions.mockRestore();
      return { count, text: reasonsText(reasons), reasons };
    };
    const [first, again, larger] = [await asked(result), await asked(result), await asked(tooMany(80))];
    expect(first).toEqual(again);
    for (const { count, text, reasons } of [first, larger]) {
      // As much for the sets as for their remedies; the last proof of a set, and its words, ask once a unit.
      expect(count).toBeLessThan(3 * work);
      expect(text).toMatch(
        /^why not: \d+ tables, actions and conditions together \(not proven minimal, the search reached its bound\)/m,
      );
      const tables = reasons.find(({ kind }) => kind === "tables")!;
      expect(tables.isMinimal).toBe(false);
      expect(tables.size).toBeGreaterThan(8);
    }
  });

  it("finds a smaller set with more of it, and without any names the units that it began with", async () => {
    const sizes: number[] = [];
    for (const work of [0, QUICK.work]) {
      const reasons = await findReasons(result, { ...QUICK, work });
      sizes.push(reasons.find(({ kind }) => kind === "tables")!.size);
      if (work === 0) expect(reasons.flatMap(({ remedies }) => remedies)).toEqual([]);
    }
    expect(sizes[0]).toBe(result.model.units.length);
    expect(sizes[1]).toBeLessThan(sizes[0]!);
  });

  it("still proves what counts and chains prove", async () => {
    const [reason] = await findReasons(fitOf(chain(15)), { ...QUICK, work: 20_000 });
    expect(reason).toMatchObject({ kind: "tables", size: 13, isMinimal: true });
  });

  it("gives a placement where it suffices, the one without a bound, and else none", () => {
    const { problem } = result;
    const whole = new Work();
    const placement = placeWithin(problem, whole);
    expect(placement).toEqual(placeByStages(problem));
    expect(placeWithin(problem, new Work(whole.spent))).toEqual(placement);
    for (const share of [0, 0.3, 0.6, 0.99])
      expect(placeWithin(problem, new Work(Math.floor(share * whole.spent)))).toBeUndefined();
  });
});

describe("a part of a problem", () => {
  it("takes no more stages than the whole, and nothing without units", () => {
    const table = fc.record({
      key: fc.integer({ min: -1, max: 5 }),
      writes: fc.nat(5),
      ternary: fc.boolean(),
      size: fc.constantFrom(16, 5000, 60000),
      guarded: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(table, { minLength: 3, maxLength: 6 }), (tables) => {
        const { problem } = fitOf(randomProgram(tables));
        const path = (units: ReadonlySet<number>) => subproblem(problem, units).graph.criticalPath;
        const all = new Set(problem.model.units.map(({ id }) => id));
        const stages = stageCount(placeByStages(subproblem(problem, all)).parts);
        expect(stages).toBe(stageCount(placeByStages(problem).parts));
        for (const id of all) {
          const rest = new Set([...all].filter((other) => other !== id));
          expect(path(rest)).toBeLessThanOrEqual(path(all));
          expect(placeByStages(subproblem(problem, rest)).unplaced).toEqual([]);
        }
        const none = placeByStages(subproblem(problem, new Set()));
        expect(none.stages.every((counts) => Object.values(counts).every((count) => count === 0))).toBe(true);
      }),
      { numRuns: 12 },
    );
  });
});

describe("a smallest set", () => {
  it("is refused, and no set with one member less is, whatever is refused", async () => {
    // Refused: what contains one of these sets.
    const cause = fc.uniqueArray(fc.nat(19), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(cause, { minLength: 1, maxLength: 4 }), async (causes) => {
        const isRefused = (part: readonly number[]) =>
          causes.some((set) => set.every((member) => part.includes(member)));
        const all = Array.from({ length: 20 }, (_, i) => i);
        const { members, isMinimal } = await smallest(all, (part) =>
          isRefused(part) ? "refused" : "placed",
        );
        expect(isMinimal).toBe(true);
        expect(isRefused(members)).toBe(true);
        for (const left of members) expect(isRefused(members.filter((one) => one !== left))).toBe(false);
      }),
    );
  });

  it("is proven where an answer that was not known beside others is known without them", async () => {
    const ask = (part: readonly number[]) => {
      if (part.includes(2) && part.includes(3)) return "refused";
      return part.includes(4) ? "unknown" : "placed";
    };
    // Without 2 nothing is known while 4 is there; 4 goes, and the answers are sure.
    expect(await smallest([1, 2, 3, 4], ask)).toEqual({ members: [2, 3], isMinimal: true });
    // No question comes again where no member went since.
    const once: string[] = [];
    await smallest([1, 2], (part) => {
      once.push(part.join(" "));
      return "unknown";
    });
    expect(once).toEqual(["2", "1"]);
  });

  it("is not proven minimal where an answer is not known", async () => {
    const ask = (part: readonly number[]) => (part.length === 3 ? "refused" : "unknown");
    expect(await smallest([1, 2, 3], ask)).toEqual({ members: [1, 2, 3], isMinimal: false });
  });
});
