/**
 * Networks of real switches for the tests of one submission, one after the other. Namespaces, links and processes of our switch
 * are made once; before each further test, links are mended and switches are made empty again.
 */
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

export class TestbedNetworks {
  #lab: Lab | undefined;
  #last: TestbedNetwork | undefined;
  /** Names of switches whose process has ended. */
  readonly #ended = new Set<string>();

  constructor(
    readonly topology: ExerciseTopology,
    readonly options: TestbedNetworkOptions,
  ) {}

  /**
   * A network whose switches have no program. The one before must have been closed.
   * @param closed called when it is closed
   * @throws DiagnosticError where this machine cannot run it (P431xx, P42xxx of interfaces)
   */
  async open(closed: () => Promise<void> = async () => {}): Promise<TestNetwork> {
    const lab = this.#lab === undefined ? await this.#start() : await this.#again(this.#lab);
    this.#last = await TestbedNetwork.open(this.topology, lab, this.options.frames, closed);
    return this.#last;
  }

  /** Takes all away; nothing can be opened afterwards. */
  async close(): Promise<void> {
    await this.#lab?.close();
  }

  async #start(): Promise<Lab> {
    const { engine, bmv2, folder, stop } = this.options;
    this.#lab = await startLab(quietLab(this.topology), {
      network: "netns",
      engine,
      ...(bmv2 === undefined ? {} : { bmv2 }),
      folder,
      logLevel: "off",
      allowMissing: new Set(["delay", "rate"] as const),
      log: () => {},
      stop,
    });
    for (const one of this.#lab.switches.values())
      one.watchState(({ running }) => {
        if (running) this.#ended.delete(one.name);
        else this.#ended.add(one.name);
      });
    return this.#lab;
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

/** A network for one test: closing it takes all away. */
export async function startTestbedNetwork(
  topology: ExerciseTopology,
  options: TestbedNetworkOptions,
): Promise<TestNetwork> {
  const networks = new TestbedNetworks(topology, options);
  try {
    return await networks.open(() => networks.close());
  } catch (error) {
    await networks.close();
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
