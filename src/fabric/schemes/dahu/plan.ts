/** The fabric of Dahu: programs by role, and the state of each switch before its first packet. */
import { fail, type Locate, Random } from "../../../base/index.js";
import type { Update } from "../../../toolchain/device/index.js";
import {
  type Link,
  nodeAt,
  type Prefix,
  type Role,
  switchesOf,
  type Topology,
  type TopologyNode,
} from "../../topology/index.js";
import { CODES } from "../codes.js";
import { call, exact, forward, insert, tableEntry, tableSize } from "../fabric.js";
import type { FabricPlan, SwitchSetting } from "../scheme.js";
import { nanoseconds } from "../time-text.js";
import { countField } from "./count-field.js";
import { groupLayout } from "./group-layout.js";
import type { DahuParameters } from "./parameters.js";
import { PortClasses } from "./port-classes.js";
import { BITMAP_WIDTHS, dahuProgram } from "./program.js";
import { derouting, furtherRule } from "./switch-parameters.js";
import { type OwnSwitch, type SoftwareSettings, SwitchSoftware } from "./switch-software.js";
import { derouteLimitUpdate, deroutesLeftUpdates, REPORT, sparePortUpdates } from "./tables.js";

/** Unit of the traffic counters of a fabric. */
type Unit = "bytes" | "packets";

/** Number of report times that a switch stores. */
const REPORT_PLACES = 4096;

export interface DahuFabric extends Pick<FabricPlan, "programs" | "switches"> {
  readonly unit: Unit;
  readonly own: readonly OwnSwitch[];
  readonly settings: SoftwareSettings;
  readonly classes: PortClasses;
}

/**
 * Throws DiagnosticError P45411 and P45412 (see {@link groupLayout}), P45413 for switches with more ports than a bitmap, P45414 for a number
 * of virtual ports that is no power of two, P45415 for a header field with too few bits, P45416 for an `off_threshold` above the threshold, P45417 for
 * deroutes that have no effect.
 */
export function planDahu(topology: Topology, parameters: DahuParameters, locate: Locate): DahuFabric {
  const { deroutes, kind } = derouting(parameters, locate);
  checkField(parameters, deroutes, locate);
  const virtualPortBits = bitsOf(parameters.virtual_ports, locate);
  const classes = new PortClasses(topology, topology.down ?? new Set());
  const unit = unitOf(topology);
  const settings: SoftwareSettings = {
    deroutes,
    virtualPorts: parameters.virtual_ports,
    map: parameters.map,
    retry: parameters.retry,
    rule: furtherRule(parameters, locate),
    holdNs: nanoseconds(parameters.hold),
    hashSeed: parameters.hash_seed,
  };
  const widths = new Map(
    [...new Set(switchesOf(topology).map(({ role }) => role))].map((role) => [
      role,
      widthOf(topology, role, locate),
    ]),
  );
  const own = switchesOf(topology).map((node): OwnSwitch => {
    const width = widths.get(node.role)!;
    return {
      node,
      width,
      layout: groupLayout(classes, node.index, kind, locate),
      capacity: capacities(topology, node, width, unit),
    };
  });
  const routes = new Map(own.map(({ node }) => [node.index, routesOf(topology, node)]));
  const programs = [...widths].map(([role, ports]) => {
    const same = own.filter(({ node }) => node.role === role);
    return dahuProgram(role, {
      role,
      ports,
      groups: Math.max(...same.map(({ layout }) => layout.members.length)),
      virtualPortBits,
      map: parameters.map,
      retry: parameters.retry,
      field: parameters.field,
      unit,
      ...(parameters.feedback
        ? {
            feedback: {
              interval: Math.max(1, Math.round(settings.holdNs / 2000)),
              places: REPORT_PLACES,
            },
          }
        : {}),
      sizes: {
        routes: tableSize(Math.max(...same.map(({ node }) => routes.get(node.index)!.length / 2))),
        destinations: tableSize(topology.racks.length),
      },
    });
  });
  return {
    programs,
    unit,
    own,
    settings,
    classes,
    switches: own.map((each) => ({
      node: each.node.index,
      program: each.node.role,
      settings: polynomials(each.node, parameters),
      updates: [
        ...(parameters.map === "copies"
          ? [...deroutesLeftUpdates(deroutes), ...sparePorts(each, parameters.hash_seed)]
          : [derouteLimitUpdate(deroutes)]),
        ...(parameters.feedback ? [REPORTS] : []),
        ...nextHops(topology, each.node),
        ...new SwitchSoftware(each, classes, settings).plan(),
        ...routes.get(each.node.index)!,
      ],
    })),
  };
}

/** Each list has one report, which is sent at once. */
const REPORTS: Update = insert({
  kind: "digest",
  digest: REPORT,
  maxListSize: 1,
  maxTimeoutNs: 0n,
  ackTimeoutNs: 0n,
});

function checkField({ field, feedback }: DahuParameters, deroutes: number, locate: Locate): void {
  const { most, flagBit } = countField(field);
  if (deroutes > most)
    fail(
      CODES.derouteField,
      locate(["deroutes"]) ?? locate(["field"]),
      `${deroutes} deroutes: the field ${field} can count to ${most}`,
      "write `field: dscp` or `field: vlan`",
    );
  if (feedback && flagBit === undefined)
    fail(
      CODES.derouteField,
      locate(["field"]) ?? locate(["feedback"]),
      `feedback needs one more bit than the deroute count, and the field ${field} has none left`,
      "write `field: dscp` or `field: vlan`",
    );
}

/** Width of the hash: the number of virtual ports of a group must be a power of two. */
function bitsOf(virtualPorts: number, locate: Locate): number {
  const bits = Math.round(Math.log2(virtualPorts));
  if (2 ** bits === virtualPorts && bits >= 4 && bits <= 15) return bits;
  return fail(
    CODES.virtualPorts,
    locate(["virtual_ports"]),
    `${virtualPorts} virtual ports: the number must be a power of two, since a hash in a switch has whole bits`,
    "write a power of two from 16 to 32768",
  );
}

/** The narrowest bitmap for the ports of all switches of a role. */
function widthOf(topology: Topology, role: Role, locate: Locate) {
  let most = 0;
  let widest: TopologyNode | undefined;
  for (const node of switchesOf(topology, role))
    if (node.ports.length > most) {
      most = node.ports.length;
      widest = node;
    }
  const width = BITMAP_WIDTHS.find((bits) => bits >= most);
  if (width !== undefined) return width;
  return fail(
    CODES.bitmapTooNarrow,
    locate([], true) ?? locate([]),
    `"${widest!.name}" has ${most} ports: a bitmap of allowed ports has ${BITMAP_WIDTHS.at(-1)}`,
    "give the switches fewer ports",
  );
}

/** Packets where all links have a rate in packets, otherwise bytes. */
function unitOf({ links }: Topology): Unit {
  return links.every(({ ratePps }) => ratePps !== undefined) ? "packets" : "bytes";
}

function capacities(topology: Topology, node: TopologyNode, width: number, unit: Unit): Float64Array {
  const capacity = new Float64Array(width);
  const rate = ({ rateBps, ratePps }: Link) => (unit === "packets" ? ratePps! : rateBps / 8);
  for (const { number, link } of node.ports) capacity[number - 1] = rate(topology.links[link]!);
  return capacity;
}

/** Routes to the hosts of a switch, and to the racks of all other switches: two entries each. */
function routesOf(topology: Topology, node: TopologyNode): Update[] {
  const updates: Update[] = [];
  for (const rack of topology.racks) {
    if (!rack.switches.includes(node.index)) {
      for (const family of ["ipv4", "ipv6"] as const)
        updates.push(
          tableEntry(`${family}_routes`, lpm(family, rack[family]), {
            kind: "action",
            ...call("to_destination", { destination: rack.index }),
          }),
        );
      continue;
    }
    for (const host of rack.hosts) {
      const port = node.ports.find(({ peer, link }) => peer === host && !topology.down?.has(link));
      if (port === undefined) continue;
      const { host: address } = nodeAt(topology, host);
      for (const [family, length] of [
        ["ipv4", 32],
        ["ipv6", 128],
      ] as const)
        updates.push(
          tableEntry(`${family}_routes`, lpm(family, { address: address![family], length }), {
            kind: "action",
            ...forward("to_port", topology, node.index, port.number),
          }),
        );
    }
  }
  return updates;
}

function lpm(family: "ipv4" | "ipv6", { address, length }: Prefix) {
  if (length === 0) return [];
  return [{ kind: "lpm" as const, field: `hdr.${family}.dst_addr`, value: address, prefixLength: length }];
}

function nextHops(topology: Topology, node: TopologyNode): Update[] {
  return node.ports
    .filter(({ peer }) => nodeAt(topology, peer).role !== "host")
    .map(({ number }) =>
      tableEntry("next_hops", [exact("meta.choice", number - 1)], {
        kind: "action",
        ...forward("to_next_hop", topology, node.index, number),
      }),
    );
}

/**
 * Each CRC of a switch has a polynomial of its own: another seed alone would flip bits of the same function, so that the choice of one
 * switch on a path would determine the choice of the next one.
 */
function polynomials(
  node: TopologyNode,
  { hash_seed, map, retry }: Pick<DahuParameters, "hash_seed" | "map" | "retry">,
): SwitchSetting[] {
  const random = new Random(hash_seed).fork(`polynomials of ${node.name}`);
  // One for each round, or two with copies of the map: for the first virtual port, and for the step; and one for the last choice.
  const calculations = (map === "copies" ? 2 : 1) * (retry ? 2 : 1) + 1;
  return Array.from({ length: calculations }, (_, calculation) => ({
    kind: "crc" as const,
    calculation,
    width: 32 as const,
    parameters: {
      // The lowest term of a CRC's polynomial is 1.
      polynomial: BigInt(random.uint32()) | 1n,
      initial: 0xffffffffn,
      finalXor: 0n,
      reflectData: false,
      reflectRemainder: false,
    },
  }));
}

/**
 * Orders of the ports to other switches, one for each value of the last hash. In each sequence of as many orders as there are ports, each port
 * is first once, so that with all ports allowed all are equally likely.
 */
function sparePorts({ layout, width, node }: OwnSwitch, seed: number): Update[] {
  const all = layout.members.at(-1)!;
  const random = new Random(seed).fork(`spare ports of ${node.name}`);
  const orders: number[][] = [];
  for (let order = 0; order < width && all.length > 0; order++) {
    const first = all[order % all.length]!;
    orders.push([first, ...random.shuffle(all.filter((bit) => bit !== first))]);
  }
  return sparePortUpdates(orders);
}
