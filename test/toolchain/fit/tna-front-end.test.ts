/** What the chip's compiler makes of a program before it places tables: copies of arguments, sizes, partitions. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type TnaParts, tnaSource } from "./programs.js";

function fitOf(parts: TnaParts, target = "tofino") {
  const diagnostics = new Diagnostics();
  const made = compile({ file: tnaSource(parts), form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  const program = made!.program;
  return fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget(target));
}

const messages = (result: ReturnType<typeof fitOf>) => result.diagnostics.map(({ message }) => message);

describe("a control whose arguments overlap", () => {
  const controls = `
control Add(inout bit<32> value, inout headers_t h) {
    apply { value = h.d.c + 1; }
}
control Both(inout bit<32> value, inout headers_t h) {
    apply { h.d.b = value + 1; }
}`;

  const written = (result: ReturnType<typeof fitOf>) =>
    result.model.units.map(({ actions }) =>
      actions.flatMap(({ writes }) => writes.map(({ field }) => field)),
    );

  it("sets them in place where all applications of the instance have the same ones, as in the compiler", () => {
    const result = fitOf({ controls, ingress: "Both() r;", apply: "r.apply(hdr.d.a, hdr);" });
    expect([messages(result), written(result)]).toEqual([[], [["hdr.d.b"]]]);
    const kept = fitOf({ controls, ingress: "Add() r;", apply: "r.apply(hdr.d.a, hdr);" });
    expect(written(kept)).toEqual([["hdr.d.a"]]);
  });

  it("loses a result that the copy back overwrites where the applications have different ones, as the language says", () => {
    // The order of copies out: value first, then the headers, in which the field has its old value.
    const apply = "if (hdr.d.t == 1) { r.apply(hdr.d.a, hdr); } else { r.apply(hdr.d.b, hdr); }";
    const result = fitOf({ controls, ingress: "Add() r;", apply });
    expect(result.model.units.flatMap(({ actions }) => actions.flatMap(({ writes }) => writes))).toEqual([]);
  });

  it("keeps what another control reads in between", () => {
    const result = fitOf({
      controls,
      ingress: "Both() r; Both() s;",
      apply: "r.apply(hdr.d.a, hdr); s.apply(hdr.d.b, hdr);",
    });
    expect([result.stages, written(result)]).toEqual([2, [["hdr.d.b"], ["hdr.d.b"]]]);
  });
});

it("copies nothing into the storage of an out parameter", () => {
  const controls = `
control Choose(in bit<32> key, out bit<32> value) {
    action set(bit<32> v) { value = v; }
    table t { key = { key : exact; } actions = { set; } size = 16; }
    apply { t.apply(); }
}`;
  const apply =
    "if (hdr.d.t == 1) { c.apply(hdr.d.a, md.m); } else { c.apply(hdr.d.b, md.n); } hdr.d.c = md.m ^ md.n;";
  const result = fitOf({ controls, ingress: "Choose() c;", apply });
  const setters = result.model.units.filter(({ actions }) =>
    actions.some(({ writes }) => writes.some(({ field }) => field === "scalars.value")),
  );
  expect(setters.map(({ label }) => label)).toEqual(["pipe.In.c.t"]);
});

it("gives a hash inside an operation a table of its own", () => {
  const ingress = "Hash<bit<32>>(HashAlgorithm_t.CRC32) h;";
  const result = fitOf({ ingress, apply: "hdr.d.a = hdr.d.b ^ h.get({ hdr.d.c });" });
  expect([messages(result), result.stages]).toEqual([[], 2]);
  expect(result.placement.stages[0]?.hash_dist_units).toBe(2);
});

it("takes a hash as an operand of an instruction of the same action", () => {
  const stages = (body: string) =>
    fitOf({
      ingress: `Hash<bit<32>>(HashAlgorithm_t.CRC32) h; action mix() { ${body} }`,
      apply: "mix();",
    }).placement.stages;
  const direct = stages("hdr.d.a = hdr.d.b ^ h.get({ hdr.d.c });");
  expect(direct.map((stage) => stage.hash_dist_units)).toEqual([2]);
  expect(stages("md.m = h.get({ hdr.d.c }); hdr.d.a = md.m ^ hdr.d.b;")).toHaveLength(1);
  expect(stages("md.m = h.get({ hdr.d.c }); md.m = md.m + 1; hdr.d.a = md.m ^ hdr.d.b;")).toHaveLength(3);
  expect(stages("hdr.d.b = 1 + hdr.d.b; hdr.d.a = h.get({ hdr.d.c }) ^ hdr.d.b;")).toHaveLength(2);
  expect(stages("hdr.d.a = hdr.d.a + h.get({ hdr.d.c }); hdr.d.c = hdr.d.b;")).toHaveLength(1);
  expect(stages("hdr.d.a = hdr.d.b; hdr.d.a = hdr.d.a + h.get({ hdr.d.c });")).toHaveLength(1);
  expect(stages("hdr.d.a = hdr.d.b + 1; hdr.d.a = hdr.d.a + h.get({ hdr.d.c });")).toHaveLength(2);
});

it("takes the stage of a block of statements for its tables, that of an inner block and a table's own first", () => {
  const table = (name: string, pragma: string) =>
    `action ${name}_go() { hdr.d.${name} = 1; } ${pragma} table ${name} { key = { hdr.d.i : exact; } actions = { ${name}_go; } }`;
  const { placement } = fitOf({
    ingress: `${table("a", "")} ${table("b", "@stage(1)")}`,
    apply: "@stage(3) { a.apply(); @stage(5) { hdr.d.c = hdr.d.c + 1; } b.apply(); }",
  });
  const stages = placement.parts.map(({ unit, stage }) => [unit.actions[0]?.writes[0]?.field, stage]);
  expect(Object.fromEntries(stages)).toEqual({ "hdr.d.a": 3, "hdr.d.b": 1, "hdr.d.c": 5 });
});

describe("a variable with an operation", () => {
  it("has no container where all that reads it is a copy of it or of a part, which takes the operation", () => {
    const go = (rest: string) =>
      fitOf({ ingress: `action go() { bit<32> t = hdr.d.b + 0x50000; ${rest} }`, apply: "go();" });
    const operationsOf = (result: ReturnType<typeof fitOf>) =>
      result.model.units.flatMap(({ actions }) => actions.flatMap(({ operations }) => operations));
    const half = operationsOf(go("hdr.d.i = t[31:16];"));
    expect(half).toMatchObject([
      {
        kind: "arithmetic",
        write: { field: "hdr.d.i", lo: 0, width: 16 },
        sources: [{ field: "hdr.d.b", lo: 16, width: 16 }],
      },
    ]);
    const twice = operationsOf(go("hdr.d.a = t; hdr.d.c = t;"));
    expect(twice.map(({ write }) => write.field)).toEqual(["hdr.d.a", "hdr.d.c"]);
  });
});

describe("a table of constant entries", () => {
  const table = (size: string) => `
    action set() { hdr.d.a = 1; }
    table t { key = { hdr.d.i : range; } actions = { set; } ${size} const entries = { 1..9 : set(); } }`;
  const entries = (size: string) =>
    fitOf({ ingress: table(size), apply: "t.apply();" }).model.units.find(({ kind }) => kind === "match")
      ?.size;

  it("has the size that it states, or the chip's default", () => {
    expect([entries("size = 4;"), entries("")]).toEqual([4, 512]);
  });
});

describe("partitions", () => {
  const atcam = (pragmas: string, size: number) => ({
    ingress: `
    action set(bit<9> port) { tm.ucast_egress_port = port; }
    ${pragmas} table t {
        key = { hdr.d.i : exact @name("index"); hdr.d.a : ternary; hdr.d.t : ternary; }
        actions = { set; }
        size = ${size};
    }`,
    apply: "t.apply();",
  });
  const pragmas = '@atcam_partition_index("index") @atcam_number_partitions(256)';

  it("of an algorithmic TCAM are compared five blocks a logical table", () => {
    const [stage] = fitOf(atcam(pragmas, 256 * 20)).placement.stages;
    // 20 entries of a partition, each 48 ternary bits in a word of its own: 20 blocks of 256 lines.
    expect(stage).toMatchObject({ tcams: 0, srams: 20, logical_tables: 4, xbar_bytes_exact: 7 });
  });

  it("are spread over stages, as many as the compiler takes for 65,536 entries", () => {
    const result = fitOf(atcam(pragmas, 65_536));
    expect(result.placement.stages.map(({ srams, logical_tables: ids }) => [srams, ids])).toEqual([
      [80, 16],
      [80, 16],
      [80, 16],
      [16, 4],
    ]);
    expect(result.verdict).toBe("placed");
  });

  it("can be stated by an extern", () => {
    const parts = atcam("", 256 * 20);
    const ingress = parts.ingress
      .replace("hdr.d.i : exact", "hdr.d.i : atcam_partition_index")
      .replace("actions = { set; }", "actions = { set; } implementation = a;");
    const [stage] = fitOf({ ...parts, ingress: `Atcam(number_partitions = 256) a; ${ingress}` }).placement
      .stages;
    expect(stage).toMatchObject({ tcams: 0, srams: 20, logical_tables: 4 });
  });

  it("of an algorithmic LPM stand behind a small TCAM table", () => {
    const ingress = `
    Alpm(number_partitions = 2048, subtrees_per_partition = 2) a;
    action set(bit<9> port) { tm.ucast_egress_port = port; }
    table t { key = { hdr.d.a : lpm; } actions = { set; } size = 20480; implementation = a; }`;
    const result = fitOf({ ingress, apply: "t.apply();" });
    const [first, second] = result.placement.stages;
    expect([result.stages, result.verdict]).toEqual([2, "placed"]);
    // 4,096 prefixes to 2,048 partitions; 11 entries a partition, one of them the driver's.
    expect([first?.tcams, second?.tcams]).toEqual([8, 0]);
    expect(second?.logical_tables).toBe(1);
  });
});

it("gives each table actions of its own, so that one can lose what the other overwrites", () => {
  const ingress = `
    action send(bit<9> port) { tm.ucast_egress_port = port; }
    action drop() { dprsr.drop_ctl = 1; }
    table first { key = { hdr.d.a : exact; } actions = { send; drop; } size = 16; default_action = drop(); }
    table second { key = { hdr.d.b : exact; } actions = { send; } size = 16; default_action = send(0); }`;
  const { stages, model } = fitOf({ ingress, apply: "first.apply(); second.apply();" });
  const written = model.units.map(({ actions }) => actions.map(({ writes }) => writes.length));
  expect([stages, written]).toEqual([1, [[0, 1], [1]]]);
});

describe("a key with a mask", () => {
  const keysOf = (key: string, before = "", kind = "exact") => {
    const ingress = `action set() { hdr.d.b = 1; } table t { key = { ${key} : ${kind} @name("k"); } actions = { set; } size = 16; }`;
    return fitOf({ ingress, apply: `${before} t.apply();` }).model.units.map((unit) =>
      unit.key.map(({ access: { field, lo, width } }) => [field, lo, width]),
    );
  };

  it("matches the bits that the mask leaves, in one run or several, without a table that computes them", () => {
    expect(keysOf("hdr.d.a & 0xff00")).toEqual([[["hdr.d.a", 8, 8]]]);
    const runs = [
      ["hdr.d.a", 28, 4],
      ["hdr.d.a", 4, 8],
      ["hdr.d.a", 0, 1],
    ];
    expect(keysOf("hdr.d.a & 0xf0000ff1")).toEqual([runs]);
    expect(keysOf("hdr.d.a & 0xf0000ff1", "", "ternary")).toEqual([runs]);
    expect(keysOf("hdr.d.a & 0xf0000ff1", "", "lpm")).toHaveLength(2);
  });

  it("matches a field that the statement before sets", () => {
    expect(keysOf("hdr.d.a & 0xff00", "hdr.d.a = hdr.d.c + 1;")).toEqual([[], [["hdr.d.a", 8, 8]]]);
  });

  it("is a statement where the program has the masked value, or a wider cast of a slice, in its own variable", () => {
    expect(keysOf("md.m", "md.m = hdr.d.a & 0xf0f;")).toEqual([[], [["scalars.md.m", 0, 32]]]);
    expect(keysOf("md.m", "md.m = hdr.d.a & 0xff;")).toHaveLength(2);
    expect(keysOf("md.colour", "md.colour = hdr.d.a[11:4];")).toEqual([[["hdr.d.a", 4, 8]]]);
  });
});

it("takes the hash of a selector from the field of which its input is a copy", () => {
  const table = (name: string) =>
    `table ${name} { key = { hdr.d.c : exact; md.m : selector; } actions = { set; } size = 16; implementation = sel; }`;
  const countOf = (tables: string, apply: string) => {
    const ingress = `Hash<bit<16>>(HashAlgorithm_t.CRC16) h; ActionProfile(256) ap;
      ActionSelector(ap, h, SelectorMode_t.FAIR, 64, 16) sel; action set(bit<32> v) { hdr.d.b = v; } ${tables}`;
    return fitOf({ ingress, apply: `md.m = hdr.d.a; ${apply}` }).model.units.length;
  };
  expect(countOf(table("t"), "t.apply();")).toBe(1);
  // Of tables that share it, each may know other copies.
  const both = "if (hdr.d.i == 1) { t.apply(); } else { md.m = hdr.d.c; u.apply(); }";
  expect(countOf(table("t") + table("u"), both)).toBeGreaterThan(3);
});
