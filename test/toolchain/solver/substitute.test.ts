/** A term with a number in place of a variable has the value that it has where the variable is that number. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Evaluator, Substitution, type Term, Terms } from "../../../src/toolchain/solver/index.js";

const WIDTH = 8;

/** A term of any operations over three variables, from a list of choices. */
function termOf(terms: Terms, choices: readonly number[]): Term {
  const made: Term[] = ["x", "y", "z"].map((name) => terms.variable(name, WIDTH));
  const low = (term: Term) => (term.width === WIDTH ? term : terms.extend(term, WIDTH));
  for (const choice of choices) {
    const [a, b, c] = [choice >> 5, choice >> 9, choice >> 13].map((at) => made[at % made.length]!) as [
      Term,
      Term,
      Term,
    ];
    const ways: (() => Term)[] = [
      () => terms.add(a, b),
      () => terms.and(a, b),
      () => terms.or(a, terms.not(b)),
      () => terms.xor(a, b),
      () => terms.multiply(a, b),
      () => terms.divide(a, b),
      () => terms.remainder(a, b),
      () => terms.shiftBy("shl", a, b),
      () => terms.shiftBy("shr", a, b),
      () => low(terms.equal(a, b)),
      () => terms.choose(terms.less(a, b), b, c),
      () => terms.concat(terms.slice(a, 0, 3), terms.slice(b, 2, 5)),
    ];
    made.push(ways[choice % ways.length]!());
  }
  return made.at(-1)!;
}

it("means the same", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(2 ** 20), { minLength: 1, maxLength: 12 }),
      ...([fc.nat(255), fc.nat(255), fc.nat(255)] as const),
      (choices, x, y, z) => {
        const terms = new Terms();
        const term = termOf(terms, choices);
        const put = new Substitution(terms, terms.variable("x", WIDTH), terms.constant(x, WIDTH));
        const [all, others] = [
          new Map([
            ["x", BigInt(x)],
            ["y", BigInt(y)],
            ["z", BigInt(z)],
          ]),
          new Map([
            ["y", BigInt(y)],
            ["z", BigInt(z)],
          ]),
        ];
        expect(new Evaluator(others).valueOf(put.of(term))).toBe(new Evaluator(all).valueOf(term));
      },
    ),
  );
});

it("leaves a term without the variable as it is", () => {
  const terms = new Terms();
  const term = terms.add(terms.variable("y", 8), terms.variable("z", 8));
  expect(new Substitution(terms, terms.variable("x", 8), terms.true).of(term)).toBe(term);
});
