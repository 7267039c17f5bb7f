/** What a load experiment measures in the simulator, against what its traffic must give. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import type { LoadOutcome } from "../../../../src/fabric/experiment/kinds/load/load-figures.js";
import { TimeSeries } from "../../../../src/fabric/experiment/kinds/load/meters/queue-meter.js";
import { DEFAULT_BOUNDS, sizeClassOf } from "../../../../src/fabric/experiment/kinds/load/size-classes.js";
import { QuantileSketch, TimeWeighted } from "../../../../src/fabric/statistics/index.js";
import { loadOf, play } from "./play.js";

const SMALL =
  "topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2, host_link: { rate: 1Gbps, delay: 1us }, fabric_link: { rate: 1Gbps, delay: 1us } }\n";
const TRANSPORT =
  "transport: { protocol: fixed, segment_bytes: 1000, window_segments: 20, rto_margin: 5ms }\n";

const file = (rest: string, schemes = "[ecmp]") => loadOf(`${SMALL}${TRANSPORT}schemes: ${schemes}\n${rest}`);

const rowsOf = (load: ReturnType<typeof loadOf>, outcomes: readonly LoadOutcome[]) =>
  LOAD.rows(load, LOAD.units(load)[0]!, outcomes, {
    ...{ engine: "sim", namesSeeds: true },
    seeds: outcomes.map(({ seed }) => seed),
  });

describe("queues", () => {
  it("of the warm-up do not count, neither their bytes nor their packets", async () => {
    // An incast in the warm-up fills the port of its receiver; what comes later meets an empty network.
    const load = file(
      "traffic: { mix: [{ pattern: { incast: { senders: 3, receivers: [host0-0-0] } }, sizes: { fixed: 30KB }, interval: 50ms, arrivals: constant }, { sizes: { fixed: 500 }, interval: 20ms, arrivals: constant }], duration: 99ms }\nwarm_up: 55ms\n",
    );
    const [{ queues }] = (await play(load)) as [LoadOutcome];
    expect(Math.max(...queues!.total.max)).toBeGreaterThan(10_000);
    expect(TimeWeighted.fromJson(queues!.bytes).max).toBeLessThan(3000);
    expect(TimeWeighted.fromJson(queues!.packets).max).toBeLessThan(4);
  });
});

describe("size classes", () => {
  it("have the bounds of DCTCP and pFabric: 100 KB is small, 10 MB large", () => {
    const classes = [1, 100_000, 100_001, 9_999_999, 10_000_000].map((bytes) =>
      sizeClassOf(bytes, DEFAULT_BOUNDS),
    );
    expect(classes).toEqual(["small", "small", "medium", "medium", "large"]);
  });
});

describe("measured_flows", () => {
  const traffic = (flows: number) =>
    `load: 0.5\ntraffic: { sizes: { uniform: [2KB, 60KB] }, flows: ${flows} }\nwarm_up: 2ms\nrecord: flows\n`;
  const timesOf = ({ lines = [] }: LoadOutcome) =>
    lines.map(({ flow, start_ns, fct_ns }) => [flow, start_ns, fct_ns] as const).sort((a, b) => a[0] - b[0]);

  it("ends the window, but not the load: the measured flows are the first ones of a longer run, to the nanosecond", async () => {
    const [few] = (await play(file(`${traffic(400)}measured_flows: 60\n`))) as [LoadOutcome];
    const [all] = (await play(file(traffic(400)))) as [LoadOutcome];
    const [ending] = (await play(file(traffic(few.started - 20)))) as [LoadOutcome];
    const times = timesOf(few);
    expect(times.length).toBe(60);
    expect(times).toEqual(timesOf(all).slice(0, 60));
    expect(few.window).toEqual([2_000_000, times.at(-1)![1]]);
    // The run ends with its last measured flow, and not with the traffic.
    expect(few.endNs).toBe(Math.max(...times.map(([, start, time]) => start + time!)));
    expect(few.started).toBeGreaterThan(60);
    expect(few.started).toBeLessThan(400);
    // Without it, the last flows of a short run meet an emptying network: some of their times are others.
    expect(timesOf(ending)).not.toEqual(timesOf(all).slice(0, timesOf(ending).length));
  });

  it("is a bound: with fewer flows, all are measured, as without it", async () => {
    const [bounded] = (await play(file(`${traffic(80)}measured_flows: 1000\n`))) as [LoadOutcome];
    const [all] = (await play(file(traffic(80)))) as [LoadOutcome];
    expect(timesOf(bounded)).toEqual(timesOf(all));
    expect(bounded.window).toEqual(all.window);
  });

  it("measures whole requests: the one that has begun when the number is reached, too", async () => {
    const incast = (flows: number) =>
      `traffic: { sizes: { fixed: 20KB }, pattern: { incast: { senders: 3, receivers: [host0-0-0] } }, interval: 1ms, flows: ${flows} }\nrecord: flows\n`;
    const [few] = (await play(file(`${incast(90)}measured_flows: 4\n`))) as [LoadOutcome];
    const [all] = (await play(file(incast(90)))) as [LoadOutcome];
    expect(timesOf(few)).toEqual(timesOf(all).slice(0, 6));
    expect(few.groups).toMatchObject({ groups: 2, unfinished: 0 });
    expect(few.started).toBeLessThan(90);
  });

  it.each([
    ["requests with questions", "{ requests: { fan_out: 2, question: 1KB } }, interval: 1ms", 8],
    [
      "closed loops",
      "{ requests: { fan_out: 2, question: 1KB, loop: { outstanding: 1, think: 100us } } }",
      8,
    ],
    // 4 hosts: 6 steps of 4 flows.
    ["all-reduces", "{ collective: { operation: all_reduce } }, interval: 5ms", 24],
    ["repeated all-reduces", "{ collective: { operation: all_reduce, loop: { think: 100us } } }", 24],
  ])("ends traffic that completions drive, after whole groups: %s", async (_, pattern, group) => {
    const text = `traffic: { sizes: { fixed: 20KB }, pattern: ${pattern}, flows: 1200 }\nrecord: flows\nmeasured_flows: ${2 * group - 1}\n`;
    const load = file(text);
    const [few] = (await play(load)) as [LoadOutcome];
    const times = timesOf(few);
    expect(few.started).toBeLessThan(600);
    expect(times.length).toBeGreaterThanOrEqual(2 * group - 1);
    for (const [, , time] of times) expect(time).toBeGreaterThan(0);
    expect(few.groups!.groups).toBeGreaterThanOrEqual(2);
    expect(few.groups!.unfinished).toBe(0);
    expect(few.endNs).toBe(Math.max(...times.map(([, start, time]) => start + time!)));
    expect(few.trafficEndedNs).toBeUndefined();
  });

  it.each([
    ["fewer flows", 80, 1000, true],
    ["one flow more", 100, 99, true],
    ["enough flows", 400, 60, false],
  ])("says when the traffic ends before the measured flows: %s", async (_, flows, most, ends) => {
    const text = `load: 0.5\ntraffic: { sizes: { uniform: [2KB, 60KB] }, flows: ${flows} }\nmeasured_flows: ${most}\n`;
    const load = file(text);
    const outcomes = await play(load);
    expect(outcomes[0]!.trafficEndedNs !== undefined).toBe(ends);
    const notes = LOAD.unitNotes!(LOAD.units(load)[0]!, outcomes).filter((note) =>
      note.includes("measured_flows"),
    );
    expect(notes.length).toBe(ends ? 1 : 0);
    if (ends) expect(notes[0]).toContain(`after ${flows} flows`);
  });

  it("says nothing of ends without the key", async () => {
    const [all] = (await play(file(traffic(80)))) as [LoadOutcome];
    expect(all.trafficEndedNs).toBeUndefined();
  });
});

describe("a load experiment", () => {
  const load = file(
    "load: 0.3\ntraffic: { sizes: { uniform: [2KB, 60KB] }, flows: 120 }\nwarm_up: 2ms\nrecord: flows\nsizes: { small: 10KB, large: 40KB }\n",
  );

  it("gives the same figures for the same seed, others for another, and all of them again from JSON", async () => {
    const [a, b, c] = [(await play(load))[0]!, (await play(load))[0]!, (await play(load, 2))[0]!];
    const json = (outcome: LoadOutcome) => JSON.stringify(LOAD.portable!.toJson(outcome));
    expect(json(a)).toBe(json(b));
    expect(json(a)).not.toBe(json(c));
    const unit = LOAD.units(load)[0]!;
    const back = LOAD.portable!.fromJson(JSON.parse(json(a)), unit, load);
    expect(back.scheme).toBe(unit.scheme);
    expect(rowsOf(load, [back, c])).toEqual(rowsOf(load, [a, c]));
  });

  it("measures the flows after the warm-up, each in its size class, and records a line for each", async () => {
    const [outcome] = (await play(load)) as [LoadOutcome];
    const { flows, lines, started } = outcome;
    expect(started).toBe(120);
    const measured = Object.values(flows).reduce((sum, one) => sum + one.flows, 0);
    expect(lines).toHaveLength(measured);
    expect(measured).toBeLessThan(120);
    for (const { start_ns } of lines!) expect(start_ns).toBeGreaterThanOrEqual(2e6);
    const inClass = (low: number, high: number) => lines!.filter(({ bytes }) => bytes > low && bytes < high);
    const classes = {
      small: inClass(0, 10_001),
      medium: inClass(10_000, 40_000),
      large: inClass(39_999, 1e9),
    };
    for (const [name, own] of Object.entries(classes)) {
      const figures = flows[name as "small"];
      expect(figures.flows).toBe(own.length);
      expect(figures.bytes).toBe(own.reduce((sum, { bytes }) => sum + bytes, 0));
      const times = own.map(({ fct_ns }) => fct_ns!).sort((a, b) => a - b);
      expect(figures.fct.values).toEqual(times);
      expect(figures.unfinished).toBe(0);
    }
    // Nothing is faster than alone in the empty network.
    for (const { slowdown } of lines!) expect(slowdown).toBeGreaterThanOrEqual(1);
  });

  it("keeps no more lines than the limit, and says so", async () => {
    const limited = file(
      "load: 0.3\ntraffic: { sizes: { fixed: 2KB }, flows: 30 }\nrecord: flows\nrecord_limit: 4\n",
    );
    const outcomes = await play(limited);
    expect(outcomes[0]!.lines).toHaveLength(4);
    expect(LOAD.unitNotes!(LOAD.units(limited)[0]!, outcomes)).toEqual([
      "ECMP: flows.jsonl leaves out 26 flows beyond record_limit.",
    ]);
  });

  it("counts and reports the flows that do not end, and leaves them out of the times", async () => {
    const cut = file(
      "load: 0.5\ntraffic: { sizes: { fixed: 20KB }, pattern: inter_rack, duration: 4ms }\ndrain: 3ms\nfaults:\n  - { at: 2ms, kind: silent, switch: leaf0-0 }\n  - { at: 2ms, kind: silent, switch: leaf0-1 }\n",
    );
    const outcomes = await play(cut);
    const [all] = rowsOf(cut, outcomes) as unknown as [Record<string, number>];
    expect(all["unfinished"]).toBeGreaterThan(0);
    expect(all["flows"]).toBeGreaterThan(all["unfinished"]!);
    expect(outcomes[0]!.flows.small.fct.count).toBe(all["flows"]! - all["unfinished"]!);
    expect(all["drops_fault"]).toBeGreaterThan(0);
    expect(all["drops"]).toBe(all["drops_fault"]);
    expect(outcomes[0]!.endNs).toBeLessThanOrEqual(7.2e6);
    expect(LOAD.unitNotes!(LOAD.units(cut)[0]!, outcomes)[0]).toMatch(
      new RegExp(
        `^ECMP: ${all["unfinished"]} of ${all["flows"]} measured flows had not ended at the end of the drain`,
      ),
    );
  });
});

describe("flows of other protocols", () => {
  it("are UDP: what is lost leaves a flow unfinished", async () => {
    const udp = file(
      "traffic: { sizes: { fixed: 20KB }, pattern: inter_rack, interval: 500us, flows: 12, protocol: { udp: 200Mbps } }\ndrain: 4ms\nfaults:\n  - { at: 0ms, switch: leaf0-0, loss: 20% }\n",
    );
    const [outcome] = (await play(udp)) as [LoadOutcome];
    const { flows, unfinished, counters } = outcome.flows.small;
    expect(flows).toBe(12);
    expect(unfinished).toBeGreaterThan(0);
    expect(unfinished).toBeLessThan(12);
    expect(counters).toMatchObject({ segmentsSent: 12 * 20 });
    expect(counters.retransmissions).toBeUndefined();
    // Flows that crossed the other leaf ran at their rate: 20 KB need 0.8 ms, less one datagram.
    const times = QuantileSketch.fromJson(outcome.flows.small.fct);
    expect(times.min).toBeGreaterThan(19 * 40_000);
    expect(times.min).toBeLessThan(0.85e6);
  });

  it("have subflows: all bytes arrive, and every port is free again", async () => {
    const text = `${SMALL}transport: { congestion_control: lia, subflows: { count: 3 } }
schemes: [ecmp]
traffic: { sizes: { fixed: 200KB }, pattern: inter_rack, interval: 1ms, flows: 6 }
`;
    const [outcome] = (await play(loadOf(text))) as [LoadOutcome];
    expect(outcome.flows.medium).toMatchObject({ flows: 6, unfinished: 0 });
    expect(QuantileSketch.fromJson(outcome.flows.medium.slowdown).min).toBeGreaterThanOrEqual(1);
    expect(outcome.openAtEnd).toBe(0);
  });
});

describe("the window of goodput, links and queues", () => {
  const two = (more: string) =>
    file(
      `traffic: { sizes: { fixed: 300KB }, arrivals: constant, pattern: inter_rack, interval: 1us, flows: 2${more} }\n`,
    );
  const notesOf = async (load: ReturnType<typeof loadOf>) =>
    LOAD.unitNotes!(LOAD.units(load)[0]!, await play(load));

  it("has a note where most of the payload arrives after it: the flows start almost together", async () => {
    const load = two("");
    const [outcome] = (await play(load)) as [LoadOutcome];
    // The window ends with the second arrival: nothing has reached a receiver.
    expect(outcome.window).toEqual([0, 2000]);
    expect(outcome.outsideWindow).toEqual({ within: 0, after: 600_000 });
    expect(await notesOf(load)).toEqual([
      "ECMP: goodput, links and queues are measured from 0 to 0.002 ms, and 100 % of the payload of the window and later arrived after it: they do not describe these flows. traffic.duration gives the window another end.",
    ]);
    const rows = rowsOf(load, [outcome, (await play(load, 2))[0]!]);
    expect(rows[0]!["goodput_gbps"]).toBe(0);
    expect(LOAD.unitNotes!(LOAD.units(load)[0]!, [outcome, outcome])[0]).toContain("(under 2 of 2 seeds;");
  });

  it("has none where a duration gives it an end, or all flows start at one instant", async () => {
    expect(await notesOf(two(", duration: 100ms"))).toEqual([]);
    const incast = file(
      "traffic: { sizes: { fixed: 300KB }, pattern: { incast: { senders: 2 } }, arrivals: constant, interval: 1s, flows: 2 }\nwarm_up: 1s\n",
    );
    expect(await notesOf(incast)).toEqual([]);
  });

  it("has none under a load over a long time", async () => {
    const long = file("load: 0.3\ntraffic: { sizes: { fixed: 20KB }, flows: 200 }\n");
    expect(await notesOf(long)).toEqual([]);
  });
});

describe("links and queues", () => {
  it("carry what the flows send: one long flow fills its path", async () => {
    const one = file(
      "traffic: { sizes: { fixed: 2MB }, pattern: inter_rack, interval: 1ms, flows: 2 }\nwarm_up: 1us\n",
    );
    const { links, window, queues, drops } = (await play(one, 3))[0]!;
    expect(Object.values(drops!).every((count) => count === 0)).toBe(true);
    const seconds = (window[1] - window[0]) / 1e9;
    expect(seconds).toBeGreaterThan(0);
    const up = links!.filter(({ uplink }) => uplink);
    expect(up.map(({ from, to }) => `${from} ${to}`)).toEqual([
      "tor0-0 leaf0-0",
      "tor0-0 leaf0-1",
      "tor0-1 leaf0-0",
      "tor0-1 leaf0-1",
    ]);
    for (const { utilisation } of links!) expect(utilisation).toBeLessThanOrEqual(1.001);
    // Every link of the same rate: nothing waits but for the frame on the wire, until a second flow comes.
    expect(TimeWeighted.fromJson(queues!.bytes).duration).toBe((window[1] - window[0]) * queues!.portCount);
  });

  it("wait where many send to one: the incast's last hop has the longest queue", async () => {
    const incast = file(
      "traffic: { sizes: { fixed: 30KB }, pattern: { incast: { senders: 3, receivers: [host0-0-0] } }, interval: 2ms, flows: 9 }\n",
    );
    const outcomes = await play(incast);
    const { queues, groups, flows } = outcomes[0]!;
    const longest = queues!.ports.reduce((a, b) => (b.max > a.max ? b : a));
    expect([longest.node, longest.peer]).toEqual(["tor0-0", "host0-0-0"]);
    expect(groups).toMatchObject({ groups: 3, unfinished: 0 });
    // 90 KB with headers need 0.76 ms on the last link, however the senders share it.
    const times = QuantileSketch.fromJson(groups!.completion);
    expect(times.min).toBeGreaterThan((90 * 1062 * 8) / 1);
    expect(times.max).toBeLessThan(1.6 * 90 * 1062 * 8);
    expect(times.quantile(1)).toBeGreaterThanOrEqual(QuantileSketch.fromJson(flows.small.fct).quantile(1));
    const [all] = rowsOf(incast, outcomes) as unknown as [Record<string, number>];
    expect(all).toMatchObject({ requests: 3, requests_unfinished: 0, flows: 9 });
    expect(all["rct_mean_ms"]).toBeCloseTo(times.mean / 1e6, 6);
  });
});

describe("a series over time", () => {
  it("has the means and maxima of its bins, however often these are merged", () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 0, max: 1000 })),
      {
        minLength: 1,
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(steps, (list) => {
        const series = new TimeSeries();
        let now = 0;
        for (const [gap, value] of list) series.set((now += gap), value);
        const end = now + 5000;
        const { binNs, mean, max } = series.toJson(end);
        expect(mean.length).toBe(Math.ceil(end / binNs));
        expect(mean.length).toBeLessThanOrEqual(256);
        for (let bin = 0; bin < mean.length; bin++) {
          const [from, to] = [bin * binNs, Math.min(end, (bin + 1) * binNs)];
          let [integral, most, at, value] = [0, 0, 0, 0];
          for (const [gap, next] of [...list, [5000, 0] as const]) {
            const until = at + gap;
            const overlap = Math.min(until, to) - Math.max(at, from);
            if (overlap > 0) {
              integral += overlap * value;
              most = Math.max(most, value);
            }
            [at, value] = [until, next];
            if (at >= from && at < to && at < end) most = Math.max(most, value);
          }
          expect(mean[bin]).toBeCloseTo(Math.round(integral / (to - from)), 6);
          expect(max[bin]).toBe(most);
        }
      }),
    );
  });
});
