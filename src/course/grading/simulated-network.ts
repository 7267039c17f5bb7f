/** The network of a test in virtual time, with our switch. */

import { given } from "../../base/index.js";
import {
  type Channel,
  type ChannelOptions,
  type Link,
  Network,
  type Node,
  Simulation,
  SwitchNode,
} from "../../fabric/sim/packet/index.js";
import type { Device, DeviceEvent } from "../../toolchain/device/index.js";
import type { CoverageCounts, TraceSink } from "../../toolchain/switch/index.js";
import type { ExerciseTopology } from "../exercises/index.js";
import { endlessPacket, tooManyEvents, tooManyFrames } from "./failure.js";
import { portName, type TestNetwork } from "./network.js";
import { TestHost } from "./test-host.js";

interface SimulatedNetworkOptions {
  /** Maximum number of frames that cross links; with more frames, the test fails. */
  readonly frames: number;
  /** Maximum number of events of the simulation; with more events, the test fails. */
  readonly events: number;
  /** Called after every few events. */
  progress?(): void;
  /** Resolves when all promise continuations have run, and the controller waits for an event. */
  turn(): Promise<void>;
  /** Receives a trace of every packet of every switch. */
  readonly trace?: TraceSink;
  /** Counts what packets reach of the programs; packets that are traced are not counted. */
  readonly coverage?: CoverageCounts;
}

/**
 * Delay of links for which the topology gives no latency. It is not 0, so that time advances while a frame circulates
 * in a loop.
 */
const DELAY_NS = 10_000;
/** Length of a switch's queues, the default of BMv2. */
const QUEUE_PACKETS = 64;
const SEED = 1;
/** Events between two calls of `progress`: one packet may pass a switch 65,536 times, which takes about a second. */
const SLICE_EVENTS = 32;

export class SimulatedNetwork implements TestNetwork {
  readonly hosts: ReadonlyMap<string, TestHost>;
  readonly patienceNs = 0;
  readonly #simulation: Simulation;
  readonly #network: Network;
  readonly #switches: ReadonlyMap<string, SwitchNode>;
  readonly #sent = new Map<string, number>();
  readonly #limits: Pick<SimulatedNetworkOptions, "frames" | "events">;
  readonly #progress: () => void;
  #flooded = false;

  constructor(topology: ExerciseTopology, options: SimulatedNetworkOptions) {
    const simulation = new Simulation({ turn: options.turn });
    this.#simulation = simulation;
    this.#network = new Network(simulation);
    this.#limits = options;
    this.#progress = () => options.progress?.();
    this.hosts = new Map(topology.hosts.map((host) => [host.name, new TestHost(simulation, host)]));
    this.#switches = new Map(
      topology.switches.map(({ name, cpuPort, priorityQueues }, index) => [
        name,
        new SwitchNode(simulation, {
          name,
          seed: SEED + index,
          queuePackets: QUEUE_PACKETS,
          queueBytes: Number.POSITIVE_INFINITY,
          ...given({ cpuPort, priorities: priorityQueues, coverage: options.coverage }),
        }),
      ]),
    );
    const { trace } = options;
    if (trace !== undefined) for (const { device } of this.#switches.values()) device.trace = trace;
    for (const { a, b, delayNs = DELAY_NS, rateBps = 0 } of topology.links) {
      const wire: ChannelOptions = {
        rate: rateBps,
        delay: delayNs,
        queueBytes: Number.POSITIVE_INFINITY,
        queuePackets: Number.POSITIVE_INFINITY,
      };
      this.#network.connect(
        { node: this.#node(a.node), port: a.port },
        { node: this.#node(b.node), port: b.port },
        { aToB: wire, bToA: wire },
      );
    }
    const ports = this.#sendingPorts();
    this.#network.observer = (channel) => this.#arrived(ports.get(channel));
  }

  #node(name: string): Node {
    return this.hosts.get(name) ?? this.#switches.get(name)!;
  }

  #sendingPorts(): ReadonlyMap<Channel, string> {
    return new Map(
      this.#network.links.flatMap(({ a, b, aToB, bToA }) => [
        [aToB, portName(a.node.name, a.port)] as const,
        [bToA, portName(b.node.name, b.port)] as const,
      ]),
    );
  }

  #arrived(port: string | undefined): void {
    if (port !== undefined) this.#sent.set(port, (this.#sent.get(port) ?? 0) + 1);
    if (this.#network.hopCount <= this.#limits.frames) return;
    this.#flooded = true;
    this.#simulation.stop();
  }

  switches(): readonly string[] {
    return [...this.#switches.keys()];
  }

  device(name: string): Device {
    return this.#switches.get(name)!.device;
  }

  watch(name: string, listener: (event: DeviceEvent) => void): () => void {
    return this.device(name).watch((event) => {
      this.#simulation.letPromisesRun();
      listener(event);
    });
  }

  now(): number {
    return this.#simulation.now;
  }

  at(time: number, fn: () => void): void {
    this.#simulation.at(time, fn);
  }

  async advance(ns: number): Promise<void> {
    const simulation = this.#simulation;
    const until = simulation.now + ns;
    let done = false;
    while (!done) {
      done = await simulation.runSome(until, SLICE_EVENTS);
      this.#progress();
      this.#checkLimits();
    }
  }

  /** The limits do not depend on the machine: the same submission reaches them at the same event. */
  #checkLimits(): void {
    const { frames, events } = this.#limits;
    if (this.#flooded) throw tooManyFrames(frames);
    if (this.#simulation.eventCount > events) throw tooManyEvents(events);
    for (const [name, { device }] of this.#switches)
      if (device.stats.drops.loop > 0) throw endlessPacket(name);
  }

  async setLink(a: string, b: string, up: boolean): Promise<void> {
    for (const link of this.#network.links) {
      if (!joins(link, a, b)) continue;
      if (up) this.#network.repairLink(link);
      else this.#network.failLink(link);
      this.#network.signalLink(link, up);
    }
  }

  async sent(): Promise<ReadonlyMap<string, number>> {
    return new Map(this.#sent);
  }

  strayed(): string[] {
    return [...this.#switches].flatMap(([name, { strayPorts }]) =>
      [...strayPorts].map((port) => portName(name, port)),
    );
  }

  wasLate(): boolean {
    return false;
  }

  async close(): Promise<void> {}
}

function joins({ a, b }: Link, one: string, other: string): boolean {
  return (a.node.name === one && b.node.name === other) || (a.node.name === other && b.node.name === one);
}
