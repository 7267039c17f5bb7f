/** Numbers of links on the shortest paths between switches: by breadth-first search from each destination, on demand. */
import type { FlowNetwork } from "./network.js";

/** The distance of switches that cannot reach the destination; also the maximum. */
export const FAR = 255;

export class Distances {
  readonly #to: (Uint8Array | undefined)[];
  readonly #queue: Int32Array;

  /** `isDown`: by port; 1 where no path may use it. After a change of it, {@link forget} is called. */
  constructor(
    private readonly network: FlowNetwork,
    readonly isDown: Uint8Array = new Uint8Array(network.link.length),
  ) {
    this.#to = new Array(network.switches).fill(undefined);
    this.#queue = new Int32Array(network.switches);
  }

  /** Other ports are down than before. */
  forget(): void {
    this.#to.fill(undefined);
  }

  /** Links from each switch to `destination`. */
  to(destination: number): Uint8Array {
    return (this.#to[destination] ??= this.#search(destination));
  }

  /** Links of the longest shortest path between switches with hosts. */
  diameter(): number {
    let most = 0;
    const racks = new Set(this.network.switchOfRack);
    for (const destination of racks) {
      const distance = this.to(destination);
      for (const own of racks) if (distance[own] !== FAR && distance[own]! > most) most = distance[own]!;
    }
    return most;
  }

  #search(destination: number): Uint8Array {
    const { firstPort, peer, switches } = this.network;
    const isDown = this.isDown;
    const distance = new Uint8Array(switches).fill(FAR);
    const queue = this.#queue;
    distance[destination] = 0;
    queue[0] = destination;
    let length = 1;
    for (let head = 0; head < length; head++) {
      const own = queue[head]!;
      const next = Math.min(FAR - 1, distance[own]! + 1);
      // A link is up in both directions or in none.
      for (let port = firstPort[own]!; port < firstPort[own + 1]!; port++) {
        const other = peer[port]!;
        if (distance[other] !== FAR || isDown[port] === 1) continue;
        distance[other] = next;
        queue[length++] = other;
      }
    }
    return distance;
  }
}
