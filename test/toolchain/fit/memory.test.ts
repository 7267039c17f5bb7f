/** Block counts that real compilers logged (targets.md 3.1 to 3.6), and closed forms. */
import { describe, expect, it } from "vitest";
import { fitProgram } from "../../../src/toolchain/fit/index.js";
import { packings } from "../../../src/toolchain/fit/memory/exact.js";
import { compileText, loadTarget } from "./golden.js";
import { oneTable, type TableSpec } from "./programs.js";

const tofino = loadTarget("tofino");
const tofino2 = loadTarget("tofino2");

function blocks(spec: TableSpec, target = tofino) {
  const { program, error } = compileText(oneTable(spec));
  expect(error).toBeUndefined();
  const result = fitProgram(program!, target);
  const sum = (name: "srams" | "tcams" | "map_rams" | "hash_bits" | "stats_alus" | "meter_alus") =>
    result.placement.stages.reduce((total, stage) => total + stage[name], 0);
  return {
    verdict: result.verdict,
    stages: result.stages,
    srams: sum("srams"),
    tcams: sum("tcams"),
    mapRams: sum("map_rams"),
    hashBits: sum("hash_bits"),
    statsAlus: sum("stats_alus"),
    meterAlus: sum("meter_alus"),
  };
}

describe("exact match", () => {
  it("takes 80 blocks for 100,000 entries of 104 bits without data (logged)", () => {
    const got = blocks({ kind: "exact", keyBits: 104, size: 100_000, single: true }, tofino2);
    expect(got.srams).toBe(80);
    expect(got.hashBits).toBe(48);
  });

  it("takes 32 blocks for 65,536 entries of 32 bits with 32 bits of data (logged)", () => {
    // 16 + 16 blocks with action RAM and 32 with immediate data cost the same; the total is what counts.
    expect(blocks({ kind: "exact", keyBits: 32, size: 65_536, dataBits: 32, single: true }).srams).toBe(32);
  });

  it("has no more entries than its key has values (logged: 21 bits of key, 2^24 entries stated)", () => {
    for (const keyBits of [14, 17, 21]) {
      const spec = { kind: "exact" as const, keyBits, dataBits: 32, single: true };
      const whole = blocks({ ...spec, size: 2 ** keyBits });
      expect(blocks({ ...spec, size: 2 ** 24 })).toEqual(whole);
      expect(blocks({ ...spec, size: 2 ** (keyBits - 2) }).srams).toBeLessThan(whole.srams);
    }
    // A ternary table can have more, with masks.
    const ternary = { kind: "ternary" as const, keyBits: 8, single: true };
    expect(blocks({ ...ternary, size: 2048 }).tcams).toBe(4 * blocks({ ...ternary, size: 512 }).tcams);
  });

  it("takes four blocks and 40 hash bits for any small table (logged)", () => {
    for (const size of [1, 16, 1000]) {
      expect(blocks({ kind: "exact", keyBits: 32, size, single: true })).toMatchObject({
        srams: 4,
        hashBits: 40,
      });
    }
  });

  it("addresses keys of up to 9 bits directly (logged: 1 block, 10 hash bits)", () => {
    expect(blocks({ kind: "exact", keyBits: 9, size: 512, single: true })).toMatchObject({
      srams: 1,
      hashBits: 10,
    });
  });

  it("pays for a direct counter of a tiny table with the allocated entries (logged: 9 blocks, 5 map RAMs)", () => {
    const got = blocks({
      kind: "exact",
      keyBits: 32,
      size: 16,
      single: true,
      declare: "direct_counter(CounterType.packets_and_bytes) c;",
      statement: "c.count();",
      property: "counters = c;",
    });
    expect(got).toMatchObject({ srams: 9, mapRams: 5, statsAlus: 1 });
  });

  it("splits a table that no stage holds", () => {
    const got = blocks({ kind: "exact", keyBits: 64, size: 262_144, dataBits: 32 });
    expect(got.stages).toBeGreaterThan(1);
    expect(got.verdict).toBe("placed");
  });
});

describe("registers", () => {
  const register = (size: number, target = tofino) =>
    blocks(
      {
        kind: "exact",
        keyBits: 8,
        size: 1,
        single: true,
        declare: `register<bit<32>>(${size}) r;`,
        statement: "bit<32> v; r.read(v, h.d.r0); v = v + 1; r.write(h.d.r0, v);",
      },
      target,
    );

  it("have a spare block: 2, 2, 2, 17, 33 for 1 to 131,072 cells of 32 bits (logged)", () => {
    const match = 1;
    for (const [size, srams] of [
      [1, 2],
      [32, 2],
      [1024, 2],
      [65_536, 17],
      [131_072, 33],
    ] as const) {
      const got = register(size);
      expect([size, got.srams - match, got.mapRams, got.meterAlus]).toEqual([size, srams, srams, 1]);
    }
  });

  it("hold 143,360 cells on Tofino 1, not one block more", () => {
    expect(register(143_360).verdict).toBe("placed");
    expect(register(143_361).verdict).toBe("refused");
  });

  it("take further stages on Tofino 2 beyond 94,208 cells", () => {
    expect(register(94_208, tofino2).stages).toBe(1);
    expect(register(94_209, tofino2).stages).toBe(3);
  });
});

describe("ternary match", () => {
  it("steps at 512 entries", () => {
    expect(blocks({ kind: "ternary", keyBits: 32, size: 512 }).tcams).toBe(1);
    expect(blocks({ kind: "ternary", keyBits: 32, size: 513 }).tcams).toBe(2);
  });

  it("is ceil((bits + 4) / 44) blocks wide", () => {
    for (const keyBits of [8, 16, 40, 48, 88, 128, 160, 320]) {
      expect([keyBits, blocks({ kind: "ternary", keyBits, size: 512 }).tcams]).toEqual([
        keyBits,
        Math.ceil((keyBits + 4) / 44),
      ]);
    }
  });

  it("fits eight tables and 24 / 12 / 8 / 6 units of 1 to 4 blocks in a stage", () => {
    for (const [keyBits, units] of [
      [40, 24],
      [48, 12],
      [128, 8],
      [160, 6],
    ] as const) {
      expect([keyBits, blocks({ kind: "ternary", keyBits, size: 512 * units }).stages]).toEqual([keyBits, 1]);
      expect([keyBits, blocks({ kind: "ternary", keyBits, size: 512 * units + 1 }).stages]).toEqual([
        keyBits,
        2,
      ]);
    }
  });

  it("fills stages with rows of ranges, not with a multiple of entries (logged: 6,144 rows a stage, 53,760 for 21,504 entries)", () => {
    // 24 blocks of 512 rows hold 4,915 entries: three quarters take a row each, the others seven.
    const range = (size: number) => blocks({ kind: "range", keyBits: 16, size });
    expect(range(9830)).toMatchObject({ stages: 2, tcams: 48 });
    expect(range(9832)).toMatchObject({ stages: 3, tcams: 49 });
  });

  it("needs several rows for a quarter of the ranges", () => {
    const most: [number, number][] = [
      [4, 512],
      [8, 342],
      [12, 256],
      [16, 206],
      [19, 187],
    ];
    for (const [keyBits, size] of most) {
      expect([keyBits, blocks({ kind: "range", keyBits, size }).tcams]).toEqual([keyBits, 1]);
      if (keyBits > 4)
        expect([keyBits, blocks({ kind: "range", keyBits, size: size + 1 }).tcams]).toEqual([keyBits, 2]);
    }
  });
});

describe("other memories", () => {
  const lpm = (size: number, property = "") => {
    const text = oneTable({ kind: "lpm", keyBits: 32, size, dataBits: 16 });
    return fitProgram(compileText(text.replace("table t {", `${property} table t {`)).program!, tofino);
  };

  it("keep a large lpm table in SRAM when asked to, in two stages", () => {
    const plain = lpm(65_536);
    const algorithmic = lpm(65_536, "@alpm(1)");
    const tcams = (result: ReturnType<typeof lpm>) =>
      result.placement.stages.reduce((sum, s) => sum + s.tcams, 0);
    expect([tcams(plain), plain.stages]).toEqual([128, 6]);
    // 1024 partitions of 64 entries; two TCAM rows a partition: 2,048 rows are four units of one block.
    expect([tcams(algorithmic), algorithmic.stages]).toEqual([4, 2]);
    expect(algorithmic.verdict).toBe("placed");
  });

  it("say that a million 48-bit cells are no part of a stage of RMT, as P4TE has it, but several", () => {
    const rmt = loadTarget("rmt");
    const text = oneTable({
      kind: "exact",
      keyBits: 8,
      size: 1,
      single: true,
      declare: "register<bit<48>>(1000000) r;",
      statement: "r.write(h.d.r0, 1);",
    });
    const result = fitProgram(compileText(text).program!, rmt);
    expect(result.verdict).toBe("cannot fit");
    expect(result.placement.unplaced[0]).toMatchObject({ resource: "srams" });
    const bits = 1_000_000 * 48;
    expect(Math.round((100 * bits) / (106 * 1024 * 80))).toBe(553);
    const blocks = result.problem.demands.flatMap((demand) => demand.shared)[0]!.srams;
    expect(blocks).toBeGreaterThan(4 * rmt.sram.blocks);
  });
});

describe("numbers that no device has", () => {
  const verdict = (spec: Partial<TableSpec>, name: string) => {
    const { program, error } = compileText(oneTable({ kind: "exact", keyBits: 48, size: 16, ...spec }));
    expect(error).toBeUndefined();
    return fitProgram(program!, loadTarget(name));
  };
  const register = (size: number, width = 32) => ({
    declare: `register<bit<${width}>>(${size}) r;`,
    statement: `r.write(h.d.r0, 1);`,
  });

  it.each(["rmt", "tofino", "tofino2"])("cannot fit %s, and take no time and no memory", (name) => {
    for (const kind of ["exact", "ternary", "lpm"] as const) {
      for (const size of [90_000_000, 4_294_967_296, 99_999_999_999_999]) {
        const result = verdict({ kind, size }, name);
        expect([size, result.verdict]).toEqual([size, "cannot fit"]);
        if (size < 1e9) continue;
        expect(result.placement.unplaced[0]!.detail).toMatch(
          /^Ing\.t with [\d,]+ entries needs [\d,]+ \w+ blocks; all \d+ stages together have [\d,]+$/,
        );
      }
    }
    expect(verdict(register(4_294_967_295), name).verdict).not.toBe("placed");
    const counters = verdict(
      { declare: "counter(4294967295, CounterType.bytes) c;", statement: "c.count(h.d.r0);" },
      name,
    );
    expect(counters.verdict).toBe("cannot fit");
    expect(counters.placement.unplaced[0]!.detail).toContain("counter Ing.c with 4,294,967,295 cells");
  });

  it("count all words of a cell that is wider than a word", () => {
    const blocks = (width: number) =>
      verdict(register(1000, width), "rmt").problem.demands.flatMap((demand) => demand.shared)[0]!.srams;
    // RMT's words have 112 bits.
    expect([blocks(56), blocks(112), blocks(113), blocks(2048)]).toEqual([1, 1, 2, 19]);
  });
});

describe("boundaries", () => {
  const words = (spec: Partial<TableSpec>) =>
    fitProgram(
      compileText(oneTable({ kind: "exact", keyBits: 32, size: 16, single: true, ...spec })).program!,
      tofino,
    );

  it("round the blocks of a key that no packing holds up", () => {
    // A word of 8 blocks has 1,024 bits; the key alone is larger, so 9 blocks of each of four ways.
    for (const [keyBits, blocks] of [
      [1032, 9 * 4],
      [1152, 9 * 4],
      [1153, 10 * 4],
    ] as const) {
      const result = words({ keyBits });
      const unit = result.model.units.find((u) => u.kind === "match")!;
      expect([keyBits, result.problem.plans[unit.id]!.layout(16).srams]).toEqual([keyBits, blocks]);
    }
  });

  it("leave out bytes of the key that the hash implies, also when they take exactly its bits", () => {
    // Ten ghost bits cover the bytes of 2 and 8 bits; 11 bytes and a nibble remain, four times in three blocks.
    const key = { bytes: [2, ...new Array<number>(12).fill(8)], bits: 98 };
    expect(packings(key, 0, tofino, { immediate: 0, single: false })).toContainEqual({
      entriesPerWord: 4,
      width: 3,
    });
  });

  it("keep a version nibble with each entry of an algorithmic lpm table", () => {
    const text = oneTable({ kind: "lpm", keyBits: 32, size: 65_536, single: true });
    const { program } = compileText(text.replace("table t {", "@alpm(1) table t {"));
    const result = fitProgram(program!, tofino);
    const unit = result.model.units.find((u) => u.algorithmic !== undefined)!;
    const layout = result.problem.plans[unit.id]!.layout(unit.size);
    // An entry has value and mask, 2 x 32 bits, and the nibble: 68 bits, so that five fit three blocks. 64 entries a
    // partition take 13 such words. Without the nibble two entries fit one block, which makes 32 blocks.
    expect([layout.entriesPerWord, layout.blocks.match]).toEqual([5, 39]);
  });
});
