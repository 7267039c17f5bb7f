/**
 * Constant folding keeps the value of an expression (P4-16 section 8): random expressions have the same value before and after, and the
 * identities that the passes rely on leave the operand itself.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSigned, toUnsigned } from "../../../../src/base/index.js";
import {
  binary,
  bool,
  cast,
  field,
  not,
  number,
  variable,
} from "../../../../src/toolchain/p4/lower/build.js";
import { fold, unsignedValue } from "../../../../src/toolchain/p4/lower/fold.js";
import type { BinaryOp, BitsType, Expr, ExprOf, IrType } from "../../../../src/toolchain/p4/lower/ir.js";
import { BOOL, bits } from "../../../../src/toolchain/p4/lower/ir-types.js";

const local = (name: string, type: IrType): Expr =>
  variable({ name, type, role: "local", span: undefined }, undefined);

const reduce = (value: bigint, type: BitsType): bigint =>
  type.signed ? toSigned(value, type.width) : toUnsigned(value, type.width);

function saturate(value: bigint, type: BitsType): bigint {
  const high = (1n << BigInt(type.signed ? type.width - 1 : type.width)) - 1n;
  const low = type.signed ? -high - 1n : 0n;
  return value > high ? high : value < low ? low : value;
}

/** What an expression is worth by the specification; undefined: a division by zero. Booleans are 0 and 1. */
function worth(expr: Expr, known: ReadonlyMap<string, bigint>): bigint | undefined {
  switch (expr.kind) {
    case "number":
      return expr.value;
    case "bool":
      return expr.value ? 1n : 0n;
    case "variable":
      return known.get(expr.variable.name)!;
    case "unary": {
      const value = worth(expr.operand, known);
      if (value === undefined) return undefined;
      if (expr.op === "!") return value === 0n ? 1n : 0n;
      return reduce(expr.op === "-" ? -value : ~value, expr.type as BitsType);
    }
    case "cast": {
      const value = worth(expr.operand, known);
      if (value === undefined) return undefined;
      return expr.type.kind === "bool" ? (value === 0n ? 0n : 1n) : reduce(value, expr.type as BitsType);
    }
    case "slice": {
      const value = worth(expr.operand, known);
      return value === undefined
        ? undefined
        : toUnsigned(value >> BigInt(expr.low), expr.high - expr.low + 1);
    }
    case "conditional": {
      const condition = worth(expr.condition, known);
      if (condition === undefined) return undefined;
      return worth(condition === 0n ? expr.whenFalse : expr.whenTrue, known);
    }
    case "binary":
      return worthOfBinary(expr, known);
    default:
      throw new Error(`no value of ${expr.kind} in this test`);
  }
}

function worthOfBinary(expr: ExprOf<"binary">, known: ReadonlyMap<string, bigint>): bigint | undefined {
  const [a, b] = [worth(expr.left, known), worth(expr.right, known)];
  if (expr.op === "&&" && a === 0n) return 0n;
  if (expr.op === "||" && a === 1n) return 1n;
  if (a === undefined || b === undefined) return undefined;
  const type = expr.type as BitsType;
  const truth = (value: boolean): bigint => (value ? 1n : 0n);
  const low = (side: Expr, value: bigint): bigint => toUnsigned(value, (side.type as BitsType).width);
  const shift = b > 200n ? 200n : b;
  const rules: Record<BinaryOp, () => bigint | undefined> = {
    "*": () => reduce(a * b, type),
    "/": () => (b === 0n ? undefined : reduce(a / b, type)),
    "%": () => (b === 0n ? undefined : reduce(a % b, type)),
    "+": () => reduce(a + b, type),
    "-": () => reduce(a - b, type),
    "|+|": () => saturate(a + b, type),
    "|-|": () => saturate(a - b, type),
    "<<": () => reduce(a << shift, type),
    ">>": () => reduce(a >> shift, type),
    "<": () => truth(a < b),
    ">": () => truth(a > b),
    "<=": () => truth(a <= b),
    ">=": () => truth(a >= b),
    "==": () => truth(a === b),
    "!=": () => truth(a !== b),
    "&": () => reduce(a & b, type),
    "^": () => reduce(a ^ b, type),
    "|": () => reduce(a | b, type),
    "++": () => (low(expr.left, a) << BigInt((expr.right.type as BitsType).width)) | low(expr.right, b),
    "&&": () => b,
    "||": () => b,
  };
  return rules[expr.op]();
}

const SAME_TYPE: BinaryOp[] = ["*", "/", "%", "+", "-", "|+|", "|-|", "&", "^", "|"];
const SHIFTS: BinaryOp[] = ["<<", ">>"];
const COMPARISONS: BinaryOp[] = ["<", ">", "<=", ">=", "==", "!="];
const LOGIC: BinaryOp[] = ["&&", "||", "==", "!="];
const UNSIGNED_ONLY = new Set<BinaryOp>(["/", "%"]);

/** Expressions of a number type and of bool, over `x`, `y` (numbers), `p`, `q` (bool) and constants near the ends of the type. */
function expressions(type: BitsType): { numbers: fc.Arbitrary<Expr>; truths: fc.Arbitrary<Expr> } {
  const { width } = type;
  const edge = [0n, 1n, 2n, -1n, -2n, 1n << BigInt(width - 1), (1n << BigInt(width - 1)) - 1n];
  const ops = SAME_TYPE.filter((op) => !type.signed || !UNSIGNED_ONLY.has(op));
  const made = fc.letrec<{ numbers: Expr; truths: Expr }>((tie) => ({
    numbers: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.constantFrom(...edge).map((value) => number(value, type)),
      fc.constantFrom(local("x", type), local("y", type)),
      fc
        .tuple(fc.constantFrom(...ops), tie("numbers"), tie("numbers"))
        .map(([op, a, b]) => binary(op, a, b, type)),
      fc
        .tuple(fc.constantFrom(...SHIFTS), tie("numbers"), fc.nat({ max: width + 1 }))
        .map(([op, a, by]) => binary(op, a, number(BigInt(by), bits(32)), type)),
      fc
        .tuple(fc.constantFrom("~" as const, "-" as const), tie("numbers"))
        .map(([op, operand]): Expr => ({ kind: "unary", op, operand, type, span: undefined })),
      fc.tuple(tie("truths"), tie("numbers"), tie("numbers")).map(
        ([condition, whenTrue, whenFalse]): Expr => ({
          kind: "conditional",
          condition,
          whenTrue,
          whenFalse,
          type,
          span: undefined,
        }),
      ),
      // Through bool, another width, the other sign, a slice and a concatenation.
      tie("truths").map((operand) => cast(cast(operand, bits(1)), type)),
      fc
        .tuple(tie("numbers"), fc.integer({ min: 1, max: width + 3 }), fc.boolean())
        .map(([operand, other, signed]) => cast(cast(operand, bits(other, signed)), type)),
      fc
        .tuple(tie("numbers"), fc.nat({ max: width - 1 }), fc.nat({ max: width - 1 }))
        .map(([operand, i, j]) => {
          const [high, low] = [Math.max(i, j), Math.min(i, j)];
          const slice: Expr = {
            kind: "slice",
            operand,
            high,
            low,
            type: bits(high - low + 1),
            span: undefined,
          };
          return cast(slice, type);
        }),
      fc
        .tuple(tie("numbers"), tie("numbers"))
        .map(([a, b]) => cast(binary("++", a, b, bits(2 * width)), type)),
    ),
    truths: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.boolean().map((value) => bool(value)),
      fc.constantFrom(local("p", BOOL), local("q", BOOL)),
      fc
        .tuple(fc.constantFrom(...COMPARISONS), tie("numbers"), tie("numbers"))
        .map(([op, a, b]) => binary(op, a, b, BOOL)),
      fc
        .tuple(fc.constantFrom(...LOGIC), tie("truths"), tie("truths"))
        .map(([op, a, b]) => binary(op, a, b, BOOL)),
      tie("truths").map((operand) => not(operand)),
      tie("numbers").map((operand): Expr => cast(cast(operand, bits(1)), BOOL)),
    ),
  }));
  return made;
}

describe("any expression", () => {
  it.each([bits(1), bits(2), bits(4), bits(8), bits(2, true), bits(4, true), bits(8, true)])(
    "of $width bits, signed: $signed, is worth the same when it is folded",
    (type) => {
      const { numbers, truths } = expressions(type);
      const value = fc.bigInt({ min: 0n, max: (1n << BigInt(type.width)) - 1n });
      fc.assert(
        fc.property(
          fc.oneof(numbers, truths),
          value,
          value,
          fc.boolean(),
          fc.boolean(),
          (expr, x, y, p, q) => {
            const known = new Map([
              ["x", reduce(x, type)],
              ["y", reduce(y, type)],
              ["p", p ? 1n : 0n],
              ["q", q ? 1n : 0n],
            ]);
            const expected = worth(expr, known);
            const folded = fold(expr);
            expect(folded.type).toEqual(expr.type);
            // Where a division by zero makes the value undefined, an operand that is not needed may go.
            if (expected !== undefined) expect(worth(folded, known)).toBe(expected);
          },
        ),
        { seed: type.width * 2 + (type.signed ? 1 : 0), numRuns: 150 },
      );
    },
  );

  it("of constants becomes a constant, unless it divides by zero", () => {
    for (const type of [bits(4), bits(4, true)]) {
      const edge = [0n, 1n, 3n, 7n, -1n, -8n].map((value) => number(value, type));
      const ops = [...SAME_TYPE, ...COMPARISONS].filter((op) => !type.signed || !UNSIGNED_ONLY.has(op));
      for (const op of ops)
        for (const a of edge)
          for (const b of edge) {
            const expr = binary(op, a, b, COMPARISONS.includes(op) ? BOOL : type);
            const expected = worth(expr, new Map());
            const folded = fold(expr);
            const value =
              folded.kind === "number" || folded.kind === "bool" ? worth(folded, new Map()) : undefined;
            expect([op, worth(a, new Map()), worth(b, new Map()), value]).toEqual([
              op,
              worth(a, new Map()),
              worth(b, new Map()),
              expected,
            ]);
          }
    }
  });
});

describe("identities", () => {
  const type = bits(8);
  const x = local("x", type);
  const p = local("p", BOOL);
  const n = (value: bigint): Expr => number(value, type);
  const of = (op: BinaryOp, a: Expr, b: Expr): Expr => fold(binary(op, a, b, type));

  it.each<[BinaryOp, bigint, "both" | "right"]>([
    ["+", 0n, "both"],
    ["|", 0n, "both"],
    ["^", 0n, "both"],
    ["|+|", 0n, "both"],
    ["&", 255n, "both"],
    ["*", 1n, "both"],
    ["-", 0n, "right"],
    ["|-|", 0n, "right"],
    ["<<", 0n, "right"],
    [">>", 0n, "right"],
    ["/", 1n, "right"],
  ])("x %s %s is x (on the %s side)", (op, neutral, sides) => {
    expect(of(op, x, n(neutral))).toBe(x);
    if (sides === "both") expect(of(op, n(neutral), x)).toBe(x);
    else expect(of(op, n(neutral), x).kind).toBe("binary");
    expect(of(op, x, n(3n)).kind).toBe("binary");
    expect(of(op, n(3n), x).kind).toBe("binary");
  });

  it("a truth value that decides, or does not, leaves one side", () => {
    const and = (a: Expr, b: Expr): Expr => fold(binary("&&", a, b, BOOL));
    const or = (a: Expr, b: Expr): Expr => fold(binary("||", a, b, BOOL));
    expect([and(bool(true), p), and(p, bool(true)), or(bool(false), p), or(p, bool(false))]).toEqual([
      p,
      p,
      p,
      p,
    ]);
    expect([and(bool(false), p), or(bool(true), p)]).toEqual([bool(false), bool(true)]);
    expect(and(p, p).kind).toBe("binary");
  });

  it("a comparison with a truth value is the other side, or its negation", () => {
    const compare = (op: "==" | "!=", a: Expr, b: Expr): Expr => fold(binary(op, a, b, BOOL));
    expect(compare("==", p, bool(true))).toBe(p);
    expect(compare("==", bool(true), p)).toBe(p);
    expect(compare("!=", p, bool(false))).toBe(p);
    expect(compare("!=", bool(false), p)).toBe(p);
    for (const negated of [
      compare("==", p, bool(false)),
      compare("==", bool(false), p),
      compare("!=", p, bool(true)),
      compare("!=", bool(true), p),
    ])
      expect(negated).toMatchObject({ kind: "unary", op: "!", operand: p });
  });

  it("members of one enum are compared by position", () => {
    const kind: IrType = { kind: "enum", name: "K", members: ["a", "b"] };
    const member = (index: number): Expr => ({
      kind: "member",
      name: kind.members[index]!,
      index,
      type: kind,
      span: undefined,
    });
    const compare = (op: BinaryOp, a: Expr, b: Expr): Expr => fold(binary(op, a, b, BOOL));
    expect(compare("==", member(1), member(1))).toMatchObject({ kind: "bool", value: true });
    expect(compare("==", member(0), member(1))).toMatchObject({ kind: "bool", value: false });
    expect(compare("!=", member(0), member(1))).toMatchObject({ kind: "bool", value: true });
    expect(compare("==", member(0), local("k", kind)).kind).toBe("binary");
    expect(fold(cast(member(1), type))).toMatchObject({ kind: "number", value: 1n });
  });

  it("two negations are none", () => {
    expect(fold(not(not(p)))).toBe(p);
    expect(fold(not(p)).kind).toBe("unary");
  });

  it("a cast between equal types, and a slice of all bits, are the operand", () => {
    const castTo = (operand: Expr, to: IrType): Expr =>
      fold({ kind: "cast", operand, type: to, span: undefined });
    const slice = (operand: Expr, high: number, low: number): Expr =>
      fold({ kind: "slice", operand, high, low, type: bits(high - low + 1), span: undefined });
    expect(castTo(x, bits(8))).toBe(x);
    expect(castTo(p, BOOL)).toBe(p);
    expect(castTo(x, bits(8, true)).kind).toBe("cast");
    expect(slice(x, 7, 0)).toBe(x);
    expect(slice(x, 6, 0).kind).toBe("slice");
    expect(slice(x, 7, 1).kind).toBe("slice");
    expect(slice(local("s", bits(8, true)), 7, 0).kind).toBe("slice");
    expect(slice(slice(x, 7, 2), 3, 1)).toMatchObject({ operand: x, high: 5, low: 3 });
  });

  describe("a slice", () => {
    const sliceOf = (operand: Expr, high: number, low: number): Expr =>
      fold({ kind: "slice", operand, high, low, type: bits(high - low + 1), span: undefined });
    const ranges = fc.tuple(fc.nat({ max: 11 }), fc.nat({ max: 11 }));
    const y = local("y", bits(5, true));
    const operands = fc.constantFrom<Expr>(
      cast(x, bits(12)),
      cast(x, bits(12, true)),
      cast(cast(x, bits(5)), bits(12)),
      cast(y, bits(12)),
      cast(cast(y, bits(5)), bits(12, true)),
      binary("++", local("z", bits(4)), x, bits(12)),
      binary("++", binary("++", local("z", bits(4)), y, bits(9)), local("z", bits(3)), bits(12)),
      cast(binary("++", y, local("z", bits(4)), bits(9)), bits(12)),
    );

    it("of a cast or a concatenation is worth the same, of whatever bits", () => {
      const value = fc.bigInt({ min: 0n, max: 255n });
      fc.assert(
        fc.property(operands, ranges, value, (operand, [i, j], v) => {
          const known = new Map([
            ["x", v],
            ["y", toSigned(v, 5)],
            ["z", toUnsigned(v, 3)],
          ]);
          const [high, low] = [Math.max(i, j), Math.min(i, j)];
          const folded = sliceOf(operand, high, low);
          expect(folded.type).toEqual(bits(high - low + 1));
          expect(worth(folded, known)).toBe(
            toUnsigned(worth(operand, known)! >> BigInt(low), high - low + 1),
          );
        }),
        { seed: 7, numRuns: 2000 },
      );
    });

    it("above a value without sign is 0, and within it a slice of it", () => {
      expect(sliceOf(cast(x, bits(64)), 63, 32)).toMatchObject({ kind: "number", value: 0n });
      expect(sliceOf(cast(x, bits(64)), 3, 1)).toMatchObject({ kind: "slice", operand: x, high: 3, low: 1 });
      expect(sliceOf(cast(x, bits(64)), 63, 0)).toMatchObject({ kind: "cast", operand: x });
      // The sign is repeated above a signed value.
      expect(sliceOf(cast(y, bits(64)), 63, 32).kind).toBe("slice");
    });

    it("of one side of a concatenation is a slice of that side", () => {
      const joined = binary("++", local("h", type), x, bits(16));
      expect(sliceOf(joined, 7, 0)).toBe(x);
      expect(sliceOf(joined, 12, 9)).toMatchObject({ kind: "slice", high: 4, low: 1 });
      expect(sliceOf(joined, 9, 6)).toMatchObject({ kind: "binary", op: "++" });
    });

    it("does not drop what can refuse a packet", () => {
      const ahead: Expr = { kind: "lookahead", offset: 0, type, span: undefined };
      expect(sliceOf(cast(ahead, bits(64)), 63, 32).kind).toBe("slice");
      expect(sliceOf(binary("++", ahead, x, bits(16)), 7, 0).kind).toBe("slice");
      expect(sliceOf(binary("++", x, ahead, bits(16)), 15, 8).kind).toBe("slice");
    });
  });

  it("a field of a struct or header that was just built is the value that it was built of", () => {
    for (const kind of ["struct", "header"] as const) {
      const fields = ["f", "g"].map((name) => ({ name, type, annotations: [] }));
      const built: Expr = {
        kind: "aggregate",
        elements: [n(1n), x],
        type: { kind, name: "s", fields },
        span: undefined,
      };
      expect(fold(field(built, "g"))).toBe(x);
      expect(fold(field(local("v", built.type), "g")).kind).toBe("field");
    }
  });

  it("a value without bits is 0", () => {
    expect(fold(local("none", bits(0)))).toMatchObject({ kind: "number", value: 0n });
  });

  it("the bits of a negative number are its two's complement", () => {
    expect(unsignedValue(number(-1n, bits(4, true)) as ExprOf<"number">)).toBe(15n);
  });
});
