/**
 * Measures the utilisation of links: the bytes on the wire of frames that arrived at their far ends in the window, over their capacity;
 * where the sending end has a rate in packets, packets.
 */
import { type Fabric, SwitchNode } from "../../../../sim/packet/index.js";
import { type Topology, tierOf } from "../../../../topology/index.js";

/** One direction of a link. */
export interface LinkUse {
  readonly from: string;
  readonly to: string;
  /** 0 to 1, rounded to six digits. */
  readonly utilisation: number;
  /** Whether it leads from a switch to one in a higher tier; in a network without tiers, to any other switch. */
  readonly uplink: boolean;
}

interface Arrived {
  readonly packets: number;
  readonly bytes: number;
}

export class LinkMeter {
  readonly #fabric: Fabric;
  #begin = 0;
  #before: readonly Arrived[];

  constructor(fabric: Fabric) {
    this.#fabric = fabric;
    this.#before = this.#arrived();
  }

  begin(): void {
    this.#begin = this.#fabric.network.simulation.now;
    this.#before = this.#arrived();
  }

  /** Each direction of each link, in the order of the topology; empty for a window without length. */
  end(): LinkUse[] {
    const { topology, network, wire } = this.#fabric;
    const ns = network.simulation.now - this.#begin;
    if (ns <= 0) return [];
    const counts = this.#arrived().map(({ packets: all, bytes }, at) => {
      const packets = all - this.#before[at]!.packets;
      return { packets, bytes: bytes - this.#before[at]!.bytes + packets * wire.overheadBytes };
    });
    return linkUse(topology, counts, ns);
  }

  /** Counts so far, for both directions of each link of the topology. */
  #arrived(): Arrived[] {
    return this.#fabric.topology.links.flatMap(({ index }) => {
      const { aToB, bToA } = this.#fabric.link(index);
      return [aToB, bToA].map(({ stats }) => ({ packets: stats.delivered, bytes: stats.bytesDelivered }));
    });
  }
}

/** `counts`: of both directions of each link of the topology, from its end `a` first, over `ns` nanoseconds. */
export function linkUse(topology: Topology, counts: readonly Arrived[], ns: number): LinkUse[] {
  return topology.links.flatMap(({ a, b, rateBps, ratePps }, i) =>
    [[a.node, b.node, 2 * i] as const, [b.node, a.node, 2 * i + 1] as const].map(
      ([from, to, at]): LinkUse => {
        const { packets, bytes } = counts[at]!;
        const counted = ratePps !== undefined && topology.nodes[from]!.role !== "host";
        const share = counted ? packets / ratePps : (8 * bytes) / rateBps;
        return {
          from: topology.nodes[from]!.name,
          to: topology.nodes[to]!.name,
          utilisation: Number(((share * 1e9) / ns).toFixed(6)),
          uplink: isUplink(topology, from, to),
        };
      },
    ),
  );
}

/**
 * A function that returns for how many nanoseconds an uplink was busy since the fabric was made, as a mean over all uplinks; undefined where
 * there are none.
 */
export function uplinkBusyNs(fabric: Fabric): () => number | undefined {
  const { topology } = fabric;
  const uplinks = topology.links.flatMap(({ index, a, b, rateBps, ratePps }) => {
    const { aToB, bToA } = fabric.link(index);
    return [
      { from: a.node, to: b.node, channel: aToB },
      { from: b.node, to: a.node, channel: bToA },
    ].flatMap(({ from, to, channel }) =>
      isUplink(topology, from, to) ? [{ channel, rateBps, ratePps }] : [],
    );
  });
  return () => {
    if (uplinks.length === 0) return undefined;
    let sum = 0;
    for (const { channel, rateBps, ratePps } of uplinks) {
      const { delivered, bytesDelivered } = channel.stats;
      sum += ratePps === undefined ? (8e9 * bytesDelivered) / rateBps : (1e9 * delivered) / ratePps;
    }
    return sum / uplinks.length;
  };
}

function isUplink({ nodes }: Topology, from: number, to: number): boolean {
  const [low, high] = [nodes[from]!, nodes[to]!];
  if (low.role === "host" || high.role === "host") return false;
  if (low.role === "switch" && high.role === "switch") return true;
  return tierOf(low) < tierOf(high);
}

// Counts packets that were lost since the window began, by reason.

/** Reasons, in the order of tables. */
export const DROP_REASONS = ["switch_queue", "host_queue", "fault", "program", "host", "other"] as const;
type DropReason = (typeof DROP_REASONS)[number];

/**
 * `switch_queue`, `host_queue`: the queue was full, or with flow control the headroom. `fault`: lost by a faulty link or node. `program`: the program dropped it (no route, hop
 * limit, wrong checksum). `host`: the host discarded it as damaged. `other`: at a switch, for any other reason (port down, no program).
 */
export type Drops = Readonly<Record<DropReason, number>>;

export class DropMeter {
  readonly #fabric: Fabric;
  #before: Drops | undefined;

  constructor(fabric: Fabric) {
    this.#fabric = fabric;
  }

  begin(): void {
    this.#before = this.#count();
  }

  end(): Drops {
    const now = this.#count();
    const before = this.#before;
    return Object.fromEntries(
      DROP_REASONS.map((reason) => [reason, now[reason] - (before?.[reason] ?? 0)]),
    ) as Record<DropReason, number>;
  }

  #count(): Drops {
    const drops = { switch_queue: 0, host_queue: 0, fault: 0, program: 0, host: 0, other: 0 };
    const hosts = new Set<unknown>(this.#fabric.hosts());
    for (const { stats, source } of this.#fabric.network.channels) {
      drops.fault += stats.vanished;
      if (hosts.has(source)) drops.host_queue += stats.overflowed;
      else drops.switch_queue += stats.overflowed;
    }
    for (const { stats, overflowed } of this.#fabric.hosts()) {
      drops.host += stats.rejected - stats.unknown;
      drops.host_queue += overflowed;
    }
    for (const node of this.#fabric.nodes) {
      if (!(node instanceof SwitchNode)) continue;
      const { ingress, egress, queue, replication, port, program, assertion, loop } = node.device.stats.drops;
      drops.switch_queue += queue;
      drops.program += ingress + egress;
      drops.other += replication + port + program + assertion + loop + node.strayed;
    }
    return drops;
  }
}
