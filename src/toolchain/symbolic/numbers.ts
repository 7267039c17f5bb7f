/**
 * Numbers of BMv2's expressions as bit vectors. BMv2 computes on integers without bounds and cuts the result where it is stored: each number has a range that
 * surely holds it, and only the bits that are asked for are made (switch/codegen/number.ts has the same rules for generated code).
 */
import { bitLength } from "../../base/index.js";
import type { Term, Terms } from "../solver/index.js";
import { Unhandled } from "./unhandled.js";

/** Without sign 0..2^width-1, with sign -2^(width-1)..2^(width-1)-1. */
export interface Range {
  readonly width: number;
  readonly signed: boolean;
}

export type Num =
  | { readonly kind: "const"; readonly value: bigint }
  | { readonly kind: "term"; readonly term: Term; readonly signed: boolean }
  | { readonly kind: "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^"; readonly a: Num; readonly b: Num }
  | { readonly kind: "<<" | ">>"; readonly a: Num; readonly by: Num }
  | { readonly kind: "~" | "negate"; readonly a: Num }
  | { readonly kind: "wrap"; readonly a: Num; readonly width: number }
  | { readonly kind: "clamp"; readonly a: Num; readonly range: Range }
  | { readonly kind: "choose"; readonly condition: Term; readonly a: Num; readonly b: Num };

/** Maximum width of an intermediate result, as that of the switch. */
const MAX_WIDTH = 8192;

function asSigned({ width, signed }: Range): number {
  return signed ? width : width + 1;
}

function common(a: Range, b: Range): Range {
  if (!a.signed && !b.signed) return { width: Math.max(a.width, b.width), signed: false };
  return { width: Math.max(asSigned(a), asSigned(b)), signed: true };
}

export function rangeOf(num: Num): Range {
  switch (num.kind) {
    case "const":
      return num.value < 0n
        ? { width: bitLength(-num.value - 1n) + 1, signed: true }
        : { width: Math.max(1, bitLength(num.value)), signed: false };
    case "term":
      return { width: Math.max(1, num.term.width), signed: num.signed };
    case "clamp":
      return num.range;
    case "wrap":
      return { width: num.width, signed: true };
    case "~":
      return { width: asSigned(rangeOf(num.a)), signed: true };
    case "negate":
      return { width: asSigned(rangeOf(num.a)) + 1, signed: true };
    case "choose":
      return common(rangeOf(num.a), rangeOf(num.b));
    case "<<": {
      const { width, signed } = rangeOf(num.a);
      const by =
        num.by.kind === "const" ? Number(num.by.value) : 2 ** Math.min(31, rangeOf(num.by).width) - 1;
      return { width: Math.min(2 ** 30, width + by), signed };
    }
    case ">>":
      return rangeOf(num.a);
    default:
      return binaryRange(num.kind, rangeOf(num.a), rangeOf(num.b));
  }
}

function binaryRange(op: string, a: Range, b: Range): Range {
  const both = common(a, b);
  switch (op) {
    case "&":
      if (!a.signed && !b.signed) return { width: Math.min(a.width, b.width), signed: false };
      return !a.signed ? a : !b.signed ? b : both;
    case "+":
      return { width: both.width + 1, signed: both.signed };
    case "-":
      return { width: both.width + 1, signed: true };
    case "*":
      return !both.signed
        ? { width: a.width + b.width, signed: false }
        : { width: asSigned(a) + asSigned(b), signed: true };
    case "/":
    case "%":
      return a;
    default:
      return both;
  }
}

export class Numbers {
  constructor(readonly terms: Terms) {}

  /** The number's low bits. */
  low(num: Num, bits: number): Term {
    const { terms } = this;
    switch (num.kind) {
      case "const":
        return terms.constant(num.value, bits);
      case "term":
        if (bits <= num.term.width) return terms.slice(num.term, 0, bits);
        return num.signed ? terms.signExtend(num.term, bits) : terms.extend(num.term, bits);
      case "+":
        return terms.add(this.low(num.a, bits), this.low(num.b, bits));
      case "-":
        return terms.subtract(this.low(num.a, bits), this.low(num.b, bits));
      case "*":
        return terms.multiply(this.low(num.a, bits), this.low(num.b, bits));
      case "&":
        return terms.and(this.low(num.a, bits), this.low(num.b, bits));
      case "|":
        return terms.or(this.low(num.a, bits), this.low(num.b, bits));
      case "^":
        return terms.xor(this.low(num.a, bits), this.low(num.b, bits));
      case "~":
        return terms.not(this.low(num.a, bits));
      case "negate":
        return terms.negate(this.low(num.a, bits));
      case "/":
      case "%":
        return this.#divide(num.kind, num.a, num.b, bits);
      case "<<":
        return terms.shiftBy("shl", this.low(num.a, bits), this.#places(num.by));
      case ">>":
        return this.#shiftRight(num.a, num.by, bits);
      case "wrap":
        return bits <= num.width ? this.low(num.a, bits) : terms.signExtend(this.low(num.a, num.width), bits);
      case "clamp":
        return this.#clamp(num.a, num.range, bits);
      case "choose":
        return terms.choose(num.condition, this.low(num.a, bits), this.low(num.b, bits));
    }
  }

  /** The whole number, with the sign or zeros up to so many bits. */
  exact(num: Num, least = 0): Term {
    const { width } = rangeOf(num);
    if (width > MAX_WIDTH) throw new Unhandled(`an intermediate result of up to ${width} bits`);
    return this.low(num, Math.max(width, least));
  }

  equal(a: Num, b: Num): Term {
    const { width } = common(rangeOf(a), rangeOf(b));
    return this.terms.equal(this.exact(a, width), this.exact(b, width));
  }

  less(a: Num, b: Num): Term {
    const { width, signed } = common(rangeOf(a), rangeOf(b));
    const [left, right] = [this.exact(a, width), this.exact(b, width)];
    return signed ? this.terms.signedLess(left, right) : this.terms.less(left, right);
  }

  nonZero(num: Num): Term {
    return this.terms.nonZero(this.exact(num));
  }

  #places(by: Num): Term {
    if (rangeOf(by).signed) throw new Unhandled("a shift by a number with sign");
    return this.exact(by);
  }

  #shiftRight(a: Num, by: Num, bits: number): Term {
    const { signed, width } = rangeOf(a);
    const places = this.#places(by);
    const whole = this.exact(a, bits);
    if (!signed) return this.terms.slice(this.terms.shiftBy("shr", whole, places), 0, bits);
    // The sign comes in: shift the complement of a negative number.
    const sign = this.terms.slice(whole, width - 1, 1);
    const mask = this.terms.signExtend(sign, whole.width);
    const shifted = this.terms.xor(this.terms.shiftBy("shr", this.terms.xor(whole, mask), places), mask);
    return this.terms.slice(shifted, 0, bits);
  }

  #divide(op: "/" | "%", a: Num, b: Num, bits: number): Term {
    if (rangeOf(a).signed || rangeOf(b).signed) throw new Unhandled("a division of numbers with sign");
    const width = Math.max(rangeOf(a).width, rangeOf(b).width, bits);
    const [left, right] = [this.exact(a, width), this.exact(b, width)];
    const result = op === "/" ? this.terms.divide(left, right) : this.terms.remainder(left, right);
    return this.terms.slice(result, 0, bits);
  }

  #clamp(a: Num, { width, signed }: Range, bits: number): Term {
    const { terms } = this;
    const top = BigInt(signed ? width - 1 : width);
    const high: Num = { kind: "const", value: (1n << top) - 1n };
    const low: Num = { kind: "const", value: signed ? -(1n << top) : 0n };
    const kept = terms.choose(this.less(high, a), this.low(high, bits), this.low(a, bits));
    return rangeOf(a).signed ? terms.choose(this.less(a, low), this.low(low, bits), kept) : kept;
  }
}
