/** Terms with a term in place of a variable. */
import { defined } from "../../base/index.js";
import type { Term, Terms } from "./terms.js";

export class Substitution {
  readonly #made = new Map<Term, Term>();

  constructor(
    readonly terms: Terms,
    variable: Term,
    value: Term,
  ) {
    this.#made.set(variable, value);
  }

  /** The term itself where it does not have the variable. */
  of(term: Term): Term {
    // A stack of its own: terms may be deep.
    const open = [term];
    while (open.length > 0) {
      const next = defined(open.at(-1));
      const missing = next.args.filter((arg) => !this.#made.has(arg));
      if (missing.length > 0) open.push(...missing);
      else {
        open.pop();
        if (!this.#made.has(next)) this.#made.set(next, this.#make(next));
      }
    }
    return defined(this.#made.get(term));
  }

  #make(term: Term): Term {
    const { terms } = this;
    const args = term.args.map((arg) => defined(this.#made.get(arg)));
    if (args.every((arg, i) => arg === term.args[i])) return term;
    const [a, b, c] = args as [Term, Term, Term];
    switch (term.op) {
      case "const":
      case "var":
        return term;
      case "concat":
        return terms.concat(...args);
      case "slice":
        return terms.slice(a, term.low, term.width);
      case "not":
        return terms.not(a);
      case "and":
        return terms.and(a, b);
      case "or":
        return terms.or(a, b);
      case "xor":
        return terms.xor(a, b);
      case "add":
        return terms.add(a, b);
      case "mul":
        return terms.multiply(a, b);
      case "div":
        return terms.divide(a, b);
      case "rem":
        return terms.remainder(a, b);
      case "shl":
      case "shr":
        return terms.shiftBy(term.op, a, b);
      case "eq":
        return terms.equal(a, b);
      case "less":
        return terms.less(a, b);
      case "if":
        return terms.choose(a, b, c);
    }
  }
}
