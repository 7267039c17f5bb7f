/**
 * Segment routing by hosts (P-ECMP, section 3.2): flows between two hosts begin with the selector of a route through given nodes, such as
 * a switch with a middlebox.
 */

import { z } from "zod";
import { didYouMean, fail, type Locate } from "../../../base/index.js";
import type { FlowKey } from "../../../base/packets/index.js";
import { nodeNamed, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { selectorWithNic } from "./exact-routes.js";
import type { PecmpFabric } from "./fabric.js";
import type { SelectorLayout } from "./layout.js";
import type { PecmpParameters } from "./parameters.js";
import { routeThrough } from "./route.js";
import { LIST } from "./via-schema.js";

/** The first route of the packets of a host to another one; from JSON, so addresses are decimal strings. */
export interface Via {
  readonly to: readonly [ipv4: string, ipv6: string];
  /** All slices except that of the NIC. */
  readonly selector: number;
  readonly nic: number;
  /** Number of NICs of the host. */
  readonly nics: number;
}

export const viaDescription = z.record(
  z.string(),
  z.array(
    z.strictObject({
      to: z.tuple([z.string().regex(/^\d+$/), z.string().regex(/^\d+$/)]),
      selector: z.number().int().min(0),
      nic: z.number().int().min(0),
      nics: z.number().int().min(1),
    }),
  ),
);

/** By name of the sending host. Throws DiagnosticError P45542 for a list that no selector names, P45520 with spray or update. */
export function viaOf(
  topology: Topology,
  parameters: PecmpParameters,
  fabric: PecmpFabric,
  locate: Locate,
): Record<string, Via[]> {
  const { via, spray, update } = parameters;
  const found: Record<string, Via[]> = {};
  if (via.length === 0) return found;
  if (spray !== undefined || update.mode !== "none")
    fail(
      CODES.sprayOrBalance,
      locate(["via"]),
      spray !== undefined
        ? "via and spray exclude each other: each sprayed packet has a route of its own"
        : "via and update exclude each other: the selector of a route is that of the first state",
      "leave one of the two keys out",
    );
  for (const [i, names] of via.entries()) {
    const place: Locate = (path) => locate(path[0] === "control" ? path : ["via", i, ...path]);
    const nodes = names.map((name, j) => nodeOf(topology, name, locate(["via", i, j])));
    const [source, destination] = [nodes[0]!, nodes.at(-1)!];
    for (const [node, j] of [
      [source, 0],
      [destination, names.length - 1],
    ] as const)
      if (node.role !== "host")
        fail(CODES.noSuchRoute, locate(["via", i, j]), `"${node.name}" is no host`, LIST);
    const own = (found[source.name] ??= []);
    const { ipv4, ipv6 } = destination.host!;
    const to = [String(ipv4), String(ipv6)] as const;
    if (own.some((other) => other.to[0] === to[0]))
      fail(
        CODES.noSuchRoute,
        locate(["via", i]),
        `"${source.name}" has a second route to "${destination.name}"`,
        "write one route for each pair of hosts",
      );
    const route = routeThrough(
      topology,
      fabric,
      nodes.map(({ index }) => index),
      place,
    );
    own.push({ to, selector: route.selector, nic: route.nic, nics: source.ports.length });
  }
  return found;
}

function nodeOf(topology: Topology, name: string, span: ReturnType<Locate>) {
  const node = nodeNamed(topology, name);
  if (node !== undefined) return node;
  const names = topology.nodes.map((one) => one.name);
  return fail(CODES.noSuchRoute, span, `no node is called "${name}"${didYouMean(name, names, '"')}`);
}

/** The selector with which a flow of the host begins; undefined for a destination without a route of its own. */
export function viaSelector(layout: SelectorLayout, list: readonly Via[], flow: FlowKey): number | undefined {
  const destination = String(flow.dst);
  const own = list.find(({ to }) => to.includes(destination));
  return own === undefined ? undefined : selectorWithNic(layout, own, own.nics, flow);
}
