/** Segment routing (P-ECMP, section 3.2): a route or waypoints in, a selector out. */
import { fail, formatTable, type Locate } from "../../../base/index.js";
import { FIELD_BITS, Ipv4, Ipv6, type SelectorField } from "../../../base/packets/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { RouteText } from "../scheme.js";
import { type ExactRoute, ExactRoutes } from "./exact-routes.js";
import { compileFabric, type PecmpFabric } from "./fabric.js";
import { HOPS, readSlice } from "./layout.js";
import type { PecmpParameters } from "./parameters.js";

/**
 * The first route between two hosts that passes these nodes in this order. Fails with P45542 where there is none, and for control of
 * offsets, in which no selector names a next hop.
 *
 * @param list node indexes, a host first and last
 * @param locate the place of an entry of the list by its index, and of the parameter `control`
 */
export function routeThrough(
  topology: Topology,
  fabric: PecmpFabric,
  list: readonly number[],
  locate: Locate,
): ExactRoute {
  const name = (node: number) => `"${nodeAt(topology, node).name}"`;
  if (fabric.layout.control === "offset")
    fail(
      CODES.noSuchRoute,
      locate(["control"]),
      "control: offset has no selectors that name next hops",
      "write control: hops, or control: both, with a field that is wide enough",
    );
  const routes = new ExactRoutes(topology, fabric);
  const [source, destination] = [list[0]!, list.at(-1)!];
  let best = 0;
  for (const route of routes.between(source, destination)) {
    const passed = passedOf(route.nodes, list);
    if (passed === list.length) return route;
    best = Math.max(best, passed);
  }
  const missed = list[Math.max(1, best)]!;
  const wrong = routes.along(list);
  return fail(
    CODES.noSuchRoute,
    locate([Math.max(1, best)]),
    best === 0
      ? `there is no route from ${name(source)} to ${name(destination)}`
      : `no shortest route from ${name(source)} to ${name(destination)} passes ${name(missed)}` +
          (best > 1 ? ` after ${name(list[best - 1]!)}` : ""),
    ...("why" in wrong ? [wrong.why] : []),
  );
}

/** Number of nodes of the list that a route passes, in order, before the first one that it does not pass. */
function passedOf(nodes: readonly number[], list: readonly number[]): number {
  let passed = 0;
  for (const node of nodes) if (node === list[passed]) passed++;
  return passed;
}

/** The output of `p4loom generate pecmp --route A,B,C`. */
export function pecmpRoute(
  topology: Topology,
  parameters: PecmpParameters,
  list: readonly number[],
  locate: Locate,
): RouteText {
  const fabric = compileFabric(topology, parameters, locate);
  const route = routeThrough(topology, fabric, list, locate);
  const { layout } = fabric;
  const names = route.nodes.map((node) => nodeAt(topology, node).name);
  const slices = HOPS.filter((hop) => layout.slices[hop] !== undefined);
  const nics = nodeAt(topology, route.nodes[0]!).ports.length;
  const costs = headerCosts(layout.field, layout.bits, route.nodes.length - 2);
  const lines = [
    `route     ${names.join(" ")}`,
    `selector  ${route.selector} (0x${route.selector.toString(16)}) in ${layout.field}, ${layout.bits} bits`,
    ...slices
      .filter((hop) => hop !== "nic")
      .map((hop) => {
        const { low, width } = layout.slices[hop]!;
        return `  ${hop.padEnd(6)}  bits ${low + width - 1}..${low}: ${readSlice(layout, hop, route.selector)}`;
      }),
    ...(nics > 1
      ? [
          `NIC       ${route.nic} of ${nics}: the bond adds bits ${layout.slices.nic!.width - 1}..0 to the flow's hash, so they depend on the flow`,
        ]
      : []),
    "",
    formatTable(
      ["way", "bits", "bytes more"],
      costs.map(({ way, bits, bytes }) => [way, bits, bytes]),
    ),
  ];
  const row = {
    route: names,
    selector: route.selector,
    bits: layout.bits,
    nic: route.nic,
    header_costs: costs,
  };
  return { rows: [row], text: lines.join("\n") };
}

// The header bits that a packet needs to carry its path (P-ECMP, section 5.1 and figure 6b).

interface HeaderCost {
  readonly way: string;
  /** Bits that encode the path. */
  readonly bits: number;
  /** Bytes that a packet grows by. */
  readonly bytes: number;
}

/** Fixed part of a segment routing header (RFC 8754, section 2). */
const SRH = 8;
const SID = 16;
/** A 16-bit compressed SID after a locator block of 32 bits: six fit into one address (RFC 9800, NEXT-C-SID). */
const COMPRESSED_BITS = 16;
const COMPRESSED_PER_SID = 6;

/**
 * Costs of a path of `hops` switches that are named one by one.
 *
 * @param bits of the selector
 */
export function headerCosts(field: SelectorField, bits: number, hops: number): HeaderCost[] {
  const containers = Math.ceil(hops / COMPRESSED_PER_SID);
  return [
    // Only a VLAN tag is an additional header; the other fields are in every IP header.
    { way: `P-ECMP, ${field} of ${FIELD_BITS[field]} bits`, bits, bytes: field === "vlan" ? 4 : 0 },
    {
      way: "SRv6, a 128-bit SID a hop (RFC 8754)",
      bits: 8 * SID * hops,
      bytes: Ipv6.LENGTH + SRH + SID * hops,
    },
    {
      way: "SRv6, 16-bit compressed SIDs (RFC 9800)",
      bits: COMPRESSED_BITS * hops,
      // One container is the destination address of the outer header.
      bytes: Ipv6.LENGTH + (containers > 1 ? SRH + SID * containers : 0),
    },
    { way: "IP in IP, an IPv4 header a hop (RFC 2003)", bits: 32 * hops, bytes: Ipv4.LENGTH * hops },
    { way: "IP in IP, an IPv6 header a hop (RFC 2473)", bits: 128 * hops, bytes: Ipv6.LENGTH * hops },
  ];
}
