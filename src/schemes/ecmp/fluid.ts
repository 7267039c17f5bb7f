/** ECMP in the flow simulator: each switch hashes a bundle onto one of the ports of its shortest paths. */
import { z } from "zod";
import {
  Distances,
  type FlowNetwork,
  indexOf,
  mixed,
  portAt,
  portCount,
  type RoutedBundles,
  ShortestPorts,
} from "../../sim/flow/index.js";
import type { FluidScheme } from "../fluid-scheme.js";

export const ecmpFluid: FluidScheme<object> = {
  name: "ecmp",
  title: "ECMP",
  parameters: z.strictObject({}),
  router: (network, _parameters, seed) => (bundles) => new EcmpRouter(network, seed, bundles),
};

class EcmpRouter {
  readonly maxLinks: number;
  readonly #shortest: ShortestPorts;

  constructor(
    private readonly network: FlowNetwork,
    private readonly seed: number,
    private readonly bundles: RoutedBundles,
  ) {
    const distances = new Distances(network);
    this.#shortest = new ShortestPorts(network, distances);
    this.maxLinks = distances.diameter();
  }

  linksOf(bundle: number, out: Int32Array): number {
    const { network, bundles, seed } = this;
    const { firstPort, peer, link } = network;
    const destination = bundles.to[bundle]!;
    const shortest = this.#shortest.to(destination);
    const { words } = this.#shortest;
    const hash = bundles.hash[bundle]!;
    let own = bundles.from[bundle]!;
    let count = 0;
    while (own !== destination) {
      // Each switch has a seed of its own, so that the flows of one port are distributed again at the next switch.
      const value = mixed(hash ^ mixed(seed + own));
      const ports = portCount(shortest, own * words, words);
      if (ports === 0) return -1;
      const port = firstPort[own]! + portAt(shortest, own * words, words, indexOf(value, ports));
      out[count++] = link[port]!;
      own = peer[port]!;
    }
    return count;
  }
}
