/** Terms mean the same before and after they are simplified, and what the solver says is what trying all values says. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Evaluator, Solver, type Term, Terms, variablesOf } from "../../../src/toolchain/solver/index.js";

/** A term with the function that computes it from the values of its variables, without the code under test. */
interface Made {
  readonly term: Term;
  readonly value: (a: bigint, b: bigint) => bigint;
}

const WIDTH = 4;
const cut = (value: bigint, width = WIDTH) => BigInt.asUintN(width, value);

type Recipe = { op: string; args: Recipe[]; number: number };

const recipes = fc.letrec<{ recipe: Recipe }>((tie) => ({
  recipe: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      op: fc.constantFrom("a", "b", "const"),
      args: fc.constant<Recipe[]>([]),
      number: fc.nat(15),
    }),
    fc.record({
      op: fc.constantFrom(
        ...[
          "and",
          "or",
          "xor",
          "add",
          "sub",
          "mul",
          "div",
          "rem",
          "shl",
          "shr",
          "not",
          "negate",
          "if",
          "mix",
          "sign",
        ],
      ),
      args: fc.array(tie("recipe"), { minLength: 3, maxLength: 3 }),
      number: fc.nat(15),
    }),
  ),
})).recipe;

function make(terms: Terms, { op, args, number }: Recipe): Made {
  if (op === "a" || op === "b")
    return { term: terms.variable(op, WIDTH), value: (a, b) => (op === "a" ? a : b) };
  if (op === "const") return { term: terms.constant(number, WIDTH), value: () => BigInt(number) };
  const [x, y, z] = args.map((arg) => make(terms, arg)) as [Made, Made, Made];
  const both = (term: Term, compute: (p: bigint, q: bigint) => bigint): Made => ({
    term,
    value: (a, b) => cut(compute(x.value(a, b), y.value(a, b))),
  });
  const k = number % WIDTH;
  switch (op) {
    case "and":
      return both(terms.and(x.term, y.term), (p, q) => p & q);
    case "or":
      return both(terms.or(x.term, y.term), (p, q) => p | q);
    case "xor":
      return both(terms.xor(x.term, y.term), (p, q) => p ^ q);
    case "add":
      return both(terms.add(x.term, y.term), (p, q) => p + q);
    case "sub":
      return both(terms.subtract(x.term, y.term), (p, q) => p - q);
    case "mul":
      return both(terms.multiply(x.term, y.term), (p, q) => p * q);
    case "div":
      return both(terms.divide(x.term, y.term), (p, q) => (q === 0n ? 0n : p / q));
    case "rem":
      return both(terms.remainder(x.term, y.term), (p, q) => (q === 0n ? 0n : p % q));
    case "shl":
      return both(terms.shiftBy("shl", x.term, y.term), (p, q) => p << q);
    case "shr":
      return both(terms.shiftBy("shr", x.term, y.term), (p, q) => p >> q);
    case "not":
      return both(terms.not(x.term), (p) => ~p);
    case "negate":
      return both(terms.negate(x.term), (p) => -p);
    case "mix":
      return both(
        terms.concat(terms.slice(x.term, k, WIDTH - k), terms.slice(y.term, 0, k)),
        (p, q) => ((p >> BigInt(k)) << BigInt(k)) | (q & ((1n << BigInt(k)) - 1n)),
      );
    case "sign":
      return both(
        terms.slice(terms.signExtend(x.term, 2 * WIDTH), k, WIDTH),
        (p) => BigInt.asIntN(WIDTH, p) >> BigInt(k),
      );
    default: {
      const isLess = terms.and(terms.less(x.term, y.term), terms.not(terms.equal(x.term, z.term)));
      return {
        term: terms.choose(isLess, y.term, z.term),
        value: (a, b) => {
          const [p, q, r] = [x.value(a, b), y.value(a, b), z.value(a, b)];
          return p < q && p !== r ? q : r;
        },
      };
    }
  }
}

const ALL = Array.from({ length: 256 }, (_, i) => [BigInt(i >> 4), BigInt(i & 15)] as const);

it("terms have the values of what they are made of, simplified or not", () => {
  fc.assert(
    fc.property(recipes, (recipe) => {
      const { term, value } = make(new Terms(), recipe);
      expect(term.width).toBe(WIDTH);
      for (const [a, b] of ALL)
        expect(
          new Evaluator(
            new Map([
              ["a", a],
              ["b", b],
            ]),
          ).valueOf(term),
        ).toBe(value(a, b));
    }),
  );
});

it("says yes with values that hold, and no where no values do", () => {
  const terms = new Terms();
  // One solver for all: what it learned of earlier conditions must not change a later answer.
  const solver = new Solver(terms);
  fc.assert(
    fc.property(recipes, recipes, fc.nat(15), (left, right, number) => {
      const [x, y] = [make(terms, left), make(terms, right)];
      const conditions = [
        terms.equal(x.term, terms.constant(number, WIDTH)),
        terms.not(terms.less(y.term, x.term)),
      ];
      const isPossible = ALL.some(
        ([a, b]) => x.value(a, b) === BigInt(number) && y.value(a, b) >= x.value(a, b),
      );
      const { answer, model } = solver.solve(conditions);
      expect(answer).toBe(isPossible ? "yes" : "no");
      if (answer === "no") return;
      const [a, b] = [model.get("a") ?? 0n, model.get("b") ?? 0n];
      expect(x.value(a, b)).toBe(BigInt(number));
      expect(y.value(a, b)).toBeGreaterThanOrEqual(x.value(a, b));
    }),
    { numRuns: 300 },
  );
});

it("decides wide sums and products, and gives up where it may not search", () => {
  const terms = new Terms();
  const [a, b] = [terms.variable("a", 48), terms.variable("b", 48)];
  const solver = new Solver(terms);
  const sum = terms.equal(terms.add(a, b), terms.constant(5, 48));
  const { answer, model } = solver.solve([sum, terms.less(terms.constant(2n ** 40n, 48), a)]);
  expect(answer).toBe("yes");
  expect(BigInt.asUintN(48, model.get("a")! + model.get("b")!)).toBe(5n);
  expect(solver.solve([sum, terms.equal(terms.add(b, a), terms.constant(6, 48))]).answer).toBe("no");
  const [x, y] = [terms.variable("x", 32), terms.variable("y", 32)];
  const wide = (term: Term) => terms.extend(term, 64);
  // The product of two primes: hard enough that a few conflicts do not decide it.
  const factors = [
    terms.equal(terms.multiply(wide(x), wide(y)), terms.constant(4294967291n * 4294967279n, 64)),
    terms.less(x, y),
  ];
  expect(solver.solve(factors, 10).answer).toBe("unknown");
});

it("makes equal terms one object, whose slices and parts meet again", () => {
  const terms = new Terms();
  const a = terms.variable("a", 32);
  expect(terms.concat(terms.slice(a, 16, 16), terms.slice(a, 0, 16))).toBe(a);
  expect(terms.and(a, terms.constant(0xff00, 32))).toBe(
    terms.concat(terms.constant(0, 16), terms.slice(a, 8, 8), terms.constant(0, 8)),
  );
  expect(terms.equal(terms.concat(terms.constant(1, 8), a), terms.concat(terms.constant(2, 8), a))).toBe(
    terms.false,
  );
  expect(
    variablesOf([terms.add(a, terms.variable("b", 32))])
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["a", "b"]);
});
