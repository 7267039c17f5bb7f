/**
 * The network of a design in the simulator: switches that run its program, stations that send and receive frames, links with
 * rate and delay. What a second model expects to arrive is compared with what arrives.
 */
import { Diagnostics, toHex } from "../../../src/base/index.js";
import {
  type Channel,
  Network,
  type Node,
  Simulation,
  SwitchNode,
} from "../../../src/fabric/sim/packet/index.js";
import type { TableEntry, Update } from "../../../src/toolchain/device/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";

/** A host that does what the design's tool says. */
export class Station implements Node {
  heard: (frame: Uint8Array, port: number) => void = () => {};
  readonly #outputs = new Map<number, Channel>();

  constructor(readonly name: string) {}

  attach(port: number, output: Channel): void {
    this.#outputs.set(port, output);
  }

  receive(port: number, frame: Uint8Array): void {
    this.heard(frame, port);
  }

  send(frame: Uint8Array, port = 0): void {
    const output = this.#outputs.get(port);
    if (output === undefined) throw new Error(`${this.name} has no link at port ${port}`);
    output.send(frame);
  }
}

export interface LinkSettings {
  /** Bits per second. */
  readonly rate: number;
  /** Nanoseconds. */
  readonly delay: number;
}

const ENDLESS = Number.POSITIVE_INFINITY;

export class Bed {
  readonly simulation = new Simulation({ turn: () => new Promise((done) => setImmediate(done)) });
  readonly network = new Network(this.simulation);
  readonly #arrivals = new Map<Node, (port: number, frame: Uint8Array) => void>();
  #switches = 0;

  constructor() {
    this.network.observer = ({ target, targetPort }, frame) =>
      this.#arrivals.get(target)?.(targetPort, frame);
  }

  get now(): number {
    return this.simulation.now;
  }

  /** A switch with the program and the entries. */
  async addSwitch(name: string, program: Program, updates: readonly Update[]): Promise<SwitchNode> {
    this.#switches++;
    const node = new SwitchNode(this.simulation, {
      name,
      seed: this.#switches,
      queuePackets: ENDLESS,
      queueBytes: ENDLESS,
    });
    await node.device.load(program);
    await node.device.write(updates);
    return node;
  }

  /** Port 0 of a station to a port of a switch, or two switches. */
  link(a: readonly [Node, number], b: readonly [Node, number], { rate, delay }: LinkSettings): void {
    const wire = { rate, delay, queueBytes: ENDLESS, queuePackets: ENDLESS };
    this.network.connect({ node: a[0], port: a[1] }, { node: b[0], port: b[1] }, { aToB: wire, bToA: wire });
  }

  /** Calls back for every frame that reaches a switch, before the switch has it. */
  onArrival(node: SwitchNode, call: (port: number, frame: Uint8Array) => void): void {
    this.#arrivals.set(node, call);
  }

  at(time: number, call: () => void): void {
    this.simulation.at(Math.max(this.now, Math.round(time)), call);
  }

  after(nanoseconds: number, call: () => void): void {
    this.at(this.now + nanoseconds, call);
  }
}

/** What a second model expects at each station, and what arrived there: whole frames. */
export class Ledger {
  compared = 0;
  readonly #open = new Map<string, number>();

  #count(station: string, frame: Uint8Array, by: number): void {
    const key = `${station} ${toHex(frame)}`;
    const count = (this.#open.get(key) ?? 0) + by;
    if (count === 0) this.#open.delete(key);
    else this.#open.set(key, count);
  }

  expect(station: string, frame: Uint8Array): void {
    this.#count(station, frame, 1);
  }

  saw(station: string, frame: Uint8Array): void {
    this.compared++;
    this.#count(station, frame, -1);
  }

  /** A line for each frame that did not arrive, or that was not expected. */
  get disagreements(): string[] {
    return [...this.#open].map(([key, count]) => `${count > 0 ? "missing" : "not expected"}: ${key}`);
  }
}

export interface ProgramPlace {
  readonly path: string;
  readonly include: readonly string[];
  readonly define: readonly string[];
}

export async function programOf(place: ProgramPlace): Promise<Program> {
  const { program } = await loadProgram(place, new Diagnostics(), "ignore");
  return program;
}

/** An entry of a table, as an update. */
export function entry(
  table: string,
  match: TableEntry["match"],
  action: string,
  params: Readonly<Record<string, bigint | number>> = {},
  priority = 0,
): Update {
  const values = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, BigInt(value)]));
  return {
    type: "insert",
    entity: {
      kind: "tableEntry",
      table,
      match,
      priority,
      action: { kind: "action", action, params: values },
    },
  };
}

/** A part of a key that is one value. */
export function exact(field: string, value: number | bigint): TableEntry["match"][number] {
  return { kind: "exact", field, value: BigInt(value) };
}
