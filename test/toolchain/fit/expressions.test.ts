/**
 * Values of the BMv2 JSON as the fit check reads them: slices, truncations, constants, and the bits that an assignment
 * writes. The JSON forms are those of p4c and of our compiler for P4-16 casts, slices and conditions.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparedBits, gatewayCost, gatewayCount } from "../../../src/toolchain/fit/model/conditions.js";
import {
  type Expr,
  fieldLabel,
  formatExpr,
  onesOf,
  operationCount,
  quoteExpr,
  readAssignment,
  readsOf,
  readValue,
  type Scope,
  sameAccess,
} from "../../../src/toolchain/fit/model/expressions.js";
import type { bmv2 } from "../../../src/toolchain/program/index.js";

const WIDTHS = { a: 32, b: 32, c: 16, n: 8, one: 1 };
const scope: Scope = {
  fields: new Map(
    Object.entries(WIDTHS).map(([name, width]) => [
      `d.${name}`,
      { name: `d.${name}`, header: "d", width, offset: 0, metadata: false, intrinsic: false },
    ]),
  ),
  parameters: [
    { name: "kind", bitwidth: 8 },
    { name: "base", bitwidth: 32 },
  ],
};

type Value = bmv2.Value;
const f = (name: string): Value => ({ type: "field", value: ["d", name] });
const k = (value: number | bigint): Value => ({
  type: "hexstr",
  value: value < 0 ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`,
});
const bin = (op: string, left: Value, right: Value): Value => ({
  type: "expression",
  value: { op: op as bmv2.BinaryOp, left, right },
});
const un = (op: string, right: Value): Value => ({
  type: "expression",
  value: { op: op as bmv2.UnaryOp, left: null, right },
});
const arg = (index: number): Value => ({ type: "local", value: index });
const wrapped = (value: Value): Value => ({ type: "expression", value });
const choose = (cond: Value, left: Value, right: Value): Value => ({
  type: "expression",
  value: { op: "?", cond, left, right },
});
const numbered = (op: string, left: Value, right: number): Value => ({
  type: "expression",
  value: { op: op as bmv2.BinaryOp, left, right },
});
const stack: Value = { type: "header_stack", value: "s" };
const element = (index: Value) => bin("dereference_header_stack", stack, index);
const text = (value: Value) => formatExpr(readValue(value, scope));

describe("a value", () => {
  it.each<[string, Value, string]>([
    ["a field", f("a"), "d.a"],
    ["a field in brackets", wrapped(wrapped(f("a"))), "d.a"],
    ["a parameter of the action", { type: "runtime_data", value: 1 }, "base"],
    ["a parameter in an expression", arg(0), "kind"],
    ["a constant", k(300), "300"],
    ["a negative constant", k(-5), "-5"],
    ["true", { type: "bool", value: true }, "1"],
    ["false", { type: "bool", value: false }, "0"],
    ["the validity of a header", { type: "header", value: "h" }, "h.isValid()"],
    ["valid()", un("valid", { type: "header", value: "h" }), "h.isValid()"],
    ["valid() of a union", un("valid_union", { type: "header", value: "u" }), "u.isValid()"],
    ["a cell of a register", { type: "register", value: ["r", f("a")] }, "registerd.a"],
    ["a mask of low bits", bin("&", f("a"), k(0xff)), "d.a"],
    ["a mask that is written first", bin("&", k(0xff), f("a")), "d.a"],
    ["a shift", bin(">>", f("a"), k(8)), "d.a[31:8]"],
    ["a slice", bin("&", bin(">>", f("a"), k(8)), k(0xff)), "d.a[15:8]"],
    ["a slice of a slice", bin(">>", bin("&", bin(">>", f("a"), k(8)), k(0xff)), k(4)), "d.a[15:12]"],
    ["a shift by the whole width", bin(">>", f("n"), k(8)), "0"],
    ["a shift by more", bin(">>", f("n"), k(9)), "0"],
    ["a shift that leaves one bit", bin(">>", f("n"), k(7)), "d.n[7:7]"],
    ["a mask with a hole", bin("&", f("a"), k(0x0f0f)), "d.a & 3855"],
    ["a mask of nothing", bin("&", f("a"), k(0)), "d.a & 0"],
    ["a shift of a constant", bin(">>", k(0x1234), k(8)), "18"],
    ["a truncated constant", bin("&", k(0x1234), k(0xff)), "52"],
    ["a shift of a sum", bin(">>", bin("+", f("a"), f("b")), k(8)), "(d.a + d.b) >> 8"],
    ["a shift left by 0", bin("<<", f("a"), k(0)), "d.a"],
    ["a shift left", bin("<<", f("a"), k(2)), "d.a << 2"],
    ["or 0", bin("|", f("a"), k(0)), "d.a"],
    ["0 or", bin("|", k(0), f("a")), "d.a"],
    ["plus 0", bin("+", f("a"), k(0)), "d.a"],
    ["exclusive or 0", bin("^", f("a"), k(0)), "d.a"],
    ["or 1", bin("|", f("a"), k(1)), "d.a | 1"],
    ["minus 0, which is no case of its own", bin("-", f("a"), k(0)), "d.a - 0"],
    ["a constant minus a field", bin("-", k(7), f("a")), "7 - d.a"],
    ["a constant plus a field", bin("+", k(7), f("a")), "d.a + 7"],
    ["times a power of two", bin("*", f("a"), k(8)), "d.a << 8"],
    ["times 3", bin("*", f("a"), k(3)), "d.a * 3"],
    ["times 0", bin("*", f("a"), k(0)), "d.a * 0"],
    ["a constant compared", bin("==", k(7), f("a")), "d.a == 7"],
    ["a constant below a field", bin("<", k(7), f("a")), "7 < d.a"],
    ["a truncation", bin("two_comp_mod", f("a"), k(8)), "d.a"],
    ["bool to bit", un("b2d", f("one")), "d.one"],
    ["bit to bool", un("d2b", f("one")), "d.one"],
    ["a saturating sum", bin("usat_cast", bin("+", f("a"), f("b")), k(32)), "d.a |+| d.b"],
    ["a saturating difference, signed", bin("sat_cast", bin("-", f("a"), f("b")), k(32)), "d.a |-| d.b"],
    ["a saturating cast of a field", bin("usat_cast", f("a"), k(32)), "d.a"],
    ["not", un("not", f("one")), "!d.one"],
    ["the complement", un("~", f("a")), "~d.a"],
    ["the negative", un("-", f("a")), "-d.a"],
    ["unary plus", un("+", f("a")), "d.a"],
    ["and", bin("and", f("one"), bin("==", f("a"), k(1))), "d.one && (d.a == 1)"],
    ["or of conditions", bin("or", un("not", f("one")), f("one")), "!d.one || d.one"],
    ["a choice", choose(f("one"), f("a"), bin("+", f("b"), k(1))), "d.one ? d.a : (d.b + 1)"],
    ["a field of an element of a stack", numbered("access_field", element(f("n")), 2), "field 2 of s[d.n]"],
    ["an element by a constant", element(k(1)), "s[1]"],
    ["the index of the last element", un("last_stack_index", stack), "s.lastIndex"],
    ["the size of a stack", un("size_stack", stack), "s.size"],
    ["two constants", bin("+", k(1), k(2)), "1 + 2"],
    ["a field of the last element", { type: "stack_field", value: ["s", "x"] }, "stack_field"],
    ["bits that are not parsed yet", { type: "lookahead", value: [0, 8] }, "lookahead"],
  ])("%s", (_, value, expected) => {
    expect(text(value)).toBe(expected);
  });

  it("has the width of its slice", () => {
    const access = (value: Value) => {
      const expr = readValue(value, scope);
      return expr.kind === "field" ? expr.access : undefined;
    };
    expect(access(f("c"))).toEqual({ field: "d.c", lo: 0, width: 16 });
    expect(access(bin("&", f("c"), k(0xff)))).toEqual({ field: "d.c", lo: 0, width: 8 });
    // A mask of as many bits as the field, or of more, changes nothing.
    expect(access(bin("&", f("c"), k(0xffff)))).toEqual({ field: "d.c", lo: 0, width: 16 });
    expect(access(bin("&", f("c"), k(0xffffff)))).toEqual({ field: "d.c", lo: 0, width: 16 });
    expect(access(bin(">>", f("c"), k(4)))).toEqual({ field: "d.c", lo: 4, width: 12 });
    expect(access({ type: "field", value: ["u", "$valid$"] })).toEqual({
      field: "u.$valid$",
      lo: 0,
      width: 1,
    });
  });

  it("of a parameter has its width, less what is cut off", () => {
    expect(readValue(arg(1), scope)).toEqual({ kind: "argument", name: "base", width: 32 });
    expect(readValue(bin("&", arg(1), k(0xf)), scope)).toEqual({ kind: "argument", name: "base", width: 4 });
    expect(readValue(bin("&", arg(0), k(0xffff)), scope)).toEqual({
      kind: "argument",
      name: "kind",
      width: 8,
    });
    expect(readValue(bin(">>", arg(1), k(20)), scope)).toEqual({
      kind: "argument",
      name: "base",
      width: 12,
      lo: 20,
    });
    expect(text(bin(">>", arg(0), k(8)))).toBe("kind >> 8");
  });

  it("is that of a local variable where it is known", () => {
    const locals = new Map<string, Expr>([["d.a", readValue(bin(">>", f("b"), k(8)), scope)]]);
    const read = (value: Value) => formatExpr(readValue(value, { ...scope, locals }));
    expect(read(f("a"))).toBe("d.b[31:8]");
    expect(read(bin("&", bin(">>", f("a"), k(8)), k(0xff)))).toBe("d.b[23:16]");
    expect(read(f("b"))).toBe("d.b");
  });

  it("is 2^n - 1 for n > 0, or not", () => {
    expect([0n, 1n, 2n, 3n, 4n, 7n, 255n, 256n, (1n << 64n) - 1n, -1n].map(onesOf)).toEqual([
      undefined,
      1,
      undefined,
      2,
      undefined,
      3,
      8,
      undefined,
      64,
      undefined,
    ]);
  });

  it("reads each slice once, and counts each operation", () => {
    const sum = readValue(bin("+", bin("+", f("a"), f("b")), f("a")), scope);
    expect(readsOf(sum).map((access) => access.field)).toEqual(["d.a", "d.b"]);
    expect(operationCount(sum)).toBe(2);
    expect(operationCount(readValue(f("a"), scope))).toBe(0);
    const slices = readValue(bin("+", bin("&", f("a"), k(0xff)), bin(">>", f("a"), k(8))), scope);
    expect(readsOf(slices)).toEqual([
      { field: "d.a", lo: 0, width: 8 },
      { field: "d.a", lo: 8, width: 24 },
    ]);
    const before: Expr = { kind: "cell", register: "r", place: undefined, reads: [sum] };
    expect([formatExpr(before), readsOf(before).length]).toEqual(["the cell of r", 2]);
  });

  it("names the same bits at the same time, or not", () => {
    const access = { field: "d.a", lo: 0, width: 8 };
    expect(sameAccess(access, { ...access })).toBe(true);
    expect(sameAccess(access, { ...access, field: "d.b" })).toBe(false);
    expect(sameAccess(access, { ...access, lo: 1 })).toBe(false);
    expect(sameAccess(access, { ...access, width: 9 })).toBe(false);
    expect(sameAccess(access, { ...access, entry: true })).toBe(false);
  });
});

describe("the text of an expression", () => {
  const deep = (levels: number): Expr =>
    levels === 0
      ? readValue(f("a"), scope)
      : { kind: "operation", op: "+", parts: [deep(levels - 1), readValue(f("b"), scope)] };

  it("leaves inner parts out where it would have more than 240 characters, as few as possible", () => {
    expect(quoteExpr(deep(8))).toBe(formatExpr(deep(8)));
    // Eight operations within each other are shown at most.
    expect(quoteExpr(deep(9))).toBe(formatExpr(deep(8)).replace("d.a", "…"));
    const wide = (levels: number): Expr =>
      levels === 0
        ? readValue(f("a"), scope)
        : { kind: "operation", op: "+", parts: [wide(levels - 1), wide(levels - 1)] };
    expect(formatExpr(wide(5)).length).toBeGreaterThan(240);
    expect(quoteExpr(wide(5))).toBe(formatExpr(wide(4)).replaceAll("d.a", "…"));
    expect(quoteExpr(wide(4))).toBe(formatExpr(wide(4)));
    const long: Expr = {
      kind: "operation",
      op: "hash",
      parts: Array.from({ length: 99 }, () => readValue(f("a"), scope)),
    };
    expect(quoteExpr(long)).toBe(formatExpr(long));
  });

  it("names variables without the header that only the JSON has, and validity as P4 does", () => {
    expect(["scalars.x", "d.scalars.x", "h.$valid$", "h.valid"].map(fieldLabel)).toEqual([
      "x",
      "d.scalars.x",
      "h.isValid()",
      "h.valid",
    ]);
  });

  it("lists the inputs of a hash", () => {
    const parts = [readValue(f("a"), scope), readValue(bin("+", f("b"), k(1)), scope)];
    expect(formatExpr({ kind: "operation", op: "hash", parts })).toBe("hash(d.a, (d.b + 1))");
  });
});

describe("an assignment", () => {
  const assigned = (target: string, value: Value) => {
    const { access, expr } = readAssignment(["d", target], value, scope);
    return [access.lo, access.width, formatExpr(expr)];
  };
  /** `target[lo + width - 1:lo] = value`, as p4c lowers it. */
  const slice = (target: string, lo: number, width: number, value: Value): Value => {
    const whole = (1n << BigInt(WIDTHS[target as keyof typeof WIDTHS])) - 1n;
    const mask = ((1n << BigInt(width)) - 1n) << BigInt(lo);
    const set = lo === 0 ? value : bin("<<", value, k(lo));
    return bin("|", bin("&", f(target), k(whole ^ mask)), bin("&", set, k(mask)));
  };

  it("writes the whole field, cut to its width", () => {
    expect(assigned("n", f("a"))).toEqual([0, 8, "d.a"]);
    expect(readAssignment(["d", "n"], f("a"), scope).expr).toMatchObject({ access: { lo: 0, width: 8 } });
    expect(assigned("n", k(0x123))).toEqual([0, 8, "35"]);
    expect(assigned("n", bin("+", f("a"), f("b")))).toEqual([0, 8, "d.a + d.b"]);
    expect(readAssignment(["d", "n"], arg(1), scope).expr).toMatchObject({ width: 8 });
    expect(readAssignment(["u", "$valid$"], k(1), scope).access.width).toBe(1);
  });

  it("to a slice writes these bits alone, for every slice", () => {
    fc.assert(
      fc.property(fc.nat({ max: 31 }), fc.integer({ min: 1, max: 32 }), (lo, width) => {
        fc.pre(lo + width <= 32 && width < 32);
        expect(assigned("a", slice("a", lo, width, f("b")))).toEqual([lo, width, "d.b"]);
        expect(readsOf(readAssignment(["d", "a"], slice("a", lo, width, f("b")), scope).expr)).toEqual([
          { field: "d.b", lo: 0, width },
        ]);
      }),
    );
  });

  it("to a slice is recognised in all its forms", () => {
    const keep = bin("&", f("a"), k(0xffff00ffn));
    const set = bin("&", bin("<<", f("b"), k(8)), k(0xff00));
    const expected = [8, 8, "d.b"];
    expect(assigned("a", bin("|", keep, set))).toEqual(expected);
    // Masks on the left, and brackets around each part.
    expect(assigned("a", bin("|", bin("&", k(0xffff00ffn), f("a")), set))).toEqual(expected);
    expect(assigned("a", wrapped(bin("|", wrapped(keep), wrapped(set))))).toEqual(expected);
    expect(assigned("a", bin("|", bin("&", wrapped(f("a")), wrapped(k(0xffff00ffn))), set))).toEqual(
      expected,
    );
    // p4c truncates the shifted value to the width of the field.
    const truncated = bin("&", bin("&", bin("<<", f("b"), k(8)), k(0xffffffffn)), k(0xff00));
    expect(assigned("a", bin("|", keep, truncated))).toEqual(expected);
    const constant = bin("&", bin("<<", k(5), k(8)), k(0xff00));
    expect(assigned("a", bin("|", keep, constant))).toEqual([8, 8, "5"]);
  });

  it.each<[string, Value]>([
    ["another field is kept", bin("|", bin("&", f("b"), k(0xffff00ffn)), bin("&", f("c"), k(0xff00)))],
    ["a bit is lost", bin("|", bin("&", f("a"), k(0xffff007fn)), bin("&", f("b"), k(0xff00)))],
    ["both write a bit", bin("|", bin("&", f("a"), k(0xffff01ffn)), bin("&", f("b"), k(0xff00)))],
    ["the mask has a hole", bin("|", bin("&", f("a"), k(0xffff0ff0n)), bin("&", f("b"), k(0xf00f)))],
    ["the parts are added", bin("+", bin("&", f("a"), k(0xffff00ffn)), bin("&", f("b"), k(0xff00)))],
    ["nothing masks the value", bin("|", bin("&", f("a"), k(0xffff00ffn)), f("b"))],
    ["nothing masks the field", bin("|", f("a"), bin("&", f("b"), k(0xff00)))],
    ["the mask is a field", bin("|", bin("&", f("a"), f("b")), bin("&", f("b"), k(0xff00)))],
    [
      "the field is negated",
      bin("|", bin("&", un("~", f("a")), k(0xffff00ffn)), bin("&", f("b"), k(0xff00))),
    ],
  ])("is one of the whole field where %s", (_, value) => {
    const { access, expr } = readAssignment(["d", "a"], value, scope);
    expect([access.lo, access.width, expr.kind]).toEqual([0, 32, "operation"]);
  });

  it("of a constant to a slice writes these bits alone: its mask is folded away", () => {
    const keep = bin("&", f("a"), k(0xffff00ffn));
    expect(assigned("a", bin("|", keep, k(0x4400)))).toEqual([8, 8, "68"]);
    expect(assigned("a", bin("|", keep, k(0)))).toEqual([8, 8, "0"]);
    expect(assigned("n", bin("|", bin("&", f("n"), k(0x80)), k(0x44)))).toEqual([0, 7, "68"]);
    // Bits that stay and are set, too, are no slice.
    expect(readAssignment(["d", "a"], bin("|", keep, k(0x4401)), scope).access.width).toBe(32);
  });

  it("to a slice keeps a shift by another number", () => {
    const keep = bin("&", f("a"), k(0xffff00ffn));
    expect(assigned("a", bin("|", keep, bin("&", bin("<<", f("b"), k(4)), k(0xff00))))).toEqual([
      8,
      8,
      "d.b << 4",
    ]);
  });
});

describe("a choice of two values by their order", () => {
  const least = choose(bin("<", f("a"), f("b")), f("a"), f("b"));

  it.each([
    ["<", "a", "b", "min(d.a, d.b)"],
    ["<=", "b", "a", "max(d.b, d.a)"],
    [">", "a", "b", "max(d.a, d.b)"],
    [">=", "b", "a", "min(d.b, d.a)"],
  ])("is one operation: a %s b ? %s : %s", (op, yes, no, text) => {
    expect(formatExpr(readValue(choose(bin(op, f("a"), f("b")), f(yes), f(no)), scope))).toBe(text);
  });

  it("stays a choice where the values are others, and in the ALU of a register", () => {
    const other = choose(bin("<", f("a"), f("b")), f("a"), f("c"));
    expect(readValue(other, scope)).toMatchObject({ op: "?" });
    const cell: Expr = { kind: "cell", register: "r", place: undefined, reads: [] };
    expect(readValue(least, { ...scope, locals: new Map([["d.a", cell]]) })).toMatchObject({ op: "?" });
  });
});

describe("sums with constants", () => {
  it.each([
    [bin("-", bin("+", f("a"), k(20)), k(6)), "d.a + 14"],
    [bin("-", bin("+", f("a"), k(6)), k(20)), "d.a - 14"],
    [bin("+", bin("-", f("a"), k(6)), k(6)), "d.a"],
    [bin("-", bin("-", f("a"), k(1)), k(2)), "d.a - 3"],
    [bin("+", bin("+", f("a"), f("b")), k(2)), "(d.a + d.b) + 2"],
    [bin("-", bin("-", k(9), f("a")), k(2)), "(9 - d.a) - 2"],
  ])("are folded where one value is left: %#", (value, text) => {
    expect(formatExpr(readValue(value, scope))).toBe(text);
  });
});

describe("a condition of a gateway", () => {
  const cost = (value: Value) => {
    const { equalBits, pairBits, rangeBits, rows, impossible } = gatewayCost(readValue(value, scope));
    return [equalBits, pairBits, rangeBits, rows, impossible];
  };

  it.each<[string, Value, unknown[]]>([
    ["one bit", f("one"), [1, 0, 0, 1, undefined]],
    ["the validity of a header", { type: "header", value: "h" }, [1, 0, 0, 1, undefined]],
    ["a constant", { type: "bool", value: true }, [0, 0, 0, 1, undefined]],
    ["a field and a constant", bin("==", f("a"), k(5)), [32, 0, 0, 1, undefined]],
    ["a slice and a constant", bin("==", bin("&", f("a"), k(0xff)), k(5)), [8, 0, 0, 1, undefined]],
    // From the lowest bit of the mask to the highest.
    ["a mask and a constant", bin("==", bin("&", f("a"), k(0xf0f0)), k(5)), [12, 0, 0, 1, undefined]],
    ["a mask of one bit", bin("==", bin("&", f("a"), k(0x8000)), k(0)), [1, 0, 0, 1, undefined]],
    ["two fields", bin("==", f("a"), f("b")), [0, 32, 0, 1, undefined]],
    ["two fields that differ", bin("!=", f("c"), f("b")), [0, 32, 0, 1, undefined]],
    [
      "one value of two",
      bin("or", bin("==", f("n"), k(1)), bin("==", f("n"), k(2))),
      [8, 0, 0, 2, undefined],
    ],
    // Four of one field's values: where one of 8 bits differs, the condition does not hold.
    [
      "a product of rows",
      bin("and", bin("!=", f("n"), k(1)), bin("!=", f("c"), k(2))),
      [24, 0, 0, 2, undefined],
    ],
    [
      "a product of sums",
      bin(
        "and",
        bin("or", bin("==", f("n"), k(1)), bin("==", f("n"), k(2))),
        bin("or", bin("==", f("c"), k(1)), bin("==", f("c"), k(2))),
      ),
      [24, 0, 0, 4, undefined],
    ],
    ["a negation", un("not", bin("==", f("n"), k(1))), [8, 0, 0, 1, undefined]],
    ["a negated field", un("not", f("one")), [1, 0, 0, 1, undefined]],
    ["an odd bound", bin("<", f("c"), k(1000)), [0, 0, 16, 1, undefined]],
    [
      "two odd bounds",
      bin("and", bin(">", f("c"), k(5)), bin("<", f("c"), k(1000))),
      [0, 0, 32, 1, undefined],
    ],
    ["a field twice", bin("and", bin("==", f("n"), k(1)), bin("==", f("n"), k(1))), [8, 0, 0, 1, undefined]],
    ["two fields by order", bin("<", f("a"), f("b")), [0, 0, 0, 1, "d.a < d.b"]],
    ["a sum", bin("==", bin("+", f("a"), f("b")), k(1)), [0, 0, 0, 1, "(d.a + d.b) == 1"]],
    ["a mask by order", bin("<", bin("&", f("a"), k(0xf0f0)), k(8)), [0, 0, 0, 1, "(d.a & 61680) < 8"]],
    ["two masks", bin("==", bin("&", f("a"), f("b")), k(8)), [0, 0, 0, 1, "(d.a & d.b) == 8"]],
    ["a masked sum", bin("==", bin("|", f("a"), k(6)), k(8)), [0, 0, 0, 1, "(d.a | 6) == 8"]],
    [
      "the first of two",
      bin("and", bin("<", f("a"), f("b")), bin("<", f("b"), f("a"))),
      [0, 0, 0, 1, "d.a < d.b"],
    ],
    ["arithmetic alone", bin("+", f("a"), f("b")), [0, 0, 0, 1, "d.a + d.b"]],
  ])("%s", (_, value, expected) => {
    expect(cost(value)).toEqual(expected);
  });

  it("compares by order with a power of two the bits from that one on, for equality, and with zero the sign", () => {
    const bits = (op: string, bound: number) => cost(bin(op, f("c"), k(bound)))[0];
    // x < 2^n and x >= 2^n test the bits above; x <= b and x > b are those of b + 1.
    for (const op of ["<", ">="])
      expect([0, 1, 2, 3, 4, 5, 7, 8, 9].map((bound) => bits(op, bound))).toEqual([
        1, 16, 15, 0, 14, 0, 0, 13, 0,
      ]);
    for (const op of ["<=", ">"])
      expect([0, 1, 2, 3, 4, 5, 7, 8, 9].map((bound) => bits(op, bound))).toEqual([
        16, 15, 0, 14, 0, 0, 13, 0, 0,
      ]);
  });

  it("looks at the bits of a mask, and at those that an order with a power of two tells (compiler)", () => {
    const compared = (value: Value) =>
      comparedBits(readValue(value, scope)).map(({ field, lo, width }) => `${field}[${lo}+${width}]`);
    expect(compared(bin("==", bin("&", f("a"), k(0x8000)), k(0)))).toEqual(["d.a[15+1]"]);
    expect(compared(bin("<", f("a"), k(65536)))).toEqual(["d.a[16+16]"]);
    expect(compared(bin(">=", f("a"), k(0)))).toEqual(["d.a[31+1]"]);
    expect(compared(bin("and", bin("<", f("c"), k(1000)), un("not", f("one"))))).toEqual([
      "d.c[0+16]",
      "d.one[0+1]",
    ]);
  });

  it("is split over gateways where each test that decides by itself fits one", () => {
    const limits = { bytes: 4, hash_bits: 12, rows: 4 };
    const gateways = (value: bmv2.Value) => gatewayCount(readValue(value, scope), limits);
    const differ = (name: string) => bin("!=", f(name), k(0));
    expect(gateways(bin("==", f("a"), k(5)))).toBe(1);
    expect(gateways(bin("and", differ("n"), differ("one")))).toBe(1);
    expect(gateways(bin("and", differ("a"), differ("b")))).toBe(2);
    expect(gateways(bin("or", bin("==", f("a"), k(5)), bin("==", f("b"), k(7))))).toBe(2);
    // A mask of one bit decides by itself, and has a row: two gateways, of 16 bits and of 33.
    const oneBit = bin("==", bin("&", f("b"), k(0x8000)), k(0));
    expect(gateways(bin("and", bin("and", differ("c"), differ("a")), oneBit))).toBe(2);
    // Both have to hold: no row tells it by itself.
    expect(gateways(bin("and", bin("==", f("a"), k(5)), bin("==", f("b"), k(7))))).toBeUndefined();
  });

  it("takes as many rows as the smaller of its two results, or as its terms have where the first row that matches decides", () => {
    // Any of the 16 bits may differ: 16 rows for the condition, one for its negation.
    expect(cost(bin("!=", f("c"), k(5)))[3]).toBe(1);
    // A row tells that the second term holds, and one behind it that the first does not: 17 rows and 8 without an order.
    const mixed = bin("or", bin("!=", f("c"), k(5)), bin("==", f("n"), k(7)));
    expect(cost(mixed)[3]).toBe(2);
    const both = bin("or", bin("==", f("c"), k(5)), bin("==", f("n"), k(7)));
    expect(cost(both)[3]).toBe(2);
  });
});
