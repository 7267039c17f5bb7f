/**
 * The routing groups of one switch: two tables of them, by queue depth and by link utilisation, with the upward ports of
 * each group. Group 1 is the best. A group without ports has no entry, because an entry of higher priority with an
 * empty group would hide the groups below it.
 */
import type { ActionProfileGroup, Match, Update } from "../../../toolchain/device/index.js";
import type { Prefix } from "../../topology/index.js";
import { call, ingressName, insert } from "../fabric.js";

export type Metric = "queue" | "rate";
export const METRICS: readonly Metric[] = ["queue", "rate"];

/** Groups by link utilisation: one for each colour. */
export const RATE_GROUPS = 3;

/** Match keys and contents of the tables of routing groups of a switch. */
export interface GroupLayout {
  /** Upward ports, ascending. */
  readonly ports: readonly number[];
  /** Groups by metric. */
  readonly groups: Readonly<Record<Metric, number>>;
  /** The prefix of all hosts, as `meta.flow_dst` has IPv4 and IPv6 addresses. */
  readonly prefixes: readonly { readonly value: bigint; readonly mask: bigint }[];
}

/** The longest prefix that covers all of `prefixes`; `width` is 32 or 128. */
export function commonPrefix(prefixes: readonly Prefix[], width: 32 | 128): Prefix {
  const [first] = prefixes;
  if (first === undefined) return { address: 0n, length: 0 };
  let length = first.length;
  for (const other of prefixes) {
    length = Math.min(length, other.length);
    while (length > 0 && (first.address ^ other.address) >> BigInt(width - length) !== 0n) length--;
  }
  const free = BigInt(width - length);
  return { address: (first.address >> free) << free, length };
}

const ALL = (1n << 128n) - 1n;

/** A key for the shared field of both families: an IPv4 address has 96 zeros before it. */
export function sharedKey({ address, length }: Prefix, width: 32 | 128): { value: bigint; mask: bigint } {
  return { value: address, mask: ALL ^ ((1n << BigInt(width - length)) - 1n) };
}

function profile(metric: Metric): string {
  return ingressName(`${metric}_members`);
}

/** Group of a metric that a port belongs to, from 1 (algorithm 3, line 2). */
export function groupOfDepth(depth: number, delta: number, groups: number): number {
  return Math.min(groups, Math.max(1, Math.ceil(depth / delta)));
}

/** Colours are 0 to 2. */
export function groupOfColor(color: number): number {
  return color + 1;
}

export function colorOfGroup(group: number): number {
  return group - 1;
}

/**
 * The group of a metric with these ports; the id of a member is the number of its port. Members do not watch their ports: BMv2 refuses to
 * remove a watching member from a group.
 */
function groupEntity(
  metric: Metric,
  groupId: number,
  ports: readonly number[],
  layout: GroupLayout,
): ActionProfileGroup {
  return {
    kind: "group",
    profile: profile(metric),
    groupId,
    members: ports.map((port) => ({ memberId: port, weight: 1 })),
    maxSize: layout.ports.length,
  };
}

/** The entries that lead to a group: one for each address family. */
function groupEntries(type: Update["type"], metric: Metric, groupId: number, layout: GroupLayout): Update[] {
  return layout.prefixes.map(({ value, mask }) => {
    const match: Match[] = mask === 0n ? [] : [{ kind: "ternary", field: "meta.flow_dst", value, mask }];
    return {
      type,
      entity: {
        kind: "tableEntry",
        table: ingressName(`up_by_${metric}`),
        match,
        priority: layout.groups[metric] - groupId + 1,
        action: { kind: "group", groupId },
      },
    };
  });
}

/** Initial configuration (section 4.2.1, figure 5a): all ports in the best group of both tables. */
export function initialGroups(layout: GroupLayout): Update[] {
  return METRICS.flatMap((metric) => [
    ...layout.ports.map((port) =>
      insert({
        kind: "member",
        profile: profile(metric),
        memberId: port,
        action: call(`use_${metric}_port`, { port }),
      }),
    ),
    ...Array.from({ length: layout.groups[metric] }, (_, i) =>
      insert(groupEntity(metric, i + 1, i === 0 ? layout.ports : [], layout)),
    ),
    ...groupEntries("insert", metric, 1, layout),
  ]);
}

/** The ports of each group, and the writes that move a port. */
export class RoutingGroups {
  /** By metric and group; ports ascending. */
  readonly #members = new Map<Metric, number[][]>();

  /** @param known groups that the switch has; absent: the initial ones */
  constructor(
    readonly layout: GroupLayout,
    known?: readonly ActionProfileGroup[],
  ) {
    for (const metric of METRICS) {
      const members = Array.from({ length: layout.groups[metric] }, (_, i): number[] =>
        known === undefined && i === 0 ? [...layout.ports] : [],
      );
      for (const group of known ?? [])
        if (group.profile === profile(metric) && group.groupId <= members.length)
          members[group.groupId - 1] = group.members.map(({ memberId }) => memberId).sort((a, b) => a - b);
      this.#members.set(metric, members);
    }
  }

  /** Group of a port, from 1; 0: the port is in no group. */
  groupOf(metric: Metric, port: number): number {
    return this.#members.get(metric)!.findIndex((ports) => ports.includes(port)) + 1;
  }

  /** Ports of a group. */
  portsOf(metric: Metric, group: number): readonly number[] {
    return this.#members.get(metric)![group - 1]!;
  }

  /**
   * Moves a port to a group (algorithm 3); 0: to none. Returns the writes, in an order in which each packet finds a group with
   * ports at any time, if there is one.
   */
  move(metric: Metric, port: number, to: number): Update[] {
    const members = this.#members.get(metric)!;
    const from = this.groupOf(metric, port);
    if (from === to) return [];
    const updates: Update[] = [];
    const modify = (group: number, ports: number[]) => {
      members[group - 1] = ports;
      updates.push({ type: "modify", entity: groupEntity(metric, group, ports, this.layout) });
    };
    if (to !== 0) {
      const before = members[to - 1]!;
      modify(
        to,
        [...before, port].sort((a, b) => a - b),
      );
      if (before.length === 0) updates.push(...groupEntries("insert", metric, to, this.layout));
    }
    if (from !== 0) {
      const left = members[from - 1]!.filter((other) => other !== port);
      if (left.length === 0) updates.push(...groupEntries("delete", metric, from, this.layout));
      modify(from, left);
    }
    return updates;
  }
}
