/**
 * The integer program of the exact placement: its rows beside the definition of a placement, for all assignments of small
 * programs; and what the solver makes of programs whose best placement is known in closed form.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conclude, fitProgram, type Target } from "../../../src/toolchain/fit/index.js";
import { lowerBounds } from "../../../src/toolchain/fit/place/bounds.js";
import { placeExactly, solveFor } from "../../../src/toolchain/fit/place/exact.js";
import { FeasibilityProgram } from "../../../src/toolchain/fit/place/feasibility-program.js";
import { brokenTurns, turnsOf } from "../../../src/toolchain/fit/place/flow-turns.js";
import type { Placement, Problem } from "../../../src/toolchain/fit/place/placement.js";
import { Realizer } from "../../../src/toolchain/fit/place/realize.js";
import { verifyPlacement } from "../../../src/toolchain/fit/place/verify.js";
import { runs } from "../../fuzz-seed.js";
import { compileText, loadTarget } from "./golden.js";
import { randomProgram, tableText as TABLE, wrap } from "./programs.js";

const tofino = loadTarget("tofino");

interface Row {
  readonly terms: readonly (readonly [factor: number, variable: string])[];
  readonly sign: string;
  readonly limit: number;
}

/** The rows of a program in CPLEX LP format, its binary variables, and the upper bounds of others. */
function read(text: string) {
  const section = (from: string, to: string) =>
    text.split(`${from}\n`)[1]!.split(`\n${to}\n`)[0]!.split("\n");
  const rows = section("Subject To", "Bounds").map((line): Row => {
    const [, left, sign, limit] = /^ r\d+: (.*) (<=|>=|=) (-?[\d.]+)$/.exec(line)!;
    const terms = left!.replaceAll(" - ", " + -").split(" + ");
    return {
      sign: sign!,
      limit: Number(limit),
      terms: terms.map((term) => {
        const [, minus, factor, variable] = /^(-?)(?:([\d.]+) )?(\w+)$/.exec(term)!;
        return [(minus === "-" ? -1 : 1) * Number(factor ?? 1), variable!];
      }),
    };
  });
  const binaries = new Set(text.split("Binaries\n ")[1]!.split("\n")[0]!.split(" "));
  const bounds = new Map(
    section("Bounds", "Binaries").flatMap((line) => {
      const match = /^ 0 <= (\w+) <= (\d+)$/.exec(line);
      return match === null ? [] : [[match[1]!, Number(match[2])]];
    }),
  );
  return { rows, binaries, bounds };
}

const holds = ({ terms, sign, limit }: Row, values: ReadonlyMap<string, number>): boolean => {
  const sum = terms.reduce((total, [factor, variable]) => total + factor * (values.get(variable) ?? 0), 0);
  if (sign === "=") return sum === limit;
  return sign === "<=" ? sum <= limit + 1e-6 : sum >= limit - 1e-6;
};

/** Gives `b` of a span that is begun 1, and `d` of one that is not done 0; the row says no more. */
function settle({ terms, limit }: Row, values: Map<string, number>): boolean {
  const own = terms.find(([, name]) => /^[bd]\d+_/.test(name));
  if (own === undefined || !terms.some(([, name]) => name.startsWith("x"))) return false;
  const sum = terms.reduce(
    (total, [, name]) => total + (name.startsWith("x") ? (values.get(name) ?? 0) : 0),
    0,
  );
  const [factor, name] = own;
  if (sum > 0) values.set(name, limit === 0 && factor < 0 ? 1 : 0);
  return true;
}

/** The rows that do not hold, each turn in the order that suits it. Of a span of which nothing is known, nothing has begun and all is done. */
function broken(rows: readonly Row[], values: ReadonlyMap<string, number>): readonly Row[] {
  const known = new Map(values);
  const byTurn = new Map<string, Row[]>();
  for (const row of rows) {
    for (const [, name] of row.terms) if (/^d\d+_/.test(name) && !known.has(name)) known.set(name, 1);
    const turn = row.terms.find(([, name]) => /^o\d+$/.test(name))?.[1] ?? "";
    byTurn.set(turn, [...(byTurn.get(turn) ?? []), row]);
  }
  return [...byTurn].flatMap(([turn, list]) => {
    const [first, second] = [0, 1].map((order) => {
      const own = new Map(known).set(turn, order);
      return list.filter((row) => !holds(row, own));
    });
    return second!.length === 0 ? [] : first!;
  });
}

const problemOf = (text: string, target: Target): { problem: Problem; placement: Placement } => {
  const { program, error } = compileText(text);
  expect(error).toBeUndefined();
  return fitProgram(program!, target);
};

/** Tofino with other amounts in a stage. */
const small = (
  change: Partial<Target["per_stage"]>,
  sram: Partial<Target["sram"]> = {},
  tcamBlocks = 24,
): Target => ({
  ...tofino,
  per_stage: { ...tofino.per_stage, ...change },
  sram: { ...tofino.sram, ...sram },
  tcam: { ...tofino.tcam, blocks: tcamBlocks, columns: null },
});

const FIELDS = "bit<32> a; bit<32> b; bit<32> c; bit<32> e; bit<32> f; bit<32> g; bit<8> s;";

const PROGRAMS: readonly [what: string, target: Target, text: string][] = [
  [
    "tables that need each other, with two exact tables and two TCAM blocks a stage",
    small({ exact_tables: 2, ternary_tables: 1 }, {}, 2),
    wrap(
      FIELDS,
      [
        TABLE("t", "h.d.a: exact", "h.d.b = v;"),
        TABLE("u", "h.d.b: exact", "h.d.c = v;"),
        TABLE("w", "h.d.e: ternary", "h.d.f = v;"),
        TABLE("x", "h.d.f: ternary", "h.d.a = v;"),
        TABLE("y", "h.d.e: exact", "h.d.g = v;"),
      ].join(" "),
      "t.apply(); u.apply(); w.apply(); x.apply(); y.apply();",
    ),
  ],
  [
    "a counter of two tables, a register, direct counters and hashes, with one ALU of each kind",
    small(
      { stats_alus: 1, meter_alus: 1, hash_distribution_units: 2, logical_tables: 3 },
      { blocks: 13, map_rams: 5 },
    ),
    wrap(
      FIELDS,
      `counter(16, CounterType.bytes) k; direct_counter(CounterType.packets) own; register<bit<32>>(16) r;
      ${TABLE("t", "h.d.a: exact", "h.d.b = v; k.count(h.d.e);")}
      ${TABLE("u", "h.d.a: exact", "h.d.c = v; k.count(h.d.f);")}
      ${TABLE("w", "h.d.e: ternary", "own.count();", "counters = own;")}
      ${TABLE("y", "h.d.f: ternary", "r.write(h.d.g, v);")}
      action mix() { hash(h.d.g, HashAlgorithm.crc32, 32w0, { h.d.a }, 32w65536); }`,
      "if (h.d.s == 1) { t.apply(); } else { u.apply(); } w.apply(); y.apply(); mix();",
    ),
  ],
  [
    "writers of one container, with one hash group",
    small({ hash_groups: 1, hash_group_bits: 52 }),
    wrap(
      "bit<32> a; bit<8> b; bit<8> c; bit<8> e; bit<8> f; bit<32> g;",
      ["b", "c", "e"]
        .map((name, i) =>
          TABLE(`t${i}`, i === 0 ? "h.d.a: ternary" : "h.d.g: ternary", `h.d.${name} = (bit<8>) v;`),
        )
        .join(" ") + TABLE("x", "h.d.a: exact", "h.d.g = v;"),
      "t0.apply(); t1.apply(); t2.apply(); x.apply();",
    ),
  ],
];

/** Whether a stage for each unit is a placement, by the linear constraints alone. */
function isPlacement(
  { model, graph, conflicts, companions, demands, plans, target }: Problem,
  at: readonly number[],
) {
  if (graph.edges.some(({ from, to, distance }) => at[to]! < at[from]! + distance)) return false;
  const stages = new Set(at);
  for (const unit of model.units) {
    if ([...conflicts[unit.id]!].some((other) => at[other] === at[unit.id])) return false;
    if (companions[unit.id]!.some((other) => at[other] !== at[unit.id])) return false;
  }
  for (const stage of stages) {
    const here = model.units.filter((unit) => at[unit.id] === stage);
    const sum = (amount: (id: number) => number) => here.reduce((total, unit) => total + amount(unit.id), 0);
    const layout = (id: number) =>
      plans[id]!.layout(model.units[id]!.kind === "match" ? model.units[id]!.size : 1);
    const shared = [
      ...new Map(
        here.flatMap((unit) => demands[unit.id]!.shared).map((memory) => [memory.name, memory]),
      ).values(),
    ];
    const sharedSum = (name: "srams" | "mapRams" | "statsAlus" | "meterAlus") =>
      shared.reduce((total, memory) => total + memory[name], 0);
    const { per_stage: limits, sram, tcam } = target;
    const half = (limits.hash_group_bits ?? 0) / 2;
    const amounts: [number, number | null][] = [
      [sum((id) => layout(id).srams) + sharedSum("srams"), sram.blocks],
      [sum((id) => layout(id).mapRams) + sharedSum("mapRams"), sram.map_rams],
      [sum((id) => layout(id).tcams), tcam.blocks],
      [sum((id) => (model.units[id]!.condition === undefined ? 1 : 0)), limits.logical_tables],
      [sum((id) => demands[id]!.exactTables), limits.exact_tables],
      [sum((id) => demands[id]!.ternaryTables), limits.ternary_tables],
      [sum((id) => demands[id]!.statsAlus) + sharedSum("statsAlus"), limits.stats_alus],
      [sum((id) => demands[id]!.meterAlus) + sharedSum("meterAlus"), limits.meter_alus],
      [
        new Set(
          here.flatMap(({ id }) =>
            demands[id]!.crossbar.flatMap((use) => (use.kind === "distribution" ? [use.key] : [])),
          ),
        ).size,
        limits.hash_distribution_units,
      ],
      [sum((id) => (layout(id).hashBits > half ? 1 : 0)), limits.hash_groups],
    ];
    if (amounts.some(([used, limit]) => limit !== null && used > limit)) return false;
  }
  return true;
}

function* assignments(units: number, stages: number): Generator<number[]> {
  for (let code = 0; code < stages ** units; code++)
    yield Array.from({ length: units }, (_, unit) => Math.floor(code / stages ** unit) % stages);
}

describe("the integer program", () => {
  it.each(PROGRAMS)("has the assignments of %s as its solutions", (_, target, text) => {
    const { problem } = problemOf(text, target);
    const units = problem.model.units.length;
    let placements = 0;
    for (const stages of [1, 2, 3]) {
      const feasibility = new FeasibilityProgram(problem, stages);
      if (feasibility.text().includes("impossible")) {
        expect(stages).toBeLessThan(problem.graph.criticalPath);
        continue;
      }
      const { rows, binaries } = read(feasibility.text());
      for (const at of assignments(units, stages)) {
        const names = at.map((stage, unit) => `x${unit}_${stage}`);
        const values = new Map(names.map((name) => [name, 1]));
        const solved = names.every((name) => binaries.has(name)) && rows.every((row) => holds(row, values));
        const wanted = isPlacement(problem, at);
        if (solved !== wanted) expect([stages, at, solved]).toEqual([stages, at, wanted]);
        if (!wanted) continue;
        placements++;
        const columns = Object.fromEntries(names.map((name) => [name, { Primal: 1 }]));
        expect(feasibility.stagesOf(columns)).toEqual(at.map((stage) => [stage]));
      }
    }
    expect(placements).toBeGreaterThan(0);
  });

  it("has every placement of the heuristic as a solution, those with split tables too", () => {
    const table = fc.record({
      key: fc.integer({ min: -3, max: 6 }),
      writes: fc.nat({ max: 6 }),
      ternary: fc.boolean(),
      size: fc.constantFrom(1, 4096, 20_000, 100_000),
      guarded: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(table, { minLength: 2, maxLength: 6 }), (tables) => {
        const { problem, placement } = problemOf(randomProgram(tables), tofino);
        const count = placement.parts.reduce((most, part) => Math.max(most, part.stage + 1), 0);
        const free = { ...problem, conflicts: problem.inseparable };
        const { rows, binaries, bounds } = read(
          new FeasibilityProgram(free, count, { turns: turnsOf(free) }).text(),
        );
        const values = new Map<string, number>();
        for (const { unit, stage, layout, entries } of placement.parts) {
          values.set(`x${unit.id}_${stage}`, 1);
          const isTernary = problem.plans[unit.id]!.layout(unit.size).tcamWidth > 0;
          if (isTernary) values.set(`y${unit.id}_${stage}`, layout.tcams / layout.tcamWidth);
          else if (layout.match === "exact") values.set(`y${unit.id}_${stage}`, entries);
        }
        for (const [name, value] of values)
          if (name.startsWith("x")) expect([name, binaries.has(name), value]).toEqual([name, true, 1]);
        const rest = rows.filter((row) => !settle(row, values));
        expect(broken(rest, values)).toEqual([]);
        // Without its parts a unit is nowhere.
        for (const { unit } of placement.parts) {
          const without = new Map([...values].filter(([name]) => !name.startsWith(`x${unit.id}_`)));
          expect(rows.every((row) => holds(row, without))).toBe(false);
        }
        // A split table with one unit less has too little room.
        for (const [name, value] of values) {
          if (!name.startsWith("y") || !bounds.has(name)) continue;
          expect(rows.every((row) => holds(row, new Map(values).set(name, value - 1)))).toBe(false);
        }
      }),
      runs(25),
    );
  });

  it("has no solution below the longest chain", () => {
    const { problem } = problemOf(PROGRAMS[0]![2], tofino);
    expect(new FeasibilityProgram(problem, 1).text()).toContain("impossible");
    expect(new FeasibilityProgram(problem, 2).text()).not.toContain("impossible");
  });
});

/** Tables with a counter each, of so many map RAMs. */
function withCounters(rams: readonly number[], apply?: string): string {
  const locals = rams.map(
    (count, i) => `counter(${(count - 1) * 2048}, CounterType.packets) k${i};
    action a${i}() { k${i}.count(h.d.i${i}); }
    table t${i} { key = { h.d.k${i} : ternary; } actions = { a${i}; } size = 16; default_action = a${i}(); }`,
  );
  const fields = rams.map((_, i) => `bit<32> k${i}; bit<32> i${i};`);
  return wrap(fields.join(" "), locals.join("\n"), apply ?? rams.map((_, i) => `t${i}.apply();`).join(" "));
}

describe("the exact placement", () => {
  const ten = small({}, { map_rams: 10 });
  const solve = async (text: string, target: Target, timeLimit = 20) => {
    const { problem, placement } = problemOf(text, target);
    const stages = Math.max(...placement.parts.map((part) => part.stage + 1));
    const exact = await placeExactly(problem, placement, { timeLimit });
    expect(verifyPlacement(problem, exact.placement)).toEqual([]);
    const { status, bound } = exact;
    return {
      heuristic: stages,
      exact: exact.stages,
      bound,
      gap: exact.gap,
      status,
      problem,
      placement: exact.placement,
    };
  };

  it("packs 6 + 4 and 6 + 4 of ten map RAMs, where the heuristic takes 4 + 4, 6 and 6", async () => {
    const solved = await solve(withCounters([6, 6, 4, 4]), ten);
    expect(solved).toMatchObject({ heuristic: 3, exact: 2, bound: 2, gap: 0, status: "optimal" });
    expect(solved.placement.method).toBe("exact");
    expect(conclude(solved.problem, solved.placement, []).stages).toBe(2);
  });

  it("proves that three counters of six map RAMs need three stages", async () => {
    const text = withCounters([6, 6, 6]);
    const { problem } = problemOf(text, ten);
    expect(lowerBounds(problem)[0]).toEqual({
      name: "map_rams",
      stages: 2,
      detail: "18 map RAMs at 10 a stage",
    });
    expect(await solve(text, ten)).toMatchObject({
      heuristic: 3,
      exact: 3,
      bound: 3,
      gap: 0,
      status: "optimal",
    });
  });

  it("asks nothing where the heuristic meets the bound, or a table has no place", async () => {
    const met = { gap: 0, status: "the heuristic meets the bound" };
    expect(await solve(withCounters([5, 5]), ten)).toMatchObject({
      heuristic: 1,
      exact: 1,
      bound: 1,
      ...met,
    });
    const { status } = await solve(withCounters([6, 11]), ten);
    expect(status).toBe("the heuristic meets the bound");
  });

  it("ends when its seconds are over, however many solutions no stage holds", async () => {
    const { problem, placement } = problemOf(
      withCounters([6, 6, 4, 4]),
      small({ ternary_crossbar_bytes: 8 }, { map_rams: 10 }),
    );
    const solvedBy = async (secondsACall: number) => {
      let now = 0;
      const clock = () => (now += secondsACall);
      const { status } = await placeExactly(problem, placement, { timeLimit: 20, clock });
      return status;
    };
    expect(await solvedBy(0)).toBe("optimal");
    expect(await solvedBy(100)).toBe("feasible");
  });

  it("has no proof where the bytes of keys are those of one packing", () => {
    const { problem } = problemOf(
      withCounters([3, 3, 3]),
      small({ ternary_crossbar_bytes: 12 }, { map_rams: 10 }),
    );
    const all = problem.model.units.map(() => [0]);
    const demands = problem.demands.map((demand, i) => ({
      ...demand,
      ternaryBytes: demand.ternaryBytes.flatMap((byte) => [byte, { ...byte, name: `${byte.name} ${i}` }]),
    }));
    expect(new Realizer(problem).realize(all)).toHaveProperty("parts");
    expect(new Realizer({ ...problem, demands }).realize(all)).toMatchObject({ isProven: false });
    const target = small({ ternary_crossbar_bytes: 8 }, { map_rams: 10 });
    expect(new Realizer({ ...problem, target }).realize(all)).toMatchObject({ isProven: true });
  });

  it("states the gap that remains when its time is over", async () => {
    const solved = await solve(withCounters([6, 6, 4, 4]), ten, 0);
    expect(solved).toMatchObject({ exact: 3, bound: 2, status: "time limit" });
    expect(solved.gap).toBeCloseTo(1 / 3, 12);
  });

  it("says yes exactly where some assignment holds, by a second model that counts map RAMs and key bytes", async () => {
    const answers = new Set<string>();
    const table = fc.array(fc.integer({ min: 2, max: 7 }), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(8, 12, 16),
        fc.integer({ min: 1, max: 3 }),
        async (rams, bytes, stages) => {
          const exists = [...assignments(rams.length, stages)].some((at) =>
            Array.from({ length: stages }, (_, stage) => rams.filter((_one, i) => at[i] === stage)).every(
              (here) => here.reduce((sum, count) => sum + count, 0) <= 10 && 4 * here.length <= bytes,
            ),
          );
          const target = small({ ternary_crossbar_bytes: bytes }, { map_rams: 10 });
          const { problem } = problemOf(withCounters(rams), target);
          const found = await solveFor(problem, stages, { nodes: 10_000, seconds: 20 });
          const answer = typeof found === "object" ? "placed" : found;
          expect([rams, bytes, stages, answer]).toEqual([
            rams,
            bytes,
            stages,
            exists ? "placed" : "infeasible",
          ]);
          answers.add(`${answer}`);
        },
      ),
      runs(25),
    );
    expect(answers).toEqual(new Set(["placed", "infeasible"]));
  });

  it("never says no to what the heuristic places, nor yes below a bound, with tables that are split", async () => {
    const table = fc.record({
      key: fc.integer({ min: -3, max: 6 }),
      writes: fc.nat({ max: 6 }),
      ternary: fc.boolean(),
      size: fc.constantFrom(1, 20_000, 100_000),
      guarded: fc.boolean(),
    });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(table, { minLength: 2, maxLength: 5 }), async (tables) => {
        const { problem, placement } = problemOf(randomProgram(tables), tofino);
        const stages = placement.stages.length;
        const own = await solveFor(problem, stages, { nodes: 10_000, seconds: 20 });
        expect(own).not.toBe("infeasible");
        if (typeof own === "object") found++;
        if (typeof own === "object") expect(verifyPlacement(problem, own)).toEqual([]);
        const bound = lowerBounds(problem)[0]!.stages;
        const fewer = await solveFor(problem, bound - 1, { nodes: 10_000, seconds: 20 });
        expect(typeof fewer).not.toBe("object");
      }),
      runs(10),
    );
    expect(found).toBeGreaterThan(4);
  });

  it("counts what the integer program leaves out: bytes of the crossbar, of which a stage holds two keys", async () => {
    const bytes = (count: number) => small({ ternary_crossbar_bytes: count }, { map_rams: 10 });
    const proven = { gap: 0, status: "optimal" };
    expect(await solve(withCounters([3, 3, 3]), bytes(12))).toMatchObject({ heuristic: 1, exact: 1 });
    expect(await solve(withCounters([3, 3, 3]), bytes(8))).toMatchObject({ exact: 2, bound: 2, ...proven });
    // Two of three keys a stage, and 6 + 4 map RAMs twice.
    expect(await solve(withCounters([6, 6, 4, 4]), bytes(8))).toMatchObject({
      exact: 2,
      bound: 2,
      ...proven,
    });
    expect(await solve(withCounters([6, 6, 4, 4]), bytes(7))).toMatchObject({
      exact: 4,
      bound: 4,
      ...proven,
    });
  });
});

describe("turns of the control flow", () => {
  // A branch of three tables, each of which needs the one before, and three such tables after it.
  const steps = ["a", "b", "c", "e", "f", "g"].map((name, i, all) =>
    TABLE(`t${i}`, `h.d.${i % 3 === 0 ? "s" : all[i - 1]}: exact`, `h.d.${name} = v;`),
  );
  const text = wrap(
    FIELDS,
    steps.join(" "),
    "if (h.d.s == 1) { t0.apply(); t1.apply(); t2.apply(); } t3.apply(); t4.apply(); t5.apply();",
  );
  const limits = { nodes: 10_000, seconds: 20 };

  it("let what follows a branch begin where the branch ends, or end where it begins", async () => {
    const { problem, placement } = problemOf(text, tofino);
    expect(placement.stages).toHaveLength(4);
    expect(await solveFor(problem, 3, limits)).toBeUndefined();
    const found = (await solveFor(problem, 4, limits)) as Placement;
    const stagesOf = (name: string) => found.parts.filter(({ unit }) => unit.label.endsWith(name))[0]!.stage;
    for (const name of ["t3", "t4", "t5"])
      expect(stagesOf(name) <= stagesOf("t0") || stagesOf(name) >= stagesOf("t2")).toBe(true);
  });

  it("count as broken where something stands between, and not with long branches", async () => {
    const { problem } = problemOf(text, tofino);
    const turns = turnsOf(problem);
    const ids = problem.model.units.map(({ label }) => label);
    const brokenBy = (stages: Readonly<Record<string, number>>) => {
      const at = ids.map((label) => stages[label.split(".").at(-1)!] ?? 0);
      return brokenTurns(turns, { first: at, last: at }).length;
    };
    expect(brokenBy({ t0: 0, t1: 1, t2: 2, t3: 0, t4: 2, t5: 3 })).toBe(0);
    expect(brokenBy({ t0: 0, t1: 1, t2: 2, t3: 0, t4: 1, t5: 2 })).toBe(1);
    expect(brokenBy({ t0: 0, t1: 1, t2: 3, t3: 0, t4: 1, t5: 2 })).toBe(2);
    const long = problemOf(text, loadTarget("tofino2"));
    expect(turnsOf(long.problem)).toEqual([]);
    expect(typeof (await solveFor(long.problem, 3, limits))).toBe("object");
  });
});

describe("lower bounds", () => {
  it("count the entries that a table can have, not those that it states", () => {
    const table = TABLE("t", "h.d.s: exact", "h.d.a = v;", "", 10_000_000);
    const { problem, placement } = problemOf(wrap(FIELDS, table, "t.apply();"), tofino);
    expect(lowerBounds(problem).map(({ stages }) => stages)).toEqual([1, 1, 1]);
    expect(placement.stages).toHaveLength(1);
  });

  it("are the longest chain, and each sum over the amount of a stage, rounded up", () => {
    const { problem } = problemOf(PROGRAMS[1]![2], PROGRAMS[1]![1]);
    const bounds = lowerBounds(problem);
    const of = (name: string) => bounds.find((bound) => bound.name === name);
    // Two tables and the statement, and three ALUs' worth of counters and registers.
    expect(of("logical_tables")).toMatchObject({ stages: 2, detail: "5 logical tables at 3 a stage" });
    const first = lowerBounds(problemOf(PROGRAMS[0]![2], PROGRAMS[0]![1]).problem);
    expect(first.find(({ name }) => name === "exact_tables")).toMatchObject({
      stages: 2,
      detail: "3 exact tables at 2 a stage",
    });
    expect(of("ternary_tables")).toMatchObject({ stages: 1, detail: "2 ternary tables at 8 a stage" });
    expect(of("stats_alus")).toMatchObject({ stages: 2, detail: "2 statistics ALUs at 1 a stage" });
    expect(of("meter_alus")).toMatchObject({ stages: 1, detail: "1 meter ALUs at 1 a stage" });
    expect(of("hash_dist_units")).toMatchObject({
      stages: 2,
      detail: "4 hash distribution units at 2 a stage",
    });
    expect(of("tcams")).toMatchObject({ stages: 1, detail: "2 TCAM blocks at 24 a stage" });
    expect(of("hash_bits")).toBeUndefined();
    expect(of("gateways")).toBeUndefined();
    expect(bounds.map(({ stages }) => stages)).toEqual(
      bounds.map(({ stages }) => stages).sort((a, b) => b - a),
    );
    expect(
      lowerBounds(problemOf(withCounters([2]), tofino).problem).find(({ name }) => name === "critical path"),
    ).toEqual({
      name: "critical path",
      stages: 1,
      detail: "no table waits for another",
    });
    expect(of("critical path")!.detail).toMatch(
      /^(no table waits for another|a chain of \d dependent tables)$/,
    );
  });
});
