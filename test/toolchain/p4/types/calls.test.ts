import { describe, expect, it } from "vitest";
import type {
  CallExpression,
  ControlDeclaration,
  InstanceDeclaration,
} from "../../../../src/toolchain/p4/syntax/ast.js";
import { typeToString } from "../../../../src/toolchain/p4/types/index.js";
import { checkBody, checkText } from "./checked.js";

/** The call statements of a control's apply block in a program without errors. */
function calls(text: string, name = "C"): CallExpression[] {
  const { program, diagnostics } = checkText(text);
  expect(diagnostics.list.filter((d) => d.severity === "error")).toEqual([]);
  const control = program.globals.get(name)![0] as ControlDeclaration;
  return control.body!.apply.statements.flatMap((s) => (s.kind === "callStatement" ? [s.call] : []));
}

/** The names of arguments' values in parameter order; `-` for a default or no value. */
function bound(call: CallExpression): string {
  return call
    .resolved!.args.map((arg) => {
      if (arg === undefined) return "-";
      return arg.value.kind === "path" ? arg.value.name.name : arg.value.kind;
    })
    .join(" ");
}

const types = (call: CallExpression) => call.resolved!.typeArgs.map(typeToString).join(", ");

describe("arguments", () => {
  const externs = `
    extern void f(in bit<8> a, in bit<8> b = 2, in bit<8> c = 3);
    extern void g(out bit<8> r, inout bit<8> s);
    extern void h(in bit<8> a);
    extern void h(in bit<8> a, in bit<8> b);
    extern void h(in bit<8> z, in bit<16> y);`;

  it("come in parameter order, by position or by name", () => {
    const found = calls(`${externs}
      control C(inout bit<8> x, inout bit<8> y) {
        apply { f(x); f(x, y); f(c = x, a = y); g(_, x); g(s = x, r = y); h(x); h(b = x, a = y); h(y = 1, z = x); }
      }`);
    expect(found.map(bound)).toEqual([
      "x - -",
      "x y -",
      "y - x",
      "dontCare x",
      "y x",
      "x",
      "y x",
      "x intLiteral",
    ]);
    expect(found.map((call) => call.resolved!.kind)).toEqual(new Array(8).fill("externFunction"));
    expect(found.slice(5).map((call) => call.resolved!.params.length)).toEqual([1, 2, 2]);
  });

  it.each([
    ["f();", "P40310"],
    ["f(1, 2, 3, 4);", "P40310"],
    ["f(a = 1, 2);", "P40310"],
    ["f(a = 1, a = 2);", "P40310"],
    ["f(d = 1);", "P40310"],
    ["f(w);", "P40305"],
    ["f(_);", "P40310"],
    ["g(x, 5);", "P40313"],
    ["g(x, w);", "P40305"],
    ["g(x, x[3:0]);", "P40305"],
    ["h(x, y);", "P40335"],
    ["h(1, 2, 3);", "P40310"],
    ["k(x);", "P40301"],
    ["x(y);", "P40319"],
    ["h.apply();", "P40304"],
    ["x.apply();", "P40304"],
  ])("%s is %s", (body, code) => {
    expect(checkBody(body, externs)).toEqual([`${code}:1`]);
  });

  it("for out parameters are written to, for in parameters cast", () => {
    const [call] = calls(`extern void f(in bit<4> a, out bit<8> b);
      control C(inout bit<8> x) { apply { f(3, x[7:0]); } }`);
    const [first, second] = call!.resolved!.args;
    expect(typeToString(first!.value.implicitCast!)).toBe("bit<4>");
    expect(second!.value.implicitCast).toBeUndefined();
  });
});

describe("type arguments", () => {
  const program = (body: string) =>
    `#include <core.p4>
    header H { bit<8> a; }
    struct S { bit<8> a; bit<16> b; }
    extern void send<T>(in T data);
    extern void both<T, U>(out T a, in T b, in U c);
    extern T make<T>();
    extern Store<K, V> { Store(V start); V get<N>(in K key, in N hint); }
    bit<W8> id8(in bit<W8> x) { return x; }
    T id<T>(in T x) { return x; }
    control C(packet_out out_, inout bit<8> x, inout bit<16> w, inout H h, inout S s, inout H[3] stack) {
      Store<bit<8>, bit<16>>(7) store;
      Store<bit<8>, _>(16w7) other;
      apply { ${body} }
    }`.replaceAll("bit<W8>", "bit<8>");

  it.each([
    ["send(x);", "bit<8>"],
    ["send(h);", "H"],
    ["send(stack);", "H[3]"],
    ["send({ x, w, h.a });", "tuple<bit<8>, bit<16>, bit<8>>"],
    ["send({ x, { w, 4w1 } });", "tuple<bit<8>, tuple<bit<16>, bit<4>>>"],
    ["send<S>({ 1, 2 });", "S"],
    ["send((S) { a = 1, b = 2 });", "S"],
    ["both(x, 1, w);", "bit<8>, bit<16>"],
    ["both<bit<8>, bool>(_, 1, x == 1);", "bit<8>, bool"],
    ["out_.emit(h);", "H"],
    ["store.get(1, w);", "bit<16>"],
    ["other.get(x, true);", "bool"],
  ])("%s means %s", (body, expected) => {
    expect(types(calls(program(body))[0]!)).toBe(expected);
  });

  it.each([
    ["send(1);", "P40311"],
    ["send({ x, 1 });", "P40311"],
    ["send({ a = x });", "P40311"],
    ["make();", "P40311"],
    ["both(x, w, w);", "P40305"],
    ["send<bit<8>, bit<8>>(x);", "P40312"],
    ["send(id);", "P40303"],
    ["send(store);", "P40316"],
    ["x = store.get(1, w);", "P40305"],
    ["x = id(w);", "P40305"],
  ])("%s is %s", (body, code) => {
    const found = checkText(program(body)).found.map((text) => text.slice(0, 6));
    expect(found).toEqual([code]);
  });

  it("come from the result where arguments do not determine them", () => {
    expect(checkText(program("x = make(); w = id(make<bit<16>>());")).found).toEqual([]);
  });

  it("of a package come from its blocks", () => {
    const { program: checked, diagnostics } = checkText(`#include <core.p4>
      #include <v1model.p4>
      struct H { } struct M { bit<8> a; }
      parser P(packet_in packet, out H h, inout M m, inout standard_metadata_t s) { state start { transition accept; } }
      control V(inout H h, inout M m) { apply { } }
      control I(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
      control D(packet_out packet, in H h) { apply { } }
      V1Switch(P(), V(), I(), I(), V(), D()) main;`);
    expect(diagnostics.list).toEqual([]);
    expect(checked.main!.resolved!.typeArgs.map(typeToString)).toEqual(["H", "M"]);
    expect(typeToString(checked.main!.type!)).toBe("V1Switch<H, M>");
    expect(checked.errors.map((member) => member.name.name).slice(0, 3)).toEqual([
      "NoError",
      "PacketTooShort",
      "NoMatch",
    ]);
    expect(checked.matchKinds.map((member) => member.name.name)).toEqual([
      "exact",
      "ternary",
      "lpm",
      "range",
      "optional",
      "selector",
    ]);
  });

  it("of a package must agree between blocks", () => {
    const { found } = checkText(`
      control A<T>(inout T x); control B<T>(in T x);
      package Q<T>(A<T> a, B<T> b);
      control One(inout bit<8> x) { apply { } }
      control Two(in bit<16> x) { apply { } }
      control Three(inout bit<8> x) { apply { } }
      control Four(in bit<8> x, in bool y) { apply { } }
      Q(One(), Two()) first;
      Q(One(), Three()) second;
      Q(One(), Four()) third;`);
    expect(found).toEqual(["P40347:8", "P40346:9", "P40345:10"]);
  });
});

describe("calls and where they may stand", () => {
  const control = (locals: string, body: string) => `#include <core.p4>
    header H { bit<8> a; }
    extern E { E(); bit<8> get(); }
    bit<8> twice(in bit<8> a) { return a + a; }
    control Inner(inout bit<8> x) { apply { x = 1; } }
    control Sized(inout bit<8> x)(bit<8> n) { apply { x = n; } }
    parser Sub(packet_in p) { state start { transition accept; } }
    control C(inout bit<8> x, inout H[2] hs) {
      E() e;
      Inner() inner;
      table t { actions = { NoAction; } }
      action set(bit<8> v) { x = v; }
      ${locals}
      apply { t.apply(); ${body} }
    }`;

  it.each([
    ["", "inner.apply(x);", ""],
    ["", "Inner.apply(x);", ""],
    ["", "set(5); set(x);", ""],
    ["bit<8> y = e.get();", "x = twice(y);", ""],
    ["action b() { x = e.get(); set(twice(x)); }", "b();", ""],
    ["", "if (t.apply().hit) { x = 1; }", ""],
    ["", "hs.push_front(1); hs[0].setValid(); hs[1] = {#};", ""],
    ["action b() { inner.apply(x); }", "b();", "P40317"],
    ["action b() { t.apply(); }", "b();", "P40317"],
    ["", "Sized.apply(x);", "P40318"],
    ["Sized(x) s;", "s.apply(x);", "P40355"],
    ["Sized(4) s;", "s.apply(x);", ""],
    ["Sub() s;", "", "P40318"],
    ["", "x = E().get();", "P40318 P40318"],
    ["", "hs.push_front(x);", "P40354"],
    ["", "hs.next.setValid();", "P40317"],
    ["", "x = t.apply().action_run;", "P40317 P40303"],
    ["", "t.apply(x);", "P40310"],
    ["", "x = set(5);", "P40303"],
    ["action b(bit<8> v) { b(v); }", "b(1);", "P40328"],
    ["", "set();", "P40310"],
    ["", "x = hs[0].isValid;", "P40319"],
    ["", "hs[0].getValid();", "P40304"],
    ["", "hs.pop_front(-1);", "P40332"],
  ])("%s %s: %s", (locals, body, codes) => {
    const found = checkText(control(locals, body)).found.map((text) => text.slice(0, 6));
    expect(found.filter((code) => code !== "P40604").join(" ")).toBe(codes);
  });

  it.each([
    ["if (t.apply().miss()) { x = 1; }", "it is a value: write .miss without parentheses"],
    ["x = hs[0].a();", "it is a value: write .a without parentheses"],
    ["t();", "to apply it write t.apply(...)"],
  ])("%s says what would be right", (body, note) => {
    const { diagnostics } = checkText(control("", body));
    const found = diagnostics.list.filter(({ code }) => code === "P40319");
    expect(found.map(({ notes }) => notes.map(({ message }) => message))).toEqual([[note]]);
  });

  it("resolve to a control's direct application", () => {
    const [call] = calls(control("", "Inner.apply(x);").replace("t.apply(); ", ""));
    expect(call!.resolved!.kind).toBe("controlApply");
    expect(call!.resolved!.kind === "controlApply" && call!.resolved!.declaration.name.name).toBe("Inner");
  });

  it("reach a function further out when the inner name cannot take the arguments", () => {
    const [call] = calls(`extern void note(in bit<8> a, in bit<8> b);
      control C(inout bit<8> x) { action note() { note(x, x); } apply { note(); } }`);
    expect(call!.resolved!.kind).toBe("action");
  });
});

describe("abstract methods", () => {
  const program = (body: string) => `
    extern Balancer<T> { Balancer(); bit<32> flows(); abstract bit<4> pick(in T address); }
    const bit<32> offset = 3;
    control C(inout bit<32> x) {
      bit<32> local;
      Balancer<bit<32>>() b = { ${body} };
      apply { x = (bit<32>) b.pick(x); }
    }`;

  it.each([
    ["bit<4> pick(in bit<32> a) { return (a + this.flows() + offset)[3:0]; }", ""],
    ["bit<4> pick(in bit<32> a) { return (a + local)[3:0]; }", ""],
    ["bit<4> pick(in bit<32> a) { return (a + nowhere)[3:0]; }", "P40301"],
    ["bit<4> pick(in bit<16> a) { return a[3:0]; }", "P40329"],
    ["bit<4> pick(inout bit<32> a) { return a[3:0]; }", "P40329"],
    ["bit<8> pick(in bit<32> a) { return a[7:0]; }", "P40329"],
    ["bit<4> pick() { return 1; }", "P40329"],
    ["bit<4> pick(in bit<32> a) { return a[3:0]; } bit<32> flows() { return 1; }", "P40329"],
    ["", "P40329"],
  ])("%s: %s", (body, codes) => {
    expect(
      checkText(program(body))
        .found.map((text) => text.slice(0, 6))
        .join(" "),
    ).toBe(codes);
  });

  it("belong to an instance that has a name", () => {
    const { program: checked } = checkText(program("bit<4> pick(in bit<32> a) { return a[3:0]; }"));
    const control = checked.globals.get("C")![0] as ControlDeclaration;
    const instance = control.body!.locals[1] as InstanceDeclaration;
    expect(typeToString(instance.type!)).toBe("Balancer<bit<32>>");
    expect(instance.resolved!.kind).toBe("constructor");
  });
});
