/** A switch that owns its frames changes them in their place. What it sends is what a switch sends that copies. */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../../src/base/index.js";
import { framesOf, goldenJson, type Stimulus, startGolden, stateOf } from "../golden.js";

const PROGRAMS = ["l3", "selector", "hash", "parse", "arith", "control", "memory", "replicate", "queue"];

describe.each(PROGRAMS)("%s", (name) => {
  it.each([
    ["without queues", {}],
    ["with packets that wait", { queue: { rateBitsPerSecond: () => 8e6, depthPackets: 8 } }],
  ])("sends the same packets and holds the same state, %s", async (_, options) => {
    const start = async (ownsFrames: boolean) => {
      const sent: string[] = [];
      const transmit = (port: number, frame: Uint8Array) => sent.push(`${port}: ${toHex(frame)}`);
      return {
        ...(await startGolden(name, "config.txt", undefined, { ...options, ownsFrames, transmit })),
        sent,
      };
    };
    const [copying, owning] = [await start(false), await start(true)];
    for (const { port, hex } of framesOf(name)) {
      for (const { device, clock } of [copying, owning]) {
        clock.advance(clock.time + 10);
        device.receive(port, fromHex(hex)!);
      }
    }
    for (const { clock } of [copying, owning]) clock.advance(1e9);
    expect(copying.sent.length).toBeGreaterThan(20);
    expect(owning.sent).toEqual(copying.sent);
    expect(stateOf(owning.device)).toBe(stateOf(copying.device));
  });
});

describe("a frame whose headers take as many bytes as before", () => {
  const [first] = goldenJson<Stimulus[]>("l3", "packets.json");

  it.each([
    [true, "the same array, changed"],
    [false, "another array"],
  ])("leaves, where the switch owns it (%s), as %s", async (ownsFrames) => {
    const sent: Uint8Array[] = [];
    const { device } = await startGolden("l3", "config.txt", undefined, {
      ownsFrames,
      transmit: (_, frame) => sent.push(frame),
    });
    const frame = fromHex(first!.in.hex)!;
    device.receive(first!.in.port, frame);
    expect(sent.map(toHex)).toEqual(first!.out.map(({ hex }) => hex));
    expect(first!.out[0]!.hex).not.toBe(first!.in.hex);
    expect(sent[0] === frame).toBe(ownsFrames);
  });

  it("of a packet generator is copied, so that each period sends the same", async () => {
    const sent: string[] = [];
    const { device, clock } = await startGolden("l3", "config.txt", undefined, {
      ownsFrames: true,
      transmit: (_, frame) => sent.push(toHex(frame)),
    });
    const frame = fromHex(first!.in.hex)!;
    await device.settings.setGenerators([{ port: first!.in.port, periodNs: 100_000, frame }]);
    clock.advance(250);
    expect(sent).toEqual(new Array(3).fill(first!.out[0]!.hex));
  });

  it("is left alone while packets are traced", async () => {
    const { device } = await startGolden("l3", "config.txt", undefined, { ownsFrames: true });
    device.trace = () => {};
    const frame = fromHex(first!.in.hex)!;
    device.receive(first!.in.port, frame);
    expect(toHex(frame)).toBe(first!.in.hex);
  });
});
