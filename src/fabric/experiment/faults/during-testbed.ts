/** Faults of a run on a testbed at their times, those of controllers and commands included. */
import { defined, fail, type Locate, type Span } from "../../../base/index.js";
import { MAX_FAULT_TABLES } from "../../../toolchain/generate/index.js";
import { monotonicNs, type SwitchEngine } from "../../testbed/index.js";
import type { Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { sleepUntil } from "../testbed/flow-watch.js";
import type { SchemeOnTestbed } from "../testbed/scheme-on-testbed.js";
import { withCleanup } from "../testbed/with-testbed.js";
import type { RunFaults } from "./during-run.js";
import { effectName, elementName, endName, type Fault, transitionsOf } from "./fault.js";
import { faultTables } from "./fault-entries.js";
import { TestbedFaults } from "./on-testbed.js";

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
  return (await checkTestbedFaults(topology, faults, engine, place, stop)).count;
}

interface TestbedTimes {
  /** Nanoseconds of CLOCK_MONOTONIC: time 0 of the file. */
  readonly start: number;
  /** Nanoseconds, may be infinite: what the file lists after it does not happen. */
  readonly duration: number;
}

/** Injects all faults of the file at their times while `work` runs; ends all faults when `work` is done. */
export async function withFaults<T>(
  { topology, faults: listed, controllerFaults, commands = [] }: Listed,
  fabric: SchemeOnTestbed,
  tables: ReadonlyMap<Fault, number>,
  { start, duration }: TestbedTimes,
  work: () => Promise<T>,
): Promise<T> {
  const { journal } = fabric.run;
  const over = new AbortController();
  const stop = AbortSignal.any([fabric.run.stop, over.signal]);
  const faults = new TestbedFaults(topology, fabric.faultyTestbed, tables);
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

// Which faults the switches and the kernel of a testbed can inject: all others are refused before anything starts.

/** The place of a fault in the file, or of one of its keys. */
type FaultPlace = (fault: Fault, key?: string) => Span | undefined;

interface TestbedFaultPlan {
  /** Index of the fault table of each fault. */
  readonly tables: ReadonlyMap<Fault, number>;
  /** Number of fault tables that the programs need, at least one. */
  readonly count: number;
}

/** Fails with P43018, which names the engine and the fault, for a fault that the engine cannot inject. */
export async function checkTestbedFaults(
  topology: Topology,
  faults: readonly Fault[],
  engine: SwitchEngine,
  place: FaultPlace,
  stop: AbortSignal,
): Promise<TestbedFaultPlan> {
  for (const fault of faults) {
    if (fault.element.kind === "control")
      fail(
        CODES.faultOnTestbed,
        place(fault, "control") ?? place(fault),
        `engine ${engine} cannot disturb ${elementName(topology, fault.element)}`,
        "controllers of a testbed use connections of this machine; run it on the simulator: --engine sim",
      );
    if (fault.element.kind === "flow")
      fail(
        CODES.faultOnTestbed,
        place(fault, "drop") ?? place(fault),
        `engine ${engine} cannot drop certain packets of a flow: its switches do not count them`,
        "run it on the simulator: --engine sim",
      );
    await checkTestbedDelay(
      fault,
      elementName(topology, fault.element),
      engine,
      (key) => place(fault, key),
      stop,
    );
  }
  const tables = faultTables(topology, faults);
  if (tables === undefined) {
    const last = defined(faults.at(-1));
    fail(
      CODES.faultOnTestbed,
      place(last),
      `engine ${engine} cannot make these faults: more than ${MAX_FAULT_TABLES} act on the same packets of a switch at one time`,
      "let some end before others begin, or run it on the simulator: --engine sim",
    );
  }
  return { tables, count: Math.max(0, ...tables.values()) + 1 };
}

/** The part of {@link checkTestbedFaults} that does not depend on the element; messages call the element `name`. */
export async function checkTestbedDelay(
  { effect, match }: Pick<Fault, "effect" | "match">,
  name: string,
  engine: SwitchEngine,
  place: (key?: string) => Span | undefined,
  stop: AbortSignal,
): Promise<void> {
  if (effect.kind !== "packets") return;
  if (effect.rate !== undefined)
    fail(
      CODES.faultOnTestbed,
      place("rate") ?? place(),
      `engine ${engine} cannot change the rate of ${name} while it runs`,
      "run it on the simulator: --engine sim",
    );
  if (effect.delay === 0) return;
  if (match !== undefined)
    fail(
      CODES.faultOnTestbed,
      place("match") ?? place(),
      `engine ${engine} cannot delay some packets of ${name} and not others`,
      "the kernel delays all packets of an interface: leave match out, or run on the simulator (--engine sim)",
    );
  const { probeQdiscs } = await import("../../testbed/index.js");
  const qdiscs = await probeQdiscs(stop);
  if ("reason" in qdiscs || !qdiscs.netem)
    fail(
      CODES.faultOnTestbed,
      place("delay") ?? place(),
      `engine ${engine} cannot delay packets of ${name} here: this kernel has no netem (sch_netem)`,
      "run it on the simulator: --engine sim",
    );
}
