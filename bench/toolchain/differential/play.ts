/** Two compiled forms of one program, with the same entries and packets: where do they differ? */
import { Random, toHex } from "../../../src/base/index.js";
import type { DeviceError, Entity, ReadQuery, Update } from "../../../src/toolchain/device/index.js";
import { P4InfoIndex, type Program } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { PORTS, randomUpdates } from "./entries.js";
import { PacketMaker } from "./packets.js";
import { Values } from "./values.js";

export interface Frame {
  readonly port: number;
  readonly frame: Uint8Array;
}

export interface Job {
  readonly updates: readonly Update[];
  readonly packets: readonly Frame[];
}

export interface JobOptions {
  seed: number | string;
  packets: number;
  entries: number;
}

/** Entries and packets for a program; the same for the same seed. */
export function makeJob(programs: readonly Program[], { seed, packets, entries }: JobOptions): Job {
  const random = new Random(seed);
  const values = new Values(
    random.fork("values"),
    programs.map(({ bmv2 }) => bmv2),
  );
  const index = new P4InfoIndex(programs[0]!.p4info);
  const updates = randomUpdates({ index, values, random: random.fork("entries"), entries });
  const maker = new PacketMaker(programs[0]!.bmv2, values, random.fork("packets"));
  const frames = Array.from({ length: packets }, () => ({ port: random.int(PORTS), frame: maker.make() }));
  return { updates, packets: frames };
}

export interface Outcome {
  /** The answer of the switch to each write. */
  readonly writes: readonly string[];
  /** The frames that the switch sends after each packet, in order. */
  readonly sent: readonly (readonly Frame[])[];
  /** Counters and registers at the end, one line each, in the order of their text. */
  readonly state: readonly string[];
}

const GAP_US = 1000;
/** Maximum number of events for one packet: a program may recirculate a packet endlessly. */
const MAX_EVENTS = 2000;

export async function playOnSwitch(program: Program, { updates, packets }: Job): Promise<Outcome> {
  let now = 0;
  let due: { time: number; fn: () => void }[] = [];
  let out: Frame[] = [];
  const node = new Switch(program, {
    clock: {
      now: () => now,
      at: (time, fn) => {
        const event = { time, fn };
        due.push(event);
        return () => {
          due = due.filter((one) => one !== event);
        };
      },
    },
    seed: 1,
    transmit: (port, frame) => out.push({ port, frame: Uint8Array.from(frame) }),
  });
  const writes: string[] = [];
  for (const update of updates) writes.push(await node.write([update]).then(() => "OK", refusal));
  const sent: Frame[][] = [];
  for (const { port, frame } of packets) {
    now += GAP_US;
    out = [];
    node.receive(port, frame);
    for (let events = 0; due.length > 0 && events < MAX_EVENTS; events++) due.shift()!.fn();
    sent.push(out);
  }
  return { writes, sent, state: (await node.read(stateQueries(program))).map(describe).sort() };
}

function refusal(error: DeviceError): string {
  return error.updates?.[0]?.code ?? error.code;
}

function stateQueries(program: Program): ReadQuery[] {
  const index = new P4InfoIndex(program.p4info);
  return [
    ...index.counters.list.map(({ name }): ReadQuery => ({ kind: "counter", counter: name })),
    ...index.registers.list.map(({ name }): ReadQuery => ({ kind: "register", register: name })),
    ...index.tables.list
      .filter((table) => table.directCounter !== undefined)
      .map(({ name }): ReadQuery => ({ kind: "directCounter", table: name })),
  ];
}

function describe(entity: Entity): string {
  return JSON.stringify(entity, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

/** The first difference in words; undefined when there is none. */
export function firstDifference(a: Outcome, b: Outcome, { updates, packets }: Job): string | undefined {
  for (const [i, update] of updates.entries())
    if (a.writes[i] !== b.writes[i])
      return `write ${i}: ${a.writes[i]} against ${b.writes[i]}: ${JSON.stringify(update, (_, value) => (typeof value === "bigint" ? String(value) : value))}`;
  for (const [i, { port, frame }] of packets.entries()) {
    const [left, right] = [text(a.sent[i]!), text(b.sent[i]!)];
    if (left !== right) return `packet ${i} at port ${port} ${toHex(frame)}\n      ${left}\n      ${right}`;
  }
  for (const [i, line] of a.state.entries())
    if (line !== b.state[i]) return `state: ${line} against ${b.state[i]}`;
  return a.state.length === b.state.length ? undefined : "state: not the same objects";
}

function text(frames: readonly Frame[]): string {
  return frames.length === 0
    ? "nothing"
    : frames.map(({ port, frame }) => `${port}:${toHex(frame)}`).join(" ");
}

/** The frames of each port in no order, since BMv2 serves ports and packets side by side. */
export function portsDiffer(a: readonly Frame[], b: readonly Frame[]): string | undefined {
  const lines = (frames: readonly Frame[]) => frames.map((frame) => text([frame])).sort();
  const [left, right] = [lines(a), lines(b)];
  const more = left.filter((line) => count(left, line) > count(right, line));
  const less = right.filter((line) => count(right, line) > count(left, line));
  if (more.length === 0 && less.length === 0) return undefined;
  return `${left.length} against ${right.length} packets\n      only one sends ${more[0] ?? "-"}\n      only the other ${less[0] ?? "-"}`;
}

function count(lines: readonly string[], line: string): number {
  return lines.filter((one) => one === line).length;
}
