/**
 * Racks and addresses. Host h of rack r in pod p is 10.p.r.(h+1) and fd00:0:p:r::(h+1), so a rack is a /24 and a /64,
 * a pod a /16 and a /48. The racks of a graph without pods have consecutive numbers: rack n is in pod n / 256.
 */
import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { Draft, DraftNode } from "./draft.js";
import { MAX_HOSTS_PER_RACK, MAX_PODS } from "./limits.js";
import type { Pod, Rack, Topology, TopologyNode } from "./topology.js";

interface DraftRack {
  pod: number;
  switches: number[];
  hosts: DraftNode[];
}

/** Groups hosts into racks (same pod, same switches), and assigns numbers and addresses to all nodes. */
export function finish(name: string, draft: Draft, locate: Locate): Topology {
  const racks = new Map<string, DraftRack>();
  for (const host of draft.nodes) {
    if (host.role !== "host") continue;
    const switches = [...new Set(host.ports.map((port) => port.peer))].sort((x, y) => x - y);
    const key = switches.join(" ");
    const rack = racks.get(key) ?? { pod: host.pod ?? -1, switches, hosts: [] };
    racks.set(key, rack);
    rack.hosts.push(host);
  }
  if (racks.size === 0) fail(CODES.hostWithoutLink, locate([]), "the network has no hosts");
  const pods: { ipv4: Pod["ipv4"]; ipv6: Pod["ipv6"]; racks: number[] }[] = [];
  const finishedRacks: Rack[] = [];
  const addresses = new Map<number, NonNullable<TopologyNode["host"]>>();
  for (const draftRack of racks.values()) {
    const index = finishedRacks.length;
    const pod = draftRack.pod >= 0 ? draftRack.pod : index >> 8;
    if (pod >= MAX_PODS)
      fail(CODES.addressesExceeded, locate(["nodes"]), "the address plan has room for 65536 racks");
    if (draftRack.hosts.length > MAX_HOSTS_PER_RACK) {
      fail(
        CODES.addressesExceeded,
        locate(["nodes"]),
        `the address plan has room for ${MAX_HOSTS_PER_RACK} hosts at one switch`,
      );
    }
    const ipv4Pod = (10n << 24n) | (BigInt(pod) << 16n);
    const ipv6Pod = (0xfd00n << 112n) | (BigInt(pod) << 80n);
    pods[pod] ??= {
      ipv4: { address: ipv4Pod, length: 16 },
      ipv6: { address: ipv6Pod, length: 48 },
      racks: [],
    };
    const number = BigInt(pods[pod].racks.length);
    pods[pod].racks.push(index);
    const ipv4 = { address: ipv4Pod | (number << 8n), length: 24 };
    const ipv6 = { address: ipv6Pod | (number << 64n), length: 64 };
    for (const [i, host] of draftRack.hosts.entries()) {
      addresses.set(host.index, {
        rack: index,
        ipv4: ipv4.address + BigInt(i + 1),
        ipv6: ipv6.address + BigInt(i + 1),
      });
    }
    const hosts = draftRack.hosts.map((host) => host.index);
    finishedRacks.push({ index, pod, switches: draftRack.switches, hosts, ipv4, ipv6 });
  }
  return {
    name,
    nodes: draft.nodes.map((node) => ({
      ...node,
      mac: 0x020000000000n + BigInt(node.index + 1),
      host: addresses.get(node.index),
    })),
    links: draft.links,
    racks: finishedRacks,
    pods: pods.map((pod, index) => ({ index, ...pod })),
  };
}
