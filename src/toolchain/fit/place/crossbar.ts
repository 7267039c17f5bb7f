/**
 * The exact crossbar of a stage and its hash matrix (p4c, backends/tofino/bf-p4c/mau/tofino/input_xbar.cpp, whose order of choices this
 * follows). The crossbar has 8 groups of 16 bytes. Each half of a group feeds a matrix of 52 columns: four line addresses of 10 bits and 12
 * single bits. One of 8 hash functions takes columns of several halves. Bytes of two tables can be one byte of the crossbar where their
 * columns differ; hash distribution never shares a half with matches.
 */
import { defined } from "../../../base/index.js";
import { MOST_SELECT_BITS } from "../memory/exact.js";
import { type Operand, placesOfOperands } from "./alu-operands.js";
import {
  bestGroup,
  byConstraint,
  type CrossbarByte,
  type GroupRoom,
  isPlaceOf,
  placeable,
} from "./crossbar-groups.js";

/** What one consumer needs. */
export type CrossbarUse =
  /** Hash ways: lines of 10 bits, and bits that choose a block in each. */
  | {
      readonly kind: "match";
      readonly bytes: readonly CrossbarByte[];
      readonly ways: number;
      readonly select: number;
    }
  /** Up to `groups` gateways in sequence; each takes bytes of one group, and bits of the matrix. */
  | {
      readonly kind: "gateway";
      readonly bytes: readonly CrossbarByte[];
      readonly bits: number;
      readonly groups: number;
    }
  /** Operands of an ALU beside a memory, once for all tables that use the memory. */
  | {
      readonly kind: "alu";
      readonly memory: string;
      readonly operands: readonly Operand[];
      readonly width: number;
    }
  | {
      readonly kind: "selector";
      readonly memory: string;
      readonly bytes: readonly CrossbarByte[];
      readonly bits: number;
    }
  /** A unit of hash distribution; equal uses share it. */
  | {
      readonly kind: "distribution";
      readonly key: string;
      readonly bytes: readonly CrossbarByte[];
      readonly bits: number;
    };

const GROUPS = 8;
const GROUP_BYTES = 16;
const HALVES = 2 * GROUPS;
const SLOTS = 4;
/** Bits of a line of a block, which are the columns of a slot. */
export const SLOT_BITS = 10;
/** Functions that feed hash distribution, and units of 16 bits of each. */
const DISTRIBUTORS = 2;
const SLICES = 3;
const SLICE_BITS = 16;
/** Bits of the matrix that an ALU can take. */
const ALU_BITS = 51;

/** Columns that the halves of a use must have free. */
interface Columns {
  readonly slots: number;
  readonly singles: number;
  /** For hash distribution: free units. */
  readonly slices?: number;
  readonly maxGroups?: number;
  /** The places in a group that the bytes take, in order; nothing else may be in any of them. */
  readonly places?: readonly number[];
}

/** What differs between the chips of the family. */
export interface CrossbarShape {
  /** The first place of a group whose byte an ALU can take. */
  readonly firstAluByte: number;
  readonly functions: number;
  /** Bits of a function. */
  readonly columns: number;
}

/** The crossbar of a stage that is being filled. */
export class ExactCrossbar {
  /** By group and byte: the byte of a container that is there. */
  readonly #bytes: (string | undefined)[];
  /** By half: line addresses and single bits in use. */
  readonly #slots: number[];
  readonly #singles: number[];
  /** By function: its halves. */
  readonly #functions: number[];
  readonly #distributors: number[];
  /** By half and by function: units of hash distribution in use, and the bits of each. */
  readonly #slices: number[];
  readonly #sliceBits: number[][];
  readonly #known: Set<string>;
  /** Bits of the matrix in use. */
  hashBits = 0;
  /** Units of hash distribution in use. */
  units = 0;

  readonly #allSlots: number;
  readonly #allSingles: number;

  constructor(
    readonly shape: CrossbarShape,
    from?: ExactCrossbar,
  ) {
    const { functions, columns } = shape;
    const slotCount = Math.min(SLOTS, Math.floor(columns / SLOT_BITS));
    this.#allSlots = (1 << slotCount) - 1;
    this.#allSingles = (1 << Math.max(0, Math.min(MOST_SELECT_BITS, columns - SLOTS * SLOT_BITS))) - 1;
    this.#bytes = from === undefined ? new Array(GROUPS * GROUP_BYTES).fill(undefined) : [...from.#bytes];
    this.#slots = from === undefined ? new Array(HALVES).fill(0) : [...from.#slots];
    this.#singles = from === undefined ? new Array(HALVES).fill(0) : [...from.#singles];
    this.#functions = from === undefined ? new Array(functions).fill(0) : [...from.#functions];
    this.#distributors = from === undefined ? [] : [...from.#distributors];
    this.#slices = from === undefined ? new Array(HALVES).fill(0) : [...from.#slices];
    this.#sliceBits =
      from === undefined
        ? Array.from({ length: functions }, () => new Array(SLICES).fill(0))
        : from.#sliceBits.map((bits) => [...bits]);
    this.#known = new Set(from === undefined ? [] : from.#known);
    this.hashBits = from?.hashBits ?? 0;
    this.units = from?.units ?? 0;
  }

  copy(): ExactCrossbar {
    return new ExactCrossbar(this.shape, this);
  }

  get #slotCount(): number {
    return bitCount(this.#allSlots);
  }

  get #singleCount(): number {
    return bitCount(this.#allSingles);
  }

  get #most(): Columns {
    return { slots: this.#slotCount, singles: this.#singleCount };
  }

  get bytes(): number {
    return this.#bytes.reduce((sum, byte) => sum + (byte === undefined ? 0 : 1), 0);
  }

  /** Adds what a table needs, in order; false, with nothing of use added, when there is no room. */
  place(uses: readonly CrossbarUse[]): boolean {
    return uses.every((use) => this.#place(use));
  }

  /** No hash function has columns for one of the keys, so that `place` would say no whatever bytes they have. */
  lacksColumns(uses: readonly CrossbarUse[]): boolean {
    return uses.some((use) => {
      if (use.kind !== "match") return false;
      const { ways, select: singles } = use;
      if (ways > this.#slotCount || singles > this.#singleCount) return true;
      const slots = Math.min(ways, 1);
      return this.#functions.every(
        (halves, i) =>
          this.#distributors.includes(i) ||
          (halves !== 0 &&
            (bitCount(this.#allSlots & ~this.#usedIn(this.#slots, halves)) < slots ||
              bitCount(this.#allSingles & ~this.#usedIn(this.#singles, halves)) < singles)),
      );
    });
  }

  #place(use: CrossbarUse): boolean {
    switch (use.kind) {
      case "match":
        return this.#match(use);
      case "gateway":
        return this.#gateway(use);
      case "alu":
        return this.#once(`alu ${use.memory}`, () => this.#alu(use));
      case "selector":
        return this.#once(`selector ${use.memory}`, () => this.#throughMatrix(use.bytes, use.bits, use.bits));
      default:
        return this.#once(`distribution ${use.key}`, () => this.#distribution(use));
    }
  }

  #once(name: string, place: () => boolean): boolean {
    if (this.#known.has(name)) return true;
    this.#known.add(name);
    return place();
  }

  #match({ bytes, ways, select }: Extract<CrossbarUse, { kind: "match" }>): boolean {
    const [slots, singles] = [ways, select];
    if (slots > this.#slotCount || singles > this.#singleCount) return false;
    return [{ slots, singles }, this.#most].some((columns) => {
      const halves = this.#find(bytes, columns);
      if (halves === undefined) return false;
      const chosen = this.#functionFor(halves.mask, columns);
      if (chosen === undefined) return false;
      const all = halves.mask | defined(this.#functions[chosen]);
      const free = this.#allSlots & ~this.#usedIn(this.#slots, all);
      if (
        bitCount(free) < Math.min(slots, 1) ||
        bitCount(this.#allSingles & ~this.#usedIn(this.#singles, all)) < singles
      )
        return false;
      const taken = lowest(free, slots);
      const bits = lowest(this.#allSingles & ~this.#usedIn(this.#singles, all), singles);
      this.#take(halves, chosen, all, taken, bits);
      this.hashBits += SLOT_BITS * bitCount(taken) + singles;
      return true;
    });
  }

  #gateway({ bytes, bits, groups }: Extract<CrossbarUse, { kind: "gateway" }>): boolean {
    if (bytes.length === 0) return true;
    return [Math.min(bits, this.#singleCount), this.#singleCount].some((singles) => {
      const columns = { slots: 0, singles, maxGroups: groups };
      const halves = this.#find(bytes, columns);
      if (halves === undefined) return false;
      if (bits === 0) {
        this.#write(halves);
        return true;
      }
      const chosen = this.#functionFor(halves.mask, columns);
      if (chosen === undefined) return false;
      const all = halves.mask | defined(this.#functions[chosen]);
      const free = this.#allSingles & ~this.#usedIn(this.#singles, all);
      if (bitCount(free) < Math.min(bits, this.#singleCount)) return false;
      this.#take(halves, chosen, all, 0, lowest(free, Math.min(bits, this.#singleCount)));
      this.hashBits += bits;
      return true;
    });
  }

  /** Through the crossbar where the operands stand right, else through the matrix. */
  #alu({ operands, width }: Extract<CrossbarUse, { kind: "alu" }>): boolean {
    const bytes = operands.flatMap((operand) => operand.bytes);
    if (bytes.length === 0) return true;
    const places = placesOfOperands(operands, width)?.map((place) => this.shape.firstAluByte + place);
    const halves = places && this.#find(bytes, { slots: 0, singles: 0, places });
    if (halves !== undefined) {
      this.#write(halves);
      return true;
    }
    const sizes = operands.map((operand) => operand.bits).sort((a, b) => b - a);
    const bits = sizes.reduce((sum, size) => sum + size, 0);
    const last = sizes.length > 1 ? 8 * width + bits - sizes[0]! : bits;
    return bits <= ALU_BITS && this.#throughMatrix(bytes, bits, Math.min(last, ALU_BITS));
  }

  /** Bits of the matrix from the first column on, up to `last`. */
  #throughMatrix(bytes: readonly CrossbarByte[], bits: number, last: number): boolean {
    const halves = this.#find(bytes, this.#most);
    if (halves === undefined) return false;
    const chosen = this.#functionFor(halves.mask, undefined);
    if (chosen === undefined) return false;
    const slots = Math.min(this.#slotCount, Math.ceil((8 * Math.ceil(last / 8)) / SLOT_BITS));
    const singles = Math.max(0, Math.min(this.#singleCount, last - SLOTS * SLOT_BITS));
    const all = halves.mask | defined(this.#functions[chosen]);
    this.#take(halves, chosen, all, lowest(this.#allSlots, slots), lowest(this.#allSingles, singles));
    this.hashBits += bits;
    return true;
  }

  #distribution({ bytes, bits }: Extract<CrossbarUse, { kind: "distribution" }>): boolean {
    return [1, SLICES].some((slices) => {
      const halves = this.#find(bytes, { slots: 0, singles: 0, slices });
      if (halves === undefined) return false;
      for (const [index, chosen] of this.#distributorsFor(halves.mask).entries()) {
        if (chosen === undefined || !this.#takeSlice(halves, index, chosen, bits)) continue;
        return true;
      }
      return false;
    });
  }

  #takeSlice(halves: Found, index: number, chosen: number, bits: number): boolean {
    const inUse = this.#usedIn(this.#slices, defined(this.#functions[chosen]));
    const own = defined(this.#sliceBits[chosen]);
    const isWide = bits > SLICE_BITS;
    const low = (1 << Math.min(bits, SLICE_BITS)) - 1;
    for (let slice = 0; slice < (isWide ? SLICES - 1 : SLICES); slice++) {
      if ((inUse & (1 << slice)) !== 0 || (defined(own[slice]) & low) !== 0) continue;
      // The upper bits of a wide address stand in the last unit (input_xbar.cpp, allocHashDistWideAddress).
      const high = isWide ? ((1 << (bits - SLICE_BITS)) - 1) << (7 * slice) : 0;
      if ((defined(own[SLICES - 1]) & high) !== 0) continue;
      own[slice]! |= low;
      own[SLICES - 1]! |= high;
      this.#write(halves);
      this.#functions[chosen]! |= halves.mask;
      for (let half = 0; half < HALVES; half++)
        if ((halves.mask & (1 << half)) !== 0) this.#slices[half]! |= 1 << slice;
      this.#distributors[index] = chosen;
      this.hashBits += bits;
      this.units++;
      return true;
    }
    return false;
  }

  #distributorsFor(mask: number): (number | undefined)[] {
    const known = this.#distributors;
    const overlapping = known.map((chosen) => (defined(this.#functions[chosen]) & mask) !== 0);
    const count = overlapping.filter((is) => is).length;
    if (count > 1) return [];
    if (count === 1) return known.map((chosen, i) => (overlapping[i] ? chosen : undefined));
    const more = known.length < DISTRIBUTORS ? [this.#functionFor(mask, undefined)] : [];
    return [...known, ...more];
  }

  /** A function whose columns of these halves are free; undefined: there is none. */
  #functionFor(mask: number, columns: Columns | undefined): number | undefined {
    const same = this.#functions.findIndex(
      (halves, i) => halves === mask && mask !== 0 && !this.#distributors.includes(i),
    );
    if (same >= 0) return same;
    if (columns !== undefined) {
      for (const [i, halves] of this.#functions.entries()) {
        if (halves === 0 || this.#distributors.includes(i)) continue;
        const outside = mask & ~halves;
        const slots = [this.#usedIn(this.#slots, halves), this.#usedIn(this.#slots, outside)] as const;
        const singles = [this.#usedIn(this.#singles, halves), this.#usedIn(this.#singles, outside)] as const;
        if ((slots[0] & slots[1]) !== 0 || (singles[0] & singles[1]) !== 0) continue;
        const hasSlots = this.#slotCount - bitCount(slots[0] | slots[1]) >= columns.slots;
        if (hasSlots && this.#singleCount - bitCount(singles[0] | singles[1]) >= columns.singles) return i;
      }
      if (this.#functions.some((halves) => (halves & mask) !== 0)) return undefined;
    }
    const free = this.#functions.findIndex((halves, i) => halves === 0 && !this.#distributors.includes(i));
    return free < 0 ? undefined : free;
  }

  #usedIn(columns: readonly number[], mask: number): number {
    let used = 0;
    for (let half = 0; half < HALVES; half++) if ((mask & (1 << half)) !== 0) used |= defined(columns[half]);
    return used;
  }

  #take(found: Found, chosen: number, all: number, slots: number, singles: number): void {
    this.#write(found);
    this.#functions[chosen]! |= found.mask;
    for (let half = 0; half < HALVES; half++) {
      if ((all & (1 << half)) === 0) continue;
      this.#slots[half]! |= slots;
      this.#singles[half]! |= singles;
    }
  }

  #write({ added }: Found): void {
    for (const [place, name] of added) this.#bytes[place] = name;
  }

  /** Whether bytes of the half can serve a use that needs these columns. */
  #isOpen(half: number, { slots, singles, slices }: Columns): boolean {
    const bit = 1 << half;
    const owner = this.#functions.findIndex((halves) => (halves & bit) !== 0);
    const isDistributor = owner >= 0 && this.#distributors.includes(owner);
    if (slices === undefined) {
      if (isDistributor) return false;
      const free = this.#slotCount - bitCount(defined(this.#slots[half]));
      return free >= slots && this.#singleCount - bitCount(defined(this.#singles[half])) >= singles;
    }
    if (owner >= 0 && !isDistributor) return false;
    if (owner < 0) return true;
    return SLICES - bitCount(this.#usedIn(this.#slices, defined(this.#functions[owner]))) >= slices;
  }

  /** Places for the bytes: those that are there already, and free ones, in as few groups as possible. */
  #find(bytes: readonly CrossbarByte[], columns: Columns): Found | undefined {
    if (columns.places !== undefined) return this.#findAt(bytes, columns.places);
    const open = Array.from({ length: HALVES }, (_, half) => this.#isOpen(half, columns));
    const sorted = [...bytes].sort(byConstraint);
    const rooms = this.#rooms(bytes, open);
    let most = 0;
    for (let groups = 1; groups <= (columns.maxGroups ?? GROUPS); groups++) {
      most += rooms[groups - 1] ?? 0;
      // So many groups, even those with the most room, do not hold the bytes.
      if (most < bytes.length) continue;
      const found = this.#fill(sorted, groups, open, true) ?? this.#fill(sorted, groups, open, false);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Of each group, those with the most first, how many of the bytes it can hold at most; of all groups nothing where some byte has no place. */
  #rooms(bytes: readonly CrossbarByte[], open: readonly boolean[]): number[] {
    const rooms: number[] = [];
    const there = new Set<string>();
    const free: number[] = [];
    for (let group = 0; group < GROUPS; group++) {
      const here = this.#roomOf(group, bytes, open);
      for (const name of here.found.keys()) there.add(name);
      for (const place of here.free) free.push(place);
      rooms.push(here.found.size + here.free.length);
    }
    const added = bytes.filter(({ name }) => !there.has(name));
    const isShort = [1, 2, 4].some((align) => {
      const own = added.filter((byte) => byte.align === align);
      return placeable(own, free, align) < own.length;
    });
    return added.length > free.length || isShort ? [] : rooms.sort((a, b) => b - a);
  }

  /** For an ALU: the given places of one group, all of them free. */
  #findAt(bytes: readonly CrossbarByte[], places: readonly number[]): Found | undefined {
    for (let group = 0; group < GROUPS; group++) {
      const at = places.map((place) => group * GROUP_BYTES + place);
      if (!at.every((place) => this.#bytes[place] === undefined)) continue;
      return { mask: 0, added: at.map((place, i) => [place, defined(bytes[i]).name] as const) };
    }
    return undefined;
  }

  #fill(
    bytes: readonly CrossbarByte[],
    groups: number,
    open: readonly boolean[],
    prefersFound: boolean,
  ): Found | undefined {
    let rest = [...bytes];
    let mask = 0;
    const added: [number, string][] = [];
    const tried = new Set<number>();
    for (let bus = 0; bus < groups && rest.length > 0; bus++) {
      const leeway = Math.max(0, (groups - bus) * GROUP_BYTES - rest.length);
      const wanted = Math.max(0, GROUP_BYTES - leeway);
      const rooms = Array.from({ length: GROUPS }, (_, group): GroupRoom => {
        const { found, free } = this.#roomOf(group, rest, open);
        return { group, found: found.size, free };
      }).filter(({ group }) => !tried.has(group));
      const best = bestGroup(rest, rooms, { wanted, prefersFound });
      if (best === undefined) break;
      tried.add(best.group);
      const { found, free } = this.#roomOf(best.group, rest, open);
      const left: CrossbarByte[] = [];
      let placed = 0;
      for (const byte of rest) {
        const there = found.get(byte.name);
        if (there !== undefined && placed < GROUP_BYTES) {
          found.delete(byte.name);
          mask |= 1 << halfOf(there);
          placed++;
        } else left.push(byte);
      }
      rest = [];
      for (const byte of left) {
        const at = placed < GROUP_BYTES ? free.findIndex((place) => isPlaceOf(byte, place)) : -1;
        if (at < 0) {
          rest.push(byte);
          continue;
        }
        const [place] = free.splice(at, 1);
        added.push([defined(place), byte.name]);
        mask |= 1 << halfOf(defined(place));
        placed++;
      }
    }
    return rest.length === 0 ? { mask, added } : undefined;
  }

  /** By name the places of bytes that are there and can serve; and the free places. */
  #roomOf(
    group: number,
    bytes: readonly CrossbarByte[],
    open: readonly boolean[],
  ): { found: Map<string, number>; free: number[] } {
    const wanted = new Set(bytes.map(({ name }) => name));
    const found = new Map<string, number>();
    const free: number[] = [];
    for (let byte = 0; byte < GROUP_BYTES; byte++) {
      const place = group * GROUP_BYTES + byte;
      if (!open[halfOf(place)]) continue;
      const name = this.#bytes[place];
      if (name === undefined) free.push(place);
      else if (wanted.has(name)) found.set(name, place);
    }
    return { found, free };
  }
}

/** Halves that the bytes are in, and the bytes that were not there before. */
interface Found {
  readonly mask: number;
  readonly added: readonly (readonly [number, string])[];
}

function halfOf(place: number): number {
  return place >> 3;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** The lowest `count` bits that are set. */
function lowest(mask: number, count: number): number {
  let chosen = 0;
  let rest = mask;
  for (let i = 0; i < count && rest !== 0; i++) {
    const bit = rest & -rest;
    chosen |= bit;
    rest &= ~bit;
  }
  return chosen;
}
