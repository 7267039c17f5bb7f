/**
 * Instances (P4-16 sections 11.3, 13.7, 14 and 18.3.2): objects and values as constructor arguments, their names for the control plane,
 * controls and parsers that are applied by type, and the arguments of the package.
 */
import { describe, expect, it } from "vitest";
import { answer, IO, values } from "./packets.js";
import { compileParts, type Parts, tryCompile, v1model } from "./v1model.js";

const names = (parts: Parts) => {
  const { bmv2 } = compileParts({ metadata: "bit<8> x;", ...parts }).program;
  return {
    counters: bmv2.counter_arrays.map(({ name }) => name),
    registers: bmv2.register_arrays.map(({ name }) => name),
    tables: bmv2.pipelines
      .flatMap(({ tables }) => tables.map(({ name }) => name))
      .filter((name) => name.includes(".")),
    actions: bmv2.actions.map(({ name }) => name).filter((name) => name.includes(".")),
  };
};

describe("arguments of constructors", () => {
  it("values, and defaults of those that are left out", () => {
    const top = `control Add(inout bit<8> x)(bit<8> by, bit<8> more = 4) { const bit<8> all = by + more; apply { x = x + all; } }`;
    const locals = "Add(1) one; Add(10, 20) two; Add(more = 2, by = 3) three;";
    expect(
      values("one.apply(hdr.io.a); two.apply(hdr.io.b); three.apply(hdr.io.b);", { top, locals }),
    ).toEqual([10, 38, 0x102]);
  });

  it("a register that exists, or one that is made in the call", () => {
    const top = `control Count(inout bit<8> x)(register<bit<8>> r) { apply { r.read(x, 0); x = x + 1; r.write(0, x); } }`;
    const locals =
      "register<bit<8>>(4) mine; Count(mine) first; Count(mine) second; Count(register<bit<8>>(2)) third;";
    const ingress = "first.apply(hdr.io.a); second.apply(hdr.io.a); third.apply(hdr.io.b);";
    expect(values(ingress, { top, locals })).toEqual([2, 1, 0x102]);
    const { program } = compileParts({
      top: `${IO} ${top}`,
      headers: "io_t io;",
      locals,
      ingress,
    });
    expect(program.bmv2.register_arrays.map(({ name, size }) => [name, size])).toEqual([
      ["I.mine", 4],
      ["I.third.r", 2],
    ]);
  });

  it("a control that exists, or one that is made in the call", () => {
    const top = `control Inner_t(inout bit<8> x); control Inner(inout bit<8> x)(bit<8> by) { action add() { x = x + by; } table t { actions = { add; } const default_action = add(); } apply { t.apply(); } }
      control Outer(inout bit<8> x)(Inner_t c) { apply { c.apply(x); } }`;
    const locals = "Inner(1) i; Outer(i) o; Outer(Inner(2)) p;";
    expect(values("o.apply(hdr.io.a); p.apply(hdr.io.b);", { top, locals })).toEqual([6, 5, 0x102]);
    expect(names({ top, locals, ingress: "o.apply(meta.x); p.apply(meta.x);" }).tables).toEqual([
      "I.i.t",
      "I.p.c.t",
    ]);
  });

  it("a parser that exists, or one that is made in the call", () => {
    const top = `header p_t { bit<8> p; } parser Inner_t(packet_in p, out p_t h);
      parser Inner(packet_in p, out p_t h)(bit<8> mark) { value_set<bit<8>>(4) known; state start { p.extract(h); h.p = h.p | mark;
        transition select(h.p) { known: accept; default: accept; } } }
      parser Outer(packet_in p, out p_t h)(Inner_t sub) { state start { sub.apply(p, h); transition accept; } }`;
    const parts: Parts = {
      top,
      headers: "p_t h; p_t g;",
      parserLocals: "Inner(0x80) one; Outer(one) two; Outer(Inner(0x40)) three;",
      states:
        "state start { pkt.extract(hdr.io); two.apply(pkt, hdr.h); three.apply(pkt, hdr.g); transition accept; }",
    };
    expect(answer(parts, "010203")).toBe("05030102" + "81" + "42" + "03");
    const { program } = compileParts({ ...parts, top: `${IO} ${top}`, headers: "io_t io; p_t h; p_t g;" });
    expect(program.bmv2.parse_vsets.map(({ name }) => name)).toEqual(["P.one.known", "P.three.sub.known"]);
  });

  it("`this` default of an extern: a direct counter in the table that names it", () => {
    const locals = `direct_counter(CounterType.packets) c; action a() {} table t { key = { meta.x: exact; } actions = { a; } counters = c; }
      table u { key = { meta.x: exact; } actions = { a; } counters = direct_counter(CounterType.bytes); }`;
    expect(names({ locals, ingress: "t.apply(); u.apply();" }).counters.sort()).toEqual([
      "I.c",
      "I.u.counters",
    ]);
  });
});

describe("names for the control plane", () => {
  it("@name replaces the last part, and the whole name where it begins with a dot", () => {
    const { tables, actions, registers } = names({
      top: "control Sub(inout bit<8> x) { action a() {} table t { actions = { a; } const default_action = a(); } apply { t.apply(); } }",
      locals: `@name("own") Sub() s; @name(".all") Sub() r; @name("reg.x") register<bit<8>>(1) g;
        @name(".act") action b() {} @name("tab") table u { actions = { b; } const default_action = b(); }`,
      ingress: "s.apply(meta.x); r.apply(meta.x); u.apply(); g.write(0, meta.x);",
    });
    expect(tables.sort()).toEqual(["I.own.t", "I.tab", "all.t"]);
    expect(actions.sort()).toEqual(["I.own.a", "all.a"]);
    expect(registers).toEqual(["I.reg.x"]);
  });

  it("action profiles that tables make are numbered through the program, with the named ones counted", () => {
    const profile = (name: string, implementation: string) =>
      `table ${name} { key = { meta.x: exact; } actions = { a; } implementation = ${implementation}; }`;
    const { program } = compileParts({
      metadata: "bit<8> x;",
      locals: `action a() {} action_profile(7) mine; ${profile("t", "action_profile(8)")} ${profile("u", "mine")} ${profile("v", "action_profile(9)")}`,
      ingress: "t.apply(); u.apply(); v.apply();",
    });
    expect(
      program.bmv2.pipelines[0]!.action_profiles.map(({ name, max_size }) => [name, max_size]).sort(),
    ).toEqual([
      ["I.mine", 7],
      ["action_profile_0", 8],
      ["action_profile_1", 9],
    ]);
  });

  it("digests of types without a name are numbered", () => {
    const { program } = compileParts({
      top: "struct S { bit<8> x; }",
      metadata: "bit<8> x; bit<16> y; S s;",
      ingress:
        "digest<bit<8>>(1, meta.x); digest<S>(1, meta.s); digest<tuple<bit<8>, bit<16>>>(1, { meta.x, meta.y });",
    });
    expect(program.bmv2.learn_lists.map(({ name, elements }) => [name, elements.length])).toEqual([
      ["digest_0", 1],
      ["S", 1],
      ["digest_1", 2],
    ]);
  });
});

describe("controls and parsers applied by their type", () => {
  it("have the type's name below the block that applies them", () => {
    const parts: Parts = {
      top: `control Sub(inout bit<8> x) { action add() { x = x + 1; } table t { actions = { add; } const default_action = add(); } apply { t.apply(); } }`,
    };
    expect(values("Sub.apply(hdr.io.a);", parts)).toEqual([6, 3, 0x102]);
    expect(names({ ...parts, ingress: "Sub.apply(meta.x);" }).tables).toEqual(["I.Sub.t"]);
  });

  it("parsers too", () => {
    const parts: Parts = {
      top: "header p_t { bit<8> p; } parser Sub(packet_in p, out p_t h) { state start { p.extract(h); transition accept; } }",
      headers: "p_t h;",
      states:
        "state start { pkt.extract(hdr.io); Sub.apply(pkt, hdr.h); hdr.h.p = hdr.h.p + 1; transition accept; }",
    };
    expect(answer(parts, "0708")).toBe("050301020808");
  });
});

describe("a control that is applied twice", () => {
  const top = `control Plain(inout bit<8> x) { bit<8> y = 1; action add() { x = x + y; y = y + 1; } apply { add(); add(); } }
    control Tables(inout bit<8> x, in bit<8> k) { action add() { x = x + 1; } table t { key = { k: exact; } actions = { add; } const default_action = add(); } apply { t.apply(); } }`;
  const locals = "Plain() p; Tables() t;";

  it("starts with its locals as they are declared, with other arguments where it has no tables", () => {
    expect(values("p.apply(hdr.io.a); p.apply(hdr.io.b); p.apply(hdr.io.a);", { top, locals })).toEqual([
      11, 6, 0x102,
    ]);
  });

  it("runs the same table again with the same arguments", () => {
    expect(values("t.apply(hdr.io.a, hdr.io.b); t.apply(hdr.io.a, hdr.io.b);", { top, locals })).toEqual([
      7, 3, 0x102,
    ]);
  });

  it.each([
    ["another place", "t.apply(meta.x, meta.y); t.apply(meta.y, meta.y);"],
    ["another element", "t.apply(hdr.s[0].p, meta.y); t.apply(hdr.s[1].p, meta.y);"],
    ["another constant", "t.apply(meta.x, 1); t.apply(meta.x, 2);"],
    ["a constant in place of a field", "t.apply(meta.x, 1); t.apply(meta.x, meta.y);"],
  ])("refuses %s where it has tables", (_, ingress) => {
    const parts: Parts = { headers: "p_t[2] s;", metadata: "bit<8> x; bit<8> y;", locals, ingress };
    expect(tryCompile(v1model({ ...parts, top: `header p_t { bit<8> p; } ${top}` })).codes).toEqual([
      "P40422",
    ]);
  });
});

describe("the arguments of the package", () => {
  const text = v1model({
    metadata: "bit<8> x;",
    locals: "action a() {} table t { key = { meta.x: exact; } actions = { a; } }",
    ingress: "t.apply();",
  });

  it("of another architecture are refused with the architecture's name", () => {
    const { diagnostics } = tryCompile(
      `#include <core.p4>
       control C(inout bit<8> x) { apply { x = 1; } } control Only(inout bit<8> x); package Other(Only c); Other(C()) main;`,
    );
    expect(diagnostics.list.map(({ code, message }) => [code, message])).toEqual([
      ["P40431", "not supported yet: the architecture of Other"],
    ]);
  });

  it.each([
    [20180101, []],
    [20200408, []],
    [20171231, ["P40433"]],
    [20200409, ["P40433"]],
  ])("version %i of v1model", (version, codes) => {
    expect(tryCompile(`#define V1MODEL_VERSION ${version}\n${text}`).codes).toEqual(codes);
  });
});
