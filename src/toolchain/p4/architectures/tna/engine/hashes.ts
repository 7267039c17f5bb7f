/** Algorithms of `Hash` under the names by which the switch finds them. */
import { defined } from "../../../../../base/index.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import { fold } from "../../../lower/fold.js";
import type { ExternInstance } from "../../../lower/ir.js";
import { totalWidth } from "../../../lower/ir-types.js";
import { argument } from "../p4info-scope.js";

/** RANDOM is a matrix of the hardware's compiler: the switch takes a polynomial that no other name has (CRC-32Q). */
const NAMED: Readonly<Record<string, string>> = {
  RANDOM: "crc:32:814141ab:0:0:0",
  // Of a selector; the value of a hash is the low bits of its input without an algorithm.
  IDENTITY: "identity",
  XOR8: "xor8",
  XOR16: "xor16",
  XOR32: "xor32",
  CRC8: "crc:8:7:0:0:0",
  CRC16: "crc16",
  CRC32: "crc32",
  CRC64: "crc:64:42f0e1eba9ea3693:0:0:0",
};

/** A polynomial of the program is `crc:WIDTH:POLYNOMIAL:REFLECTED:START:XOR`, hexadecimal but for the width. */
export function hashAlgorithm(hash: ExternInstance): string {
  const named = fold(defined(hash.args[0]));
  const polynomial = argument(hash, "poly");
  if (polynomial?.kind !== "instance") return NAMED[named.kind === "member" ? named.name : ""] ?? "crc32";
  const { instance } = polynomial;
  const value = (name: string): bigint => constantBits(defined(argument(instance, name)));
  const width = totalWidth(defined(argument(instance, "coeff")).type);
  const hex = (name: string): string => value(name).toString(16);
  return `crc:${width}:${hex("coeff")}:${value("reversed")}:${hex("init")}:${hex("xor")}`;
}

/** Bits of the value. */
export function hashWidth(hash: ExternInstance): number {
  const algorithm = hashAlgorithm(hash);
  const written = /^crc:(\d+):/.exec(algorithm);
  return Number(written?.[1] ?? /\d+$/.exec(algorithm)?.[0] ?? 32);
}
