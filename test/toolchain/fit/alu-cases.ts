/** Methods of register actions on both sides of each limit of the stateful ALU. Values of the packet: a, b, c of 32 bits, i, t of 16 bits. */

export interface AluCase {
  readonly name: string;
  /** Type of the entry and of the result. */
  readonly cell: string;
  readonly result: string;
  readonly method: string;
  /** The code of the finding; undefined: the compiler accepts the method. */
  readonly code?: string;
  /** The chip on which it is so; else on both. */
  readonly chip?: "tofino" | "tofino2";
  /** The assembler alone refuses it, not the compiler before it. */
  readonly isOfAssembler?: true;
}

const of =
  (cell: string, result: string) =>
  (name: string, method: string, code?: string): AluCase => ({
    name,
    cell,
    result,
    method,
    ...(code === undefined ? {} : { code }),
  });
const word = of("bit<32>", "bit<32>");
const half = of("bit<16>", "bit<16>");
const wider = of("bit<16>", "bit<32>");
const pair = of("pair_t", "bit<32>");
const bit = of("bit<1>", "bit<1>");
const signed = of("int<32>", "bit<32>");

const WIDTH = "P44070";
const OPERATION = "P44071";
const COMPARISON = "P44072";
const WRITES = "P44073";
const RESULT = "P44074";

export const ALU_CASES: readonly AluCase[] = [
  // Widths of operands.
  half("a value of the packet as wide as the word", "value = value + hdr.d.i;"),
  half("a wider value of the packet, cut", "value = value + (bit<16>) hdr.d.a;"),
  half("a wider value of the packet in a comparison", "if (hdr.d.a == 3) { value = 1; }", WIDTH),
  half("a wider value of the packet, cut, in a comparison", "if (hdr.d.a[15:0] == 3) { value = 1; }"),
  wider("a word, widened", "value = value + 1; result = (bit<32>) value;"),
  wider("a sum of a widened word", "result = (bit<32>) value + 1; value = value |+| 1;", WIDTH),
  wider("a widened constant", "if (value == 3) { result = 5; } value = value + 1;", WIDTH),
  wider("a truth value for a wider result", "value = value + 1; if (value > 7) { result = 0; }"),
  // Operations.
  word("one sum", "value = value + hdr.d.a; result = value;"),
  word("a sum of three", "value = value + hdr.d.a + hdr.d.b;", OPERATION),
  word("a sum of a masked value", "value = value + (hdr.d.a & 15);", OPERATION),
  word("two masked values joined by |", "value = (value & 15) | (hdr.d.a & 24);"),
  word("two masked values without a bit in common", "value = (value & 15) | (hdr.d.a & 240);", OPERATION),
  word("two operations joined by ^", "value = (value & 15) ^ (hdr.d.a & 240);", OPERATION),
  word("a saturated difference", "value = value |-| hdr.d.a; result = value;"),
  word("a shift of the word", "value = value << 1;", OPERATION),
  word("a product", "value = value * 3;", OPERATION),
  word("an inverted mask", "value = value & ~hdr.d.a;"),
  half("a sum, cut", "value = (bit<16>) (hdr.d.a + 1);"),
  // Comparisons.
  word("a word with a value of the packet", "if (value < hdr.d.a) { value = hdr.d.a; }"),
  word("a word, a value of the packet and a constant", "if (value + 5 < hdr.d.a) { value = hdr.d.a; }"),
  word("a difference with a constant", "if (hdr.d.a - value > 100) { value = hdr.d.a; result = 1; }"),
  word("a sum of three in a comparison", "if (value + hdr.d.a + 5 > 7) { value = 1; }", COMPARISON),
  word("a masked word with a constant", "if (value & 15 == 3) { value = 1; }"),
  word(
    "a masked word with a value of the packet as mask",
    "if (value & hdr.d.a == 3) { value = 1; }",
    COMPARISON,
  ),
  word("an or in a comparison", "if (value | 15 == 31) { value = 1; }", COMPARISON),
  word("an exclusive or in a comparison", "if (value ^ hdr.d.a == 3) { value = 1; }", COMPARISON),
  word("a part of the word in a comparison", "if (value[7:0] == 3) { value = 1; }", COMPARISON),
  {
    ...word("two values of the packet", "if (value - hdr.d.a == hdr.d.b) { value = 1; }", COMPARISON),
    isOfAssembler: true,
  },
  { ...word("two constants", "if (value + 5 == 10) { value = 1; }", COMPARISON), isOfAssembler: true },
  {
    ...pair("both words of a pair", "if (value.lo == value.hi) { value.lo = 1; }", COMPARISON),
    isOfAssembler: true,
  },
  pair(
    "both words of a pair, each with a value",
    "if (value.lo == hdr.d.a && value.hi == hdr.d.b) { value.lo = 1; }",
  ),
  word("order with 2^31", "if (value >= 0x80000000) { value = 1; }"),
  {
    ...word("order with more than 2^31", "if (value >= 0x80000001) { value = 1; }", COMPARISON),
    chip: "tofino",
  },
  { ...word("order with more than 2^31", "if (value >= 0x80000001) { value = 1; }"), chip: "tofino2" },
  word("equality with more than 2^31", "if (value == 0x80000001) { value = 1; }"),
  signed("an order with sign", "if (value < -5) { value = 1; }"),
  // Bits.
  bit("a bit, set", "value = 1; result = value;"),
  bit("a bit, from the packet", "value = hdr.d.a[0:0];", OPERATION),
  bit("a bit, under a condition", "if (hdr.d.i[0:0] == 1) { value = 1; }", OPERATION),
  // Assignments.
  word("both cases", "if (value < hdr.d.a) { value = 1; } else { value = 2; }"),
  word("a case and always", "value = hdr.d.a; if (hdr.d.b == 1) { value = value + 1; }", WRITES),
  word(
    "one condition twice",
    "if (hdr.d.a == 1) { value = value + 1; } if (hdr.d.a == 1) { value = value + 2; }",
    WRITES,
  ),
  word("0 and then a case", "result = 0; if (value == hdr.d.a) { result = 1; }"),
  word("1 and then a case", "result = 1; if (value == hdr.d.a) { result = 2; }", WRITES),
  word("always, overwritten", "value = 1; value = 2;"),
  // Results.
  word("a computed result", "result = value + hdr.d.a; value = value + 1;"),
  pair("a computed result of a pair", "result = value.lo + hdr.d.a; value.hi = value.hi + 1;", RESULT),
  pair("a power of two of a pair", "if (value.lo > hdr.d.a) { result = 4; }"),
  pair("another constant of a pair", "if (value.lo > hdr.d.a) { result = 5; }", RESULT),
  pair("a word of a pair", "value.lo = hdr.d.a; result = value.hi;"),
  pair(
    "one word or the other",
    "if (hdr.d.a == 1) { result = value.lo; } else { result = value.hi; }",
    RESULT,
  ),
  word("the word or a constant", "if (hdr.d.a == 1) { result = value; } else { result = 5; }"),
  word(
    "the word or a value of the packet",
    "if (hdr.d.a == 1) { result = value; } else { result = hdr.d.b; }",
    RESULT,
  ),
  word(
    "the word before the change, then after it",
    "if (hdr.d.a == 1) { result = value; } else { value = 5; result = value; }",
    RESULT,
  ),
  word(
    "the word after the change in all cases",
    "if (hdr.d.a == 1) { value = 5; result = value; } else { result = value; }",
  ),
  // Constants: four rows for what is not within -8 to 7.
  word("small constants", "if (value == 7) { value = 6; } else { value = 5; }"),
];
