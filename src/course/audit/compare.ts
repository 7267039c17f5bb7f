/**
 * Compares two submissions of an exercise by packets: each switch of the exercise runs the program of one and that of the other, with
 * the entries of the exercise, gets the same random packets at the same times, and must do the same.
 */
import { given, Random, toHex } from "../../base/index.js";
import { Simulation } from "../../fabric/sim/packet/index.js";
import type { DeviceEvent } from "../../toolchain/device/index.js";
import { Switch, type SwitchClock } from "../../toolchain/switch/index.js";
import type { Exercise } from "../exercises/index.js";
import { bootSwitches, type Submission } from "../grading/index.js";
import { modelFrames, randomFrame } from "./random-frames.js";

/** The first packet that the two programs treat differently, or the state that differs after all packets. */
export interface Difference {
  readonly switch: string;
  /** Absent: the state of the switch differs. */
  readonly packet?: { readonly port: number; readonly hex: string; readonly number: number };
  /** What the first program does, and what the second does. */
  readonly first: string;
  readonly second: string;
}

export interface CompareOptions {
  /** Packets for all switches together. */
  readonly packets: number;
  readonly seed: number;
  turn(): Promise<void>;
}

/** Times from one packet to the next, in nanoseconds: within a burst, of a flow, of a pause, of an age. */
const GAPS_NS = [1_000, 1_000_000, 20_000_000, 60_000_000, 2_000_000_000];
/** Time after the last packet. */
const REST_NS = 10e9;
const MAX_SHOWN = 300;

/** Undefined where both do the same. Throws StepFailure if a switch does not accept its program or its entries. */
export async function compareByPackets(
  first: Submission,
  second: Submission,
  options: CompareOptions,
): Promise<Difference | undefined> {
  const { exercise } = first;
  const models = modelFrames(exercise);
  const names = exercise.topology.switches.map(({ name }) => name);
  const one = await Bench.start(exercise, first, options);
  const other = await Bench.start(exercise, second, options);
  const each = Math.ceil(options.packets / names.length);
  for (const name of names) {
    const random = new Random(options.seed).fork(name);
    const ports = portsOf(exercise, name);
    for (let number = 0; number < each; number++) {
      const frame = randomFrame(models, random);
      const port = random.int(50) === 0 ? random.int(16) : random.pick(ports);
      const gapNs = random.pick(GAPS_NS);
      const [a, b] = [await one.send(name, port, frame, gapNs), await other.send(name, port, frame, gapNs)];
      if (a === b) continue;
      const packet = { port, hex: toHex(frame), number };
      return { switch: name, packet, first: a.slice(0, MAX_SHOWN), second: b.slice(0, MAX_SHOWN) };
    }
    await one.rest(REST_NS);
    await other.rest(REST_NS);
    const [a, b] = [await one.state(name), await other.state(name)];
    const at = a.findIndex((line, index) => line !== b[index]);
    if (at >= 0 || a.length !== b.length)
      return { switch: name, first: a[at] ?? "no state", second: b[at] ?? "no state" };
  }
  return undefined;
}

function portsOf({ topology }: Exercise, name: string): number[] {
  return topology.links
    .flatMap(({ a, b }) => [a, b])
    .filter(({ node }) => node === name)
    .map(({ port }) => port);
}

/** The switches of one submission, without links. */
class Bench {
  readonly #simulation: Simulation;
  readonly #switches: ReadonlyMap<string, Switch>;
  /** What switches have done since the last packet. */
  #done: string[] = [];

  private constructor({ topology }: Exercise, { seed, turn }: CompareOptions) {
    const simulation = new Simulation({ turn });
    this.#simulation = simulation;
    const clock: SwitchClock = {
      now: () => simulation.now / 1000,
      at: (time, fn) => simulation.at(Math.max(simulation.now, Math.round(time * 1000)), fn),
    };
    this.#switches = new Map(
      topology.switches.map(({ name, cpuPort, priorityQueues }) => {
        const one = new Switch(undefined, {
          name,
          clock,
          seed,
          transmit: (port, frame) => void this.#done.push(`port ${port}: ${toHex(frame)}`),
          queue: given({ priorities: priorityQueues }),
          ...given({ cpuPort }),
        });
        one.watch((event) => this.#heard(event));
        return [name, one];
      }),
    );
  }

  static async start(exercise: Exercise, submission: Submission, options: CompareOptions): Promise<Bench> {
    const bench = new Bench(exercise, options);
    await bootSwitches({ device: (name) => bench.#switches.get(name)! }, submission);
    for (const one of bench.#switches.values()) await hearDigests(one);
    return bench;
  }

  #heard(event: DeviceEvent): void {
    if (event.kind === "packetIn")
      this.#done.push(`packet-in: ${toHex(event.packet.payload)} ${text(event.packet.metadata)}`);
    if (event.kind === "digest") this.#done.push(`digest ${event.list.digest}: ${text(event.list.data)}`);
  }

  /** Sends a packet, lets time pass, and gives what the switch did. */
  async send(name: string, port: number, frame: Uint8Array, gapNs: number): Promise<string> {
    this.#done = [];
    this.#switches.get(name)!.receive(port, frame);
    this.#simulation.run(this.#simulation.now + gapNs);
    return this.#done.join("\n") || "nothing";
  }

  async rest(ns: number): Promise<void> {
    this.#simulation.run(this.#simulation.now + ns);
  }

  /** Counters and registers, one line each. */
  async state(name: string): Promise<string[]> {
    const one = this.#switches.get(name)!;
    const info = one.program!.p4info;
    const has = (list: readonly unknown[] | undefined): boolean => (list?.length ?? 0) > 0;
    const queries = [
      ...(has(info.counters) ? [{ kind: "counter" } as const] : []),
      ...(has(info.registers) ? [{ kind: "register" } as const] : []),
      ...(has(info.directCounters) ? [{ kind: "directCounter" } as const] : []),
    ];
    return queries.length === 0 ? [] : (await one.read(queries)).map(text);
  }
}

async function hearDigests(one: Switch): Promise<void> {
  for (const { preamble } of one.program?.p4info.digests ?? []) {
    const entity = {
      kind: "digest",
      digest: preamble!.name,
      maxListSize: 1,
      maxTimeoutNs: 0n,
      ackTimeoutNs: 0n,
    } as const;
    // It may be configured already.
    await one.write([{ type: "insert", entity }]).catch(() => {});
  }
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));
