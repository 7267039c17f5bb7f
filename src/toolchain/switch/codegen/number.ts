/**
 * BMv2 computes expressions on integers without bounds and cuts the result when it is stored. Generated code gets the same
 * results from 32-bit words. Every operation has a static range (a number of bits, with or without sign), and words are
 * computed only for the low bits that are used.
 */
import { bitLength } from "../../../base/index.js";
import type { Emitter } from "./emitter.js";
import { wordsOf } from "./layout.js";

/** Values of the range: 0..2^width-1, or with sign -2^(width-1)..2^(width-1)-1. */
export interface Range {
  readonly width: number;
  readonly signed: boolean;
}

export type Num =
  | { readonly kind: "const"; readonly value: bigint }
  /** Stored words (pure expressions of int32), which hold the number's low `width` bits and zeros above. */
  | { readonly kind: "words"; readonly words: readonly string[]; readonly range: Range }
  | {
      readonly kind: "binary";
      readonly op: "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^";
      readonly a: Num;
      readonly b: Num;
    }
  | { readonly kind: "shl" | "shr"; readonly a: Num; readonly by: Num }
  | { readonly kind: "not" | "negate"; readonly a: Num }
  /** Truncates to two's complement of this number of bits. */
  | { readonly kind: "wrap"; readonly a: Num; readonly width: number }
  | { readonly kind: "clamp"; readonly a: Num; readonly range: Range }
  | { readonly kind: "select"; readonly condition: string; readonly a: Num; readonly b: Num };

/** Maximum width of intermediate results in bits; larger expressions are refused. No practical program has them. */
const MAX_WIDTH = 8192;

export class TooWide extends Error {}

/** A number in stored words. */
export type StoredWords = Extract<Num, { kind: "words" }>;

export function constant(value: bigint | number): Num {
  return { kind: "const", value: BigInt(value) };
}

/** One word of `width` bits (32 by default), without sign. */
export function word(expression: string, width = 32): StoredWords {
  return { kind: "words", words: [expression], range: { width, signed: false } };
}

function asSigned(range: Range): number {
  return range.signed ? range.width : range.width + 1;
}

/** The smallest range around both. */
function common(a: Range, b: Range): Range {
  if (!a.signed && !b.signed) return { width: Math.max(a.width, b.width), signed: false };
  return { width: Math.max(asSigned(a), asSigned(b)), signed: true };
}

const ranges = new WeakMap<Num, Range>();

/** Static range of a number. Shifts by variables make it huge; that only matters where the whole number is asked for. */
export function rangeOf(num: Num): Range {
  let range = ranges.get(num);
  if (range === undefined) {
    range = rangeOfNode(num);
    if (range.width > 2 ** 30) range = { width: 2 ** 30, signed: range.signed };
    ranges.set(num, range);
  }
  return range;
}

function rangeOfNode(num: Num): Range {
  switch (num.kind) {
    case "const":
      return num.value < 0n
        ? { width: bitLength(-num.value - 1n) + 1, signed: true }
        : { width: Math.max(1, bitLength(num.value)), signed: false };
    case "words":
    case "clamp":
      return num.range;
    case "binary":
      return binaryRange(num.op, rangeOf(num.a), rangeOf(num.b));
    case "shl": {
      const { width, signed } = rangeOf(num.a);
      const by =
        num.by.kind === "const" ? Number(num.by.value) : 2 ** Math.min(31, rangeOf(num.by).width) - 1;
      return { width: width + by, signed };
    }
    case "shr": {
      const { width, signed } = rangeOf(num.a);
      const by = num.by.kind === "const" ? Number(num.by.value) : 0;
      return { width: Math.max(1, width - by), signed };
    }
    case "not": {
      return { width: asSigned(rangeOf(num.a)), signed: true };
    }
    case "negate":
      return { width: asSigned(rangeOf(num.a)) + 1, signed: true };
    case "wrap":
      return { width: num.width, signed: true };
    case "select":
      return common(rangeOf(num.a), rangeOf(num.b));
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

/**
 * Words of a number, low first; `clean` when they are right to the top of the last word, not only in the bits asked for.
 * It counts only where at least as many bits are asked for as the number's range has.
 */
interface Words {
  readonly words: readonly string[];
  readonly clean: boolean;
}

/** An int32 literal. */
function literal(value: bigint, index: number): string {
  return String(Number(BigInt.asIntN(32, value >> BigInt(32 * index))));
}

/** Converts numbers to words; what does not fit in one expression becomes statements in the emitter. */
export class NumberWriter {
  constructor(readonly out: Emitter) {}

  /** ceil(bits / 32) words whose low `bits` bits are the number's. */
  low(num: Num, bits: number): Words {
    const count = wordsOf(bits);
    switch (num.kind) {
      case "const":
        return { words: Array.from({ length: count }, (_, i) => literal(num.value, i)), clean: true };
      case "words":
        return this.#stored(num.words, num.range, bits);
      case "binary":
        return this.#binary(num, bits);
      case "not": {
        const a = this.low(num.a, bits);
        return { words: a.words.map((w) => `(~${w})`), clean: a.clean };
      }
      case "negate":
        return this.#binary({ kind: "binary", op: "-", a: constant(0), b: num.a }, bits);
      case "shl":
        return this.#shiftLeft(num.a, num.by, bits);
      case "shr":
        return this.#shiftRight(num.a, num.by, bits);
      case "wrap": {
        if (bits <= num.width) return { words: this.low(num.a, bits).words, clean: false };
        const a = this.low(num.a, num.width);
        return { words: this.#extend(a.words, { width: num.width, signed: true }, count), clean: true };
      }
      case "clamp":
        return this.#clamp(num.a, num.range, count);
      case "select": {
        const a = this.low(num.a, bits);
        const b = this.low(num.b, bits);
        const condition = count > 1 ? this.out.hold(num.condition) : num.condition;
        return {
          words: a.words.map((w, i) => `(${condition} ? ${w} : ${b.words[i]})`),
          clean: a.clean && b.clean,
        };
      }
    }
  }

  /** The whole number: words of its range, extended by sign or zero to the top of the last word. */
  exact(num: Num): string[] {
    const range = rangeOf(num);
    return this.exactTo(num, range.width);
  }

  /** The same, at least as wide as its own range, with enough words for `bits`. */
  exactTo(num: Num, bits: number): string[] {
    const range = rangeOf(num);
    if (range.width > MAX_WIDTH) throw new TooWide(`an intermediate result may need ${range.width} bits`);
    const count = wordsOf(Math.max(bits, range.width));
    const got = this.low(num, range.width);
    if (got.clean && got.words.length === count) return [...got.words];
    return this.#extend(got.words, range, count, got.clean);
  }

  /** Words for storing in so many bits: bits above are 0. */
  cut(num: Num, width: number): string[] {
    const { words, clean } = this.low(num, width);
    const top = width & 31;
    if (top === 0) return [...words];
    const range = rangeOf(num);
    if (clean && !range.signed && range.width <= width) return [...words];
    return words.map((w, i) => (i === words.length - 1 ? `(${w} & ${2 ** top - 1})` : w));
  }

  /**
   * A number that is surely small as one int32 expression; anything above `limit` (less than 2^31) or negative
   * becomes `limit`.
   */
  small(num: Num, limit: number): string {
    const range = rangeOf(num);
    const words = this.exact(num);
    if (!range.signed && 2 ** range.width - 1 <= limit) return words[0]!;
    const low = this.out.hold(words[0]!);
    const high = words.slice(1).map((w) => `${w} !== 0`);
    return `(${[...high, `${low} >>> 0 > ${limit}`].join(" || ")} ? ${limit} : ${low})`;
  }

  equal(a: Num, b: Num): string {
    const bits = common(rangeOf(a), rangeOf(b)).width;
    const left = this.exactTo(a, bits);
    const right = this.exactTo(b, bits);
    return `(${left.map((w, i) => `${w} === ${right[i]}`).join(" && ")})`;
  }

  less(a: Num, b: Num): string {
    const range = common(rangeOf(a), rangeOf(b));
    const left = this.exactTo(a, range.width);
    const right = this.exactTo(b, range.width);
    const top = left.length - 1;
    const plain = range.signed || (range.width & 31) !== 0;
    const compare = (i: number) =>
      plain && i === top ? `${left[i]} < ${right[i]}` : `${left[i]} >>> 0 < ${right[i]} >>> 0`;
    for (let i = 1; i <= top; i++) {
      left[i] = this.out.hold(left[i]!);
      right[i] = this.out.hold(right[i]!);
    }
    let text = compare(0);
    for (let i = 1; i <= top; i++) text = `${compare(i)} || ${left[i]} === ${right[i]} && (${text})`;
    return `(${text})`;
  }

  nonZero(num: Num): string {
    const words = this.exact(num);
    return words.length === 1 ? `${words[0]} !== 0` : `(${words.join(" | ")}) !== 0`;
  }

  /** Words of `range` (whose bits above may be garbage unless clean) extended to `count` words. */
  #extend(words: readonly string[], range: Range, count: number, clean = false): string[] {
    const used = wordsOf(range.width);
    const result = words.slice(0, used);
    const spare = (32 - (range.width & 31)) & 31;
    if (!clean && spare !== 0) {
      // A number without a sign always is clean.
      result[used - 1] = `(${result[used - 1]} << ${spare} >> ${spare})`;
    }
    if (count > used && range.signed) {
      result[used - 1] = this.out.hold(result[used - 1]!);
      const fill = this.out.hold(`${result[used - 1]} >> 31`);
      while (result.length < count) result.push(fill);
    }
    while (result.length < count) result.push("0");
    return result;
  }

  #stored(words: readonly string[], range: Range, bits: number): Words {
    const count = wordsOf(bits);
    if (!range.signed || count * 32 <= range.width) {
      const result = words.slice(0, count);
      while (result.length < count) result.push("0");
      return { words: result, clean: true };
    }
    if (bits <= range.width) return { words: words.slice(0, count), clean: false };
    return { words: this.#extend(words, range, count), clean: true };
  }

  #binary(num: Num & { kind: "binary" }, bits: number): Words {
    const { op, a, b } = num;
    switch (op) {
      case "&":
        return this.#and(a, b, bits);
      case "|":
      case "^": {
        const left = this.low(a, bits);
        const right = this.low(b, bits);
        return {
          words: left.words.map((w, i) => bitwise(op, w, right.words[i]!)),
          clean: left.clean && right.clean,
        };
      }
      case "+":
      case "-":
        return this.#add(op, this.low(a, bits), this.low(b, bits));
      case "*": {
        const left = this.low(a, bits);
        const right = this.low(b, bits);
        // The range of a product is wider than that of each factor, so that these are clean where it counts.
        if (left.words.length === 1)
          return { words: [`Math.imul(${left.words[0]}, ${right.words[0]})`], clean: true };
        return { words: this.#scratch("multiplyWords", [left.words, right.words], ""), clean: true };
      }
      case "/":
      case "%": {
        const width = Math.max(rangeOf(a).width, rangeOf(b).width);
        const left = this.exactTo(a, width);
        const right = this.exactTo(b, width);
        if (left.length === 1) {
          const divisor = this.out.hold(right[0]!);
          const quotient = `(${divisor} === 0 ? 0 : (${left[0]} >>> 0) ${op} (${divisor} >>> 0) | 0)`;
          return { words: fitWords([quotient], wordsOf(bits)), clean: true };
        }
        const result = this.#scratch("divideWords", [left, right], `, ${op === "%"}`);
        return { words: fitWords(result, wordsOf(bits)), clean: true };
      }
    }
  }

  #and(a: Num, b: Num, bits: number): Words {
    if (a.kind === "const" && b.kind !== "const") return this.#and(b, a, bits);
    const count = wordsOf(bits);
    if (b.kind === "const" && b.value >= 0n) {
      const needed = Math.min(bits, Math.max(1, bitLength(b.value)));
      const { words: left, clean } = this.low(a, needed);
      const allOnes = b.value === (1n << BigInt(bitLength(b.value))) - 1n;
      const keep = clean && allOnes && !rangeOf(a).signed && rangeOf(a).width <= bitLength(b.value);
      const words = Array.from({ length: count }, (_, i) => {
        const mask = literal(b.value, i);
        return i >= left.length || mask === "0"
          ? "0"
          : mask === "-1" || keep
            ? left[i]!
            : `(${left[i]} & ${mask})`;
      });
      return { words, clean: true };
    }
    const left = this.low(a, bits);
    const right = this.low(b, bits);
    return {
      words: left.words.map((w, i) => bitwise("&", w, right.words[i]!)),
      // The zeros above an operand without a sign are above the result too.
      clean: !binaryRange("&", rangeOf(a), rangeOf(b)).signed || (left.clean && right.clean),
    };
  }

  /** The range of a sum or difference is wider than that of each operand, so that these are clean where it counts. */
  #add(op: "+" | "-", { words: a }: Words, { words: b }: Words): Words {
    if (a.length === 1) return { words: [`(${a[0]} ${op} ${b[0]} | 0)`], clean: true };
    const words: string[] = [];
    let carry = "";
    const last = a.length - 1;
    a.forEach((left, i) => {
      const right = b[i]!;
      if (i === last) {
        words.push(`(${left} ${op} ${right} ${op} ${carry} | 0)`);
        return;
      }
      // Doubles hold these sums exactly, so the carry is whether they leave 0..2^32-1.
      const sum = this.out.hold(
        `(${left} >>> 0) ${op} (${right} >>> 0)${carry === "" ? "" : ` ${op} ${carry}`}`,
      );
      carry = this.out.hold(op === "+" ? `${sum} > 4294967295 ? 1 : 0` : `${sum} < 0 ? 1 : 0`);
      words.push(`(${sum} | 0)`);
    });
    return { words, clean: true };
  }

  #shiftLeft(a: Num, by: Num, bits: number): Words {
    const count = wordsOf(bits);
    const { words, clean } = this.low(a, bits);
    if (by.kind === "const") {
      const distance = by.value < 0n || by.value > BigInt(MAX_WIDTH) ? MAX_WIDTH : Number(by.value);
      // Each word goes into two words of the result.
      const held = words.length > 1 ? words.map((w) => this.out.hold(w)) : words;
      return { words: shiftConstant(held, -distance, "0"), clean };
    }
    const distance = this.out.hold(this.small(by, 32 * count));
    if (count === 1) {
      const fits = !rangeOf(by).signed && rangeOf(by).width <= 5;
      return {
        words: [
          fits ? `(${words[0]} << ${distance})` : `(${distance} > 31 ? 0 : ${words[0]} << ${distance})`,
        ],
        clean,
      };
    }
    return { words: this.#scratch("shiftWordsLeft", [words], `, ${distance}`), clean };
  }

  #shiftRight(a: Num, by: Num, bits: number): Words {
    const count = wordsOf(bits);
    const range = rangeOf(a);
    const words = this.exact(a);
    const top = words.length - 1;
    words[top] = range.signed ? this.out.hold(words[top]!) : words[top]!;
    const fill = range.signed ? `(${words[top]} >> 31)` : "0";
    if (by.kind === "const") {
      const distance = by.value < 0n || by.value > BigInt(MAX_WIDTH) ? MAX_WIDTH : Number(by.value);
      const held = words.length > 1 ? words.map((w) => this.out.hold(w)) : words;
      return { words: fitWords(shiftConstant(held, distance, fill), count, fill), clean: true };
    }
    const distance = this.out.hold(this.small(by, 32 * words.length));
    if (words.length === 1) {
      const value = words[0]!;
      const fits = !rangeOf(by).signed && rangeOf(by).width <= 5;
      const shifted = range.signed
        ? `(${value} >> ${fits ? distance : `(${distance} > 31 ? 31 : ${distance})`})`
        : fits
          ? `(${value} >>> ${distance} | 0)`
          : `(${distance} > 31 ? 0 : ${value} >>> ${distance} | 0)`;
      return {
        words: fitWords([shifted], count, range.signed ? `(${this.out.hold(shifted)} >> 31)` : "0"),
        clean: true,
      };
    }
    const result = this.#scratch("shiftWordsRight", [words], `, ${distance}, ${fill}`);
    return { words: fitWords(result, count, range.signed ? `(${result[top]} >> 31)` : "0"), clean: true };
  }

  #clamp(a: Num, range: Range, count: number): Words {
    const bits = BigInt(range.signed ? range.width - 1 : range.width);
    const high = (1n << bits) - 1n;
    const low = range.signed ? -(1n << bits) : 0n;
    const own = rangeOf(a);
    const words = this.exactTo(a, Math.max(range.width + 1, own.width));
    const held: Num = {
      kind: "words",
      words: words.map((w) => this.out.hold(w)),
      range: { width: 32 * words.length, signed: own.signed },
    };
    const above = this.out.hold(this.less(constant(high), held));
    const below = own.signed ? this.out.hold(this.less(held, constant(low))) : "false";
    const result = Array.from({ length: count }, (_, i) => {
      const value = held.words[i] ?? (own.signed ? `(${held.words.at(-1)} >> 31)` : "0");
      return `(${above} ? ${literal(high, i)} : ${below} ? ${literal(low, i)} : ${value})`;
    });
    return { words: result, clean: true };
  }

  /** Calls a helper of wide.ts; with two operands the result is stored after them, with one operand in its place. */
  #scratch(helper: string, operands: readonly (readonly string[])[], more: string): string[] {
    const n = operands[0]!.length;
    const flat = operands.flat().map((w) => this.out.hold(w));
    flat.forEach((w, i) => {
      this.out.line(`W[${i}] = ${w};`);
    });
    this.out.line(`${helper}(W, ${n}${more});`);
    const at = operands.length === 1 ? 0 : 2 * n;
    return Array.from({ length: n }, (_, i) => this.out.hold(`W[${at + i}]`));
  }
}

function bitwise(op: string, a: string, b: string): string {
  if (a === "0") return op === "&" ? "0" : b;
  if (b === "0") return op === "&" ? "0" : a;
  return `(${a} ${op} ${b})`;
}

function fitWords(words: readonly string[], count: number, fill = "0"): string[] {
  return Array.from({ length: count }, (_, i) => words[i] ?? fill);
}

/** Words shifted right by a constant (left when negative), `fill` coming in from above. */
function shiftConstant(words: readonly string[], distance: number, fill: string): string[] {
  const skip = Math.floor(distance / 32);
  const bits = distance - 32 * skip;
  const at = (i: number) => (i < 0 ? "0" : (words[i] ?? fill));
  return words.map((_, i) => {
    const low = at(i + skip);
    if (bits === 0) return low;
    const high = at(i + skip + 1);
    // At the top of a signed number the shift itself brings the sign in.
    const signed = fill !== "0" && i + skip >= words.length - 1;
    const parts = [];
    if (low !== "0") parts.push(`${low} ${signed ? ">>" : ">>>"} ${bits}`);
    if (high !== "0" && !signed) parts.push(`${high} << ${32 - bits}`);
    return parts.length === 0 ? "0" : `(${parts.join(" | ")})`;
  });
}
