/** Priority flow control against a second model of one bottleneck, and the closed form of the headroom. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HEADERS_ONLY, headroomBytes, type PfcOptions, pauseNs } from "../../src/fabric/sim/packet/index.js";
import { type End, Rig } from "../fabric/sim/packet/pfc/rig.js";
import { chain } from "../models/flow-control.js";

/** Bytes of a PAUSE without the frame check sequence (IEEE 802.3, annex 31D). */
const PAUSE_BYTES = 60;

interface Case {
  readonly frames: number;
  readonly bytes: number;
  /** Gigabits per second that take whole nanoseconds a byte: 8, 4, 2, 1. */
  readonly nsIn: number;
  readonly nsOut: number;
  readonly delay: number;
  readonly xoff: number;
  readonly offset: number;
  readonly headroom: number | undefined;
  readonly quanta: number;
}

function optionsOf({ bytes, xoff, offset, headroom, quanta }: Case): PfcOptions {
  return {
    threshold: { kind: "static", bytes: xoff },
    xonOffset: offset,
    headroom,
    largestFrame: bytes,
    quanta,
    reaction: 0,
  };
}

async function simulated(one: Case) {
  const rig = new Rig(optionsOf(one));
  const [source, sink] = [rig.end("source"), rig.end("sink")];
  const node = await rig.switch("s");
  rig.link(source, 1, node, 1, { rate: 8e9 / one.nsIn, delay: one.delay });
  rig.link(node, 2, sink, 1, { rate: 8e9 / one.nsOut, delay: 0 });
  for (let i = 0; i < one.frames; i++) source.send([2], 0, one.bytes);
  rig.network.simulation.run();
  const { shared, headroom, room, most, drops } = node.flowControl!.buffer.of(1);
  // Nothing is left in the account.
  expect([shared, headroom, node.device.waiting]).toEqual([0, 0, 0]);
  expect(sink.arrivals.length + drops).toBe(one.frames);
  return {
    room,
    left: sink.arrivals.map(({ time }) => time),
    dropped: drops,
    pauses: node.flowControl!.statsOf(1).pauses,
    paused: source.output!.pausedNs,
    most,
  };
}

const rateOf = fc.constantFrom(1, 2, 4);

/** Chains whose second link is slower than the first by 2 to 8. */
const anyChain = fc
  .record({
    frames: fc.integer({ min: 1, max: 150 }),
    bytes: fc.integer({ min: 64, max: 1600 }),
    nsIn: rateOf,
    slower: fc.constantFrom(2, 4, 8),
    delay: fc.integer({ min: 0, max: 5000 }),
    xoffFrames: fc.integer({ min: 2, max: 12 }),
    offsetFrames: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ slower, xoffFrames, offsetFrames, ...rest }) => ({
    ...rest,
    nsOut: rest.nsIn * slower,
    xoff: xoffFrames * rest.bytes,
    offset: offsetFrames * rest.bytes,
  }));

const holdOf = ({ quanta, nsIn }: Pick<Case, "quanta" | "nsIn">) => pauseNs(quanta, 8e9 / nsIn);

describe("one bottleneck with flow control", () => {
  it("sends, pauses and drops as the second model, at the same nanoseconds", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyChain,
        fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
        fc.constantFrom(65_535, 400),
        async (common, headroom, quanta) => {
          const one = { ...common, headroom, quanta };
          const { room, ...result } = await simulated(one);
          const model = chain({
            ...one,
            pauseBytes: PAUSE_BYTES,
            headroom: room,
            hold: holdOf(one),
          });
          expect(result).toEqual({ ...model, left: model.left });
        },
      ),
    );
  });

  it("loses nothing with the headroom of the closed form", async () => {
    await fc.assert(
      fc.asyncProperty(anyChain, async (common) => {
        const { dropped, most, room } = await simulated({ ...common, headroom: undefined, quanta: 65_535 });
        expect(dropped).toBe(0);
        expect(most).toBeLessThanOrEqual(room);
      }),
    );
  });

  it("loses frames with less than what is in flight, and the closed form is larger by three frames at most", async () => {
    await fc.assert(
      fc.asyncProperty(anyChain, async (common) => {
        // Next to nothing leaves while the headroom fills.
        const nsOut = 2000 * common.nsIn;
        const one = { ...common, frames: 200, nsOut, headroom: undefined, quanta: 65_535 };
        const { most, room } = await simulated(one);
        // No frame goes the other way here, so the PAUSE does not wait; the source does not begin a frame in the worst phase; the last frame may just not
        // fit. Rounding takes 4 ns.
        expect(room - most).toBeLessThan(3 * one.bytes + 4 / one.nsIn + 1);
        const { dropped } = await simulated({ ...one, headroom: most - 1 });
        expect(dropped).toBeGreaterThan(0);
      }),
    );
  });
});

describe("the closed form of the headroom", () => {
  it("is the sum of its parts", () => {
    // 10 Gbit/s, 1 us: 2500 bytes on the wire both ways, 5 for rounding; two frames and a PAUSE; the frame that crosses the threshold.
    const link = { rateBps: 10e9, delayNs: 1000, wire: HEADERS_ONLY };
    expect(headroomBytes(link, { largestFrame: 1500, reaction: 0 })).toBe(2500 + 5 + 2 * 1500 + 60 + 1500);
    expect(headroomBytes(link, { largestFrame: 1500, reaction: 800 })).toBe(2500 + 1000 + 5 + 3 * 1500 + 60);
  });

  it("holds in both directions at once, where each PAUSE waits for a frame", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 64, max: 1600 }),
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 0, max: 2000 }),
        async (bytes, delay, phase) => {
          const one = {
            frames: 0,
            bytes,
            nsIn: 1,
            nsOut: 2,
            delay,
            xoff: 6 * bytes,
            offset: bytes,
            headroom: undefined,
            quanta: 65_535,
          };
          const rig = new Rig(optionsOf(one));
          const [left, right, leftSink, rightSink] = ["a", "b", "c", "d"].map((name) => rig.end(name)) as [
            End,
            End,
            End,
            End,
          ];
          const [s, t] = [await rig.switch("s"), await rig.switch("t")];
          const fast = { rate: 8e9, delay };
          const slow = { rate: 4e9, delay: 0 };
          rig.link(left, 1, s, 1, fast);
          rig.link(right, 1, t, 1, fast);
          rig.link(s, 2, t, 2, fast);
          rig.link(s, 3, leftSink, 1, slow);
          rig.link(t, 3, rightSink, 1, slow);
          for (let i = 0; i < 120; i++) left.send([2, 3], 0, bytes);
          rig.network.simulation.at(phase, () => {
            for (let i = 0; i < 120; i++) right.send([2, 3], 1, bytes);
          });
          rig.network.simulation.run();
          expect([leftSink.arrivals.length, rightSink.arrivals.length]).toEqual([120, 120]);
          for (const [node, port] of [
            [s, 1],
            [s, 2],
            [t, 1],
            [t, 2],
          ] as const)
            expect(node.flowControl!.buffer.of(port).drops).toBe(0);
          expect(s.flowControl!.statsOf(2).pauses + t.flowControl!.statsOf(2).pauses).toBeGreaterThan(0);
        },
      ),
    );
  });
});
