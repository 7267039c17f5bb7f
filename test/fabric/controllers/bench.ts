/** Controllers on virtual time, over control channels to switches that only note what is asked of them. */
import { DiagnosticError, Random } from "../../../src/base/index.js";
import { ControllerHost, type ControllerPlan } from "../../../src/fabric/controllers/index.js";
import {
  ControlChannel,
  controlClock,
  type PortSource,
  Simulation,
} from "../../../src/fabric/sim/packet/index.js";
import {
  buildTopology,
  switchesOf,
  type Topology,
  topologySchema,
} from "../../../src/fabric/topology/index.js";
import type { Device, DeviceEvent, Entity } from "../../../src/toolchain/device/index.js";
import { NO_HOST } from "./no-hosts.js";

export const MS = 1_000_000;

export const twoTors: Topology = buildTopology(
  topologySchema.parse({ kind: "leaf_spine", tors: 2, leaves: 2, homing: "single" }),
);

/** Records each request with its time; reports what a test makes it report. */
export class NotingSwitch implements Device, PortSource {
  readonly program = undefined;
  readonly downPorts = new Set<number>();
  readonly #listeners = new Set<(event: DeviceEvent) => void>();
  readonly #portListeners = new Set<() => void>();
  /** What a read answers, or why it is refused. */
  answer: Entity[] | Error = [];

  constructor(
    readonly name: string,
    readonly note: (text: string) => void,
  ) {}

  async load(): Promise<void> {
    this.note("load");
  }

  async write(updates: readonly unknown[]): Promise<void> {
    this.note(`write ${updates.length}`);
  }

  async read(): Promise<Entity[]> {
    this.note("read");
    if (this.answer instanceof Error) throw this.answer;
    return this.answer;
  }

  async packetOut(): Promise<void> {
    this.note("packetOut");
  }

  async acknowledgeDigest(): Promise<void> {}

  watch(listener: (event: DeviceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.note("close");
  }

  tell(event: DeviceEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  watchPorts(listener: () => void): () => void {
    this.#portListeners.add(listener);
    return () => this.#portListeners.delete(listener);
  }

  port(port: number, up: boolean): void {
    if (up) this.downPorts.delete(port);
    else this.downPorts.add(port);
    for (const listener of [...this.#portListeners]) listener();
  }
}

export class Bench {
  readonly simulation = new Simulation({ turn: () => new Promise((resolve) => setImmediate(resolve)) });
  /** The log of the controllers. */
  readonly log: string[] = [];
  /** Requests that reached a switch: milliseconds, switch, request. */
  readonly requests: string[] = [];
  readonly failures: DiagnosticError[] = [];
  readonly switches = new Map<string, NotingSwitch>();
  readonly channels = new Map<string, ControlChannel>();
  readonly host: ControllerHost;

  constructor(
    plans: readonly (Omit<ControllerPlan, "switches"> & { switches?: readonly number[] })[],
    { seed = 1, delay = MS, topology = twoTors, readSource }: BenchOptions = {},
  ) {
    const all = switchesOf(topology).map(({ index }) => index);
    for (const { name } of switchesOf(topology)) {
      const note = (text: string) => this.requests.push(`${this.simulation.now / MS} ${name} ${text}`);
      const made = new NotingSwitch(name, note);
      this.switches.set(name, made);
      this.channels.set(name, new ControlChannel(this.simulation, made, { delay }, made));
    }
    this.host = new ControllerHost(
      plans.map((plan) => ({ switches: all, ...plan })),
      {
        topology,
        clock: controlClock(this.simulation),
        hostSession: () => NO_HOST,
        session: (node) => {
          const channel = this.channels.get(topology.nodes[node]!.name)!;
          return { device: channel, watchState: (listener) => channel.watchState(listener) };
        },
        random: new Random(seed),
        log: (line) => void this.log.push(line),
        failed: (error) => {
          this.failures.push(error);
          this.simulation.stop();
        },
        ...(readSource === undefined ? {} : { readSource }),
      },
    );
  }

  /** Runs for a number of milliseconds of virtual time. */
  async run(ms: number): Promise<void> {
    await this.simulation.runAsync(this.simulation.now + ms * MS);
  }

  /** Calls `fn` after a number of milliseconds from the beginning. */
  at(ms: number, fn: () => void): void {
    this.simulation.at(ms * MS, fn);
  }
}

interface BenchOptions {
  readonly seed?: number;
  /** Nanoseconds. */
  readonly delay?: number;
  readonly topology?: Topology;
  readonly readSource?: (path: string) => string | undefined;
}

/** The only error of a call that throws a DiagnosticError. */
export function diagnosticOf(call: () => unknown) {
  try {
    call();
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics[0]!;
    throw error;
  }
  throw new Error("nothing was thrown");
}
