/**
 * Bit vectors as terms: equal terms are one object, and each is simplified when it is made. A truth value is a bit vector of width 1. The meaning
 * is that of SMT-LIB's theory of fixed-size bit vectors, except that a division by 0 gives 0, as BMv2 and our switch do.
 */
import { defined, maskOf } from "../../base/index.js";
import { Deadline } from "./deadline.js";

export type Op =
  | "const"
  | "var"
  /** Parts, the highest first. */
  | "concat"
  /** Bits `low` to `low + width - 1` of the operand. */
  | "slice"
  | "not"
  | "and"
  | "or"
  | "xor"
  | "add"
  | "mul"
  | "div"
  | "rem"
  | "shl"
  | "shr"
  | "eq"
  | "less"
  /** Condition of width 1, then, else. */
  | "if";

export interface Term {
  readonly op: Op;
  readonly id: number;
  readonly width: number;
  readonly args: readonly Term[];
  /** Of a constant. */
  readonly value: bigint;
  /** Of a slice: its lowest bit. */
  readonly low: number;
  /** Of a variable. */
  readonly name: string;
}

/** A mask with more runs of equal bits than this stays an operation. */
const MAX_RUNS = 8;

const COMMUTATIVE: ReadonlySet<Op> = new Set(["and", "or", "xor", "add", "mul", "eq"]);

/** Values of variables by name; a variable without one is 0. */
export type Model = ReadonlyMap<string, bigint>;

export class Terms {
  readonly #known = new Map<string, Term>();
  #count = 0;
  readonly true: Term;
  readonly false: Term;

  /** @param deadline ends the making of terms, with an exception */
  constructor(readonly deadline = new Deadline()) {
    this.false = this.constant(0n, 1);
    this.true = this.constant(1n, 1);
  }

  #make(
    op: Op,
    width: number,
    args: readonly Term[],
    more: Partial<Pick<Term, "value" | "low" | "name">>,
  ): Term {
    this.deadline.step();
    const { value = 0n, low = 0, name = "" } = more;
    const key = `${op} ${width} ${args.map(({ id }) => id).join(" ")} ${value} ${low} ${name}`;
    let term = this.#known.get(key);
    if (term === undefined) {
      term = { op, id: this.#count++, width, args, value, low, name };
      this.#known.set(key, term);
    }
    return term;
  }

  constant(value: bigint | number, width: number): Term {
    return this.#make("const", width, [], { value: BigInt.asUintN(width, BigInt(value)) });
  }

  truth(value: boolean): Term {
    return value ? this.true : this.false;
  }

  /** One variable for each name; a name has one width. */
  variable(name: string, width: number): Term {
    return this.#make("var", width, [], { name });
  }

  concat(...parts: readonly Term[]): Term {
    const flat: Term[] = [];
    for (const part of parts.flatMap((one) => (one.op === "concat" ? one.args : [one]))) {
      if (part.width === 0) continue;
      const last = flat.at(-1);
      const joined = last === undefined ? undefined : this.#joined(last, part);
      if (joined === undefined) flat.push(part);
      else flat[flat.length - 1] = joined;
    }
    if (flat.length === 0) return this.constant(0n, 0);
    if (flat.length === 1) return defined(flat[0]);
    return this.#make(
      "concat",
      flat.reduce((sum, { width }) => sum + width, 0),
      flat,
      {},
    );
  }

  /** Two neighbours as one term: constants, or slices of one term that follow each other. */
  #joined(high: Term, low: Term): Term | undefined {
    const width = high.width + low.width;
    if (high.op === "const" && low.op === "const")
      return this.constant((high.value << BigInt(low.width)) | low.value, width);
    const [a, b] = [sliceOf(high), sliceOf(low)];
    if (a.of !== b.of || a.of.op === "const" || b.low + low.width !== a.low) return undefined;
    return this.slice(a.of, b.low, width);
  }

  slice(of: Term, low: number, width: number): Term {
    if (low === 0 && width === of.width) return of;
    switch (of.op) {
      case "const":
        return this.constant(of.value >> BigInt(low), width);
      case "slice":
        return this.slice(defined(of.args[0]), of.low + low, width);
      case "concat": {
        const parts: Term[] = [];
        let at = of.width;
        for (const part of of.args) {
          at -= part.width;
          const from = Math.max(low, at);
          const to = Math.min(low + width, at + part.width);
          if (from < to) parts.push(this.slice(part, from - at, to - from));
        }
        return this.concat(...parts);
      }
      case "not":
      case "and":
      case "or":
      case "xor":
        return this.#bitwise(
          of.op,
          of.args.map((arg) => this.slice(arg, low, width)),
        );
      case "if": {
        const [condition, a, b] = of.args;
        return this.choose(
          defined(condition),
          this.slice(defined(a), low, width),
          this.slice(defined(b), low, width),
        );
      }
      case "add":
      case "mul":
        // Low bits depend on low bits alone.
        if (low === 0) {
          const [a, b] = of.args.map((arg) => this.slice(arg, 0, width));
          return of.op === "add" ? this.add(defined(a), defined(b)) : this.multiply(defined(a), defined(b));
        }
    }
    return this.#make("slice", width, [of], { low });
  }

  #bitwise(op: "not" | "and" | "or" | "xor", args: readonly Term[]): Term {
    const [a, b] = args;
    if (op === "not") return this.not(defined(a));
    if (op === "and") return this.and(defined(a), defined(b));
    return op === "or" ? this.or(defined(a), defined(b)) : this.xor(defined(a), defined(b));
  }

  not(a: Term): Term {
    if (a.op === "const") return this.constant(~a.value, a.width);
    if (a.op === "not") return defined(a.args[0]);
    return this.#make("not", a.width, [a], {});
  }

  and(a: Term, b: Term): Term {
    if (a.op === "const" && b.op !== "const") return this.and(b, a);
    if (b.op === "const") {
      if (a.op === "const") return this.constant(a.value & b.value, a.width);
      const kept = this.#byRuns(b, (bit, low, width) =>
        bit === 1n ? this.slice(a, low, width) : this.constant(0n, width),
      );
      if (kept !== undefined) return kept;
    }
    if (a === b) return a;
    if (this.#opposite(a, b)) return this.constant(0n, a.width);
    return this.#pair("and", a, b);
  }

  or(a: Term, b: Term): Term {
    if (a.op === "const" && b.op !== "const") return this.or(b, a);
    if (b.op === "const") {
      if (a.op === "const") return this.constant(a.value | b.value, a.width);
      const kept = this.#byRuns(b, (bit, low, width) =>
        bit === 1n ? this.constant(-1n, width) : this.slice(a, low, width),
      );
      if (kept !== undefined) return kept;
    }
    if (a === b) return a;
    if (this.#opposite(a, b)) return this.constant(-1n, a.width);
    return this.#orOfParts(a, b) ?? this.#pair("or", a, b);
  }

  /** `x << k | y`, where at each bit one side is a constant: a concatenation. */
  #orOfParts(a: Term, b: Term): Term | undefined {
    if (a.op !== "concat" || b.op !== "concat") return undefined;
    const cuts = [...new Set([...cutsOf(a), ...cutsOf(b)])].sort((x, y) => y - x);
    const parts: Term[] = [];
    for (let i = 0; i + 1 < cuts.length; i++) {
      const low = defined(cuts[i + 1]);
      const width = defined(cuts[i]) - low;
      const [left, right] = [this.slice(a, low, width), this.slice(b, low, width)];
      if (left.op !== "const" && right.op !== "const") return undefined;
      parts.push(this.or(left, right));
    }
    return this.concat(...parts);
  }

  xor(a: Term, b: Term): Term {
    if (a.op === "const" && b.op === "const") return this.constant(a.value ^ b.value, a.width);
    if (a === b) return this.constant(0n, a.width);
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      if (one.op !== "const") continue;
      if (one.value === 0n) return other;
      if (one.value === maskOf(one.width)) return this.not(other);
    }
    return this.#pair("xor", a, b);
  }

  /** Both of width 1, where one is the negation of the other, or of any width. */
  #opposite(a: Term, b: Term): boolean {
    return (a.op === "not" && a.args[0] === b) || (b.op === "not" && b.args[0] === a);
  }

  #byRuns(mask: Term, part: (bit: bigint, low: number, width: number) => Term): Term | undefined {
    const runs: { bit: bigint; low: number; width: number }[] = [];
    for (let i = 0; i < mask.width; i++) {
      const bit = (mask.value >> BigInt(i)) & 1n;
      const last = runs.at(-1);
      if (last !== undefined && last.bit === bit) last.width++;
      else runs.push({ bit, low: i, width: 1 });
      if (runs.length > MAX_RUNS) return undefined;
    }
    return this.concat(...runs.reverse().map(({ bit, low, width }) => part(bit, low, width)));
  }

  #pair(op: Op, a: Term, b: Term, width = a.width): Term {
    const args = COMMUTATIVE.has(op) && a.id > b.id ? [b, a] : [a, b];
    return this.#make(op, width, args, {});
  }

  add(a: Term, b: Term): Term {
    if (a.op === "const" && b.op !== "const") return this.add(b, a);
    if (b.op === "const") {
      if (a.op === "const") return this.constant(a.value + b.value, a.width);
      if (b.value === 0n) return a;
      const [inner, more] = a.args;
      if (a.op === "add" && more?.op === "const")
        return this.add(defined(inner), this.constant(more.value + b.value, a.width));
      // The constant stays at the right, so that sums of constants meet.
      return this.#make("add", a.width, [a, b], {});
    }
    return this.#pair("add", a, b);
  }

  negate(a: Term): Term {
    return this.add(this.not(a), this.constant(1n, a.width));
  }

  subtract(a: Term, b: Term): Term {
    if (a === b) return this.constant(0n, a.width);
    return b.op === "const"
      ? this.add(a, this.constant(-b.value, a.width))
      : this.add(this.add(a, this.not(b)), this.constant(1n, a.width));
  }

  multiply(a: Term, b: Term): Term {
    if (a.op === "const" && b.op !== "const") return this.multiply(b, a);
    if (b.op === "const") {
      if (a.op === "const") return this.constant(a.value * b.value, a.width);
      if (b.value === 0n) return b;
      if ((b.value & (b.value - 1n)) === 0n) return this.shiftLeft(a, b.value.toString(2).length - 1);
    }
    return this.#pair("mul", a, b);
  }

  divide(a: Term, b: Term): Term {
    if (a.op === "const" && b.op === "const")
      return this.constant(b.value === 0n ? 0n : a.value / b.value, a.width);
    return this.#make("div", a.width, [a, b], {});
  }

  remainder(a: Term, b: Term): Term {
    if (a.op === "const" && b.op === "const")
      return this.constant(b.value === 0n ? 0n : a.value % b.value, a.width);
    // The low bits, of a power of two.
    if (b.op === "const" && b.value > 0n && (b.value & (b.value - 1n)) === 0n)
      return this.and(a, this.constant(b.value - 1n, a.width));
    return this.#make("rem", a.width, [a, b], {});
  }

  /** By a constant number of places. */
  shiftLeft(a: Term, by: number): Term {
    if (by >= a.width) return this.constant(0n, a.width);
    return this.concat(this.slice(a, 0, a.width - by), this.constant(0n, by));
  }

  /** Zeros come in. */
  shiftRight(a: Term, by: number): Term {
    if (by >= a.width) return this.constant(0n, a.width);
    return this.concat(this.constant(0n, by), this.slice(a, by, a.width - by));
  }

  /** By a term, of any width, as a number without sign. */
  shiftBy(op: "shl" | "shr", a: Term, by: Term): Term {
    if (by.op !== "const") return this.#make(op, a.width, [a, by], {});
    const places = by.value > BigInt(a.width) ? a.width : Number(by.value);
    return op === "shl" ? this.shiftLeft(a, places) : this.shiftRight(a, places);
  }

  /** Zeros in front. */
  extend(a: Term, width: number): Term {
    return this.concat(this.constant(0n, width - a.width), a);
  }

  /** The sign in front. */
  signExtend(a: Term, width: number): Term {
    if (width === a.width) return a;
    const sign = this.slice(a, a.width - 1, 1);
    const zero = this.constant(0n, width - a.width);
    return this.concat(this.choose(sign, this.not(zero), zero), a);
  }

  equal(a: Term, b: Term): Term {
    if (a === b) return this.true;
    if (a.op === "const" && b.op === "const") return this.truth(a.value === b.value);
    if (a.op === "const") return this.equal(b, a);
    if (a.width === 1 && b.op === "const") return b.value === 1n ? a : this.not(a);
    if (a.op === "concat") {
      let at = a.width;
      let all = this.true;
      // Part by part, where the other side is as simple there.
      if (b.op === "const" || b.op === "concat") {
        for (const part of a.args) {
          at -= part.width;
          all = this.and(all, this.equal(part, this.slice(b, at, part.width)));
          if (all === this.false) return all;
        }
        return all;
      }
    } else if (b.op === "concat") return this.equal(b, a);
    if (a.op === "not" && b.op === "const") return this.equal(defined(a.args[0]), this.not(b));
    if (a.op === "add" && b.op === "const" && a.args[1]?.op === "const")
      return this.equal(defined(a.args[0]), this.constant(b.value - a.args[1].value, a.width));
    return this.#pair("eq", a, b, 1);
  }

  /** As numbers without sign. */
  less(a: Term, b: Term): Term {
    if (a === b) return this.false;
    if (a.op === "const" && b.op === "const") return this.truth(a.value < b.value);
    if (b.op === "const" && b.value === 0n) return this.false;
    if (a.op === "const" && a.value === maskOf(a.width)) return this.false;
    return this.#make("less", 1, [a, b], {});
  }

  signedLess(a: Term, b: Term): Term {
    const top = this.constant(1n << BigInt(a.width - 1), a.width);
    return this.less(this.xor(a, top), this.xor(b, top));
  }

  choose(condition: Term, a: Term, b: Term): Term {
    if (condition === this.true || a === b) return a;
    if (condition === this.false) return b;
    if (a.width === 1) {
      if (a === this.true) return this.or(condition, b);
      if (a === this.false) return this.and(this.not(condition), b);
      if (b === this.true) return this.or(this.not(condition), a);
      if (b === this.false) return this.and(condition, a);
    }
    return this.#make("if", a.width, [condition, a, b], {});
  }

  nonZero(a: Term): Term {
    return this.not(this.equal(a, this.constant(0n, a.width)));
  }

  all(terms: readonly Term[]): Term {
    return terms.reduce((sum, term) => this.and(sum, term), this.true);
  }
}

function sliceOf(term: Term): { of: Term; low: number } {
  return term.op === "slice" ? { of: defined(term.args[0]), low: term.low } : { of: term, low: 0 };
}

/** Places between the parts of a concatenation, with both ends. */
function cutsOf(term: Term): number[] {
  let at = term.width;
  return [at, ...term.args.map((part) => (at -= part.width))];
}

/** Computes terms under a model; what was computed is kept. */
export class Evaluator {
  readonly #values = new Map<Term, bigint>();

  constructor(readonly model: Model) {}

  valueOf(term: Term): bigint {
    const known = this.#values.get(term);
    if (known !== undefined) return known;
    // A stack of its own: terms may be deep.
    const open = [term];
    while (open.length > 0) {
      const next = defined(open.at(-1));
      const missing = next.args.filter((arg) => !this.#values.has(arg));
      if (missing.length > 0) open.push(...missing);
      else {
        open.pop();
        this.#values.set(next, BigInt.asUintN(next.width, this.#compute(next)));
      }
    }
    return defined(this.#values.get(term));
  }

  #compute({ op, args, value, low, name, width }: Term): bigint {
    const at = (i: number) => defined(this.#values.get(defined(args[i])));
    switch (op) {
      case "const":
        return value;
      case "var":
        return this.model.get(name) ?? 0n;
      case "concat":
        return args.reduce((sum, arg, i) => (sum << BigInt(arg.width)) | at(i), 0n);
      case "slice":
        return at(0) >> BigInt(low);
      case "not":
        return ~at(0);
      case "and":
        return at(0) & at(1);
      case "or":
        return at(0) | at(1);
      case "xor":
        return at(0) ^ at(1);
      case "add":
        return at(0) + at(1);
      case "mul":
        return at(0) * at(1);
      case "div":
        return at(1) === 0n ? 0n : at(0) / at(1);
      case "rem":
        return at(1) === 0n ? 0n : at(0) % at(1);
      case "shl":
        return at(1) >= BigInt(width) ? 0n : at(0) << at(1);
      case "shr":
        return at(1) >= BigInt(width) ? 0n : at(0) >> at(1);
      case "eq":
        return at(0) === at(1) ? 1n : 0n;
      case "less":
        return at(0) < at(1) ? 1n : 0n;
      case "if":
        return at(0) === 1n ? at(1) : at(2);
    }
  }
}
