/** Priority flow control of a whole network: what it counted, by direction of each link, and its deadlocks. */
import type { Topology } from "../../../topology/index.js";
import type { Node } from "../channel.js";
import { Host } from "../host.js";
import type { Network } from "../network.js";
import type { Simulation } from "../simulation.js";
import { SwitchNode } from "../switch-node.js";
import { type Deadlock, DeadlockWatch, type PausingSwitch } from "./deadlock.js";

/** A network that is built. */
interface Built {
  readonly network: Network;
  readonly topology: Topology;
  /** By node index of the topology. */
  readonly nodes: readonly Node[];
}

/** One direction of a link: frames run from `from` to `to`, and `to` may pause them. Counts since the network was made. */
export interface DirectionStats {
  readonly from: string;
  readonly to: string;
  /** Pauses that the far end asked for; and its frames of flow control, with repetitions and ends of pauses. */
  readonly pauses: number;
  readonly frames: number;
  /** Nanoseconds in which the near end was paused. */
  readonly pausedNs: number;
  /** Bytes of the far end's headroom: its size, and the most that were in use. */
  readonly headroom: number;
  readonly headroomMost: number;
  /** Frames that found no room in it. */
  readonly drops: number;
}

export class FabricFlowControl {
  readonly #fabric: Built;
  readonly #watch: DeadlockWatch;

  constructor(fabric: Built) {
    this.#fabric = fabric;
    this.#watch = watchOf(fabric, fabric.network.simulation);
  }

  /** In the order in which they were found. */
  get deadlocks(): readonly Deadlock[] {
    return this.#watch.deadlocks;
  }

  /** Both directions of each link, in the order of the topology, from its end `a` first; a direction to a host has none, since hosts never pause. */
  directions(): DirectionStats[] {
    const { topology, nodes } = this.#fabric;
    return topology.links.flatMap(({ a, b }) =>
      [
        [a, b],
        [b, a],
      ].flatMap(([from, to]): DirectionStats[] => {
        const far = nodes[to!.node];
        if (!(far instanceof SwitchNode) || far.flowControl === undefined) return [];
        const { pauses, frames } = far.flowControl.statsOf(to!.port);
        const { room, most, drops } = far.flowControl.buffer.of(to!.port);
        return [
          {
            from: topology.nodes[from!.node]!.name,
            to: topology.nodes[to!.node]!.name,
            pauses,
            frames,
            pausedNs: this.#pausedNs(from!.node, from!.port),
            headroom: room,
            headroomMost: most,
            drops,
          },
        ];
      }),
    );
  }

  #pausedNs(node: number, port: number): number {
    const near = this.#fabric.nodes[node];
    if (near instanceof Host) return near.pausable(port)?.pausedNs ?? 0;
    return near instanceof SwitchNode ? (near.flowControl?.statsOf(port).pausedNs ?? 0) : 0;
  }
}

/** Connects the flow control of the switches to a search for deadlocks. */
function watchOf({ topology, nodes }: Built, simulation: Simulation): DeadlockWatch {
  const switches = new Map<number, PausingSwitch>();
  for (const { index, name, ports } of topology.nodes) {
    const node = nodes[index];
    if (!(node instanceof SwitchNode) || node.flowControl === undefined) continue;
    const { flowControl } = node;
    switches.set(index, {
      name,
      buffer: flowControl.buffer,
      isPaused: (port) => flowControl.isPaused(port),
      peer: (number) => {
        const port = ports[number - 1];
        const peer = port && switches.get(port.peer);
        return peer && { node: peer, port: port.peerPort };
      },
      peerName: (number) => topology.nodes[ports[number - 1]?.peer ?? index]!.name,
    });
  }
  const watch = new DeadlockWatch(simulation, [...switches.values()]);
  for (const node of nodes)
    if (node instanceof SwitchNode && node.flowControl !== undefined)
      node.flowControl.onAsk = () => watch.begin();
  return watch;
}
