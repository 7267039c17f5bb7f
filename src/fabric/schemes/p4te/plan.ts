/**
 * The fabric of P4TE: programs by role, and the initial configuration of each switch (section 4.2.1, figure 5). Switches below
 * others choose their next hops upwards by load; downwards there is one path, or a plain group where a rack has two switches.
 */
import { fail, given, type Locate } from "../../../base/index.js";
import type { Update } from "../../../toolchain/device/index.js";
import type { ProgramPlan } from "../../../toolchain/generate/index.js";
import {
  computeRoutes,
  nodeAt,
  type Role,
  type RoutingTable,
  type Topology,
  type TopologyNode,
} from "../../topology/index.js";
import { CODES } from "../codes.js";
import { EcmpGroups } from "../ecmp/plan.js";
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
import { GREEN, statusEntry } from "./controller.js";
import { colourAge, type MeterUnit, meterUnit, meterUpdates } from "./meters.js";
import type { P4teParameters } from "./parameters.js";
import { COLOUR_SESSION, EVENT_SESSION, PORT_SESSIONS, p4teProgram, RATE_EVENT_SESSION } from "./program.js";
import { commonPrefix, type GroupLayout, initialGroups, RATE_GROUPS, sharedKey } from "./routing-groups.js";

/** Port of packet-ins, in the simulator and in testbeds. */
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

interface P4tePlan extends Pick<FabricPlan, "programs" | "switches"> {
  readonly layouts: ReadonlyMap<number, GroupLayout>;
  readonly colourAge: number | undefined;
}

/** What all switches of a fabric share. */
interface Shared {
  readonly topology: Topology;
  readonly parameters: P4teParameters;
  readonly unit: MeterUnit;
  /** Age at which the colour of a port is forgotten, in ns. */
  readonly age: number | undefined;
  /** Keys of the upward tables: the prefix of all IPv4 addresses, and that of all IPv6 addresses. */
  readonly prefixes: GroupLayout["prefixes"];
}

/** Throws DiagnosticError P45000 for a network without tiers, P45001 for switches whose upward ports differ between destinations. */
export function planP4te(topology: Topology, parameters: P4teParameters, locate: Locate): P4tePlan {
  const shapes = shapesOf(topology, locate);
  const shared: Shared = {
    topology,
    parameters,
    unit: meterUnit(topology, parameters),
    age: colourAge(topology, parameters),
    prefixes: prefixesOf(topology),
  };
  const layouts = new Map(
    shapes.map(({ node, up }): [number, GroupLayout] => [
      node.index,
      {
        ports: up,
        groups: { queue: parameters.queue_groups, rate: RATE_GROUPS },
        prefixes: shared.prefixes,
      },
    ]),
  );
  const roles = [...new Set(shapes.map(({ node }) => node.role))];
  return {
    programs: roles.map((role) => programOf(role, shapes, shared)),
    layouts,
    colourAge: shared.age,
    switches: shapes.map((shape) => ({
      node: shape.node.index,
      program: shape.node.role,
      updates: stateOf(shape, shapes, layouts.get(shape.node.index)!, shared),
    })),
  };
}

/** The prefix that all addresses of the fabric share, by IP version, which the upward tables match (section 4.2.1). */
function prefixesOf({ racks }: Topology): GroupLayout["prefixes"] {
  const ipv4 = commonPrefix(
    racks.map((rack) => rack.ipv4),
    32,
  );
  const ipv6 = commonPrefix(
    racks.map((rack) => rack.ipv6),
    128,
  );
  return [sharedKey(ipv4, 32), sharedKey(ipv6, 128)];
}

/** The program of a role: its tables hold what the largest switch of the role needs. */
function programOf(
  role: Role,
  shapes: readonly SwitchShape[],
  { parameters, unit, age, prefixes }: Shared,
): ProgramPlan {
  const own = shapes.filter(({ node }) => node.role === role);
  const most = (count: (shape: SwitchShape) => number) => Math.max(...own.map(count));
  const highest = most(({ node }) => node.ports.length);
  const up = most((shape) => shape.up.length);
  const down = most((shape) => shape.down.length);
  const entries = (groups: number) => tableSize(prefixes.length * groups);
  const choiceUp =
    up === 0
      ? undefined
      : {
          hash: hashOf(parameters, role, "up"),
          members: tableSize(up),
          queueGroups: entries(parameters.queue_groups),
          rateGroups: entries(RATE_GROUPS),
        };
  const choiceDown =
    down === 0
      ? undefined
      : {
          hash: hashOf(parameters, role, "down"),
          groups: tableSize(down),
          members: tableSize(most((shape) => membersOf(shape))),
        };
  return p4teProgram(role, {
    role,
    ports: tableSize(highest + 1),
    ...given({ up: choiceUp, down: choiceDown }),
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
    ...given({ colourAge: age === undefined ? undefined : microseconds(age) }),
  });
}

/** The initial configuration of a switch. */
function stateOf(
  shape: SwitchShape,
  shapes: readonly SwitchShape[],
  layout: GroupLayout,
  { topology, parameters, unit, age }: Shared,
): Update[] {
  const { node, up, isLeaf } = shape;
  return [
    ...seeds(shape, shapes, parameters),
    ...meterUpdates(topology, node, parameters, unit),
    ...sessions(node, {
      recirculates: up.length > 0 && parameters.feedback === "recirculation",
      ages: age !== undefined,
      rateControl: parameters.rate_control,
    }),
    ...(isLeaf && parameters.rate_control ? hostPorts(topology, node) : []),
    ...upwards(topology, shape, layout),
    ...(parameters.feedback === "controller" ? statusEntries(up) : []),
    ...routes(topology, shape),
  ];
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
    const node = nodeAt(topology, table.node);
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
      isLeaf: node.ports.some(({ peer }) => nodeAt(topology, peer).role === "host"),
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
    .filter(({ peer }) => nodeAt(topology, peer).role === "host")
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
