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
import { hostNamespace, type Lab } from "../../testbed/index.js";

/** Further time for what is expected: a process that has just started, on a machine with other work, is slow. */
const PATIENCE_NS = 2e9;
/** After the last packet that is expected, for those that are not. */
const SETTLE_NS = 50e6;
const STEP_MS = 1;
const SLICE_NS = 100_000;
/** Time without a frame that lasts longer than this is real: the clock of the hosts makes up for nothing then. */
const MAX_GAP_NS = 5e6;
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

export class TestbedNetwork implements TestNetwork {
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
  /** By the clock of the hosts. */
  #lastSent = 0;
  #counted = 0;
  /** Frames that the switches had sent before. */
  readonly #before: ReadonlyMap<string, number>;
  readonly #stopWatching: (() => void)[] = [];
  /** Links that are down, by the names of their nodes. */
  readonly downLinks = new Map<string, readonly [a: string, b: string]>();

  private constructor(
    readonly topology: ExerciseTopology,
    readonly lab: Lab,
    readonly frames: number,
    before: ReadonlyMap<string, number>,
    readonly closed: () => Promise<void>,
  ) {
    this.#before = before;
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
          this.#lastSent = this.#simulation.now;
          this.#interfaces.send(port, frame);
          this.#interfaces.flush();
        },
      };
      network.connect({ node: host, port: 1 }, { node: wire, port: 1 }, { aToB: NO_WIRE, bToA: NO_WIRE });
    }
    this.#interfaces.start();
  }

  /**
   * Opens the interfaces of the hosts of a lab whose switches have no program yet.
   * @param closed called when they are closed; the lab is up to it
   */
  static async open(
    topology: ExerciseTopology,
    lab: Lab,
    frames: number,
    closed: () => Promise<void>,
  ): Promise<TestbedNetwork> {
    return new TestbedNetwork(topology, lab, frames, await sentFrames(topology, lab), closed);
  }

  /**
   * Brings the hosts' clock towards the present. Where this process was late, it makes up for that while hosts send packet after
   * packet, though not all at once, which would fill the queues of switches. A pause between packets is not made shorter.
   */
  #advance(): void {
    const passed = (performance.now() - this.#wall) * 1e6;
    this.#wall += passed / 1e6;
    this.#behind += passed;
    this.#burst = 0;
    while (this.#behind >= SLICE_NS && this.#burst < MAX_BURST) {
      this.#behind -= SLICE_NS;
      this.#simulation.run(this.#simulation.now + SLICE_NS);
      if (this.#simulation.now - this.#lastSent > MAX_GAP_NS) this.#behind = 0;
    }
  }

  switches(): readonly string[] {
    return [...this.lab.switches.keys()];
  }

  device(name: string): Device {
    return this.lab.switches.get(name)!.device;
  }

  watch(name: string, listener: (event: DeviceEvent) => void): () => void {
    const stop = this.device(name).watch(listener);
    this.#stopWatching.push(stop);
    return stop;
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

  async setLink(a: string, b: string, up: boolean): Promise<void> {
    await this.lab.setLink(a, b, up);
    const key = [a, b].sort().join(" ");
    if (up) this.downLinks.delete(key);
    else this.downLinks.set(key, [a, b]);
  }

  async sent(): Promise<ReadonlyMap<string, number>> {
    const now = await sentFrames(this.topology, this.lab);
    return new Map([...now].map(([port, frames]) => [port, frames - (this.#before.get(port) ?? 0)]));
  }

  async close(): Promise<void> {
    for (const stop of this.#stopWatching) stop();
    this.#interfaces.close();
    await this.closed();
  }
}

/** Frames that each port of a switch has sent since the lab started. */
export async function sentFrames(topology: ExerciseTopology, lab: Lab): Promise<ReadonlyMap<string, number>> {
  const counters = await lab.counters();
  const ends = topology.links.flatMap(({ a, b }) => [a, b]).filter(({ node }) => lab.switches.has(node));
  return new Map(
    ends.map(({ node, port }) => [portName(node, port), counters.get(`${node}-eth${port}`)?.sentFrames ?? 0]),
  );
}
