/** Programs and state of CONGA's switches: ToRs decide, all others run plain ECMP and estimate the use of their links. */
import { fail, type Locate } from "../../../base/index.js";
import type { Update } from "../../../toolchain/device/index.js";
import {
  computeRoutes,
  nodeAt,
  type RoutingTable,
  switchesOf,
  type Topology,
  type TopologyNode,
  tierOf,
} from "../../topology/index.js";
import { CODES } from "../codes.js";
import { planEcmpSwitches } from "../ecmp/plan.js";
import { call, exact, forward, ingressName, routeUpdates, tableEntry, tableSize } from "../fabric.js";
import { capacityOf } from "../link-capacity.js";
import { type FabricPlan, REPLANNING_ROOM, type SwitchPlan } from "../scheme.js";
import { type CongaParameters, periodOf } from "./parameters.js";
import { scaleOf, torProgram, transitProgram } from "./program.js";

/** The program looks at each uplink of a ToR, and at each tag of a rack, in a statement of its own. */
const MOST_TAGS = 16;

/** Uplinks of a ToR and their place among those of its rack. */
interface Uplinks {
  readonly rack: number;
  readonly firstTag: number;
  /** Ports to switches of higher tiers, also those that are down: numbers stay when routes are planned again. */
  readonly ports: readonly number[];
}

/**
 * Throws DiagnosticError P45110 for a period that is not whole, P45111 for a network whose hosts are not all at ToRs, P45112 for a rack with more
 * than 16 uplinks.
 */
export function planCongaSwitches(
  topology: Topology,
  parameters: CongaParameters,
  locate: Locate,
): Pick<FabricPlan, "programs" | "switches" | "replanning" | "notes"> {
  const period = periodOf(parameters, locate);
  const uplinks = uplinksOf(topology, locate);
  const ecmp = planEcmpSwitches(topology, parameters);
  const tables = computeRoutes(topology);
  const linksOf = (node: TopologyNode) => linkUpdates(topology, node, parameters.tau);
  const torState = (from: Topology, table: RoutingTable, own: Uplinks): Update[] => [
    selfUpdate(own),
    ...own.ports.map((port, i) => {
      const { params } = forward("to_next_hop", topology, table.node, port);
      return tableEntry("uplinks", [exact("meta.uplink", i + 1)], {
        kind: "action",
        ...call("to_next_hop", params),
      });
    }),
    ...torRoutes(from, table, own),
  ];
  const most = Math.max(1, ...[...uplinks.values()].map(({ ports }) => ports.length));
  const ownTables = tables.filter(({ node }) => uplinks.has(node));
  const programs = (room: number, others: FabricPlan["programs"]) =>
    others.map((program) => {
      const own = switchesOf(topology).filter(({ role }) => role === program.name);
      const links = tableSize(Math.max(...own.map(({ ports }) => ports.length)));
      if (program.name !== "tor") return transitProgram(program, parameters, period, links);
      return torProgram(parameters, period, {
        routes: tableSize(room * Math.max(...ownTables.map(({ routes }) => routes.length))),
        links,
        racks: topology.racks.length,
        uplinks: most,
        tags: Math.max(1, ...topology.racks.map((rack) => tagsOf(rack.switches, uplinks))),
      });
    });
  const stateOf = (from: Topology, node: number, state: readonly Update[], table: RoutingTable) => {
    const own = uplinks.get(node);
    return [...(own === undefined ? state : torState(from, table, own)), ...linksOf(nodeAt(topology, node))];
  };
  return {
    programs: programs(1, ecmp.programs),
    switches: ecmp.switches.map(
      ({ node, program, updates }): SwitchPlan => ({
        node,
        program,
        updates: stateOf(topology, node, updates, tableOf(tables, node)),
      }),
    ),
    replanning: {
      get programs() {
        return programs(REPLANNING_ROOM, ecmp.replanning.programs);
      },
      planner: () => {
        const planner = ecmp.replanning.planner();
        return {
          learn: (node, entities) => planner.learn(node, entities),
          plan: (reduced) => {
            const now = computeRoutes(reduced);
            return planner.plan(reduced).map(({ node, updates }) => ({
              node,
              updates: stateOf(reduced, node, updates, tableOf(now, node)),
            }));
          },
        };
      },
    },
    notes: notesOf(parameters, period),
  };
}

function tableOf(tables: readonly RoutingTable[], node: number): RoutingTable {
  return tables.find((table) => table.node === node)!;
}

function tagsOf(switches: readonly number[], uplinks: ReadonlyMap<number, Uplinks>): number {
  return switches.reduce((sum, node) => sum + (uplinks.get(node)?.ports.length ?? 0), 0);
}

/** By ToR. */
function uplinksOf(topology: Topology, locate: Locate): ReadonlyMap<number, Uplinks> {
  const found = new Map<number, Uplinks>();
  for (const rack of topology.racks) {
    let firstTag = 0;
    for (const index of rack.switches) {
      const node = nodeAt(topology, index);
      if (node.role !== "tor")
        fail(
          CODES.hostsWithoutTor,
          locate(["scheme"]) ?? locate([]),
          `ToRs decide under CONGA, and hosts are linked to "${node.name}", which has the role ${node.role}`,
          "use a clos, fat_tree or leaf_spine, or give every switch with hosts the role tor",
        );
      const ports = node.ports
        .filter(({ peer }) => tierOf(nodeAt(topology, peer)) > tierOf(node))
        .map(({ number }) => number);
      found.set(index, { rack: rack.index, firstTag, ports });
      firstTag += ports.length;
    }
    if (firstTag > MOST_TAGS)
      fail(
        CODES.uplinksOfRack,
        locate(["scheme"]) ?? locate([]),
        `the rack of "${nodeAt(topology, rack.switches[0]!).name}" has ${firstTag} uplinks, and CONGA's programs tell ${MOST_TAGS} apart`,
        "the tag of the paper has 4 bits, too; use fewer switches in the tier above",
      );
  }
  return found;
}

/**
 * The port of each host of the own rack; `to_rack` for other racks, with a bit for each uplink on a shortest path, and for the own one where it has
 * another ToR, which may reach a host that this one has lost.
 */
function torRoutes(topology: Topology, table: RoutingTable, own: Uplinks): Update[] {
  const { hopSets, routes } = table;
  const local = { ...table, routes: routes.filter(({ hops }) => hopSets[hops]!.direction === "local") };
  const racks = topology.racks.flatMap((rack): Update[] => {
    if (rack.index === own.rack && rack.switches.length === 1) return [];
    const usable = hopsTo(table, rack.ipv4)
      .map((port) => own.ports.indexOf(port))
      .filter((number) => number >= 0)
      .reduce((bits, number) => bits | (1 << number), 0);
    if (usable === 0) return [];
    const action = { kind: "action" as const, ...call("to_rack", { rack: rack.index, usable }) };
    return (["ipv4", "ipv6"] as const).map((family) => {
      const { address, length } = rack[family];
      const field = `hdr.${family}.dst_addr`;
      return tableEntry(
        `${family}_routes`,
        [{ kind: "lpm", field, value: address, prefixLength: length }],
        action,
      );
    });
  });
  return [...routeUpdates(topology, local, () => call("unreachable", {})), ...racks];
}

/** The ports of the longest route that holds a prefix. */
function hopsTo({ routes, hopSets }: RoutingTable, { address, length }: { address: bigint; length: number }) {
  const holding = routes.filter(({ ipv4 }) => {
    const shift = BigInt(32 - ipv4.length);
    return ipv4.length <= length && ipv4.address >> shift === address >> shift;
  });
  const longest = holding.sort((a, b) => b.ipv4.length - a.ipv4.length)[0];
  return longest === undefined ? [] : hopSets[longest.hops]!.ports;
}

function selfUpdate({ rack, firstTag, ports }: Uplinks): Update {
  const named = Object.fromEntries(ports.map((port, i) => [`port_${i}`, port]));
  return {
    type: "modify",
    entity: {
      kind: "tableEntry",
      table: ingressName("self"),
      match: [],
      priority: 0,
      isDefault: true,
      action: { kind: "action", ...call("self_is", { rack, first_tag: firstTag, ...named }) },
    },
  };
}

/** Links to other switches, whose use the egress estimates. */
function linkUpdates(topology: Topology, node: TopologyNode, tau: number): Update[] {
  return node.ports.flatMap(({ number, peer, link }): Update[] => {
    if (nodeAt(topology, peer).role === "host") return [];
    const { units, capacity } = capacityOf(topology.links[link]!, tau);
    return [
      {
        type: "insert",
        entity: {
          kind: "tableEntry",
          table: "FabricEgress.links",
          match: [exact("standard_metadata.egress_port", number)],
          priority: 0,
          action: {
            kind: "action",
            action: "FabricEgress.link_is",
            params: { packet_units: BigInt(units), scale: BigInt(scaleOf(capacity)) },
          },
        },
      },
    ];
  });
}

function notesOf({ bits, tau, alpha }: CongaParameters, period: number): string[] {
  return [
    `CONGA: packets between racks carry 8 bytes more; metrics of ${bits} bits, tau ${tau / 1000} us (${period} us / ${alpha}).`,
  ];
}
