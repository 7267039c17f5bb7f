import type { Switch } from "../../src/switch/index.js";

/** Median packets a second over several rounds of about a quarter of a second. */
export function rate(device: Switch, frames: readonly Uint8Array[]): number {
  const before = device.stats.transmitted;
  for (const frame of frames) device.receive(0, frame);
  if (device.stats.transmitted - before !== frames.length)
    throw new Error("the benchmark's packets are dropped");
  const rates: number[] = [];
  for (let round = 0; round < 8; round++) {
    const begin = performance.now();
    let sent = 0;
    let passed = 0;
    while (passed < 250) {
      for (let i = 0; i < 2000; i++) device.receive(0, frames[sent++ % frames.length]!);
      passed = performance.now() - begin;
    }
    if (round > 1) rates.push((1000 * sent) / passed);
  }
  return rates.sort((a, b) => a - b)[rates.length >> 1]!;
}
