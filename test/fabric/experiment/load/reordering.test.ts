/** Segments out of order by flow: how many flows have some, and the distribution over these flows. */
import { expect, it } from "vitest";
import type { LoadOutcome } from "../../../../src/fabric/experiment/kinds/load/load-figures.js";
import {
  type FlowCounters,
  FlowMeter,
} from "../../../../src/fabric/experiment/kinds/load/meters/flow-meter.js";
import { classFigures, merged } from "../../../../src/fabric/experiment/kinds/load/rows.js";
import type { FlowArrival } from "../../../../src/fabric/traffic/index.js";

const outcome = { window: [0, 1e9] } as unknown as LoadOutcome;

function figuresOf(flows: readonly (Partial<FlowCounters> & { bytes: number; startNs: number })[]) {
  const meter = new FlowMeter({ small: 1_000, large: 100_000 }, 10, () => undefined);
  for (const [id, { bytes, startNs, ...counters }] of flows.entries()) {
    const arrival = { id, bytes, startNs, source: 0, destination: 1 } as FlowArrival;
    meter.ended(meter.started(arrival, () => ({ delivered: 0, ...counters })));
  }
  return meter.classes();
}

it("is reported for measured flows that have some, also over all classes", () => {
  const few = Array.from({ length: 99 }, () => ({
    ...{ bytes: 5_000, startNs: 20, reordered: 2, maxReorderingBytes: 1_500 },
  }));
  const classes = figuresOf([
    ...few,
    { bytes: 5_000, startNs: 20, reordered: 0, maxReorderingBytes: 0 },
    { bytes: 200_000, startNs: 20, reordered: 30, maxReorderingBytes: 60_000 },
    // Before the end of the warm-up.
    { bytes: 5_000, startNs: 5, reordered: 500, maxReorderingBytes: 500_000 },
  ]);
  expect(classFigures(classes.medium, outcome)).toMatchObject({
    reordered_p99: 2,
    reordered_max: 2,
    reordering_p99_bytes: 1_500,
  });
  const all = merged([classes.small, classes.medium, classes.large]);
  expect(classFigures(all, outcome)).toMatchObject({
    reordered_p99: 2,
    reordered_max: 30,
    reordering_p99_bytes: 1_500,
  });
  expect(all.counters.reordered).toBe(228);
});

it("has no distribution where all arrived in order, or where an engine does not report it", () => {
  for (const counters of [{ reordered: 0, maxReorderingBytes: 0 }, {}]) {
    const { medium } = figuresOf([{ bytes: 5_000, startNs: 20, ...counters }]);
    expect(classFigures(medium, outcome)).not.toHaveProperty("reordered_p99");
    expect(classFigures(medium, outcome)).not.toHaveProperty("reordered_max");
  }
});
