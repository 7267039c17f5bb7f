/** Probes: their frames, the generators that send them, and how switches forward them. */
import type { PacketGenerator, Update } from "../../../toolchain/device/index.js";
import { nodeAt, type Topology, type TopologyNode, tierOf } from "../../topology/index.js";
import { insert } from "../fabric.js";

/** The program receives the frames of packet generators by the port of controllers. */
const CPU_PORT = 510;
/** EtherType of a local experiment (IEEE 802). */
const TYPE_HULA = 0x88b5;
/** The shortest frame, without its check sequence: 64 bytes on the wire, as HULA's probes (section 5.4 of the paper). */
export const PROBE_BYTES = 60;

/** The generator of the probes of a rack, at one of its ToRs. */
export function probeGenerator(rack: number, mac: bigint, periodNs: number): PacketGenerator {
  const frame = new Uint8Array(PROBE_BYTES);
  const view = new DataView(frame.buffer);
  frame.fill(0xff, 0, 6);
  for (let i = 0; i < 6; i++) frame[6 + i] = Number((mac >> BigInt(40 - 8 * i)) & 0xffn);
  view.setUint16(12, TYPE_HULA);
  view.setUint16(14, rack);
  return { port: CPU_PORT, periodNs, frame };
}

/**
 * The ports to which a switch forwards a probe that came in by `port`: a probe of a rack goes up the tiers, then down, never up again
 * (section 3.1), and never down into the pod or to the rack that it comes from. So the reverse of each of its paths is a shortest path.
 */
export function onwardPorts(topology: Topology, node: TopologyNode, port: number): number[] {
  const from = nodeAt(topology, node.ports[port - 1]!.peer);
  const cameUp = tierOf(from) < tierOf(node);
  return switchPorts(topology, node).filter((other) => {
    const to = nodeAt(topology, node.ports[other - 1]!.peer);
    if (other === port || to.index === from.index) return false;
    if (tierOf(to) > tierOf(node)) return cameUp;
    return !(cameUp && sharesRacks(topology, from, to));
  });
}

/** Ports to other switches whose links are up. */
export function switchPorts(topology: Topology, { ports }: TopologyNode): number[] {
  return ports
    .filter(({ peer, link }) => nodeAt(topology, peer).role !== "host" && topology.down?.has(link) !== true)
    .map(({ number }) => number);
}

/** Whether both have common racks below: ToRs of one rack, or leaves of one pod. */
function sharesRacks(topology: Topology, a: TopologyNode, b: TopologyNode): boolean {
  if (a.role !== "tor") return a.pod !== undefined && a.pod === b.pod;
  return topology.racks.some(({ switches }) => switches.includes(a.index) && switches.includes(b.index));
}

/** Multicast groups by their ports: equal sets of ports are one group. */
export class ProbeGroups {
  readonly #ids = new Map<string, number>();

  /** 0 for an empty list. */
  idOf(ports: readonly number[]): number {
    if (ports.length === 0) return 0;
    const key = ports.join();
    const id = this.#ids.get(key) ?? this.#ids.size + 1;
    this.#ids.set(key, id);
    return id;
  }

  updates(): Update[] {
    return [...this.#ids].map(([key, groupId]) =>
      insert({
        kind: "multicastGroup",
        groupId,
        replicas: key.split(",").map((port) => ({ port: Number(port), instance: 1 })),
      }),
    );
  }
}
