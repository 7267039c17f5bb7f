/**
 * Networks of real switches for tests, one after the other. Namespaces, links and processes of our switch are made once; before
 * each further test, links are mended and switches are made empty again.
 */
import { getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExerciseTopology } from "../../exercises/index.js";
import type { TestNetwork } from "../../grading/index.js";
import {
  type Lab,
  type LabSpec,
  labOfExercise,
  type RunningSwitch,
  type SwitchEngine,
  startLab,
} from "../../testbed/index.js";
import { sentFrames, TestbedNetwork } from "./network.js";

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

/** Frames that still go round are seen in this time. */
const LOOK_MS = 20;

/** Of this process and of the switches, as nice(1) counts: what waits for a processor is late, and real time goes on. */
const PRIORITY = -15;

export class TestbedNetworks {
  #lab: Lab | undefined;
  readonly #priority = getPriority();
  #last: TestbedNetwork | undefined;
  /** Resolves when the last network that was asked for is closed, or did not start. */
  #free: Promise<void> = Promise.resolve();
  #closed = false;
  /** Names of switches whose process has ended. */
  readonly #ended = new Set<string>();

  constructor(
    readonly topology: ExerciseTopology,
    readonly options: TestbedNetworkOptions,
  ) {}

  /**
   * A network whose switches have no program. It begins when the one before is closed.
   * @throws DiagnosticError where this machine cannot run it (P431xx, P42xxx of interfaces)
   */
  async open(): Promise<TestNetwork> {
    const before = this.#free;
    let free = (): void => {};
    this.#free = new Promise((resolve) => {
      free = resolve;
    });
    await before;
    this.#refuseIfClosed();
    prioritize(Math.min(PRIORITY, this.#priority));
    const closed = (): void => {
      prioritize(this.#priority);
      free();
    };
    try {
      const lab = this.#lab === undefined ? await this.#start() : await this.#again(this.#lab);
      this.#last = await TestbedNetwork.open(this.topology, lab, this.options.frames, closed);
      return this.#last;
    } catch (error) {
      closed();
      throw error;
    }
  }

  /** Resolves when no network that was asked for before this call is open any more. */
  whenFree(): Promise<void> {
    return this.#free;
  }

  /** Removes everything that was started. `open` rejects afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    // The processes need not write anything more.
    await Promise.allSettled([...(this.#lab?.switches.values() ?? [])].map((one) => one.kill()));
    await this.#lab?.close();
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new Error("the networks for tests are closed");
  }

  async #start(): Promise<Lab> {
    const { engine, bmv2, folder, stop } = this.options;
    const lab = await startLab(quietLab(this.topology), {
      network: "netns",
      engine,
      ...(bmv2 === undefined ? {} : { bmv2 }),
      folder,
      logLevel: "off",
      allowMissing: new Set(["delay", "rate"] as const),
      log: () => {},
      stop,
    });
    if (this.#closed) await lab.close();
    this.#refuseIfClosed();
    this.#lab = lab;
    for (const one of lab.switches.values())
      one.watchState(({ running }) => {
        if (running) this.#ended.delete(one.name);
        else this.#ended.add(one.name);
      });
    return lab;
  }

  /** A program that is loaded into our switch replaces all state; BMv2 keeps groups and sessions, so it starts anew. */
  async #again(lab: Lab): Promise<Lab> {
    for (const [a, b] of this.#last?.downLinks.values() ?? []) await lab.setLink(a, b, true);
    const all = this.options.engine === "bmv2" || (await this.#framesMove(lab));
    const started: RunningSwitch[] = [...lab.switches.values()].filter(
      ({ name }) => all || this.#ended.has(name),
    );
    await Promise.all(started.map((one) => one.restart()));
    return lab;
  }

  /** A loop of the test before would be there in the next one too. */
  async #framesMove(lab: Lab): Promise<boolean> {
    const before = await sentFrames(this.topology, lab);
    await sleep(LOOK_MS);
    const after = await sentFrames(this.topology, lab);
    return [...after].some(([port, frames]) => before.get(port) !== frames);
  }
}

/** Where a container forbids it, the processes take turns with all others. */
function prioritize(priority: number): void {
  try {
    setPriority(priority);
  } catch {
    // as it is
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
