/**
 * Networks of real switches for tests, one after the other. Namespaces, links and processes of our switch are created
 * once; before each further test, links are repaired and the state of switches is cleared.
 */

import { getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { given } from "../../../base/index.js";
import {
  type RunningSwitch,
  type SwitchEngine,
  startTestbed,
  type Testbed,
  type TestbedSpec,
} from "../../../fabric/testbed/index.js";
import { labOfExercise } from "../../exercise-network/index.js";
import type { Exercise, ExerciseTopology } from "../../exercises/index.js";
import type { TestNetwork } from "../../grading/index.js";
import { sentFrames, TestbedNetwork } from "./network.js";

/** The choice of switches, as plain data. */
export interface TestbedEngine {
  readonly engine: SwitchEngine;
  /** Path of simple_switch_grpc; default: the one on PATH. */
  readonly bmv2?: string;
}

export interface TestbedNetworkOptions extends TestbedEngine {
  /** Folder for the logs of the switches; it is kept when the network is closed. */
  readonly folder: string;
  /** Maximum number of frames that the switches send; with more frames, the test fails. */
  readonly frames: number;
  /** On abort, everything that was started is removed. */
  readonly stop: AbortSignal;
}

/** Time in which frames that still circulate are detected. */
const LOOK_MS = 20;

/**
 * The nice value of this process and of the switches. It is low, because processes that wait for a processor are late
 * in real time.
 */
const PRIORITY = -15;

export class TestbedNetworks {
  #lab: Testbed | undefined;
  readonly #priority = getPriority();
  #last: TestbedNetwork | undefined;
  /** Resolves when the last requested network is closed, or did not start. */
  #free: Promise<void> = Promise.resolve();
  #closed = false;
  /** Names of switches whose process has ended. */
  readonly #ended = new Set<string>();

  constructor(
    readonly topology: ExerciseTopology,
    readonly options: TestbedNetworkOptions,
  ) {}

  /**
   * Opens a network whose switches have no program, after the previous one was closed.
   * @throws DiagnosticError if this machine cannot run it (P431xx, P42xxx of interfaces)
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

  /** Resolves when all networks that were requested before this call are closed. */
  whenFree(): Promise<void> {
    return this.#free;
  }

  /** Removes everything that was started. `open` rejects afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    // The processes do not have to write their logs.
    await Promise.allSettled([...(this.#lab?.switches.values() ?? [])].map((one) => one.kill()));
    await this.#lab?.close();
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new Error("the networks for tests are closed");
  }

  async #start(): Promise<Testbed> {
    const { engine, bmv2, folder, stop } = this.options;
    const lab = await startTestbed(quietLab(this.topology), {
      network: "netns",
      engine,
      ...given({ bmv2 }),
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

  /**
   * Prepares the lab for the next test. Loading a program into our switch replaces all state; BMv2 keeps groups and
   * sessions, so it is restarted.
   */
  async #again(lab: Testbed): Promise<Testbed> {
    for (const [a, b] of this.#last?.downLinks.values() ?? []) await lab.setLink(a, b, true);
    const all = this.options.engine === "bmv2" || (await this.#framesMove(lab));
    const started: RunningSwitch[] = [...lab.switches.values()].filter(
      ({ name }) => all || this.#ended.has(name),
    );
    await Promise.all(started.map((one) => one.restart()));
    return lab;
  }

  /** Whether frames of the previous test still circulate in a loop, and would disturb the next test. */
  async #framesMove(lab: Testbed): Promise<boolean> {
    const before = await sentFrames(this.topology, lab);
    await sleep(LOOK_MS);
    const after = await sentFrames(this.topology, lab);
    return [...after].some(([port, frames]) => before.get(port) !== frames);
  }
}

/** Sets the priority; if a container forbids this, the processes keep the usual priority. */
function prioritize(priority: number): void {
  try {
    setPriority(priority);
  } catch {
    // keeps the usual priority
  }
}

/** A lab whose hosts have no addresses and whose switches only this process can reach. */
function quietLab(topology: ExerciseTopology): TestbedSpec {
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

/** Networks for repeated tests of an exercise: they are kept until its topology changes. */
export class KeptNetworks {
  #networks: TestbedNetworks | undefined;

  constructor(readonly options: Omit<TestbedNetworkOptions, "frames">) {}

  /**
   * Opens a network whose switches have no program, after the previous one was closed.
   * @throws DiagnosticError if this machine cannot run it (P431xx, P42xxx of interfaces)
   */
  async open({ topology, limits: { frames } }: Exercise): Promise<TestNetwork> {
    const kept = this.#networks;
    if (kept !== undefined && kept.options.frames === frames && isDeepStrictEqual(kept.topology, topology))
      return kept.open();
    const made = new TestbedNetworks(topology, { ...this.options, frames });
    this.#networks = made;
    // waits for the end of a test that runs on the previous networks
    await kept?.whenFree();
    await kept?.close();
    return made.open();
  }

  /** Removes all networks; no further one can be opened. */
  async close(): Promise<void> {
    await this.#networks?.close();
  }
}
