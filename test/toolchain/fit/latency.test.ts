/** Cycles of each gress: closed forms, and what holds of random programs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FitResult, toJson, toText } from "../../../src/toolchain/fit/index.js";
import { chainOf } from "../../../src/toolchain/fit/latency/waits.js";
import { runs } from "../../fuzz-seed.js";
import { loadTarget } from "./golden.js";
import { fitWords } from "./tna-fit.js";

const total = (result: FitResult, gress: "ingress" | "egress") =>
  result.cycles!.find((one) => one.gress === gress)!.total;
const waits = (result: FitResult) => result.cycles![0]!.stages.map(({ wait }) => wait);

describe("cycles of a gress", () => {
  it("are in the report and in JSON", () => {
    const result = fitWords({});
    expect(toText(result)).toContain(
      "latency: ingress 54 cycles, egress 168 cycles, through all stages of the device",
    );
    const { latency } = toJson(result);
    expect(latency!.map(({ gress, cycles, stages }) => [gress, cycles, stages.length])).toEqual([
      ["ingress", 54, 12],
      ["egress", 168, 12],
    ]);
  });

  it("grow by a table without a key as by one of TCAM, unless its action needs a hash or a random number, and by a meter as by a filter", () => {
    const of = (controls: string, apply: string) =>
      fitWords({ controls, apply }).cycles![0]!.stages[0]!.own - 20;
    expect(of("", "h.w.a = 1;")).toBe(2);
    expect(of("Hash<bit<32>>(HashAlgorithm_t.CRC32) hash;", "h.w.a = hash.get({h.w.b});")).toBe(0);
    expect(of("Random<bit<32>>() random;", "h.w.a = random.get();")).toBe(0);
    const counter = "Counter<bit<64>, bit<10>>(1024, CounterType_t.PACKETS) c;";
    expect(of(counter, "c.count(3);")).toBe(2);
    expect(of(counter, "c.count(h.w.a[9:0]);")).toBe(0);
    // Nor one whose entries are addressed by the bits of the key.
    const addressed = `action go(bit<32> v) { h.w.b = v; } table t { key = { h.w.a[1:0] : exact; } actions = { go; } size = 4;
      const entries = { 0 : go(1); 1 : go(2); 2 : go(3); 3 : go(4); } }`;
    expect(of(addressed, "t.apply();")).toBe(0);
    const metered = `DirectMeter(MeterType_t.BYTES) m; action color() { h.w.e[7:0] = (bit<8>) m.execute(); }
      table t { key = { h.w.a : exact; } actions = { color; } meters = m; size = 64; }`;
    expect(of(metered, "t.apply();")).toBe(4);
  });

  it("of a program without tables are those of all stages; egress of Tofino 1 waits until it has 160", () => {
    // The first stage and the one in the middle wait for results, the ten others for nothing; four more before the first.
    expect(total(fitWords({}), "ingress")).toBe(4 + 2 * 20 + 10 * 1);
    // Each stage that waits besides adds 19.
    const least = 4 + 2 * 20 + 10 * 1;
    expect(total(fitWords({}), "egress")).toBe(least + 19 * Math.ceil((160 - least) / 19));
    // Tofino 2 has no stage that waits for nothing, and pads nothing.
    expect(total(fitWords({}, "tofino2"), "ingress")).toBe(20 + 19 * 2);
    expect(total(fitWords({}, "tofino2"), "egress")).toBe(20 + 19 * 2);
  });

  it("grow by a stage that looks up what the stage before wrote, and less by one that only reads it", () => {
    const table = (name: string, key: string, write: string) => `
      action ${name}_do(bit<32> v) { ${write} } table ${name} { key = { ${key} : exact; } actions = { ${name}_do; } size = 64; }`;
    const two = (second: string, write: string) =>
      fitWords({
        controls: table("one", "h.w.a", "h.w.b = v;") + table("two", second, write),
        apply: "one.apply(); two.apply();",
      });
    const none = total(fitWords({}), "ingress");
    const looksUp = two("h.w.b", "h.w.c = v;");
    expect([waits(looksUp)[1], total(looksUp, "ingress")]).toEqual(["match", none + 19]);
    const reads = two("h.w.c", "h.w.d = h.w.b + v;");
    expect([waits(reads)[1], total(reads, "ingress")]).toEqual(["action", none + 1]);
    const nothing = two("h.w.c", "h.w.d = v;");
    expect([waits(nothing)[1], total(nothing, "ingress")]).toEqual(["none", none]);
  });

  it("grow by what the tables of a chain of stages have, once", () => {
    const none = total(fitWords({}), "ingress");
    const table = (kind: string, extra = "", use = "") => ({
      controls: `${extra} action go(bit<32> v) { h.w.b = v; ${use} } table t { key = { h.w.a : ${kind}; } actions = { go; } size = 64; }`,
      apply: "t.apply();",
    });
    expect(total(fitWords(table("exact")), "ingress")).toBe(none);
    expect(total(fitWords(table("ternary")), "ingress")).toBe(none + 2);
    const register = `Register<bit<32>, bit<10>>(1024) r; RegisterAction<bit<32>, bit<10>, bit<32>>(r) add = { void apply(inout bit<32> c, out bit<32> o) { c = c + 1; o = c; } };`;
    expect(total(fitWords(table("exact", register, "h.w.c = add.execute(h.w.d[9:0]);")), "ingress")).toBe(
      none + 4,
    );
    expect(total(fitWords(table("ternary", register, "h.w.c = add.execute(h.w.d[9:0]);")), "ingress")).toBe(
      none + 6,
    );
  });

  it("grow by the words of a selector, which are read one after the other as long as a TCAM takes", () => {
    const { pipeline_cycles: chip } = loadTarget("tofino");
    const result = fitWords({
      controls: `Hash<bit<16>>(HashAlgorithm_t.CRC16) hash; ActionProfile(64) members;
        ActionSelector(members, hash, SelectorMode_t.FAIR, 32, 4) choice;
        action go(bit<32> v) { h.w.b = v; }
        table t { key = { h.w.a : exact; h.w.c : selector; } actions = { go; } implementation = choice; size = 64; }`,
      apply: "t.apply();",
    });
    expect(total(result, "ingress")).toBe(total(fitWords({}), "ingress") + chip!.ternary + chip!.selector);
  });

  it("are not those of a stage whose lookup waits for one that had its results before the stage in front", () => {
    const table = (name: string, key: string, write: string, stage = "") => `
      action ${name}_do(bit<32> v) { ${write} } ${stage} table ${name} { key = { ${key} : exact; } actions = { ${name}_do; } size = 64; }`;
    const result = fitWords({
      controls: `${table("one", "h.w.a", "h.w.b = v;")} ${table("two", "h.w.b", "h.w.c = v;")} ${table("three", "h.w.b", "h.w.d = v;", "@stage(2)")}`,
      apply: "one.apply(); two.apply(); three.apply();",
    });
    expect(waits(result).slice(0, 3)).toEqual(["match", "match", "none"]);
  });

  it("of a stage are those of its chain, up to the next stage that waits for results", () => {
    const chains = (["match", "none", "action", "match", "none"] as const).map((_, stage, all) =>
      chainOf(all, stage),
    );
    expect(chains.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [0, 2],
      [0, 2],
      [3, 4],
      [3, 4],
    ]);
  });

  it("are sums of the stages, between those of a device that waits nowhere and everywhere", () => {
    const step = fc.record({
      kind: fc.constantFrom("exact", "ternary"),
      key: fc.constantFrom("a", "b", "c", "d", "e"),
      to: fc.constantFrom("a", "b", "c", "d", "e"),
      from: fc.constantFrom("a", "b", "c", "d", "e"),
    });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("tofino", "tofino2"),
        (steps, chip) => {
          const controls = steps.map(
            ({ kind, key, to, from }, i) => `action go${i}(bit<32> v) { h.w.${to} = h.w.${from} + v; }
            table t${i} { key = { h.w.${key} : ${kind}; } actions = { go${i}; } size = 64; }`,
          );
          const result = fitWords(
            { controls: controls.join("\n"), apply: steps.map((_, i) => `t${i}.apply();`).join(" ") },
            chip,
          );
          const cycles = result.cycles![0]!;
          const corner = chip === "tofino" ? 4 : 0;
          expect(cycles.total).toBe(cycles.stages.reduce((sum, { adds }) => sum + adds, corner));
          expect(cycles.total).toBeGreaterThanOrEqual(total(fitWords({}, chip), "ingress"));
          expect(cycles.total).toBeLessThanOrEqual(corner + cycles.stages.length * 22);
          // A second model: where a table looks up a field that one of the stage before writes, the stage waits for results.
          const stageOf = (i: number) =>
            result.placement.parts.find(({ unit }) => unit.name.endsWith(`.t${i}`))!.stage;
          for (const [i, { key }] of steps.entries())
            for (const [j, { to }] of steps.entries())
              if (j < i && to === key && stageOf(j) === stageOf(i) - 1)
                expect(cycles.stages[stageOf(i)]!.wait).toBe("match");
        },
      ),
      runs(20),
    );
  });
});
