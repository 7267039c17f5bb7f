/** ECMP in the flow simulator: each switch hashes a bundle onto one of the ports of its shortest paths. */
import { z } from "zod";
import {
  Distances,
  type FlowNetwork,
  type FlowRouter,
  indexOf,
  mixed,
  portAt,
  portCount,
  type RoutedBundles,
  ShortestPorts,
} from "../../sim/flow/index.js";
import type { FlowSimScheme } from "../flow-sim-scheme.js";

export const ecmpFlowSim: FlowSimScheme<object> = {
  name: "ecmp",
  title: "ECMP",
  parameters: z.strictObject({}),
  router: (network, _parameters, seed) => (bundles) => new EcmpRouter(network, seed, bundles),
};

class EcmpRouter implements FlowRouter {
  readonly maxLinks: number;
  readonly #distances: Distances;
  readonly #shortest: ShortestPorts;
  /** By switch: ports that are up, as bitmaps; absent: all are. The members of a group watch their ports. */
  #up: Int32Array | undefined;
  /** The ports of one choice. */
  readonly #ports: Int32Array;

  constructor(
    private readonly network: FlowNetwork,
    private readonly seed: number,
    private readonly bundles: RoutedBundles,
  ) {
    this.#distances = new Distances(network);
    this.#shortest = new ShortestPorts(network, this.#distances);
    this.#ports = new Int32Array(this.#shortest.words);
    this.maxLinks = this.#distances.diameter();
  }

  portsChanged(isDown: Uint8Array): void {
    const { words } = this.#shortest;
    const { firstPort, switches } = this.network;
    this.#up = new Int32Array(switches * words).fill(-1);
    for (let own = 0; own < switches; own++)
      for (let port = firstPort[own]!; port < firstPort[own + 1]!; port++)
        if (isDown[port] === 1) {
          const bit = port - firstPort[own]!;
          this.#up[own * words + (bit >> 5)]! &= ~(1 << bit);
        }
  }

  routesChanged(isDown: Uint8Array): void {
    this.#distances.isDown.set(isDown);
    this.#distances.forget();
    this.#shortest.forget();
  }

  linksOf(bundle: number, out: Int32Array): number {
    const { network, bundles, seed } = this;
    const { firstPort, peer, link } = network;
    const destination = bundles.to[bundle]!;
    const shortest = this.#shortest.to(destination);
    const { words } = this.#shortest;
    const up = this.#up;
    const hash = bundles.hash[bundle]!;
    let own = bundles.from[bundle]!;
    let count = 0;
    while (own !== destination) {
      // Each switch has a seed of its own, so that the flows of one port are distributed again at the next switch.
      const value = mixed(hash ^ mixed(seed + own));
      const usable = up === undefined ? shortest : this.#keepUp(shortest, own * words, up);
      const base = up === undefined ? own * words : 0;
      const ports = portCount(usable, base, words);
      if (ports === 0) return -1;
      const port = firstPort[own]! + portAt(usable, base, words, indexOf(value, ports));
      out[count++] = link[port]!;
      own = peer[port]!;
    }
    return count;
  }

  /** Those of the ports of shortest paths that are up, in `#ports`. */
  #keepUp(shortest: Int32Array, base: number, up: Int32Array): Int32Array {
    for (let word = 0; word < this.#ports.length; word++)
      this.#ports[word] = shortest[base + word]! & up[base + word]!;
    return this.#ports;
  }
}
