/** The estimate of power: closed forms, what the open compiler said of a program, and all ways of random programs as a second model. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import {
  checkBudget,
  difference,
  type FitResult,
  parseBudget,
  toJson,
  toText,
} from "../../../src/toolchain/fit/index.js";
import { accessesOf } from "../../../src/toolchain/fit/latency/accesses.js";
import { runs } from "../../fuzz-seed.js";
import { loadTarget } from "./golden.js";
import type { PardeParts } from "./programs.js";
import { fitWords } from "./tna-fit.js";

const ingress = (result: FitResult) => result.power!.gresses.find(({ gress }) => gress === "ingress")!;

/** By the last part of the label: how a table runs. */
const running = (result: FitResult) =>
  Object.fromEntries(
    ingress(result).tables.map(({ part, runs: how }) => [part.unit.label.replace(/^.*\./, ""), how]),
  );

/** A table of TCAM of so many blocks, without data. */
const ternary = (name: string, blocks: number, key = "h.w.a", to = "b") => `
  action ${name}_one() { h.w.${to} = 1; } action ${name}_two() { h.w.${to} = 2; }
  table ${name} { key = { ${key} : ternary; } actions = { ${name}_one; ${name}_two; } size = ${512 * blocks}; }`;

const TABLES = {
  controls: `
    action set_b() { h.w.b = 1; } action set_b2() { h.w.b = 2; }
    table wide { key = { h.w.a : ternary; h.w.e : ternary; } actions = { set_b; set_b2; } size = 1024; }
    action set_c(bit<32> v) { h.w.c = v; }
    table narrow { key = { h.w.b : exact; } actions = { set_c; } size = 4096; }
    Counter<bit<64>, bit<12>>(4096, CounterType_t.BYTES) bytes;
    Register<bit<32>, bit<17>>(65536) r;
    RegisterAction<bit<32>, bit<17>, bit<32>>(r) add = { void apply(inout bit<32> c, out bit<32> o) { c = c + 1; o = c; } };
    DirectMeter(MeterType_t.BYTES) m;
    action color() { h.w.e[7:0] = (bit<8>) m.execute(); }
    table metered { key = { h.w.a : exact; } actions = { color; } meters = m; size = 1024; }`,
  apply: `if (h.w.d == 7) { wide.apply(); } else { metered.apply(); }
    narrow.apply();
    if (h.w.c[0:0] == 1) { h.w.e = add.execute(h.w.a[16:0]); } else { bytes.count(h.w.c[11:0]); }`,
};

describe("the estimate of power", () => {
  // The open compiler's power.json of this program (p4c 34b86e9bacb9): the weight of each table, the cycles, and on a Tofino 2 the watts. On a
  // Tofino 1 its sum leaves out the last table of the order, which is the counter of bytes.
  const THEIRS = {
    tofino: { wide: 32.566099, metered: 56.355858, narrow: 25.307902, execute: 41.20109, count: 25.712807 },
    tofino2: { wide: 37.75, metered: 53.208333, narrow: 27.666667, execute: 34.625, count: 20.916667 },
  };

  it.each(["tofino", "tofino2"] as const)("of each table is the compiler's on a %s", (chip) => {
    const result = fitWords(TABLES, chip);
    const weights = Object.fromEntries(
      ingress(result).tables.map(({ part, weight }) => [
        /wide|metered|narrow|execute|count/.exec(part.unit.label)![0],
        Math.round(weight * 1e6) / 1e6,
      ]),
    );
    expect(weights).toEqual(THEIRS[chip]);
    expect(result.cycles!.map(({ total }) => total)).toEqual(chip === "tofino" ? [102, 168] : [104, 58]);
    const least = chip === "tofino" ? loadTarget("tofino").power!.watts.waiting_write * 4 : 0;
    const watts = result.power!.watts - THEIRS[chip].count * least;
    expect(watts).toBeCloseTo(chip === "tofino" ? 2.366508 : 1.672, 6);
  });

  it("is that of the heaviest branch, and of gates that look up before they know", () => {
    const two = (apply: string) =>
      fitWords({ controls: ternary("small", 2) + ternary("large", 6, "h.w.c", "d"), apply });
    // Both have the condition's branches as gateways, so the first one looks up in any case.
    const branches = two("if (h.w.e == 1) { small.apply(); } else { large.apply(); }");
    expect(running(branches)["large"]).toBe("worst");
    const both = two("small.apply(); large.apply();");
    expect(running(both)).toEqual({ small: "worst", large: "worst" });
    // The branch that holds has its table looked up in any case, before the condition is known; the other one is gated alike.
    expect(branches.power!.watts).toBeCloseTo(both.power!.watts, 9);
    const { watts, pipes } = loadTarget("tofino").power!;
    // Each has an indirection besides.
    expect(both.power!.watts).toBeCloseTo(pipes * (8 * watts.tcam_search + 2 * watts.sram_read), 9);
  });

  it("has tables off the worst way that no stage switches off in time (Tofino 1: where the stage does not wait for results)", () => {
    const apply = (second: string) => `
      if (h.w.e == 1) { first.apply(); last.apply(); } else { ${second} }`;
    const controls = `${ternary("first", 8)} ${ternary("last", 4, "h.w.b", "c")} ${ternary("other", 2, "h.w.d", "c")}`;
    const result = fitWords({
      controls: controls.replace("table other", "@stage(1) table other"),
      apply: apply("other.apply();"),
    });
    const stage = ingress(result).tables.find(({ part }) => part.unit.label.endsWith("other"))!.part.stage;
    expect(stage).toBe(1);
    expect(result.cycles![0]!.stages[1]!.wait).toBe("match");
    expect(running(result)["other"]).toBe("off");
    const loose = fitWords({
      controls: controls
        .replace("table other", "@stage(1) table other")
        .replace(
          "key = { h.w.b : ternary; } actions = { last_one",
          "key = { h.w.a : ternary; } actions = { last_one",
        ),
      apply: apply("other.apply();"),
    });
    expect(loose.cycles![0]!.stages[1]!.wait).toBe("none");
    expect(running(loose)["other"]).toBe("on");
  });

  it("has tables off the worst way on a Tofino 2 where results of earlier stages come too late or cannot be trusted", () => {
    const pre =
      "action pre_do() { h.w.b = h.w.c + h.w.d; } table pre { actions = { pre_do; } default_action = pre_do; }";
    const exact = (name: string, key: string, size: number, to: string) => `
      action ${name}_one() { h.w.${to} = 1; } action ${name}_two() { h.w.${to} = h.w.d; }
      table ${name} { key = { ${key} : exact; } actions = { ${name}_one; ${name}_two; } size = ${size}; }`;
    const last = (text: string) => text.replaceAll("table ", "@stage(19) table ");
    const two = (heavy: string, light: string) =>
      running(
        fitWords(
          {
            controls: `${pre} ${last(heavy)} ${last(light)}`,
            apply: "pre.apply(); if (h.w.e == 1) { heavy.apply(); } else { light.apply(); }",
          },
          "tofino2",
        ),
      );
    // After the last stage both gresses wait for results. Ingress takes as long as egress without TCAM in the stage, and longer with it.
    const wide = exact("heavy", "h.w.b", 4096, "a").replace(
      "h.w.b : exact;",
      "h.w.b : exact; h.w.c : exact;",
    );
    expect(two(wide, exact("light", "h.w.b", 64, "a"))).toMatchObject({ heavy: "worst", light: "off" });
    expect(two(ternary("heavy", 8, "h.w.b", "a"), ternary("light", 1, "h.w.b", "a"))).toMatchObject({
      heavy: "worst",
      light: "on",
    });
    // Nothing comes before the first stages that would switch a table off.
    const first = fitWords(
      {
        controls: `${exact("choice", "h.w.e", 64, "c").replace("h.w.d", "2")} ${wide.replace("h.w.c : exact;", "h.w.e : exact;")} ${exact("light", "h.w.b", 64, "a")}`,
        apply: "if (choice.apply().hit) { heavy.apply(); } else { light.apply(); }",
      },
      "tofino2",
    );
    expect(running(first)).toEqual({ choice: "worst", heavy: "worst", light: "on" });
    // The table of stage 2 needs only the actions of stage 1, where a table off the worst way may run it.
    const behind = fitWords(
      {
        controls: `${pre} ${exact("choice", "h.w.c", 64, "e")} ${ternary("heavy", 16, "h.w.b", "a")} ${exact("light", "h.w.b", 64, "d")} ${exact("after", "h.w.b", 64, "a")}`,
        apply:
          "pre.apply(); if (choice.apply().hit) { heavy.apply(); } else { light.apply(); after.apply(); }",
      },
      "tofino2",
    );
    expect(behind.cycles![0]!.stages.slice(1, 3).map(({ wait }) => wait)).toEqual(["match", "action"]);
    // One that only tables on the worst way run is off, and so is a light one where egress does not wait after the stage.
    const choice = exact("choice", "h.w.c", 64, "e");
    const chain = fitWords(
      {
        controls: `${pre} ${choice} ${exact("heavy", "h.w.b", 4096, "d")} ${ternary("more", 8, "h.w.b", "a")} ${exact("after", "h.w.b", 64, "a")}
          ${exact("tail", "h.w.a", 64, "e")}`,
        apply: "pre.apply(); if (heavy.apply().hit) { more.apply(); } else { after.apply(); } tail.apply();",
      },
      "tofino2",
    );
    expect(running(chain)).toMatchObject({ heavy: "worst", more: "worst", after: "off", tail: "worst" });
    expect(running(behind)).toMatchObject({ heavy: "worst", light: "off", after: "on" });
  });

  it("shrinks by the packets that the deparser does not let in, where the gress takes too many cycles (Tofino 1)", () => {
    const register = (i: number) => `Register<bit<32>, bit<10>>(1024) r${i};
      RegisterAction<bit<32>, bit<10>, bit<32>>(r${i}) add${i} = { void apply(inout bit<32> c, out bit<32> o) { c = c + 1; o = c; } };`;
    const indices = Array.from({ length: 12 }, (_, i) => i);
    const result = fitWords({
      controls: indices.map(register).join("\n"),
      apply: indices.map((i) => `h.w.a = add${i}.execute(h.w.a[9:0]);`).join("\n"),
    });
    const { total } = result.cycles![0]!;
    expect(total).toBe(4 + 12 * 24);
    expect(ingress(result).share).toBeCloseTo(288 / (total + 11), 9);
    expect(ingress(fitWords(TABLES)).share).toBe(1);
    // Slightly too many cycles do not make more packets.
    const eleven = fitWords({
      controls: indices.slice(1).map(register).join("\n"),
      apply: indices
        .slice(1)
        .map((i) => `h.w.a = add${i}.execute(h.w.a[9:0]);`)
        .join("\n"),
    });
    expect(eleven.cycles![0]!.total).toBe(4 + 11 * 24 + 1);
    expect(ingress(eleven).share).toBe(1);
  });

  it("above the limit makes stages wait for results, and then does not fit", () => {
    const own = loadTarget("tofino");
    const controls = `${ternary("first", 8)} ${ternary("last", 1, "h.w.a", "c")} ${ternary("other", 8, "h.w.d", "c")}`;
    const parts = {
      controls: controls.replace("table other", "@stage(1) table other"),
      apply: "if (h.w.e == 1) { first.apply(); last.apply(); } else { other.apply(); }",
    };
    const free = fitWords(parts);
    expect(running(free)["other"]).toBe("on");
    const limited = (limit: number) => fitWords(parts, "tofino", { ...own, power: { ...own.power!, limit } });
    const watts = free.power!.watts;
    const waiting = limited(watts - 0.01);
    expect(waiting.cycles![0]!.stages[1]!.wait).toBe("match");
    expect(waiting.cycles![0]!.total).toBeGreaterThan(free.cycles![0]!.total);
    expect(waiting.power!.watts).toBeLessThan(watts);
    expect([waiting.verdict, waiting.exceeded]).toEqual(["placed", []]);
    // No more stages wait than must, and a sum that is above by less than the compiler's rounding is not above.
    expect(waiting.cycles![0]!.stages.filter(({ wait }) => wait === "match")).toHaveLength(3);
    expect(limited(watts / (1 + 1 / 200_000)).cycles![0]!.stages[1]!.wait).toBe("none");
    const refused = limited(0.1);
    expect(refused.verdict).toBe("fits by counts");
    expect(refused.exceeded).toEqual([
      expect.stringMatching(
        /^power: \d\.\d\d of 0\.1 W on the worst way through the tables, most for .*first/,
      ),
    ]);
    expect(refused.cycles!.every(({ stages }) => stages.every(({ wait }) => wait === "match"))).toBe(true);
  });

  it("is in budgets and differences with the cycles, and a budget of a program without it is P44046", () => {
    const result = fitWords(TABLES);
    const use = (text: string) =>
      checkBudget(result, parseBudget(text)).map(({ used, within }) => [used, within]);
    expect(use("watts=2.76,cycles=168")).toEqual([
      [2.76, true],
      [168, true],
    ]);
    expect(use("watts=2.75,cycles=167,watts=7%")).toEqual([
      [2.76, false],
      [168, false],
      [6.9, true],
    ]);
    const more = fitWords({ controls: ternary("small", 2), apply: "small.apply();" });
    const { measures } = difference(more, result);
    expect(measures.find(({ name }) => name === "watts")).toMatchObject({ after: 2.76 });
    const { power: _, ...without } = loadTarget("tofino");
    const silent = fitWords(TABLES, "tofino", without);
    expect(() => checkBudget(silent, parseBudget("watts=100"))).toThrow(DiagnosticError);
    expect(() => checkBudget(result, parseBudget("cycles=50%"))).toThrow(DiagnosticError);
  });

  it("is in the report and in JSON, and absent for a target without watts", () => {
    const result = fitWords(TABLES);
    expect(toText(result)).toContain("power: 2.76 of 40 W, as the compiler estimates it");
    const { power } = toJson(result);
    expect(power).toMatchObject({ watts: 2.757998, limit_watts: 40 });
    expect(
      power!.gresses[0]!.tables.map(({ table, stage, runs: how }) => [table, stage, how]),
    ).toContainEqual(["pipe.I.narrow", 1, "worst"]);
    const { power: _, ...without } = loadTarget("tofino");
    const silent = fitWords(TABLES, "tofino", without);
    expect(silent.power).toBeUndefined();
    expect(toText(silent)).not.toContain("power:");
    expect(toJson(silent)).not.toHaveProperty("power");
  });

  it("is that of the heaviest way through a random program whose tables are in one stage", () => {
    interface Node {
      readonly blocks: number;
      readonly yes: readonly Node[];
      readonly no: readonly Node[];
    }
    const node = fc.memo((depth: number): fc.Arbitrary<Node> => {
      const below = depth > 1 ? fc.array(node(depth - 1), { maxLength: 1 }) : fc.constant([]);
      return fc.record({ blocks: fc.integer({ min: 1, max: 3 }), yes: below, no: below });
    });
    let branching = 0;
    fc.assert(
      fc.property(fc.array(node(3), { minLength: 1, maxLength: 2 }), (nodes) => {
        const tables: string[] = [];
        const blocks: number[] = [];
        // Branches on hits have no gateway, and no table writes anything.
        const write = (list: readonly Node[]): string =>
          list
            .map((one) => {
              const i = tables.length;
              tables.push(`action a${i}() { } action b${i}() { }
                table t${i} { key = { h.w.a : ternary; } actions = { a${i}; b${i}; } size = ${512 * one.blocks}; }`);
              blocks.push(one.blocks);
              return `if (t${i}.apply().hit) { ${write(one.yes)} } else { ${write(one.no)} }`;
            })
            .join(" ");
        const apply = write(nodes);
        const result = fitWords({ controls: tables.join("\n"), apply });
        const { watts, pipes } = loadTarget("tofino").power!;
        const weigh = (used: number, count: number) =>
          pipes * (used * watts.tcam_search + count * watts.sram_read);
        // The second model walks the tree that the program was written from.
        const heaviest = (list: readonly Node[]): number =>
          list.reduce(
            (sum, one) => sum + weigh(one.blocks, 1) + Math.max(heaviest(one.yes), heaviest(one.no)),
            0,
          );
        const all = weigh(
          blocks.reduce((sum, one) => sum + one, 0),
          blocks.length,
        );
        const { watts: found, tables: uses } = ingress(result);
        expect(found).toBeGreaterThanOrEqual(heaviest(nodes) - 1e-9);
        expect(found).toBeLessThanOrEqual(all + 1e-9);
        if (uses.some(({ part }) => part.stage > 0)) return;
        expect(found).toBeCloseTo(heaviest(nodes), 9);
        if (heaviest(nodes) < all - 1e-9) branching += 1;
      }),
      runs(20),
    );
    // The model has said no to the sum of all tables.
    expect(branching).toBeGreaterThan(0);
  });

  it("of a program with too many stages is told, and is no reason", () => {
    const own = loadTarget("tofino");
    const chain = (length: number) => {
      const tables = Array.from({ length }, (_, i) =>
        ternary(`t${i}`, 8, i % 2 === 0 ? "h.w.a" : "h.w.b", i % 2 === 0 ? "b" : "a"),
      );
      return { controls: tables.join("\n"), apply: tables.map((_, i) => `t${i}.apply();`).join(" ") };
    };
    const low = { ...own, power: { ...own.power!, limit: 1 } };
    const long = fitWords(chain(14), "tofino", low);
    expect([long.stages, long.power!.watts > 1, long.exceeded]).toEqual([14, true, []]);
    expect(fitWords(chain(4), "tofino", low).exceeded).toEqual([expect.stringMatching(/^power: /)]);
  });
});

describe("accesses of memory", () => {
  const of = (parts: Partial<PardeParts>) => {
    const { problem, placement } = fitWords(parts);
    return accessesOf(problem, placement.parts[0]!);
  };

  it("are a block a way and its width, all blocks of TCAM, and one of a register with all its map RAMs", () => {
    const table = (kind: string, size: number) => ({
      controls: `action go() { h.w.b = 1; } action no() { } table t { key = { h.w.a : ${kind}; } actions = { go; no; } size = ${size}; }`,
      apply: "t.apply();",
    });
    expect(of(table("exact", 1024))).toEqual({
      sramReads: 4,
      sramWrites: 0,
      tcamSearches: 0,
      mapReads: 0,
      mapWrites: 0,
      waitingReads: 0,
      waitingWrites: 0,
    });
    // Deeper ways are read no more often.
    expect(of(table("exact", 16384)).sramReads).toBe(4);
    expect(of(table("ternary", 512)).tcamSearches).toBe(1);
    expect(of(table("ternary", 2048)).tcamSearches).toBe(4);
    const register = (cells: number) => ({
      controls: `Register<bit<32>, bit<17>>(${cells}) r; RegisterAction<bit<32>, bit<17>, bit<32>>(r) add = { void apply(inout bit<32> c, out bit<32> o) { c = c + 1; o = c; } };`,
      apply: "h.w.c = add.execute(h.w.d[16:0]);",
    });
    expect(of(register(1024))).toMatchObject({ sramReads: 1, sramWrites: 1, mapReads: 2, mapWrites: 1 });
    expect(of(register(65536)).mapReads).toBe(17);
  });

  it("are those of action data, members, selectors, idle times and of tables that are addressed by a hash of the key", () => {
    const one = (table: string, more = "") => ({
      controls: `${more} action go(bit<32> v) { h.w.b = v; } action no() { } table t { ${table} }`,
      apply: "t.apply();",
    });
    const plain = { sramReads: 4, sramWrites: 0, mapReads: 0, mapWrites: 0 };
    expect(of(one("key = { h.w.a : exact; } actions = { go; no; } size = 1024;"))).toMatchObject(plain);
    expect(
      of(one("key = { h.w.a : exact; } actions = { go; no; } size = 1024; idle_timeout = true;")),
    ).toMatchObject({
      ...plain,
      sramReads: 5,
      sramWrites: 1,
    });
    // Data of 32 bytes stand in two blocks side by side.
    const wide = `action all(bit<32> v, bit<32> w, bit<32> x, bit<32> y, bit<32> z) { h.w.a = v; h.w.b = w; h.w.c = x; h.w.d = y; h.w.e = z; }`;
    expect(of(one("key = { h.w.a : exact; } actions = { all; no; } size = 1024;", wide))).toMatchObject({
      sramReads: 6,
    });
    const profile = "ActionProfile(64) members;";
    expect(
      of(one("key = { h.w.a : exact; } actions = { go; } implementation = members; size = 1024;", profile)),
    ).toMatchObject({ ...plain, sramReads: 5 });
    const selector = `Hash<bit<16>>(HashAlgorithm_t.CRC16) hash; ${profile} ActionSelector(members, hash, SelectorMode_t.FAIR, 32, 4) choice;`;
    expect(
      of(
        one(
          "key = { h.w.a : exact; h.w.c : selector; } actions = { go; } implementation = choice; size = 1024;",
          selector,
        ),
      ),
    ).toMatchObject({ sramReads: 6, sramWrites: 1, mapWrites: 1 });
    // A counter of packets beside a meter waits for the end of the packet with it.
    const meter =
      "DirectMeter(MeterType_t.BYTES) m; DirectCounter<bit<32>>(CounterType_t.PACKETS) c; action color() { h.w.e[7:0] = (bit<8>) m.execute(); c.count(); }";
    expect(
      of(one("key = { h.w.a : exact; } actions = { color; } meters = m; counters = c; size = 1024;", meter)),
    ).toMatchObject({ waitingReads: 2, waitingWrites: 2 });
  });

  it("of a table split over stages are those of all its parts where the packet misses", () => {
    const result = fitWords({ controls: ternary("large", 40), apply: "large.apply();" });
    const parts = ingress(result).tables;
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ runs: how }) => how)).toEqual(parts.map(() => "worst"));
    expect(parts.reduce((sum, { accesses }) => sum + accesses.tcamSearches, 0)).toBe(40);
  });

  it("of a counter of bytes come again at the end of the packet", () => {
    const counter = (kind: string) => {
      const { waitingReads, waitingWrites } = of({
        controls: `Counter<bit<32>, bit<10>>(1024, CounterType_t.${kind}) counter;`,
        apply: "counter.count(h.w.a[9:0]);",
      });
      return [waitingReads, waitingWrites];
    };
    expect([counter("PACKETS"), counter("BYTES"), counter("PACKETS_AND_BYTES")]).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
    ]);
  });
});
