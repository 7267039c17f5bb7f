/** A topology some of whose links are down, for new routes around them. */

import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { Draft, DraftNode } from "./draft.js";
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

// Links that a description leaves out of a generated network.

export interface MissingLinks {
  /** Whether the link between these two nodes is left out. */
  takes(a: DraftNode, b: DraftNode): boolean;
  /** P42105 for a pair that names no link of the generator. */
  check(draft: Draft): void;
}

/** `pairs`: names of the two ends, in either order. */
export function missingLinks(pairs: readonly (readonly [string, string])[], locate: Locate): MissingLinks {
  const unused = new Map<string, number>();
  for (const [i, [a, b]] of pairs.entries()) unused.set(linkKey(a, b), i);
  const wanted = new Set(unused.keys());
  return {
    takes(a, b) {
      const key = linkKey(a.name, b.name);
      unused.delete(key);
      return wanted.has(key);
    },
    check(draft) {
      for (const i of unused.values()) {
        const unknown = pairs[i]!.findIndex((name) => !draft.byName.has(name));
        if (unknown >= 0) {
          fail(
            CODES.linkEnd,
            locate(["missing_links", i, unknown]),
            `no node is called "${pairs[i]![unknown]}"`,
          );
        }
        fail(
          CODES.linkEnd,
          locate(["missing_links", i]),
          `there is no link between "${pairs[i]!.join('" and "')}"`,
        );
      }
    },
  };
}

function linkKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
