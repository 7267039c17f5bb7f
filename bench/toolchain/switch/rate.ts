import type { Switch } from "../../../src/toolchain/switch/index.js";

const ROUND_MS = 250;
const ROUNDS = 8;

/** The packets that are sent to a switch repeatedly. */
export interface Load {
  device: Switch;
  frames: readonly Uint8Array[];
}

/** Median of the packets per second over several rounds of about a quarter of a second. */
export function rate(device: Switch, frames: readonly Uint8Array[]): number {
  const rates = rounds([{ device, frames }])[0]!;
  return rates[rates.length >> 1]!;
}

/**
 * The most packets a second of each load, in rounds that take turns, so that what else the machine does meets all of
 * them alike.
 */
export function rivalRates(loads: readonly Load[]): number[] {
  return rounds(loads).map((rates) => rates.at(-1)!);
}

/** Packets a second in the rounds of each load, least first, by processor time. */
function rounds(loads: readonly Load[]): number[][] {
  for (const { device, frames } of loads) {
    const before = device.stats.transmitted;
    for (const frame of frames) device.receive(0, frame);
    if (device.stats.transmitted - before < frames.length)
      throw new Error("the benchmark's packets are dropped");
  }
  const rates: number[][] = loads.map(() => []);
  const sent = loads.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    loads.forEach(({ device, frames }, which) => {
      let next = sent[which]!;
      const first = next;
      const began = process.cpuUsage();
      let passed = 0;
      while (passed < 1000 * ROUND_MS) {
        for (let i = 0; i < 2000; i++) device.receive(0, frames[next++ % frames.length]!);
        const { user, system } = process.cpuUsage(began);
        passed = user + system;
      }
      sent[which] = next;
      if (round > 1) rates[which]!.push((1e6 * (next - first)) / passed);
    });
  }
  return rates.map((of) => of.sort((a, b) => a - b));
}
