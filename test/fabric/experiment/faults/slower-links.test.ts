/** Links at a share of their rate, in the simulator; on real switches such a fault is refused. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { checkTestbedFaults } from "../../../../src/fabric/experiment/faults/during-testbed.js";
import { loadTimeline, runTimeline, type Timeline } from "../../../../src/fabric/experiment/index.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-slow-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function timelineOf(faults: readonly string[], link = ""): Timeline {
  const text = `name: slow
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 1, host_link: { rate: 10Mbps, delay: 0s${link} } }
schemes: [none]
flows: [{ from: host0-0-0, to: host0-1-0 }]
faults: [${faults.map((fault) => `{ ${fault} }`).join(", ")}]
duration: 2s
transport: { segment_bytes: 1000, window_segments: 8, rto_margin: 1s }
`;
  const diagnostics = new Diagnostics();
  const timeline = loadTimeline(new SourceFile("slow.yaml", text), diagnostics);
  if (timeline === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  return timeline;
}

const UPLINK = "link: [host0-0-0, tor0-0]";
const bytes = async (...faults: string[]) =>
  (await runTimeline(timelineOf(faults), { out: mkdtempSync(join(folder, "run-")) })).rows[0]!.bytes;

describe("a link at a tenth of its rate", () => {
  it("carries a tenth, in the directions that the fault names", async () => {
    const whole = await bytes();
    // 2 s at 10 Mbit/s: frames of 1062 bytes with 1000 of payload.
    expect(whole).toBeGreaterThan(0.98 * ((2 * 10e6) / 8) * (1000 / 1062));
    const shares = await Promise.all([
      bytes(`at: 0s, rate: 10%, ${UPLINK}`),
      bytes(`at: 0s, rate: 10%, ${UPLINK}, direction: out`),
      bytes(`at: 0s, rate: 10%, switch: tor0-1`),
      bytes(`at: 1s, rate: 10%, ${UPLINK}`),
      bytes(`at: 0s, until: 1s, rate: 10%, ${UPLINK}`),
      bytes(`at: 0s, rate: 50%, ${UPLINK}`, `at: 0s, rate: 50%, host: host0-0-0`),
    ]);
    for (const [i, share] of [0.1, 0.1, 0.1, 0.55, 0.55, 0.25].entries())
      expect(shares[i]! / whole).toBeCloseTo(share, 1);
    // Acknowledgements are small: they fit a tenth.
    expect((await bytes(`at: 0s, rate: 10%, ${UPLINK}, direction: in`)) / whole).toBeGreaterThan(0.95);
  });

  it.each([
    ["rate: 0", "a link that carries nothing is kind: silent"],
    ["rate: 1", "write a share below 1"],
    ["rate: 10%, match: { protocol: tcp }", "leave match out"],
    ["rate: 10%, kind: silent", "contradict each other"],
  ])("is refused where the file says %s", (effect, message) => {
    expect(() => timelineOf([`at: 0s, ${effect}, ${UPLINK}`])).toThrow(message);
  });

  it.each([
    [
      `at: 0s, rate: 10%, ${UPLINK}`,
      "engine switch cannot change the rate of host0-0-0 - tor0-0 while it runs",
    ],
    ["at: 0s, loss: 10%, control: tor0-0", "engine switch cannot disturb the control channel of tor0-0"],
    ["at: 0s, kind: silent, control: all", "engine switch cannot disturb all control channels"],
  ])(
    "or a control channel's fault, is refused by real switches before anything starts: %s",
    async (fault, message) => {
      const { topology, faults } = timelineOf([fault]);
      const checked = checkTestbedFaults(
        topology,
        faults,
        "switch",
        () => undefined,
        new AbortController().signal,
      );
      await expect(checked).rejects.toThrow(message);
    },
  );

  it.each([
    ["at: 0s, loss: 1%, control: tor9", 'no switch and no host is called "tor9"'],
    [
      "at: 0s, loss: 1%, corruption: 1%, control: all",
      "the messages of a control channel have no corruption",
    ],
    ["at: 0s, kind: down, control: all", 'a control has no fault of the kind "down"'],
    ["at: 0s, loss: 1%, control: all, direction: in", "a control channel has no direction"],
  ])("is no fault of a control channel: %s", (fault, message) => {
    expect(() => timelineOf([fault])).toThrow(message);
  });
});

describe("a link with a rate in packets", () => {
  it("has no share of its rate in bits as a fault", () => {
    const fault = `at: 0s, rate: 10%, ${UPLINK}`;
    expect(() => timelineOf([fault], ", rate_pps: 20")).toThrow(
      "host0-0-0 - tor0-0 carries 20 packets per second whatever their sizes",
    );
  });
});
