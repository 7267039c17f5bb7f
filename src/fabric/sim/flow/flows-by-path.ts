/**
 * Flows that share bundles and keep the paths that they had when they came: the flows of two racks on the same path are one bundle. Whatever
 * switches change later concerns flows that come later. Paths of flows that come together are found pair by pair, since what the switches
 * of a pair know is in the caches then.
 */
import type { Random } from "../../../base/index.js";
import { MAX_LINKS } from "../../paths/index.js";
import type { ActiveBundles } from "./active-bundles.js";
import { mixed } from "./hash.js";
import type { FlowStart } from "./population.js";
import type { BundleChoice } from "./shared-bundles.js";

/** Two racks. */
interface Pair {
  readonly from: number;
  readonly to: number;
  readonly seed: number;
  /** The last of its flows among those that come now. */
  last: number;
}

const NONE = -1;
/** The resources of sender and receiver, which a path begins with. */
const ENDS = 2;

export class FlowsByPath implements BundleChoice {
  readonly #pairs = new Map<number, Pair>();
  /** Never active: its path is that of the flow that comes. */
  readonly #probe: number;
  /** Of the flows that come now: pair, the flow of the pair before it, hash value, hash value of the path, links of the path and their number. */
  readonly #pairOf: Pair[] = [];
  #before = new Int32Array(0);
  #hash = new Int32Array(0);
  #pathKey = new Int32Array(0);
  #count = new Uint8Array(0);
  #links = new Int32Array(0);
  /** Most links of a path. */
  readonly #most: number;
  readonly #found = new Int32Array(MAX_LINKS);
  /** Bundles by their paths: a hash table whose chains run through the columns. Its size is a power of two. */
  #heads = new Int32Array(4096).fill(NONE);
  #known = 0;
  /** By bundle: the next one of its chain, and the hash value of its path. */
  #next = new Int32Array(0);
  #key = new Int32Array(0);

  constructor(
    private readonly active: ActiveBundles,
    private readonly buckets: number,
    private readonly random: Random,
  ) {
    this.#probe = active.add(0, 0, 0, 0);
    this.#most = active.maxLinks;
  }

  choose(
    flows: readonly FlowStart[],
    chosen: Int32Array,
    made: (bundle: number, flow: FlowStart) => void,
  ): void {
    if (this.#hash.length < flows.length) this.#makeRoom(2 * flows.length);
    for (const pair of this.#pairsOf(flows)) this.#findPaths(pair);
    for (let i = 0; i < flows.length; i++) chosen[i] = this.#bundleOf(i, flows[i]!, made);
    this.#pairOf.length = 0;
  }

  /** Draws the hash values of the flows; returns their pairs. */
  #pairsOf(flows: readonly FlowStart[]): Pair[] {
    const { buckets, random } = this;
    const { rackOf, switchOfRack } = this.active.network;
    const pairs: Pair[] = [];
    for (let i = 0; i < flows.length; i++) {
      const { source, destination } = flows[i]!;
      const [from, to] = [rackOf[source]!, rackOf[destination]!];
      const number = from * switchOfRack.length + to;
      let pair = this.#pairs.get(number);
      if (pair === undefined) {
        pair = { from, to, seed: mixed(random.uint32()), last: NONE };
        this.#pairs.set(number, pair);
      }
      this.#hash[i] = mixed(pair.seed + Math.imul(random.int(buckets), 0x9e3779b1));
      if (pair.last === NONE) pairs.push(pair);
      this.#before[i] = pair.last;
      pair.last = i;
      this.#pairOf.push(pair);
    }
    return pairs;
  }

  /** Finds the paths of all flows of a pair that come now. */
  #findPaths(pair: Pair): void {
    const { active } = this;
    const { bundles, network } = active;
    const links = this.#found;
    const probe = this.#probe;
    bundles.from[probe] = network.switchOfRack[pair.from]!;
    bundles.to[probe] = network.switchOfRack[pair.to]!;
    for (let i = pair.last; i !== NONE; i = this.#before[i]!) {
      bundles.hash[probe] = this.#hash[i]!;
      const count = active.wayOf(probe, links);
      let key = pair.seed;
      for (let at = 0; at < count; at++) {
        key = mixed(Math.imul(key, 31) + links[at]!);
        this.#links[i * this.#most + at] = links[at]!;
      }
      this.#pathKey[i] = key;
      this.#count[i] = count;
    }
    pair.last = NONE;
  }

  /** The bundle of a flow: the one that has its path, or a new one. */
  #bundleOf(i: number, flow: FlowStart, made: (bundle: number, flow: FlowStart) => void): number {
    const { active } = this;
    const { network } = active;
    const { from, to } = this.#pairOf[i]!;
    const sender = network.rackSends(from);
    const receiver = network.rackReceives(to);
    const key = this.#pathKey[i]!;
    const head = key & (this.#heads.length - 1);
    for (let known = this.#heads[head]!; known !== NONE; known = this.#next[known]!)
      if (this.#key[known] === key && this.#has(known, sender, receiver, i)) return known;
    const bundle = active.add(sender, receiver, from, to);
    active.bundles.hash[bundle] = this.#hash[i]!;
    active.give(bundle, this.#links, i * this.#most, this.#count[i]!);
    this.#insert(bundle, key);
    made(bundle, flow);
    return bundle;
  }

  /** The last flow of a bundle has ended. */
  drop(bundle: number): void {
    const next = this.#next;
    const head = this.#key[bundle]! & (this.#heads.length - 1);
    if (this.#heads[head] === bundle) this.#heads[head] = next[bundle]!;
    else {
      let before = this.#heads[head]!;
      while (next[before] !== bundle) before = next[before]!;
      next[before] = next[bundle]!;
    }
    this.#known--;
    this.active.remove(bundle);
  }

  #insert(bundle: number, key: number): void {
    const room = this.active.bundles.from.length;
    if (this.#next.length < room) {
      const [next, keys] = [this.#next, this.#key];
      this.#next = new Int32Array(room);
      this.#key = new Int32Array(room);
      this.#next.set(next);
      this.#key.set(keys);
    }
    if (++this.#known > this.#heads.length) this.#widen();
    const head = key & (this.#heads.length - 1);
    this.#key[bundle] = key;
    this.#next[bundle] = this.#heads[head]!;
    this.#heads[head] = bundle;
  }

  /** Doubles the number of chains. */
  #widen(): void {
    const old = this.#heads;
    this.#heads = new Int32Array(2 * old.length).fill(NONE);
    for (const first of old)
      for (let bundle = first, next = NONE; bundle !== NONE; bundle = next) {
        next = this.#next[bundle]!;
        const head = this.#key[bundle]! & (this.#heads.length - 1);
        this.#next[bundle] = this.#heads[head]!;
        this.#heads[head] = bundle;
      }
  }

  /** Whether a bundle goes between these ends by the links that are found of a flow. */
  #has(bundle: number, sender: number, receiver: number, flow: number): boolean {
    const { path, stride, length } = this.active.bundles;
    const links = this.#links;
    const count = this.#count[flow]!;
    const base = bundle * stride;
    if (length[bundle] !== count + ENDS || path[base] !== sender || path[base + 1] !== receiver) return false;
    for (let i = 0; i < count; i++) if (path[base + ENDS + i] !== links[flow * this.#most + i]) return false;
    return true;
  }

  #makeRoom(flows: number): void {
    this.#before = new Int32Array(flows);
    this.#hash = new Int32Array(flows);
    this.#pathKey = new Int32Array(flows);
    this.#count = new Uint8Array(flows);
    this.#links = new Int32Array(flows * this.#most);
  }
}
