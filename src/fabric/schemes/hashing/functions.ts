/**
 * The hash functions of a chip. A function hashes RTAG7's thirteen bins of 16 bits and a seed of 32 bits, and a slice of its value
 * picks the slot of a group. Each is written in P4 with the algorithms of v1model; a CRC with a polynomial of its own is a
 * `crc16_custom` or `crc32_custom`, whose parameters are a setting of the switch.
 */
import { closest, fail, type Locate } from "../../../base/index.js";
import {
  type CatalogueCrc,
  Crc,
  type CrcParameters,
  findCrc,
  type Rtag7Function,
  rtag7Bytes,
  rtag7Functions,
  xor16,
} from "../../../toolchain/hash/index.js";
import type { HashModel, HashPart } from "../../paths/index.js";
import { CODES } from "../codes.js";

/** The computation of a program over the bins. */
type Algorithm =
  | { readonly kind: "crc16" | "crc32" | "xor16" | "ideal" }
  /** The high byte of CRC16-BISYNC, and the XOR of all groups of `bits` bits of the input. */
  | { readonly kind: "fold"; readonly bits: 1 | 2 | 4 | 8 }
  | { readonly kind: "custom"; readonly crc: CrcParameters };

export interface ChipFunction {
  /** As the user wrote it. */
  readonly name: string;
  readonly algorithm: Algorithm;
  /** The slice: lowest bit, and number of bits. */
  readonly low: number;
  readonly width: number;
}

const BISYNC = findCrc("CRC-16/ARC") as CatalogueCrc;
const CRC32 = findCrc("CRC-32/ISO-HDLC") as CatalogueCrc;
const CCITT = findCrc("CRC-16/IBM-3740") as CatalogueCrc;

interface Base {
  readonly algorithm: Algorithm;
  readonly low: number;
  readonly width: number;
}

const RTAG7: Readonly<Record<Rtag7Function, Base>> = {
  "crc16-bisync": { algorithm: { kind: "crc16" }, low: 0, width: 16 },
  "crc16-bisync-xor1": { algorithm: { kind: "fold", bits: 1 }, low: 0, width: 16 },
  "crc16-bisync-xor2": { algorithm: { kind: "fold", bits: 2 }, low: 0, width: 16 },
  "crc16-bisync-xor4": { algorithm: { kind: "fold", bits: 4 }, low: 0, width: 16 },
  "crc16-bisync-xor8": { algorithm: { kind: "fold", bits: 8 }, low: 0, width: 16 },
  xor16: { algorithm: { kind: "xor16" }, low: 0, width: 16 },
  "crc16-ccitt": { algorithm: { kind: "custom", crc: CCITT }, low: 0, width: 16 },
  "crc32-low": { algorithm: { kind: "crc32" }, low: 0, width: 16 },
  "crc32-high": { algorithm: { kind: "crc32" }, low: 16, width: 16 },
};

/**
 * A function by its name: `rtag7/NAME`, a CRC of 16 or 32 bits of the catalogue, `crc16/0xPOLYNOMIAL`, `crc32/0xPOLYNOMIAL`, or
 * `ideal`; a suffix `:bits=LOW-HIGH` selects a slice. Throws DiagnosticError P45201 for a polynomial of another width, P45202 for
 * an unknown name or a slice that the function does not have.
 */
export function chipFunction(text: string, locate: Locate = () => undefined): ChipFunction {
  const at = locate([]);
  const [name, ...settings] = text.split(":") as [string, ...string[]];
  const base = baseOf(name, at);
  if (settings.length === 0) return { name: text, ...base };
  const bits = settings.length === 1 ? /^bits=(\d+)-(\d+)$/.exec(settings[0]!) : null;
  const [low, high] = [Number(bits?.[1]), Number(bits?.[2])];
  if (bits === null || low > high || high >= base.width)
    return fail(
      CODES.chipFunction,
      at,
      `"${text}": ${name} has no such bits`,
      `write ${name}:bits=LOW-HIGH; it has bits 0 to ${base.width - 1}`,
    );
  return { name: text, algorithm: base.algorithm, low: base.low + low, width: high - low + 1 };
}

function baseOf(name: string, at: ReturnType<Locate>): Base {
  if (name === "ideal") return { algorithm: { kind: "ideal" }, low: 0, width: 32 };
  const rtag7 = name.startsWith("rtag7/") ? name.slice(6) : undefined;
  if (rtag7 !== undefined && Object.hasOwn(RTAG7, rtag7)) return RTAG7[rtag7 as Rtag7Function];
  const own = /^crc(16|32)\/0x([0-9a-f]+)$/i.exec(name);
  if (own !== null) return ownPolynomial(name, Number(own[1]) as 16 | 32, own[2]!, at);
  const crc = findCrc(name);
  if (crc !== undefined && (crc.width === 16 || crc.width === 32)) {
    if (crc === BISYNC) return RTAG7["crc16-bisync"];
    const algorithm: Algorithm = crc === CRC32 ? { kind: "crc32" } : { kind: "custom", crc };
    return { algorithm, low: 0, width: crc.width };
  }
  const known = ["ideal", ...rtag7Functions.map((own) => `rtag7/${own}`)];
  const near = closest(name, known);
  return fail(
    CODES.chipFunction,
    at,
    `"${name}" is no function of a chip`,
    ...(near === undefined ? [] : [`did you mean "${near}"?`]),
    `functions: ${known.join(", ")}; a CRC of 16 or 32 bits by its name in \`p4loom hash catalogue\`; crc16/0x8BB7`,
  );
}

/** Without the top term, as the catalogue writes polynomials; start value all ones, nothing reflected. */
function ownPolynomial(name: string, width: 16 | 32, digits: string, at: ReturnType<Locate>): Base {
  const value = Number.parseInt(digits, 16);
  if (value >= 2 ** width)
    fail(
      CODES.polynomial,
      at,
      `"${name}": the polynomial has ${value.toString(2).length} bits`,
      `a CRC of ${width} bits has ${width} below its top term, which is not written: 0x${(value % 2 ** width).toString(16)}`,
    );
  if (value % 2 === 0)
    fail(
      CODES.polynomial,
      at,
      `"${name}": the polynomial is even`,
      "the lowest term of a CRC's polynomial is 1; else the lowest bit of the value would not depend on the input",
    );
  const ones = 2 ** width - 1;
  const crc: CrcParameters = { width, poly: value, init: ones, refin: false, refout: false, xorout: 0 };
  return { algorithm: { kind: "custom", crc }, low: 0, width };
}

/** The hash input: RTAG7's bins (ports of the chip, protocol, L4 ports, VLAN, folded addresses, six that are 0), then the seed. */
const BINS: readonly HashPart[] = [
  { field: "zero", bits: 24 },
  { field: "protocol", bits: 8 },
  { field: "dst_port", bits: 16 },
  { field: "src_port", bits: 16 },
  { field: "zero", bits: 16 },
  { field: "dst", bits: 16, folded: true },
  { field: "src", bits: 16, folded: true },
  { field: "zero", bits: 96 },
  { field: "seed", bits: 32 },
];

/** The input as a P4 list expression. */
const INPUT =
  "{ 24w0, meta.flow_protocol, meta.flow_dst_port, meta.flow_src_port, 16w0, meta.dst_bin, meta.src_bin, 96w0, meta.hash_seed }";

export function hashModelOf(own: ChipFunction): HashModel {
  const hash = bytesHash(own.algorithm);
  const mask = own.width === 32 ? 0xffffffff : 2 ** own.width - 1;
  return {
    name: own.name,
    hash: (bytes) => ((hash(bytes) >>> own.low) & mask) >>> 0,
    affine: own.algorithm.kind !== "ideal",
    input: BINS,
  };
}

function bytesHash(algorithm: Algorithm): (bytes: Uint8Array) => number {
  switch (algorithm.kind) {
    case "crc16":
      return crcOf(BISYNC);
    case "crc32":
      return crcOf(CRC32);
    case "xor16":
      return (bytes) => xor16(bytes);
    case "fold": {
      const name = `crc16-bisync-xor${algorithm.bits}` as const;
      return (bytes) => rtag7Bytes(name, bytes);
    }
    case "custom":
      return crcOf(algorithm.crc);
    case "ideal": {
      const crc = crcOf(CRC32);
      return (bytes) => mixed(crc(bytes));
    }
  }
}

function crcOf(parameters: CrcParameters): (bytes: Uint8Array) => number {
  const crc = new Crc(parameters);
  return (bytes) => crc.compute(bytes);
}

/** The last steps of murmur3: they are not linear, so that a seed gives another function. */
function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Statements that set `meta.hash_value`. */
export function statementsOf({ algorithm, low, width }: ChipFunction): string[] {
  const call = (into: string, name: string, bits: 16 | 32) =>
    `hash(meta.${into}, HashAlgorithm.${name}, ${bits}w0, ${INPUT}, ${bits === 16 ? "32w65536" : "64w4294967296"});`;
  const sliced = (field: string, bits: number) => {
    const wide = bits === 32 ? `meta.${field}` : `(bit<32>)meta.${field}`;
    const shifted = low === 0 ? wide : `${wide} >> ${low}`;
    const masked = low + width === bits ? shifted : `(${shifted}) & 32w${2 ** width - 1}`;
    return `meta.hash_value = ${masked};`;
  };
  switch (algorithm.kind) {
    case "crc16":
    case "xor16":
      return [call("hash16", algorithm.kind, 16), sliced("hash16", 16)];
    case "crc32":
      return [call("hash_value", "crc32", 32), ...(width === 32 ? [] : [sliced("hash_value", 32)])];
    case "custom": {
      if (algorithm.crc.width === 16) return [call("hash16", "crc16_custom", 16), sliced("hash16", 16)];
      return [call("hash_value", "crc32_custom", 32), ...(width === 32 ? [] : [sliced("hash_value", 32)])];
    }
    case "fold": {
      const folds = [8, 4, 2, 1].filter((bits) => bits >= algorithm.bits);
      return [
        call("hash16", "crc16", 16),
        call("fold", "xor16", 16),
        ...folds.map((bits) => `meta.fold = (meta.fold ^ (meta.fold >> ${bits})) & 16w${2 ** bits - 1};`),
        "meta.hash16 = (meta.hash16 & 16w65280) | meta.fold;",
        sliced("hash16", 16),
      ];
    }
    case "ideal":
      return [
        call("hash_value", "crc32", 32),
        "meta.hash_value = (meta.hash_value ^ (meta.hash_value >> 16)) * 32w0x85ebca6b;",
        "meta.hash_value = (meta.hash_value ^ (meta.hash_value >> 13)) * 32w0xc2b2ae35;",
        "meta.hash_value = meta.hash_value ^ (meta.hash_value >> 16);",
        ...(width === 32 ? [] : [sliced("hash_value", 32)]),
      ];
  }
}

/** The parameters of the function's custom CRC, if it has one. */
export function customCrc({ algorithm }: ChipFunction): CrcParameters | undefined {
  return algorithm.kind === "custom" ? algorithm.crc : undefined;
}
