/** Load experiments on real switches: what is refused, the same flows as in the simulator, and the figures of a small testbed. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type DiagnosticError,
  Diagnostics,
  formatDiagnostic,
  SourceFile,
} from "../../../../src/base/index.js";
import {
  loadExperimentFile,
  type PrintedResults,
  type RunOptions,
} from "../../../../src/fabric/experiment/index.js";
import { kernelFrameSizes } from "../../../../src/fabric/experiment/kinds/load/ideal-time.js";
import { LOAD_ON_TESTBED } from "../../../../src/fabric/experiment/kinds/load/on-testbed.js";
import { findRuns } from "../../../../src/fabric/testbed/run/record.js";
import { interfaceCounters } from "../../../../src/fabric/testbed/usage/usage.js";
import { bmv2, whyNot } from "../../testbed/machine.js";
import { loadOf } from "./play.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-load-testbed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BASE = `topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 1, host_link: { rate: 10Mbps, delay: 0s }, fabric_link: { rate: 10Mbps, delay: 0s } }
`;
const TRAFFIC = "traffic: { sizes: { fixed: 20KB }, interval: 40ms, flows: 12 }\n";
const TRANSPORT = "transport: { congestion_control: reno, rto_margin: 200ms }\n";

async function run(name: string, text: string, options: RunOptions): Promise<PrintedResults> {
  const diagnostics = new Diagnostics();
  const source = new SourceFile(join(folder, "testbed.yaml"), `name: testbed\nkind: load\n${BASE}${text}`);
  const experiment = await loadExperimentFile(source, diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  const testbed = { ...(bmv2 === undefined ? {} : { bmv2 }), allowMissing: new Set(["rate"] as const) };
  return await experiment.run({ out: join(folder, name), testbed, ...options });
}

describe("on a testbed is refused, before anything starts", () => {
  const reno = "transport: { congestion_control: reno }\n";
  it.each<[what: string, text: string, place: string, message: string | RegExp]>([
    [
      "flows of UDP",
      "schemes: [ecmp]\ntraffic: { sizes: { fixed: 1KB }, interval: 1ms, flows: 2, protocol: { udp: 1Mbps } }\n",
      "traffic: { sizes: { fixed: 1KB }, interval: 1ms, flows: 2, protocol: { udp: 1Mbps } }",
      "error[P43064]: flows of UDP do not run on engine switch",
    ],
    [
      "a number of measured flows",
      `schemes: [ecmp]\n${TRAFFIC}measured_flows: 5\n`,
      "measured_flows: 5",
      "error[P43064]: all flows after warm_up are measured on engine switch",
    ],
    [
      "a part of UDP",
      "schemes: [ecmp]\nload: 0.2\ntraffic:\n  sizes: { fixed: 1KB }\n  flows: 2\n  mix:\n    - { share: 0.5 }\n    - { share: 0.5, protocol: { udp: 1Mbps } }\n",
      "- { share: 0.5, protocol: { udp: 1Mbps } }",
      "error[P43064]: flows of UDP",
    ],
    [
      "an application that writes at a rate",
      "schemes: [ecmp]\ntraffic: { sizes: { fixed: 1KB }, interval: 1ms, flows: 2, protocol: { tcp: 1Mbps } }\n",
      "protocol: { tcp: 1Mbps }",
      "error[P43064]: applications that write at a rate do not run on engine switch",
    ],
    [
      "a key of the simulator's TCP",
      `schemes: [ecmp]\n${TRAFFIC}transport: { initial_window: 4 }\n`,
      "initial_window: 4",
      "error[P43030]: initial_window is a key of the simulator's TCP",
    ],
    [
      "a congestion control that no kernel has",
      `schemes: [ecmp]\n${TRAFFIC}transport: { congestion_control: olia }\n`,
      "congestion_control: olia",
      "error[P43030]: the congestion control olia exists only in the simulator",
    ],
    [
      "segments that do not fit",
      `schemes: [ecmp]\n${TRAFFIC}transport: { segment_bytes: 1448 }\n`,
      "segment_bytes: 1448",
      "error[P43030]: segments of 1448 bytes do not fit",
    ],
    [
      "ECN where an agent writes the bits of IP",
      `schemes: [ecmp, prr]\n${TRAFFIC}transport: { congestion_control: reno, ecn: true }\n`,
      "ecn: true",
      "error[P43030]: ECN does not reach the kernel of the hosts of prr",
    ],
    [
      "a timeline page of the run",
      `schemes: [ecmp]\n${TRAFFIC}${reno}see: { timeline: true }\n`,
      "",
      "error[P43081]: engine switch does not trace flows",
    ],
  ])("%s", async (_what, text, place, message) => {
    const error = (await run("never", text, { engine: "switch" }).catch((one) => one)) as DiagnosticError;
    const told = error.diagnostics.map(formatDiagnostic).join("\n");
    expect(told).toContain(message);
    expect(told).toContain(place);
    expect(readdirSync(folder)).not.toContain("never");
  });

  it("a capture that is to be replayed", async () => {
    const load = { ...loadOf(`${BASE}schemes: [ecmp]\n${TRAFFIC}${reno}`) };
    const traffic = { ...load.settings.traffic, replay: {} as never };
    const settings = { ...load.settings, traffic };
    await expect(
      LOAD_ON_TESTBED.check({ ...load, settings }, "bmv2", new AbortController().signal),
    ).rejects.toThrow("recorded packets are not replayed on engine bmv2");
  });
});

it("plain hosts with one NIC need no agent in between; others do", () => {
  const load = loadOf(`${BASE}schemes: [ecmp, prr, none]\n${TRAFFIC}`);
  expect(load.schemes.map((scheme) => LOAD_ON_TESTBED.direct!(load, scheme))).toEqual([true, false, true]);
  const homed = BASE.replace("single", "dual").replace("hosts_per_rack: 1", "hosts_per_rack: 2");
  const dual = loadOf(`${homed}schemes: [ecmp]\n${TRAFFIC}`);
  expect(LOAD_ON_TESTBED.direct!(dual, dual.schemes[0]!)).toBe(false);
  const fixed = loadOf(`${BASE}schemes: [ecmp]\n${TRAFFIC}transport: { protocol: fixed }\n`);
  expect(LOAD_ON_TESTBED.direct!(fixed, fixed.schemes[0]!)).toBe(false);
});

it("the kernel's segments carry timestamps, and its SYN all options", () => {
  const { settings } = loadOf(`${BASE}schemes: [ecmp]\n${TRAFFIC}transport: { segment_bytes: 1300 }\n`);
  // Ethernet 14, IPv4 20, TCP 20, timestamps 12; with MSS 4, SACK 2 beside the timestamps 10, window scale 3 and padding 1.
  expect(kernelFrameSizes(settings).tcp).toMatchObject({ payload: 1300, headers: 66, opening: [74, 74] });
});

it("counters of interfaces are read from /proc/net/dev", () => {
  const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
tor0-0-eth1: 1234567    8901    0    1    0     0          0         0  7654321   1098    0    2    0     0       0          0
`;
  expect(interfaceCounters(text).get("tor0-0-eth1")).toEqual({
    ...{ receivedBytes: 1234567, receivedFrames: 8901, sentBytes: 7654321, sentFrames: 1098 },
  });
  expect([...interfaceCounters(text).keys()]).toEqual(["lo", "tor0-0-eth1"]);
});

describe.each(["switch", "bmv2"] as const)("engine %s", (engine) => {
  const reason = whyNot("netns", engine, ["tun", "packet_sockets"]);
  const skips = reason === undefined ? "" : ` (${reason})`;
  const FILE = `schemes: [ecmp, prr]\n${TRAFFIC}${TRANSPORT}record: flows\nfaults: [{ at: 100ms, until: 350ms, kind: silent, switch: leaf0-0 }]\n`;

  it.skipIf(reason !== undefined)(
    `plays the flows of the simulator, and measures them${skips}`,
    async () => {
      const results = await run(engine, FILE, { engine });
      await run(`${engine}-sim`, FILE, {});
      const rows = (JSON.parse(results.json) as { engine: string; rows: Record<string, number | string>[] })
        .rows;
      expect(JSON.parse(results.json)).toMatchObject({ engine });
      const all = rows.filter(({ size }) => size === "all");
      expect(all.map(({ scheme }) => scheme)).toEqual(["ecmp", "prr"]);
      for (const row of all) {
        expect(row).toMatchObject({ flows: 12, unfinished: 0, seeds: 1 });
        // The links of a testbed with BMv2 pass a burst of 16 kB at once (host-setup.ts), those of the own switch none.
        const paced = engine === "bmv2" ? 20_000 - 16_000 : 20_000;
        expect(row["fct_p50_ms"]).toBeGreaterThan((8 * paced * 1000) / 10e6);
        expect(row["slowdown_p50"]).toBeGreaterThanOrEqual(paced / 20_000);
        expect(row["goodput_gbps"]).toBeGreaterThan(0);
        expect(row["offered_gbps"]).toBeGreaterThan(0);
        expect(row["slowdown_mean_first"]).toBeGreaterThanOrEqual(1);
        expect(row["link_cv"]).toBeGreaterThan(0);
        expect(row["retransmissions"]).toBeGreaterThanOrEqual(0);
        expect(row["drops"]).toBeGreaterThanOrEqual(0);
        expect(row["saturated"]).toBeLessThanOrEqual(1);
        // No switch reports lengths of queues.
        expect(Object.keys(row).filter((key) => key.startsWith("queue_"))).toEqual([]);
      }
      // A leaf was silent: what it got it did not send on, and it was sent again.
      expect(all.some((row) => (row["drops"] as number) > 0)).toBe(true);
      expect(all.some((row) => (row["retransmissions"] as number) > 0)).toBe(true);
      expect(results.notes.join(" ")).toContain("do not report the lengths of their queues");

      type Line = { scheme: string; flow: number; src: string; dst: string; bytes: number; start_ns: number };
      const flowsOf = (name: string) =>
        readFileSync(join(folder, name, "flows.jsonl"), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Line)
          .map(
            ({ scheme, flow, src, dst, bytes, start_ns: at }) =>
              `${scheme} ${flow} ${src} ${dst} ${bytes} ${at}`,
          )
          .sort();
      expect(flowsOf(engine)).toEqual(flowsOf(`${engine}-sim`));

      // All jobs are kept: the same results without a testbed.
      const again = await run(engine, FILE, { engine, sweep: { resume: true } });
      expect(again.json).toBe(results.json);
      expect(readdirSync(join(folder, engine, "testbeds")).sort()).toEqual([
        "ecmp-load-seed-1",
        "prr-load-seed-1",
      ]);
      expect(findRuns().filter(({ record }) => record.folder.startsWith(folder))).toEqual([]);
    },
    240_000,
  );

  it.skipIf(reason !== undefined)(
    `warns of a run in which the network still fills, as the simulator does${skips}`,
    async () => {
      // 40 Mbit/s into hosts with 10.
      const overload = `schemes: [ecmp]\ntraffic: { sizes: { fixed: 50KB }, interval: 10ms, flows: 60 }\ndrain: 1s\n${TRANSPORT}`;
      const { json } = await run(`${engine}-full`, overload, { engine });
      const { warnings, rows } = JSON.parse(json) as {
        warnings: string[];
        rows: Record<string, number | string>[];
      };
      expect(warnings.join(" ")).toMatch(
        /ECMP: the run ends in the transient: receivers got \d+ % of the payload/,
      );
      const all = rows.find(({ size }) => size === "all")!;
      expect(Number(all["goodput_gbps"]) / Number(all["offered_gbps"])).toBeLessThan(0.9);
      const simulated = JSON.parse((await run(`${engine}-full-sim`, overload, {})).json);
      expect(simulated.warnings.join(" ")).toContain("the run ends in the transient: receivers got");
    },
    240_000,
  );
});
