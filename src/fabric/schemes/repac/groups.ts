/** The groups of one switch as updates: for each set of next hops one group per bucket, and their changes when ports go down. */
import type { Update } from "../../../toolchain/device/index.js";
import type { RoutingTable, Topology } from "../../topology/index.js";
import {
  call,
  exact,
  forward,
  ingressName,
  insert,
  routeUpdates,
  singlePort,
  tableEntry,
} from "../fabric.js";
import { type Direction, directionOf } from "../hash-settings.js";
import { bucketHops } from "./buckets.js";

/** Equal-cost next hops of one switch, between which a hash chooses. */
export interface BucketGroup {
  /** Value of `next_hops` in the program. */
  readonly id: number;
  /** Index of the hop set in the routing table. */
  readonly hops: number;
  readonly way: Direction;
  readonly ports: readonly number[];
  readonly firstMember: number;
}

/** The choices of a switch, grouped by direction. */
export function bucketGroups(table: RoutingTable, ways: readonly Direction[]): BucketGroup[] {
  const groups: BucketGroup[] = [];
  let firstMember = 1;
  for (const way of ways)
    for (const [hops, hopSet] of table.hopSets.entries()) {
      if (singlePort(hopSet) !== undefined || hopSet.ports.length === 0 || directionOf(hopSet) !== way)
        continue;
      groups.push({ id: groups.length + 1, hops, way, ports: hopSet.ports, firstMember });
      firstMember += hopSet.ports.length;
    }
  return groups;
}

/** Members, groups, buckets and routes of a switch whose ports are all up. */
export function switchUpdates(
  topology: Topology,
  table: RoutingTable,
  groups: readonly BucketGroup[],
  buckets: number,
): Update[] {
  const updates: Update[] = [];
  for (const group of groups) {
    const profile = ingressName(`${group.way}_members`);
    for (const [i, port] of group.ports.entries()) {
      const action = forward("to_next_hop", topology, table.node, port);
      updates.push(insert({ kind: "member", profile, memberId: group.firstMember + i, action }));
    }
    updates.push(...groupUpdates(group, buckets, new Set(), "insert"));
    for (let bucket = 0; bucket < buckets; bucket++)
      updates.push(
        tableEntry(
          `${group.way}_buckets`,
          [exact("meta.next_hops", group.id), exact("meta.bucket", bucket)],
          {
            kind: "group",
            groupId: groupId(group, buckets, bucket),
          },
        ),
      );
  }
  const byHops = new Map(groups.map((group) => [group.hops, group]));
  const routes = routeUpdates(topology, table, (hops) => {
    const { id, way } = byHops.get(hops)!;
    return call(`to_${way}links`, { next_hops: id });
  });
  return [...updates, ...routes];
}

/**
 * All buckets of a group when these ports are down. A bucket of one next hop does not watch its port: its packets are lost until the
 * controller remaps it. The entries of a remapped bucket watch their ports, so that a further failure loses no packets.
 */
export function groupUpdates(
  group: BucketGroup,
  buckets: number,
  down: ReadonlySet<number>,
  type: "insert" | "modify",
): Update[] {
  const { ports, way, firstMember } = group;
  const failed = new Set([...ports.keys()].filter((i) => down.has(ports[i]!)));
  return bucketHops(buckets, ports.length, failed).map((hops, bucket) => ({
    type,
    entity: {
      kind: "group",
      profile: ingressName(`${way}_members`),
      groupId: groupId(group, buckets, bucket),
      members: hops.map((hop) => ({
        memberId: firstMember + hop,
        weight: 1,
        ...(hops.length > 1 ? { watchPort: ports[hop]! } : {}),
      })),
      maxSize: ports.length,
    },
  }));
}

function groupId({ id }: BucketGroup, buckets: number, bucket: number): number {
  return (id - 1) * buckets + bucket + 1;
}
