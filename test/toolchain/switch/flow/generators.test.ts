/** Packet generators: when their frames come, and what ends them. */
import { describe, expect, it } from "vitest";
import { fromHex } from "../../../../src/base/index.js";
import type { PacketGenerator } from "../../../../src/toolchain/device/index.js";
import type { Bmv2Program } from "../../../../src/toolchain/program/index.js";
import { goldenJson, type ManualClock, startProgram } from "../golden.js";

const bmv2 = goldenJson<Bmv2Program>("queueing", "queueing.json");

/** The program sends to the port in the first byte; the number is in the third and fourth one. */
const frameTo = (port: number, number: number) =>
  fromHex(`0${port}00${number.toString(16).padStart(4, "0")}${"00".repeat(12)}`)!;

function start() {
  const sent: [number, number, number][] = [];
  const started: { clock: ManualClock } & ReturnType<typeof startProgram> = startProgram(bmv2, undefined, {
    transmit: (port, frame) => sent.push([port, frame[3]!, started.clock.time]),
  });
  const set = (generators: readonly PacketGenerator[]) => started.device.settings.setGenerators(generators);
  return { ...started, sent, set };
}

const one: PacketGenerator = { port: 300, periodNs: 200_000, frame: frameTo(1, 7) };

describe("packet generators", () => {
  it("send each frame after its start, then one a period", async () => {
    const { clock, sent, set } = start();
    clock.advance(1000);
    await set([
      { ...one, startNs: 50_000 },
      { ...one, periodNs: 333_000, frame: frameTo(2, 9) },
    ]);
    clock.advance(1700);
    expect(sent).toEqual([
      [2, 9, 1000],
      [1, 7, 1050],
      [1, 7, 1250],
      [2, 9, 1333],
      [1, 7, 1450],
      [1, 7, 1650],
      [2, 9, 1666],
    ]);
  });

  it("keep to their times when a clock is late, and make up for nothing", async () => {
    const { clock, sent, set } = start();
    await set([one]);
    clock.advance(0);
    clock.time = 1010;
    clock.advance(1250);
    expect(sent.map(([, , time]) => time)).toEqual([0, 1010, 1200]);
  });

  it("are replaced by the next setting, outlive a program, and end with the switch", async () => {
    const { device, clock, sent, set } = start();
    await set([one]);
    clock.advance(300);
    await set([{ ...one, frame: frameTo(3, 1) }]);
    device.install(device.program!);
    clock.advance(550);
    expect(sent).toEqual([
      [1, 7, 0],
      [1, 7, 200],
      [3, 1, 300],
      [3, 1, 500],
    ]);
    await device.close();
    clock.advance(2000);
    expect(sent.length).toBe(4);
  });

  it("copy their frame, so that it cannot be changed afterwards", async () => {
    const { clock, sent, set } = start();
    const frame = frameTo(1, 7);
    await set([{ ...one, frame }]);
    frame.fill(0);
    clock.advance(0);
    expect(sent).toEqual([[1, 7, 0]]);
  });

  it.each<[string, Partial<PacketGenerator>, string]>([
    ["port", { port: 512 }, "port 512; ports are 0 to 511"],
    ["period", { periodNs: 999 }, "a packet generator's period is 999 ns: at least 1000"],
    ["start", { startNs: -1 }, "the nanoseconds to a generator's first packet is -1"],
    ["frame", { frame: new Uint8Array(13) }, "a generated frame of 13 bytes: 14 to 65535 are possible"],
  ])("are refused for a wrong %s, and running ones continue", async (_, wrong, message) => {
    const { clock, sent, set } = start();
    await set([one]);
    await expect(set([one, { ...one, ...wrong }])).rejects.toThrow(message);
    clock.advance(200);
    expect(sent.length).toBe(2);
  });
});
