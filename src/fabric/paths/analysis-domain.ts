/**
 * The hash values that matter to a set of choices, as colours: all flows of a colour make the same choices. Components of functions
 * that are independent of each other are axes; a choice by a function of no axis divides every colour evenly.
 */
import {
  type Component,
  DRAWN_HEADERS,
  type HashMapUse,
  type HashRelations,
  type HashUse,
  isPowerOfTwo,
} from "./hash-relations.js";
import type { PortChoice } from "./model.js";

/** Maximum number of colours that are followed together. */
const MAX_COLOURS = 65_536;

/** A function with this many values for each common multiple of its sizes fills the groups evenly. */
const EVEN_VALUES = 32;

export interface Colours {
  readonly count: number;
  /** The colours are drawn headers, so that figures have errors. */
  readonly drawn: boolean;
  /** The slots of the colours in a group that uses the function; undefined: the choice does not depend on the colour. */
  slotsOf(use: HashUse): ((colour: number) => number) | undefined;
  /** Whether a function of the axes fills all slots of its groups evenly by itself. */
  isEven(use: HashUse): boolean;
}

/** The colours of one component, numbered from 0. */
interface Axis {
  readonly size: number;
  readonly even: boolean;
  slotsOf(use: HashUse): ((index: number) => number) | undefined;
}

/** Colours in which the components are followed, and those that could not be followed exactly or not together. */
interface Domains {
  readonly colours: readonly Colours[];
  /** Components whose colours are drawn headers alone, or, if there are several domains, that are followed together by drawn headers alone. */
  readonly drawn: readonly Component[];
}

export function domainsOf(components: readonly Component[], relations: HashRelations): Domains {
  const axes = components.flatMap((component) => axisOf(component, relations) ?? []);
  const product = axes.reduce((all, { size }) => all * size, 1);
  if (axes.length === components.length && product <= MAX_COLOURS)
    return { colours: axes.length === 0 ? [] : [domain(axes)], drawn: [] };
  return {
    colours: [...axes.map((axis) => domain([axis])), drawnDomain(components, relations)],
    drawn: components,
  };
}

/** Undefined where the values of the component are too many to list. */
function axisOf(component: Component, relations: HashRelations): Axis | undefined {
  const [first] = component.maps;
  if (component.uniform) return uniformAxis(first!, relations);
  if (component.rank === undefined || 2 ** component.rank > MAX_COLOURS) return undefined;
  return spaceAxis(component, component.rank, relations);
}

/** All values of one map that its groups distinguish, each as frequent as the others. */
function uniformAxis(map: HashMapUse, relations: HashRelations): Axis {
  const bits = Math.min(16, relations.bitsOf(map));
  const size = axisSize(map, bits);
  const key = relations.keyOf(map);
  return {
    size,
    even: map.sizes.every((slots) => size % slots === 0 || size >= EVEN_VALUES * slots),
    slotsOf(use) {
      if (relations.keyOf(use) !== key) return undefined;
      const flips = isPowerOfTwo(size) ? relations.flips(use) & (size - 1) : 0;
      return (index) => (index ^ flips) % use.slots;
    },
  };
}

/** Number of values of the hash that its choices distinguish. */
function axisSize({ sizes, seeds }: HashMapUse, bits: number): number {
  if (sizes.every(isPowerOfTwo)) return Math.max(...sizes);
  const common = sizes.reduce((all, size) => (all * size) / divisor(all, size), 1);
  // A function of few bits has the first members of a group more often than the last ones.
  if (2 ** bits < EVEN_VALUES * common) return 2 ** bits;
  // An XOR with a seed and a modulo that is no power of two have no shorter common period than all values.
  return seeds.length === 1 && common <= MAX_COLOURS ? common : MAX_COLOURS;
}

/** All points of the affine space of the values of several maps, or of one whose bits are not independent. */
function spaceAxis({ maps }: Component, rank: number, relations: HashRelations): Axis {
  const affine = maps.map((map) => {
    const { zero, columns } = relations.affineOf(map.hash);
    const bits = relations.bitsOf(map);
    const mask = bits === 32 ? -1 : 2 ** bits - 1;
    return { zero, columns: columns.map((column) => column & mask), key: relations.keyOf(map) };
  });
  const points = affine.map(({ zero }) => new Int32Array(2 ** rank).fill(zero));
  // A column that is no sum of earlier ones doubles the points.
  const echelon: Int32Array[] = [];
  for (let bit = 0; bit < affine[0]!.columns.length; bit++) {
    const change = Int32Array.from(affine, ({ columns }) => columns[bit]!);
    const rest = Int32Array.from(change);
    for (const known of echelon) {
      const at = known.findIndex((word) => word !== 0);
      if ((rest[at]! & known[at]! & -known[at]!) !== 0)
        for (let i = 0; i < rest.length; i++) rest[i]! ^= known[i]!;
    }
    if (rest.every((word) => word === 0)) continue;
    const have = 2 ** echelon.length;
    echelon.push(rest);
    for (const [i, own] of points.entries())
      for (let point = 0; point < have; point++) own[have + point] = own[point]! ^ change[i]!;
  }
  const byKey = new Map(affine.map(({ key }, i) => [key, points[i]!]));
  return {
    size: 2 ** rank,
    even: false,
    slotsOf(use) {
      const values = byKey.get(relations.keyOf(use));
      if (values === undefined) return undefined;
      const flips = relations.flips(use);
      return (index) => ((values[index]! ^ flips) >>> 0) % use.slots;
    },
  };
}

function domain(axes: readonly Axis[]): Colours {
  let count = 1;
  const list = axes.map((axis) => {
    const stride = count;
    count *= axis.size;
    return { axis, stride };
  });
  const found = (use: HashUse) => {
    for (const { axis, stride } of list) {
      const slots = axis.slotsOf(use);
      if (slots !== undefined) return { axis, stride, slots };
    }
    return undefined;
  };
  return {
    count,
    drawn: false,
    slotsOf(use) {
      const own = found(use);
      if (own === undefined) return undefined;
      const { axis, stride, slots } = own;
      return (colour) => slots(Math.floor(colour / stride) % axis.size);
    },
    isEven: (use) => found(use)?.axis.even ?? true,
  };
}

/** Drawn headers as colours, with the values that the functions have for them: one domain for all of them together. */
function drawnDomain(components: readonly Component[], relations: HashRelations): Colours {
  const keys = new Set(components.flatMap((component) => [...component.keys]));
  return {
    count: DRAWN_HEADERS,
    drawn: true,
    slotsOf(use) {
      if (!keys.has(relations.keyOf(use))) return undefined;
      const values = relations.drawn(use.hash, use.seed);
      const flips = relations.flips(use);
      return (colour) => ((values[colour]! ^ flips) >>> 0) % use.slots;
    },
    isEven: () => false,
  };
}

/** The use of a choice, unless it has one slot; for a choice with rows, that of its first row. */
export function useOf({ hash, seed, rows }: PortChoice): HashUse | undefined {
  const slots = rows[0]!.length;
  return slots > 1 ? { hash, seed, slots } : undefined;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
