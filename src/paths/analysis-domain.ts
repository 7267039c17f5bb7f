/**
 * The hash values that matter to a set of choices, as colours: all flows of a colour make the same choices. Functions
 * count as independent of each other; a choice by a function that no other choice uses divides every colour evenly.
 */
import type { HashModel, PortChoice } from "./model.js";

/** Maximum number of colours that are followed together. */
const MAX_COLOURS = 65_536;

/** A use of a function: the slots of the group, and the bits that the seed flips (undefined: the seed gives another function). */
export interface HashUse {
  readonly hash: number;
  readonly slots: number;
  readonly seed: number;
}

export interface Colours {
  readonly count: number;
  /** The slots of the colours in a group that uses the function; undefined: the choice does not depend on the colour. */
  slotsOf(use: HashUse): ((colour: number) => number) | undefined;
}

/** Bits that seeds flip in the values of each hash. */
export type SeedBits = (hash: number, seed: number) => number;

interface Axis {
  readonly hash: number;
  readonly size: number;
  readonly stride: number;
}

/**
 * The colours of functions that are used more than once. Where their product is too large, the functions are followed separately:
 * then the list has several domains. `uses`: of one kind of path.
 */
export function coloursOf(
  uses: readonly HashUse[],
  models: readonly HashModel[],
  seedBits: SeedBits,
): Colours[] {
  const sizes = new Map<number, number>();
  for (const hash of new Set(uses.map((use) => use.hash))) {
    const own = uses.filter((use) => use.hash === hash);
    const size = models[hash]!.affine ? axisSize(own) : 1;
    if (size > 1) sizes.set(hash, size);
  }
  const product = [...sizes.values()].reduce((all, size) => all * size, 1);
  const groups = product <= MAX_COLOURS ? [[...sizes]] : [...sizes].map((axis) => [axis]);
  return groups.map((axes) => domain(axes, seedBits));
}

/** Number of values of the hash that its choices distinguish. */
function axisSize(uses: readonly HashUse[]): number {
  const sizes = uses.map(({ slots }) => slots);
  if (sizes.every(isPowerOfTwo)) return Math.max(...sizes);
  const seeds = new Set(uses.map(({ seed }) => seed));
  const common = sizes.reduce((all, size) => (all * size) / divisor(all, size), 1);
  // An XOR with a seed and a modulo that is no power of two have no shorter common period than all values.
  return seeds.size === 1 && common <= MAX_COLOURS ? common : MAX_COLOURS;
}

function domain(axes: readonly (readonly [hash: number, size: number])[], seedBits: SeedBits): Colours {
  let count = 1;
  const list: Axis[] = axes.map(([hash, size]) => {
    const axis = { hash, size, stride: count };
    count *= size;
    return axis;
  });
  const byHash = new Map(list.map((axis) => [axis.hash, axis]));
  return {
    count,
    slotsOf({ hash, slots, seed }) {
      const axis = byHash.get(hash);
      if (axis === undefined) return undefined;
      const flips = isPowerOfTwo(axis.size) ? seedBits(hash, seed) & (axis.size - 1) : 0;
      return (colour) => ((Math.floor(colour / axis.stride) % axis.size) ^ flips) % slots;
    },
  };
}

/** The use of a choice, unless it has one slot; for a choice with rows, that of its first row. */
export function useOf({ hash, seed, rows }: PortChoice): HashUse | undefined {
  const slots = rows[0]!.length;
  return slots > 1 ? { hash, seed, slots } : undefined;
}

function isPowerOfTwo(value: number): boolean {
  return (value & (value - 1)) === 0;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
