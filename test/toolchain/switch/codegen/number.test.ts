/** Generated arithmetic against BigInt, for any widths, signs and demanded bits. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Emitter } from "../../../../src/toolchain/switch/codegen/emitter.js";
import {
  constant,
  type Num,
  NumberWriter,
  rangeOf,
  TooWide,
} from "../../../../src/toolchain/switch/codegen/number.js";
import {
  divideWords,
  multiplyWords,
  shiftWordsLeft,
  shiftWordsRight,
} from "../../../../src/toolchain/switch/codegen/wide.js";
import { runs } from "../../../fuzz-seed.js";

/** A number as the generator sees it, and what it is. */
interface Case {
  num: Num;
  value: bigint;
}

const words: number[] = [];

/** A field of some width with a value; its words go to the array that generated code reads. */
function leaf(width: number, signed: boolean, bits: bigint): Case {
  const stored = BigInt.asUintN(width, bits);
  const count = Math.max(1, Math.ceil(width / 32));
  const at = words.length;
  for (let i = 0; i < count; i++) words.push(Number(BigInt.asIntN(32, stored >> BigInt(32 * i))));
  return {
    num: {
      kind: "words",
      words: Array.from({ length: count }, (_, i) => `P[${at + i}]`),
      range: { width, signed },
    },
    value: signed ? BigInt.asIntN(width, stored) : stored,
  };
}

const WIDTHS = [1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 129];

/** Values near the ends of the range are as likely as others. */
const bitsOf = (width: number) =>
  fc.oneof(
    fc.bigInt(0n, (1n << BigInt(width)) - 1n),
    fc.constantFrom(
      0n,
      1n,
      (1n << BigInt(width)) - 1n,
      1n << BigInt(width - 1),
      (1n << BigInt(width - 1)) - 1n,
    ),
  );

const clamp = (value: bigint, width: number, signed: boolean) => {
  const high = (1n << BigInt(signed ? width - 1 : width)) - 1n;
  const low = signed ? -high - 1n : 0n;
  return value > high ? high : value < low ? low : value;
};

const shape = fc.letrec<{ tree: () => Case }>((tie) => {
  const leaves = fc
    .tuple(fc.constantFrom(...WIDTHS), fc.boolean())
    .chain(([width, signed]) => bitsOf(width).map((bits) => () => leaf(width, signed, bits)));
  const constants = fc
    .bigInt(-(1n << 70n), 1n << 70n)
    .map((value) => () => ({ num: constant(value), value }));
  const unary = fc
    .tuple(
      fc.constantFrom("not", "negate", "wrap", "clamp", "clampSigned"),
      fc.constantFrom(...WIDTHS),
      tie("tree"),
    )
    .map(([kind, width, tree]) => (): Case => {
      const a = tree();
      switch (kind) {
        case "not":
          return { num: { kind, a: a.num }, value: ~a.value };
        case "negate":
          return { num: { kind, a: a.num }, value: -a.value };
        case "wrap":
          return { num: { kind, a: a.num, width }, value: BigInt.asIntN(width, a.value) };
        default: {
          const signed = kind === "clampSigned";
          return {
            num: { kind: "clamp", a: a.num, range: { width, signed } },
            value: clamp(a.value, width, signed),
          };
        }
      }
    });
  const binary = fc
    .tuple(fc.constantFrom("+", "-", "*", "&", "|", "^"), tie("tree"), tie("tree"))
    .map(([op, left, right]) => (): Case => {
      const a = left();
      const b = right();
      const results = {
        "+": a.value + b.value,
        "-": a.value - b.value,
        "*": a.value * b.value,
        "&": a.value & b.value,
        "|": a.value | b.value,
        "^": a.value ^ b.value,
      };
      return { num: { kind: "binary", op: op as "+", a: a.num, b: b.num }, value: results[op as "+"] };
    });
  const shifts = fc
    .tuple(
      fc.constantFrom("shl" as const, "shr" as const),
      tie("tree"),
      fc.nat(140),
      fc.constantFrom(0, 8, 16),
    )
    .map(([kind, tree, distance, fieldWidth]) => (): Case => {
      const a = tree();
      const by =
        fieldWidth === 0
          ? { num: constant(distance), value: BigInt(distance) }
          : leaf(fieldWidth, false, BigInt(distance));
      return {
        num: { kind, a: a.num, by: by.num },
        value: kind === "shl" ? a.value << by.value : a.value >> by.value,
      };
    });
  const selects = fc
    .tuple(fc.boolean(), tie("tree"), tie("tree"))
    .map(([condition, left, right]) => (): Case => {
      const a = left();
      const b = right();
      return {
        num: { kind: "select", condition: `${condition}`, a: a.num, b: b.num },
        value: condition ? a.value : b.value,
      };
    });
  return {
    tree: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaves, constants, unary, binary, shifts, selects),
  };
}).tree as unknown as fc.Arbitrary<() => Case>;

/** Whether a shift by a variable, somewhere inside, asks for more bits than the generator takes. */
function tooWide(run: () => void): boolean {
  try {
    run();
    return false;
  } catch (error) {
    if (error instanceof TooWide) return true;
    throw error;
  }
}

/** Runs generated code whose result is a list of expressions. */
function evaluate(write: (numbers: NumberWriter) => readonly string[]): number[] {
  const out = new Emitter();
  const results = write(new NumberWriter(out));
  const run = new Function(
    "P",
    "W",
    "multiplyWords",
    "divideWords",
    "shiftWordsLeft",
    "shiftWordsRight",
    `${out}\nreturn [${results.join(", ")}];`,
  );
  return run(
    Int32Array.from(words),
    new Int32Array(1024),
    multiplyWords,
    divideWords,
    shiftWordsLeft,
    shiftWordsRight,
  ) as number[];
}

const join = (list: readonly number[]) => list.reduceRight((sum, w) => (sum << 32n) | BigInt(w >>> 0), 0n);

describe("generated numbers", () => {
  it("have the value's low bits, whatever the width of the store", () => {
    fc.assert(
      fc.property(shape, fc.constantFrom(...WIDTHS), (make, width) => {
        words.length = 0;
        const { num, value } = make();
        let got: number[] = [];
        if (tooWide(() => void (got = evaluate((numbers) => numbers.cut(num, width))))) return;
        expect(join(got)).toBe(BigInt.asUintN(width, value));
      }),
      runs(1500),
    );
  });

  it("stay within their static range, and come out whole", () => {
    fc.assert(
      fc.property(shape, (make) => {
        words.length = 0;
        const { num, value } = make();
        const { width, signed } = rangeOf(num);
        expect(signed ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value)).toBe(value);
        let got: number[] = [];
        if (tooWide(() => void (got = evaluate((numbers) => numbers.exact(num))))) return;
        expect(signed ? BigInt.asIntN(32 * got.length, join(got)) : join(got)).toBe(value);
      }),
      runs(1000),
    );
  });

  it("shift what a shift made", () => {
    words.length = 0;
    const { num: field } = leaf(127, false, (1n << 126n) + 5n);
    const { num: sign } = leaf(1, true, 1n);
    const a: Num = { kind: "binary", op: "^", a: field, b: { kind: "shr", a: sign, by: constant(0) } };
    const got = evaluate((numbers) => numbers.exact({ kind: "shl", a, by: constant(1) }));
    expect(BigInt.asIntN(32 * got.length, join(got))).toBe((((1n << 126n) + 5n) ^ -1n) << 1n);
  });

  it("compare as integers do", () => {
    fc.assert(
      fc.property(shape, shape, (left, right) => {
        words.length = 0;
        const a = left();
        const b = right();
        let got: unknown[] = [];
        const write = (numbers: NumberWriter) => [
          numbers.less(a.num, b.num),
          numbers.equal(a.num, b.num),
          numbers.equal(a.num, a.num),
        ];
        if (tooWide(() => void (got = evaluate(write)))) return;
        expect(got).toEqual([a.value < b.value, a.value === b.value, true]);
      }),
      runs(1000),
    );
  });

  it("divide as unsigned integers do, and by 0 give 0", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(8, 32, 64, 100),
        fc.bigInt(0n, 1n << 100n),
        fc.bigInt(0n, 1n << 100n),
        (width, x, y) => {
          words.length = 0;
          const a = leaf(width, false, x);
          const b = leaf(width, false, y);
          for (const op of ["/", "%"] as const) {
            const expected = b.value === 0n ? 0n : op === "/" ? a.value / b.value : a.value % b.value;
            expect(
              join(evaluate((numbers) => numbers.cut({ kind: "binary", op, a: a.num, b: b.num }, width))),
            ).toBe(expected);
          }
        },
      ),
    );
  });

  it("refuse what may need thousands of bits as a whole, but not its low bits", () => {
    words.length = 0;
    const a = leaf(8, false, 1n);
    const by = leaf(32, false, 4n);
    const num: Num = { kind: "shl", a: a.num, by: by.num };
    expect(() => evaluate((numbers) => numbers.exact(num))).toThrow(TooWide);
    expect(evaluate((numbers) => numbers.cut(num, 8))).toEqual([16]);
  });
});
