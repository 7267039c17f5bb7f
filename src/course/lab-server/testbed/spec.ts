/** Converts the plan of a lab to real hosts, switches and links. */

import { given } from "../../../base/index.js";
import type { TestbedSpec } from "../../../fabric/testbed/index.js";
import { inIproute2 } from "../../exercises/index.js";
import { addressValue, type LabPlan, type PlannedHost } from "../../lab/index.js";

const MAX_INTERFACE_NAME = 15;
const FIRST_DEVICE_ID = 1n;
const GATEWAY = "169.254.0.1";

/**
 * Names of interfaces: `eth0` in hosts, `NODE-ethPORT` in switches; a switch with a long name gets s1, s2, ...
 * instead of NODE.
 */
export class InterfaceNames {
  readonly #labels: ReadonlyMap<string, string>;
  readonly #hosts: ReadonlySet<string>;

  constructor({ hosts, switches, links }: LabPlan) {
    const ports = links.flatMap(({ a, b }) => [a.port, b.port]);
    const digits = String(Math.max(0, ...ports)).length;
    const fits = switches.every(({ name }) => name.length + 4 + digits <= MAX_INTERFACE_NAME);
    this.#labels = new Map(switches.map(({ name }, i) => [name, fits ? name : `s${i + 1}`]));
    this.#hosts = new Set(hosts.map(({ name }) => name));
  }

  isHost(name: string): boolean {
    return this.#hosts.has(name);
  }

  /** `nic`: number of the host's interface, from 0. */
  of(node: string, port: number, nic = 0): string {
    return this.isHost(node) ? `eth${nic}` : `${this.#labels.get(node)}-eth${port}`;
  }
}

/** The ends of each link, as interfaces. */
export function endsOf(plan: LabPlan, names: InterfaceNames) {
  const nics = new Map<string, number>();
  const end = ({ node, port }: { node: string; port: number }) => {
    const nic = nics.get(node) ?? 0;
    nics.set(node, nic + 1);
    return { node, interface: names.of(node, port, nic) };
  };
  return plan.links.map(({ a, b }) => ({ a: end(a), b: end(b) }));
}

/** A link has the rate and delay of the plan; without these, it is as fast as the machine allows. */
export function specOf(plan: LabPlan): TestbedSpec {
  const names = new InterfaceNames(plan);
  const ends = endsOf(plan, names);
  return {
    name: "lab",
    hosts: plan.hosts.map((host) => ({
      name: host.name,
      interfaces: ends
        .flatMap(({ a, b }) => [a, b])
        .filter(({ node }) => node === host.name)
        .map((one, i) => ({
          name: one.interface,
          mac: addressValue(host.mac, 48),
          ...(i > 0 ? {} : { ipv4: { address: addressValue(host.ipv4, 32), length: host.prefixLength } }),
          ...(i > 0 || host.ipv6 === undefined
            ? {}
            : { ipv6: { address: addressValue(host.ipv6, 128), length: 128 } }),
        })),
      // these commands run after the start of the lab: a command that fails must not stop the lab
      commands: [],
    })),
    switches: plan.switches.map(({ name, cpuPort, priorityQueues }, i) => ({
      name,
      deviceId: FIRST_DEVICE_ID + BigInt(i),
      ports: plan.links
        .flatMap(({ a, b }) => [a, b])
        .filter(({ node }) => node === name)
        .map(({ port }) => ({ number: port, interface: names.of(name, port) }))
        .sort((one, other) => one.number - other.number),
      ...given({ cpuPort, priorityQueues }),
    })),
    links: plan.links.map(({ delayNs, rateBps }, i) => ({
      ...ends[i]!,
      ...given({ delayNs, rateBps }),
    })),
  };
}

/** The commands that a host runs when its interfaces are up; old commands of the tutorials are replaced by those of iproute2. */
export function commandsOf({ commands, gateways, ipv6 }: PlannedHost): string[] {
  const [gateway] = gateways ?? [];
  if (gateway === undefined) return commands.map((command) => inIproute2(command) ?? command);
  return [
    `ip neighbour replace ${GATEWAY} lladdr ${gateway} nud permanent dev eth0`,
    `ip route replace default via ${GATEWAY} onlink dev eth0`,
    ...(ipv6 === undefined
      ? []
      : [
          `ip -6 neighbour replace fe80::1 lladdr ${gateway} nud permanent dev eth0`,
          "ip -6 route replace default via fe80::1 onlink dev eth0",
        ]),
  ];
}
