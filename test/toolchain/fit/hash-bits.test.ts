/** What a TNA program takes of the hash matrix: gateways, operands of ALUs, addresses, hashes; and constants in action data. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import type { Access } from "../../../src/toolchain/fit/model/model.js";
import type { Container, PhvLayout } from "../../../src/toolchain/fit/phv/pack.js";
import { hashBitsOf } from "../../../src/toolchain/fit/place/demand.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type TnaParts, tnaSource } from "./programs.js";
import { fitTna, fitWords } from "./tna-fit.js";

const target = loadTarget("tofino");

function fitOf(parts: TnaParts) {
  const diagnostics = new Diagnostics();
  const made = compile({ file: tnaSource(parts), form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  const { program } = made!;
  return fitProgram(onePipe(program, pipesOf(program)[0]!), target);
}

const attachedOf = (parts: TnaParts) =>
  fitOf(parts).placement.parts.flatMap(({ unit }) => unit.attached.filter(({ kind }) => kind === "register"));

describe("a gateway", () => {
  /** Each field in one container of 32 bits, from the given bit on. */
  const phv = (places: Readonly<Record<string, readonly [container: number, at: number]>>): PhvLayout => {
    const containers = new Map<number, Container & { slices: object[] }>();
    for (const [field, [id, at]] of Object.entries(places)) {
      const known = containers.get(id) ?? {
        id,
        size: 32,
        gress: "ingress" as const,
        tagalong: false,
        slices: [],
        overlays: undefined,
      };
      containers.set(id, { ...known, slices: [...known.slices, { field, lo: 0, width: 32 - at, at }] });
    }
    const of = (_: unknown, field: string) => [containers.get(places[field]![0])!];
    return { containers: [], of, touchedBy: (gress, { field }) => of(gress, field) };
  };
  const bitsOf = (
    layout: PhvLayout,
    equal: readonly Access[],
    pairs: readonly Access[] = [],
    rangeBits = 0,
  ) => hashBitsOf({ equal, pairs, rangeBits }, "ingress", { phv: layout, target });
  const access = (field: string, width: number): Access => ({ field, lo: 0, width });

  it("sees four bytes, and the bits of the narrowest parts beyond them through the matrix", () => {
    const layout = phv({ a: [0, 0], b: [1, 0], c: [2, 0] });
    expect(bitsOf(layout, [access("a", 32)])).toBe(0);
    expect(bitsOf(layout, [access("b", 3), access("a", 32)])).toBe(3);
    expect(bitsOf(layout, [access("a", 20), access("b", 3), access("c", 2)])).toBe(2);
  });

  it("takes a byte for each part, though two parts stand in one byte", () => {
    const layout = phv({ a: [0, 0], b: [1, 0], c: [1, 1] });
    const parts = [access("a", 24), access("b", 1), access("c", 1)];
    expect(bitsOf(layout, parts)).toBe(1);
  });

  it("gives bytes to comparisons of two fields first, and no byte to those by order", () => {
    const layout = phv({ a: [0, 0], b: [1, 0] });
    expect(bitsOf(layout, [access("a", 8)], [access("b", 32)])).toBe(8);
    // The byte is there already.
    expect(bitsOf(layout, [access("b", 8)], [access("b", 32)])).toBe(0);
    expect(bitsOf(layout, [access("a", 32)], [], 5)).toBe(5);
  });
});

describe("the operand of an ALU", () => {
  const operands = (value: string) =>
    attachedOf({
      ingress: `Register<bit<32>, bit<10>>(1024) r;
  RegisterAction<bit<32>, bit<10>, bit<32>>(r) set = { void apply(inout bit<32> cell) { cell = ${value}; } };`,
      apply: "set.execute(3);",
    })[0]!.operands.map(({ lo, width }) => [lo, width]);

  it("is what a shift and a cast leave of a field", () => {
    expect(operands("(bit<32>) ig.ingress_mac_tstamp")).toEqual([[0, 32]]);
    expect(operands("(bit<32>) (ig.ingress_mac_tstamp >> 8)")).toEqual([[8, 32]]);
    expect(operands("(bit<32>) (ig.ingress_mac_tstamp[39:0] >> 4)")).toEqual([[4, 32]]);
    // Zeros come in from above.
    expect(operands("(bit<32>) (ig.ingress_mac_tstamp >> 20)")).toEqual([[0, 48]]);
  });
});

it("the cell of a direct register has the number of the entry, and no address of the packet", () => {
  const ingress = `DirectRegister<bit<32>>() r;
  DirectRegisterAction<bit<32>, bit<32>>(r) more = { void apply(inout bit<32> cell, out bit<32> result) { result = cell; cell = cell + 1; } };
  action count() { hdr.d.b = more.execute(); }
  table t { key = { hdr.d.a : exact; } actions = { count; } size = 1024; registers = r; }`;
  const [register] = attachedOf({ ingress, apply: "t.apply();" });
  expect(register).toMatchObject({ index: "direct", size: 0, address: { bits: 0, inputs: [] } });
  const { stages } = fitOf({ ingress, apply: "t.apply();" }).placement;
  expect(stages.map((stage) => stage.hash_dist_units)).toEqual([0]);
});

describe("a hash that changes nothing", () => {
  const [ingress, units] = [
    "Hash<bit<32>>(HashAlgorithm_t.IDENTITY) same;",
    (apply: string) => {
      const { placement } = fitOf({ ingress: `${ingress} ${apply}`, apply: "t.apply();" });
      return placement.stages.map((stage) => [stage.hash_dist_units, stage.hash_bits]);
    },
  ];
  const table = "table t { key = { hdr.d.t : ternary; } actions = { a; } size = 16; default_action = a(); }";

  it("goes through the matrix and hash distribution all the same", () => {
    expect(units(`action a() { hdr.d.b = same.get({ hdr.d.a }); } ${table}`)).toEqual([[2, 32]]);
    expect(units(`action a() { hdr.d.b = hdr.d.a; } ${table}`)).toEqual([[0, 0]]);
  });

  it("is an operand of the instruction that uses it", () => {
    const sum = "hdr.d.b = same.get(hdr.d.b[23:0] ++ hdr.d.b[31:24]) + hdr.d.c;";
    expect(units(`action a() { ${sum} } ${table}`)).toEqual([[2, 32]]);
  });
});

describe("what the hash unit computes by the program's own words", () => {
  const types =
    "header w_h { bit<32> a; bit<32> b; bit<32> c; bit<16> d; bit<16> e; bit<7> f; bit<9> g; bit<8> t; bit<8> u; }";
  const stages = (statements: string) =>
    fitWords({
      types,
      controls: `action set() { ${statements} }
  table t { key = { h.w.t : exact; } actions = { set; NoAction; } size = 512; default_action = NoAction(); }`,
      apply: "t.apply();",
    }).placement.stages.map((stage) => [stage.hash_dist_units, stage.hash_bits, stage.xbar_bytes_exact]);
  /** Beside the key: a byte of the crossbar and ten bits. */
  const [plain, word, half] = [[[0, 10, 1]], [[2, 42, 5]], [[1, 26, 3]]];

  it("is the value of an assignment in a block with @in_hash: a copy, a rotation, an exclusive or", () => {
    expect(stages("h.w.a = h.w.b;")).toEqual(plain);
    expect(stages("@in_hash { h.w.a = h.w.b; }")).toEqual(word);
    expect(stages("@in_hash { @in_vliw { h.w.a = h.w.b; } }")).toEqual(plain);
    expect(stages("@in_hash { h.w.a = h.w.b[26:0] ++ h.w.b[31:27]; }")).toEqual(word);
    expect(stages("@in_hash { h.w.a = h.w.b ^ h.w.c; }")).toEqual([[2, 42, 9]]);
    expect(
      stages("bit<32> turned; @in_hash { turned = h.w.b[26:0] ++ h.w.b[31:27]; } h.w.a = turned;"),
    ).toEqual(word);
    expect(stages("@in_hash { h.w.a[7:0] = h.w.b[15:8]; }")).toEqual([[1, 18, 2]]);
  });

  it("is one operand of an operation that the matrix lacks: the second, but a value that is put together first", () => {
    expect(stages("@in_hash { h.w.a = h.w.b + h.w.c; }")).toEqual(word);
    expect(stages("@in_hash { h.w.a = h.w.b & h.w.c; }")).toEqual(word);
    expect(stages("@in_hash { h.w.a = (h.w.b[15:0] ++ h.w.d) + h.w.c; }")).toEqual([[2, 42, 5]]);
  });

  it("is the narrower operand of a sum where no container has its width, whole fields alone", () => {
    expect(stages("h.w.d = h.w.e + (bit<16>) h.w.g;")).toEqual(half);
    expect(stages("h.w.d = h.w.e |+| (bit<16>) h.w.g;")).toEqual(half);
    expect(stages("h.w.d = (bit<16>) h.w.g - h.w.e;")).toEqual(half);
    expect(stages("h.w.d = h.w.e + (bit<16>) h.w.a[8:0];")).toEqual(plain);
    expect(stages("h.w.d = h.w.e + h.w.d;")).toEqual(plain);
    expect(stages("h.w.d = h.w.e + (bit<16>) h.w.u;")).toEqual(plain);
  });

  it("stays in the variable of a control that takes it", () => {
    const apply = "bit<9> to; @in_hash { to = (bit<9>) h.w.t; } tm.ucast_egress_port = to;";
    const { placement } = fitWords({ types, apply });
    expect(placement.stages.map((stage) => [stage.hash_dist_units, stage.hash_bits])).toEqual([
      [1, 9],
      [0, 0],
    ]);
  });
});

it("equal constants of an action's operations are one value of its data", () => {
  const bytes = (second: string) => {
    const ingress = `action a() { hdr.d.b = hdr.d.b + 0x12345678; hdr.d.c = hdr.d.c + ${second}; }
  table t { key = { hdr.d.a : exact; } actions = { a; } size = 1024; default_action = a(); }`;
    const [stage] = fitOf({ ingress, apply: "t.apply();" }).placement.stages;
    return stage?.action_bus_bytes;
  };
  expect([bytes("0x12345678"), bytes("0x12345679")]).toEqual([4, 8]);
});

it("an address by a hash that the program declares has a unit of its own; equal addresses of the packet share one", () => {
  const registers = ["r", "s"].map(
    (name) => `Register<bit<32>, bit<10>>(1024) ${name};
  RegisterAction<bit<32>, bit<10>, bit<32>>(${name}) more_${name} = { void apply(inout bit<32> cell) { cell = cell + 1; } };`,
  );
  const hashes = ["CRC16", "CRC32"].map(
    (name) => `Hash<bit<10>>(HashAlgorithm_t.${name}) ${name.toLowerCase()};`,
  );
  const ingress = [...registers, ...hashes].join("\n");
  const units = (first: string, second: string) =>
    fitOf({ ingress, apply: `more_r.execute(${first}); more_s.execute(${second});` }).placement.stages.map(
      (stage) => [stage.hash_dist_units, stage.hash_bits],
    );
  const [crc16, crc32] = ["crc16.get({ hdr.d.a })", "crc32.get({ hdr.d.a })"] as const;
  expect(units(crc16, crc32)).toEqual([[2, 20]]);
  expect(units(crc16, crc16)).toEqual([[2, 20]]);
  expect(units("hdr.d.i[9:0]", "hdr.d.i[9:0]")).toEqual([[1, 10]]);
});

it("of a hash that a variable takes the matrix computes the bits of the variable, and all where a mask cuts it", () => {
  const bits = (index: string) => {
    const ingress = `Register<bit<32>, bit<16>>(65536) r; Hash<bit<16>>(HashAlgorithm_t.CRC16) crc;
  RegisterAction<bit<32>, bit<16>, bit<32>>(r) more = { void apply(inout bit<32> cell) { cell = cell + 1; } };
  action count() { ${index} more.execute((bit<16>) at); }`;
    return fitOf({ ingress, apply: "count();" }).placement.stages.map((stage) => stage.hash_bits);
  };
  expect(bits("bit<16> at = crc.get({ hdr.d.a });")).toEqual([16]);
  expect(bits("bit<7> at = (bit<7>) crc.get({ hdr.d.a });")).toEqual([7]);
  expect(bits("bit<16> at = crc.get({ hdr.d.a }) & 0x7f;")).toEqual([16]);
});

it("an operand of an ALU in two containers stands on the crossbar in the order of its bits, without the matrix", () => {
  const controls = `control Red(in bit<19> depth, inout bit<8> colour) {
  Wred<bit<19>, bit<1>>(1, 8w1, 8w0) red; apply { colour = red.execute(depth, 0); } }`;
  const egress = "bit<8> f = 0; Red.apply(eg.deq_qdepth, f); if (f == 1) { dprsr.drop_ctl = 1; }";
  const { placement, phv } = fitTna(tnaSource({ controls, egress }), loadTarget("tofino2"));
  const holding = phv.allocation!.containers.flatMap(({ size, slices }) =>
    slices.flatMap(({ field, lo }) => (field.endsWith("deq_qdepth") ? [[size, lo]] : [])),
  );
  expect(holding).toEqual([
    [8, 16],
    [16, 0],
  ]);
  expect(placement.stages.map((stage) => [stage.hash_bits, stage.xbar_bytes_exact])).toEqual([
    [0, 3],
    [0, 1],
  ]);
});

it("a condition with a negated part has one gateway, in which a row for the part comes first", () => {
  const types = "header w_h { bit<8> a; bit<8> b; bit<8> c; bit<16> d; }";
  const gateways = (condition: string) =>
    fitWords({ types, apply: `if (${condition}) { h.w.a = 3; }` }).placement.stages.map((stage) => [
      stage.gateways,
      stage.hash_bits,
    ]);
  expect(gateways("h.w.a == 10 && h.w.b == 1 && !(h.w.c == 1 && h.w.d == 0)")).toEqual([[1, 8]]);
  expect(gateways("!(h.w.a == 10 && h.w.b == 1) || (h.w.c == 1 && h.w.d == 0)")).toEqual([[1, 8]]);
});

describe("an argument of a control", () => {
  /** What the low-pass filter of a control takes of the crossbar and the matrix. */
  const filterOf = (argument: string, of = "") => {
    const controls = `control Rate(in bit<32> sample, ${of} out bit<32> rate) {
  Lpf<bit<32>, bit<4>>(16) filter; apply { rate = filter.execute(sample, 0); } }`;
    const ingress = "Rate() rate;";
    const { placement } = fitOf({ controls, ingress, apply: `rate.apply(${argument}, hdr.d.b);` });
    return placement.stages.map((stage) => [stage.hash_bits, stage.xbar_bytes_exact]);
  };

  it("that is a slice or a cast takes the place of the parameter", () => {
    expect(filterOf("(bit<32>) hdr.d.i")).toEqual([[0, 2]]);
    expect(filterOf("(bit<32>) hdr.d.a[15:0]")).toEqual([[0, 2]]);
  });

  it("is copied before where another argument covers it", () => {
    expect(filterOf("(bit<32>) hdr.d.b[15:0]").length).toBe(2);
    expect(filterOf("(bit<32>) hdr.d.i, hdr.d.i", "in bit<16> other,").length).toBe(2);
  });
});
