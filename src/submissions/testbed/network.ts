/**
 * The network of a test with real switches, on interfaces in network namespaces. The hosts are those of the simulated network:
 * their frames go through the interfaces of the lab's hosts, whose kernels have no address and say nothing. Time is real.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Device, DeviceEvent } from "../../device/index.js";
import type { ExerciseTopology } from "../../exercises/index.js";
import { portName, TestHost, type TestNetwork, tooManyFrames } from "../../grading/index.js";
import { Interfaces } from "../../interfaces/index.js";
import { Network, type Node, Simulation } from "../../sim/packet/index.js";
import {
  hostNamespace,
  type Lab,
  type LabSpec,
  labOfExercise,
  type SwitchEngine,
  startLab,
} from "../../testbed/index.js";

/** Which switches, as plain data. */
export interface TestbedEngine {
  readonly engine: SwitchEngine;
  /** Path of simple_switch_grpc; default: the one on PATH. */
  readonly bmv2?: string;
}

export interface TestbedNetworkOptions extends TestbedEngine {
  /** For the logs of the switches; it stays when the network is closed. */
  readonly folder: string;
  /** Frames that the switches may send; more of them fail the test. */
  readonly frames: number;
  /** Aborted: all that was started is taken away. */
  readonly stop: AbortSignal;
}

/** Further time for what is expected: a process that has just started, on a machine with other work, is slow. */
const PATIENCE_NS = 2e9;
/** After the last packet that is expected, for those that are not. */
const SETTLE_NS = 50e6;
const STEP_MS = 1;
const SLICE_NS = 100_000;
/** What the clock of the hosts makes up for after a pause of this process; what is beyond is lost time. */
const MAX_BEHIND_NS = 30e6;
/** Frames that the hosts send at once: half of a queue of BMv2. */
const MAX_BURST = 32;
/** From one look at the number of frames to the next. */
const COUNT_NS = 250e6;
/** A frame that a host sends is on its interface at once. */
const NO_WIRE = {
  rate: 0,
  delay: 0,
  queueBytes: Number.POSITIVE_INFINITY,
  queuePackets: Number.POSITIVE_INFINITY,
};

/** @throws DiagnosticError where this machine cannot run such a network (P431xx, P42xxx of interfaces); nothing is left then */
export async function startTestbedNetwork(
  topology: ExerciseTopology,
  { engine, bmv2, folder, frames, stop }: TestbedNetworkOptions,
): Promise<TestNetwork> {
  const lab = await startLab(quietLab(topology), {
    network: "netns",
    engine,
    ...(bmv2 === undefined ? {} : { bmv2 }),
    folder,
    logLevel: "off",
    allowMissing: new Set(["delay", "rate"] as const),
    log: () => {},
    stop,
  });
  try {
    return new TestbedNetwork(topology, lab, frames);
  } catch (error) {
    await lab.close();
    throw error;
  }
}

/** Hosts without addresses, and switches that only we reach. */
function quietLab(topology: ExerciseTopology): LabSpec {
  const spec = labOfExercise(topology);
  return {
    ...spec,
    hosts: spec.hosts.map((host) => ({
      ...host,
      interfaces: host.interfaces.map(({ name, mac }) => ({ name, mac })),
    })),
    switches: spec.switches.map(({ grpcPort: _, ...rest }) => rest),
  };
}

class TestbedNetwork implements TestNetwork {
  readonly hosts: ReadonlyMap<string, TestHost>;
  readonly patienceNs = PATIENCE_NS;
  readonly #simulation = new Simulation();
  readonly #interfaces: Interfaces;
  /** Until when, in milliseconds of this process, the clock of the hosts has been looked after. */
  #wall = performance.now();
  /** How far the clock of the hosts is behind that. */
  #behind = 0;
  /** Frames that the hosts have sent since the clock was last looked after. */
  #burst = 0;
  #counted = 0;

  constructor(
    readonly topology: ExerciseTopology,
    readonly lab: Lab,
    readonly frames: number,
  ) {
    const network = new Network(this.#simulation);
    const hosts = topology.hosts.map((host) => new TestHost(this.#simulation, host));
    this.hosts = new Map(hosts.map((host) => [host.name, host]));
    this.#interfaces = new Interfaces(
      hosts.map(({ name }, port) => ({ port, name: "eth0", namespace: hostNamespace(lab.id, name) })),
      {
        frame: (port, frame) => {
          this.#advance();
          hosts[port]!.receive(1, frame.slice());
        },
        batch: () => this.#advance(),
      },
    );
    for (const [port, host] of hosts.entries()) {
      const wire: Node = {
        name: `interface of ${host.name}`,
        attach: () => {},
        receive: (_port, frame) => {
          this.#burst++;
          this.#interfaces.send(port, frame);
          this.#interfaces.flush();
        },
      };
      network.connect({ node: host, port: 1 }, { node: wire, port: 1 }, { aToB: NO_WIRE, bToA: NO_WIRE });
    }
    this.#interfaces.start();
  }

  /**
   * Brings the hosts' clock towards the present. After a pause of this process it may stay behind: what was to be sent during the
   * pause would leave at once, and fill the queues of the switches.
   */
  #advance(): void {
    const passed = (performance.now() - this.#wall) * 1e6;
    this.#wall += passed / 1e6;
    this.#behind = Math.min(this.#behind + passed, MAX_BEHIND_NS);
    this.#burst = 0;
    while (this.#behind >= SLICE_NS && this.#burst < MAX_BURST) {
      this.#behind -= SLICE_NS;
      this.#simulation.run(this.#simulation.now + SLICE_NS);
    }
  }

  switches(): readonly string[] {
    return [...this.lab.switches.keys()];
  }

  device(name: string): Device {
    return this.lab.switches.get(name)!.device;
  }

  watch(name: string, listener: (event: DeviceEvent) => void): () => void {
    return this.device(name).watch(listener);
  }

  now(): number {
    this.#advance();
    return this.#simulation.now;
  }

  at(time: number, fn: () => void): void {
    this.#simulation.at(Math.max(time, this.#simulation.now), fn);
  }

  /** With `done`, it may also take longer. Throws StepFailure after too many frames. */
  async run(ns: number, done?: () => boolean): Promise<void> {
    let end = this.now() + ns + (done === undefined ? 0 : PATIENCE_NS);
    let isDone = false;
    while (this.now() < end) {
      await sleep(STEP_MS);
      if (this.#simulation.now - this.#counted > COUNT_NS) await this.#count();
      if (isDone || done?.() !== true) continue;
      isDone = true;
      end = Math.min(end, this.now() + SETTLE_NS);
    }
    await this.#count();
  }

  async #count(): Promise<void> {
    const sent = await this.sent();
    this.#counted = this.now();
    let sum = 0;
    for (const frames of sent.values()) sum += frames;
    if (sum > this.frames) throw tooManyFrames(this.frames);
  }

  setLink(a: string, b: string, up: boolean): Promise<void> {
    return this.lab.setLink(a, b, up);
  }

  async sent(): Promise<ReadonlyMap<string, number>> {
    const counters = await this.lab.counters();
    const ends = this.topology.links.flatMap(({ a, b }) => [a, b]);
    return new Map(
      ends
        .filter(({ node }) => this.lab.switches.has(node))
        .map(({ node, port }) => [portName(node, port), counters.get(`${node}-eth${port}`)?.sentFrames ?? 0]),
    );
  }

  async close(): Promise<void> {
    this.#interfaces.close();
    await this.lab.close();
  }
}
