/**
 * A lab under load: eight switches in a ring, a host at each, and datagrams between hosts that are four hops apart, 10,000 a
 * second of the lab's clock in all, each over five switches. What is measured: processor time for a second of the lab's
 * clock, the events that a page gets for it, and how long the swap of a program takes from the save to the answer.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type LabEvent,
  type LabProject,
  type LabRequestInput,
  LabSession,
  labRequestSchema,
} from "../../src/course/lab/index.js";
import type { Benchmark } from "../benchmark.js";

const SWITCHES = 8;
const PACKETS_PER_SECOND = 10_000;
const SECONDS = 5;
const SWAPS = 5;
const FRAMES_PER_SECOND = 30;

const SOURCE = readFileSync(join(import.meta.dirname, "../../examples/exercise/ring.p4"), "utf8");

/** Packets go clockwise: port 2 leads to the next switch, port 3 to the previous one. */
function ring(): LabProject {
  const number = (i: number): number => ((i + SWITCHES - 1) % SWITCHES) + 1;
  const names = Array.from({ length: SWITCHES }, (_, i) => i + 1);
  const files: Record<string, string> = { "ring.p4": SOURCE };
  for (const s of names)
    files[`s${s}.txt`] = names
      .map((h) => {
        const [mac, port] =
          h === s ? [`08:00:00:00:0${h}:${h}${h}`, 1] : [`08:00:00:00:0${number(s + 1)}:00`, 2];
        return `table_add routes forward 10.0.${h}.${h}/32 => ${mac} ${port}`;
      })
      .join("\n");
  return {
    title: "ring",
    files,
    open: {
      kind: "plan",
      plan: {
        hosts: names.map((h) => ({
          name: `h${h}`,
          mac: `08:00:00:00:0${h}:${h}${h}`,
          ipv4: `10.0.${h}.${h}`,
          prefixLength: 24,
          commands: [],
          gateways: [`08:00:00:00:0${h}:00`],
        })),
        switches: names.map((s) => ({ name: `s${s}`, program: "ring.p4", commands: `s${s}.txt` })),
        links: [
          ...names.map((h) => ({ a: { node: `h${h}`, port: 0 }, b: { node: `s${h}`, port: 1 } })),
          ...names.map((s) => ({ a: { node: `s${s}`, port: 2 }, b: { node: `s${number(s + 1)}`, port: 3 } })),
        ],
      },
    },
  };
}

export const run: Benchmark = async (report) => {
  let now = 0;
  let due: (() => void) | undefined;
  // the clock of the wall moves only from frame to frame, so that each frame has the same work on every machine
  const timers = {
    now: () => now,
    later: (_: number, fn: () => void) => {
      due = fn;
      return () => {
        due = undefined;
      };
    },
  };
  const session = await LabSession.open(ring(), { timers, seed: 1 });
  const ask = async (request: LabRequestInput) => {
    const reply = await session.apply(labRequestSchema.parse(request));
    if (!reply.ok) throw new Error(reply.diagnostics.map(({ message }) => message).join("\n"));
    return reply.value;
  };
  let [events, bytes, largest, motions, hops] = [0, 0, 0, 0, 0];
  session.subscribe((event: LabEvent) => {
    const size = JSON.stringify(event).length;
    events++;
    bytes += size;
    largest = Math.max(largest, size);
    if (event.kind !== "frame") return;
    motions += event.motions.length;
    for (const { packets } of event.links) hops += packets[0] + packets[1];
  });
  const payload = 200;
  for (let h = 1; h <= SWITCHES; h++) {
    const to = `h${((h + 3) % SWITCHES) + 1}`;
    const rateBps = (PACKETS_PER_SECOND / SWITCHES) * payload * 8;
    await ask({ op: "traffic.start", traffic: { kind: "udp", from: `h${h}`, to, rateBps, bytes: payload } });
  }
  await ask({ op: "clock.set", running: true, speed: 1 });
  const pass = async (frames: number): Promise<void> => {
    for (let i = 0; i < frames; i++) {
      now += 1000 / FRAMES_PER_SECOND;
      due?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await pass(FRAMES_PER_SECOND);
  [events, bytes, largest, motions, hops] = [0, 0, 0, 0, 0];
  const before = process.cpuUsage();
  await pass(SECONDS * FRAMES_PER_SECOND);
  const { user, system } = process.cpuUsage(before);
  const name = `lab of ${SWITCHES} switches, ${PACKETS_PER_SECOND} packets/s`;
  report({ name: `${name}: processor time a second`, unit: "s", value: (user + system) / 1e6 / SECONDS });
  report({ name: `${name}: packets on links a second`, unit: "1/s", value: hops / SECONDS });
  report({ name: `${name}: events a second`, unit: "1/s", value: events / SECONDS });
  report({ name: `${name}: text of events a second`, unit: "kB", value: bytes / 1000 / SECONDS });
  report({ name: `${name}: largest event`, unit: "kB", value: largest / 1000 });
  report({ name: `${name}: motions a second`, unit: "1/s", value: motions / SECONDS });
  const swapStart = process.cpuUsage();
  for (let i = 0; i < SWAPS; i++)
    await ask({ op: "files.save", path: "ring.p4", text: `${SOURCE}\n// ${i}` });
  const swap = process.cpuUsage(swapStart);
  report({
    name: `lab of ${SWITCHES} switches: processor time from a save to the running program`,
    unit: "s",
    value: (swap.user + swap.system) / 1e6 / SWAPS,
  });
  await session.close();
};
