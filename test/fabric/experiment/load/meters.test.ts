/** The meters of a load by themselves, with flows, links and time that the test makes. */
import { describe, expect, it } from "vitest";
import { openWarnings, untilOf } from "../../../../src/fabric/experiment/kinds/load/convergence.js";
import { FlowRecorder } from "../../../../src/fabric/experiment/kinds/load/flow-lines.js";
import type { LoadOutcome } from "../../../../src/fabric/experiment/kinds/load/load-figures.js";
import {
  FlowMeter,
  type MeteredFlow,
} from "../../../../src/fabric/experiment/kinds/load/meters/flow-meter.js";
import { HalvesMeter } from "../../../../src/fabric/experiment/kinds/load/meters/halves-meter.js";
import { uplinkBusyNs } from "../../../../src/fabric/experiment/kinds/load/meters/link-meter.js";
import { SeriesMeter } from "../../../../src/fabric/experiment/kinds/load/meters/series-meter.js";
import { figuresOf } from "../../../../src/fabric/experiment/kinds/load/rows.js";
import { type Fabric, Simulation } from "../../../../src/fabric/sim/packet/index.js";
import { Moments } from "../../../../src/fabric/statistics/index.js";
import type { FlowArrival } from "../../../../src/fabric/traffic/index.js";
import { build } from "../../topology/load.js";

const BOUNDS = { small: 100_000, large: 10_000_000 };
const topology = build({ kind: "leaf_spine", tors: 2, leaves: 2, homing: "single", hosts_per_rack: 1 });
const arrivalOf = (id: number, startNs = 0): FlowArrival => ({
  ...{ id, startNs, bytes: 1000, source: 0, destination: 1 },
  ...{ protocol: "tcp", port: 5201 },
});
const counters = () => ({ delivered: 0 });

/** Flows of 1000 bytes that take these times, each 1000 ns alone. */
function meterOf(times: readonly number[], warmUp = 0): FlowMeter {
  const meter = new FlowMeter(BOUNDS, warmUp, () => 1000);
  meter.window("begin");
  for (const [id, time] of times.entries()) meter.completed(meter.started(arrivalOf(id), counters), time);
  meter.window("end");
  return meter;
}

function outcomeOf(times: readonly number[], window: readonly [number, number] = [0, 1e6]): LoadOutcome {
  return {
    ...{ seed: 1, flows: meterOf(times).classes(), started: times.length, openAtEnd: 0, window },
    ...{ endNs: 1e6, scheme: { title: "ECMP" } as LoadOutcome["scheme"] },
  };
}

describe("the goodput", () => {
  it("of a flow without a duration does not exist", () => {
    const { goodputs, fct } = meterOf([0, 500]).classes().small;
    // 1000 bytes in 500 ns.
    const { count, mean } = Moments.fromJson(goodputs);
    expect([count, mean]).toEqual([1, 2e9]);
    expect(fct).not.toEqual(meterOf([500]).classes().small.fct);
  });

  it("of a window is what arrived in it by its length; a window of an instant has none", () => {
    // 8000 bits in 1 ms.
    expect(figuresOf(outcomeOf([500]), "all")["goodput_gbps"]).toBeCloseTo(0.008, 9);
    expect(figuresOf(outcomeOf([500], [7, 7]), "all")).not.toHaveProperty("goodput_gbps");
  });
});

describe("halves of the window", () => {
  it("count the flows that start in them, and none of the warm-up", () => {
    const meter = new HalvesMeter(() => ({ delivered: 0, busyNs: undefined }));
    const flow = (startNs: number, measured: boolean): MeteredFlow => ({
      ...{ arrival: arrivalOf(0, startNs), sizeClass: "small", measured, ideal: undefined, counters },
    });
    meter.started(flow(5, false));
    meter.started(flow(5, true));
    meter.begin(1000);
    // A flow of the warm-up may be late.
    meter.started(flow(1000, false));
    for (let at = 1000; at < 101_000; at += 10_000) meter.started(flow(at, true));
    meter.end(101_000);
    const [first, second] = meter.figures()!;
    expect([first.flows, second.flows, first.startedBytes + second.startedBytes]).toEqual([5, 5, 10_000]);
  });
});

describe("the time for which an uplink is busy", () => {
  const use = { delivered: 500, bytesDelivered: 1_000_000 };
  const busy = (fabric_link: { rate: string; rate_pps?: number }) => {
    const of = build({
      ...{ kind: "leaf_spine", tors: 2, leaves: 1, homing: "single", hosts_per_rack: 1, fabric_link },
    });
    const link = () => ({ aToB: { stats: use }, bToA: { stats: use } });
    return uplinkBusyNs({ topology: of, link } as unknown as Fabric)();
  };

  it("is that of its bytes at its rate, or of its packets where its rate is in packets", () => {
    // 8 Mbit at 1 Gbit/s; 500 of 1000 packets a second.
    expect(busy({ rate: "1Gbps" })).toBe(8e6);
    expect(busy({ rate: "1Gbps", rate_pps: 1000 })).toBe(5e8);
  });
});

describe("the series of a run", () => {
  it("has a bin for each interval, and counts no more after the end", () => {
    const simulation = new Simulation();
    let looks = 0;
    const fabric = { hosts: () => [], nodes: [], network: { channels: [], simulation } };
    const meter = new SeriesMeter(fabric as unknown as Fabric, 1000, () => 10 * looks++);
    simulation.run(3500);
    expect(meter.figures().series.delivered).toEqual([10, 10, 10, 10]);
    simulation.run(9500);
    expect(looks).toBe(5);
  });
});

describe("lines of flows", () => {
  it("are kept up to their limit, and the others are counted", () => {
    const linesAfter = (flows: number) => {
      const recorder = new FlowRecorder(topology, { record: "flows", record_limit: 2 });
      const [source, destination] = topology.nodes.filter(({ role }) => role === "host");
      for (let id = 0; id < flows; id++) {
        const arrival = { ...arrivalOf(id), source: source!.index, destination: destination!.index };
        recorder.completed({ arrival, sizeClass: "small", measured: true, ideal: 500, counters }, 1000);
      }
      return recorder.lines();
    };
    const { lines, ...rest } = linesAfter(2);
    expect(lines!.map(({ flow, fct_ns, slowdown }) => [flow, fct_ns, slowdown])).toEqual([
      [0, 1000, 2],
      [1, 1000, 2],
    ]);
    expect(rest).toEqual({});
    expect(linesAfter(3)).toMatchObject({ lines: [{ flow: 0 }, { flow: 1 }], linesLeftOut: 1 });
  });
});

describe("the rule that decides the number of seeds", () => {
  const until = {
    metric: "slowdown_mean",
    size: "all",
    confidence: 0.95,
    within: 0.1,
    min_runs: 3,
    max_runs: 5,
  } as const;

  it("has the bounds of the file, and the figure of an outcome", () => {
    const { rule, figure } = untilOf(until);
    expect(rule).toEqual({ confidence: 0.95, within: 0.1, least: 3, most: 5 });
    expect(figure(outcomeOf([1000, 3000]))).toBeCloseTo(2, 6);
  });

  it("is open for a cell whose interval is too wide, and for none without outcomes", () => {
    const warnings = (...times: number[]) =>
      openWarnings(
        { until },
        { scheme: { title: "ECMP" } } as never,
        times.map((time) => outcomeOf([time])),
      );
    expect(warnings()).toEqual([]);
    expect(warnings(1000, 1001, 1002)).toEqual([]);
    const [open] = warnings(1000, 2000, 3000, 4000, 5000);
    expect(open).toMatch(
      /^ECMP: not converged: the 95 % interval of slowdown_mean \(all\) is ± \S+ % of its mean after 5 seeds, not within 10 %: a greater until\.max_runs/,
    );
    expect(warnings(1000, 2000)[0]).toContain("jobs of further seeds failed, or have not run");
  });
});
