/**
 * Flows that share bundles and keep the paths that they had when they came: the flows of two racks on the same path are one bundle. Whatever
 * switches change later concerns flows that come later.
 */
import type { Random } from "../../base/index.js";
import { MAX_LINKS } from "../../paths/index.js";
import type { ActiveBundles } from "./active-bundles.js";
import { mixed } from "./hash.js";
import type { BundleChoice } from "./shared-bundles.js";

/** Two racks. */
interface Pair {
  /** Never active: its path is that of the flow that comes. */
  readonly probe: number;
  readonly seed: number;
}

const NONE = -1;
/** The resources of sender and receiver, which a path begins with. */
const ENDS = 2;

export class FlowsByPath implements BundleChoice {
  readonly #pairs = new Map<number, Pair>();
  readonly #links = new Int32Array(MAX_LINKS);
  /** Bundles by their paths: a hash table whose chains run through the columns. Its size is a power of two. */
  #heads = new Int32Array(4096).fill(NONE);
  #count = 0;
  /** By bundle: the next one of its chain, and the hash value of its path. */
  #next = new Int32Array(0);
  #key = new Int32Array(0);

  constructor(
    private readonly active: ActiveBundles,
    private readonly buckets: number,
    private readonly random: Random,
  ) {}

  /** The bundle of a flow that comes now. `made` hears of a new one. */
  bundleFor(from: number, to: number, made: (bundle: number) => void): number {
    const { active, buckets } = this;
    const { bundles, network } = active;
    const sender = network.rackSends(from);
    const receiver = network.rackReceives(to);
    const number = from * network.switchOfRack.length + to;
    let pair = this.#pairs.get(number);
    if (pair === undefined) {
      pair = { probe: active.add(sender, receiver, from, to), seed: mixed(this.random.uint32()) };
      this.#pairs.set(number, pair);
    }
    const hash = mixed(pair.seed + Math.imul(this.random.int(buckets), 0x9e3779b1));
    bundles.hash[pair.probe] = hash;
    const links = this.#links;
    const count = active.wayOf(pair.probe, links);
    let key = pair.probe;
    for (let i = 0; i < count; i++) key = mixed(Math.imul(key, 31) + links[i]!);
    const head = key & (this.#heads.length - 1);
    for (let known = this.#heads[head]!; known !== NONE; known = this.#next[known]!)
      if (this.#key[known] === key && this.#has(known, sender, receiver, count)) return known;
    const bundle = active.add(sender, receiver, from, to);
    bundles.hash[bundle] = hash;
    this.#insert(bundle, key);
    made(bundle);
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
    this.#count--;
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
    if (++this.#count > this.#heads.length) this.#widen();
    const head = key & (this.#heads.length - 1);
    this.#key[bundle] = key;
    this.#next[bundle] = this.#heads[head]!;
    this.#heads[head] = bundle;
  }

  /** Twice as many chains. */
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

  /** Whether a bundle goes between these ends by the links at hand. */
  #has(bundle: number, sender: number, receiver: number, count: number): boolean {
    const { path, stride, length } = this.active.bundles;
    const links = this.#links;
    const base = bundle * stride;
    if (length[bundle] !== count + ENDS || path[base] !== sender || path[base + 1] !== receiver) return false;
    for (let i = 0; i < count; i++) if (path[base + ENDS + i] !== links[i]) return false;
    return true;
  }
}
