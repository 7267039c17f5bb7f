/** The warning of runs that end in the transient, and the figures of the halves of the window that it follows from. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { loadExperimentFile } from "../../../../src/fabric/experiment/index.js";
import { transientWarnings } from "../../../../src/fabric/experiment/kinds/load/index.js";
import type { MeteredFlow } from "../../../../src/fabric/experiment/kinds/load/meters/flow-meter.js";
import {
  type HalfFigures,
  HalvesMeter,
} from "../../../../src/fabric/experiment/kinds/load/meters/halves-meter.js";
import { TestbedHalves } from "../../../../src/fabric/experiment/kinds/load/on-testbed.js";
import type { Load } from "../../../../src/fabric/experiment/kinds/load/schema.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-transient-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A flow for the meter. */
const flowOf = (startNs: number, bytes: number, ideal: number, measured = true): MeteredFlow =>
  ({ arrival: { startNs, bytes }, ideal, measured }) as MeteredFlow;

describe("the halves of a window", () => {
  it("add up to the whole, for every sequence of flows and every length", () => {
    const flow = fc.record({
      gap: fc.integer({ min: 0, max: 200_000 }),
      bytes: fc.integer({ min: 1, max: 1e6 }),
      takes: fc.integer({ min: 1, max: 3e6 }),
    });
    fc.assert(
      fc.property(fc.array(flow, { minLength: 3, maxLength: 600 }), fc.nat(500_000), (list, warmUp) => {
        let at = 0;
        const flows = list.map(({ gap, bytes, takes }) => {
          at += gap;
          return { startNs: at, bytes, ends: at + takes };
        });
        const end = flows.at(-1)!.startNs;
        if (end <= warmUp) return;
        const events = [
          { at: warmUp, rank: 0, run: () => meter.begin(warmUp) },
          ...flows.flatMap(({ startNs, bytes, ends }) => {
            const metered = flowOf(startNs, bytes, 1000, startNs >= warmUp);
            return [
              { at: startNs, rank: 1, run: () => meter.started(metered) },
              { at: ends, rank: 2, run: () => arrive(bytes, metered, ends) },
            ];
          }),
          { at: end, rank: 3, run: () => meter.end(end) },
        ].sort((a, b) => a.at - b.at || a.rank - b.rank);
        let delivered = 0;
        const meter = new HalvesMeter(() => ({ delivered, busyNs: undefined }));
        const arrive = (bytes: number, metered: MeteredFlow, ends: number) => {
          delivered += bytes;
          meter.completed(metered, ends);
        };
        for (const event of events) event.run();
        const halves = meter.figures();
        if (halves === undefined) return;
        const inside = flows.filter(({ startNs }) => startNs >= warmUp && startNs < end);
        const sum = (of: (half: HalfFigures) => number) => of(halves[0]) + of(halves[1]);
        expect(sum(({ ns }) => ns)).toBe(end - warmUp);
        expect(sum((half) => half.flows)).toBe(inside.length);
        expect(sum((half) => half.startedBytes)).toBe(inside.reduce((total, one) => total + one.bytes, 0));
        expect(sum(({ fctNs }) => fctNs[0])).toBe(inside.length);
        expect(sum(({ deliveredBytes }) => deliveredBytes)).toBe(
          flows.filter(({ ends }) => ends >= warmUp && ends <= end).reduce((n, { bytes }) => n + bytes, 0),
        );
        const cut = warmUp + halves[0].ns;
        const first = inside.filter(({ startNs }) => startNs < cut);
        expect(halves[0].flows).toBe(first.length);
        expect(halves[0].startedBytes).toBe(first.reduce((total, { bytes }) => total + bytes, 0));
        const times = first.map(({ startNs, ends }) => ends - startNs);
        const mean = times.reduce((a, b) => a + b, 0) / times.length;
        if (times.length > 0) expect(halves[0].fctNs[1]).toBeCloseTo(mean, 3);
      }),
    );
  });

  it("are divided near the middle of a long window", () => {
    let delivered = 0;
    const meter = new HalvesMeter(() => ({ delivered, busyNs: undefined }));
    meter.begin(0);
    for (let now = 500; now < 1e8; now += 500) {
      const flow = flowOf(now, 10, 100);
      meter.started(flow);
      delivered += 10;
      meter.completed(flow, now + 100);
    }
    meter.end(1e8);
    const [first, second] = meter.figures()!;
    expect(Math.abs(first.ns - second.ns) / 1e8).toBeLessThan(0.02);
    expect(first.slowdown[1]).toBe(1);
  });

  it("do not exist where all flows start at one instant, or nothing is measured", () => {
    const meter = new HalvesMeter(() => ({ delivered: 0, busyNs: undefined }));
    expect(meter.figures()).toBeUndefined();
    meter.begin(0);
    meter.started(flowOf(0, 10, 1));
    meter.end(0);
    expect(meter.figures()).toBeUndefined();
  });
});

describe("the halves of a window on a testbed", () => {
  const ASK = 250e6;

  it("are those of the flows in the order of their starts, though they are requested earlier and in any order", async () => {
    const flow = fc.record({
      gap: fc.integer({ min: 0, max: 200e6 }),
      bytes: fc.integer({ min: 1, max: 1e6 }),
      takes: fc.integer({ min: 1, max: 900e6 }),
      requested: fc.integer({ min: 1, max: 300e6 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(flow, { minLength: 3, maxLength: 60 }),
        fc.nat(500e6),
        async (list, warmUp) => {
          let at = 300e6;
          const flows = list.map(({ gap, bytes, takes, requested }) => {
            at += gap;
            const metered = flowOf(at, bytes, 1e6, at >= warmUp);
            return { startNs: at, metered, requested: at - requested, ends: at + takes };
          });
          const end = flows.at(-1)!.startNs;
          fc.pre(end > warmUp);
          let delivered = 0;
          const testbed = new TestbedHalves(
            () => delivered,
            async () => {},
          );
          const direct = new HalvesMeter(() => ({ delivered, busyNs: undefined }));
          const events: { at: number; rank: number; run: () => unknown }[] = [
            { at: warmUp, rank: 1, run: () => [testbed, direct].forEach((one) => void one.begin(warmUp)) },
            ...flows.flatMap(({ startNs, metered, requested, ends }) => [
              { at: requested, rank: 0, run: () => testbed.requested(metered) },
              { at: startNs, rank: 2, run: () => direct.started(metered) },
              { at: startNs, rank: 3, run: () => testbed.look(startNs) },
              {
                at: ends,
                rank: 4,
                run: () => {
                  delivered += metered.arrival.bytes;
                  testbed.completed(metered, ends);
                  direct.completed(metered, ends);
                },
              },
            ]),
            { at: end, rank: 5, run: () => [testbed, direct].forEach((one) => void one.end(end)) },
          ];
          for (const event of events.sort((a, b) => a.at - b.at || a.rank - b.rank)) await event.run();
          expect(testbed.figures()).toEqual(direct.figures());
        },
      ),
      { numRuns: 50 },
    );
  });

  it("ask for what has arrived from time to time, in the window alone", async () => {
    const asked: number[] = [];
    let now = 0;
    const testbed = new TestbedHalves(
      () => 0,
      async () => void asked.push(now),
    );
    for (; now < 20 * ASK; now += ASK / 5) {
      if (now === 5 * ASK) testbed.begin(now);
      if (now === 10 * ASK) testbed.end(now);
      await testbed.look(now);
    }
    expect(asked).toEqual([6, 7, 8, 9].map((n) => n * ASK));
  });
});

describe("the rules", () => {
  const half = (over: Partial<HalfFigures>): HalfFigures => ({
    ...{ ns: 1e6, flows: 100, startedBytes: 1000, deliveredBytes: 1000 },
    ...{ fctNs: [100, 1e5, 0], slowdown: [100, 2, 100] },
    ...over,
  });
  const settled = half({});
  const warn = (
    halves: readonly [HalfFigures, HalfFigures] | undefined,
    { faults = [], nominalBps = 1e9 }: { faults?: readonly unknown[]; nominalBps?: number | undefined } = {},
  ) =>
    transientWarnings({ settings: { faults } } as unknown as Load, { scheme: { title: "ECMP" } as never }, [
      { ...(halves === undefined ? {} : { halves }), ...(nominalBps === undefined ? {} : { nominalBps }) },
    ]);

  it("are silent for a network that has settled", () => {
    expect(warn([settled, settled])).toEqual([]);
    // 90 % arrive; 20 % of change; a change within two standard errors.
    expect(warn([half({ deliveredBytes: 800 }), settled])).toEqual([]);
    expect(warn([settled, half({ slowdown: [100, 2.4, 0] })])).toEqual([]);
    expect(warn([settled, half({ slowdown: [4, 3, 100] })])).toEqual([]);
  });

  it("find a network that still fills, and one whose slowdown drifts either way", () => {
    const [filling] = warn([half({ deliveredBytes: 790 }), settled]);
    expect(filling).toContain("ECMP: the run ends in the transient: receivers got 90 % of the payload");
    const [rises] = warn([settled, half({ slowdown: [100, 2.5, 100] })]);
    expect(rises).toContain("2.00 in the first half of the window and 2.50 in the second");
    expect(warn([settled, half({ slowdown: [100, 1.5, 100] })])).toHaveLength(1);
  });

  it("say nothing of drifts under faults, nor of traffic without an offered load", () => {
    const drift = [settled, half({ slowdown: [100, 4, 100] })] as const;
    expect(warn(drift, { faults: [{}] })).toEqual([]);
    expect(warn([half({ deliveredBytes: 0 }), settled], { faults: [{}] })).toHaveLength(1);
    expect(
      transientWarnings({ settings: { faults: [] } } as unknown as Load, { scheme: {} as never }, [
        { halves: drift },
      ]),
    ).toEqual([]);
    expect(warn(undefined)).toEqual([]);
  });
});

/** Web search of the papers' sizes: 200 flows of it end in the transient. */
const SHORT = `name: short
topology: { kind: leaf_spine, tors: 4, leaves: 4, homing: single, hosts_per_rack: 4, host_link: { rate: 10Gbps, delay: 1us }, fabric_link: { rate: 10Gbps, delay: 1us } }
schemes: [ecmp]
load: 0.6
traffic: { ip: 4, sizes: web_search, arrivals: poisson, pattern: inter_rack, flows: 200 }
warm_up: 1ms
drain: 2s
transport: { congestion_control: dctcp, segment_bytes: 1440, rto_margin: 1ms, rto_min: 1ms, rto_initial: 5ms }
queues: { packets: 500, ecn_threshold: 65 }
`;

/** Runs a file as the command does. */
async function run(name: string, text: string) {
  const diagnostics = new Diagnostics();
  const loaded = loadExperimentFile(new SourceFile(`${name}.yaml`, text), diagnostics)!;
  expect(diagnostics.list).toEqual([]);
  const out = join(folder, name);
  const results = await loaded.run({ out });
  const page = readFileSync(join(out, "report.html"), "utf8");
  const { rows } = JSON.parse(results.json) as { rows: Record<string, number>[] };
  return { ...results, page, row: rows[0]! };
}

describe("a load experiment", () => {
  it("warns with 200 flows of web search, on stderr, on the page and in results.json", async () => {
    const { warnings, page, json, table, row } = await run("short", SHORT);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^ECMP: the run ends in the transient: receivers got \d\d % of the payload/);
    expect(JSON.parse(json).warnings).toEqual(warnings);
    expect(page).toContain(`Warning: ${warnings[0]}`);
    expect(page).toContain("<h2>Is the run long enough?</h2>");
    expect(table).toMatch(/1st half +2nd half +offered load +achieved load/);
    expect(row["achieved_load"]! / row["offered_load"]!).toBeLessThan(0.9);
    expect(row["achieved_load"]! / row["offered_load"]!).toBeCloseTo(
      row["goodput_gbps"]! / row["offered_gbps"]!,
      4,
    );
  });

  it("does not warn where the run is long enough, and reports nearly equal loads and halves", async () => {
    const { warnings, row, page } = await run(
      "long",
      `name: long
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2, host_link: { rate: 1Gbps, delay: 1us }, fabric_link: { rate: 1Gbps, delay: 1us } }
schemes: [ecmp]
load: 0.4
traffic: { ip: 4, sizes: { uniform: [2KB, 20KB] }, flows: 3000 }
warm_up: 10ms
`,
    );
    expect(warnings).toEqual([]);
    expect(page).not.toContain("Warning:");
    expect(row["offered_load"]).toBeCloseTo(0.4, 1);
    expect(row["achieved_load"]! / row["offered_load"]!).toBeCloseTo(1, 1);
    expect(row["slowdown_mean_second"]! / row["slowdown_mean_first"]!).toBeCloseTo(1, 0);
    const halves = (row["link_utilisation_first"]! + row["link_utilisation_second"]!) / 2;
    expect(halves).toBeCloseTo(row["link_utilisation"]!, 2);
  });
});
