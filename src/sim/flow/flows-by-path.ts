/**
 * Flows that share bundles and keep the paths that they had when they came: the flows of two racks on the same path are one bundle. Whatever
 * switches change later concerns flows that come later.
 */
import type { Random } from "../../base/index.js";
import { MAX_LINKS } from "../../paths/index.js";
import type { ActiveBundles } from "./active-bundles.js";
import { mixed } from "./hash.js";
import type { BundleChoice } from "./shared-bundles.js";

/** Bundles of two racks. */
interface Pair {
  /** Never active: its path is that of the flow that comes. */
  readonly probe: number;
  readonly seed: number;
  /** By a number for the path. */
  readonly byPath: Map<number, number>;
}

const PRIME = 1_000_003;

export class FlowsByPath implements BundleChoice {
  readonly #pairs = new Map<number, Pair>();
  readonly #links = new Int32Array(MAX_LINKS);
  /** Pair and number of the path by bundle. */
  #pairOf: Pair[] = [];
  #key: number[] = [];

  constructor(
    private readonly active: ActiveBundles,
    private readonly buckets: number,
    private readonly random: Random,
  ) {}

  /** The bundle of a flow that comes now. `made` hears of a new one. */
  bundleFor(from: number, to: number, made: (bundle: number) => void): number {
    const { active, buckets } = this;
    const { bundles, network } = active;
    const ends = [network.rackSends(from), network.rackReceives(to), from, to] as const;
    const number = from * network.switchOfRack.length + to;
    let pair = this.#pairs.get(number);
    if (pair === undefined) {
      pair = { probe: active.add(...ends), seed: mixed(this.random.uint32()), byPath: new Map() };
      this.#pairs.set(number, pair);
    }
    bundles.hash[pair.probe] = mixed(pair.seed + Math.imul(this.random.int(buckets), 0x9e3779b1));
    const links = this.#links;
    const count = active.wayOf(pair.probe, links);
    // Exact below 2^53; two paths with one number take the next free one.
    let key = count;
    for (let i = 0; i < count; i++) key = (key * PRIME + links[i]! + 1) % 4_503_599_627;
    for (; ; key++) {
      const known = pair.byPath.get(key);
      if (known === undefined) break;
      if (this.#has(known, links, count)) return known;
    }
    const bundle = active.add(...ends);
    bundles.hash[bundle] = bundles.hash[pair.probe]!;
    pair.byPath.set(key, bundle);
    this.#pairOf[bundle] = pair;
    this.#key[bundle] = key;
    made(bundle);
    return bundle;
  }

  /** The last flow of a bundle has ended. */
  drop(bundle: number): void {
    this.#pairOf[bundle]!.byPath.delete(this.#key[bundle]!);
    this.active.remove(bundle);
  }

  #has(bundle: number, links: Int32Array, count: number): boolean {
    const { path, stride, length } = this.active.bundles;
    const ends = 2;
    if (length[bundle] !== count + ends) return false;
    for (let i = 0; i < count; i++) if (path[bundle * stride + ends + i] !== links[i]) return false;
    return true;
  }
}
