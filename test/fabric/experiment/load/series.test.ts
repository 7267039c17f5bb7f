/** What is sent, lost and delivered over time: its sums are the figures of the run, and losses begin with the fault. */
import { expect, it } from "vitest";
import { checkLoadOnTestbed } from "../../../../src/fabric/experiment/kinds/load/testbed/check.js";
import { messagesOf } from "../../topology/load.js";
import { loadOf, play, read } from "./play.js";

const TEXT = `topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2, host_link: { rate: 1Gbps, delay: 1us }, fabric_link: { rate: 1Gbps, delay: 1us } }
schemes: [prr]
selector: flow_label
load: 0.8
traffic: { ip: 6, sizes: { fixed: 200KB }, pattern: inter_rack, duration: 10ms }
transport: { congestion_control: cubic, rto_margin: 5ms, rto_initial: 5ms }
queues: { packets: 30 }
faults: [{ at: 6ms, kind: silent, link: [tor0-0, leaf0-0] }]
drain: 5s
`;

it("adds up to the figures of the run, bin by bin", async () => {
  const load = loadOf(`${TEXT}series: 500us\n`);
  const [{ series, drops, flows, endNs }] = (await play(load)) as [Awaited<ReturnType<typeof play>>[0]];
  const { binNs, sent, lostByFaults, lostInQueues, delivered } = series!;
  const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0);
  expect(binNs).toBe(500_000);
  expect(sent.length).toBe(Math.ceil(endNs / binNs));
  for (const list of [lostByFaults, lostInQueues, delivered]) expect(list.length).toBe(sent.length);
  expect(sum(lostByFaults)).toBe(drops!.fault);
  expect(drops!.fault).toBeGreaterThan(0);
  expect(lostByFaults.findIndex((lost) => lost > 0)).toBe(12);
  expect(sum(lostInQueues)).toBe(drops!.switch_queue + drops!.host_queue);
  expect(drops!.switch_queue).toBeGreaterThan(0);
  expect(sum(delivered)).toBe(flows.small.bytes + flows.medium.bytes + flows.large.bytes);
  expect(sum(sent)).toBeGreaterThan(sum(delivered) / 1500);
  expect(Math.min(...sent, ...delivered)).toBeGreaterThanOrEqual(0);
});

it("changes nothing else, and is absent without the key", async () => {
  const [plain] = await play(loadOf(TEXT));
  const [{ series, ...rest }] = (await play(loadOf(`${TEXT}series: 2ms\n`))) as [NonNullable<typeof plain>];
  expect(plain!.series).toBeUndefined();
  expect(series).toBeDefined();
  expect(JSON.stringify({ ...rest, scheme: 0 })).toBe(JSON.stringify({ ...plain!, scheme: 0 }));
});

it("refuses bins without length, and engines that do not count", () => {
  expect(read(`${TEXT}series: 0ms\n`).messages.join("\n")).toContain("series");
  expect(messagesOf(() => checkLoadOnTestbed(loadOf(`${TEXT}series: 1ms\n`), "switch"))).toContain(
    "P43064]: a series over time needs the counters of the simulator",
  );
});
