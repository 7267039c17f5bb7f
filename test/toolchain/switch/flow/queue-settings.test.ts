/** Depths and rates of queues, set at run time: orders and depths as recorded from simple_switch, and their times. */
import { describe, expect, it } from "vitest";
import { fromHex } from "../../../../src/base/index.js";
import type { Bmv2Program } from "../../../../src/toolchain/program/index.js";
import { goldenJson, type Output, startProgram } from "../golden.js";

interface Scenario {
  name: string;
  priorities: number;
  config: string;
  packets: string[];
  out: Output[];
}

const bmv2 = goldenJson<Bmv2Program>("queueing", "queueing.json");
const scenarios = goldenJson<Scenario[]>("queueing", "scenarios.json");

/** A packet to a port with a priority and a number. */
const packet = (port: number, priority: number, number: number) =>
  [port, priority].map((byte) => byte.toString(16).padStart(2, "0")).join("") +
  number.toString(16).padStart(4, "0") +
  "000000000000000000";

function start(priorities: number) {
  const sent: (Output & { time: number })[] = [];
  const started = startProgram(bmv2, undefined, {
    queue: { depthPackets: 64, priorities },
    transmit: (port, frame) =>
      sent.push({ port, hex: Buffer.from(frame).toString("hex"), time: started.clock.time }),
  });
  const burst = (frames: readonly string[]) => {
    for (const frame of frames) started.device.receive(0, fromHex(frame)!);
  };
  return { ...started, sent, burst };
}

describe("queues of BMv2", () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", async (_, scenario) => {
    const { device, clock, sent, burst, run } = start(scenario.priorities);
    await run(scenario.config);
    clock.advance(700_000);
    burst(scenario.packets);
    clock.advance(100_000_000);
    const byPort = sent.map((output, i) => ({ output, i }));
    byPort.sort((a, b) => a.output.port - b.output.port || a.i - b.i);
    expect(byPort.map(({ output: { port, hex } }) => ({ port, hex }))).toEqual(scenario.out);
    const { received, transmitted, queueDrops } = device.stats;
    expect({ received, transmitted }).toEqual({
      received: scenario.packets.length,
      transmitted: scenario.out.length,
    });
    const copies = scenario.config.includes("mc_mgrp_create") ? 5 : 1;
    expect(queueDrops).toBe(copies * scenario.packets.length - scenario.out.length);
  });
});

describe("rates by queue", () => {
  const times = (sent: readonly { hex: string; time: number }[]) =>
    sent.map(({ hex, time }) => [Number.parseInt(hex.slice(4, 8), 16), time]);

  it("let lower priorities go while a higher one waits for its time", async () => {
    const { device, clock, sent, burst } = start(3);
    await device.settings.setQueueRate(1000, { port: 1, priority: 2 });
    clock.advance(10_000);
    burst([packet(1, 2, 0), packet(1, 2, 1), packet(1, 0, 2), packet(1, 1, 3), packet(1, 2, 4)]);
    clock.advance(20_000);
    expect(times(sent)).toEqual([
      [0, 10_000],
      [2, 10_000],
      [3, 10_000],
      [1, 11_000],
      [4, 12_000],
    ]);
  });

  it("hold for each queue on its own", async () => {
    const { device, clock, sent, burst } = start(2);
    await device.settings.setQueueRate(1000, { port: 1, priority: 1 });
    await device.settings.setQueueRate(400, { port: 1, priority: 0 });
    clock.advance(10_000);
    burst([0, 1, 2, 3, 4, 5].map((i) => packet(1, i % 2, i)));
    clock.advance(30_000);
    expect(times(sent)).toEqual([
      [0, 10_000],
      [1, 10_000],
      [3, 11_000],
      [5, 12_000],
      [2, 12_500],
      [4, 15_000],
    ]);
  });

  it("end with a rate of 0", async () => {
    const { device, clock, sent, burst } = start(1);
    await device.settings.setQueueRate(1000, { port: 1 });
    await device.settings.setQueueRate(0);
    burst([0, 1, 2].map((i) => packet(1, 0, i)));
    expect(times(sent)).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
    expect(clock.time).toBe(0);
  });

  it("outlive a program; what waits does not", async () => {
    const { device, clock, sent, burst } = start(1);
    await device.settings.setQueueRate(1000, { port: 1 });
    clock.advance(10_000);
    burst([0, 1, 2].map((i) => packet(1, 0, i)));
    device.install(device.program!);
    expect(device.stats).toMatchObject({ transmitted: 1, dropped: 2 });
    clock.advance(20_000);
    burst([5, 6].map((i) => packet(1, 0, i)));
    clock.advance(30_000);
    expect(times(sent)).toEqual([
      [0, 10_000],
      [5, 21_000],
      [6, 22_000],
    ]);
  });

  it.each([
    ["a part of a packet", 1.5, {}, "INVALID_ARGUMENT"],
    ["less than nothing", -1, {}, "INVALID_ARGUMENT"],
    ["a port that cannot be", 1, { port: 512 }, "OUT_OF_RANGE"],
    ["a priority without its queue", 1, { port: 1, priority: 1 }, "OUT_OF_RANGE"],
    ["a priority of no port", 1, { priority: 0 }, "INVALID_ARGUMENT"],
  ] as const)("refuse %s", async (_, value, queues, code) => {
    const { device } = start(1);
    await expect(device.settings.setQueueRate(value, queues)).rejects.toMatchObject({ code });
    await expect(device.settings.setQueueDepth(value, queues)).rejects.toMatchObject({ code });
  });

  it("give queues of 64 packets to a switch made without queues", async () => {
    const { device, outputs, clock } = startProgram(bmv2);
    await device.settings.setQueueRate(10, { port: 1 });
    clock.advance(1_000_000);
    for (let i = 0; i < 100; i++) device.receive(0, fromHex(packet(1, 0, i))!);
    clock.advance(100_000_000);
    expect(outputs).toHaveLength(65);
  });
});
