/** Resources that tables of TNA programs take, each number as the open compiler gave it. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import type { Resource } from "../../../src/toolchain/fit/place/stage.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type TnaParts, tnaSource } from "./programs.js";

function placementOf(parts: TnaParts | string, target = "tofino") {
  const diagnostics = new Diagnostics();
  const file = typeof parts === "string" ? parts : tnaSource(parts);
  const made = compile({ file, form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  const { program } = made!;
  return fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget(target)).placement;
}

/** The sums of these resources over all stages. */
function sumsOf(parts: TnaParts | string, target: string, ...names: readonly Resource[]): number[] {
  const { stages } = placementOf(parts, target);
  return names.map((name) => stages.reduce((sum, stage) => sum + stage[name], 0));
}

describe("an exact table with an entry for each value of its key", () => {
  const sums = (actions: string, size: number, key = "hdr.d.t[4:0]") =>
    sumsOf(
      {
        ingress: `
  DirectCounter<bit<32>>(CounterType_t.PACKETS) counted;
  action count() { counted.count(); }
  action set(bit<16> v) { hdr.d.i = v; }
  table t { key = { ${key} : exact; } actions = { ${actions} size = ${size}; ${actions.includes("count") ? "counters = counted;" : ""} }`,
        apply: "t.apply();",
      },
      "tofino",
      "srams",
      "gateways",
      "hash_dist_units",
      "hash_bits",
    );

  it("has counters and data at the address that the key is: a gateway, a unit of hash distribution, no match", () => {
    expect(sums("count; } default_action = count();", 32)).toEqual([2, 1, 1, 5]);
    expect(sums("set; } default_action = set(1);", 32)).toEqual([1, 1, 1, 5]);
  });

  it("is matched with fewer entries, or with another action for the default", () => {
    expect(sums("count; } default_action = count();", 31)).toEqual([3, 0, 0, 10]);
    expect(sums("count; @defaultonly NoAction; } default_action = NoAction();", 32)).toEqual([3, 0, 0, 10]);
  });

  it("is matched where the size is the one of a table without `size`", () => {
    const table = `
  action set(bit<16> v) { hdr.d.i = v; }
  table t { key = { hdr.d.t[8:0] : exact; } actions = { set; } default_action = set(1); }`;
    expect(sumsOf({ ingress: table, apply: "t.apply();" }, "tofino", "gateways")).toEqual([0]);
  });

  it("is matched where no stage holds all its data", () => {
    const [srams, gateways] = sums("set; } default_action = set(1);", 1 << 20, "hdr.d.a[19:0]");
    expect(gateways).toBe(0);
    expect(srams).toBeGreaterThan(80);
  });
});

describe("data in the match entry", () => {
  /** The layout of a table with a key of 14 bits and an argument for the low bits of a field of 16. */
  const layoutOf = (bits: 15 | 16) => {
    const { parts } = placementOf({
      ingress: `
  bit<14> k = 0;
  action one() { k = 1; }
  action go(bit<${bits}> p) { hdr.d.i${bits === 16 ? "" : "[14:0]"} = p; }
  table s { key = { ig.ingress_port : exact; } actions = { one; } size = 100; }
  table t { key = { k : exact; } actions = { go; @defaultonly NoAction; } size = 512; const default_action = NoAction(); }`,
      apply: "s.apply(); t.apply();",
    });
    return parts.find(({ unit }) => unit.name.endsWith(".t"))!.layout;
  };

  it("ends before the last of the 64 bits that a word has beside keys: four entries have 15 bits each, or three 16 (compiler)", () => {
    // With four entries in a word, the key of 14 bits is its own address.
    expect(layoutOf(15)).toMatchObject({ entriesPerWord: 4, hashBits: 12 });
    expect(layoutOf(16)).toMatchObject({ entriesPerWord: 3, hashBits: 40 });
  });
});

describe("a table with few constant entries that calls a register", () => {
  /** The gateways of a table whose four entries call so many methods of a register of so many cells. */
  const gateways = (methods: number, cells: number) => {
    const called = Array.from({ length: 4 }, (_, i) => i % methods);
    const own = Array.from({ length: methods }, (_, i) => i);
    return sumsOf(
      {
        ingress: `
  Register<bit<32>, bit<16>>(${cells}) r;
  ${own.map((i) => `RegisterAction<bit<32>, bit<16>, bit<32>>(r) r${i} = { void apply(inout bit<32> cell, out bit<32> result) { cell = cell + ${i + 1}; result = cell; } }; action a${i}() { hdr.d.a = r${i}.execute(hdr.d.i); }`).join("\n")}
  table t { key = { hdr.d.t[1:0] : exact; } actions = { ${own.map((i) => `a${i};`).join(" ")} } size = 4;
            const entries = { ${called.map((method, i) => `${i} : a${method}();`).join(" ")} } }`,
        apply: "t.apply();",
      },
      "tofino2",
      "gateways",
    )[0];
  };

  it("is rows of a gateway where address, method and action of all entries are within 64 bits (compiler)", () => {
    // Of each entry 10 bits of address, 4 for its use and its method, and 2 bits for two actions, 3 for four.
    expect([gateways(2, 1024), gateways(4, 1024)]).toEqual([1, 0]);
    expect([gateways(1, 4096), gateways(2, 4096)]).toEqual([0, 0]);
  });
});

describe("a table with few constant entries", () => {
  /** Gateways of the program and blocks of its tables. */
  const used = (target: string, table: string, apply = "t.apply();") =>
    sumsOf({ ingress: table, apply }, target, "gateways", "srams", "tcams");
  const set = (bits: number, kind: string, call = "") => `
  Register<bit<8>, bit<1>>(1) r;
  RegisterAction<bit<8>, bit<1>, bit<8>>(r) act = { void apply(inout bit<8> cell, out bit<8> result) { cell = cell + 1; result = cell; } };
  action set(bit<${bits}> v) { ${call} hdr.d.c[${bits - 1}:0] = v; }
  table t { key = { hdr.d.a[7:0] : ${kind}; } actions = { set; @defaultonly NoAction; } size = 4; const default_action = NoAction();
            const entries = { 1 : set(1); 2 : set(2); 3 : set(3); 4 : set(4); } }`;
  const call = "hdr.d.b[7:0] = act.execute(0);";

  it("is rows of a gateway only where their data is within a word beside addresses of 10 bits (compiler)", () => {
    expect(used("tofino2", set(8, "ternary"))).toEqual([1, 0, 0]);
    // A register of one cell, called at a constant index: 10 bits of address, and 1 or 3 bits of data.
    for (const bits of [1, 8]) expect(used("tofino2", set(bits, "ternary", call))[0]).toBe(0);
    expect(used("tofino2", set(3, "exact", call))[0]).toBe(0);
  });

  const one = `
  action set(bit<16> v) { hdr.d.i = v; }
  action move() { hdr.d.c = hdr.d.b; }
  table t { key = { hdr.d.a[7:0] : exact; } actions = { set; @defaultonly NoAction; } const default_action = NoAction();
            const entries = { 1 : set(7); } }`;

  it("is rows of a gateway behind both branches of a condition, and has memory in one, whose gateway the condition is (compiler)", () => {
    expect(used("tofino", one, "if (hdr.d.t == 1) { move(); } t.apply();")).toEqual([2, 0, 0]);
    expect(used("tofino", one, "if (hdr.d.t == 1) { t.apply(); }")[0]).toBe(1);
    expect(used("tofino", one, "if (hdr.d.t == 1) { t.apply(); }")[1]).toBeGreaterThan(0);
  });
});

describe("addresses beside the entries of an exact table", () => {
  it("have at least the 10 bits of a line: four entries with members of a profile, five with counters (compiler)", () => {
    const { parts } = placementOf({
      ingress: `
  ActionProfile(16) members;
  action set(bit<16> v) { hdr.d.i = v; }
  action put(bit<32> v) { hdr.d.a = v; }
  table t { key = { hdr.d.t[15:0] : exact; } actions = { set; put; NoAction; } implementation = members; size = 64; }
  Counter<bit<32>, bit<4>>(16, CounterType_t.PACKETS) counted;
  action count(bit<4> i) { counted.count(i); }
  table u { key = { hdr.d.b[15:0] : exact; } actions = { count; NoAction; } size = 64; default_action = NoAction(); }`,
      apply: "t.apply(); u.apply();",
    });
    const packed = parts.map(({ unit, layout }) => [unit.label, layout.entriesPerWord]);
    expect(packed.sort()).toEqual([
      ["pipe.In.t", 4],
      ["pipe.In.u", 5],
    ]);
  });
});

describe("a register of two tables that a packet can run", () => {
  const stagesOf = (apply: string) =>
    placementOf({
      ingress: `
  Register<bit<32>, bit<10>>(1024) r;
  RegisterAction<bit<32>, bit<10>, bit<32>>(r) clear = { void apply(inout bit<32> v) { v = 0; } };
  RegisterAction<bit<32>, bit<10>, bit<32>>(r) more = { void apply(inout bit<32> v, out bit<32> o) { v = v + 1; o = v; } };
  action reset(bit<10> i) { clear.execute(i); }
  action count(bit<10> i) { hdr.d.c = more.execute(i); }
  action move(bit<16> v) { hdr.d.i = v; }
  table first { key = { hdr.d.a : exact; } actions = { move; NoAction; } size = 64; default_action = NoAction(); }
  table one { key = { hdr.d.b : exact; } actions = { reset; NoAction; } size = 64; default_action = NoAction(); }
  table two { key = { hdr.d.i : exact; } actions = { count; NoAction; } size = 64; default_action = NoAction(); }
  table far { key = { hdr.d.c : exact; } actions = { reset; NoAction; } size = 64; default_action = NoAction(); }
  table wide { key = { hdr.d.b : exact; } actions = { reset; NoAction; } size = 200000; default_action = NoAction(); }
  table large { key = { hdr.d.i : exact; } actions = { count; NoAction; } size = 200000; default_action = NoAction(); }`,
      apply,
    });
  const where = (apply: string) =>
    stagesOf(apply)
      .parts.map(({ unit, stage }) => `${unit.label.replace("pipe.In.", "").replace("pipe.", "")}@${stage}`)
      .sort();

  it("has both in one stage, where nothing keeps them apart: the one waits for what the other waits for (compiler)", () => {
    expect(where("first.apply(); one.apply(); two.apply();")).toEqual(["first@0", "one@1", "two@1"]);
    expect(where("two.apply(); one.apply();")).toEqual(["one@0", "two@0"]);
  });

  it("is there twice where the one needs what the other sets, or one stage does not hold them (compiler)", () => {
    expect(where("two.apply(); far.apply();")).toEqual(["far@1", "two@0"]);
    const { unplaced, stages } = stagesOf("wide.apply(); large.apply();");
    expect([unplaced, stages.map((stage) => stage.meter_alus)]).toEqual([[], [1, 1]]);
  });
});

describe("a condition whose branches do nothing", () => {
  const gateways = (statement: string) =>
    sumsOf(
      { apply: `md.m = hdr.d.a; bit<32> x = hdr.d.a; if (hdr.d.i == 1) { ${statement} } hdr.d.c = 1;` },
      "tofino",
      "gateways",
    )[0];

  it("stays a gateway where only the back end sees that nothing reads what they set (compiler)", () => {
    expect(gateways("md.m = md.m + 14;")).toBe(1);
  });

  it("goes where the front end sees it: what they set is a variable of the control, or is set again on every way", () => {
    expect(gateways("x = x + 14;")).toBe(0);
    expect(gateways("hdr.d.c = 5;")).toBe(0);
  });
});

describe("the data of an action", () => {
  it("is all that a container takes with an argument: a constant beside it is data, too (compiler)", () => {
    const source = tnaSource({
      parser: "pkt.extract(hdr.c); transition accept; }",
      ingress: `
  bit<14> k = 0;
  action one() { k = 1; }
  action go(bit<14> p) { hdr.c.p = p; CONSTANT }
  table s { key = { ig.ingress_port : exact; } actions = { one; } size = 100; }
  table t { key = { k : exact; } actions = { go; @defaultonly NoAction; } size = 512; const default_action = NoAction(); }`,
      apply: "s.apply(); t.apply();",
    })
      .replace("header x_h", "header c_h { bit<2> q; bit<14> p; } header x_h")
      .replace("{ d_h d;", "{ d_h d; c_h c;");
    const entries = (constant: string) =>
      placementOf(source.replace("CONSTANT", constant)).parts.find(({ unit }) => unit.name.endsWith(".t"))!
        .layout.entriesPerWord;
    expect([entries(""), entries("hdr.c.q = 0;")]).toEqual([4, 3]);
  });
});

describe("the order of layouts of an exact table", () => {
  /** The layout of a table with a key of 16 bits and 512 entries. */
  const layoutOf = (argument: string, statement: string) => {
    const { parts } = placementOf({
      ingress: `
  action go(${argument}) { ${statement} }
  table t { key = { hdr.d.t : exact; } actions = { go; @defaultonly NoAction; } default_action = NoAction(); size = 512; }`,
      apply: "t.apply();",
    });
    const { srams, entries, entriesPerWord } = parts[0]!.layout;
    return [srams, entries, entriesPerWord];
  };

  it("is by blocks, and of equal ones by the entries that they hold (compiler)", () => {
    expect(layoutOf("", "hdr.d.i = 1;")).toEqual([4, 20480, 5]);
    expect(layoutOf("bit<16> v", "hdr.d.i = v;")).toEqual([4, 12288, 3]);
    expect(layoutOf("bit<32> v", "hdr.d.a = v;")).toEqual([4, 4096, 1]);
  });
});

describe("a constant for a whole container", () => {
  const bus = (statement: string) =>
    sumsOf(
      {
        ingress: `
  action go() { ${statement} }
  table t { key = { ig.ingress_port : exact; } actions = { go; @defaultonly NoAction; } default_action = NoAction(); size = 16; }`,
        apply: "t.apply();",
      },
      "tofino",
      "action_bus_bytes",
    )[0];

  it("is in the instruction, up to 21 bits, and data beyond them or for a part of a container (compiler)", () => {
    expect(bus("hdr.d.i = 0x1234;")).toBe(0);
    expect([bus("hdr.d.a = 0x1fffff;"), bus("hdr.d.a = 0x200000;")]).toEqual([0, 4]);
    expect(bus("hdr.d.i[11:0] = 0x234;")).toBe(2);
  });
});

describe("bytes of the action bus", () => {
  const bus = (control: { parameters?: string; statements: string; header?: string; before?: string }) =>
    sumsOf(
      tnaSource({
        parser: "pkt.extract(hdr.c); transition accept; }",
        ingress: `
  ${control.before ?? ""}
  action go(${control.parameters ?? ""}) { ${control.statements} }
  table t { key = { ig.ingress_port : exact; } actions = { go; @defaultonly NoAction; } default_action = NoAction(); size = 16; }`,
        apply: "t.apply();",
      })
        .replace("header x_h", `header c_h { ${control.header ?? "bit<16> p; bit<16> q;"} } header x_h`)
        .replace("{ d_h d;", "{ d_h d; c_h c;"),
      "tofino",
      "action_bus_bytes",
    )[0]!;

  it("are one place for an argument that two containers take in the same bits, and two for two arguments", () => {
    const twice = bus({ parameters: "bit<32> v", statements: "hdr.d.a = v; hdr.d.b = v;" });
    expect(bus({ parameters: "bit<32> v, bit<32> w", statements: "hdr.d.a = v; hdr.d.b = w;" })).toBe(
      2 * twice,
    );
  });

  it("are data and a mask where an action sets bits with another field between them (compiler)", () => {
    const header = "bit<4> p; bit<8> q; bit<4> r;";
    expect(bus({ header, statements: "hdr.c.p = 1; hdr.c.r = 1;" })).toBe(4);
    expect(bus({ header, statements: "hdr.c.p = 1; hdr.c.q = 1; hdr.c.r = 1;" })).toBe(0);
  });

  it("are the whole container where its constants together exceed an instruction, also where one alone is small", () => {
    const header = "bit<20> p; bit<12> q;";
    expect(bus({ header, statements: "hdr.c.p = 0x1f; hdr.c.q = 0x234;" })).toBe(0);
    expect(bus({ header, statements: "hdr.c.p = 0xfffff; hdr.c.q = 0x234;" })).toBe(4);
  });

  it("are data and a mask for validity bits with another header's between them, in the order of the parser (compiler)", () => {
    const valid = (statements: string) =>
      sumsOf(
        {
          headers: ["x", "y", "z"],
          parser: "pkt.extract(hdr.x); pkt.extract(hdr.y); pkt.extract(hdr.z); transition accept; }",
          ingress: `
  action go() { ${statements} }
  table t { key = { ig.ingress_port : exact; } actions = { go; @defaultonly NoAction; } default_action = NoAction(); size = 16; }`,
          apply: "t.apply();",
        },
        "tofino",
        "action_bus_bytes",
      )[0];
    expect(valid("hdr.x.setInvalid(); hdr.y.setInvalid();")).toBe(0);
    expect(valid("hdr.x.setInvalid(); hdr.z.setInvalid();")).toBe(2);
  });

  it("of an ALU's result are those of the container that takes it, also where a hash is the index", () => {
    const before = `
  Register<bit<8>, bit<16>>(1024) reg;
  RegisterAction<bit<8>, bit<16>, bit<8>>(reg) act = { void apply(inout bit<8> cell, out bit<8> result) { result = cell; cell = cell + 1; } };
  Hash<bit<10>>(HashAlgorithm_t.CRC16) h;`;
    const direct = bus({ before, statements: "hdr.c.p[7:0] = act.execute(3);" });
    expect(bus({ before, statements: "hdr.c.p[7:0] = act.execute((bit<16>) h.get({ hdr.d.a }));" })).toBe(
      direct,
    );
  });
});

describe("counters beside the entries of a table", () => {
  const mapRams = (size: number): number[] =>
    placementOf({
      ingress: `
  DirectCounter<bit<32>>(CounterType_t.PACKETS) counted;
  action count() { counted.count(); }
  table t { key = { hdr.d.a : exact; } actions = { count; } size = ${size}; counters = counted; }`,
      apply: "t.apply();",
    }).stages.map((stage) => stage.map_rams);

  it("are within the six rows that their ALU reaches, and a larger table is split there", () => {
    // A block has 4,096 counters. Entries take five of the ten columns, so that the six rows have 31 blocks for 30 of counters and a spare.
    expect(mapRams(34 * 4096)).toEqual([31, 6]);
    expect(mapRams(36 * 4096)).toEqual([31, 8]);
    expect(mapRams(200_000)).toEqual([31, 21]);
  });
});

it("answers for a table of partitions that no device holds", () => {
  const table = `
  action f(bit<32> v) { hdr.d.c = v; }
  @atcam_partition_index("hdr.d.i") @atcam_number_partitions(1)
  table t { key = { hdr.d.i : exact; hdr.d.a : ternary; } actions = { f; } size = 2000000000; }`;
  expect(placementOf({ ingress: table, apply: "t.apply();" }).unplaced).toHaveLength(1);
});

describe("a value for the deparser of a Tofino 2 in the byte of its bit of validity", () => {
  const blocks = (statements: string, headers: string[] = [], target = "tofino2") =>
    sumsOf(
      {
        headers,
        parser: `${headers.map((name) => `pkt.extract(hdr.${name});`).join(" ")} transition accept; }`,
        ingress: `
  action drop() { ${statements} }
  table t { key = { hdr.d.a : exact; hdr.d.i : exact; } actions = { drop; NoAction; } default_action = NoAction(); size = 163840; }`,
        apply: "t.apply();",
      },
      target,
      "srams",
    )[0];

  it("takes data of entries, because a header's bit is between both (logged: two entries a word of one block, 163,840 in a stage)", () => {
    expect(blocks("dprsr.drop_ctl = 1;")).toBe(80);
    // A Tofino 1 has no such bit.
    expect(blocks("dprsr.drop_ctl = 1;", [], "tofino")).toBe(60);
  });

  it("takes none where only the bit is written, because the parser has cleared the value", () => {
    expect(blocks("dprsr.drop_ctl = 0;")).toBe(60);
  });

  it("takes none where the byte has no room for the value", () => {
    expect(blocks("dprsr.drop_ctl = 1;", ["e", "f", "g", "h"])).toBe(60);
  });
});
