/** Statements of a control for TNA: which of them become one table, and what a table of them waits for. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type TnaParts, tnaSource } from "./programs.js";

function fitOf(parts: TnaParts, target = "tofino", include = "tna.p4") {
  const diagnostics = new Diagnostics();
  const file = tnaSource(parts).replace("tna.p4", include);
  const made = compile({ file, form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  const { program } = made!;
  return fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget(target));
}

/** Logical tables and stages. */
function sizeOf(parts: TnaParts, target = "tofino"): [number, number] {
  const { placement, stages } = fitOf(parts, target);
  return [placement.stages.reduce((sum, stage) => sum + stage.logical_tables, 0), stages];
}

const ALU = `
    Register<bit<32>, bit<16>>(1024) r;
    RegisterAction<bit<32>, bit<16>, bit<32>>(r) r_get = {
        void apply(inout bit<32> cell, out bit<32> result) { result = cell; }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(r) r_set = {
        void apply(inout bit<32> cell) { cell = hdr.d.b; }
    };
    Register<bit<32>, bit<16>>(1024) q;
    RegisterAction<bit<32>, bit<16>, bit<32>>(q) q_get = {
        void apply(inout bit<32> cell, out bit<32> result) { result = cell; }
    };
    Random<bit<8>>() rnd;`;

describe("statements of a control", () => {
  it("are one table with at most one call among them", () => {
    const one = "hdr.d.c = hdr.d.b; hdr.d.a = r_get.execute(hdr.d.i); hdr.d.t = 4;";
    expect(sizeOf({ ingress: ALU, apply: one })).toEqual([1, 1]);
    const two = "hdr.d.a = r_get.execute(hdr.d.i); hdr.d.c = q_get.execute(hdr.d.i);";
    expect(sizeOf({ ingress: ALU, apply: two })).toEqual([2, 1]);
  });

  it("are two tables where one sets a part of a field and the next one another part of it", () => {
    expect(sizeOf({ apply: "hdr.d.a[15:0] = hdr.d.t; hdr.d.c = 1;" })).toEqual([1, 1]);
    expect(sizeOf({ apply: "hdr.d.a[15:0] = hdr.d.t; hdr.d.a[31:16] = hdr.d.i;" })).toEqual([2, 2]);
  });

  it("make one table of each part of a value, which an action sets at once", () => {
    const wide = "hdr.d.a = (bit<32>) hdr.d.t;";
    expect(sizeOf({ apply: wide })).toEqual([2, 2]);
    expect(sizeOf({ ingress: `action go() { ${wide} }`, apply: "go();" })).toEqual([1, 1]);
    expect(sizeOf({ apply: "hdr.d.a = hdr.d.b[7:0] ++ hdr.d.i ++ hdr.d.b[15:8];" })).toEqual([3, 3]);
    expect(sizeOf({ ingress: ALU, apply: "hdr.d.a = (bit<32>) rnd.get();" })).toEqual([2, 2]);
  });

  it("begin a table at a value that is cast to a wider type, whose zeros need no instruction", () => {
    const chain = (apply: string) => fitOf({ apply }).problem.graph.criticalPath;
    // The compiler still has `x[31:16] = 0` when it makes tables of statements, so the copy is a table of its own.
    const before = "hdr.d.a = hdr.d.a + hdr.d.c; hdr.d.c = hdr.d.a;";
    const after = "hdr.d.b = hdr.d.b + x;";
    expect(chain(`bit<32> x = hdr.d.c; ${before} ${after}`)).toBe(2);
    expect(sizeOf({ apply: `bit<32> x; ${before} x = (bit<32>) hdr.d.t; ${after}` })).toEqual([4, 2]);
    expect(sizeOf({ apply: `bit<16> x; ${before} x = hdr.d.t; hdr.d.i = hdr.d.i + x;` })).toEqual([2, 2]);
  });

  it("begin a table at a field that an earlier one of them sets to the zero that it has", () => {
    const apply = (first: string) =>
      `hdr.d.a = hdr.d.a + hdr.d.c; ${first} md.m[15:0] = hdr.d.t; if (hdr.d.i == 3) { hdr.d.b = md.m; }`;
    expect(sizeOf({ apply: apply("md.m = 0;") })).toEqual([3, 2]);
    expect(sizeOf({ apply: apply("") })).toEqual([2, 2]);
  });

  it("take no table for zeros of metadata that the parser has cleared, also where the program's parser says so", () => {
    const apply = "md.m = (bit<32>) hdr.d.t; if (hdr.d.i == 4) { hdr.d.a = md.m; }";
    expect(sizeOf({ apply })).toEqual([2, 2]);
    expect(sizeOf({ apply, parser: "md.m = 0; transition accept; }" })).toEqual([2, 2]);
    expect(sizeOf({ apply, parser: "md.m = 5; transition accept; }" })).toEqual([3, 3]);
  });
});

describe("readers of a copy", () => {
  const operations = (parts: TnaParts) =>
    fitOf(parts).model.units.flatMap(({ actions, key }) => [
      ...key.map(({ access }) => `key ${access.field}`),
      ...actions.flatMap((action) =>
        action.operations.map(({ write, sources }) => `${write.field} ${sources.map(({ field }) => field)}`),
      ),
    ]);

  it("read the original, be the copy a member of metadata or of a header, but not in an action of the program", () => {
    const ingress = "action go() { hdr.d.c = md.m; }";
    expect(operations({ ingress, apply: "md.m = hdr.d.b; hdr.d.a = md.m; go();" })).toEqual([
      "scalars.md.m hdr.d.b",
      "hdr.d.a hdr.d.b",
      "hdr.d.c scalars.md.m",
    ]);
    expect(operations({ apply: "hdr.d.a = hdr.d.b; hdr.d.c = hdr.d.a;" })).toEqual([
      "hdr.d.a hdr.d.b",
      "hdr.d.c hdr.d.b",
    ]);
  });

  it("read it in keys, too, so that a copy that nothing else reads has no place", () => {
    const ingress = "action go() { hdr.d.c = 1; } table t { key = { md.m : exact; } actions = { go; } }";
    expect(operations({ ingress, apply: "md.m = hdr.d.b; t.apply();" })).toEqual(["key hdr.d.b", "hdr.d.c "]);
  });

  it("leave a field in which a part is set as it is", () => {
    const apply = "hdr.d.a = hdr.d.b; hdr.d.a[7:0] = hdr.d.c[7:0];";
    expect(operations({ apply })).toEqual(["hdr.d.a hdr.d.b", "hdr.d.a hdr.d.c"]);
  });
});

it("copies a variable that has one of several results of a call in a table of its own, and no other", () => {
  const ingress = `
    Register<pair_t, bit<16>>(1024) r;
    RegisterAction2<pair_t, bit<16>, bit<32>, bit<32>>(r) both = {
        void apply(inout pair_t cell, out bit<32> low, out bit<32> high) { low = cell.lo; high = cell.hi; }
    };`;
  const stagesOf = (apply: string) =>
    fitOf({ ingress, apply }, "tofino2", "t2na.p4").problem.graph.criticalPath;
  expect(stagesOf("hdr.d.a = both.execute(hdr.d.i, hdr.d.b);")).toBe(1);
  expect(stagesOf("bit<32> x = 0; hdr.d.a = both.execute(hdr.d.i, x); hdr.d.b = x;")).toBe(2);
  expect(stagesOf("bit<32> x = 0; hdr.d.a = both.execute(hdr.d.i, x); hdr.d.b = x + hdr.d.c;")).toBe(2);
});

it("makes a call of a register wait for the operands of its other calls", () => {
  const calls = "if (hdr.d.t == 0) { hdr.d.a = r_get.execute(hdr.d.i); } else { r_set.execute(hdr.d.i); }";
  const chain = (before: string) =>
    fitOf({ ingress: ALU, apply: `${before} ${calls} hdr.d.c = hdr.d.c + hdr.d.a;` }).problem.graph
      .criticalPath;
  expect(chain("")).toBe(2);
  expect(chain("hdr.d.b = hdr.d.b + 1;")).toBe(3);
});

it("drops a comparison that all values of a field meet, but not the value", () => {
  const apply = (test: string) =>
    `bit<8> x = rnd.get(); if (x ${test}) { hdr.d.a = 1; } else { hdr.d.b = 1; }`;
  const tables = (test: string) => sizeOf({ ingress: ALU, apply: apply(test) });
  expect(tables("<= 255")).toEqual([2, 1]);
  expect(
    fitOf({ ingress: ALU, apply: apply("<= 255") }).model.units.some(({ usesRandom }) => usesRandom),
  ).toBe(true);
  expect(tables("<= 254")[1]).toBe(2);
});

it("puts variables of one bit with each other on Tofino 1, so that tables that set them need stages of their own", () => {
  const set = (name: string, from: string) => `
    action ${name}_set(bit<1> v) { ${name} = v; }
    table t_${name} { key = { hdr.d.${from} : exact; } actions = { ${name}_set; NoAction; } size = 16; }`;
  const ingress = `bit<1> x; bit<1> y;${set("x", "a")}${set("y", "b")}`;
  const apply =
    "x = 0; y = 0; t_x.apply(); t_y.apply(); if (x == 1) { hdr.d.c = 1; } if (y == 1) { hdr.d.i = 1; }";
  const stagesOf = (target: string) =>
    fitOf({ ingress, apply }, target).placement.parts.flatMap(({ unit, stage }) =>
      unit.kind === "match" ? [stage] : [],
    );
  expect(stagesOf("tofino")).toEqual([0, 1]);
  expect(stagesOf("tofino2")).toEqual([0, 0]);
});

it("hands a narrow value to a filter without a field of the filter's width", () => {
  const ingress = "Wred<bit<16>, bit<10>>(32w1, 8w1, 8w0) red;";
  const apply = "bit<8> drops = red.execute(hdr.d.i, 0); if (drops == 1) { hdr.d.t = 3; }";
  expect(sizeOf({ ingress, apply })).toEqual([2, 2]);
});

it.each([
  ["a meter", "Meter<bit<8>>(16, MeterType_t.BYTES) m;", "(bit<8>) m.execute(i)"],
  ["the random numbers", "Random<bit<8>>() m;", "m.get()"],
])("%s in an action of a table sets the field in the stage of the table", (_, call, value) => {
  const ingress = `${call} bit<8> colour; action police(bit<8> i) { colour = ${value}; }
    table t { key = { hdr.d.t : exact; } actions = { police; NoAction; } size = 16; }`;
  expect(sizeOf({ ingress, apply: "t.apply(); if (colour != 3) { hdr.d.c = 1; }" })).toEqual([2, 2]);
});

it("gives what an action reads again in the stage of its meter, too", () => {
  const ingress = `Meter<bit<8>>(16, MeterType_t.BYTES) m;
    action police(bit<8> i) { md.colour = (bit<8>) m.execute(i); md.twin = md.colour; }
    table t { key = { hdr.d.t : exact; } actions = { police; NoAction; } size = 16; }`;
  expect(sizeOf({ ingress, apply: "t.apply(); if (md.twin != 3) { hdr.d.c = 1; }" })).toEqual([2, 2]);
});

describe("the methods of register actions", () => {
  it("read what a statement before has set, in a later stage", () => {
    // The method reads hdr.d.b, which the copy of hdr.d.c does not replace there.
    expect(sizeOf({ ingress: ALU, apply: "hdr.d.b = hdr.d.c; r_set.execute(hdr.d.i);" })).toEqual([2, 2]);
    expect(sizeOf({ ingress: ALU, apply: "hdr.d.a = hdr.d.c; r_set.execute(hdr.d.i);" })).toEqual([1, 1]);
  });

  it("read members that only they read from containers, and not what was copied there", () => {
    const ingress = `Register<bit<32>, bit<16>>(1024) r; RegisterAction<bit<32>, bit<16>, bit<32>>(r) swap = {
      void apply(inout bit<32> v, out bit<32> o) { o = v; v = md.n; } };`;
    const apply = "md.n = hdr.d.a; hdr.d.a = hdr.d.b; hdr.d.c = swap.execute(hdr.d.i);";
    expect(sizeOf({ ingress, apply })).toEqual([2, 2]);
  });

  it("give no result where what they give is overwritten on every way", () => {
    const first = "if (hdr.d.t == 1) { md.m = r_get.execute(hdr.d.i); }";
    const second = "md.m = q_get.execute(hdr.d.i); hdr.d.c = md.m;";
    const read = "hdr.d.a = md.m;";
    const stages = (apply: string) => sizeOf({ ingress: ALU, apply })[1];
    expect(stages(`${first} ${second}`)).toBe(stages(second));
    expect(stages(`${first} ${read} ${second}`)).toBeGreaterThan(stages(second));
  });
});
