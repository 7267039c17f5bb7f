/** Programs and state of HULA's switches. */

import { z } from "zod";
import { fail, given, type Locate } from "../../../base/index.js";
import type { Match, TableAction, Update } from "../../../toolchain/device/index.js";
import { checkValues, NO_SELECTOR, type ProgramPlan } from "../../../toolchain/generate/index.js";
import type { ControllerPlan } from "../../controllers/index.js";
import {
  computeRoutes,
  nodeAt,
  type PrefixPair,
  positiveDurationSchema,
  type RoutingTable,
  switchesOf,
  type Topology,
  type TopologyNode,
} from "../../topology/index.js";
import { CODES } from "../codes.js";
import { call, exact, forward, ingressName, singlePort, tableEntry, tableSize } from "../fabric.js";
import { flowletPlaces } from "../flowlet-places.js";
import { capacityOf } from "../link-capacity.js";
import { microseconds, registerTime } from "../register-time.js";
import type { FabricPlan, SwitchPlan } from "../scheme.js";
import { probeController } from "./controller.js";
import { onwardPorts, PROBE_BYTES, ProbeGroups, probeGenerator, switchPorts } from "./probes.js";

/** A utilisation of 1 in probes; also the shift of the product of estimator and scale in the program. */
const FULL = 2 ** 16;
const SCALE_BITS = 24;

/** The estimator's register. */
const ESTIMATOR_BITS = 32;

/**
 * Throws DiagnosticError P45102 for a network without tiers, P45103 for an ageing time shorter than the probe interval, P45105 for a
 * time constant with which the program cannot compute.
 */
export function planHulaSwitches(
  topology: Topology,
  parameters: HulaParameters,
  locate: Locate = () => undefined,
): Pick<FabricPlan, "programs" | "switches" | "controllers" | "notes"> {
  const free = switchesOf(topology).find(({ role }) => role === "switch");
  if (free !== undefined)
    fail(
      CODES.probesWithoutTiers,
      locate(["scheme"]) ?? locate([]),
      `probes of HULA run up and down tiers, and "${free.name}" is in none`,
      "use a clos, fat_tree or leaf_spine, or give every switch of a graph the role tor, leaf or spine",
    );
  const { probe_interval, probes_from, ageing = 3 * probe_interval, tau = 2 * probe_interval } = parameters;
  if (ageing < probe_interval)
    fail(
      CODES.ageing,
      locate(["ageing"]) ?? locate([]),
      `ageing, ${ageing / 1e6} ms, is shorter than probe_interval, ${probe_interval / 1e6} ms: every path would be old before its next probe`,
      `write ${(2 * probe_interval) / 1e6}ms or more`,
    );
  checkEstimator(topology, tau, locate);
  const tables = computeRoutes(topology);
  const roles = [...new Set(switchesOf(topology).map(({ role }) => role))];
  const programs = roles.map((role) => {
    const own = switchesOf(topology, role);
    const most = (count: (node: TopologyNode) => number) => tableSize(Math.max(...own.map(count)));
    return hulaProgram(role, {
      role: role as "tor" | "leaf" | "spine",
      tau: microseconds(tau),
      ageing: microseconds(ageing),
      flowletGap: microseconds(parameters.flowlet_gap),
      flowlets: parameters.flowlets,
      sizes: {
        routes: most((node) => routesOf(topology, tableOf(tables, node)).length),
        links: most((node) => node.ports.length),
        racks: tableSize(topology.racks.length),
      },
    });
  });
  const controllers: ControllerPlan[] = [];
  const switches = switchesOf(topology).map((node): SwitchPlan => {
    const groups = new ProbeGroups();
    const links = switchPorts(topology, node).map((port) => linkEntry(topology, node, port, tau, groups));
    const own = topology.racks.filter((rack) => rack.switches.includes(node.index));
    const up = switchPorts(topology, node);
    const origin = own.length === 0 ? [] : [originUpdate(groups.idOf(up))];
    const generators = own.map(({ index }) => probeGenerator(index, node.mac, probe_interval));
    if (probes_from === "controller" && own.length > 0) controllers.push(probeController(node, generators));
    return {
      node: node.index,
      program: node.role,
      updates: [
        ...groups.updates(),
        ...origin,
        ...links,
        ...routesOf(topology, tableOf(tables, node)).flatMap(routeEntries),
      ],
      ...given({
        generators: own.length === 0 || probes_from === "controller" ? undefined : generators,
      }),
    };
  });
  return {
    programs,
    switches,
    ...given({ controllers: controllers.length === 0 ? undefined : controllers }),
    notes: [probeNote(topology, parameters)],
  };
}

/**
 * The estimator of a link adds all packets that are sent there, also those that its queue drops: when all ports of the switch receive
 * at the link's rate, so many times its capacity.
 */
function checkEstimator(topology: Topology, tau: number, locate: Locate): void {
  const place = locate(["tau"]) ?? locate(["probe_interval"]) ?? locate([]);
  if (tau > LONGEST_TAU)
    fail(
      CODES.estimator,
      place,
      `tau, ${tau / 1e9} s, is above 20 s: the error of the program's 1/tau, which has 30 bits after the point, would exceed 1 %`,
      "write tau: 20s or less; by default it is twice probe_interval",
    );
  for (const node of switchesOf(topology))
    for (const port of switchPorts(topology, node)) {
      const { units, capacity } = capacityOf(topology.links[node.ports[port - 1]!.link]!, tau);
      const most = capacity * node.ports.length;
      if (most < 2 ** ESTIMATOR_BITS) continue;
      fail(
        CODES.estimator,
        place,
        `tau, ${tau / 1e6} ms: "${node.name}" may send up to ${most.toPrecision(3)} ${units === 0 ? "bytes" : "thousandths of packets"} to its port ${port} in this time, and the estimator of a link's use has ${ESTIMATOR_BITS} bits`,
        `write tau: ${Math.floor(((tau / 1e6) * 2 ** ESTIMATOR_BITS) / most)}ms or less; by default it is twice probe_interval`,
      );
    }
}

function tableOf(tables: readonly RoutingTable[], { index }: TopologyNode): RoutingTable {
  return tables.find(({ node }) => node === index)!;
}

/** `to_rack` for each other rack that can be reached, and the port of each host of the own rack. */
function routesOf(topology: Topology, table: RoutingTable): { prefix: PrefixPair; action: TableAction }[] {
  const { node, hopSets, routes } = table;
  const local = routes.flatMap((route) => {
    const port = hopSets[route.hops]!.direction === "local" ? singlePort(hopSets[route.hops]!) : undefined;
    if (port === undefined) return [];
    return [
      { prefix: route, action: { kind: "action" as const, ...forward("to_port", topology, node, port) } },
    ];
  });
  const racks = topology.racks.flatMap((rack) => {
    if (rack.switches.includes(node)) return [];
    const route = longest(routes, rack);
    const [first_port] = route === undefined ? [] : hopSets[route.hops]!.ports;
    if (first_port === undefined) return [];
    const action: TableAction = { kind: "action", ...call("to_rack", { rack: rack.index, first_port }) };
    return [{ prefix: rack, action }];
  });
  return [...local, ...racks];
}

/** The route with the longest prefix that holds the rack's. */
function longest(routes: RoutingTable["routes"], { ipv4 }: PrefixPair) {
  const holding = routes.filter(
    ({ ipv4: { address, length } }) =>
      length <= ipv4.length && address >> BigInt(32 - length) === ipv4.address >> BigInt(32 - length),
  );
  return holding.sort((a, b) => b.ipv4.length - a.ipv4.length)[0];
}

function routeEntries({ prefix, action }: { prefix: PrefixPair; action: TableAction }): Update[] {
  return (["ipv4", "ipv6"] as const).map((family) => {
    const { address, length } = prefix[family];
    const match: Match = {
      kind: "lpm",
      field: `hdr.${family}.dst_addr`,
      value: address,
      prefixLength: length,
    };
    return tableEntry(`${family}_routes`, [match], action);
  });
}

function linkEntry(
  topology: Topology,
  node: TopologyNode,
  port: number,
  tau: number,
  groups: ProbeGroups,
): Update {
  const { peer, link } = node.ports[port - 1]!;
  const { units, capacity } = capacityOf(topology.links[link]!, tau);
  const action = call("link_is", {
    mac: nodeAt(topology, peer).mac,
    packet_units: units,
    scale: Math.min(2 ** 32 - 1, Math.max(1, Math.round((FULL * 2 ** SCALE_BITS) / capacity))),
    probe_group: groups.idOf(onwardPorts(topology, node, port)),
  });
  return tableEntry("links", [exact("meta.link", port)], { kind: "action", ...action });
}

function originUpdate(group: number): Update {
  return {
    type: "modify",
    entity: {
      kind: "tableEntry",
      table: ingressName("origin"),
      match: [],
      priority: 0,
      isDefault: true,
      action: { kind: "action", ...call("originate", { probe_group: group }) },
    },
  };
}

/** Share of the slowest link that probes use: about one probe for each rack and interval crosses each link downwards. */
function probeNote(topology: Topology, { probe_interval, probes_from }: HulaParameters): string {
  const perSecond = (topology.racks.length * 1e9) / probe_interval;
  const shares = topology.links
    .filter(({ a }) => nodeAt(topology, a.node).role !== "host")
    .map(({ rateBps, ratePps = Number.POSITIVE_INFINITY }) =>
      Math.max(perSecond / ratePps, (perSecond * 8 * PROBE_BYTES) / rateBps),
    );
  const share = Math.max(0, ...shares);
  const sender = probes_from === "controller" ? ", sent by controllers," : "";
  return `HULA: a probe of ${PROBE_BYTES} bytes each ${probe_interval / 1e6} ms from each of ${topology.racks.length} racks${sender} takes up to ${Number((100 * share).toPrecision(3))} % of a link between switches.`;
}

// The values of the template `templates/hula/switch.p4.hbs`.

const schema = z.strictObject({
  role: z.enum(["tor", "leaf", "spine"]),
  /** Microseconds. */
  tau: z.number().int().min(1),
  ageing: z.number().int().min(1),
  flowletGap: z.number().int().min(1),
  flowlets: z.number().int().min(1),
  sizes: z.strictObject({
    /** Entries of each of the two route tables. */
    routes: z.number().int().min(1),
    links: z.number().int().min(1),
    racks: z.number().int().min(1),
  }),
});

type HulaProgram = z.output<typeof schema>;

const TEMPLATE = "hula/switch";

/** Bits after the point of 1/tau: the product with 32 bits of an estimator and a time below tau fits in 64 bits. */
const INVERSE_BITS = 30;

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
function hulaProgram(name: string, input: HulaProgram): ProgramPlan {
  const program = checkValues(TEMPLATE, schema, input);
  const values = {
    ...program,
    tauInverse: Math.round(2 ** INVERSE_BITS / program.tau),
    directions: [],
    routeActions: ["to_port", "to_rack"],
    selector: { ...NO_SELECTOR, hashed: false },
    ethernetPayloads: [{ type: "TYPE_HULA", header: "hula", carriesIp: false }],
  };
  return { name, template: TEMPLATE, values };
}

// The keys of HULA in an experiment file.

/** Width of v1model's clock, and of the times in the programs. */
const CLOCK_BITS = 48;

/** The program has 30 bits after the point of 1/tau: above 20 s their error exceeds 1 %. */
const LONGEST_TAU = 20e9;
const estimatorTime = positiveDurationSchema.refine(
  (ns) => ns >= 1000 && ns <= LONGEST_TAU,
  "expected a time from 1us to 20s",
);

export const hulaParameters = z.strictObject({
  /** Time between two probes of a ToR; the paper's evaluation has 200 us. */
  probe_interval: registerTime(CLOCK_BITS).prefault("200us"),
  /** Who sends the probes: the switch's packet generator, or a controller on its processor, where it has none (BMv2). */
  probes_from: z.enum(["generator", "controller"]).default("generator"),
  /** Time constant of the utilisation; absent: two intervals, as in the paper. */
  tau: estimatorTime.optional(),
  /** Time after which a best path without a new probe is replaced by any other one; absent: three intervals. */
  ageing: registerTime(CLOCK_BITS).optional(),
  /** Pause of a flow that ends a flowlet. */
  flowlet_gap: registerTime(CLOCK_BITS).prefault("500us"),
  /** Number of flowlets that a switch stores. */
  flowlets: flowletPlaces,
});

export type HulaParameters = z.output<typeof hulaParameters>;
