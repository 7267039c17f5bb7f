/** Segment routing on any graph: the selector of a route between two hosts that passes given nodes. */
import { fail, formatTable } from "../../../base/index.js";
import type { SelectorField } from "../../../base/packets/index.js";
import type { Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { headerCosts } from "../pecmp/header-cost.js";
import { bitsFor } from "../pecmp/selectors.js";
import type { RouteText } from "../scheme.js";
import type { Trees } from "./trees.js";

/**
 * Fails with P45542 where no selector has a route through the nodes.
 *
 * @param list node indexes, a host first and last
 */
export function multirouteRoute(
  topology: Topology,
  trees: Trees,
  field: SelectorField,
  list: readonly number[],
): RouteText {
  const { nodes } = topology;
  const [source, destination] = [nodes[list[0]!]!, nodes[list.at(-1)!]!];
  const routes = trees.to[destination.host!.rack]!.from[source.host!.rack]!;
  const wanted = list.slice(1, -1);
  const route = routes.find((one) => {
    let passed = 0;
    for (const node of one.nodes) if (node === wanted[passed]) passed++;
    return passed === wanted.length;
  });
  const nameOf = (node: number) => nodes[node]!.name;
  if (route === undefined)
    fail(
      CODES.noSuchRoute,
      undefined,
      `no selector has a route from "${source.name}" to "${destination.name}" through ${wanted.map((node) => `"${nameOf(node)}"`).join(", ")}`,
      ...routes.map(({ selector, nodes: on }) => `selector ${selector}: ${on.map(nameOf).join(" ")}`),
    );
  const bits = bitsFor(trees.selectors + 1);
  const names = [source.name, ...route.nodes.map(nameOf), destination.name];
  const nic = source.ports.findIndex(({ peer }) => peer === route.nodes[0]);
  const costs = headerCosts(field, bits, route.nodes.length);
  const table = formatTable(
    ["way", "bits", "bytes more"],
    costs.map((cost) => [cost.way, cost.bits, cost.bytes]),
  );
  return {
    rows: [{ route: names, selector: route.selector, bits, nic, header_costs: costs }],
    text: [
      `route     ${names.join(" ")}`,
      `selector  ${route.selector} in ${field}, ${bits} bits${source.ports.length > 1 ? `; NIC ${nic}` : ""}`,
      "",
      table,
    ].join("\n"),
  };
}
