/** A flow of the lab as the page sees it: its state, its points and its figures. */
import { describe, expect, it } from "vitest";
import type { Traffic } from "../../../src/course/lab/index.js";
import { Flow } from "../../../src/course/lab/traffic/flow.js";

type Context = ConstructorParameters<typeof Flow>[2];

/** A flow whose counters and whose time the test sets. */
function flowOf(kind: "ping" | "udp" = "udp") {
  const simulation = { now: 1000 };
  const counts = { sentPackets: 0, receivedPackets: 0, receivedBytes: 0 } as {
    sentPackets: number;
    receivedPackets: number;
    receivedBytes: number;
    retransmissions?: number;
    rttsNs?: number[];
    smoothedRttNs?: number;
  };
  const ended: Flow[] = [];
  let halted = 0;
  const flow = new Flow(
    7,
    { kind, from: "h1", to: "h2" } as Traffic,
    { lab: { simulation }, ended: (one: Flow) => ended.push(one) } as unknown as Context,
    { label: "a flow", keys: [], counts: () => counts, halt: () => halted++ },
  );
  /** After `ns` more, with so many more bytes. */
  const sampleAfter = (ns: number, bytes = 0) => {
    simulation.now += ns;
    counts.receivedBytes += bytes;
    flow.sample();
  };
  return { flow, simulation, counts, ended, sampleAfter, halts: () => halted };
}

describe("the points of a flow", () => {
  it("are rates since the point before", () => {
    const { flow, sampleAfter } = flowOf();
    sampleAfter(1e6, 1250);
    sampleAfter(2e6, 1250);
    expect(flow.view.points).toEqual([
      { at: 1000 + 1e6, bitsPerSecond: 10e6 },
      { at: 1000 + 3e6, bitsPerSecond: 5e6 },
    ]);
  });

  it("are none for no time", () => {
    const { flow, sampleAfter } = flowOf();
    sampleAfter(0, 10);
    expect(flow.view.points).toEqual([]);
  });

  it("are two for a time without data", () => {
    const { flow, sampleAfter } = flowOf();
    for (const bytes of [1, 0, 0, 0, 0, 1]) sampleAfter(8e9, bytes);
    expect(flow.view.points.map(({ at, bitsPerSecond }) => [(at - 1000) / 8e9, bitsPerSecond])).toEqual([
      [1, 1],
      [2, 0],
      [5, 0],
      [6, 1],
    ]);
  });

  it("are at most 300, the last ones", () => {
    const { flow, sampleAfter } = flowOf();
    for (let i = 0; i < 305; i++) sampleAfter(1, 1);
    expect(flow.view.points).toHaveLength(300);
    expect(flow.view.points.at(-1)!.at).toBe(1305);
  });

  it("have the round trip where there is one", () => {
    const { flow, counts, sampleAfter } = flowOf();
    counts.smoothedRttNs = 5;
    sampleAfter(8e9, 1);
    expect(flow.view.points).toEqual([{ at: 1000 + 8e9, bitsPerSecond: 1, rttNs: 5 }]);
  });
});

describe("the news of a flow", () => {
  it("are its view with the last point, once", () => {
    const { flow, sampleAfter } = flowOf();
    expect(flow.news()).toMatchObject({ id: 7, state: "running", points: [] });
    expect(flow.news()).toBeUndefined();
    sampleAfter(8e9, 1);
    sampleAfter(8e9, 1);
    expect(flow.news()!.points).toEqual([{ at: 1000 + 16e9, bitsPerSecond: 1 }]);
    expect(flow.news()).toBeUndefined();
    sampleAfter(8e9);
    expect(flow.news()).toBeDefined();
    sampleAfter(8e9);
    expect(flow.news()).toBeDefined();
    // Nothing has changed but the end of the quiet time.
    sampleAfter(8e9);
    expect(flow.news()).toBeUndefined();
    flow.end("failed");
    expect(flow.news()).toMatchObject({ state: "failed" });
  });
});

describe("the end of a flow", () => {
  it("is the last point; a later one changes nothing", () => {
    const { flow, simulation, counts, ended } = flowOf();
    simulation.now += 8e9;
    counts.receivedBytes = 1;
    flow.end("completed");
    expect(flow.view).toMatchObject({ state: "completed", startedAt: 1000, endedAt: 1000 + 8e9, fctNs: 8e9 });
    expect(flow.view.points).toHaveLength(1);
    simulation.now += 8e9;
    flow.end("failed");
    flow.stop();
    flow.sample();
    expect(flow.view).toMatchObject({ state: "completed", endedAt: 1000 + 8e9 });
    expect(flow.view.points).toHaveLength(1);
    expect(ended).toEqual([flow]);
    expect(flow.isRunning).toBe(false);
  });

  it("by a user halts it, and has no completion time", () => {
    const { flow, halts } = flowOf();
    flow.stop();
    expect(flow.view).toMatchObject({ state: "stopped", endedAt: 1000 });
    expect(flow.view).not.toHaveProperty("fctNs");
    flow.stop();
    expect(halts()).toBe(1);
  });

  it("of a ping has no completion time", () => {
    const { flow } = flowOf("ping");
    flow.end("completed");
    expect(flow.view).not.toHaveProperty("fctNs");
  });
});

it("a view has the round trips' least, mean and greatest, and retransmissions, where there are some", () => {
  const { flow, counts } = flowOf();
  expect(flow.view).toEqual({
    id: 7,
    kind: "udp",
    from: "h1",
    to: "h2",
    label: "a flow",
    state: "running",
    startedAt: 1000,
    sentPackets: 0,
    receivedPackets: 0,
    receivedBytes: 0,
    points: [],
  });
  counts.rttsNs = [2, 9, 4];
  counts.retransmissions = 0;
  expect(flow.view).toMatchObject({ rttNs: { min: 2, mean: 5, max: 9 }, retransmissions: 0 });
});
