import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskOf, toSigned, toUnsigned } from "../../../../src/base/index.js";
import type { BinaryOperator } from "../../../../src/toolchain/p4/syntax/ast.js";
import { BOOL, bitType, INTEGER, intType } from "../../../../src/toolchain/p4/types/algebra.js";
import {
  boolean,
  constantToString,
  equalConstants,
  fits,
  foldBinary,
  foldCast,
  foldSlice,
  foldUnary,
  integer,
  wrap,
} from "../../../../src/toolchain/p4/types/fold.js";
import type { ConstantValue, Type } from "../../../../src/toolchain/p4/types/type.js";

const width = fc.integer({ min: 1, max: 80 });

/** A width and two values of bit<width>. */
const bits = width.chain((w) =>
  fc.tuple(fc.constant(w), fc.bigInt({ min: 0n, max: maskOf(w) }), fc.bigInt({ min: 0n, max: maskOf(w) })),
);

function value(
  op: BinaryOperator,
  a: bigint,
  b: bigint,
  type: Type,
  right: Type = type,
): bigint | boolean | string {
  const result = foldBinary(op, integer(a), integer(b), type, right);
  if (result?.kind === "problem") return result.message;
  if (result?.kind === "integer" || result?.kind === "bool") return result.value;
  throw new Error("no value");
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

describe("folding", () => {
  it("wraps modulo 2^W, and signed numbers to two's complement", () => {
    fc.assert(
      fc.property(bits, ([w, a, b]) => {
        for (const [op, exact] of [
          ["+", a + b],
          ["-", a - b],
          ["*", a * b],
        ] as const) {
          expect(value(op, a, b, bitType(w))).toBe(toUnsigned(exact, w));
          const [x, y] = [toSigned(a, w), toSigned(b, w)];
          const signed = op === "+" ? x + y : op === "-" ? x - y : x * y;
          expect(value(op, x, y, intType(w))).toBe(toSigned(signed, w));
        }
      }),
    );
  });

  it("saturates instead where asked to", () => {
    fc.assert(
      fc.property(bits, ([w, a, b]) => {
        const top = maskOf(w);
        expect(value("|+|", a, b, bitType(w))).toBe(least(a + b, top));
        expect(value("|-|", a, b, bitType(w))).toBe(a > b ? a - b : 0n);
        const sum = value("|+|", toSigned(a, w), toSigned(b, w), intType(w));
        const exact = toSigned(a, w) + toSigned(b, w);
        const half = 1n << BigInt(w - 1);
        expect(sum).toBe(exact < -half ? -half : exact > half - 1n ? half - 1n : exact);
      }),
    );
  });

  it("shifts to nothing beyond the width, signed numbers to their sign", () => {
    fc.assert(
      fc.property(bits, fc.bigInt({ min: 0n, max: 200n }), ([w, a], amount) => {
        const left = value("<<", a, amount, bitType(w), bitType(8));
        expect(left).toBe(toUnsigned(a << amount, w));
        expect(value(">>", a, amount, bitType(w), bitType(8))).toBe(a >> amount);
        const signed = toSigned(a, w);
        expect(value(">>", signed, amount, intType(w), bitType(8))).toBe(signed >> amount);
      }),
    );
    expect(value("<<", 1n, -1n, INTEGER)).toBe("shift by a negative amount (-1)");
    expect(value("<<", 1n, 1_000_000n, INTEGER)).toBe("shift of an int by 1000000 bits");
    expect(value("<<", 1n, 1_000_000_000_000n, bitType(8))).toBe(0n);
    expect(value(">>", -5n, 1_000_000_000_000n, INTEGER)).toBe(-1n);
  });

  it("refuses numbers that grow without end", () => {
    const large = 1n << 65536n;
    expect(value("*", large, 2n, INTEGER)).toBe("the numbers are too large to multiply");
    expect(value("<<", large, 1n, INTEGER)).toBe("shift of an int by 1 bits");
    expect(value("*", large - 1n, 2n, INTEGER)).toBe(2n * large - 2n);
  });

  it("joins and cuts: slices of a concatenation are its parts", () => {
    fc.assert(
      fc.property(bits, bits, ([w, a], [v, b]) => {
        const joined = foldBinary("++", integer(a), integer(b), bitType(w), bitType(v));
        if (joined?.kind !== "integer") throw new Error("no value");
        expect(foldSlice(joined, w + v - 1, v)).toEqual(integer(a));
        expect(foldSlice(joined, v - 1, 0)).toEqual(integer(b));
      }),
    );
  });

  it("gives the left operand's sign to a concatenation", () => {
    expect(value("++", -1n, 0n, intType(4), bitType(4))).toBe(-16n);
    expect(value("++", 15n, -1n, bitType(4), intType(4))).toBe(255n);
  });

  it("compares", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        expect(value("<", a, b, INTEGER)).toBe(a < b);
        expect(value(">", a, b, INTEGER)).toBe(a > b);
        expect(value("<=", a, b, INTEGER)).toBe(a <= b);
        expect(value(">=", a, b, INTEGER)).toBe(a >= b);
        expect(value("==", a, b, INTEGER)).toBe(a === b);
        expect(value("!=", a, b, INTEGER)).toBe(a !== b);
      }),
    );
  });

  it("divides only what is not negative", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 1n }), (a, b) => {
        const [q, r] = [value("/", a, b, INTEGER), value("%", a, b, INTEGER)];
        expect((q as bigint) * b + (r as bigint)).toBe(a);
        expect(r as bigint).toBeLessThan(b);
      }),
    );
    expect(value("/", 1n, 0n, INTEGER)).toBe("division by zero");
    expect(value("%", -1n, 2n, INTEGER)).toBe("division of negative numbers is not defined");
  });

  it("negates and complements", () => {
    fc.assert(
      fc.property(bits, ([w, a]) => {
        const type = bitType(w);
        expect(foldUnary("~", integer(a), type)).toEqual(integer(maskOf(w) - a));
        expect(foldUnary("-", integer(a), type)).toEqual(integer(toUnsigned(-a, w)));
        expect(foldUnary("+", integer(a), type)).toEqual(integer(a));
      }),
    );
    expect(foldUnary("!", boolean(true), BOOL)).toEqual(boolean(false));
    expect(foldUnary("!", integer(1n), bitType(1))).toBeUndefined();
  });

  it("casts", () => {
    fc.assert(
      fc.property(fc.bigInt(), width, (a, w) => {
        expect(foldCast(integer(a), bitType(w))).toEqual(integer(toUnsigned(a, w)));
        expect(foldCast(integer(a), intType(w))).toEqual(integer(toSigned(a, w)));
        expect(foldCast(integer(a), INTEGER)).toEqual(integer(a));
        expect(fits(a, bitType(w))).toBe(a >= 0n && a <= maskOf(w));
        expect(wrap(wrap(a, intType(w)), bitType(w))).toBe(wrap(a, bitType(w)));
      }),
    );
    expect(foldCast(boolean(true), bitType(1))).toEqual(integer(1n));
    expect(foldCast(integer(1n), BOOL)).toEqual(boolean(true));
    expect(foldCast(integer(2n), BOOL)).toBeUndefined();
  });

  it("distinguishes values by kind", () => {
    const list: ConstantValue = {
      kind: "aggregate",
      type: { kind: "tuple", elements: [] },
      elements: [integer(1n)],
    };
    expect(equalConstants(integer(1n), boolean(true))).toBe(false);
    expect(equalConstants(list, { ...list, elements: [integer(1n)] })).toBe(true);
    expect(equalConstants(list, { ...list, elements: [] })).toBe(false);
    expect(constantToString(list)).toBe("{ 1 }");
  });
});
