/** Which faults the switches and the kernel of a lab can inject: all others are refused before anything starts. */
import { fail, type Span } from "../../../base/index.js";
import { MAX_FAULT_TABLES } from "../../../toolchain/generate/index.js";
import type { SwitchEngine } from "../../testbed/index.js";
import type { Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { elementName, type Fault } from "./fault.js";
import { faultTables } from "./fault-entries.js";

/** The place of a fault in the file, or of one of its keys. */
export type FaultPlace = (fault: Fault, key?: string) => Span | undefined;

export interface LabFaultPlan {
  /** Index of the fault table of each fault. */
  readonly tables: ReadonlyMap<Fault, number>;
  /** Number of fault tables that the programs need, at least one. */
  readonly count: number;
}

/** Fails with P43018, which names the engine and the fault, for a fault that the engine cannot inject. */
export async function checkLabFaults(
  topology: Topology,
  faults: readonly Fault[],
  engine: SwitchEngine,
  place: FaultPlace,
  stop: AbortSignal,
): Promise<LabFaultPlan> {
  for (const fault of faults) {
    if (fault.element.kind === "control")
      fail(
        CODES.faultOnTestbed,
        place(fault, "control") ?? place(fault),
        `engine ${engine} cannot disturb ${elementName(topology, fault.element)}`,
        "controllers of a lab use connections of this machine; run it on the simulator: --engine sim",
      );
    if (fault.element.kind === "flow")
      fail(
        CODES.faultOnTestbed,
        place(fault, "drop") ?? place(fault),
        `engine ${engine} cannot drop certain packets of a flow: its switches do not count them`,
        "run it on the simulator: --engine sim",
      );
    await checkLabDelay(
      fault,
      elementName(topology, fault.element),
      engine,
      (key) => place(fault, key),
      stop,
    );
  }
  const tables = faultTables(topology, faults);
  if (tables === undefined) {
    const last = faults.at(-1)!;
    fail(
      CODES.faultOnTestbed,
      place(last),
      `engine ${engine} cannot make these faults: more than ${MAX_FAULT_TABLES} act on the same packets of a switch at one time`,
      "let some end before others begin, or run it on the simulator: --engine sim",
    );
  }
  return { tables, count: Math.max(0, ...tables.values()) + 1 };
}

/** The part of {@link checkLabFaults} that does not depend on the element; messages call the element `name`. */
export async function checkLabDelay(
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
