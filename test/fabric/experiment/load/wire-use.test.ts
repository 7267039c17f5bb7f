/** What a load takes of links on the wire: the closed form of docs/rivals.md, against links that the simulator measures. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import { loadOf, play } from "./play.js";

const root = join(import.meta.dirname, "../../../..");

it("is payload, headers and acknowledgements of the other direction", async () => {
  const script = ["--import", "tsx", "tools/figures/measure/slow-link.ts"];
  const { full, loads } = JSON.parse(execFileSync(process.execPath, script, { cwd: root, encoding: "utf8" }));
  // All racks alike: the uplinks together carry what the host links do, since all flows leave their rack.
  const load = loadOf(
    [
      "topology: { kind: leaf_spine, tors: 3, leaves: 4, homing: single, hosts_per_rack: 4, host_link: { rate: 10Gbps, delay: 1us }, fabric_link: { rate: 10Gbps, delay: 1us } }",
      "schemes: [ecmp]",
      "load: 0.1",
      "traffic: { ip: 6, sizes: { scaled: { of: p4te_web_search, by: 0.125 } }, pattern: inter_rack, flows: 80 }",
      "transport: { protocol: messages, congestion_control: fixed, window: 48KB, segment_bytes: 4096, rto_margin: 1ms }",
      "",
    ].join("\n"),
  );
  const outcomes = await play(load);
  const rows = LOAD.rows(load, LOAD.units(load)[0]!, outcomes, {
    ...{ engine: "sim", namesSeeds: true },
    seeds: [1],
  });
  const row = rows.find(({ size }) => size === "all") as unknown as Record<string, number>;
  const [{ load: share, use }] = loads;
  expect(row.retransmissions).toBe(0);
  // Flows that begin or end at the window's ends move the measured ratio by less than a hundredth.
  expect(row.link_utilisation! / row.achieved_load!).toBeCloseTo(use / share, 2);
  expect(full.host).toBeCloseTo(share / use, 9);
});
