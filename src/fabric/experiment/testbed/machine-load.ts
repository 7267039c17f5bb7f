/**
 * Load of the machine during a run on a testbed. Where processors are saturated, or switches lose frames because
 * they read them too late, times depend on the machine and do not describe the network.
 */
import { defined } from "../../../base/index.js";
import { loadBetween, type Testbed, type TestbedLoad, type TestbedUsage } from "../../testbed/index.js";

/** Shares of one processor; `machine` is the share of all processors together. */
export interface RunLoad {
  /** Busy share of the machine, 0 to 1. */
  readonly machine: number;
  /** The busiest switch, and all hosts together. */
  readonly busiestSwitch: number;
  readonly hosts: number;
  /** Frames that switches lost because they did not read them in time; null where the engine does not report it. */
  readonly lostFrames: number | null;
  readonly saturated: boolean;
}

/** From these shares on, work waits for a processor. */
const SATURATED_MACHINE = 0.95;
const SATURATED_SWITCH = 0.95;

export function runLoad({ machine, switches, hosts }: TestbedLoad): RunLoad {
  const busiestSwitch = Math.max(0, ...[...switches.values()].map(({ processor }) => processor));
  const lost = [...switches.values()].map(({ unreadFrames }) => unreadFrames);
  const lostFrames = lost.some((frames) => frames === undefined)
    ? null
    : lost.reduce<number>((sum, frames) => sum + defined(frames), 0);
  return {
    machine,
    busiestSwitch,
    hosts: [...hosts.values()].reduce((sum, { processor }) => sum + processor, 0),
    lostFrames,
    saturated: machine >= SATURATED_MACHINE || busiestSwitch >= SATURATED_SWITCH || (lostFrames ?? 0) > 0,
  };
}

/** One sentence if any run was saturated, else none. */
export function saturationWarnings(loads: readonly (RunLoad | undefined)[]): string[] {
  const saturated = loads.filter((load) => load?.saturated === true) as RunLoad[];
  if (saturated.length === 0) return [];
  const percent = (share: (load: RunLoad) => number) =>
    `${Math.round(100 * Math.max(...saturated.map(share)))} %`;
  const lost = saturated.reduce((sum, { lostFrames }) => sum + (lostFrames ?? 0), 0);
  return [
    `The machine was saturated in ${saturated.length} of ${loads.length} runs (machine up to ` +
      `${percent(({ machine }) => machine)} busy, a switch up to ${percent(({ busiestSwitch }) => busiestSwitch)} of a ` +
      `processor, ${lost} frames lost by switches that read too late): their times are no results of the network.`,
  ];
}

/** Measures the load of a testbed from {@link start} to {@link stop}. */
export class LoadMeter {
  #before: TestbedUsage | undefined;

  constructor(readonly testbed: Testbed) {}

  async start(): Promise<void> {
    this.#before = await this.testbed.usage();
  }

  async stop(): Promise<RunLoad> {
    return runLoad(loadBetween(defined(this.#before), await this.testbed.usage()));
  }
}
