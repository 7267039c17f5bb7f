/** Starts a testbed of two hosts and a switch as processes of this machine (Linux, root), and runs a command on a host. */
import { startTestbed } from "p4loom/testbed";

const host = (n: number) => ({
  name: `h${n}`,
  interfaces: [{ name: "eth0", mac: BigInt(n), ipv4: { address: 0x0a000000n + BigInt(n), length: 24 } }],
  commands: [],
});
const link = (n: number) => ({
  a: { node: `h${n}`, interface: "eth0" },
  b: { node: "s1", interface: `s1-eth${n}` },
});
const testbed = await startTestbed(
  {
    name: "example",
    hosts: [host(1), host(2)],
    switches: [
      { name: "s1", deviceId: 1n, ports: [1, 2].map((n) => ({ number: n, interface: `s1-eth${n}` })) },
    ],
    links: [link(1), link(2)],
  },
  {
    network: "netns",
    engine: "switch",
    folder: "out/example",
    allowMissing: new Set(),
    log: () => {},
    stop: new AbortController().signal,
  },
);
try {
  const { device } = testbed.switches.get("s1")!;
  const { stdout } = await testbed.hosts.get("h1")!.exec(["ip", "-brief", "address", "show", "dev", "eth0"]);
  console.log(device.name, stdout.split(/\s+/).slice(1, 3).join(" "));
} finally {
  await testbed.close();
}

/* prints
s1 UP 10.0.0.1/24
*/
