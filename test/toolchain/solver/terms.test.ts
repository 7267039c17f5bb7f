/** What terms become when they are made, and that gates mean the same: each operation, at several widths. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Evaluator, Solver, type Term, Terms, TooLarge } from "../../../src/toolchain/solver/index.js";

function parts() {
  const terms = new Terms();
  const constant = (value: number | bigint, width: number) => terms.constant(value, width);
  return {
    ...{ terms, constant, ones: constant(0xff, 8), zero: constant(0, 8) },
    ...{ a: terms.variable("a", 8), b: terms.variable("b", 8), c: terms.variable("c", 1) },
  };
}
const { terms, constant, a, b, c } = parts();

/** What is made, and what it becomes; made anew for each test. */
function simplified(): [name: string, made: Term, expected: Term][] {
  const { terms, constant, a, b, c, ones, zero } = parts();
  return [
    ["and with ones", terms.and(ones, a), a],
    ["and with zeros", terms.and(a, zero), zero],
    ["and with itself", terms.and(a, a), a],
    ["and with its complement", terms.and(terms.not(a), a), zero],
    ["and of another order", terms.and(b, a), terms.and(a, b)],
    ["or with zeros", terms.or(zero, a), a],
    ["or with ones", terms.or(a, ones), ones],
    ["or with itself", terms.or(a, a), a],
    ["or with its complement", terms.or(a, terms.not(a)), ones],
    ["xor with zeros", terms.xor(zero, a), a],
    ["xor with ones", terms.xor(a, ones), terms.not(a)],
    ["xor with itself", terms.xor(a, a), zero],
    ["a double complement", terms.not(terms.not(a)), a],
    ["a sum with zero", terms.add(zero, a), a],
    ["a sum of constants", terms.add(constant(250, 8), constant(10, 8)), constant(4, 8)],
    [
      "a sum with two constants",
      terms.add(terms.add(a, constant(3, 8)), constant(5, 8)),
      terms.add(constant(8, 8), a),
    ],
    ["a sum that comes back", terms.add(terms.add(a, constant(3, 8)), constant(-3, 8)), a],
    ["a difference of one", terms.subtract(a, a), zero],
    ["a difference with a constant", terms.subtract(a, constant(3, 8)), terms.add(a, constant(253, 8))],
    ["a product with zero", terms.multiply(zero, a), zero],
    ["a product with one", terms.multiply(a, constant(1, 8)), a],
    ["a product with eight", terms.multiply(constant(8, 8), a), terms.shiftLeft(a, 3)],
    ["a quotient of constants", terms.divide(constant(200, 8), constant(7, 8)), constant(28, 8)],
    ["a quotient by zero", terms.divide(constant(200, 8), zero), zero],
    ["a rest of constants", terms.remainder(constant(200, 8), constant(7, 8)), constant(4, 8)],
    ["a rest by zero", terms.remainder(constant(200, 8), zero), zero],
    ["a rest by 16", terms.remainder(a, constant(16, 8)), terms.and(a, constant(15, 8))],
    ["a shift by the width", terms.shiftLeft(a, 8), zero],
    ["a shift to the right by the width", terms.shiftRight(a, 8), zero],
    ["a shift by a constant term", terms.shiftBy("shr", a, constant(3, 20)), terms.shiftRight(a, 3)],
    ["a shift by a huge constant", terms.shiftBy("shl", a, constant(2n ** 60n, 64)), zero],
    ["two shifts of parts", terms.or(terms.concat(a, zero), terms.extend(b, 16)), terms.concat(a, b)],
    ["equal to itself", terms.equal(a, a), terms.true],
    ["a bit equal to one", terms.equal(terms.true, c), c],
    ["a bit equal to zero", terms.equal(c, terms.false), terms.not(c)],
    [
      "a complement equal to a constant",
      terms.equal(terms.not(a), constant(1, 8)),
      terms.equal(a, constant(254, 8)),
    ],
    [
      "a sum equal to a constant",
      terms.equal(constant(2, 8), terms.add(a, constant(3, 8))),
      terms.equal(a, ones),
    ],
    ["parts equal to a constant", terms.equal(terms.extend(a, 16), constant(300, 16)), terms.false],
    ["parts equal to parts", terms.equal(terms.concat(a, b), terms.concat(a, a)), terms.equal(a, b)],
    ["less than itself", terms.less(a, a), terms.false],
    ["less than zero", terms.less(a, zero), terms.false],
    ["more than the most", terms.less(ones, a), terms.false],
    ["less of constants", terms.less(constant(3, 8), constant(4, 8)), terms.true],
    ["less with sign", terms.signedLess(constant(-1, 8), constant(1, 8)), terms.true],
    ["chosen from equal ones", terms.choose(c, a, a), a],
    ["chosen by yes", terms.choose(terms.true, a, b), a],
    ["chosen by no", terms.choose(terms.false, a, b), b],
    ["a chosen bit", terms.choose(c, terms.true, terms.false), c],
    ["a chosen bit, the other way round", terms.choose(c, terms.false, terms.true), terms.not(c)],
    ["a slice of a slice", terms.slice(terms.slice(a, 2, 5), 1, 2), terms.slice(a, 3, 2)],
    [
      "a slice of parts",
      terms.slice(terms.concat(a, b), 6, 4),
      terms.concat(terms.slice(a, 0, 2), terms.slice(b, 6, 2)),
    ],
    [
      "a slice of a sum's low bits",
      terms.slice(terms.add(a, b), 0, 3),
      terms.add(terms.slice(a, 0, 3), terms.slice(b, 0, 3)),
    ],
    [
      "a slice of a choice",
      terms.slice(terms.choose(c, a, b), 4, 2),
      terms.choose(c, terms.slice(a, 4, 2), terms.slice(b, 4, 2)),
    ],
    ["a slice of a complement", terms.slice(terms.not(a), 4, 2), terms.not(terms.slice(a, 4, 2))],
    ["nothing beside something", terms.concat(constant(0, 0), a), a],
    ["nothing", terms.concat(), constant(0, 0)],
    [
      "a sum with two constants, whichever is first",
      terms.add(constant(5, 8), terms.add(constant(3, 8), a)),
      terms.add(a, constant(8, 8)),
    ],
    [
      "a chosen bit or another",
      terms.choose(c, terms.true, terms.variable("d", 1)),
      terms.or(c, terms.variable("d", 1)),
    ],
    [
      "no chosen bit, but another",
      terms.choose(c, terms.false, terms.variable("d", 1)),
      terms.and(terms.not(c), terms.variable("d", 1)),
    ],
    [
      "another bit, or one where it is not chosen",
      terms.choose(c, terms.variable("d", 1), terms.true),
      terms.or(terms.not(c), terms.variable("d", 1)),
    ],
    [
      "a bit and another",
      terms.choose(c, terms.variable("d", 1), terms.false),
      terms.and(c, terms.variable("d", 1)),
    ],
    ["the most that is less than a sum", terms.less(ones, terms.add(a, b)), terms.false],
    ["an extension by nothing", terms.extend(a, 8), a],
    ["a sign's extension by nothing", terms.signExtend(a, 8), a],
    ["no conditions", terms.all([]), terms.true],
    ["a constant that is too wide", constant(0x1ff, 8), ones],
    ["a negative constant", constant(-1, 8), ones],
  ];
}

describe("a term is simplified when it is made", () => {
  it.each(simplified().map(([name], i) => [name, i] as const))("%s", (_, i) => {
    const [, made, expected] = simplified()[i]!;
    expect(made).toBe(expected);
  });

  it("and what differs stays different", () => {
    expect(terms.add(a, b)).not.toBe(terms.multiply(a, b));
    expect(terms.less(a, b)).not.toBe(terms.less(b, a));
    expect(terms.slice(a, 0, 3)).not.toBe(terms.slice(a, 1, 3));
    expect(terms.slice(terms.add(a, b), 1, 3).op).toBe("slice");
    expect(terms.shiftBy("shl", a, b)).not.toBe(terms.shiftBy("shr", a, b));
    // A mask with many runs stays an operation.
    expect(terms.and(a, constant(0b01010101, 8)).op).toBe("concat");
    expect(terms.and(terms.variable("wide", 16), constant(0x5555, 16)).op).toBe("and");
    expect(terms.choose(c, a, b).op).toBe("if");
  });
});

type Pair = (x: Term, y: Term) => Term;
const OPERATIONS: readonly (readonly [string, Pair, (x: bigint, y: bigint, width: number) => bigint])[] = [
  ["and", (x, y) => terms.and(x, y), (x, y) => x & y],
  ["or", (x, y) => terms.or(x, y), (x, y) => x | y],
  ["xor", (x, y) => terms.xor(x, y), (x, y) => x ^ y],
  ["add", (x, y) => terms.add(x, y), (x, y) => x + y],
  ["subtract", (x, y) => terms.subtract(x, y), (x, y) => x - y],
  ["negate", (x) => terms.negate(x), (x) => -x],
  ["multiply", (x, y) => terms.multiply(x, y), (x, y) => x * y],
  ["divide", (x, y) => terms.divide(x, y), (x, y) => (y === 0n ? 0n : x / y)],
  ["remainder", (x, y) => terms.remainder(x, y), (x, y) => (y === 0n ? 0n : x % y)],
  ["shl", (x, y) => terms.shiftBy("shl", x, y), (x, y) => (y > 99n ? 0n : x << y)],
  ["shr", (x, y) => terms.shiftBy("shr", x, y), (x, y) => (y > 99n ? 0n : x >> y)],
  ["less", (x, y) => terms.extend(terms.less(x, y), x.width), (x, y) => (x < y ? 1n : 0n)],
  [
    "signedLess",
    (x, y) => terms.extend(terms.signedLess(x, y), x.width),
    (x, y, width) => (BigInt.asIntN(width, x) < BigInt.asIntN(width, y) ? 1n : 0n),
  ],
  ["equal", (x, y) => terms.extend(terms.equal(x, y), x.width), (x, y) => (x === y ? 1n : 0n)],
  ["nonZero", (x) => terms.extend(terms.nonZero(x), x.width), (x) => (x === 0n ? 0n : 1n)],
  ["choose", (x, y) => terms.choose(terms.less(x, y), y, x), (x, y) => (x < y ? y : x)],
];

describe("an operation has one meaning: as a constant, as a term with values, and as gates", () => {
  it.each(OPERATIONS)("%s", (_, make, compute) => {
    const solver = new Solver(terms);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.nat(511),
        fc.nat(511),
        fc.nat(3),
        (width, p, q, known) => {
          const [left, right] = [BigInt.asUintN(width, BigInt(p)), BigInt.asUintN(width, BigInt(q))];
          const [x, y] = [terms.variable(`x${width}`, width), terms.variable(`y${width}`, width)];
          // One of the two may be a constant.
          const made = make(
            known === 1 ? constant(left, width) : x,
            known === 2 ? constant(right, width) : y,
          );
          const expected = BigInt.asUintN(width, compute(left, right, width));
          expect(make(constant(left, width), constant(right, width))).toBe(constant(expected, width));
          const model = new Map([
            [`x${width}`, left],
            [`y${width}`, right],
          ]);
          expect(new Evaluator(model).valueOf(made)).toBe(expected);
          const given = [terms.equal(x, constant(left, width)), terms.equal(y, constant(right, width))];
          const is = terms.equal(made, constant(expected, width));
          expect(solver.solve([...given, is]).answer).toBe("yes");
          expect(solver.solve([...given, terms.not(is)]).answer).toBe("no");
        },
      ),
      { numRuns: 25 },
    );
  });

  it("values of names that a model does not have are 0", () => {
    expect(new Evaluator(new Map()).valueOf(terms.add(a, b))).toBe(0n);
  });
});

describe("gates", () => {
  /** How many variables of clauses the conditions need, the one of constants included. */
  function needed(conditions: readonly Term[]): number {
    for (let gates = 1; ; gates++) {
      try {
        new Solver(terms, { maxGates: gates }).solve(conditions);
        return gates;
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error;
      }
    }
  }
  const [x, y] = [terms.variable("x1", 4), terms.variable("y1", 4)];
  const is = (term: Term, value: number) => terms.equal(term, constant(value, term.width));

  it.each<[string, Term, number]>([
    ["a bit", c, 2],
    ["a complement", terms.not(c), 2],
    ["four bits with one value: one gate for each further bit", is(x, 9), 1 + 4 + 3],
    ["two equal numbers", terms.equal(x, y), 1 + 8 + 4 + 3],
    ["a sum with a constant", is(terms.add(x, constant(1, 4)), 9), 1 + 4 + 3],
    ["a bit of a product with a constant", terms.slice(terms.multiply(x, constant(3, 4)), 0, 1), 1 + 4],
    [
      "a number that is less than two: four gates of the difference, two of the borrow",
      terms.less(x, constant(2, 4)),
      1 + 4 + 6,
    ],
    ["a constant that is less than a number", terms.less(constant(5, 4), x), 1 + 4 + 5],
    ["a number and itself", is(terms.add(x, x), 6), 1 + 4 + 2],
    ["a choice of 0 and a number", is(terms.choose(c, constant(0, 4), x), 15), 1 + 1 + 4 + 4 + 3],
    ["a choice of 15 and a number", is(terms.choose(c, constant(15, 4), x), 0), 1 + 1 + 4 + 8 + 3],
    ["a choice of constants", terms.slice(terms.choose(c, constant(5, 4), constant(4, 4)), 0, 1), 2],
    ["a choice of a number and 0", is(terms.choose(c, x, constant(0, 4)), 15), 1 + 1 + 4 + 4 + 3],
    ["a choice of a bit and its complement", terms.slice(terms.choose(c, x, terms.not(x)), 0, 1), 1 + 5 + 1],
  ])("are as few as the values allow: %s", (_, condition, gates) => {
    expect(needed([condition])).toBe(gates);
  });
});

describe("a solver", () => {
  it("answers at once where a condition is a constant, or two exclude each other, and counts its questions", () => {
    const solver = new Solver(terms);
    expect(solver.solve([terms.false, c])).toEqual({ answer: "no", model: new Map() });
    expect(solver.solve([c, terms.not(c)])).toEqual({ answer: "no", model: new Map() });
    expect(solver.queries).toBe(0);
    expect(solver.solve([terms.true])).toEqual({ answer: "yes", model: new Map() });
    expect(solver.queries).toBe(1);
    expect(solver.solve([c])).toEqual({ answer: "yes", model: new Map([["c", 1n]]) });
    expect(solver.queries).toBe(2);
  });

  it("finds values through a choice, whose condition nothing else names", () => {
    const [x, y] = [terms.variable("x1", 4), terms.variable("y1", 4)];
    const chosen = terms.choose(terms.variable("which", 1), x, y);
    const { answer, model } = new Solver(terms).solve([terms.equal(chosen, constant(9, 4))]);
    expect(answer).toBe("yes");
    expect(new Evaluator(model).valueOf(chosen)).toBe(9n);
  });

  it("gives values of the variables that the conditions name, and of no others", () => {
    const solver = new Solver(terms);
    solver.solve([terms.equal(b, constant(9, 8))]);
    const { model } = solver.solve([terms.equal(a, constant(0xa5, 8))]);
    expect([...model]).toEqual([["a", 0xa5n]]);
  });

  it("gives up with its own error where the conditions need too many gates", () => {
    // A constant, two variables of a bit, and the gate of their sum.
    expect(new Solver(terms, { maxGates: 4 }).solve([terms.and(c, terms.variable("d", 1))]).answer).toBe(
      "yes",
    );
    expect(() => new Solver(terms, { maxGates: 3 }).solve([terms.and(c, terms.variable("d", 1))])).toThrow(
      TooLarge,
    );
  });
});
