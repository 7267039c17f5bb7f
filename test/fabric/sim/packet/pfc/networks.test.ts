/** Priority flow control in small networks: whom it harms, where it stands still for ever, and what failures do to it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MacControl } from "../../../../../src/base/packets/index.js";
import type { FrameFault, PfcOptions, SwitchNode } from "../../../../../src/fabric/sim/packet/index.js";
import { stuckPauses } from "../../../../../src/fabric/sim/packet/pfc/deadlock.js";
import { type End, Rig } from "./rig.js";

const BYTES = 1000;

const options: PfcOptions = {
  threshold: { kind: "static", bytes: 10 * BYTES },
  xonOffset: 2 * BYTES,
  largestFrame: BYTES,
  quanta: 65_535,
  reaction: 0,
};
/** So much that nobody is ever paused. */
const never: PfcOptions = { ...options, threshold: { kind: "static", bytes: 1e9 } };

/** A byte takes 1 ns. */
const fast = { rate: 8e9, delay: 500 };
const slow = { rate: 1e9, delay: 500 };

/**
 * Flow 0 leads to a slow receiver and flow 1, the victim, to a fast one; both cross the link between the switches, which has room for both (Zhu et al.,
 * SIGCOMM 2015, figures 3 and 4). Returns when the last of the frames of each flow arrived.
 */
async function victim(pfc: PfcOptions, frames: number) {
  const rig = new Rig(pfc);
  const [a, v, r, w] = ["a", "v", "r", "w"].map((name) => rig.end(name)) as [End, End, End, End];
  const [s, t] = [await rig.switch("s"), await rig.switch("t")];
  rig.link(a, 1, s, 1, fast);
  rig.link(v, 1, s, 2, fast);
  rig.link(s, 3, t, 1, { ...fast, rate: 16e9 });
  rig.link(t, 2, r, 1, slow);
  rig.link(t, 3, w, 1, fast);
  for (let i = 0; i < frames; i++) {
    a.send([3, 2], 0, BYTES);
    v.send([3, 3], 1, BYTES);
  }
  rig.network.simulation.run();
  expect([r.arrivals.length, w.arrivals.length]).toEqual([frames, frames]);
  return { congested: r.arrivals.at(-1)!.time, victim: w.arrivals.at(-1)!.time };
}

describe("a victim flow", () => {
  it("without pauses has its own rate, with pauses that of the congested flow beside it", async () => {
    const frames = 400;
    const free = await victim(never, frames);
    const paused = await victim(options, frames);
    const wires = 3 * 500 + 3 * BYTES;
    // Alone at 8 Gbit/s: a frame each microsecond.
    expect(free.victim).toBeLessThan(frames * BYTES + wires);
    expect(free.congested).toBeGreaterThan(8 * frames * BYTES);
    // The link carries a frame of each flow in turn, as fast as the slow receiver takes one of them. What fits into buffers is ahead of it.
    expect(paused.congested).toBe(free.congested);
    const ahead = 4 * 20;
    expect(paused.victim).toBeGreaterThan(8 * (frames - ahead) * BYTES);
    expect(paused.victim).toBeLessThanOrEqual(paused.congested);
  });
});

/** Three switches in a ring; each host sends to the one two switches further on, so that each ring link carries two flows. */
async function ring(pfc: PfcOptions, frames: number, gap = 0) {
  const rig = new Rig(pfc);
  const ends = ["h0", "h1", "h2"].map((name) => rig.end(name));
  const switches: SwitchNode[] = [];
  for (const name of ["s0", "s1", "s2"]) switches.push(await rig.switch(name));
  const links = switches.map((node, i) => {
    rig.link(ends[i]!, 1, node, 1, fast);
    return rig.link(node, 2, switches[(i + 1) % 3]!, 3, fast);
  });
  const watch = rig.watch();
  for (const end of ends)
    for (let i = 0; i < frames; i++) rig.network.simulation.at(i * gap, () => end.send([2, 2, 1], 0, BYTES));
  const arrived = () => ends.reduce((sum, end) => sum + end.arrivals.length, 0);
  return { rig, ends, switches, links, watch, arrived };
}

describe("a ring of switches", () => {
  it("comes to a deadlock at full load, which is found, named, and stands for ever", async () => {
    const { rig, watch, arrived, switches } = await ring(options, 500);
    const { simulation } = rig.network;
    simulation.run(2e6);
    expect(watch.deadlocks).toHaveLength(1);
    const [deadlock] = watch.deadlocks;
    const names = deadlock!.cycle.map(({ from, to }) => `${from} ${to}`);
    expect([...names].sort()).toEqual(["s0 s1", "s1 s2", "s2 s0"]);
    // Each waits for the next.
    for (const [i, { to }] of deadlock!.cycle.entries()) expect(deadlock!.cycle[(i + 1) % 3]!.from).toBe(to);
    // The hosts behind them stand, too.
    expect(deadlock!.others).toBe(3);
    const before = arrived();
    expect(before).toBeLessThan(1500);
    simulation.run(200e6);
    expect(arrived()).toBe(before);
    expect(deadlock!.until).toBeUndefined();
    for (const node of switches) expect(node.device.stats.queueDrops).toBe(0);
  });

  it("has none at half of the load, nor with room for all", async () => {
    const calm = await ring(options, 500, 2 * BYTES + 100);
    calm.rig.network.simulation.run();
    expect([calm.watch.deadlocks, calm.arrived()]).toEqual([[], 1500]);
    const roomy = await ring(never, 500);
    roomy.rig.network.simulation.run();
    expect([roomy.watch.deadlocks, roomy.arrived()]).toEqual([[], 1500]);
  });

  it("goes on when a link of the cycle loses its carrier, and nothing stays charged", async () => {
    const { rig, watch, links, switches, arrived } = await ring(options, 500);
    const { network } = rig;
    network.simulation.run(2e6);
    const before = arrived();
    network.failLink(links[0]!);
    network.signalLink(links[0]!, false);
    network.simulation.run(20e6);
    expect(watch.deadlocks[0]!.until).toBeGreaterThan(2e6);
    expect(arrived()).toBeGreaterThan(before);
    network.simulation.run(60e6);
    for (const node of switches)
      for (const port of [1, 2, 3]) {
        const { shared, headroom } = node.flowControl!.buffer.of(port);
        expect([node.name, port, shared, headroom]).toEqual([node.name, port, 0, 0]);
        expect(node.flowControl!.isPaused(port)).toBe(false);
      }
  });
});

describe("a tree of switches", () => {
  it("delivers everything without a deadlock, whatever is sent", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            from: fc.nat(3),
            to: fc.nat(3),
            frames: fc.integer({ min: 1, max: 60 }),
            bytes: fc.integer({ min: 64, max: 1000 }),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        fc.constantFrom<PfcOptions["threshold"]>(
          { kind: "static", bytes: 4000 },
          { kind: "dynamic", alpha: 0.5, buffer: 30_000 },
          { kind: "dynamic", alpha: 8, buffer: 30_000 },
        ),
        async (flows, threshold) => {
          const rig = new Rig({ ...options, threshold });
          const root = await rig.switch("root");
          const leaves = [await rig.switch("l0"), await rig.switch("l1")];
          const ends = [0, 1, 2, 3].map((i) => rig.end(`h${i}`));
          for (const [i, end] of ends.entries())
            rig.link(end, 1, leaves[i >> 1]!, 1 + (i & 1), i === 0 ? slow : fast);
          for (const [i, leaf] of leaves.entries()) rig.link(leaf, 3, root, 1 + i, fast);
          const watch = rig.watch();
          let sent = 0;
          for (const { from, to, frames, bytes } of flows) {
            const path = from >> 1 === to >> 1 ? [1 + (to & 1)] : [3, 1 + (to >> 1), 1 + (to & 1)];
            for (let i = 0; i < frames; i++) ends[from]!.send(path, 0, bytes);
            sent += frames;
          }
          rig.network.simulation.run();
          expect(ends.reduce((sum, end) => sum + end.arrivals.length, 0)).toBe(sent);
          expect(watch.deadlocks).toEqual([]);
          expect(stuckPauses(watch.switches)).toEqual([]);
          // In order within a host: one queue, one path.
          for (const end of ends)
            for (const node of [root, ...leaves])
              expect([end.output!.length, node.device.waiting]).toEqual([0, 0]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Loses some frames of flow control. */
function loses(which: (quanta: number) => boolean): FrameFault {
  return {
    concerns: (frame) => MacControl.check(frame) && which(MacControl.quanta(frame, 0)!),
    decide: () => "lose",
    delay: 0,
  };
}

async function bottleneck(pfc: PfcOptions, fault?: FrameFault) {
  const rig = new Rig(pfc);
  const [source, sink] = [rig.end("source"), rig.end("sink")];
  const node = await rig.switch("s");
  const link = rig.link(source, 1, node, 1, fast);
  rig.link(node, 2, sink, 1, slow);
  if (fault !== undefined) rig.network.impair(link.bToA, fault);
  return { rig, source, sink, node, link };
}

describe("a link that fails", () => {
  it("loses frames in spite of the headroom where PAUSE frames are lost", async () => {
    const { rig, source, sink, node } = await bottleneck(
      options,
      loses((quanta) => quanta > 0),
    );
    for (let i = 0; i < 200; i++) source.send([2], 0, BYTES);
    rig.network.simulation.run();
    const { drops } = node.flowControl!.buffer.of(1);
    expect(drops).toBeGreaterThan(0);
    expect(sink.arrivals.length + drops).toBe(200);
  });

  it("sends on after the time of the PAUSE where its end is lost", async () => {
    const quanta = 4000;
    const { rig, source, sink } = await bottleneck(
      { ...options, quanta },
      loses((time) => time === 0),
    );
    for (let i = 0; i < 40; i++) source.send([2], 0, BYTES);
    rig.network.simulation.run();
    expect(sink.arrivals).toHaveLength(40);
    // 512 bits a quantum at 8 Gbit/s: 64 ns.
    const gaps = sink.arrivals.slice(1).map(({ time }, i) => time - sink.arrivals[i]!.time);
    expect(Math.max(...gaps)).toBeGreaterThan(quanta * 64 - 100 * BYTES);
  });

  it("ends the pause of a host whose carrier is lost, and asks again when frames come after it", async () => {
    const { rig, source, node, link } = await bottleneck(options);
    for (let i = 0; i < 100; i++) source.send([2], 0, BYTES);
    rig.network.simulation.run(40_000);
    expect([source.output!.isPaused, node.flowControl!.buffer.isAsking(1)]).toEqual([true, true]);
    node.portState(1, false);
    source.output!.resume();
    expect([source.output!.isPaused, node.flowControl!.buffer.isAsking(1)]).toEqual([false, false]);
    const { pauses } = node.flowControl!.statsOf(1);
    node.portState(1, true);
    rig.network.simulation.run(60_000);
    expect(node.flowControl!.statsOf(1).pauses).toBeGreaterThan(pauses);
    expect(link.aToB.failed).toBe(false);
  });

  it("leaves nothing charged or paused at a switch that gets its program again", async () => {
    const { rig, source, node } = await bottleneck(options);
    for (let i = 0; i < 100; i++) source.send([2], 0, BYTES);
    rig.network.simulation.run(40_000);
    expect(node.flowControl!.buffer.of(1).shared).toBeGreaterThan(0);
    await node.device.load(node.device.program!);
    expect(node.flowControl!.buffer.of(1)).toMatchObject({ shared: 0, headroom: 0 });
    expect(node.flowControl!.buffer.isAsking(1)).toBe(false);
    rig.network.simulation.run();
  });
});
