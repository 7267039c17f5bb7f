/**
 * The network of a test with real switches, on interfaces in network namespaces. The hosts are those of the simulated network:
 * their frames go through the interfaces of the lab's hosts, whose kernels are silent. Time is real.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Device, DeviceEvent } from "../device/index.js";
import type { ExerciseTopology } from "../exercises/index.js";
import { portName, TestHost, type TestNetwork } from "../grading/index.js";
import { Interfaces } from "../interfaces/index.js";
import { Network, type Node, Simulation } from "../sim/packet/index.js";
import { hostNamespace, type Lab, labOfExercise, type SwitchEngine, startLab } from "../testbed/index.js";

export interface TestbedOptions {
  readonly engine: SwitchEngine;
  /** Path of simple_switch_grpc; default: the one on PATH. */
  readonly bmv2?: string;
  readonly stop: AbortSignal;
}

/** After the last packet that is expected, for those that are not. */
const SETTLE_NS = 50e6;
const STEP_MS = 1;
/** A frame that a host sends is on its interface at once. */
const NO_WIRE = { rate: 0, delay: 0, queueBytes: Number.POSITIVE_INFINITY, queuePackets: Number.POSITIVE_INFINITY };

export async function startTestbedNetwork(
  topology: ExerciseTopology,
  { engine, bmv2, stop }: TestbedOptions,
): Promise<TestNetwork> {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-grade-"));
  let lab: Lab | undefined;
  try {
    lab = await startLab(labOfExercise(topology), {
      network: "netns",
      engine,
      ...(bmv2 === undefined ? {} : { bmv2 }),
      folder,
      logLevel: "off",
      allowMissing: new Set(["delay", "rate"] as const),
      log: () => {},
      stop,
    });
    // Without an address the kernel of a host answers nothing.
    for (const host of lab.hosts.values()) await host.exec(["ip", "address", "flush", "dev", "eth0"]);
    return new TestbedNetwork(topology, lab, folder);
  } catch (error) {
    await lab?.close();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

class TestbedNetwork implements TestNetwork {
  readonly hosts: ReadonlyMap<string, TestHost>;
  readonly #simulation = new Simulation();
  readonly #interfaces: Interfaces;
  readonly #start = performance.now();

  constructor(
    readonly topology: ExerciseTopology,
    readonly lab: Lab,
    readonly folder: string,
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
          this.#interfaces.send(port, frame);
          this.#interfaces.flush();
        },
      };
      network.connect({ node: host, port: 1 }, { node: wire, port: 1 }, { aToB: NO_WIRE, bToA: NO_WIRE });
    }
    this.#interfaces.start();
  }

  /** Brings the hosts' clock to the present. */
  #advance(): void {
    const now = Math.round((performance.now() - this.#start) * 1e6);
    if (now > this.#simulation.now) this.#simulation.run(now);
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

  async run(ns: number, done?: () => boolean): Promise<void> {
    let end = this.now() + ns;
    let isDone = false;
    while (this.now() < end) {
      await sleep(STEP_MS);
      if (isDone || done?.() !== true) continue;
      isDone = true;
      end = Math.min(end, this.now() + SETTLE_NS);
    }
  }

  setLink(a: string, b: string, up: boolean): Promise<void> {
    return this.lab.setLink(a, b, up);
  }

  async sent(): Promise<ReadonlyMap<string, number>> {
    const counters = await this.lab.counters();
    const ends = this.topology.links.flatMap(({ a, b }) => [a, b]);
    return new Map(
      ends.map(({ node, port }) => [
        portName(node, port),
        counters.get(`${node}-eth${port}`)?.sentFrames ?? 0,
      ]),
    );
  }

  async close(): Promise<void> {
    this.#interfaces.close();
    await this.lab.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
