/**
 * The fabric of plain ECMP: in each switch one group for every set of equal-cost next hops. Members watch their ports, so
 * a switch does not use a link that is down if the group has another link (P4Runtime specification, 9.2.2).
 */

import type { Update } from "../../device/index.js";
import type { ProgramPlan } from "../../generate/index.js";
import type { SelectorField } from "../../hosts/index.js";
import {
  computeRoutes,
  type Role,
  type RoutingTable,
  switchesOf,
  type Topology,
  type TopologyNode,
} from "../../topology/index.js";
import {
  call,
  exact,
  forward,
  ingressName,
  insert,
  routeUpdates,
  type SeedScope,
  seedUpdate,
  singlePort,
  TIER_HASH,
  tableEntry,
  tableSize,
} from "../fabric.js";
import { type FabricPlan, REPLANNING_ROOM } from "../scheme.js";
import { EcmpGroups } from "./groups.js";
import { ecmpProgram } from "./program.js";

export interface EcmpOptions {
  /** Header field that is part of the hash input, if any. */
  readonly hashedField: SelectorField | undefined;
  readonly hashSeed: number;
  readonly seedScope: SeedScope;
}

/** Programs and state of all switches. */
export function planEcmpSwitches(
  topology: Topology,
  options: EcmpOptions,
): Pick<FabricPlan, "programs" | "switches"> & Required<Pick<FabricPlan, "replanning">> {
  const stateOf = (from: Topology, node: TopologyNode, table: RoutingTable, groups: EcmpGroups): Update[] => [
    seedUpdate(node, options.hashSeed, options.seedScope),
    ...ecmpUpdates(from, table, groups),
  ];
  return {
    programs: planPrograms(topology, options, 1),
    switches: computeRoutes(topology).map((table) => {
      const node = topology.nodes[table.node]!;
      return {
        node: node.index,
        program: node.role,
        updates: stateOf(topology, node, table, new EcmpGroups()),
      };
    }),
    replanning: {
      get programs() {
        return planPrograms(topology, options, REPLANNING_ROOM);
      },
      planner: () => {
        const groups = new Map(switchesOf(topology).map(({ index }) => [index, new EcmpGroups()]));
        return {
          learn: (node, entities) => void groups.set(node, new EcmpGroups(entities)),
          plan: (reduced) =>
            computeRoutes(reduced).map((table) => ({
              node: table.node,
              updates: stateOf(reduced, reduced.nodes[table.node]!, table, groups.get(table.node)!),
            })),
        };
      },
    },
  };
}

/** Programs whose tables have `room` times the entries that the switches need at first. */
function planPrograms(topology: Topology, options: EcmpOptions, room: number): ProgramPlan[] {
  const tables = computeRoutes(topology);
  const roles = [...new Set(switchesOf(topology).map((node) => node.role))];
  return roles.map((role): ProgramPlan => {
    const own = tables.filter((table) => topology.nodes[table.node]!.role === role);
    const largest = (count: (table: RoutingTable) => number) => tableSize(room * Math.max(...own.map(count)));
    return ecmpProgram(role, {
      role: role === "switch" || role === "host" ? "fabric" : role,
      ...(options.hashedField === undefined ? {} : { hashedField: options.hashedField }),
      hash: TIER_HASH[role as Exclude<Role, "host">],
      sizes: {
        routes: largest((table) => table.routes.length),
        groups: largest((table) => choices(table).length),
        members: largest((table) =>
          choices(table).reduce((sum, hops) => sum + table.hopSets[hops]!.ports.length, 0),
        ),
      },
    });
  });
}

/** Hop sets with more than one port. */
function choices(table: RoutingTable): number[] {
  return [...table.hopSets.keys()].filter((index) => {
    const hops = table.hopSets[index]!;
    return hops.ports.length > 1 && singlePort(hops) === undefined;
  });
}

function ecmpUpdates(topology: Topology, table: RoutingTable, known: EcmpGroups): Update[] {
  const profile = ingressName("ecmp_members");
  const members: Update[] = [];
  const groups: Update[] = [];
  const entries: Update[] = [];
  const groupOf = new Map<number, number>();
  for (const hops of choices(table)) {
    const { ports } = table.hopSets[hops]!;
    const { groupId, memberIds } = known.of(ports);
    groupOf.set(hops, groupId);
    const ids = ports.map((port, i) => {
      const memberId = memberIds[i]!;
      const action = forward("to_next_hop", topology, table.node, port);
      members.push(insert({ kind: "member", profile, memberId, action }));
      return { memberId, weight: 1, watchPort: port };
    });
    groups.push(insert({ kind: "group", profile, groupId, members: ids, maxSize: ids.length }));
    entries.push(tableEntry("ecmp_groups", [exact("meta.next_hops", groupId)], { kind: "group", groupId }));
  }
  const routes = routeUpdates(topology, table, (hops) => call("to_group", { next_hops: groupOf.get(hops)! }));
  return [...members, ...groups, ...entries, ...routes];
}
