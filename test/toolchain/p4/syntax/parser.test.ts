import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, spanText } from "../../../../src/base/index.js";
import type { Declaration } from "../../../../src/toolchain/p4/syntax/ast.js";
import { parse } from "../../../../src/toolchain/p4/syntax/index.js";
import {
  declarationOf,
  expressionOf,
  messagesOf,
  parseText,
  plain,
  prelude,
  shape,
  statementsOf,
} from "./helpers.js";

describe("expressions", () => {
  it.each([
    ["a + b * 2 - 1", "((a + (b * 2)) - 1)"],
    ["a | b ^ 1 & 2", "(a | (b ^ (1 & 2)))"],
    ["a & b == 1", "((a & b) == 1)"],
    ["a << 1 + 2", "(a << (1 + 2))"],
    ["a >> 1 >> 2", "((a >> 1) >> 2)"],
    ["a < b == b > a", "((a < b) == (b > a))"],
    ["a == b && a != 1 || b <= 2", "(((a == b) && (a != 1)) || (b <= 2))"],
    ["a ++ b |+| 1 |-| 2", "(((a ++ b) |+| 1) |-| 2)"],
    // As p4c reads it: its grammar gives ":" more weight than "?".
    ["a == 1 ? b : a == 2 ? 3 : 4", "(((a == 1) ? b : (a == 2)) ? 3 : 4)"],
    ["a ? b ? 1 : 2 : 3", "(a ? (b ? 1 : 2) : 3)"],
    ["a ? 1 : b ? 2 : c ? 3 : 4", "(((a ? 1 : b) ? 2 : c) ? 3 : 4)"],
    ["-a * ~b", "((-a) * (~b))"],
    ["!d.x.y[3:0]", "(!d.x.y[3:0])"],
    ["a[1][2]", "a[1][2]"],
    ["{ a, b, }", "{a, b}"],
    ["{ a, ... }", "{a, ...}"],
    ["{ x = a, y = b, ... }", "{x = a, y = b, ...}"],
    ["{}", "{}"],
    ["...", "dots"],
    ["{#}", "invalid"],
    ["a >= 1 ? 2 : 3", "((a >= 1) ? 2 : 3)"],
    [".f(1)", ".f<0>(1)"],
  ])("%s is read as %s", (text, expected) => {
    expect(shape(expressionOf(text))).toBe(expected);
  });

  it.each([
    ["(bit<8>) a + b", "((cast bitType a) + b)"],
    ["(T) a", "(cast namedType a)"],
    ["(T) -a", "(cast namedType (-a))"],
    ["(a) - b", "(a - b)"],
    ["(c) - b", "(c - b)"],
    ["(E.m)", "type E.m"],
    ["(G<bit<8>>) { 1 }", "(cast namedType {1})"],
    ["(T[3]) { }", "(cast stackType {})"],
    ["(error) a", "(cast baseType a)"],
    ["error.x", "type baseType.x"],
    ["(error.x)", "type baseType.x"],
    ["(Unknown) a", "(cast namedType a)"],
    ["(Unknown) - a", "(Unknown - a)"],
    ["X() == a", "(type X<0>() == a)"],
    ["G<bit<8>>(1)", "type G<0>(1)"],
  ])("%s: types distinguish casts from values, as %s", (text, expected) => {
    expect(shape(expressionOf(text))).toBe(expected);
  });

  it.each([
    ["a < b", "(a < b)"],
    ["a < b > (c)", "((a < b) > c)"],
    ["g<T>(c)", "g<1>(c)"],
    ["g<bit<8>>(a)", "g<1>(a)"],
    ["g<G<G<bit<8>>>>(a)", "g<1>(a)"],
    ["g<_>(a)", "g<1>(a)"],
    ["d.m<bit<8>>(a)", "d.m<1>(a)"],
    ["d.m < a", "(d.m < a)"],
    ["d.m<T>(a) < b", "(d.m<1>(a) < b)"],
    ["a < E.m", "(a < type E.m)"],
    ["d.unknown<U>()", "d.unknown<1>()"],
    ["f(a) < f(b)", "(f<0>(a) < f<0>(b))"],
  ])("%s: generic declarations distinguish type arguments from comparisons, as %s", (text, expected) => {
    expect(shape(expressionOf(text))).toBe(expected);
  });

  it("sees names as types only where no inner declaration hides them", () => {
    expect(shape(expressionOf("(T) - a"))).toContain("cast");
    const [, last] = statementsOf("bit<8> T = 3; a = (T) - a;");
    expect(last?.kind === "assignment" && shape(last.right)).toBe("(T - a)");
    const [, outside] = statementsOf("{ bit<8> T = 3; } a = (T) - a;");
    expect(outside?.kind === "assignment" && shape(outside.right)).toContain("cast");
    const fields = declarationOf("typedef bit<8> T; struct S<T> { T x; }", "struct").fields;
    expect(fields[0]!.typeExpression.kind).toBe("namedType");
    parseText("typedef bit<8> T; control c(inout bit<8> T) { apply { T = (T) + 1; } }");
  });

  it("lets > close a width and compare in brackets within", () => {
    const { typeExpression } = declarationOf("const bit<(4 > 3 ? 8 : 16)> x = 1;", "constant");
    expect(typeExpression.kind === "bitType" && shape(typeExpression.width!)).toBe("((4 > 3) ? 8 : 16)");
    parseText("const bit<8 >> 1> x = 1;".replace("8 >> 1", "(8 >> 1)"));
    expect(messagesOf("const bit<8 > 1> x = 1;")).toHaveLength(1);
  });

  it("reads numbers of all bases with their width", () => {
    const value = (text: string) => {
      const e = expressionOf(text);
      return e.kind === "intLiteral" ? [e.value, e.width, e.signed, e.text] : undefined;
    };
    expect(value("10")).toEqual([10n, undefined, false, "10"]);
    expect(value("0xFf_0")).toEqual([0xff0n, undefined, false, "0xFf_0"]);
    expect(value("8w0b1010")).toEqual([10n, 8, false, "8w0b1010"]);
    expect(value("4s7")).toEqual([7n, 4, true, "4s7"]);
    expect(value("16w0o17")).toEqual([15n, 16, false, "16w0o17"]);
    expect(value("0123")).toEqual([123n, undefined, false, "0123"]);
    expect(value("0d99")).toEqual([99n, undefined, false, "0d99"]);
    expect(value("8w300")).toEqual([300n, 8, false, "8w300"]);
    expect(value("1267650600228229401496703205376")).toEqual([
      1n << 100n,
      undefined,
      false,
      String(1n << 100n),
    ]);
  });

  it("makes up the upper end of a slice given by its width", () => {
    const e = expressionOf("a[2 +: 3]");
    expect(shape(e)).toBe("a[4:2]");
    expect(shape(expressionOf("a[b +: 3]"))).toBe("a[((b + 3) - 1):b]");
    expect(messagesOf("const bit<8> a = b[c[1+:2] +: 3];")[0]).toContain("P40227");
  });
});

describe("declarations", () => {
  it("of all kinds have the span of their text and the name's own", () => {
    const text = `${prelude}
@a(1) const bit<8> k = 1;
@b action act(bit<8> x) { }
@c typedef bit<8> u8;
type bit<9> port;
header_union hu { T t; }
enum bit<8> se { x = 1 }
error { oops }
match_kind { fuzzy }
parser pt(in bit<8> x);
control ct(in bit<8> x) { apply { } }
package pk(ct c);
pk(ct()) main;
extern void ef(in bit<8> x);
`;
    const written = new Map<string, string>();
    for (const d of parseText(text).declarations) {
      written.set(`${d.kind} ${d.name.name}`, spanText(d.span));
      expect(spanText(d.name.span)).toBe(d.name.name);
    }
    expect(written.get("constant k")).toBe("@a(1) const bit<8> k = 1;");
    expect(written.get("action act")).toBe("@b action act(bit<8> x) { }");
    expect(written.get("typedef u8")).toBe("@c typedef bit<8> u8;");
    expect(written.get("control ct")).toBe("control ct(in bit<8> x) { apply { } }");
    expect(written.get("instance main")).toBe("pk(ct()) main;");
    expect(written.get("function ef")).toBe("extern void ef(in bit<8> x);");
    expect(written.size).toBe(6 + 13);
  });

  it("of an extern sort constructors from methods", () => {
    const { constructors, methods } = declarationOf(
      "extern X<T> { X(); X(bit<8> n); T get(); abstract void put(in T t); void m<U>(U u); }",
      "extern",
    );
    expect(constructors.map((c) => c.params.length)).toEqual([0, 1]);
    expect(methods.map((m) => [m.name.name, m.isAbstract, m.typeParams.length])).toEqual([
      ["get", false, 0],
      ["put", true, 0],
      ["m", false, 1],
    ]);
  });

  it("within a typedef come before it", () => {
    const kinds = parseText("typedef struct S { bit<8> x; } N; const N n = { 1 };").declarations.map(
      (d) => d.kind,
    );
    expect(kinds).toEqual(["struct", "typedef", "constant"]);
  });

  it("accept keywords as names where the grammar does", () => {
    const names = "actions apply entries key list priority state type".split(" ");
    for (const name of names) {
      parseText(
        `struct s { bit<8> ${name}; } control c(inout s ${name}_) { apply { ${name}_.${name} = 1; } }`,
      );
      statementsOf(`c.${name} = 3; a = c.${name} + 1;`);
    }
    statementsOf("bit<8> key = 1; key = key + 1; bit<8> state; state = key;");
  });

  it("read a table's properties", () => {
    const text = `control c(inout bit<8> x) {
      action a(bit<8> y) { }
      table t {
        key = { x: exact @name("k"); }
        actions = { a; @defaultonly .NoAction(); }
        const entries = { priority = 3: 1: a(2); const (2): a(3) @p; (4 &&& 5): a(6); }
        const default_action = a(1);
        size = 4;
      }
      apply { t.apply(); }
    }`;
    const table = declarationOf(text, "control").body!.locals[1] as Declaration & { kind: "table" };
    expect(table.properties.map(({ kind }) => kind)).toEqual([
      "key",
      "actions",
      "entries",
      "property",
      "property",
    ]);
    const entries = table.properties.find((property) => property.kind === "entries")!;
    expect(entries.isConst).toBe(true);
    expect(entries.entries.map((e) => [e.isConst, e.priority?.kind, e.keys.map((key) => key.kind)])).toEqual([
      [false, "intLiteral", ["intLiteral"]],
      [true, undefined, ["intLiteral"]],
      [false, undefined, ["mask"]],
    ]);
  });

  it("read the keys of select cases", () => {
    const text = `parser p(in bit<8> x) { state start { transition select(x, x) {
      (1, 2 .. 3): a; (_, default): b; ((bit<8>) 1, E.m): c; (1 + 2) * 3: d; (x): e; _: f; default: g; (3 &&& 4): h; } } }`;
    const [start] = declarationOf(`enum E { m }\n${text}`, "parser").body!.states;
    const { transition } = start!;
    if (transition?.kind !== "select") throw new Error("no select");
    expect(transition.cases.map(({ keySet }) => keySet.map((key) => key.kind).join())).toEqual([
      "intLiteral,range",
      "dontCare,default",
      "cast,member",
      "binary",
      "path",
      "dontCare",
      "default",
      "mask",
    ]);
  });
});

describe("annotations", () => {
  const bodies = (text: string) => {
    const { annotations } = declarationOf(`enum E { m }\n${text} const bit<8> x = 1;`, "constant");
    return annotations.map(({ name, body }) => [name, plain(body)] as const);
  };

  it("keep their tokens, and their values where they have some", () => {
    expect(bodies('@a @b("x") @c(p4 . x > > y) @d()')).toEqual([
      ["a", { kind: "none" }],
      ["b", { kind: "unstructured", text: '"x"', values: [{ kind: "stringLiteral", value: "x" }] }],
      ["c", { kind: "unstructured", text: "p4 . x > > y" }],
      ["d", { kind: "unstructured", text: "", values: [] }],
    ]);
    const [[, translation]] = bodies('@p4runtime_translation("uri", bit<32>)') as [
      [string, { values: object[] }],
    ];
    expect(translation.values).toMatchObject([{ kind: "stringLiteral" }, { kind: "typeName" }]);
  });

  it("are structured in brackets", () => {
    expect(bodies("@a[1, E.m,] @b[k = 1, l = true] @c[]")).toMatchObject([
      ["a", { kind: "expressions", values: [{ kind: "intLiteral" }, { kind: "member" }] }],
      ["b", { kind: "pairs", pairs: [{ key: { name: "k" } }, { key: { name: "l" } }] }],
      ["c", { kind: "expressions", values: [] }],
    ]);
  });

  it("may be keywords, and pragmas to the end of their line", () => {
    expect(bodies("@priority(3) @table @pragma stage 3 )\n@pragma none\n")).toMatchObject([
      ["priority", {}],
      ["table", {}],
      ["stage", { kind: "unstructured", text: "3 )" }],
      ["none", { kind: "none" }],
    ]);
  });
});

describe("errors", () => {
  it("are reported once each, and what follows is still read", () => {
    const text = [
      "struct a { bit<8> x bit<8> y; bit<8> z }",
      "const bit<8> b = ;",
      "control c(inout a s) {",
      "  action d() { s.x = ; s.y = 1 }",
      "  table t { key = { s.x exact; } actions = { d } }",
      "  apply { if s.x == 1) { } t.apply(); }",
      "}",
      "const bit<8> e = 1 +;",
      "const bit<8> f = 1;",
    ].join("\n");
    expect(messagesOf(text).map((message) => message.split(" ").slice(0, 2).join(" "))).toEqual([
      "1:21 P40207",
      "1:39 P40207",
      "2:18 P40200",
      "4:22 P40200",
      "4:31 P40207",
      "5:25 P40200",
      "5:47 P40207",
      "6:14 P40200",
      "8:21 P40200",
    ]);
    const unit = parse({ file: new SourceFile("t.p4", text) }, new Diagnostics());
    expect(unit.declarations.map((d) => d.name.name)).toEqual(["a", "c", "f"]);
  });

  it.each([
    ["x++;", "write x = x + 1 or x += 1"],
    ["x--;", "write x = x - 1 or x -= 1"],
  ])("say what is right in place of %s", (statement, note) => {
    const diagnostics = new Diagnostics();
    const text = `control C(inout bit<8> x) { apply { ${statement} } }`;
    parse({ file: new SourceFile("test.p4", text) }, diagnostics);
    expect(diagnostics.list.map(({ code, notes }) => [code, notes[0]?.message])).toEqual([["P40213", note]]);
  });

  it("leave the scopes of names in order", () => {
    expect(messagesOf("struct S<T> { T x; ; } typedef bit<8> T; const T t = (T) 1;")).toHaveLength(1);
    expect(
      messagesOf(
        "control c(inout bit<8> T) { action a( { } apply { } }\ntypedef bit<8> T;\nconst T t = (T) - 1;",
      ),
    ).toHaveLength(1);
  });

  it("find a brace left open by the declaration that follows", () => {
    const messages = messagesOf(
      "control a() { apply { if (true) { }\n}\ncontrol b() { apply { } }\nconst bit<8> x = ;",
    );
    expect(messages.map((message) => message.split(" ").slice(0, 2).join(" "))).toEqual([
      "3:1 P40200",
      "4:18 P40200",
    ]);
  });

  it("bound how deep things nest", () => {
    const deep = (open: string, close: string, inner = "1") =>
      `const bit<8> x = ${open.repeat(100_000)}${inner}${close.repeat(100_000)};`;
    for (const text of [
      deep("(", ")"),
      deep("{", "}"),
      deep("-", ""),
      deep("(bit<8>)", ""),
      deep("f(", ")"),
      deep("a[", "]"),
      deep("1 ? 2 : ", ""),
      deep("", " + 1"),
      deep("", ".x"),
      deep("1 < (", ")"),
      deep("1 == 2 ? ", " : 3"),
    ])
      expect(messagesOf(text).map((message) => message.split(" ")[1])).toEqual(["P40201"]);
    const nested = (open: string, close: string) =>
      `control c() { apply { ${open.repeat(50_000)}${close.repeat(50_000)} } }`;
    for (const text of [nested("{", "}"), nested("if (true) ", ";"), nested("if (true) ; else ", ";")])
      expect(messagesOf(text)[0]).toContain("P40201");
    expect(messagesOf(`const ${"tuple<".repeat(50_000)}bit<8>${">".repeat(50_000)} x = 1;`)[0]).toContain(
      "P40201",
    );
    expect(messagesOf(`@a(${"(".repeat(100_000)}${")".repeat(100_000)}) const bit<8> x = 1;`)).toEqual([]);
  });

  it("are all that wrong input leads to", () => {
    const words = [
      "control parser state apply table key actions entries const action struct header enum typedef type extern",
      "if else switch for return transition select default _ in out inout bit int < > ( ) { } [ ] ; : , . = == + - ?",
      '&&& .. ... {#} @ >> x y T f 1 8w2 "s" error match_kind tuple void true this package value_set $ # ## \n #if #endif',
    ].flatMap((line) => line.split(" "));
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 60 }), (soup) => {
        parse({ file: new SourceFile("t.p4", `typedef bit<8> T;\n${soup.join(" ")}`) }, new Diagnostics());
      }),
      { numRuns: 2000 },
    );
  });
});
