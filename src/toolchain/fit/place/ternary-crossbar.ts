/**
 * The ternary crossbar of a stage (p4c, backends/tofino/bf-p4c/mau/tofino/input_xbar.cpp, find_alloc, whose order of choices this follows).
 * It has 12 groups of 5 bytes, and between two groups a byte whose halves are the highest bits of a TCAM block of either. A block takes one
 * group and one half, so that a key takes as few groups as it can, and two tables share a byte only where both find it in a group that suits
 * them: else it stands twice.
 */
import { bestGroup, byConstraint, type CrossbarByte, type GroupRoom, isPlaceOf } from "./crossbar-groups.js";

/** A byte of a ternary key. */
export interface TernaryByte extends CrossbarByte {
  /** The number of the range that it holds half a byte of: no group has bytes of two ranges, and none stands between groups. */
  readonly range?: number;
  /** The key has bits of one half of it. */
  readonly isHalf: boolean;
}

/** Names of the bytes of a key, each once: the second byte of one name has a number. A table that shares them all needs no place more. */
export function namesOf(key: readonly TernaryByte[]): string[] {
  const counts = new Map<string, number>();
  return key.map(({ name }) => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return count === 0 ? name : `${name} #${count + 1}`;
  });
}

const GROUPS = 12;
const GROUP_BYTES = 5;
/** Two groups with the byte between them. */
const PAIR_BYTES = 2 * GROUP_BYTES + 1;
const PAIRS = GROUPS / 2;

function firstOf(group: number): number {
  return Math.floor(group / 2) * PAIR_BYTES + (group % 2) * (GROUP_BYTES + 1);
}

function between(pair: number): number {
  return pair * PAIR_BYTES + GROUP_BYTES;
}

/** The crossbar of a stage that is being filled. */
export class TernaryCrossbar {
  /** By place: the byte of a container that is there. */
  readonly #bytes = new Map<number, string>();

  /** Places in use. */
  get bytes(): number {
    return this.#bytes.size;
  }

  /** Adds a key; false, with nothing added, where there is no room for it. */
  place(key: readonly TernaryByte[]): boolean {
    const sorted = [...key].sort(byNeed);
    let groups = 1;
    let halves = 0;
    const more = () => (groups > halves ? halves++ : groups++);
    while (groups * GROUP_BYTES + ((halves + 1) >> 1) < sorted.length) more();
    for (; groups <= GROUPS; more())
      for (const prefersFound of [true, false]) {
        const search = new Search(this.#bytes, sorted, prefersFound);
        search.fillBetween(halves);
        search.fillGroups(groups);
        if (search.rest.length > 0) continue;
        for (const [place, name] of search.added) this.#bytes.set(place, name);
        return true;
      }
    return false;
  }
}

/** Bytes of ranges first, one range after the other. */
function byNeed(a: TernaryByte, b: TernaryByte): number {
  return (a.range ?? Number.POSITIVE_INFINITY) === (b.range ?? Number.POSITIVE_INFINITY)
    ? byConstraint(a, b)
    : (a.range ?? Number.POSITIVE_INFINITY) - (b.range ?? Number.POSITIVE_INFINITY);
}

/** One attempt to give the bytes of a key their places. */
class Search {
  rest: readonly TernaryByte[];
  readonly added = new Map<number, string>();

  constructor(
    readonly there: ReadonlyMap<number, string>,
    key: readonly TernaryByte[],
    readonly prefersFound: boolean,
  ) {
    this.rest = key;
  }

  /** Bytes between groups, of which an odd number of halves leaves the last one to a byte that has one half. */
  fillBetween(halves: number): void {
    const tried = new Set<number>();
    let prefersHalf = halves % 2 === 1;
    const count = (halves + 1) >> 1;
    for (let bus = 0; bus < count && this.rest.length > 0; bus++) {
      const halvesOnly = prefersHalf && bus === count - 1;
      const fitting = this.rest.filter(({ range, isHalf }) => range === undefined && (isHalf || !halvesOnly));
      const rooms = Array.from({ length: PAIRS }, (_, pair): GroupRoom => {
        const place = between(pair);
        const name = this.there.get(place);
        const isFound = this.rest.some((byte) => byte.range === undefined && byte.name === name);
        return { group: pair, found: isFound ? 1 : 0, free: name === undefined ? [place] : [] };
      }).filter(({ group }) => !tried.has(group));
      const room = bestGroup(fitting, rooms, { wanted: 1, prefersFound: this.prefersFound });
      if (room === undefined) return;
      tried.add(room.group);
      const place = between(room.group);
      const name = this.there.get(place);
      const chosen =
        name === undefined
          ? [...(prefersHalf ? fitting.filter(({ isHalf }) => isHalf) : []), ...fitting].find((byte) =>
              isPlaceOf(byte, place),
            )
          : fitting.find((byte) => byte.name === name);
      if (chosen === undefined) continue;
      if (name === undefined) this.added.set(place, chosen.name);
      if (chosen.isHalf) prefersHalf = false;
      this.#remove(chosen);
    }
  }

  /** Groups, the best one first; each takes what is there already, then what its free places admit. */
  fillGroups(groups: number): void {
    const tried = new Set<number>();
    for (let bus = 0; bus < groups && this.rest.length > 0; bus++) {
      const leeway = Math.max(0, (groups - bus) * GROUP_BYTES - this.rest.length);
      const wanted = Math.max(0, GROUP_BYTES - leeway);
      const rooms = Array.from({ length: GROUPS }, (_, group): GroupRoom => {
        const places = placesOf(group);
        const found = places.filter((place) => this.rest.some(({ name }) => name === this.there.get(place)));
        return { group, found: found.length, free: places.filter((place) => !this.there.has(place)) };
      }).filter(({ group }) => !tried.has(group));
      const room = bestGroup(this.rest, rooms, { wanted, prefersFound: this.prefersFound });
      if (room === undefined) return;
      tried.add(room.group);
      this.#fillGroup(room);
    }
  }

  #fillGroup({ group, free }: GroupRoom): void {
    const open = new Set(placesOf(group).filter((place) => this.there.has(place)));
    const empty = [...free];
    let range: number | undefined;
    let placed = 0;
    for (const isFree of [false, true])
      for (const byte of this.rest) {
        if (placed >= GROUP_BYTES) return;
        if (byte.range !== undefined && range !== undefined && byte.range !== range) continue;
        const place = isFree
          ? empty.find((at) => isPlaceOf(byte, at))
          : [...open].find((at) => this.there.get(at) === byte.name);
        if (place === undefined) continue;
        if (isFree) {
          this.added.set(place, byte.name);
          empty.splice(empty.indexOf(place), 1);
        } else open.delete(place);
        range ??= byte.range;
        placed++;
        this.#remove(byte);
      }
  }

  #remove(byte: TernaryByte): void {
    const at = this.rest.indexOf(byte);
    this.rest = this.rest.filter((_, i) => i !== at);
  }
}

function placesOf(group: number): number[] {
  return Array.from({ length: GROUP_BYTES }, (_, i) => firstOf(group) + i);
}
