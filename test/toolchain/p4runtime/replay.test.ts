/**
 * The recorded exchanges with BMv2, played against our server with the embedded switch behind it. Whatever
 * differs is listed here, as the standard wants it; docs/p4runtime.md explains.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { cpuProgram, openChannel, startServer } from "./helpers.js";
import { type Outcome, Player, recordedExchanges, recordedOutcome } from "./replay.js";

/** `P4LOOM_GOLDEN=update` writes it again. */
const deviations = join(import.meta.dirname, "replay.deviations.txt");

/** Lines of one that the other has not; a line that both have twice counts twice. */
function without(lines: Outcome, others: Outcome): Outcome {
  const rest = [...others];
  return lines.filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** Wall-clock time for a switch in a test: microseconds since now. */
function realClock() {
  const start = performance.now();
  const now = (): number => (performance.now() - start) * 1000;
  return {
    now,
    at: (time: number, fn: () => void): (() => void) => {
      const timer = setTimeout(fn, Math.max(0, (time - now()) / 1000));
      return () => clearTimeout(timer);
    },
  };
}

it("differs from BMv2 where the standard does, and nowhere else", async () => {
  const frames: { port: number; hex: string }[] = [];
  const device = new Switch(undefined, {
    clock: realClock(),
    cpuPort: 255,
    transmit: (port, frame) => frames.push({ port, hex: toHex(frame) }),
  });
  const server = await startServer(device, { deviceId: 3n });
  const player = new Player(openChannel(server.address), cpuProgram(), {
    inject: (port, hex) => device.receive(port, fromHex(hex)!),
    sent: () => frames.splice(0),
  });
  onTestFinished(() => player.close());
  let text = "";
  for (const [i, exchange] of recordedExchanges().entries()) {
    const [ours, theirs] = [await player.play(exchange), recordedOutcome(exchange)];
    const lines = [
      ...without(theirs, ours).map((line) => `  BMv2: ${line}`),
      ...without(ours, theirs).map((line) => `  ours: ${line}`),
    ];
    if (lines.length > 0) text += [`${i} ${exchange.name}`, ...lines, ""].join("\n");
  }
  if (process.env["P4LOOM_GOLDEN"] === "update") writeFileSync(deviations, text);
  expect(text).toBe(readFileSync(deviations, "utf8"));
});
