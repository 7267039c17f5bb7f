/** How a switch picks a member of a group: a function with a seed, a slice of its result, and the modulo of the group's size. */
import { closest, fail } from "../../base/index.js";
import { CODES } from "./codes.js";
import { type HashFamily, hashFunctions, hashNamed, type NamedHash } from "./functions.js";

export interface SlicedHash {
  /** As the user wrote it. */
  readonly text: string;
  readonly family: HashFamily;
  readonly affine: boolean;
  /** Bits of the slice. */
  readonly width: number;
  /** The slice of the hash of `bytes`. */
  readonly hash: (bytes: Uint8Array) => number;
}

const FORM = "write NAME, or NAME:seed=5, NAME:bits=3-7 (bits of the result, 0 is the lowest), or both";

/**
 * Reads `NAME[:seed=N][:bits=LOW-HIGH]`. Throws DiagnosticError P44101 for an unknown name, P44102 for a seed or slice that
 * the function cannot have.
 */
export function parseHash(text: string): SlicedHash {
  const [name, ...settings] = text.split(":");
  const named = hashNamed(name!);
  if (named === undefined) {
    const near = closest(
      name!.toLowerCase(),
      hashFunctions.map((hash) => hash.name),
    );
    const note = near === undefined ? "p4loom hash catalogue lists all functions" : `did you mean "${near}"?`;
    return fail(CODES.unknownHash, undefined, `there is no hash function "${name}"`, note);
  }
  let seed = 0;
  let [low, high] = [0, named.width - 1];
  for (const setting of settings) {
    const seedText = /^seed=(\d+|0x[0-9a-f]+)$/i.exec(setting)?.[1];
    const bits = /^bits=(\d+)(?:-(\d+))?$/.exec(setting);
    if (seedText !== undefined) seed = seedOf(text, seedText);
    else if (bits !== null) [low, high] = [Number(bits[1]), Number(bits[2] ?? bits[1])];
    else return fail(CODES.setting, undefined, `"${setting}" of "${text}" is no setting of a hash`, FORM);
  }
  if (low > high || high >= named.width)
    return fail(
      CODES.setting,
      undefined,
      `"${text}": bits ${low} to ${high}`,
      `${named.name} has bits 0 to ${named.width - 1}, the lower one comes first`,
    );
  return sliced(named, { text, seed, low, width: high - low + 1 });
}

function seedOf(text: string, seed: string): number {
  const value = Number(seed);
  if (value <= 0xffffffff) return value;
  return fail(CODES.setting, undefined, `"${text}": the seed ${seed} is too large`, "a seed has 32 bits");
}

/** A function with a seed, and `width` bits of its result from bit `low` up. */
export function sliced(
  named: NamedHash,
  {
    text = named.name,
    seed = 0,
    low = 0,
    width = named.width,
  }: { text?: string; seed?: number; low?: number; width?: number },
): SlicedHash {
  const full = named.make(seed);
  const mask = width === 32 ? 0xffffffff : 2 ** width - 1;
  return {
    text,
    family: named.family,
    affine: named.affine,
    width,
    hash: (bytes) => ((full(bytes) >>> low) & mask) >>> 0,
  };
}

/** A slice of a hash with the size of the group that it chooses from: member = slice mod size. */
export interface MemberChoice {
  readonly hash: SlicedHash;
  /** Members, at least 1. */
  readonly size: number;
}

/** Number of low bits that the member depends on where the size is a power of two; undefined for other sizes. */
export function memberBits(size: number): number | undefined {
  const bits = Math.round(Math.log2(size));
  return 2 ** bits === size ? bits : undefined;
}
