/** A topology some of whose links are down, for new routes around them. */
import type { Pod, Rack, Topology, TopologyNode } from "./topology.js";

/**
 * The same topology without these links: nodes, links and ports keep their indexes and numbers, and routes do not use the
 * links. A host that has lost a link to one of the switches of its rack, but not to all, is a rack of its own, with
 * its address as the prefix, so that other switches reach it by the links that it has left.
 */
export function withLinksDown(topology: Topology, links: Iterable<number>): Topology {
  const down: ReadonlySet<number> = new Set([...(topology.down ?? []), ...links]);
  if (down.size === (topology.down?.size ?? 0)) return topology;
  const racks: Rack[] = [...topology.racks];
  const pods: Pod[] = [...topology.pods];
  const nodes: TopologyNode[] = [...topology.nodes];
  for (const index of hostsWithLinks(topology, down)) {
    const node = nodes[index]!;
    const { rack: old, ipv4, ipv6 } = node.host!;
    const rack = racks[old]!;
    const left = node.ports.filter(({ link }) => !down.has(link)).map(({ peer }) => peer);
    const switches = [...new Set(left)].sort((a, b) => a - b);
    if (switches.length === rack.switches.length) continue;
    const own: Rack = {
      index: racks.length,
      pod: rack.pod,
      switches,
      hosts: [index],
      ipv4: { address: ipv4, length: 32 },
      ipv6: { address: ipv6, length: 128 },
    };
    racks[old] = { ...rack, hosts: rack.hosts.filter((host) => host !== index) };
    racks.push(own);
    pods[own.pod] = { ...pods[own.pod]!, racks: [...pods[own.pod]!.racks, own.index] };
    nodes[index] = { ...node, host: { ...node.host!, rack: own.index } };
  }
  return { ...topology, nodes, racks, pods, down };
}

/** Hosts at an end of one of the links, ascending. */
function hostsWithLinks({ nodes, links }: Topology, down: ReadonlySet<number>): number[] {
  const hosts = new Set<number>();
  for (const link of down) {
    const { a, b } = links[link]!;
    for (const { node } of [a, b]) if (nodes[node]!.role === "host") hosts.add(node);
  }
  return [...hosts].sort((a, b) => a - b);
}
