/** Faults of a run on a lab at their times, those of controllers and commands included. */

import type { Locate } from "../../../base/index.js";
import { monotonicNs, type SwitchEngine } from "../../testbed/index.js";
import type { Topology } from "../../topology/index.js";
import { sleepUntil } from "../testbed/flow-watch.js";
import type { SchemeOnLab } from "../testbed/scheme-on-lab.js";
import { withCleanup } from "../testbed/with-lab.js";
import type { RunFaults } from "./during-run.js";
import { effectName, endName, type Fault } from "./fault.js";
import { checkLabFaults } from "./lab-check.js";
import { LabFaults } from "./on-lab.js";
import { transitionsOf } from "./schedule.js";

/** An experiment whose file lists faults. */
interface Listed extends RunFaults {
  readonly topology: Topology;
  readonly locate: Locate;
}

/** Number of fault tables that programs need. Fails with P43018 for a fault that the engine cannot inject. */
export async function listedFaultTables(
  { topology, locate, faults }: Listed,
  engine: SwitchEngine,
  stop: AbortSignal,
): Promise<number> {
  const place = (fault: Fault, key?: string) =>
    locate(["faults", fault.number, ...(key === undefined ? [] : [key])]);
  return (await checkLabFaults(topology, faults, engine, place, stop)).count;
}

export interface LabTimes {
  /** Nanoseconds of CLOCK_MONOTONIC: time 0 of the file. */
  readonly start: number;
  /** Nanoseconds, may be infinite: what the file lists after it does not happen. */
  readonly duration: number;
}

/** Injects all faults of the file at their times while `work` runs; ends all faults when `work` is done. */
export async function withFaults<T>(
  { topology, faults: listed, controllerFaults, commands = [] }: Listed,
  fabric: SchemeOnLab,
  tables: ReadonlyMap<Fault, number>,
  { start, duration }: LabTimes,
  work: () => Promise<T>,
): Promise<T> {
  const { journal } = fabric.run;
  const over = new AbortController();
  const stop = AbortSignal.any([fabric.run.stop, over.signal]);
  const faults = new LabFaults(topology, fabric.faultyLab, tables);
  const inTurn = async <E extends { readonly at: number }>(
    events: readonly E[],
    apply: (one: E) => unknown,
  ) => {
    for (const event of events) {
      if (event.at >= duration) return;
      await sleepUntil(start + event.at, stop);
      await apply(event);
    }
  };
  // Faults of controllers take no time, so they do not wait for faults of the network.
  const happening = Promise.all([
    inTurn(controllerFaults, (fault) => fabric.control.apply(fault)),
    inTurn(commands, (command) => fabric.control.command(command)),
    inTurn(transitionsOf(listed, duration), ({ at, fault, begins }) => {
      const late = (monotonicNs() - start - at) / 1e6;
      const what = begins ? effectName(fault) : endName(fault);
      journal.write(`fault ${fault.number}: ${what}, ${late.toFixed(1)} ms late`);
      return begins ? faults.begin(fault) : faults.end(fault);
    }),
  ]);
  // The work may wait for none of these promises; it must still end when a fault cannot be injected.
  const failed = new Promise<never>((_, reject) => {
    happening.catch((error: unknown) => {
      if (!over.signal.aborted) reject(error);
    });
  });
  failed.catch(() => {});
  return await withCleanup(
    async () => {
      const value = await Promise.race([work(), failed]);
      over.abort();
      await happening.catch(() => {});
      return value;
    },
    async () => {
      over.abort();
      await happening.catch(() => {});
      await faults.endAll();
    },
  );
}
