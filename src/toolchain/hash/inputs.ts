/** What switches hash: the bytes of a five-tuple, source address first. */
import { fail, type Random } from "../../base/index.js";
import { CODES } from "./codes.js";

export interface HashInput {
  readonly name: string;
  /** Number of bytes. */
  readonly bytes: number;
}

const NAMED: readonly HashInput[] = [
  { name: "ipv4", bytes: 13 },
  { name: "ipv6", bytes: 37 },
];

const MAX_BYTES = 256;

/** The input `ipv4`, `ipv6` (five-tuples), or a number of bytes. Throws DiagnosticError P44103. */
export function parseInput(text: string): HashInput {
  const named = NAMED.find(({ name }) => name === text);
  if (named !== undefined) return named;
  const bytes = /^\d+$/.test(text) ? Number(text) : 0;
  if (bytes >= 1 && bytes <= MAX_BYTES) return { name: `${bytes} bytes`, bytes };
  return fail(
    CODES.input,
    undefined,
    `"${text}" is no input of a hash`,
    `write ipv4, ipv6, or a number of bytes from 1 to ${MAX_BYTES}`,
  );
}

/** Fills a buffer with uniform bytes. */
export function drawInput(into: Uint8Array, random: Random): Uint8Array {
  for (let i = 0; i < into.length; i++) into[i] = random.int(256);
  return into;
}
