import { describe, expect, it } from "vitest";
import type {
  ConstantDeclaration,
  ControlDeclaration,
  Expression,
  Statement,
} from "../../../../src/toolchain/p4/syntax/ast.js";
import {
  constantOf,
  constantToString,
  evaluate,
  typeToString,
} from "../../../../src/toolchain/p4/types/index.js";
import { checkBody, checkText } from "./checked.js";

/** The value and type of a constant expression, as text; the codes of what is wrong with it otherwise. */
function constant(type: string, expression: string, declarations = ""): string {
  const { program, diagnostics, found } = checkText(`${declarations} const ${type} c = ${expression};`);
  if (diagnostics.hasErrors) return found.map((text) => text.slice(0, 6)).join(" ");
  const declaration = program.globals.get("c")![0] as ConstantDeclaration;
  return declaration.constant === undefined ? "no value" : constantToString(declaration.constant);
}

/** The right sides of the assignments in a control's apply block. */
function rightSides(text: string, name = "C"): Expression[] {
  const { program, diagnostics } = checkText(text);
  expect(diagnostics.list.filter((d) => d.severity === "error")).toEqual([]);
  const control = program.globals.get(name)![0] as ControlDeclaration;
  return control.body!.apply.statements.flatMap((s: Statement) => (s.kind === "assignment" ? [s.right] : []));
}

describe("constants", () => {
  it.each([
    ["bit<8>", "255 + 1", "0"],
    ["int", "255 + 1", "256"],
    ["bit<8>", "8w255 + 1", "0"],
    ["bit<8>", "8w250 |+| 10", "255"],
    ["int<8>", "-8s128 - 1", "127"],
    ["bit<16>", "8w1 ++ 8w2", "258"],
    ["bit<4>", "16w0xABCD[7:4]", "12"],
    ["bit<32>", "1 << 31", "2147483648"],
    ["int", "(2 + 3) * 7 / 2 % 10", "7"],
    ["bool", "5 > 3 && 8w1 == 1", "true"],
    ["bit<8>", "true ? 1 : 2", "1"],
    ["bit<8>", "(bit<8>) -1", "255"],
    ["bit<1>", "(bit<1>) true", "1"],
    ["int", "0xFF & 0x0F | 0x30", "63"],
    ["string", '"a" ++ "b"', '"ab"'],
    ["tuple<bit<8>, bool>", "{ 1, false }", "{ 1, false }"],
    ["bit<8>", "{ 8w1, 8w2 }[1]", "2"],
  ])("%s c = %s", (type, expression, value) => {
    expect(constant(type, expression)).toBe(value);
  });

  it.each([
    ["bit<8>", "8w1 + 16w1", "P40306"],
    ["bit<8>", "1 / 0", "P40332"],
    ["bit<8>", "8w1 / -1", "P40332"],
    ["bit<8>", "8w1 << -1", "P40332"],
    ["bit<8>", "~1", "P40306"],
    ["bit<8>", "8w5[3:4]", "P40332"],
    ["bit<4>", "4w0[7:4]", "P40332"],
    ["bool", "5", "P40305"],
    ["bool", "(bool) 2", "P40307"],
    ["bit<8>", "(bit<8>) 16s1", "P40307"],
    ["bit<8>", "1 |+| 2", "P40306"],
    ["bit<8>", "!8w1", "P40306"],
    ["int<8>", "8s1 / 8s1", "P40306"],
    ["bit<8>", "{ 8w1, 8w2 }[2]", "P40332"],
    ["bit<8>", "nothing", "P40301"],
  ])("%s c = %s is %s", (type, expression, code) => {
    expect(constant(type, expression)).toBe(code);
  });

  it("knows structs, their order and their default values", () => {
    const types = "struct S { bit<8> a; bit<16> b; bool c; } struct T { S s; bit<4> d; }";
    expect(constant("S", "{ 1, 2, true }", types)).toBe("{ 1, 2, true }");
    expect(constant("S", "{ c = true, b = 2, a = 1 }", types)).toBe("{ 1, 2, true }");
    expect(constant("S", "{ b = 2, ... }", types)).toBe("{ 0, 2, false }");
    expect(constant("S", "...", types)).toBe("{ 0, 0, false }");
    expect(constant("T", "{ { 1, ... }, 3 }", types)).toBe("{ { 1, 0, false }, 3 }");
    expect(constant("bit<16>", "((S) { 1, 2, true }).b", types)).toBe("2");
    expect(constant("bool", "(S) { 1, 2, true } == { c = true, a = 1, b = 2 }", types)).toBe("true");
    expect(constant("S", "{ a = 1 }", types)).toBe("P40342");
    expect(constant("S", "{ 1, 2 }", types)).toBe("P40340");
    expect(constant("S", "{ a = 1, z = 2, ... }", types)).toBe("P40304");
  });

  it("knows enums", () => {
    const types = "enum bit<8> E { a = 1, b = 2 } enum F { x, y }";
    expect(constant("bit<8>", "E.b + 1", types)).toBe("3");
    expect(constant("E", "(E) 5", types)).toBe("5");
    expect(constant("F", "F.y", types)).toBe("y");
    expect(constant("bool", "F.y == F.x", types)).toBe("false");
    expect(constant("E", "1", types)).toBe("P40305");
    expect(constant("F", "F.z", types)).toBe("P40304");
    expect(constant("bool", "F.x < F.y", types)).toBe("P40306");
  });

  it("lets members of an enum use those before", () => {
    expect(constant("bit<8>", "E.b", "enum bit<8> E { a = 4, b = (bit<8>) a + 1 }")).toBe("5");
  });

  it("knows sizes", () => {
    const types = "header H { bit<7> a; varbit<32> v; } typedef bit<48> Mac;";
    expect(constant("int", "H.minSizeInBits()", types)).toBe("7");
    expect(constant("int", "H.maxSizeInBytes()", types)).toBe("5");
    expect(constant("bit<8>", "Mac.minSizeInBytes()", types)).toBe("6");
    expect(constant("int", "error.minSizeInBits()", `error { NoError } ${types}`)).toBe("P40304");
  });
});

describe("implicit casts", () => {
  const text = (body: string) => `#include <core.p4>
    enum bit<8> E { a = 5 }
    control C(inout bit<8> x, inout int<8> z, inout bit<16> w) { apply { ${body} } }`;

  it("give literals the width of the other side", () => {
    const [sum] = rightSides(text("x = x + 1;"));
    if (sum?.kind !== "binary") throw new Error("no sum");
    expect(typeToString(sum.type!)).toBe("bit<8>");
    expect(sum.left.implicitCast).toBeUndefined();
    expect(typeToString(sum.right.implicitCast!)).toBe("bit<8>");
  });

  it("take enums as their underlying type", () => {
    const [sum, shifted] = rightSides(text("x = x + E.a; w = 16w11 << E.a;"));
    if (sum?.kind !== "binary" || shifted?.kind !== "binary") throw new Error("no operations");
    expect(typeToString(sum.right.implicitCast!)).toBe("bit<8>");
    expect(typeToString(shifted.type!)).toBe("bit<16>");
    expect(constantOf(shifted)).toEqual({ kind: "integer", value: 11n << 5n });
  });

  it("leave the amount of a shift as it is", () => {
    const [shifted] = rightSides(text("x = x << 256;"));
    if (shifted?.kind !== "binary") throw new Error("no shift");
    expect(shifted.right.implicitCast).toBeUndefined();
  });

  it("reach into lists", () => {
    const [list] = rightSides(`struct S { bit<8> a; bit<4> b; }
      control C(inout S s) { apply { s = { 1, 2 }; } }`);
    if (list?.kind !== "list") throw new Error("no list");
    expect(typeToString(list.implicitCast!)).toBe("S");
    expect(list.elements.map((element) => typeToString(element.implicitCast!))).toEqual(["bit<8>", "bit<4>"]);
  });

  it("convert negative literals to what they mean", () => {
    const [minus] = rightSides(text("x = -1;"));
    expect(constantOf(minus!)).toEqual({ kind: "integer", value: 255n });
    expect(minus!.constant).toEqual({ kind: "integer", value: -1n });
  });
});

describe("evaluation with constructor arguments", () => {
  it("fills in constructor parameters", () => {
    const { program, diagnostics } = checkText(`
      control C(inout bit<16> x)(bit<8> a, bool b) {
        const bit<8> twice = a * 2;
        apply { x = b ? twice ++ 8w1 : (bit<16>) a[3:0]; }
      }`);
    expect(diagnostics.list).toEqual([]);
    const control = program.globals.get("C")![0] as ControlDeclaration;
    const [a, b] = control.constructorParams;
    const [assignment] = control.body!.apply.statements;
    if (assignment?.kind !== "assignment") throw new Error("no assignment");
    const value = (first: bigint, second: boolean) =>
      evaluate(assignment.right, {
        values: new Map([
          [a!, { kind: "integer", value: first }],
          [b!, { kind: "bool", value: second }],
        ]),
      });
    expect(value(200n, true)).toEqual({ kind: "integer", value: (144n << 8n) | 1n });
    expect(value(0x5an, false)).toEqual({ kind: "integer", value: 10n });
    expect(evaluate(assignment.right)).toBeUndefined();
  });
});

describe("operators on values known at run time", () => {
  it.each([
    ["x = y;", ""],
    ["w = x ++ y;", ""],
    ["w = (bit<16>) x;", ""],
    ["x[3:0] = y[7:4];", ""],
    ["x = x >> y;", ""],
    ["x = (bit<8>) ((int<8>) y >> 1);", ""],
    ["x = x == y ? 8w1 : 2;", ""],
    ["x += 1; x <<= 2; w |+|= 3;", ""],
    ["x = y == 1 ? 1 : 2;", "P40306:0"],
    ["w = 1 << x;", "P40306:0"],
    ["x = w;", "P40305:0"],
    ["x = x < y;", "P40305:0"],
    ["x = x && y;", "P40306:0"],
    ["x = x + true;", "P40306:0"],
    ["x = y[8:1];", "P40332:0"],
    ["x += w;", "P40306:0"],
    ["x + y = w;", "P40200:0"],
    ["x = (bool) y;", "P40307:0"],
    ["bool b = (int<8>) x < y;", "P40306:0"],
  ])("%s", (body, expected) => {
    const found = checkBody(body).filter((text) => !text.startsWith("P406"));
    expect(found.map((text) => text.replace(/:.*/, ":0")).join(" ")).toBe(expected);
  });

  it("reports once what a wrong name leads to", () => {
    expect(checkBody("x = oops + 1 + (y & oops2);\nw = (bit<16>) oops;")).toEqual([
      "P40301:1",
      "P40301:1",
      "P40301:2",
    ]);
  });
});
