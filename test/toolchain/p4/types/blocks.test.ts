import { describe, expect, it } from "vitest";
import type { ControlDeclaration, TableDeclaration } from "../../../../src/toolchain/p4/syntax/ast.js";
import { entryPriorities, typeToString } from "../../../../src/toolchain/p4/types/index.js";
import { type Checked, checkBody, checkText } from "./checked.js";

const codes = ({ found }: Checked) =>
  found
    .map((text) => text.slice(0, 6))
    .filter((code) => code !== "P40604")
    .join(" ");

function table(properties: string, locals = ""): Checked {
  return checkText(`#include <core.p4>
    match_kind { range, optional }
    enum bit<8> Kind { a = 1, b = 2 }
    type bit<9> Port;
    extern direct_counter { direct_counter(); }
    extern profile { profile(bit<32> size); }
    control C(inout bit<8> x, inout bit<16> w, inout Kind k, inout Port p)(bit<32> n) {
      direct_counter() counts;
      action set(bit<8> v) { x = v; }
      action copy(in bit<8> from, bit<8> plus) { x = from + plus; }
      action drop() { x = 0; }
      ${locals}
      table t { ${properties} }
      apply { t.apply(); }
    }`);
}

describe("tables", () => {
  it.each([
    ["key = { x : exact; } actions = { set; drop; } default_action = drop(); size = 1024;", ""],
    ["key = { x : exact; w[3:0] : ternary; x == 1 : exact; } actions = { NoAction; }", ""],
    ["actions = { copy(x); } default_action = copy(x, 5);", ""],
    ["actions = { drop; } default_action = drop;", ""],
    ["key = { k : exact; p : exact; } actions = { drop; } const entries = { (Kind.a, 5) : drop(); }", ""],
    ["key = { x : lpm; } actions = { set; } const entries = { 8w1 &&& 8w0xF0 : set(1); _ : set(2); }", ""],
    [
      "key = { x : range; w : optional; } actions = { set; } const entries = { (1 .. 5, _) : set(1); default : set(2); }",
      "",
    ],
    [
      "key = { x : exact; } actions = { drop; } counters = counts; implementation = profile(16); size = n;",
      "",
    ],
    [
      "key = { x : exact; } actions = { @defaultonly drop; @tableonly set; } const default_action = drop();",
      "",
    ],
    ["key = { x : exact; }", "P40366"],
    ["actions = { drop; } actions = { set; }", "P40364"],
    ["key = { x : exactly; } actions = { drop; }", "P40324"],
    ["key = { drop : exact; } actions = { drop; }", "P40365"],
    ["key = { 5 : exact; } actions = { drop; }", "P40365"],
    ["actions = { copy; }", "P40310"],
    ["actions = { copy(x, 1); }", "P40325"],
    ["actions = { copy(w); }", "P40305"],
    ["actions = { nothing; }", "P40301"],
    ["actions = { x; }", "P40325"],
    ["actions = { drop; drop; }", "P40325"],
    ["actions = { copy(x); } default_action = copy(5, 5);", "P40325"],
    ["actions = { set; } default_action = set();", "P40310"],
    ["actions = { set; } default_action = set(x);", "P40351"],
    ["actions = { set; } default_action = 5;", "P40325"],
    ["default_action = drop(); actions = { drop; }", "P40325"],
    ["key = { x : exact; } actions = { @tableonly drop; } default_action = drop();", "P40325"],
    ["key = { x : exact; } actions = { @defaultonly drop; } const entries = { 1 : drop(); }", "P40325"],
    ["key = { x : exact; } actions = { drop; } const entries = { (1, 2) : drop(); }", "P40323"],
    ["key = { x : exact; } actions = { drop; } const entries = { true : drop(); }", "P40305"],
    ["key = { x : exact; } actions = { drop; } const entries = { w : drop(); }", "P40305 P40358"],
    ["key = { x : exact; } actions = { drop; } const entries = { 1 : set(2); }", "P40325"],
    ["key = { x : exact; } actions = { drop; } entries = { priority = 1: 1 : drop(); }", "P40326"],
    ["key = { x : exact; } actions = { drop; } size = x;", "P40369"],
    ["key = { x : exact; } actions = { drop; } size = -1;", "P40370"],
    ["key = { x : exact; } actions = { drop; } counters = 5;", "P40368"],
    ["key = { x : exact; } actions = { drop; } support_timeout = 5;", "P40367"],
    ["key = { x : exact; } actions = { drop; } implementation = 5;", "P40368"],
  ])("%s: %s", (properties, expected) => {
    expect(codes(table(properties))).toBe(expected);
  });

  it("need NoAction when they name no default action", () => {
    const text =
      "control C(inout bit<8> x) { action a() { } table t { actions = { a; } } apply { t.apply(); } }";
    expect(codes(checkText(text))).toBe("P40325");
    expect(codes(checkText(`action NoAction() { } ${text}`))).toBe("");
    expect(codes(checkText(`action NoAction(bit<8> x) { } ${text}`))).toBe("P40325");
  });

  it("bind the directed parameters in the list, all in entries", () => {
    const { program } = table(
      "key = { x : exact; } actions = { copy(x); set; } const entries = { 1 : copy(x, 2); 3 : set(4); }",
    );
    const control = program.globals.get("C")![0] as ControlDeclaration;
    const found = control.body!.locals.find((local) => local.kind === "table") as TableDeclaration;
    const [, actions, entries] = found.properties;
    if (actions?.kind !== "actions" || entries?.kind !== "entries") throw new Error("not as written");
    expect(actions.actions.map((ref) => ref.resolved!.params.map((param) => param.name.name))).toEqual([
      ["from"],
      [],
    ]);
    expect(entries.entries.map((entry) => entry.action.resolved!.args.length)).toEqual([2, 1]);
    expect(entries.entries.map((entry) => typeToString(entry.keys[0]!.implicitCast!))).toEqual([
      "bit<8>",
      "bit<8>",
    ]);
  });

  it.each([
    ["", "5 : drop(); 6 : drop(); 7 : drop();", [3n, 2n, 1n]],
    [
      "largest_priority_wins = false; priority_delta = 10;",
      "5 : drop(); 6 : drop(); 7 : drop();",
      [1n, 11n, 21n],
    ],
    ["", "priority = 9: 5 : drop(); 6 : drop(); priority = 4: 7 : drop();", [9n, 8n, 4n]],
    ["largest_priority_wins = false;", "priority = 9: 5 : drop(); 6 : drop(); 7 : drop();", [9n, 10n, 11n]],
  ])("count priorities (%s)", (properties, list, expected) => {
    const { program, diagnostics } = table(
      `key = { x : ternary; } actions = { drop; } ${properties} entries = { ${list} }`,
    );
    expect(diagnostics.list).toEqual([]);
    const control = program.globals.get("C")![0] as ControlDeclaration;
    const found = control.body!.locals.find((local) => local.kind === "table") as TableDeclaration;
    const entries = found.properties.find((property) => property.kind === "entries")!;
    expect(entryPriorities(entries, found)).toEqual(expected);
  });

  it("are never applied, or are marked as meant so", () => {
    const text = (mark: string) =>
      `#include <core.p4>\ncontrol C() { ${mark} table t { actions = { NoAction; } } apply { } }`;
    expect(checkText(text("")).found).toEqual(["P40604:2"]);
    expect(checkText(text('@noWarn("unused")')).found).toEqual([]);
  });
});

describe("parsers", () => {
  const parser = (keys: string, cases: string, locals = "") =>
    codes(
      checkText(`#include <core.p4>
        enum bit<8> Kind { a = 1, b = 2 } enum Word { x, y } type bit<9> Port; struct S { bit<8> f; bit<16> g; }
        header H { bit<8> a; varbit<32> v; } header I { bit<8> a; }
        parser P(packet_in packet, inout bit<8> x, inout bit<16> w, in Kind k, in Word d, in Port p, in S s,
                 out H h, out I[2] i) {
          ${locals}
          state start { transition select(${keys}) { ${cases} } }
        }`),
    );

  it.each([
    ["x", "1: accept; 2 &&& 6: accept; 3 .. 9: reject; default: start;", "", ""],
    ["x, w", "(1, 2): accept; (_, 3): accept; _: reject;", "", ""],
    ["k", "Kind.a: accept; 2: accept;", "", ""],
    ["d", "Word.x: accept;", "", ""],
    ["x == 1", "true: accept; false: reject;", "", ""],
    ["x", "set: accept;", "value_set<bit<8>>(4) set;", ""],
    ["x, w", "set: accept;", "value_set<S>(4) set;", ""],
    ["x, w", "set: accept;", "value_set<tuple<bit<8>, bit<16>>>(4) set;", ""],
    ["x", "set: accept;", "value_set<bit<16>>(4) set;", "P40305"],
    ["x", "w: accept;", "", "P40305"],
    ["x", "(1, 2): accept;", "", "P40323"],
    ["x", "1: acept;", "", "P40322"],
    ["x", "true: accept;", "", "P40305"],
    ["p", "1: accept;", "", "P40323"],
    ["s", "_: accept;", "", "P40323"],
    ["5", "5: accept;", "", "P40323"],
    ["x", "x &&& 5: accept;", "", "P40360"],
    ["x", "_: accept; 5: reject;", "", "P40603"],
    ["x", "f(): accept;", "", "P40301"],
  ])("select(%s) { %s } %s: %s", (keys, cases, locals, expected) => {
    expect(parser(keys, cases, locals)).toBe(expected);
  });

  const body = (statements: string) =>
    codes(
      checkText(`#include <core.p4>
        header H { bit<8> a; varbit<32> v; } header I { bit<8> a; } struct S { I i; }
        parser P(packet_in packet, out H h, out I[2] i, out S s, inout bit<8> x) {
          state start { ${statements} transition accept; }
        }`),
    );

  it.each([
    ["packet.extract(i.next); x = i.last.a; packet.extract(h, 32);", ""],
    ["x = packet.lookahead<bit<8>>(); packet.advance(8); verify(x == 1, error.NoMatch);", ""],
    ["packet.extract<I>(_);", ""],
    ["packet.extract(h);", "P40337"],
    ["packet.extract(s.i, 8);", "P40338"],
    ["packet.extract(s);", "P40336"],
    ["packet.extract(x);", "P40336"],
    ["packet.extract(i);", "P40336"],
    ["H g = packet.lookahead<H>();", "P40339"],
    ["verify(x, error.NoMatch);", "P40305"],
    ["verify(x == 1, error.NoSuch);", "P40304"],
    ["i.lastIndex = 1;", "P40313"],
  ])("%s: %s", (statements, expected) => {
    expect(body(statements)).toBe(expected);
  });

  it("need start, do not declare accept, and end", () => {
    const states = (text: string) =>
      codes(checkText(`#include <core.p4>\nparser P(packet_in p) { ${text} }`));
    expect(states("state start { }")).toBe("");
    expect(states("state first { transition accept; }")).toBe("P40322");
    expect(states("state start { transition accept; } state accept { }")).toBe("P40322");
    expect(states("state start { transition a; } state a { transition start; }")).toBe("P40322");
    expect(states("state start { transition a; } state a { } state a { }")).toBe("P40302");
    expect(states("bit<8> a; state start { transition accept; } state a { transition start; }")).toBe(
      "P40302 P40603",
    );
  });
});

describe("statements", () => {
  it.each([
    ["if (x == 1) { return; } else { exit; }", ""],
    ["for (bit<8> i = 0; i < 4; i = i + 1) { if (i == x) break; y = y + i; continue; }", ""],
    ["for (bit<8> i in 0 .. 7) { y = y + i; }", ""],
    ["for (bit<8> i in { 8w1, 2, 3 }) { y = y + i; }", ""],
    ["switch (x) { 1: { y = 1; } 2: 3: { y = 2; } default: { } }", ""],
    ["{ bit<8> z = 1; x = z; } { bit<16> z = 2; w = z; }", ""],
    ["const bit<8> k = 4; x = k;", ""],
    ["break;", "P40321:1"],
    ["x = 1; return 5;", "P40320:1"],
    ["const bit<8> k = x;", "P40356:1"],
    ["const bit<8> k = 4; k = 5;", "P40313:1"],
    ["bit<8> z; bit<8> z;", "P40302:1"],
    ["{ bit<8> z; } x = z;", "P40301:1"],
    ["switch (x) { 1: { } 1: { } }", "P40327:1"],
    ["switch (x) { w: { } }", "P40305:1"],
    ["switch (x) { y: { } }", "P40362:1"],
    ["switch (x == 1) { true: { } }", "P40350:1"],
    ["for (bit<8> i in w) { }", "P40349:1"],
    ["for (bit<8> i in 0 .. 7w5) { }", "P40305:1"],
    ["match_kind m;", "P40316:1"],
    ["string s;", "P40316:1"],
    ["x = NoAction;", "P40303:1"],
    ["return; x = 1;", "P40603:1"],
  ])("%s: %s", (body, expected) => {
    expect(checkBody(body).join(" ")).toBe(expected);
  });

  it("of functions return on every path", () => {
    const body = (text: string) => codes(checkText(`bit<8> f(in bit<8> a) { ${text} }`));
    expect(body("return a;")).toBe("");
    expect(body("if (a == 1) { return 1; } return 2;")).toBe("");
    expect(body("if (a == 1) { return 1; } else { return 2; }")).toBe("");
    expect(body("switch (a) { 1: { return 1; } default: { return 2; } }")).toBe("");
    expect(body("switch (a) { 1: { return 1; } }")).toBe("P40320");
    expect(body("if (a == 1) { return 1; }")).toBe("P40320");
    expect(body("return;")).toBe("P40320");
    expect(body("return true;")).toBe("P40305");
  });
});

describe("declarations", () => {
  it.each([
    ["header H { bit<8> a; int<4> b; varbit<8> c; bool d; }", ""],
    ["struct In { bit<8> a; } header H { In i; }", ""],
    ["enum Word { a } header H { Word w; }", "P40315"],
    ["enum bit<8> Word { a = 1 } header H { Word w; }", ""],
    ["header H { bit<8> a; } header_union U { H h; bit<8> b; }", "P40315"],
    ["struct S { int a; }", "P40315"],
    ["struct S { string a; }", "P40315"],
    ["extern E { E(); } struct S { E e; }", "P40315"],
    ["header H { bit<8> a; } struct S { H[3] h; H[n] g; } const int n = 3;", "P40301"],
    ["header G<T> { T t; } struct S { G<bit<8>> g; G<bool>[2] h; }", ""],
    ["header G<T> { T t; } struct S { G<int> g; }", "P40315"],
    ["struct G<T> { T t; } struct S { G g; }", "P40312"],
    ["struct G<T> { T t; } struct S { G<bit<8>, bit<8>> g; }", "P40312"],
    ["typedef bit<8> B; typedef B C; const C c = 300 - 255;", ""],
    ["header H { bit<8> a; } struct S { H[2000000000] h; } const S s = ...;", "P40309"],
    ["struct G<T> { T a; T b; } header H { bit<8> a; } struct S { G<H[60000]> g; G<H[70000]> h; }", "P40309"],
    ["type string S;", "P40316"],
    ["typedef void V;", "P40316"],
    ["enum E { a, b, a }", "P40302"],
    ["enum bit<4> E { a = 16 }", "P40601"],
    ["error { A, B } error { B }", "P40302"],
    ["match_kind { exact } match_kind { exact }", "P40302"],
    ["extern E { E(); E(bit<8> n); void f(); void f(in bit<8> a); void f(in bit<8> b); }", ""],
    ["extern E { void f(in bit<8> a); void f(in bit<8> a); }", "P40302"],
    ["void f(in bit<8> a) { } void f(in bit<8> a) { }", "P40302"],
    ["control C(inout bit<8> x)(bit<8> a, in bit<8> b) { apply { } }", "P40314"],
    ["action a(bit<8> d, in bit<8> e) { }", "P40314"],
    ["void f(out bit<8> a = 5) { }", "P40314"],
    ["void f(in int a) { }", "P40316"],
    ["extern void f(in string a);", "P40316"],
    ["control C<T>(inout T x) { apply { } }", ""],
    ["control C<T>(inout T x);", ""],
    ["const bit<(1 + 2) * 3> c = 511;", ""],
    ['struct S { bit<8> a; } @foo[1, true, "x"] @bar[k = 1] const S s = { 1 };', ""],
    ["@foo[k = 1, k = 2] const bit<8> s = 1;", "P40302"],
    ["@foo[{1}] const bit<8> s = 1;", "P40330"],
    // Only values of type int, string and bool (section 20): p4c refuses these too.
    ["@foo[8w1] const bit<8> s = 1;", "P40330"],
    ["const bit<8> k = 8; @foo[a = k] const bit<8> s = 1;", "P40330"],
    ["const int k = 8; @foo[a = k + 1] const bit<8> s = 1;", ""],
    ["@foo(1) @foo[1] const bit<8> s = 1;", "P40330"],
    ["@name(5) const bit<8> s = 1;", "P40330"],
    ['@id("x") const bit<8> s = 1;', "P40330"],
    ["@hidden(1) const bit<8> s = 1;", "P40330"],
    ["const bit<8> k = 4; @id(k) @unknown(a b, c) const bit<8> s = 1;", ""],
    ['@p4runtime_translation("", bit<32>) type bit<9> P;', ""],
    ['@p4runtime_translation("", bool) type bit<9> P;', "P40330"],
  ])("%s: %s", (text, expected) => {
    expect(codes(checkText(text))).toBe(expected);
  });

  it("suggest the name that was meant", () => {
    const { diagnostics } = checkText("const bit<8> packet_count = 1; const bit<8> b = packet_cuont;");
    expect(diagnostics.list[0]!.notes.map((note) => note.message)).toEqual(["did you mean 'packet_count'?"]);
  });

  it("say where a name is declared later", () => {
    const { diagnostics } = checkText("struct S { H h; }\nheader H { bit<8> a; }");
    const [first] = diagnostics.list;
    expect(first!.message).toBe("'H' is used before its declaration");
    expect(first!.notes[0]!.span!.file.position(first!.notes[0]!.span!.start).line).toBe(2);
  });
});
