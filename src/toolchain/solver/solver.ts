/**
 * Decides conditions over bit vectors: terms become gates, gates become clauses (Tseitin, 1968), and {@link Sat} decides them. Gates that are equal
 * are one gate. Everything stays between calls, so that a condition that was decided before costs little with one more part.
 */
import { defined } from "../../base/index.js";
import { type Answer, Sat } from "./sat.js";
import { Evaluator, type Model, type Term, type Terms } from "./terms.js";

/** The literal of a constant. */
const TRUE = 0;
const FALSE = 1;

export interface Solution {
  readonly answer: Answer;
  /** Of "yes". */
  readonly model: Model;
}

const NO_MODEL: Model = new Map();

/** Maximum number of gates of one solver: some 100 MB. */
const MAX_GATES = 2_000_000;

export class TooLarge extends Error {}

export interface SolverOptions {
  /** More gates throw {@link TooLarge}. */
  readonly maxGates?: number;
}

/** The deadline of the terms is that of the solver: asked at each query, and now and then during one. */
export class Solver {
  readonly #sat: Sat;
  readonly #gates = new Map<string, number>();
  /** Literals of a term, the lowest bit first. */
  readonly #bits = new Map<Term, readonly number[]>();
  readonly #variables = new Map<string, readonly number[]>();
  /** By variable of the clauses: the literals that a gate is a function of. */
  readonly #inputs: number[][] = [];
  /** By variable of the clauses: the last query that looked at it. */
  readonly #seen: number[] = [];
  #queries = 0;
  readonly #maxGates: number;

  constructor(
    readonly terms: Terms,
    { maxGates = MAX_GATES }: SolverOptions = {},
  ) {
    this.#maxGates = maxGates;
    this.#sat = new Sat({ deadline: terms.deadline });
    this.#sat.addVariable();
    this.#inputs.push([]);
    this.#seen.push(0);
    this.#sat.add([TRUE]);
  }

  get queries(): number {
    return this.#queries;
  }

  /**
   * Values with which all conditions (of width 1) hold. Unknown after so many conflicts, which are the same on every machine.
   * @throws OutOfTime
   */
  solve(conditions: readonly Term[], maxConflicts = 20_000): Solution {
    this.terms.deadline.check();
    const assumed = this.#literalsOf(conditions);
    if (assumed === undefined) return { answer: "no", model: NO_MODEL };
    this.#queries++;
    const answer = this.#sat.solve(assumed, this.#cone(assumed), maxConflicts);
    return { answer, model: answer === "yes" ? this.#model(conditions) : NO_MODEL };
  }

  /** Those terms (of width 1) of which, each alone, no search is needed to see that they cannot hold with the conditions; undefined: the conditions cannot hold. */
  refuted(conditions: readonly Term[], terms: readonly Term[]): Set<Term> | undefined {
    this.terms.deadline.check();
    const literals = terms.map((term) => defined(this.#bitsOf(term)[0]));
    const assumed = this.#literalsOf(conditions);
    const found = assumed && this.#sat.refuted(assumed, literals);
    if (found === undefined) return undefined;
    const refuted = new Set(found);
    return new Set(terms.filter((_, i) => refuted.has(defined(literals[i]))));
  }

  /** Undefined: two of them contradict each other. */
  #literalsOf(conditions: readonly Term[]): number[] | undefined {
    const kept = new Set<number>();
    for (const condition of conditions) {
      if (condition === this.terms.false) return undefined;
      if (condition === this.terms.true) continue;
      const literal = defined(this.#bitsOf(condition)[0]);
      if (literal === FALSE || kept.has(literal ^ 1)) return undefined;
      if (literal !== TRUE) kept.add(literal);
    }
    return [...kept];
  }

  /** Values of the variables that the conditions name. */
  #model(conditions: readonly Term[]): Model {
    const model = new Map<string, bigint>();
    for (const { name } of variablesOf(conditions)) {
      const literals = defined(this.#variables.get(name));
      let value = 0n;
      literals.forEach((literal, i) => {
        if (this.#sat.valueOf(literal >> 1) === 1) value |= 1n << BigInt(i);
      });
      model.set(name, value);
    }
    const evaluator = new Evaluator(model);
    if (conditions.some((condition) => evaluator.valueOf(condition) !== 1n))
      throw new Error("a model that does not satisfy its conditions");
    return model;
  }

  /** Variables of clauses that the literals are functions of. */
  #cone(literals: readonly number[]): number[] {
    const call = this.#queries;
    const seen = this.#seen;
    const found: number[] = [];
    const add = (literal: number): void => {
      const variable = literal >> 1;
      if (seen[variable] === call) return;
      seen[variable] = call;
      found.push(variable);
    };
    for (const literal of literals) add(literal);
    // What is found grows while it is walked.
    for (let i = 0; i < found.length; i++) for (const input of this.#inputs[found[i]!]!) add(input);
    return found;
  }

  #fresh(inputs: number[]): number {
    if (this.#inputs.length >= this.#maxGates) throw new TooLarge(`more than ${this.#maxGates} gates`);
    const variable = this.#sat.addVariable();
    this.#inputs.push(inputs);
    this.#seen.push(0);
    return 2 * variable;
  }

  #and(a: number, b: number): number {
    if (a === FALSE || b === FALSE || a === (b ^ 1)) return FALSE;
    if (a === TRUE || a === b) return b;
    if (b === TRUE) return a;
    const [low, high] = a < b ? [a, b] : [b, a];
    return this.#gate(`& ${low} ${high}`, [low, high], (out) => [
      [out ^ 1, low],
      [out ^ 1, high],
      [out, low ^ 1, high ^ 1],
    ]);
  }

  #or(a: number, b: number): number {
    return this.#and(a ^ 1, b ^ 1) ^ 1;
  }

  #xor(a: number, b: number): number {
    if (a <= FALSE) return b ^ a ^ 1;
    if (b <= FALSE) return a ^ b ^ 1;
    const sign = (a & 1) ^ (b & 1);
    const [x, y] = a < b ? [a & ~1, b & ~1] : [b & ~1, a & ~1];
    if (x === y) return FALSE ^ sign;
    const out = this.#gate(`^ ${x} ${y}`, [x, y], (out) => [
      [out ^ 1, x, y],
      [out ^ 1, x ^ 1, y ^ 1],
      [out, x ^ 1, y],
      [out, x, y ^ 1],
    ]);
    return out ^ sign;
  }

  #choose(condition: number, a: number, b: number): number {
    if (condition === TRUE || a === b) return a;
    if (condition === FALSE) return b;
    if ((condition & 1) === 1) return this.#choose(condition ^ 1, b, a);
    if (a <= FALSE || b <= FALSE || a === (b ^ 1))
      return a === (b ^ 1) && a > FALSE
        ? this.#xor(condition, b)
        : this.#or(this.#and(condition, a), this.#and(condition ^ 1, b));
    return this.#gate(`? ${condition} ${a} ${b}`, [condition, a, b], (out) => [
      [condition ^ 1, a ^ 1, out],
      [condition ^ 1, a, out ^ 1],
      [condition, b ^ 1, out],
      [condition, b, out ^ 1],
      [a ^ 1, b ^ 1, out],
      [a, b, out ^ 1],
    ]);
  }

  #gate(key: string, inputs: number[], clauses: (out: number) => number[][]): number {
    this.terms.deadline.step();
    let out = this.#gates.get(key);
    if (out === undefined) {
      out = this.#fresh(inputs);
      this.#gates.set(key, out);
      for (const clause of clauses(out)) this.#sat.add(clause);
    }
    return out;
  }

  #bitsOf(term: Term): readonly number[] {
    const known = this.#bits.get(term);
    if (known !== undefined) return known;
    const open = [term];
    while (open.length > 0) {
      const next = defined(open.at(-1));
      const missing = next.args.filter((arg) => !this.#bits.has(arg));
      if (missing.length > 0) open.push(...missing);
      else {
        open.pop();
        if (!this.#bits.has(next)) this.#bits.set(next, this.#blast(next));
      }
    }
    return defined(this.#bits.get(term));
  }

  #blast(term: Term): number[] {
    const { op, width, args, low, name, value } = term;
    const [a = [], b = [], c = []] = args.map((arg) => defined(this.#bits.get(arg)));
    const each = (make: (i: number) => number) => Array.from({ length: width }, (_, i) => make(i));
    switch (op) {
      case "const":
        return each((i) => (((value >> BigInt(i)) & 1n) === 1n ? TRUE : FALSE));
      case "var": {
        const literals = each(() => this.#fresh([]));
        this.#variables.set(name, literals);
        return literals;
      }
      case "concat":
        return [...args].reverse().flatMap((arg) => defined(this.#bits.get(arg)));
      case "slice":
        return a.slice(low, low + width);
      case "not":
        return a.map((literal) => literal ^ 1);
      case "and":
        return each((i) => this.#and(a[i]!, b[i]!));
      case "or":
        return each((i) => this.#or(a[i]!, b[i]!));
      case "xor":
        return each((i) => this.#xor(a[i]!, b[i]!));
      case "add":
        return this.#add(a, b, FALSE).sum;
      case "mul":
        return this.#multiply(a, b);
      case "div":
      case "rem":
        return this.#divide(a, b)[op];
      case "shl":
      case "shr":
        return this.#shift(op, a, b);
      case "eq":
        return [a.reduce((all, literal, i) => this.#and(all, this.#xor(literal, b[i]!) ^ 1), TRUE)];
      case "less":
        return [this.#less(a, b)];
      case "if":
        return each((i) => this.#choose(a[0]!, b[i]!, c[i]!));
    }
  }

  #add(a: readonly number[], b: readonly number[], carryIn: number): { sum: number[]; carry: number } {
    let carry = carryIn;
    const sum = a.map((x, i) => {
      const y = b[i]!;
      const half = this.#xor(x, y);
      const out = this.#xor(half, carry);
      carry = this.#or(this.#and(x, y), this.#and(half, carry));
      return out;
    });
    return { sum, carry };
  }

  /** a < b: the difference borrows. */
  #less(a: readonly number[], b: readonly number[]): number {
    return (
      this.#add(
        a,
        b.map((literal) => literal ^ 1),
        TRUE,
      ).carry ^ 1
    );
  }

  #multiply(a: readonly number[], b: readonly number[]): number[] {
    let sum: number[] = a.map(() => FALSE);
    b.forEach((bit, i) => {
      if (bit === FALSE) return;
      const row = a.map((_, k) => (k < i ? FALSE : this.#and(bit, a[k - i]!)));
      sum = this.#add(sum, row, FALSE).sum;
    });
    return sum;
  }

  /** By hand, a bit at a time; a division by 0 gives 0 and 0. */
  #divide(a: readonly number[], b: readonly number[]): { div: number[]; rem: number[] } {
    const width = a.length;
    const nonZero = b.reduce((any, literal) => this.#or(any, literal), FALSE);
    const wide = [...b, FALSE];
    let rest: number[] = Array.from({ length: width + 1 }, () => FALSE);
    const quotient: number[] = Array.from({ length: width }, () => FALSE);
    for (let i = width - 1; i >= 0; i--) {
      const next = [a[i]!, ...rest.slice(0, width)];
      const fits = this.#less(next, wide) ^ 1;
      const less = this.#add(
        next,
        wide.map((literal) => literal ^ 1),
        TRUE,
      ).sum;
      rest = next.map((literal, k) => this.#choose(fits, less[k]!, literal));
      quotient[i] = fits;
    }
    return {
      div: quotient.map((literal) => this.#and(nonZero, literal)),
      rem: rest.slice(0, width).map((literal) => this.#and(nonZero, literal)),
    };
  }

  #shift(op: "shl" | "shr", a: readonly number[], by: readonly number[]): number[] {
    let out = [...a];
    let tooFar = FALSE;
    by.forEach((bit, i) => {
      const places = 2 ** i;
      if (places >= a.length) {
        tooFar = this.#or(tooFar, bit);
        return;
      }
      const from = op === "shl" ? -places : places;
      out = out.map((literal, k) => this.#choose(bit, out[k + from] ?? FALSE, literal));
    });
    return out.map((literal) => this.#and(literal, tooFar ^ 1));
  }
}

/** The variables that terms name. */
export function variablesOf(terms: readonly Term[]): Term[] {
  const seen = new Set<Term>(terms);
  // A set gives what is added while it is walked.
  for (const term of seen) for (const arg of term.args) seen.add(arg);
  return [...seen].filter(({ op }) => op === "var");
}
