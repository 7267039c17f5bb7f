/** One run on a testbed: a real TCP connection, a fault written into switches, and the wait for data to flow again. */
import type { Device } from "../../program/index.js";
import { type AgentFlow, monotonicNs } from "../../testbed/index.js";
import type { Sample } from "../results.js";
import { type SwitchFault, writeFault } from "./fault-entries.js";
import { FlowWatch, sleepUntil } from "./flow-watch.js";
import { undone } from "./undone.js";

/** Times in nanoseconds. */
export interface StrikePlan {
  /** From the start of the flow to the fault. */
  readonly failsAfter: number;
  readonly giveUp: number;
  /** A flow that was hit has its first timeout by then, counted from the fault. */
  readonly firstTimeout: number;
  readonly faults: readonly SwitchFault[];
  /** A switch by its node index. */
  device(node: number): Device;
  readonly stop: AbortSignal;
}

export type StrikeOutcome =
  | { readonly kind: "sample"; readonly sample: Sample }
  /** The flow had a timeout before its fault: the machine was too slow, and the flow may have moved. */
  | { readonly kind: "disturbed" }
  /** No timeout followed: the fault was not on the flow's way. */
  | { readonly kind: "missed" };

/**
 * Strikes a flow that was just opened, repairs, and resets the flow. The time of the fault is when its writing began,
 * on the clock of the agents. Rejects with DiagnosticError P43172 when the flow breaks, with the DeviceError of a switch,
 * or with the reason of `stop`.
 */
export async function strike(flow: AgentFlow, plan: StrikePlan): Promise<StrikeOutcome> {
  const watch = new FlowWatch(flow, plan.stop);
  try {
    const startedAt = await watch.need((event) => (event.kind === "started" ? event.atNs : undefined));
    await watch.need((event) => (event.kind === "connected" ? event : undefined));
    await sleepUntil(startedAt + plan.failsAfter, plan.stop);
    const failedAt = monotonicNs();
    const timeouts = () => watch.events.filter((event) => event.kind === "timeout");
    const outcome = await undone<"disturbed" | "missed" | number | undefined>(
      async () => {
        await writeFaults(plan, "insert");
        const hit = await watch.until(
          (event) => (event.kind === "timeout" && event.atNs >= failedAt ? event : undefined),
          failedAt + plan.firstTimeout,
        );
        if (timeouts().some(({ atNs }) => atNs < failedAt)) return "disturbed";
        if (hit === undefined) return "missed";
        return await watch.until(
          (event) =>
            event.kind === "recovered" && event.triedAtNs >= failedAt ? event.triedAtNs : undefined,
          failedAt + plan.giveUp,
        );
      },
      () => writeFaults(plan, "delete"),
    );
    if (outcome === "disturbed" || outcome === "missed") return { kind: outcome };
    const triedAt = outcome;
    const tries = timeouts().filter(({ atNs }) => triedAt === undefined || atNs <= triedAt).length;
    const { tcp } = await flow.stop();
    const recoveryMs = triedAt === undefined ? Number.POSITIVE_INFINITY : (triedAt - failedAt) / 1e6;
    return {
      kind: "sample",
      sample: { recoveryMs, timeouts: tries, rttMs: (tcp?.rttUs ?? Number.NaN) / 1e3 },
    };
  } finally {
    watch.close();
    // Its end is told already, or nobody wants to know.
    flow.stop().catch(() => {});
  }
}

async function writeFaults({ faults, device }: StrikePlan, type: "insert" | "delete"): Promise<void> {
  await Promise.all(faults.map(({ node, entries }) => writeFault(device(node), type, entries)));
}
