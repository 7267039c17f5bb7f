/**
 * The fabric of plain ECMP: in each switch one group for every set of equal-cost next hops. Members watch their ports, so
 * a switch does not use a link that is down if the group has another link (P4Runtime specification, 9.2.2).
 */

import { z } from "zod";
import { given } from "../../../base/index.js";
import { SELECTOR_FIELDS, type SelectorField } from "../../../base/packets/index.js";
import type { Entity, Update } from "../../../toolchain/device/index.js";
import {
  checkValues,
  directionValues,
  hashSchema,
  NO_SELECTOR,
  type ProgramPlan,
  selectorValues,
} from "../../../toolchain/generate/index.js";
import {
  computeRoutes,
  nodeAt,
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
  singlePort,
  tableEntry,
  tableSize,
} from "../fabric.js";
import {
  DIRECTIONS,
  type Direction,
  directionOf,
  type HashParameters,
  hashOf,
  seedUpdate,
} from "../hash-settings.js";
import { groupModel, HashModels, tableModel } from "../path-model.js";
import { type FabricPlan, REPLANNING_ROOM } from "../scheme.js";

/** The routes of the switches, and the room of their tables when routes are planned again. */
interface Routing {
  /** A port that occurs several times in a hop set has as many members in the group. */
  routesOf(topology: Topology): readonly RoutingTable[];
  /** Minimum room, by direction for groups and members, where routes may need more than {@link REPLANNING_ROOM} times as much. */
  readonly least: { readonly groups: number; readonly members: number; readonly routes: number };
  /** The hash covers addresses and the selector, as that of an overlay's outer header; absent: the five-tuple and the selector. */
  readonly outer?: boolean;
}

export const SHORTEST_PATHS: Routing = {
  routesOf: computeRoutes,
  least: { groups: 0, members: 0, routes: 0 },
};

/** Programs and state of all switches; `hashedField`, if given, is part of the hash input. */
export function planEcmpSwitches(
  topology: Topology,
  parameters: HashParameters,
  hashedField?: SelectorField,
  { routesOf, least, outer = false }: Routing = SHORTEST_PATHS,
): Pick<FabricPlan, "programs" | "switches"> & Required<Pick<FabricPlan, "replanning" | "pathModel">> {
  const tables = routesOf(topology);
  const roles = [...new Set(switchesOf(topology).map((node) => node.role))];
  const ways = new Map(roles.map((role) => [role, directionsOf(topology, tables, role)]));
  const stateOf = (from: Topology, node: TopologyNode, table: RoutingTable, groups: EcmpGroups): Update[] => [
    seedUpdate(node, parameters, ways.get(node.role)!),
    ...ecmpUpdates(from, table, ways.get(node.role)!, groups),
  ];
  /** Programs whose tables have `room` times the entries that the switches need at first, and at least the minimum room. */
  const programs = (room: number, least: Routing["least"] = SHORTEST_PATHS.least) =>
    roles.map((role): ProgramPlan => {
      const own = tables.filter((table) => nodeAt(topology, table.node).role === role);
      const largest = (least: number, count: (table: RoutingTable) => number) =>
        tableSize(Math.max(least, room * Math.max(...own.map(count))));
      const wayOf = (way: Direction) => ({
        hash: hashOf(parameters, role, way),
        groups: largest(least.groups, (table) => choices(table, way).length),
        members: largest(least.members, (table) =>
          choices(table, way).reduce((sum, hops) => sum + table.hopSets[hops]!.ports.length, 0),
        ),
      });
      return ecmpProgram(role, {
        role: role === "switch" || role === "host" ? "fabric" : role,
        ...given({ hashedField }),
        ...(outer ? { outer } : {}),
        ...Object.fromEntries(ways.get(role)!.map((way) => [way, wayOf(way)])),
        routes: largest(least.routes, (table) => table.routes.length),
      });
    });
  return {
    programs: programs(1),
    switches: tables.map((table) => {
      const node = nodeAt(topology, table.node);
      return {
        node: node.index,
        program: node.role,
        updates: stateOf(topology, node, table, new EcmpGroups()),
      };
    }),
    pathModel: () => {
      const models = new HashModels();
      return tableModel(
        topology,
        tables,
        models,
        groupModel(topology, parameters, models, hashedField, outer),
      );
    },
    replanning: {
      get programs() {
        return programs(REPLANNING_ROOM, least);
      },
      planner: () => {
        const groups = new Map(switchesOf(topology).map(({ index }) => [index, new EcmpGroups()]));
        return {
          learn: (node, entities) => void groups.set(node, new EcmpGroups(entities)),
          plan: (reduced) =>
            routesOf(reduced).map((table) => ({
              node: table.node,
              updates: stateOf(reduced, nodeAt(reduced, table.node), table, groups.get(table.node)!),
            })),
        };
      },
    },
  };
}

/** A ToR chooses upwards, a spine downwards, all others in both directions; more where routes need it. */
export function directionsOf(topology: Topology, tables: readonly RoutingTable[], role: Role): Direction[] {
  const own = tables.filter((table) => nodeAt(topology, table.node).role === role);
  return DIRECTIONS.filter(
    (way) =>
      (!(role === "tor" && way === "down") && !(role === "spine" && way === "up")) ||
      own.some((table) => choices(table, way).length > 0),
  );
}

/** Hop sets of a direction with more than one port. */
function choices(table: RoutingTable, way: Direction): number[] {
  return [...table.hopSets.keys()].filter((index) => {
    const hops = table.hopSets[index]!;
    return hops.ports.length > 1 && singlePort(hops) === undefined && directionOf(hops) === way;
  });
}

function ecmpUpdates(
  topology: Topology,
  table: RoutingTable,
  ways: readonly Direction[],
  known: EcmpGroups,
): Update[] {
  const members: Update[] = [];
  const groups: Update[] = [];
  const entries: Update[] = [];
  const groupOf = new Map<number, number>();
  for (const way of ways) {
    const profile = ingressName(`${way}_members`);
    for (const hops of choices(table, way)) {
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
      const match = [exact("meta.next_hops", groupId)];
      entries.push(tableEntry(`${way}_groups`, match, { kind: "group", groupId }));
    }
  }
  const routes = routeUpdates(topology, table, (hops) => {
    const hopSet = table.hopSets[hops]!;
    const groupId = groupOf.get(hops);
    // New routes may choose in a direction for which the role's program has no groups: then the first port is used.
    if (groupId === undefined) return forward("to_port", topology, table.node, hopSet.ports[0]!);
    return call(`to_${directionOf(hopSet)}links`, { next_hops: groupId });
  });
  return [...members, ...groups, ...entries, ...routes];
}

// The values of the template `templates/ecmp/switch.p4.hbs`.

/** A direction in which switches of the role choose between next hops. */
const waySchema = z.strictObject({
  hash: hashSchema,
  /** Entries of the table of groups: one for each set of next hops. */
  groups: z.number().int().min(1),
  /** Members of the action selector. */
  members: z.number().int().min(1),
});

const schema = z.strictObject({
  role: z.enum(["tor", "leaf", "spine", "fabric"]),
  /** Field that is part of the hash input; absent: the five-tuple only. */
  hashedField: z.enum(SELECTOR_FIELDS).optional(),
  /** The hash covers addresses in place of the five-tuple. */
  outer: z.literal(true).optional(),
  up: waySchema.optional(),
  down: waySchema.optional(),
  /** Entries of each of the two route tables. */
  routes: z.number().int().min(1),
});

export type EcmpProgram = z.output<typeof schema>;

const TEMPLATE = "ecmp/switch";

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function ecmpProgram(name: string, input: EcmpProgram): ProgramPlan {
  const program = checkValues(TEMPLATE, schema, input);
  const field = program.hashedField;
  const extra = field === undefined ? [] : ["selector"];
  const directions = DIRECTIONS.flatMap((way) => {
    const own = program[way];
    if (own === undefined) return [];
    const { groups, members } = own;
    return [
      { ...directionValues(way, own.hash, extra, program.outer), goesUp: way === "up", groups, members },
    ];
  });
  const values = {
    ...program,
    directions,
    bothDirections: directions.length === 2,
    sizes: { routes: program.routes },
    routeActions: ["to_port", ...directions.map(({ name }) => `to_${name}links`)],
    selector:
      field === undefined ? { ...NO_SELECTOR, hashed: false } : { ...selectorValues(field), hashed: true },
  };
  return { name, template: TEMPLATE, values };
}

// Ids of the groups and members of one switch under plain ECMP: a set of next hops keeps its ids from plan to plan.

interface GroupIds {
  readonly groupId: number;
  /** One for each port. */
  readonly memberIds: readonly number[];
}

export class EcmpGroups {
  readonly #known = new Map<string, GroupIds>();
  #nextGroup = 1;
  #nextMember = 1;

  /** @param entities groups and members that the switch has */
  constructor(entities: readonly Entity[] = []) {
    const ports = new Map<number, number>();
    for (const entity of entities) {
      if (entity.kind !== "member") continue;
      ports.set(entity.memberId, Number(entity.action.params["port"]));
      this.#nextMember = Math.max(this.#nextMember, entity.memberId + 1);
    }
    for (const entity of entities) {
      if (entity.kind !== "group") continue;
      this.#nextGroup = Math.max(this.#nextGroup, entity.groupId + 1);
      const memberIds = entity.members.map(({ memberId }) => memberId).sort((a, b) => a - b);
      this.#known.set(memberIds.map((id) => ports.get(id)).join(" "), { groupId: entity.groupId, memberIds });
    }
  }

  /** Ids for a group of these ports: those that it has, or new ones. */
  of(ports: readonly number[]): GroupIds {
    const key = ports.join(" ");
    let ids = this.#known.get(key);
    if (ids === undefined) {
      const first = this.#nextMember;
      this.#nextMember += ports.length;
      ids = { groupId: this.#nextGroup++, memberIds: ports.map((_, i) => first + i) };
      this.#known.set(key, ids);
    }
    return ids;
  }
}
