/** What a stage holds: each resource to its limit and no further, what tables of a stage share, and how much of a table still fits. */
import { describe, expect, it } from "vitest";
import { fitProgram, type Target } from "../../../src/toolchain/fit/index.js";
import { NO_MEMORY, type TableLayout } from "../../../src/toolchain/fit/memory/layout.js";
import type { Demand, SharedMemory } from "../../../src/toolchain/fit/place/demand.js";
import { Known } from "../../../src/toolchain/fit/place/known.js";
import {
  bytesOfUses,
  limitsOf,
  noCounts,
  RESOURCES,
  type Resource,
  Stage,
  withoutLimit,
} from "../../../src/toolchain/fit/place/stage.js";
import type { TernaryByte } from "../../../src/toolchain/fit/place/ternary-crossbar.js";
import { compileText, loadTarget } from "./golden.js";
import { wrap } from "./programs.js";

const tofino = loadTarget("tofino");
const stageOf = (target: Target) => new Stage(target, new Known());

const NOTHING: Demand = {
  logicalTables: 0,
  exactTables: 0,
  ternaryTables: 0,
  gateways: 0,
  matchBytes: [],
  crossbar: [],
  ternaryBytes: [],
  actionBusBytes: 0,
  actionBusBeside: 0,
  results: [],
  instructions: { gress: "ingress", actions: [] },
  statsAlus: 0,
  meterAlus: 0,
  shared: [],
};
const bytes = (count: number, from = 0): TernaryByte[] =>
  Array.from({ length: count }, (_, i) => ({ name: `1:${from + i}`, align: 1, phase: 0, isHalf: false }));

/** A unit that takes so much of one resource. */
function taking(resource: Resource, amount: number): [Demand, TableLayout] {
  const demand = (part: Partial<Demand>): [Demand, TableLayout] => [{ ...NOTHING, ...part }, NO_MEMORY];
  const layout = (part: Partial<TableLayout>): [Demand, TableLayout] => [NOTHING, { ...NO_MEMORY, ...part }];
  switch (resource) {
    case "srams":
      return layout({ srams: amount });
    case "tcams":
      return layout({ tcams: amount, tcamWidth: 1 });
    case "map_rams":
      return layout({ mapRams: amount });
    case "gateways":
      return demand({ gateways: amount });
    case "logical_tables":
      return demand({ logicalTables: amount });
    case "xbar_bytes_ternary":
      return demand({ ternaryBytes: bytes(amount) });
    case "meter_alus":
      return demand({ meterAlus: amount });
    case "stats_alus":
      return demand({ statsAlus: amount });
    case "action_bus_bytes":
      return demand({ actionBusBytes: amount });
    case "exact_tables":
      return demand({ exactTables: amount });
    case "ternary_tables":
      return demand({ ternaryTables: amount });
    default:
      throw new Error(`${resource} has tests of its own`);
  }
}

/** What depends on where it stands: test/toolchain/fit/crossbar.test.ts. */
const POSITIONAL: ReadonlySet<Resource> = new Set([
  "hash_bits",
  "hash_dist_units",
  "xbar_bytes_exact",
  "vliw_slots",
]);

/** Amounts of a stage of Tofino (data/targets/tofino.yaml), with exact tables limited as well. */
const AMOUNTS: Readonly<Record<Resource, number>> = {
  srams: 80,
  tcams: 24,
  map_rams: 48,
  gateways: 16,
  logical_tables: 16,
  hash_bits: 8 * 52,
  hash_dist_units: 6,
  xbar_bytes_exact: 128,
  xbar_bytes_ternary: 66,
  meter_alus: 4,
  stats_alus: 4,
  vliw_slots: 32,
  action_bus_bytes: 128,
  exact_tables: 9,
  ternary_tables: 8,
};
const target: Target = { ...tofino, per_stage: { ...tofino.per_stage, exact_tables: 9 } };

describe("a stage", () => {
  it("has the amounts of its target, or no limit where the target states none", () => {
    expect(limitsOf(target)).toEqual(AMOUNTS);
    expect(limitsOf(tofino).exact_tables).toBeNull();
    const without = (key: "hash_groups" | "hash_group_bits") =>
      limitsOf({ ...tofino, per_stage: { ...tofino.per_stage, [key]: null } }).hash_bits;
    expect([without("hash_groups"), without("hash_group_bits")]).toEqual([null, null]);
  });

  it.each(RESOURCES.filter((name) => !POSITIONAL.has(name)))(
    "holds all its %s, and not one more",
    (resource) => {
      const amount = AMOUNTS[resource];
      const step = 1;
      const whole = stageOf(target);
      expect(whole.exceeded(...taking(resource, amount))).toBeUndefined();
      expect(whole.exceeded(...taking(resource, amount + step))).toBe(resource);
      // In two parts, the second one beside the first.
      whole.add(...taking(resource, amount));
      expect(whole.counts).toEqual({ ...noCounts(), [resource]: amount });
      const [more, layout] = taking(resource, step);
      const other = {
        ...more,
        ternaryBytes: more.ternaryBytes.map((byte) => ({ ...byte, name: `2${byte.name}` })),
      };
      expect(whole.exceeded(other, layout)).toBe(resource);
      expect(whole.exceeded(...taking(resource, 0))).toBeUndefined();
      // Without this limit the rest of the target is the same.
      const free = stageOf(withoutLimit(target, resource));
      expect(free.exceeded(...taking(resource, 100 * amount))).toBeUndefined();
      const { [resource]: _, ...rest } = limitsOf(withoutLimit(target, resource));
      const { [resource]: __, ...before } = AMOUNTS;
      expect(rest).toEqual(before);
    },
  );

  it("counts bytes of the crossbar that two tables match once", () => {
    const stage = stageOf(target);
    const table = (from: number, count: number): Demand => ({
      ...NOTHING,
      ternaryBytes: bytes(count, from),
    });
    stage.add(table(0, 50), NO_MEMORY);
    stage.add(table(40, 20), NO_MEMORY);
    expect(stage.counts.xbar_bytes_ternary).toBe(60);
    expect(stage.exceeded(table(0, 66), NO_MEMORY)).toBeUndefined();
    expect(stage.exceeded(table(0, 67), NO_MEMORY)).toBe("xbar_bytes_ternary");
  });

  it("goes on counting what no crossbar holds", () => {
    const word = Array.from({ length: 5 }, (_, i) => ({ name: `2:${i}`, align: 1 as const, phase: 0 }));
    const operands = [{ bytes: word, bits: 80, isAlone: false }];
    const outside: Demand = { ...NOTHING, crossbar: [{ kind: "alu", memory: "r", operands, width: 4 }] };
    const condition: Demand = {
      ...NOTHING,
      crossbar: [{ kind: "gateway", bytes: [{ name: "1:0", align: 1, phase: 0 }], bits: 0, groups: 2 }],
    };
    const stage = stageOf(tofino);
    stage.add(outside, { ...NO_MEMORY, hashBits: 7 });
    expect(stage.counts).toMatchObject({ xbar_bytes_exact: 5, hash_bits: 7 });
    stage.add(condition, NO_MEMORY);
    expect(stage.counts).toMatchObject({ xbar_bytes_exact: 6, hash_bits: 7 });
    expect(stage.copy().counts.xbar_bytes_exact).toBe(6);
  });

  it("counts a memory that two tables use once", () => {
    const memory: SharedMemory = {
      name: "k",
      kind: "counter",
      srams: 30,
      mapRams: 20,
      statsAlus: 1,
      meterAlus: 2,
      alu: [],
      action: [],
    };
    const stage = stageOf(target);
    expect(stage.holds(memory)).toBe(false);
    const user: Demand = { ...NOTHING, shared: [memory] };
    stage.add(user, NO_MEMORY);
    stage.add(user, NO_MEMORY);
    const once = { ...noCounts(), srams: 30, map_rams: 20, stats_alus: 1, meter_alus: 2 };
    expect([stage.holds(memory), stage.counts]).toEqual([true, once]);
    // 50 blocks and 28 map RAMs are left; a second memory takes from them, the first one does not.
    expect(stage.free(user, 0)).toMatchObject({ srams: 50, tcamUnits: 0, mapRams: 28 });
    expect(stage.free({ ...NOTHING, shared: [{ ...memory, name: "m" }] }, 0)).toMatchObject({
      srams: 20,
      tcamUnits: 0,
      mapRams: 8,
    });
    const alone = stageOf(target);
    alone.addShared(memory);
    expect([alone.holds(memory), alone.counts]).toEqual([true, once]);
  });

  it("has no limit of map RAMs where the target states none", () => {
    const stage = stageOf({ ...target, sram: { ...target.sram, map_rams: null } });
    expect(stage.free(NOTHING, 0).mapRams).toBe(Number.POSITIVE_INFINITY);
  });

  it("keeps a unit of TCAM within one column of 12 rows", () => {
    const units = (width: number, count: number): TableLayout => ({
      ...NO_MEMORY,
      tcams: width * count,
      tcamWidth: width,
    });
    const stage = stageOf(target);
    expect([1, 2, 3, 4, 5, 7, 12, 13].map((width) => stage.free(NOTHING, width).tcamUnits)).toEqual([
      24, 12, 8, 6, 4, 2, 2, 0,
    ]);
    stage.add(NOTHING, units(5, 4));
    // Two rows of each column are left.
    expect([1, 2, 3].map((width) => stage.free(NOTHING, width).tcamUnits)).toEqual([4, 2, 0]);
    expect([units(2, 2), units(4, 1), units(3, 1)].map((layout) => stage.exceeded(NOTHING, layout))).toEqual([
      undefined,
      "tcams",
      "tcams",
    ]);
    const free = stageOf({ ...target, tcam: { ...target.tcam, columns: null } });
    free.add(NOTHING, units(5, 4));
    expect(free.exceeded(NOTHING, units(4, 1))).toBeUndefined();
  });

  it("takes one logical table for a table and its gateway, and one gateway for both where the table has one", () => {
    const stage = stageOf(target);
    stage.add({ ...NOTHING, logicalTables: 2, gateways: 2 }, NO_MEMORY);
    stage.mergeGateway(false);
    expect([stage.counts.logical_tables, stage.counts.gateways]).toEqual([1, 2]);
    stage.mergeGateway(true);
    expect([stage.counts.logical_tables, stage.counts.gateways]).toEqual([0, 1]);
  });
});

describe("what a unit needs of a stage", () => {
  const FIELDS = "bit<32> a; bit<32> b; bit<32> c; bit<8> n; bit<8> o; bit<16> s; bit<64> l;";
  const T = (key: string, body: string, more = "") =>
    `action go(bit<32> v, bit<8> w) { ${body} } table t { key = { ${key} } actions = { go; NoAction; } size = 64; default_action = NoAction(); ${more} }`;
  /** Demands of the units but conditions on `h.d.l`; container bytes by number. */
  const needs = (locals: string, apply = "t.apply();") => {
    const { program, error } = compileText(wrap(FIELDS, locals, apply));
    expect(error).toBeUndefined();
    const { problem } = fitProgram(program!, tofino);
    return problem.demands.map((demand) => {
      const { matchBytes, crossbar, ternaryBytes, results, instructions, ...rest } = demand;
      const names = bytesOfUses([...crossbar, { kind: "match", bytes: matchBytes, ways: 1, select: 0 }]);
      const amounts = {
        ...rest,
        // Where they stand: array.test.ts.
        shared: rest.shared.map(({ alu, action, ...memory }) => memory),
        hashes: crossbar.flatMap((use) =>
          use.kind === "selector" || use.kind === "distribution" ? [use.bits] : [],
        ),
        results: results.map((result) => result.bytes),
        vliw: instructions.actions.filter((writes) => writes.length > 0).length,
        exactBytes: names.size,
        ternaryBytes: ternaryBytes.length,
      };
      return Object.fromEntries(
        Object.entries(amounts).filter(([, value]) =>
          Array.isArray(value) ? value.length > 0 : value !== 0,
        ),
      );
    });
  };

  it.each<[string, string, string, object[]]>([
    [
      "an exact table",
      T("h.d.a: exact;", "h.d.b = v;"),
      "t.apply();",
      [{ logicalTables: 1, exactTables: 1, actionBusBytes: 4, vliw: 1, exactBytes: 4 }],
    ],
    [
      "a ternary table",
      T("h.d.a: ternary; h.d.n: exact;", "h.d.o = w;"),
      "t.apply();",
      // The argument goes to a container of 16 bits, which two of the fields share.
      [{ logicalTables: 1, ternaryTables: 1, actionBusBytes: 2, vliw: 1, ternaryBytes: 5 }],
    ],
    [
      "two fields of one byte each",
      T("h.d.n: exact; h.d.o: exact;", ""),
      "t.apply();",
      [{ logicalTables: 1, exactTables: 1, exactBytes: 2 }],
    ],
    [
      "a slice",
      T("h.d.a[15:4]: exact;", ""),
      "t.apply();",
      [{ logicalTables: 1, exactTables: 1, exactBytes: 2 }],
    ],
    [
      "a hash of a ternary table, in two units of 16 bits",
      T("h.d.n: ternary;", "hash(h.d.b, HashAlgorithm.crc32, 32w0, { h.d.a }, 32w131072);"),
      "t.apply();",
      [
        {
          logicalTables: 1,
          ternaryTables: 1,
          hashes: [16, 1],
          actionBusBytes: 4,
          vliw: 1,
          exactBytes: 4,
          ternaryBytes: 1,
        },
      ],
    ],
    [
      "a counter by a field, whose address is 23 hash bits",
      `counter(4096, CounterType.packets) k; ${T("h.d.n: exact;", "k.count(h.d.a);")}`,
      "t.apply();",
      [
        {
          logicalTables: 1,
          exactTables: 1,
          hashes: [23],
          exactBytes: 5,
          shared: [{ name: "Ing.k", kind: "counter", srams: 3, mapRams: 3, statsAlus: 1, meterAlus: 0 }],
        },
      ],
    ],
    [
      "a counter by an argument",
      `counter(4096, CounterType.packets) k; ${T("h.d.n: exact;", "k.count(v);")}`,
      "t.apply();",
      [
        {
          logicalTables: 1,
          exactTables: 1,
          exactBytes: 1,
          shared: [{ name: "Ing.k", kind: "counter", srams: 3, mapRams: 3, statsAlus: 1, meterAlus: 0 }],
        },
      ],
    ],
    [
      "a register that returns what it computes",
      `register<bit<32>>(4096) r; ${T("h.d.n: exact;", "bit<32> x; r.read(x, v); x = x + 1; r.write(v, x); h.d.b = x;")}`,
      "t.apply();",
      [
        {
          logicalTables: 2,
          exactTables: 1,
          results: [4],
          vliw: 1,
          exactBytes: 1,
          shared: [{ name: "Ing.r", kind: "register", srams: 2, mapRams: 2, statsAlus: 0, meterAlus: 1 }],
        },
      ],
    ],
    [
      "a direct counter, a direct meter and idle times",
      `direct_counter(CounterType.packets) k; direct_meter<bit<8>>(MeterType.bytes) m; ${T("h.d.n: exact;", "k.count(); m.read(h.d.o);", "counters = k; meters = m; support_timeout = true;")}`,
      "t.apply();",
      [{ logicalTables: 1, exactTables: 1, statsAlus: 1, meterAlus: 1, vliw: 2, exactBytes: 1 }],
    ],
    [
      "members of a profile, with four bytes of data each",
      `action_profile(4096) p; ${T("h.d.n: exact;", "h.d.b = v;", "implementation = p;")}`,
      "t.apply();",
      [
        {
          logicalTables: 1,
          exactTables: 1,
          actionBusBytes: 4,
          vliw: 1,
          exactBytes: 1,
          shared: [{ name: "Ing.p", kind: "profile", srams: 1, mapRams: 0, statsAlus: 0, meterAlus: 0 }],
        },
      ],
    ],
    [
      "a selector, with the hash of its inputs",
      `action_selector(HashAlgorithm.crc16, 4096, 14) p; ${T("h.d.n: exact; h.d.a: selector;", "h.d.b = v;", "implementation = p;")}`,
      "t.apply();",
      [
        {
          logicalTables: 1,
          exactTables: 1,
          hashes: [14],
          actionBusBytes: 4,
          vliw: 1,
          exactBytes: 5,
          shared: [{ name: "Ing.p", kind: "profile", srams: 3, mapRams: 2, statsAlus: 0, meterAlus: 1 }],
        },
      ],
    ],
    [
      "a selector of groups of more than one word",
      `@max_group_size(121) action_selector(HashAlgorithm.crc16, 4096, 14) p; ${T("h.d.n: exact; h.d.a: selector;", "h.d.b = v;", "implementation = p;")}`,
      "t.apply();",
      [
        {
          logicalTables: 1,
          exactTables: 1,
          hashes: [14, 10],
          actionBusBytes: 4,
          vliw: 1,
          exactBytes: 5,
          shared: [{ name: "Ing.p", kind: "profile", srams: 3, mapRams: 2, statsAlus: 0, meterAlus: 1 }],
        },
      ],
    ],
    ["a bare assignment, without a gateway", "", "h.d.a = h.d.b;", [{ logicalTables: 1, vliw: 1 }]],
    [
      "a bare random number, with one",
      "",
      "random(h.d.n, 8w0, 8w255);",
      [{ logicalTables: 1, gateways: 1, actionBusBytes: 1, vliw: 1 }],
    ],
    [
      "a bare hash",
      "",
      "hash(h.d.s, HashAlgorithm.crc16, 16w0, { h.d.a }, 32w65536);",
      [{ logicalTables: 1, gateways: 1, hashes: [16], actionBusBytes: 2, vliw: 1, exactBytes: 4 }],
    ],
    [
      "a bare count of a constant cell, without a gateway",
      "counter(16, CounterType.bytes) k;",
      "k.count(5);",
      [
        {
          logicalTables: 1,
          shared: [{ name: "Ing.k", kind: "counter", srams: 2, mapRams: 2, statsAlus: 1, meterAlus: 0 }],
        },
      ],
    ],
    [
      "a condition of one row, and of five",
      "",
      "if (h.d.n == 1) { h.d.a = 1; } if (h.d.n == 1 || h.d.n == 2 || h.d.n == 3 || h.d.n == 4 || h.d.n == 5) { h.d.b = 1; }",
      [
        { logicalTables: 1, gateways: 1, exactBytes: 1 },
        { logicalTables: 1, vliw: 1 },
        { logicalTables: 2, gateways: 2, exactBytes: 1 },
        { logicalTables: 1, vliw: 1 },
      ],
    ],
  ])("%s", (_, locals, apply, expected) => {
    expect(needs(locals, apply)).toEqual(expected);
  });
});
