/** Flows of two racks in the same bucket of a hash are one bundle, whose path follows changes of the switches. */
import type { Random } from "../../../base/index.js";
import type { ActiveBundles } from "./active-bundles.js";
import { mixed } from "./hash.js";
import type { FlowStart } from "./population.js";
import type { BundleChoice } from "./shared-bundles.js";

export class FlowsByHash implements BundleChoice {
  /** The first bundle of each pair of racks. */
  readonly #pairs = new Map<number, number>();

  constructor(
    private readonly active: ActiveBundles,
    private readonly buckets: number,
    private readonly random: Random,
  ) {}

  choose(
    flows: readonly FlowStart[],
    chosen: Int32Array,
    made: (bundle: number, flow: FlowStart) => void,
  ): void {
    const { active, buckets } = this;
    const { bundles, network } = active;
    for (const [i, flow] of flows.entries()) {
      const from = network.rackOf[flow.source]!;
      const to = network.rackOf[flow.destination]!;
      const pair = from * network.switchOfRack.length + to;
      let first = this.#pairs.get(pair);
      if (first === undefined) {
        first = active.add(network.rackSends(from), network.rackReceives(to), from, to, buckets);
        this.#pairs.set(pair, first);
        const seed = mixed(this.random.uint32());
        for (let bucket = 0; bucket < buckets; bucket++) {
          bundles.hash[first + bucket] = mixed(seed + Math.imul(bucket, 0x9e3779b1));
          made(first + bucket, flow);
        }
      }
      chosen[i] = first + this.random.int(buckets);
    }
  }

  /** A bundle without flows waits for the next flow of its bucket. */
  drop(): void {}
}
