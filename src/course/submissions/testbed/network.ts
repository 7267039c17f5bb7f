/**
 * The network of a test with real switches, on interfaces in network namespaces. The hosts are those of the simulated network:
 * they send and receive on the interfaces of the lab's hosts, whose kernels have no addresses and send nothing. Time is
 * real time.
 */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { Network, type Node, Simulation } from "../../../fabric/sim/packet/index.js";
import { hostNamespace, type Testbed } from "../../../fabric/testbed/index.js";
import type { Device, DeviceEvent } from "../../../toolchain/device/index.js";
import { Interfaces } from "../../../toolchain/interfaces/index.js";
import type { ExerciseTopology } from "../../exercises/index.js";
import { portName, TestHost, type TestNetwork, tooManyFrames } from "../../grading/index.js";
import { type Activity, activityOf, namespaceCalled, namespaceOf, startedBy, waitedNs } from "./activity.js";
import { HostClock } from "./host-clock.js";

/** Additional time for expected events, because a new process is slow on a busy machine. */
const PATIENCE_NS = 2e9;
/** On a machine with little other work, all threads together wait less than this. */
const LATE_NS = 20e6;
const STEP_MS = 1;
/** Time between two checks of the switches' work, and the number of consecutive checks that must find none. */
const LOOK_MS = 8;
const LOOKS = 3;
/** Time between two readings of the number of frames. */
const COUNT_NS = 250e6;
/** The link of a host in the simulation: a sent frame is on the interface at once. */
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
  readonly #clock: HostClock;
  /** Process ids. */
  readonly #switches: readonly number[];
  /** Child processes that existed before and do not belong to this network. */
  readonly #others: ReadonlySet<number>;
  /** Network namespaces of the hosts. A program that runs there, such as a terminal of a lab, is no switch and no controller. */
  readonly #hostNamespaces: ReadonlySet<number | undefined>;
  readonly #waitedBefore: number;
  /** Whether the switches had work for longer than {@link PATIENCE_NS}. */
  #endless = false;
  /** Number of frames that hosts have sent and received, and of messages of switches. */
  #events = 0;
  /** When the frames were last counted, by the clock of the hosts. */
  #counted = 0;
  /** Number of frames that each port had sent before this network was opened. */
  readonly #before: ReadonlyMap<string, number>;
  readonly #stopWatching: (() => void)[] = [];
  /** Links that are down, by the names of their nodes. */
  readonly downLinks = new Map<string, readonly [a: string, b: string]>();

  private constructor(
    readonly topology: ExerciseTopology,
    readonly lab: Testbed,
    readonly frames: number,
    before: ReadonlyMap<string, number>,
    readonly closed: () => void,
  ) {
    this.#before = before;
    const started = startedBy(process.pid);
    this.#switches = [...lab.switches.values()].flatMap(({ pid }) => pid ?? []);
    this.#others = new Set(started.filter((pid) => !this.#switches.includes(pid)));
    this.#hostNamespaces = new Set(
      topology.hosts.map(({ name }) => namespaceCalled(hostNamespace(lab.id, name))),
    );
    this.#waitedBefore = this.#waitedNs();
    this.#clock = new HostClock(
      this.#simulation,
      () => performance.now() * 1e6,
      () => activityOf(this.#switches).works,
    );
    const network = new Network(this.#simulation);
    const hosts = topology.hosts.map((host) => new TestHost(this.#simulation, host));
    this.hosts = new Map(hosts.map((host) => [host.name, host]));
    this.#interfaces = new Interfaces(
      hosts.map(({ name }, port) => ({ port, name: "eth0", namespace: hostNamespace(lab.id, name) })),
      {
        frame: (port, frame) => {
          this.#events++;
          this.#clock.advance();
          hosts[port]!.receive(1, frame.slice());
        },
        batch: () => this.#clock.advance(),
      },
    );
    for (const [port, host] of hosts.entries()) {
      const wire: Node = {
        name: `interface of ${host.name}`,
        attach: () => {},
        receive: (_port, frame) => {
          this.#events++;
          this.#clock.frameSent();
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
   * @param closed called when they are closed; it has to close or reuse the lab
   */
  static async open(
    topology: ExerciseTopology,
    lab: Testbed,
    frames: number,
    closed: () => void,
  ): Promise<TestbedNetwork> {
    return new TestbedNetwork(topology, lab, frames, await sentFrames(topology, lab), closed);
  }

  switches(): readonly string[] {
    return [...this.lab.switches.keys()];
  }

  device(name: string): Device {
    return this.lab.switches.get(name)!.device;
  }

  watch(name: string, listener: (event: DeviceEvent) => void): () => void {
    const stop = this.device(name).watch((event) => {
      this.#events++;
      listener(event);
    });
    this.#stopWatching.push(stop);
    return stop;
  }

  now(): number {
    this.#clock.advance();
    return this.#simulation.now;
  }

  at(time: number, fn: () => void): void {
    this.#simulation.at(Math.max(time, this.#simulation.now), fn);
  }

  /**
   * With `done`, it ends when `done` returns true or the time has passed, and the switches are idle, so that unexpected packets
   * have also arrived. Throws StepFailure after too many frames.
   */
  async advance(ns: number, done?: () => boolean): Promise<void> {
    const end = this.now() + ns;
    while (this.now() < end && done?.() !== true) await this.#pass(STEP_MS);
    if (done !== undefined) await this.#settle();
    await this.#count();
  }

  async #pass(ms: number): Promise<void> {
    await sleep(ms);
    if (this.now() - this.#counted > COUNT_NS) await this.#count();
  }

  /** Waits until all switches and the controller are idle, and no message between them is in flight. */
  async #settle(): Promise<void> {
    const end = this.now() + PATIENCE_NS;
    const pids = startedBy(process.pid).filter(
      (pid) => !this.#others.has(pid) && !this.#hostNamespaces.has(namespaceOf(pid)),
    );
    let before: (Activity & { readonly events: number }) | undefined;
    for (let quiet = 0; quiet < LOOKS; ) {
      if (this.now() >= end) {
        this.#endless = true;
        return;
      }
      // Handles the frames that have arrived meanwhile before the next check.
      await this.#pass(LOOK_MS);
      await setImmediate();
      const { works, turns } = activityOf(pids);
      const same = turns === before?.turns && this.#events === before.events;
      quiet = !works && same ? quiet + 1 : 0;
      before = { works, turns, events: this.#events };
    }
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

  /**
   * True also if the kernel does not count waiting times. False after an endless loop, which keeps processes busy on
   * any machine.
   */
  wasLate(): boolean {
    return !this.#endless && !(this.#waitedNs() - this.#waitedBefore < LATE_NS);
  }

  #waitedNs(): number {
    return waitedNs([process.pid, ...this.#switches]);
  }

  async close(): Promise<void> {
    for (const stop of this.#stopWatching) stop();
    this.#interfaces.close();
    this.closed();
  }
}

/** Number of frames that each port of a switch has sent since the lab started. */
export async function sentFrames(
  topology: ExerciseTopology,
  lab: Testbed,
): Promise<ReadonlyMap<string, number>> {
  const counters = await lab.counters();
  const ends = topology.links.flatMap(({ a, b }) => [a, b]).filter(({ node }) => lab.switches.has(node));
  return new Map(
    ends.map(({ node, port }) => [portName(node, port), counters.get(`${node}-eth${port}`)?.sentFrames ?? 0]),
  );
}
