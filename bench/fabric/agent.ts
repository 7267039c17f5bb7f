/**
 * Measures the host agent: the throughput of kernel TCP through two agents that a cable joins, with iperf3 as the sender, and
 * the round-trip time of single segments. The rival of the throughput is the same TCP without agents and without
 * offloads. Reports nothing where hosts cannot be made.
 */
import { startAgent } from "../../src/fabric/testbed/index.js";
import { agentConfig, networkMissing, RIGHT, TestNetwork } from "../../test/fabric/testbed/agent/networks.js";

const SECONDS = 4;
const FIXED = { kind: "fixed", selector: 5 };
const ROUND_TRIPS = 20_000;

interface Line {
  name: string;
  unit: string;
  value: number;
  rival?: { name: string; value: number };
}

export async function run(report: (line: Line) => void): Promise<void> {
  const missing = networkMissing();
  if (missing !== undefined) {
    console.error(`agent: skipped, ${missing}`);
    return;
  }
  const bare = await throughBareNics();
  const network = TestNetwork.direct();
  try {
    const [left, right] = await Promise.all([
      startAgent(network.left, agentConfig("left", "dscp", FIXED)),
      startAgent(network.right, agentConfig("right", "dscp", FIXED)),
    ]);
    const before = await left.statistics();
    const bits = await iperf3(network);
    const after = await left.statistics();
    const rival = { name: "no agents", value: bare / 1e6 };
    report({ name: "agent-tcp-throughput", unit: "Mbit/s", value: bits / 1e6, rival });
    const packets = after.fromKernel + after.toKernel - before.fromKernel - before.toKernel;
    report({ name: "agent-packets-one-host", unit: "packets/s", value: packets / SECONDS });
    // Says most on a machine that other work shares.
    const cpu = (after.cpuNs - before.cpuNs) / 1000;
    report({ name: "agent-processor-time-per-packet", unit: "us", value: cpu / packets });

    await right.listen(5202);
    const to = { to: RIGHT.ipv4, ipVersion: 4, port: 5202, segmentBytes: 200, windowSegments: 1 } as const;
    const idle = await left.statistics();
    const { fctNs, tcp } = await left.flow({ ...to, bytes: 200 * ROUND_TRIPS }).finished;
    const done = await left.statistics();
    report({
      name: "agent-one-segment-at-a-time",
      unit: "round trips/s",
      value: ROUND_TRIPS / (fctNs! / 1e9),
    });
    const each = (done.cpuNs - idle.cpuNs) / 1000 / ROUND_TRIPS;
    report({ name: "agent-processor-time-per-round-trip", unit: "us", value: each });
    report({ name: "agent-least-round-trip", unit: "us", value: tcp!.minRttUs! });
    await Promise.all([left.stop(), right.stop()]);
  } finally {
    await network.close();
  }
}

async function throughBareNics(): Promise<number> {
  const network = TestNetwork.direct();
  try {
    const ends = [
      [network.left, "10.0.0.1"],
      [network.right, "10.0.0.2"],
    ] as const;
    for (const [host, address] of ends) {
      await host.exec(["ip", "address", "add", `${address}/24`, "dev", "eth0"]);
      await host.exec(["ip", "link", "set", "eth0", "mtu", "1400"]);
      await host.exec(["ethtool", "-K", "eth0", "tx", "off", "tso", "off", "gso", "off", "gro", "off"]);
    }
    return await iperf3(network);
  } finally {
    await network.close();
  }
}

/** Bits per second that arrive from left to right. */
async function iperf3(network: TestNetwork): Promise<number> {
  const server = network.right.spawn(["iperf3", "-s", "-1", "--forceflush"]);
  await new Promise<void>((resolve) => {
    server.onLine((line) => {
      if (line.includes("Server listening")) resolve();
    });
  });
  const client = await network.left.exec(["iperf3", "-c", "10.0.0.2", "-t", `${SECONDS}`, "--json"]);
  await server.kill();
  const { end } = JSON.parse(client.stdout) as { end: { sum_received: { bits_per_second: number } } };
  return end.sum_received.bits_per_second;
}
