/** Calculations: checksums of 16 bits as terms, others as functions that are not followed. */
import { bmv2Hash } from "../hash/index.js";
import { type bmv2, bmv2Number } from "../program/index.js";
import type { Term, Terms } from "../solver/index.js";
import type { Memory } from "./memory.js";
import type { Opaque } from "./situation.js";
import { Unhandled } from "./unhandled.js";

/** Bits of the results of BMv2's algorithms; others have 32. */
const WIDTHS: Readonly<Record<string, number>> = {
  csum16: 16,
  cksum16: 16,
  crc16: 16,
  crc16_custom: 16,
  xor16: 16,
  crcCCITT: 16,
  identity: 64,
  crc64: 64,
};

/** Algorithms whose results are exclusive ors of bits of the input and of a constant, for each length of the input. */
const AFFINE = /^(crc16|crc32|crcCCITT|xor8|xor16|xor32|crc:\d+:.*)$/;

/** Most bits of an input whose exclusive ors are terms. */
const MAX_AFFINE = 512;

/** Most bits of an input whose checksum is a term. */
const MAX_BITS = 4096;

export interface Calculated {
  readonly result: Term;
  readonly opaque: Opaque | undefined;
}

/** Where a calculation takes its input from. */
export interface Source {
  readonly memory: Memory;
  /** First byte of the payload, of the packet that came in. */
  readonly payload: number;
  /** Fields of invalid headers are left out. */
  readonly looksAtValidity: boolean;
}

export function calculate({ algo, input }: bmv2.Calculation, source: Source): Calculated {
  const { memory, payload } = source;
  const { terms } = memory;
  const hasPayload = input.some(({ type }) => type === "payload");
  const whole = inputOf(input, source);
  if ((algo === "csum16" || algo === "cksum16") && !hasPayload && whole.width <= MAX_BITS)
    return { result: onesComplementSum(terms, whole), opaque: undefined };
  if (AFFINE.test(algo) && !hasPayload && whole.width <= MAX_AFFINE && bmv2Hash(algo) !== undefined)
    return { result: affine(terms, algo, whole), opaque: undefined };
  const from = hasPayload ? payload : undefined;
  const variable = terms.variable(`${algo}(${whole.id} ${from ?? ""})`, widthOf(algo));
  return { result: variable, opaque: { variable, algorithm: algo, input: whole, payload: from } };
}

/** Bits of the results of an algorithm. */
function widthOf(algorithm: string): number {
  return Number(/^crc:(\d+):/.exec(algorithm)?.[1] ?? WIDTHS[algorithm] ?? 32);
}

/** The input without the payload, bit by bit. */
export function inputOf(input: bmv2.Calculation["input"], source: Source): Term {
  return source.memory.terms.concat(...input.flatMap((one) => partsOf(one, source)));
}

function partsOf(input: bmv2.CalculationInput, { memory, looksAtValidity }: Source): Term[] {
  const { terms } = memory;
  const counts = (header: string) => !looksAtValidity || memory.isValid(header);
  switch (input.type) {
    case "payload":
      return [];
    case "field":
      return counts(input.value[0]) ? [memory.get(...input.value)] : [];
    case "header":
      return counts(input.value)
        ? memory.shapes.header(input.value).fields.map(({ name }) => memory.get(input.value, name))
        : [];
    case "hexstr": {
      const width = input.bitwidth ?? 4 * input.value.replace(/^0x/, "").length;
      return [terms.constant(bmv2Number(input.value), width)];
    }
    default:
      throw new Unhandled(`a hash of a value of type ${input.type}`);
  }
}

/** The result for an input of zeros, and what each bit changes of it. */
function affine(terms: Terms, algorithm: string, input: Term): Term {
  const hash = bmv2Hash(algorithm);
  if (hash === undefined) throw new Unhandled(`the hash ${algorithm}`);
  const width = widthOf(algorithm);
  const bytes = new Uint8Array((input.width + 7) >> 3);
  const zeros = hash(bytes, bytes.length);
  let result = terms.constant(zeros >>> 0, width);
  for (let i = 0; i < input.width; i++) {
    // Bit i from the front; the input ends with zeros up to a whole byte.
    bytes[i >> 3] = 0x80 >> (i & 7);
    const change = (hash(bytes, bytes.length) ^ zeros) >>> 0;
    bytes[i >> 3] = 0;
    const bit = terms.slice(input, input.width - 1 - i, 1);
    result = terms.xor(result, terms.choose(bit, terms.constant(change, width), terms.constant(0, width)));
  }
  return result;
}

/** The Internet checksum (RFC 1071) of bits that end with zeros up to whole words. */
export function onesComplementSum(terms: Terms, input: Term): Term {
  const padded = terms.concat(input, terms.constant(0, (16 - (input.width % 16)) % 16));
  let sum = terms.constant(0, 32);
  for (let low = padded.width - 16; low >= 0; low -= 16)
    sum = terms.add(sum, terms.extend(terms.slice(padded, low, 16), 32));
  for (const _ of [1, 2])
    sum = terms.add(terms.extend(terms.slice(sum, 0, 16), 32), terms.extend(terms.slice(sum, 16, 16), 32));
  return terms.not(terms.slice(sum, 0, 16));
}

/** dst = base + hash mod max, all of 64 bits; max 0 counts as 1. */
export function withinBounds(terms: Terms, hash: Term, base: Term, max: Term): Term {
  const wide = terms.extend(hash, 64);
  const rest = terms.choose(terms.nonZero(max), terms.remainder(wide, max), terms.constant(0, 64));
  return terms.add(base, rest);
}
