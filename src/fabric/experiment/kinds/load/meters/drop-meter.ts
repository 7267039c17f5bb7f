/** Counts packets that were lost since the window began, by reason. */
import { type Fabric, SwitchNode } from "../../../../sim/packet/index.js";

/** Reasons, in the order of tables. */
export const DROP_REASONS = ["switch_queue", "host_queue", "fault", "program", "host", "other"] as const;
type DropReason = (typeof DROP_REASONS)[number];

/**
 * `switch_queue`, `host_queue`: the queue was full. `fault`: lost by a faulty link or node. `program`: the program dropped it (no route, hop
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
    for (const { stats } of this.#fabric.hosts()) drops.host += stats.rejected - stats.unknown;
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
