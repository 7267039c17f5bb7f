/**
 * The shortest field of control bits whose values reach all paths (P-ECMP, appendix A, on RePaC): a change of the field moves the
 * hash of each tier by an offset, and all combinations of offsets must occur. With affine hashes this depends on a rank: the
 * stacked linear parts of all tiers must have full rank over the bits of the field.
 */
import type { SlicedHash } from "./member-choice.js";

export interface DeltaOptions {
  /** Next hops of each tier, as powers of two: 1 for two next hops. */
  readonly tierBits: readonly number[];
  /** Maximum length of the field, in bits. */
  readonly maxBits: number;
  /** Bytes of the hash input after the field. */
  readonly bytesAfter: number;
}

/**
 * For each function the effect of each bit of the field on the low bits of its result: entry i is that of bit i, counted from the
 * end of the field. The field is at the end of the input, followed by `bytesAfter` bytes.
 */
export function fieldEffects(hash: SlicedHash, { maxBits, bytesAfter }: DeltaOptions): Uint32Array {
  const fieldBytes = Math.ceil(maxBits / 8);
  const input = new Uint8Array(fieldBytes + bytesAfter);
  const zero = hash.hash(input);
  return Uint32Array.from({ length: maxBits }, (_, bit) => {
    const at = fieldBytes - 1 - (bit >>> 3);
    input[at] = 1 << (bit & 7);
    const effect = hash.hash(input) ^ zero;
    input[at] = 0;
    return effect >>> 0;
  });
}

/**
 * Bits of the shortest field that reaches all combinations of next hops; undefined where no field of up to `maxBits` does.
 * `effects`: of the function of each tier, as {@link fieldEffects} gives them. At most 32 bits over all tiers.
 */
export function shortestField(
  effects: readonly Uint32Array[],
  { tierBits, maxBits }: DeltaOptions,
): number | undefined {
  const wanted = tierBits.reduce((sum, bits) => sum + bits, 0);
  // One next hop everywhere: there is one path, and it is reached.
  if (wanted === 0) return 0;
  const echelon = new Uint32Array(32);
  let rank = 0;
  for (let bit = 0; bit < maxBits; bit++) {
    let vector = 0;
    for (const [tier, bits] of tierBits.entries())
      vector = ((vector << bits) | (effects[tier]![bit]! & (2 ** bits - 1))) >>> 0;
    while (vector !== 0) {
      const top = 31 - Math.clz32(vector);
      const known = echelon[top]!;
      if (known === 0) {
        echelon[top] = vector;
        if (++rank === wanted) return bit + 1;
        break;
      }
      vector = (vector ^ known) >>> 0;
    }
  }
  return undefined;
}

export interface FieldLengths {
  /** Number of ways to assign different functions to the tiers. */
  readonly settings: number;
  /** Settings without any field. */
  readonly without: number;
  /** By length in bits: number of settings whose shortest field has this length. */
  readonly byLength: ReadonlyMap<number, number>;
  /** Pairs of functions (indexes, ascending) for which no setting has a field where both are on tiers with more than one next hop. */
  readonly conflicts: readonly (readonly [number, number])[];
}

/** Computes all permutations of the functions over the tiers. */
export function fieldLengths(hashes: readonly SlicedHash[], options: DeltaOptions): FieldLengths {
  const effects = hashes.map((hash) => fieldEffects(hash, options));
  const byLength = new Map<number, number>();
  const tiers = options.tierBits.length;
  const chosen: number[] = [];
  const used = new Set<number>();
  const together = new Map<string, boolean>();
  let [settings, without] = [0, 0];
  const note = (found: boolean) => {
    for (let i = 0; i < tiers; i++)
      for (let j = 0; j < i; j++) {
        const key = [chosen[i]!, chosen[j]!].sort((a, b) => a - b).join(" ");
        together.set(key, found || together.get(key) === true);
      }
  };
  const visit = () => {
    if (chosen.length === tiers) {
      settings++;
      const length = shortestField(
        chosen.map((index) => effects[index]!),
        options,
      );
      if (length === undefined) without++;
      else byLength.set(length, (byLength.get(length) ?? 0) + 1);
      note(length !== undefined);
      return;
    }
    for (let index = 0; index < hashes.length; index++) {
      if (used.has(index)) continue;
      used.add(index);
      chosen.push(index);
      visit();
      chosen.pop();
      used.delete(index);
    }
  };
  visit();
  return {
    settings,
    without,
    byLength: new Map([...byLength].sort(([a], [b]) => a - b)),
    conflicts: [...together]
      .filter(([, works]) => !works)
      .map(([key]) => key.split(" ").map(Number) as [number, number]),
  };
}
