/**
 * P-ECMP's transactional update on real switches under the kernel's TCP: whichever request was the last of its controller, the next one
 * finishes the update or takes it back, and no segment comes late.
 */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { loadTimeline, runTimeline } from "../../../../src/fabric/experiment/index.js";
import { bmv2, whyNot } from "../machine.js";
import { type Kill, killedAt } from "./killed-at.js";

const THERE = { without: ["leaf0-1"] };

const FILE = `name: killed-update
seed: 1
topology:
  kind: leaf_spine
  tors: 2
  leaves: 2
  homing: single
  hosts_per_rack: 1
  host_link: { rate: 10Mbps, delay: 0s }
  fabric_link: { rate: 10Mbps, delay: 0s }
schemes:
  - { scheme: pecmp, label: finish, version_bit: overall, update: { mode: transaction, drain: 50ms } }
  - { scheme: pecmp, label: take_back, version_bit: overall, update: { mode: transaction, drain: 50ms, interrupted: take_back } }
flows:
  - { from: host0-0-0, to: host0-1-0, count: 3 }
  - { from: host0-1-0, to: host0-0-0, count: 3 }
duration: 12s
transport: { segment_bytes: 1300, window_segments: 8, rto_margin: 200ms }
queues: { packets: 200 }
`;

/** By scheme: requests, each of which is the last of its controller, and what the next controller says in the end. */
const KILLS: Readonly<Record<string, readonly (readonly [Kill, RegExp])[]>> = {
  finish: [
    [["announce", 1], /has ended/],
    [["prepare", 3], /has ended/],
    [["commit", 1], /has ended/],
    // Each host was asked once before the update.
    [["state", 3], /has ended/],
    [["retire", 1], /has ended/],
    [["close", 1], /has ended/],
  ],
  take_back: [
    [["state", 1], /no update is in progress/],
    [["announce", 2], /stays/],
    [["prepare", 2], /stays/],
    [["commit", 2], /has ended/],
    [["retire", 4], /has ended/],
  ],
};

describe.concurrent.each(["switch", "bmv2"] as const)("engine %s", (engine) => {
  const reason = whyNot("netns", engine, ["tun", "packet_sockets"]);

  it.skipIf(reason !== undefined)(
    `ends every update whose controller is killed${reason === undefined ? "" : ` (${reason})`}`,
    async () => {
      const diagnostics = new Diagnostics();
      const file = new SourceFile("killed-update.yaml", FILE);
      const experiment = loadTimeline(file, diagnostics);
      if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
      const schemes = experiment.schemes.map((scheme) => ({
        ...scheme,
        plan: {
          ...scheme.plan,
          controllers: scheme.plan.controllers!.map((plan) =>
            killedAt(
              plan,
              KILLS[scheme.label]!.map(([kill]) => kill),
              THERE,
            ),
          ),
        },
      }));
      const results = await runTimeline(
        { ...experiment, schemes },
        { engine, testbed: { ...(bmv2 === undefined ? {} : { bmv2 }), allowMissing: new Set(["rate"]) } },
      );
      expect(results.logs.map(({ label }) => label)).toEqual(Object.keys(KILLS));
      for (const { label, lines } of results.logs) {
        const ends = lines.filter((line) => / after \w+ \d: /.test(line));
        expect(ends).toEqual(
          KILLS[label]!.map(([kill, end]) =>
            expect.stringMatching(`after ${kill.join(" ")}: .*${end.source}`),
          ),
        );
        const [, before, after] = /entities: (.*) before, (.*) after$/m.exec(lines.join("\n"))!;
        expect(after).toBe(before);
        const late = lines.filter((line) => line.includes("arrived late"));
        expect(late.length).toBeGreaterThan(KILLS[label]!.length);
        for (const line of late) expect(line).toContain(" 0 segments arrived late");
      }
      expect(results.rows).toHaveLength(12);
      for (const { bytes } of results.rows) expect(bytes).toBeGreaterThan(100_000);
    },
    120_000,
  );
});
