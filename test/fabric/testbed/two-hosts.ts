/** The smallest testbed worth the name: two hosts at one switch. */
import type { TestbedHost, TestbedSpec } from "../../../src/fabric/testbed/testbed-spec.js";

function host(number: number, commands: readonly string[]): TestbedHost {
  const address = (10n << 24n) + BigInt(number);
  return {
    name: `h${number}`,
    interfaces: [{ name: "eth0", mac: 0x020000000000n + BigInt(number), ipv4: { address, length: 24 } }],
    commands,
  };
}

export function twoHosts(name: string, commands: readonly string[] = []): TestbedSpec {
  return {
    name,
    hosts: [host(1, commands), host(2, [])],
    switches: [
      {
        name: "s1",
        deviceId: 1n,
        ports: [
          { number: 1, interface: "s1-eth1" },
          { number: 2, interface: "s1-eth2" },
        ],
      },
    ],
    links: [1, 2].map((n) => ({
      a: { node: `h${n}`, interface: "eth0" },
      b: { node: "s1", interface: `s1-eth${n}` },
    })),
  };
}
