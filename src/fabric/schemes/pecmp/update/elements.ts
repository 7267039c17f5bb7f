/** Switches and links that are out of service, by their names. */
import { didYouMean, fail, type Locate } from "../../../../base/index.js";
import { computeRoutes, nodeNamed, type Topology, withLinksDown } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import type { Element } from "./parameters.js";

/**
 * The topology without these switches and links. Throws DiagnosticError: P45500 for a name that is no switch, or two names
 * without a link; P45501 where hosts would not reach each other.
 */
export function withoutElements(
  topology: Topology,
  elements: readonly Element[],
  locate: Locate = () => undefined,
): Topology {
  if (elements.length === 0) return topology;
  const links = elements.flatMap((element, i) => linksOf(topology, element, i, locate));
  const reduced = withLinksDown(topology, links);
  checkReach(reduced, locate);
  return reduced;
}

function linksOf(topology: Topology, element: Element, place: number, locate: Locate): number[] {
  const names = topology.nodes.map(({ name }) => name);
  const find = (name: string) => {
    const node = nodeNamed(topology, name);
    if (node !== undefined) return node;
    return fail(
      CODES.outOfService,
      locate(["without", place]),
      `no node is called "${name}"${didYouMean(name, names, '"')}`,
    );
  };
  if (typeof element === "string") {
    const node = find(element);
    if (node.role === "host")
      fail(
        CODES.outOfService,
        locate(["without", place]),
        `"${element}" is a host: updates are about switches and links`,
        "name a switch, or a link as [end, end]",
      );
    return node.ports.map(({ link }) => link);
  }
  const [a, b] = [find(element[0]), find(element[1])];
  const links = a.ports.filter(({ peer }) => peer === b.index).map(({ link }) => link);
  if (links.length === 0)
    fail(CODES.outOfService, locate(["without", place]), `"${a.name}" and "${b.name}" have no link`);
  return links;
}

function checkReach(topology: Topology, locate: Locate): void {
  const { nodes, racks, down } = topology;
  const isAlone = (node: number) => nodes[node]!.ports.every(({ link }) => down?.has(link) === true);
  const cut = nodes.find(({ role, index }) => role === "host" && isAlone(index));
  if (cut !== undefined)
    fail(CODES.cutOff, locate(["without"]), `${cut.name} would have no link left`, "leave it one switch");
  const ofHosts = new Set(
    racks.flatMap(({ hosts }) => hosts.flatMap((host) => nodes[host]!.ports.map(({ peer }) => peer))),
  );
  for (const { node, routes, hopSets } of computeRoutes(topology)) {
    if (!ofHosts.has(node) || isAlone(node)) continue;
    const lost = routes.find(({ hops }) => hopSets[hops]!.ports.length === 0);
    if (lost === undefined) continue;
    const rack = racks.find(({ ipv4 }) => ipv4.address === lost.ipv4.address);
    const whom = rack === undefined ? "other hosts" : nodes[rack.hosts[0]!]!.name;
    fail(CODES.cutOff, locate(["without"]), `${nodes[node]!.name} would not reach ${whom}`);
  }
}
