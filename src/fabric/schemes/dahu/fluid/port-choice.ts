/**
 * The choice of an egress port by Dahu's pipeline (section 3.2, figure 2), fast enough for a million bundles per second. It tries the same
 * virtual ports as the switch program: 16 from a start by an odd step, then 16 more of another hash. Data of all switches are in few
 * flat arrays, because memory accesses determine the time of a choice.
 */
import { hasPort, indexOf, mixed, portAt, portCount } from "../../../sim/flow/index.js";
import type { Remap } from "../policy/port-groups.js";
import type { Routes } from "./routes.js";

/** Number of hash functions of a round, and of rounds. */
const HASHES = 16;
const ROUNDS = 2;

/** With more allowed ports, or a larger share of the members, a virtual port soon leads to one of them: then the map is read, not the sets. */
const FEW = 4;
const SMALL_SHARE = 1 / 4;

/** Whether a switch must not deroute by a port to a destination now. */
type IsHeld = (own: number, destination: number, port: number) => boolean;

export class PortChoice {
  /**
   * Index of (group, virtual port) that the last choice was found by, as `PortGroups.map` has it; -1: by none, or by whichever where
   * virtual ports are not counted.
   */
  found = -1;
  /** By switch: index of its first group among the groups of all switches. */
  readonly #firstGroup: Int32Array;
  /** Port by group (of all switches) and virtual port. */
  readonly #map: Uint16Array;
  /** Members by group (of all switches), as bitmaps; and their number. */
  readonly #members: Int32Array;
  readonly #size: Uint16Array;
  /**
   * By group (of all switches) and port, built on first use: the set of the virtual ports that lead to the port, one bit each. The sets of the
   * few ports of shortest paths take a tenth of the map's memory.
   */
  #sets: Int32Array | undefined;
  /** Start of the sets of each group; number of words of a set. */
  readonly #firstSet: Int32Array;
  readonly #setWords: number;
  /** The allowed ports of the present choice, as a bitmap and as a list. */
  readonly #allowed: Int32Array;
  readonly #few = new Int32Array(FEW);

  constructor(
    private readonly routes: Routes,
    private readonly virtualPorts: number,
    private readonly isHeld: IsHeld | undefined,
    /** Whether {@link found} is asked for. */
    private readonly counts: boolean,
  ) {
    const { words, plan } = routes;
    this.#firstGroup = new Int32Array(plan.groups.length + 1);
    for (const [own, groups] of plan.groups.entries())
      this.#firstGroup[own + 1] = this.#firstGroup[own]! + (groups?.groups ?? 0);
    const count = this.#firstGroup[plan.groups.length]!;
    this.#map = new Uint16Array(count * virtualPorts);
    this.#members = new Int32Array(count * words);
    this.#size = new Uint16Array(count);
    this.#setWords = Math.ceil(virtualPorts / 32);
    this.#firstSet = new Int32Array(count + 1);
    this.#allowed = new Int32Array(words);
    for (const [own, groups] of plan.groups.entries()) {
      if (groups === undefined) continue;
      const first = this.#firstGroup[own]!;
      for (let group = first; group < first + groups.groups; group++)
        this.#firstSet[group + 1] = this.#firstSet[group]! + groups.ports * this.#setWords;
      this.takeGroups(own);
    }
  }

  /** Takes the map and the members of a switch's groups as they are now. */
  takeGroups(own: number): void {
    const groups = this.routes.plan.groups[own];
    if (groups === undefined) return;
    const { words } = this.routes;
    const first = this.#firstGroup[own]!;
    this.#sets = undefined;
    this.#map.set(groups.map, first * this.virtualPorts);
    this.#members.fill(0, first * words, (first + groups.groups) * words);
    this.#size.fill(0, first, first + groups.groups);
    for (const [at, member] of groups.members.entries()) {
      const group = first + Math.floor(at / groups.ports);
      const port = at % groups.ports;
      this.#members[group * words + (port >> 5)]! |= member << port;
      this.#size[group]! += member;
    }
  }

  /**
   * The egress port, or -1 where none is allowed: the first allowed one of the hashed ports, or else one of the allowed ports by a hash.
   * `bitmaps`: ports of shortest paths to the destination. `further`: other ports that lead to no dead end are allowed, too.
   */
  of(
    own: number,
    destination: number,
    bitmaps: Int32Array,
    hash: number,
    ingress: number,
    further: boolean,
  ): number {
    const own0 = this.#firstGroup[own]!;
    const local = this.routes.groupOf(own, destination);
    const holds = further ? this.isHeld : undefined;
    const limits = further ? this.routes.further(destination) : bitmaps;
    let count = this.#allow(own, own0 + local, limits, ingress);
    if (count === 1 && holds === undefined && !this.counts) {
      // Whatever virtual port is found, or none.
      this.found = -1;
      return this.#few[0]!;
    }
    const bySets = count <= FEW && count < SMALL_SHARE * this.#size[own0 + local]! && holds === undefined;
    let drawn = hash;
    for (let round = 0; round < ROUNDS && count > 0; round++) {
      const virtualPort = bySets
        ? this.#tryBySets(own0 + local, count, drawn)
        : this.#tryByMap(own0 + local, own, destination, bitmaps, drawn, holds);
      if (virtualPort >= 0) {
        this.found = local * this.virtualPorts + virtualPort;
        return this.#map[(own0 + local) * this.virtualPorts + virtualPort]!;
      }
      drawn = mixed(drawn + 0x6d2b79f5);
    }
    this.found = -1;
    if (holds !== undefined) count = this.#hold(own, destination, bitmaps, holds);
    if (count === 0) return -1;
    return portAt(this.#allowed, 0, this.routes.words, indexOf(drawn, count));
  }

  /** Notes that a virtual port was remapped. */
  move(own: number, { group, virtualPort, from, to }: Remap): void {
    const number = this.#firstGroup[own]! + group;
    this.#map[number * this.virtualPorts + virtualPort] = to;
    const sets = this.#sets;
    if (sets === undefined) return;
    const words = this.#setWords;
    const at = this.#firstSet[number]! + (virtualPort >> 5);
    sets[at + from * words]! &= ~(1 << virtualPort);
    sets[at + to * words]! |= 1 << virtualPort;
  }

  /** Computes the bitmap of the allowed ports, and their list where they are few; returns their number. `bitmaps`: null for all members. */
  #allow(own: number, group: number, bitmaps: Int32Array | null, ingress: number): number {
    const { words } = this.routes;
    const allowed = this.#allowed;
    for (let word = 0; word < words; word++) {
      const members = this.#members[group * words + word]!;
      allowed[word] = bitmaps === null ? members : members & bitmaps[own * words + word]!;
    }
    if (ingress >= 0) allowed[ingress >> 5]! &= ~(1 << ingress);
    const count = portCount(allowed, 0, words);
    if (count > FEW) return count;
    for (let word = 0, i = 0; word < words; word++)
      for (let bits = allowed[word]!; bits !== 0; bits &= bits - 1)
        this.#few[i++] = 32 * word + 31 - Math.clz32(bits & -bits);
    return count;
  }

  /** Removes ports by which the switch must not deroute; returns the number of the remaining ones. */
  #hold(own: number, destination: number, bitmaps: Int32Array, isHeld: IsHeld): number {
    const { words } = this.routes;
    for (let port = 0; port < 32 * words; port++)
      if (
        hasPort(this.#allowed, 0, port) &&
        !hasPort(bitmaps, own * words, port) &&
        isHeld(own, destination, port)
      )
        this.#allowed[port >> 5]! &= ~(1 << port);
    return portCount(this.#allowed, 0, words);
  }

  /** The first virtual port of a round that leads to an allowed port; -1: there is none. */
  #tryByMap(
    group: number,
    own: number,
    destination: number,
    bitmaps: Int32Array,
    drawn: number,
    isHeld: IsHeld | undefined,
  ): number {
    const { virtualPorts } = this;
    const base = group * virtualPorts;
    const bitmap = own * this.routes.words;
    const step = (drawn >>> 16) | 1;
    for (let k = 0, at = drawn & 0xffff; k < HASHES; k++, at += step) {
      const port = this.#map[base + (at % virtualPorts)]!;
      if (!hasPort(this.#allowed, 0, port)) continue;
      if (isHeld === undefined || hasPort(bitmaps, bitmap, port) || !isHeld(own, destination, port))
        return at % virtualPorts;
    }
    return -1;
  }

  /** As {@link #tryByMap}, by the sets of the `count` allowed ports. */
  #tryBySets(group: number, count: number, drawn: number): number {
    const { virtualPorts } = this;
    const words = this.#setWords;
    const sets = (this.#sets ??= this.#findSets());
    const few = this.#few;
    const base = this.#firstSet[group]!;
    const step = (drawn >>> 16) | 1;
    for (let k = 0, at = drawn & 0xffff; k < HASHES; k++, at += step) {
      const virtualPort = at % virtualPorts;
      const word = base + (virtualPort >> 5);
      let bits = 0;
      for (let i = 0; i < count; i++) bits |= sets[word + few[i]! * words]!;
      if (((bits >>> virtualPort) & 1) === 1) return virtualPort;
    }
    return -1;
  }

  #findSets(): Int32Array {
    const { virtualPorts } = this;
    const groups = this.#size.length;
    const sets = new Int32Array(this.#firstSet[groups]!);
    for (let group = 0; group < groups; group++)
      for (let virtualPort = 0; virtualPort < virtualPorts; virtualPort++) {
        const port = this.#map[group * virtualPorts + virtualPort]!;
        sets[this.#firstSet[group]! + port * this.#setWords + (virtualPort >> 5)]! |= 1 << virtualPort;
      }
    return sets;
  }
}
