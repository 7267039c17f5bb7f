/** The buffer of a switch under priority flow control: when it asks its senders to stop, and when it ends asking. */
import { describe, expect, it } from "vitest";
import { IngressBuffer } from "../../../../../src/fabric/sim/packet/pfc/ingress-buffer.js";
import type { PfcOptions } from "../../../../../src/fabric/sim/packet/pfc/pfc-options.js";
import { Rig } from "./rig.js";

type PauseThreshold = PfcOptions["threshold"];

const of = (threshold: PauseThreshold): PfcOptions => ({
  threshold,
  xonOffset: 1,
  headroom: 100,
  largestFrame: 1000,
  quanta: 65_535,
  reaction: 0,
});

/** Ports 1 and 2, and what they ask for. */
function bufferOf(threshold: PauseThreshold) {
  const asked: [number, boolean][] = [];
  const buffer = new IngressBuffer(of(threshold), (port, asks) => asked.push([port, asks]));
  buffer.add(1, 100);
  buffer.add(2, 100);
  return { buffer, asked };
}

describe("a frame that fits neither the threshold nor the headroom", () => {
  const tiny: [string, PauseThreshold][] = [
    ["static", { kind: "static", bytes: 100 }],
    ["dynamic", { kind: "dynamic", alpha: 1e-9, buffer: 1_000_000 }],
  ];

  it.each(tiny)(
    "asks for nothing where nothing waits, since nothing would end the pause: %s",
    (_, threshold) => {
      const { buffer, asked } = bufferOf(threshold);
      expect(buffer.charge(1, 3, 1000)).toBe(false);
      expect([asked, buffer.of(1).drops, buffer.asking()]).toEqual([[], 1, []]);
    },
  );

  it.each(tiny)("asks where something waits, until that has left: %s", (_, threshold) => {
    const { buffer, asked } = bufferOf(threshold);
    expect(buffer.charge(1, 3, 60)).toBe(true);
    expect(buffer.charge(1, 3, 1000)).toBe(false);
    expect(asked).toEqual([[1, true]]);
    buffer.release(1, 3, 60);
    expect(asked).toEqual([
      [1, true],
      [1, false],
    ]);
  });

  it("leaves a network that comes to rest", async () => {
    const rig = new Rig(of({ kind: "static", bytes: 100 }));
    const [source, sink] = [rig.end("a"), rig.end("b")];
    const node = await rig.switch("s");
    rig.link(source, 1, node, 1, { rate: 8e9, delay: 500 });
    rig.link(node, 2, sink, 1, { rate: 1e9, delay: 500 });
    for (let i = 0; i < 20; i++) source.send([2], 0, 1000);
    rig.network.simulation.run(1e9);
    // A frame that finds its port free does not wait; all others are longer than the room.
    const { drops } = node.flowControl!.buffer.of(1);
    expect(drops).toBeGreaterThan(10);
    expect(sink.arrivals.length + drops).toBe(20);
    expect([node.flowControl!.statsOf(1).frames, source.output!.pausedNs]).toEqual([0, 0]);
  });
});

describe("a dynamic threshold", () => {
  it("rises for all ports when something leaves, also after a port has lost its carrier", () => {
    // 1000 bytes are shared: with 400 in use a port asks from 600 on, with 800 from 200 on.
    const { buffer, asked } = bufferOf({ kind: "dynamic", alpha: 1, buffer: 1200 });
    buffer.charge(1, 3, 400);
    buffer.charge(2, 3, 400);
    buffer.charge(2, 3, 50);
    expect(asked).toEqual([[2, true]]);
    buffer.release(1, 3, 400);
    buffer.release(2, 3, 50);
    expect(asked.slice(1)).toEqual([[2, false]]);
    buffer.charge(1, 3, 400);
    buffer.charge(2, 3, 50);
    buffer.charge(1, 3, 50);
    expect(buffer.asking()).toEqual([1, 2]);
    buffer.forget(2);
    buffer.forget(2);
    asked.length = 0;
    buffer.release(2, 3, 400);
    buffer.release(2, 3, 50);
    buffer.release(1, 3, 50);
    expect([asked, buffer.asking()]).toEqual([[[1, false]], []]);
  });
});

it("counts the ports that it has, and no others", () => {
  const { buffer } = bufferOf({ kind: "static", bytes: 100 });
  expect([0, 1, 2, 3, 510].map((port) => buffer.counts(port))).toEqual([false, true, true, false, false]);
});
