/**
 * Generated expressions for widths that are known: they have no operation that the widths make superfluous, since every packet would pay for
 * it. That they give the right numbers is held by number.test.ts and by the golden programs.
 */
import { describe, expect, it } from "vitest";
import { type BitPart, chunk, load } from "../../../../src/toolchain/switch/codegen/bits.js";
import { Emitter } from "../../../../src/toolchain/switch/codegen/emitter.js";
import {
  constant,
  type Num,
  NumberWriter,
  TooWide,
  word,
} from "../../../../src/toolchain/switch/codegen/number.js";

/** The statements that an expression needs before it, then the expressions. */
function written(write: (numbers: NumberWriter) => string | readonly string[]): string[] {
  const out = new Emitter();
  const result = write(new NumberWriter(out));
  const lines = out
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  return [...lines, ...(typeof result === "string" ? [result] : result)];
}

const x = (width: number) => word("x", width);
const y = (width: number) => word("y", width);
const wide = (name: string, width: number): Num => ({
  kind: "words",
  words: Array.from({ length: Math.ceil(width / 32) }, (_, i) => `${name}${i}`),
  range: { width, signed: false },
});
const signed = (name: string, width: number): Num => ({
  kind: "words",
  words: [name],
  range: { width, signed: true },
});
const binary = (op: Extract<Num, { kind: "binary" }>["op"], a: Num, b: Num): Num => ({
  kind: "binary",
  op,
  a,
  b,
});
const shl = (a: Num, by: Num): Num => ({ kind: "shl", a, by });
const shr = (a: Num, by: Num): Num => ({ kind: "shr", a, by });
const select = (a: Num, b: Num): Num => ({ kind: "select", condition: "p > 1", a, b });
const wrap = (a: Num, width: number): Num => ({ kind: "wrap", a, width });

describe("a number that is stored in so many bits", () => {
  it.each<[string, Num, number, string[]]>([
    ["a constant", constant(5), 8, ["5"]],
    ["a constant of two words", constant(0x1ffffffffn), 40, ["-1", "1"]],
    ["a field of the same width", x(8), 8, ["x"]],
    ["a field of one word", x(32), 32, ["x"]],
    ["a narrower field", x(8), 16, ["x"]],
    ["a narrower field, in two words", x(8), 40, ["x", "0"]],
    ["a wider field", x(16), 8, ["(x & 255)"]],
    ["a wider field, to whole words", wide("x", 64), 32, ["x0"]],
    ["a wider field, to the middle of a word", wide("x", 64), 40, ["x0", "(x1 & 255)"]],
    ["a sum, of which the carry is lost", binary("+", x(8), y(8)), 8, ["((x + y | 0) & 255)"]],
    ["a sum with its carry", binary("+", x(8), y(8)), 9, ["(x + y | 0)"]],
    ["a sum of one word", binary("+", x(32), y(32)), 32, ["(x + y | 0)"]],
    ["a product with all of its bits", binary("*", x(8), y(8)), 16, ["Math.imul(x, y)"]],
    ["bits of any of two", binary("|", x(8), y(8)), 8, ["(x | y)"]],
    ["bits of any of two, of different width", binary("|", wide("x", 64), y(8)), 64, ["(x0 | y)", "x1"]],
    ["bits of both", binary("&", x(8), y(8)), 8, ["(x & y)"]],
    ["bits of both, of different width", binary("&", y(8), wide("x", 64)), 64, ["(y & x0)", "0"]],
    ["some bits", binary("&", x(8), constant(15)), 8, ["(x & 15)"]],
    ["some bits, the constant first", binary("&", constant(15), x(8)), 8, ["(x & 15)"]],
    ["all bits", binary("&", x(8), constant(0xff)), 8, ["x"]],
    ["more than all bits", binary("&", x(8), constant(0xffff)), 8, ["x"]],
    ["all bits but the lowest", binary("&", x(8), constant(0xfe)), 8, ["(x & 254)"]],
    ["the low word", binary("&", wide("x", 64), constant(0xffffffffn)), 64, ["x0", "0"]],
    ["the low byte of two words", binary("&", wide("x", 64), constant(0xff)), 64, ["(x0 & 255)", "0"]],
    ["the complement", { kind: "not", a: x(8) }, 8, ["((~x) & 255)"]],
    ["a shift to the left, with lost bits", shl(x(8), constant(4)), 8, ["((x << 4) & 255)"]],
    ["a shift to the left, without", shl(x(8), constant(4)), 12, ["(x << 4)"]],
    ["a shift to the left by at most 31", shl(x(32), y(5)), 32, ["(x << y)"]],
    [
      "a shift to the left by at most 63",
      shl(x(32), y(6)),
      32,
      ["const t0 = (y >>> 0 > 32 ? 32 : y);", "(t0 > 31 ? 0 : x << t0)"],
    ],
    [
      "a shift to the left in two words",
      shl(wide("x", 64), constant(8)),
      64,
      ["(x0 << 8)", "(x0 >>> 24 | x1 << 8)"],
    ],
    ["a shift to the right", shr(x(8), constant(4)), 8, ["(x >>> 4)"]],
    ["a shift to the right by whole words", shr(wide("x", 64), constant(32)), 32, ["x1"]],
    ["a shift to the right in two words", shr(wide("x", 64), constant(8)), 32, ["(x0 >>> 8 | x1 << 24)"]],
    ["a shift to the right by at most 31", shr(x(32), y(5)), 32, ["(x >>> y | 0)"]],
    [
      "a shift of a sum to the right, in one word",
      shr(binary("+", x(8), y(8)), constant(1)),
      8,
      ["((x + y | 0) >>> 1)"],
    ],
    [
      "a shift of a sum to the left, in one word",
      shl(binary("+", x(8), y(8)), constant(1)),
      10,
      ["((x + y | 0) << 1)"],
    ],
    [
      "a shift of sums to the left, each word computed once",
      shl(binary("|", wide("x", 64), wide("y", 64)), constant(8)),
      64,
      ["const t0 = (x0 | y0);", "const t1 = (x1 | y1);", "(t0 << 8)", "(t0 >>> 24 | t1 << 8)"],
    ],
    [
      "a shift of sums to the right, each word computed once",
      shr(binary("|", wide("x", 64), wide("y", 64)), constant(8)),
      64,
      ["const t0 = (x0 | y0);", "const t1 = (x1 | y1);", "(t0 >>> 8 | t1 << 24)", "(t1 >>> 8)"],
    ],
    [
      "a sum of two words",
      binary("+", wide("x", 64), wide("y", 64)),
      64,
      [
        "const t0 = (x0 >>> 0) + (y0 >>> 0);",
        "const t1 = t0 > 4294967295 ? 1 : 0;",
        "(t0 | 0)",
        "(x1 + y1 + t1 | 0)",
      ],
    ],
    ["a quotient", binary("/", x(8), y(8)), 8, ["(y === 0 ? 0 : (x >>> 0) / (y >>> 0) | 0)"]],
    ["the high word", binary("&", wide("x", 64), constant(0xffffffff_00000000n)), 64, ["0", "x1"]],
    ["one of two", select(x(8), y(8)), 8, ["(p > 1 ? x : y)"]],
    [
      "one of two, of two words: the condition is computed once",
      select(wide("x", 64), wide("y", 64)),
      64,
      ["const t0 = p > 1;", "(t0 ? x0 : y0)", "(t0 ? x1 : y1)"],
    ],
    ["a signed number, to its own width", wrap(x(8), 8), 8, ["(x & 255)"]],
    ["a signed number of one word", signed("x", 32), 32, ["x"]],
  ])("%s", (_, num, width, code) => {
    expect(written((numbers) => numbers.cut(num, width))).toEqual(code);
  });
});

describe("a number as a whole", () => {
  it.each<[string, Num, string[]]>([
    ["of one word", x(8), ["x"]],
    ["with a sign, of one word", signed("x", 32), ["x"]],
    ["with a sign, of some bits", signed("x", 8), ["(x << 24 >> 24)"]],
    ["with a sign, of a wider field", wrap(x(32), 8), ["(x << 24 >> 24)"]],
    ["that was shifted into one word", shr(wide("x", 33), constant(1)), ["(x0 >>> 1 | x1 << 31)"]],
    ["that is the complement of 31 bits", { kind: "not", a: x(31) }, ["(~x)"]],
    ["of the bits of a number with a sign", binary("&", signed("x", 8), y(8)), ["(x & y)"]],
  ])("%s", (_, num, code) => {
    expect(written((numbers) => numbers.exact(num))).toEqual(code);
  });

  it("has up to 8192 bits", () => {
    const bits = (width: number) => written((numbers) => numbers.exact(wide("x", width)));
    expect(bits(8192)).toHaveLength(256);
    expect(() => bits(8193)).toThrow(TooWide);
  });
});

describe("a comparison", () => {
  it.each<[string, (numbers: NumberWriter) => string, string]>([
    ["of narrow numbers", (n) => n.less(x(8), y(8)), "(x < y)"],
    ["of 31 bits", (n) => n.less(x(31), y(31)), "(x < y)"],
    ["of 32 bits", (n) => n.less(x(32), y(32)), "(x >>> 0 < y >>> 0)"],
    ["of 32 bits with sign", (n) => n.less(signed("x", 32), signed("y", 32)), "(x < y)"],
    [
      "of 48 bits",
      (n) => n.less(wide("x", 48), wide("y", 48)),
      "(x1 < y1 || x1 === y1 && (x0 >>> 0 < y0 >>> 0))",
    ],
    [
      "of 64 bits",
      (n) => n.less(wide("x", 64), wide("y", 64)),
      "(x1 >>> 0 < y1 >>> 0 || x1 === y1 && (x0 >>> 0 < y0 >>> 0))",
    ],
    ["for equality", (n) => n.equal(x(8), y(32)), "(x === y)"],
    ["for equality with a constant", (n) => n.equal(x(8), constant(3)), "(x === 3)"],
    ["for equality of two words", (n) => n.equal(wide("x", 64), y(8)), "(x0 === y && x1 === 0)"],
    ["with 0", (n) => n.nonZero(x(8)), "x !== 0"],
    ["of two words with 0", (n) => n.nonZero(wide("x", 64)), "(x0 | x1) !== 0"],
    ["with a limit that no value exceeds", (n) => n.small(x(4), 15), "x"],
    ["with a limit", (n) => n.small(x(4), 14), "(x >>> 0 > 14 ? 14 : x)"],
    ["of two words with a limit", (n) => n.small(wide("x", 64), 9), "(x1 !== 0 || x0 >>> 0 > 9 ? 9 : x0)"],
  ])("%s", (_, write, code) => {
    expect(written(write)).toEqual([code]);
  });
});

describe("bits of joined fields", () => {
  const part = (name: string, width: number): BitPart => ({
    words: Array.from({ length: Math.ceil(width / 32) }, (_, i) => `${name}${i}`),
    width,
  });
  it.each<[string, BitPart[], number, number, string]>([
    ["all of a field", [part("a", 8)], 0, 8, "a0"],
    ["all of a field of 31 bits", [part("a", 31)], 0, 31, "a0"],
    ["all of a word", [part("a", 32)], 0, 32, "a0"],
    ["the top of a word", [part("a", 32)], 0, 8, "(a0 >>> 24)"],
    ["the top of a field", [part("a", 16)], 0, 8, "(a0 >>> 8)"],
    ["the top of the low word", [part("a", 64)], 32, 8, "(a0 >>> 24)"],
    ["the top of a field, over two words", [part("a", 40)], 0, 16, "((a0 >>> 24) | (a1 << 8))"],
    ["32 bits over two words", [part("a", 48)], 0, 32, "((a0 >>> 16) | (a1 << 16))"],
    ["the low word", [part("a", 48)], 16, 32, "a0"],
    ["the end of a field", [part("a", 16)], 8, 8, "((a0) & 255)"],
    ["31 bits at the end of a field", [part("a", 32)], 1, 31, "((a0) & 2147483647)"],
    ["the end of the high word", [part("a", 64)], 16, 16, "((a1) & 65535)"],
    ["the middle of a word", [part("a", 32)], 8, 8, "((a0 >>> 16) & 255)"],
    ["the middle, over two words", [part("a", 48)], 8, 16, "(((a0 >>> 24) | (a1 << 8)) & 65535)"],
    ["two fields", [part("a", 4), part("b", 4)], 0, 8, "((a0 << 4) | b0)"],
    ["two fields and zeros after them", [part("a", 3), part("b", 7)], 0, 16, "((a0 << 13) | (b0 << 6))"],
    ["one of two fields", [part("a", 8), part("b", 8)], 8, 8, "b0"],
    ["a constant 0 and a field", [{ words: ["0"], width: 8 }, part("b", 8)], 0, 16, "b0"],
    ["nothing", [part("a", 8)], 8, 8, "0"],
  ])("%s", (_, parts, from, count, code) => {
    expect(chunk(parts, from, count, false)).toBe(code);
  });

  it("need no mask where they are stored in a byte", () => {
    expect(chunk([part("a", 16)], 8, 8, true)).toBe("a0");
    // Bits of another field are above these, so they are cut all the same.
    expect(chunk([part("a", 4), part("b", 8)], 0, 8, true)).toBe("((a0 << 4) | (b0 >>> 4))");
    expect(chunk([part("a", 12), part("b", 4)], 8, 8, true)).toBe("((a0 << 4) | b0)");
  });
});

describe("the load of a field", () => {
  it.each<[string, number, number, string[]]>([
    ["a byte", 0, 8, ["D[O]"]],
    ["the high bits of a byte", 0, 4, ["D[O] >>> 4"]],
    ["the low bits of a byte", 4, 4, ["(D[O] & 15)"]],
    ["bits within a byte", 1, 3, ["(D[O] & 127) >>> 4"]],
    ["two bytes", 0, 16, ["(D[O] << 8 | D[O + 1])"]],
    ["a part of the first byte", 4, 12, ["((D[O] & 15) << 8 | D[O + 1])"]],
    ["a part of the last byte", 8, 12, ["(D[O + 1] << 4 | D[O + 2] >>> 4)"]],
    [
      "two words",
      0,
      48,
      ["(D[O + 2] << 24 | D[O + 3] << 16 | D[O + 4] << 8 | D[O + 5])", "(D[O] << 8 | D[O + 1])"],
    ],
  ])("%s", (_, bit, width, code) => {
    expect(load("D", "O", bit, width)).toEqual(code);
  });
});
