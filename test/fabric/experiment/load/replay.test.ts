/** Packets of a capture in a run: they leave their hosts beside the flows. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadOf, play } from "./play.js";

const capture = join(import.meta.dirname, "../../../bad/load-traffic/six.pcap");

it("sends the packets of a capture into the links of their hosts", async () => {
  const usedBy = async (more: string) => {
    const load =
      loadOf(`topology: { kind: leaf_spine, tors: 2, leaves: 1, homing: single, hosts_per_rack: 2, host_link: { rate: 1Gbps, delay: 1us }, fabric_link: { rate: 1Gbps, delay: 1us } }
schemes: [ecmp]
traffic: { sizes: { fixed: 1KB }, interval: 1ms, arrivals: constant, duration: 10ms${more} }
`);
    const { links } = (await play(load))[0]!;
    const used = (host: string) => links!.find(({ from }) => from === host)!.utilisation;
    return [used("host0-0-0"), used("host0-0-1"), used("host0-1-0")];
  };
  const hosts = '{ 10.9.0.1: host0-0-0, "10.9.1.0/24": host0-1-0 }';
  const alone = await usedBy("");
  const both = await usedBy(`, replay: { file: ${capture}, hosts: ${hosts} }`);
  // Three packets of 134 bytes and three of 94, in 10 ms at 1 Gbit/s.
  const share = (bytes: number) => (8 * bytes) / 1e9 / 0.01;
  expect(both[0]! - alone[0]!).toBeCloseTo(share(3 * 134), 4);
  expect(both[1]).toBe(alone[1]);
  expect(both[2]! - alone[2]!).toBeCloseTo(share(3 * 94), 4);
});
