/** What it costs that an update holds flows: how many, how long, the longest silence, and the goodput before and since. */
import { expect, it } from "vitest";
import { loadRows } from "../../../../src/fabric/experiment/kinds/load/rows.js";
import { loadOf, play } from "./play.js";

const rowsOf = async (commands: readonly string[]) => {
  const load = loadOf(`
topology: { kind: leaf_spine, tors: 4, leaves: 4, homing: dual, hosts_per_rack: 4, host_link: { rate: 2Gbps }, fabric_link: { rate: 2Gbps } }
schemes:
  - { scheme: pecmp, label: still, version_bit: overall, offsets: primes }
  - { scheme: pecmp, label: moved, version_bit: overall, offsets: primes, update: { mode: transaction, drain: 1ms } }
${commands.length === 0 ? "" : `commands:\n${commands.map((one) => `  - { scheme: moved, command: update, ${one} }`).join("\n")}`}
load: 0.7
traffic: { ip: 4, sizes: hadoop, pattern: all_to_all, duration: 10ms }
transport: { congestion_control: dctcp, segment_bytes: 1440, rto_margin: 5ms, rto_initial: 10ms }
control_channel: { delay: 100us }
queues: { packets: 250, ecn_threshold: 40 }
`);
  const outcomes = await play(load);
  return outcomes.map((outcome) => loadRows([outcome])[0]!) as unknown as [
    Record<string, number>,
    Record<string, number>,
  ];
};

it("is in the rows where an update moves flows, beside a scheme without the update", async () => {
  const [still, moved] = await rowsOf(["at: 4ms, without: [leaf0-1]"]);
  expect(still["held_flows"]).toBe(0);
  expect(still).not.toHaveProperty("held_p50_ms");
  expect(moved["held_flows"]).toBeGreaterThan(1);
  // About a round trip, with the queues on the way.
  expect(moved["held_p50_ms"]).toBeGreaterThan(0.01);
  expect(moved["held_p99_ms"]!).toBeGreaterThanOrEqual(moved["held_p50_ms"]!);
  expect(moved["held_max_ms"]!).toBeGreaterThanOrEqual(moved["held_p99_ms"]!);
  expect(moved["silence_max_ms"]!).toBeGreaterThanOrEqual(0.9 * moved["held_p50_ms"]!);
  for (const row of [still, moved]) {
    const { goodput_gbps, goodput_before_gbps, goodput_since_gbps } = row as Record<string, number>;
    expect(0.4 * goodput_before_gbps! + 0.6 * goodput_since_gbps!).toBeCloseTo(goodput_gbps!, 4);
  }
  // Until the command both have sent the same.
  expect(moved["goodput_before_gbps"]).toBe(still["goodput_before_gbps"]);
});

it("is nothing where an update changes only the rules of hosts", async () => {
  const [still, moved] = await rowsOf(["at: 4ms, failover: prr"]);
  expect(moved["held_flows"]).toBe(0);
  // Later timeouts are answered by other rules.
  expect(Math.abs(moved["goodput_since_gbps"]! / still["goodput_since_gbps"]! - 1)).toBeLessThan(0.02);
});

it("is not in the rows of a file without commands", async () => {
  for (const row of await rowsOf([])) {
    expect(row).not.toHaveProperty("held_flows");
    expect(row).not.toHaveProperty("silence_max_ms");
  }
});
