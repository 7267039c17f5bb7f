/** A topology as a testbed: one host or switch process for every node, one veth pair for every link. */

import { defined, given } from "../../base/index.js";
import { macText } from "../../base/packets/index.js";
import { switchesOf, type Topology, type TopologyNode } from "../topology/index.js";
import type { TestbedHost, TestbedLink, TestbedSpec } from "./testbed-spec.js";

export interface TestbedOfOptions {
  /** Device ids of the switches count from here; default 1. */
  readonly firstDeviceId?: bigint;
  readonly cpuPort?: number;
  readonly priorityQueues?: number;
  /** Factor of the links' rates (0.01: a hundredth); default 1. 0: links have no rate. */
  readonly rateScale?: number;
  /** Factor of the links' delays; default 1. 0: links have no delay. */
  readonly delayScale?: number;
  /** Commands for a host, after its routes. */
  commands?(node: TopologyNode): readonly string[];
}

const MAX_INTERFACE_NAME = 15;
/** Next hops of the hosts' routes; no switch answers to these addresses. */
const GATEWAY_IPV4 = "169.254.0.1";
const GATEWAY_IPV6 = "fe80::1";

/**
 * Interfaces are called NODE-ethN in switches, N being the port; ethN in hosts, from eth0. A host has all its
 * addresses on eth0 and sends to all hosts, those of its rack too, by the switch at eth0; it also accepts packets on its other
 * interfaces. Switches address frames to a host's MAC, which all its interfaces have.
 */
export function testbedOf(topology: Topology, options: TestbedOfOptions = {}): TestbedSpec {
  const { firstDeviceId = 1n, rateScale = 1, delayScale = 1 } = options;
  const { nodes } = topology;
  const labels = shortNames(switchesOf(topology));
  const portName = (node: number, port: number): string =>
    defined(nodes[node]).role === "host" ? `eth${port - 1}` : `${labels.get(node)}-eth${port}`;
  return {
    name: topology.name,
    hosts: nodes.filter((node) => node.role === "host").map((node) => testbedHost(topology, node, options)),
    switches: switchesOf(topology).map((node, i) => ({
      name: node.name,
      deviceId: firstDeviceId + BigInt(i),
      ports: node.ports.map(({ number }) => ({ number, interface: portName(node.index, number) })),
      ...given({ cpuPort: options.cpuPort }),
      ...given({ priorityQueues: options.priorityQueues }),
    })),
    links: topology.links.map(({ a, b, rateBps, delayNs }): TestbedLink => {
      const end = ({ node, port }: { node: number; port: number }) => ({
        node: defined(nodes[node]).name,
        interface: portName(node, port),
      });
      return {
        a: end(a),
        b: end(b),
        ...given({ rateBps: rateScale === 0 ? undefined : rateBps * rateScale }),
        ...given({ delayNs: delayScale === 0 ? undefined : delayNs * delayScale }),
      };
    }),
  };
}

/** Names short enough for the suffix `-eth510`: the node's own, or s1, s2, ... for all if one is longer. */
function shortNames(switches: readonly TopologyNode[]): Map<number, string> {
  const fits = switches.every(({ name, ports }) => `${name}-eth${ports.length}`.length <= MAX_INTERFACE_NAME);
  return new Map(switches.map(({ index, name }, i) => [index, fits ? name : `s${i + 1}`]));
}

function testbedHost(topology: Topology, node: TopologyNode, options: TestbedOfOptions): TestbedHost {
  const { ipv4, ipv6 } = defined(node.host);
  const router = macText(defined(topology.nodes[defined(node.ports[0]).peer]).mac);
  return {
    name: node.name,
    interfaces: node.ports.map(({ number }) => ({
      name: `eth${number - 1}`,
      mac: node.mac,
      ...(number > 1 ? {} : { ipv4: { address: ipv4, length: 32 }, ipv6: { address: ipv6, length: 128 } }),
    })),
    commands: [
      `ip neighbour replace ${GATEWAY_IPV4} lladdr ${router} nud permanent dev eth0`,
      `ip route replace default via ${GATEWAY_IPV4} onlink dev eth0`,
      `ip -6 neighbour replace ${GATEWAY_IPV6} lladdr ${router} nud permanent dev eth0`,
      `ip -6 route replace default via ${GATEWAY_IPV6} onlink dev eth0`,
      ...(options.commands?.(node) ?? []),
    ],
  };
}
