/**
 * The fabric of P4TE: programs by role, and the initial configuration of each switch (section 4.2.1, figure 5). Switches below
 * others choose their next hops upwards by load; downwards there is one path, or a plain group where a rack has two switches.
 */
import { fail, type Locate } from "../../../base/index.js";
import type { Update } from "../../../toolchain/device/index.js";
import {
  computeRoutes,
  type Role,
  type RoutingTable,
  type Topology,
  type TopologyNode,
} from "../../topology/index.js";
import { CODES } from "../codes.js";
import { EcmpGroups } from "../ecmp/groups.js";
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
import { type Direction, directionOf, hashOf, seedUpdate } from "../hash-settings.js";
import { microseconds } from "../register-time.js";
import type { FabricPlan } from "../scheme.js";
import { commonPrefix } from "./common-prefix.js";
import { colourAge, meterUnit, meterUpdates } from "./meters.js";
import type { P4teParameters } from "./parameters.js";
import { GREEN, statusEntry } from "./port-status.js";
import { COLOUR_SESSION, EVENT_SESSION, PORT_SESSIONS, p4teProgram, RATE_EVENT_SESSION } from "./program.js";
import { type GroupLayout, initialGroups, RATE_GROUPS, sharedKey } from "./routing-groups.js";

/** Port of packet-ins, in the simulator and in labs. */
const CPU_PORT = 510;
/** Copies for ingress leave by a port without a link, which returns them. */
const RECIRCULATION_PORT = 509;

/** Numbers of copies in the template. */
const COPY = { toControl: 1, toIngress: 2, toSource: 3 } as const;

interface SwitchShape {
  readonly node: TopologyNode;
  readonly table: RoutingTable;
  /** Upward ports; none at the top. */
  readonly up: readonly number[];
  /** Sets of downward next hops with a choice, as indexes of the routing table. */
  readonly down: readonly number[];
  readonly isLeaf: boolean;
}

/** Throws DiagnosticError P45000 for a network without tiers, P45001 for switches whose upward ports differ between destinations. */
export function planP4te(
  topology: Topology,
  parameters: P4teParameters,
  locate: Locate,
): Pick<FabricPlan, "programs" | "switches"> & {
  readonly layouts: ReadonlyMap<number, GroupLayout>;
  readonly colourAge: number | undefined;
} {
  const shapes = shapesOf(topology, locate);
  const unit = meterUnit(topology, parameters);
  const age = colourAge(topology, parameters);
  const prefixes = [
    sharedKey(
      commonPrefix(
        topology.racks.map(({ ipv4 }) => ipv4),
        32,
      ),
      32,
    ),
    sharedKey(
      commonPrefix(
        topology.racks.map(({ ipv6 }) => ipv6),
        128,
      ),
      128,
    ),
  ];
  const layouts = new Map(
    shapes.map(({ node, up }): [number, GroupLayout] => [
      node.index,
      { ports: up, groups: { queue: parameters.queue_groups, rate: RATE_GROUPS }, prefixes },
    ]),
  );
  const roles = [...new Set(shapes.map(({ node }) => node.role))];
  const programs = roles.map((role) => {
    const own = shapes.filter(({ node }) => node.role === role);
    const most = (count: (shape: SwitchShape) => number) => Math.max(...own.map(count));
    const highest = most(({ node }) => node.ports.length);
    const up = most((shape) => shape.up.length);
    const down = most((shape) => shape.down.length);
    const entries = (groups: number) => tableSize(prefixes.length * groups);
    return p4teProgram(role, {
      role,
      ports: tableSize(highest + 1),
      ...(up === 0
        ? {}
        : {
            up: {
              hash: hashOf(parameters, role, "up"),
              members: tableSize(up),
              queueGroups: entries(parameters.queue_groups),
              rateGroups: entries(RATE_GROUPS),
            },
          }),
      ...(down === 0
        ? {}
        : {
            down: {
              hash: hashOf(parameters, role, "down"),
              groups: tableSize(down),
              members: tableSize(most((shape) => membersOf(shape))),
            },
          }),
      isLeaf: own.some(({ isLeaf }) => isLeaf),
      sizes: {
        routes: tableSize(most(({ table }) => table.routes.length)),
        classRates: tableSize(highest * parameters.classes.length),
        ports: tableSize(highest),
      },
      meterType: unit,
      delta: parameters.delta,
      gap: microseconds(parameters.flowlet_gap),
      flows: parameters.flow_entries,
      rateControl: parameters.rate_control,
      rateWindow: parameters.rate_window,
      decrease: parameters.decrease,
      increase: parameters.increase,
      leastWindow: parameters.least_window,
      holdWindow: parameters.hold_window,
      recirculation: parameters.feedback === "recirculation",
      truncates: parameters.truncate,
      ...(age === undefined ? {} : { colourAge: microseconds(age) }),
    });
  });
  return {
    programs,
    layouts,
    colourAge: age,
    switches: shapes.map((shape) => ({
      node: shape.node.index,
      program: shape.node.role,
      updates: [
        ...seeds(shape, shapes, parameters),
        ...meterUpdates(topology, shape.node, parameters, unit),
        ...sessions(shape.node, {
          recirculates: shape.up.length > 0 && parameters.feedback === "recirculation",
          ages: age !== undefined,
          rateControl: parameters.rate_control,
        }),
        ...(shape.isLeaf && parameters.rate_control ? hostPorts(topology, shape.node) : []),
        ...upwards(topology, shape, layouts.get(shape.node.index)!),
        ...(parameters.feedback === "controller" ? statusEntries(shape.up) : []),
        ...routes(topology, shape),
      ],
    })),
  };
}

function membersOf({ table, down }: SwitchShape): number {
  return down.reduce((sum, hops) => sum + table.hopSets[hops]!.ports.length, 0);
}

function shapesOf(topology: Topology, locate: Locate): SwitchShape[] {
  const free = topology.nodes.find(({ role }) => role === "switch");
  if (free !== undefined)
    fail(
      CODES.noTiers,
      locate([], true) ?? locate([]),
      `P4TE needs a network of two or three tiers, and "${free.name}" is in none`,
      "use a topology of the kind leaf_spine, clos or fat_tree, or give every switch of a graph the role tor, leaf or spine",
    );
  const tables = computeRoutes(topology);
  const shapes = tables.map((table): SwitchShape => {
    const node = topology.nodes[table.node]!;
    const upward = table.hopSets.filter(({ direction, ports }) => direction === "up" && ports.length > 0);
    const [first, second] = upward;
    if (first !== undefined && second !== undefined)
      fail(
        CODES.unevenUplinks,
        locate([], true) ?? locate([]),
        `"${node.name}" reaches some destinations by ports ${first.ports.join(", ")} and others by ${second.ports.join(", ")}`,
        "P4TE's upward tables have one prefix for all destinations (section 4.2.1): each upward port must lead to all of them",
      );
    const down = [...table.hopSets.keys()].filter((index) => {
      const hops = table.hopSets[index]!;
      return hops.ports.length > 1 && singlePort(hops) === undefined && directionOf(hops) === "down";
    });
    return {
      node,
      table,
      up: [...(first?.ports ?? [])].sort((a, b) => a - b),
      down,
      isLeaf: node.ports.some(({ peer }) => topology.nodes[peer]!.role === "host"),
    };
  });
  if (shapes.every(({ up }) => up.length === 0) && topology.racks.length > 1)
    fail(
      CODES.noTiers,
      locate([], true) ?? locate([]),
      "P4TE needs a network of two or three tiers, and no switch has an upward port",
      "connect each switch with hosts to switches of the next tier",
    );
  return shapes;
}

/** The directions in which programs of a role hash. */
function waysOf(role: Role, shapes: readonly SwitchShape[]): Direction[] {
  const own = shapes.filter(({ node }) => node.role === role);
  return [
    ...(own.some(({ up }) => up.length > 0) ? (["up"] as const) : []),
    ...(own.some(({ down }) => down.length > 0) ? (["down"] as const) : []),
  ];
}

function seeds({ node }: SwitchShape, shapes: readonly SwitchShape[], parameters: P4teParameters): Update[] {
  const ways = waysOf(node.role, shapes);
  return ways.length === 0 ? [] : [seedUpdate(node, parameters, ways)];
}

/** Clone sessions: for events, and for FACKs by their egress port, alone and together with an event. */
function sessions(
  node: TopologyNode,
  {
    recirculates,
    ages,
    rateControl,
  }: { readonly recirculates: boolean; readonly ages: boolean; readonly rateControl: boolean },
): Update[] {
  const toControl = { port: CPU_PORT, instance: COPY.toControl };
  const toIngress = { port: RECIRCULATION_PORT, instance: COPY.toIngress };
  const kinds = [
    { session: 0, replicas: [] },
    { session: EVENT_SESSION, replicas: [toControl] },
    ...(recirculates ? [{ session: RATE_EVENT_SESSION, replicas: [toControl, toIngress] }] : []),
    ...(recirculates && ages ? [{ session: COLOUR_SESSION, replicas: [toIngress] }] : []),
  ];
  const made = (sessionId: number, replicas: readonly { port: number; instance: number }[]): Update =>
    insert({ kind: "cloneSession", sessionId, replicas, classOfService: 0, packetLengthBytes: 0 });
  return [
    ...kinds.slice(1).map(({ session, replicas }) => made(session, replicas)),
    ...(rateControl ? node.ports : []).flatMap(({ number: port }) =>
      kinds.map(({ session, replicas }) =>
        made(PORT_SESSIONS * port + session, [...replicas, { port, instance: COPY.toSource }]),
      ),
    ),
  ];
}

function hostPorts(topology: Topology, node: TopologyNode): Update[] {
  return node.ports
    .filter(({ peer }) => topology.nodes[peer]!.role === "host")
    .map(({ number }) =>
      tableEntry("host_ports", [exact("standard_metadata.ingress_port", number)], {
        kind: "action",
        ...call("from_host", {}),
      }),
    );
}

function upwards(topology: Topology, { node, up }: SwitchShape, layout: GroupLayout): Update[] {
  if (up.length === 0) return [];
  return [
    ...initialGroups(layout),
    ...up.map((port) =>
      tableEntry("uplinks", [exact("meta.up_port", port)], {
        kind: "action",
        ...forward("to_next_hop", topology, node.index, port),
      }),
    ),
  ];
}

/** Every upward port is green until its controller writes another colour. */
function statusEntries(ports: readonly number[]): Update[] {
  return ports.map((port) => ({ type: "insert", entity: statusEntry(port, GREEN) }));
}

/** Downward routes, groups where there is a choice, and the upward route. */
function routes(topology: Topology, { node, table, down }: SwitchShape): Update[] {
  const known = new EcmpGroups();
  const updates: Update[] = [];
  const groupOf = new Map<number, number>();
  const profile = ingressName("down_members");
  for (const hops of down) {
    const { ports } = table.hopSets[hops]!;
    const { groupId, memberIds } = known.of(ports);
    groupOf.set(hops, groupId);
    for (const [i, port] of ports.entries())
      updates.push(
        insert({
          kind: "member",
          profile,
          memberId: memberIds[i]!,
          action: forward("to_next_hop", topology, node.index, port),
        }),
      );
    const members = ports.map((port, i) => ({ memberId: memberIds[i]!, weight: 1, watchPort: port }));
    updates.push(insert({ kind: "group", profile, groupId, members, maxSize: members.length }));
    updates.push(tableEntry("down_groups", [exact("meta.next_hops", groupId)], { kind: "group", groupId }));
  }
  return [...updates, ...routesOf(topology, table, groupOf)];
}

function routesOf(topology: Topology, table: RoutingTable, groupOf: ReadonlyMap<number, number>): Update[] {
  // A switch with one upward port has routes with this single port: they use the upward tables as well.
  const hopSets = table.hopSets.map((hops) =>
    hops.direction === "up" && hops.ports.length === 1
      ? { ...hops, ports: [hops.ports[0]!, hops.ports[0]!] }
      : hops,
  );
  return routeUpdates(topology, { ...table, hopSets }, (hops) => {
    const groupId = groupOf.get(hops);
    return groupId === undefined ? call("to_uplinks", {}) : call("to_downlinks", { next_hops: groupId });
  });
}
