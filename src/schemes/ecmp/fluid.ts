/** ECMP in the flow simulator: each switch hashes a bundle onto one of the ports of its shortest paths. */
import { z } from "zod";
import {
  Distances,
  FAR,
  type FlowNetwork,
  indexOf,
  mixed,
  type RoutedBundles,
  shortestPort,
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
  readonly #distances: Distances;

  constructor(
    private readonly network: FlowNetwork,
    private readonly seed: number,
    private readonly bundles: RoutedBundles,
  ) {
    this.#distances = new Distances(network);
    this.maxLinks = this.#distances.diameter();
  }

  linksOf(bundle: number, out: Int32Array): number {
    const { network, bundles, seed } = this;
    const { firstPort, peer, link } = network;
    const distance = this.#distances.to(bundles.to[bundle]!);
    const hash = bundles.hash[bundle]!;
    let own = bundles.from[bundle]!;
    if (distance[own] === FAR) return -1;
    let count = 0;
    while (distance[own]! > 0) {
      // Each switch has a seed of its own, so that the flows of a port are spread again.
      const value = mixed(hash ^ mixed(seed + own));
      const ports = shortestPort(network, distance, own, -1);
      const port = firstPort[own]! + shortestPort(network, distance, own, indexOf(value, ports));
      out[count++] = link[port]!;
      own = peer[port]!;
    }
    return count;
  }
}
