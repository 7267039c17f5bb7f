/** Numbers of BMv2's expressions as terms: the bits of what integers without bounds give, and ranges that hold every value. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Evaluator, type Term, Terms } from "../../../src/toolchain/solver/index.js";
import { type Num, Numbers, rangeOf } from "../../../src/toolchain/symbolic/numbers.js";

/** A number with the function that computes it, without the code under test. */
interface Made {
  readonly num: Num;
  readonly value: (of: Values) => bigint;
}
interface Values {
  readonly a: bigint;
  readonly s: bigint;
  readonly c: bigint;
}

const terms = new Terms();
const [A, S, C] = [terms.variable("a", 3), terms.variable("s", 3), terms.variable("c", 1)];
const ALL: Values[] = Array.from({ length: 128 }, (_, i) => ({
  a: BigInt(i & 7),
  s: BigInt.asIntN(3, BigInt((i >> 3) & 7)),
  c: BigInt(i >> 6),
}));
const evaluated = (term: Term, { a, s, c }: Values): bigint =>
  new Evaluator(
    new Map([
      ["a", a],
      ["s", BigInt.asUintN(3, s)],
      ["c", c],
    ]),
  ).valueOf(term);

const leaf = fc.oneof(
  fc.constant<Made>({ num: { kind: "term", term: A, signed: false }, value: ({ a }) => a }),
  fc.constant<Made>({ num: { kind: "term", term: S, signed: true }, value: ({ s }) => s }),
  fc
    .integer({ min: -9, max: 9 })
    .map((n): Made => ({ num: { kind: "const", value: BigInt(n) }, value: () => BigInt(n) })),
);
/** Without sign: what may divide, and shift. */
const natural = fc.oneof(
  fc.constant<Made>({ num: { kind: "term", term: A, signed: false }, value: ({ a }) => a }),
  fc.nat(9).map((n): Made => ({ num: { kind: "const", value: BigInt(n) }, value: () => BigInt(n) })),
);

const BINARY: Readonly<Record<string, (x: bigint, y: bigint) => bigint>> = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  "&": (x, y) => x & y,
  "|": (x, y) => x | y,
  "^": (x, y) => x ^ y,
};
const clampTo = (value: bigint, width: number, signed: boolean): bigint => {
  const top = 1n << BigInt(signed ? width - 1 : width);
  const bottom = signed ? -top : 0n;
  return value >= top ? top - 1n : value < bottom ? bottom : value;
};

const made = fc.letrec<{ made: Made }>((tie) => {
  const both = fc.tuple(tie("made"), tie("made"));
  const width = fc.integer({ min: 1, max: 6 });
  return {
    made: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.tuple(fc.constantFrom(...Object.keys(BINARY)), both).map(
        ([kind, [x, y]]): Made => ({
          num: { kind: kind as "+", a: x.num, b: y.num },
          value: (of) => BINARY[kind]!(x.value(of), y.value(of)),
        }),
      ),
      fc.tuple(natural, natural, fc.boolean()).map(
        ([x, y, isRest]): Made => ({
          num: { kind: isRest ? "%" : "/", a: x.num, b: y.num },
          value: (of) => {
            const [p, q] = [x.value(of), y.value(of)];
            return q === 0n ? 0n : isRest ? p % q : p / q;
          },
        }),
      ),
      fc.tuple(tie("made"), natural, fc.boolean()).map(
        ([x, by, isLeft]): Made => ({
          num: { kind: isLeft ? "<<" : ">>", a: x.num, by: by.num },
          value: (of) => (isLeft ? x.value(of) << by.value(of) : x.value(of) >> by.value(of)),
        }),
      ),
      fc.tuple(tie("made"), fc.boolean()).map(
        ([x, isNot]): Made => ({
          num: { kind: isNot ? "~" : "negate", a: x.num },
          value: (of) => (isNot ? ~x.value(of) : -x.value(of)),
        }),
      ),
      fc.tuple(tie("made"), width).map(
        ([x, bits]): Made => ({
          num: { kind: "wrap", a: x.num, width: bits },
          value: (of) => BigInt.asIntN(bits, x.value(of)),
        }),
      ),
      fc.tuple(tie("made"), width, fc.boolean()).map(
        ([x, bits, signed]): Made => ({
          num: { kind: "clamp", a: x.num, range: { width: bits, signed } },
          value: (of) => clampTo(x.value(of), bits, signed),
        }),
      ),
      both.map(
        ([x, y]): Made => ({
          num: { kind: "choose", condition: C, a: x.num, b: y.num },
          value: (of) => (of.c === 1n ? x.value(of) : y.value(of)),
        }),
      ),
    ),
  };
}).made;

/** Shifts of shifts are wide: such a number is left out. */
const isNarrow = ({ num }: Made) => rangeOf(num).width <= 64;
const narrow = made.filter(isNarrow);
const some = fc.constantFrom(...ALL);
/** 16 of the 128. */
const several = fc.nat(7).map((rest) => ALL.filter((_, i) => i % 8 === rest));

it("have the low bits of the integer that the expression has, for any number of bits", () => {
  const numbers = new Numbers(terms);
  fc.assert(
    fc.property(narrow, fc.integer({ min: 1, max: 12 }), several, ({ num, value }, bits, all) => {
      const low = numbers.low(num, bits);
      expect(low.width).toBe(bits);
      for (const of of all) expect(evaluated(low, of)).toBe(BigInt.asUintN(bits, value(of)));
    }),
    { numRuns: 150 },
  );
});

it("lie in their ranges, whose bits are the whole number", () => {
  const numbers = new Numbers(terms);
  fc.assert(
    fc.property(narrow, fc.nat(80), several, ({ num, value }, least, all) => {
      const { width, signed } = rangeOf(num);
      const whole = numbers.exact(num, least);
      expect(whole.width).toBe(Math.max(width, least));
      for (const of of all) {
        const given = evaluated(whole, of);
        expect(signed ? BigInt.asIntN(whole.width, given) : given).toBe(value(of));
      }
    }),
    { numRuns: 150 },
  );
});

it("compare as integers", () => {
  const numbers = new Numbers(terms);
  fc.assert(
    fc.property(narrow, narrow, some, (x, y, of) => {
      const [p, q] = [x.value(of), y.value(of)];
      expect(evaluated(numbers.equal(x.num, y.num), of)).toBe(p === q ? 1n : 0n);
      expect(evaluated(numbers.less(x.num, y.num), of)).toBe(p < q ? 1n : 0n);
      expect(evaluated(numbers.nonZero(x.num), of)).toBe(p !== 0n ? 1n : 0n);
    }),
    { numRuns: 150 },
  );
});

const constant = (value: bigint): Num => ({ kind: "const", value });
const wide = (width: number, signed: boolean): Num => ({
  ...{ kind: "term", term: terms.variable(`w${width}`, width), signed },
});

it.each<[string, Num, { width: number; signed: boolean }]>([
  ["zero has one bit", constant(0n), { width: 1, signed: false }],
  ["-1 has a sign alone", constant(-1n), { width: 1, signed: true }],
  ["-8 has four bits", constant(-8n), { width: 4, signed: true }],
  ["8 has four bits", constant(8n), { width: 4, signed: false }],
  [
    "and with a number without sign",
    { kind: "&", a: wide(8, false), b: wide(12, true) },
    { width: 8, signed: false },
  ],
  [
    "and of two without sign",
    { kind: "&", a: wide(8, false), b: wide(12, false) },
    { width: 8, signed: false },
  ],
  [
    "and with a narrower number with sign",
    { kind: "&", a: wide(8, false), b: wide(4, true) },
    { width: 8, signed: false },
  ],
  ["a product", { kind: "*", a: wide(8, false), b: wide(12, false) }, { width: 20, signed: false }],
  ["a quotient", { kind: "/", a: wide(8, false), b: wide(12, false) }, { width: 8, signed: false }],
  ["a shift by a constant", { kind: "<<", a: wide(8, true), by: constant(4n) }, { width: 12, signed: true }],
  [
    "a shift by two bits",
    { kind: "<<", a: wide(8, false), by: wide(2, false) },
    { width: 11, signed: false },
  ],
  [
    "a shift by many bits",
    { kind: "<<", a: wide(8, false), by: wide(48, false) },
    { width: 2 ** 30, signed: false },
  ],
])("have the least range: %s", (_, num, range) => {
  expect(rangeOf(num)).toEqual(range);
});

it("are not followed where the switch would need too many bits, a sign of a shift, or a quotient with sign", () => {
  const numbers = new Numbers(terms);
  const shifted = (width: number): Num => ({ kind: "<<", a: wide(8, false), by: constant(BigInt(width)) });
  expect(numbers.exact(shifted(8184)).width).toBe(8192);
  expect(() => numbers.exact(shifted(8185))).toThrow("an intermediate result of up to 8193 bits");
  for (const kind of ["<<", ">>"] as const)
    expect(() => numbers.low({ kind, a: wide(8, false), by: wide(3, true) }, 4)).toThrow(
      "a shift by a number with sign",
    );
  for (const [a, b] of [
    [wide(8, true), wide(9, false)],
    [wide(9, false), wide(8, true)],
  ] as const)
    expect(() => numbers.low({ kind: "/", a, b }, 4)).toThrow("a division of numbers with sign");
});
