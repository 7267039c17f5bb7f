/** One run on a testbed: a real TCP connection, a fault in the switches, and the wait until data flow again. */
import type { AgentFlow } from "../../../testbed/index.js";
import type { Fault } from "../../faults/fault.js";
import type { LabFaults } from "../../faults/on-lab.js";
import { type Clock, FlowWatch, MONOTONIC_CLOCK, sleepUntil } from "../../testbed/flow-watch.js";
import { withCleanup } from "../../testbed/with-lab.js";
import type { Sample } from "./results.js";

/** Times in nanoseconds. */
export interface RecoveryPlan {
  /** From the start of the flow to the fault. */
  readonly failsAfter: number;
  readonly giveUp: number;
  /** Time from the fault within which a flow that was hit has its first timeout. */
  readonly firstTimeout: number;
  /** For a failure that lets packets pass: time in which timeouts are counted; a flow without one is not an error. */
  readonly observation: number | undefined;
  readonly faults: readonly Fault[];
  readonly lab: LabFaults;
  readonly stop: AbortSignal;
  /** The clock of the flow's events; default: the monotonic clock of the machine. */
  readonly clock?: Clock;
}

export type RecoveryOutcome =
  | { readonly kind: "sample"; readonly sample: Sample }
  /** The flow had a timeout before its fault: the machine was too slow, and the flow may have changed its path. */
  | { readonly kind: "disturbed" }
  /** No timeout followed: the fault was not on the path of the flow. */
  | { readonly kind: "missed" };

/**
 * Injects a fault on the path of a flow that was just opened, waits for the flow to recover, ends the fault, and stops the
 * flow. The time of the fault is the beginning of its first write. Rejects with DiagnosticError P43172 when the flow
 * breaks, with the DeviceError of a switch, or with the reason of `stop`.
 */
export async function measureRecovery(flow: AgentFlow, plan: RecoveryPlan): Promise<RecoveryOutcome> {
  const clock = plan.clock ?? MONOTONIC_CLOCK;
  const watch = new FlowWatch(flow, plan.stop, clock);
  try {
    const startedAt = await watch.need((event) => (event.kind === "started" ? event.atNs : undefined));
    await watch.need((event) => (event.kind === "connected" ? event : undefined));
    await sleepUntil(startedAt + plan.failsAfter, plan.stop, clock);
    const failedAt = clock.now();
    const timeouts = () => watch.events.filter((event) => event.kind === "timeout");
    let end = () => plan.lab.endAll();
    const outcome = await withCleanup<"disturbed" | "missed" | number | undefined>(
      async () => {
        end = await plan.lab.inject(plan.faults, (ns) => sleepUntil(clock.now() + ns, plan.stop, clock));
        if (plan.observation !== undefined) {
          await sleepUntil(failedAt + plan.observation, plan.stop, clock);
          return timeouts().some(({ atNs }) => atNs < failedAt) ? "disturbed" : lastRecovery(watch, failedAt);
        }
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
      () => end(),
    );
    if (outcome === "disturbed" || outcome === "missed") return { kind: outcome };
    const triedAt = outcome;
    const counted = plan.observation === undefined ? triedAt : failedAt + plan.observation;
    const tries = timeouts().filter(({ atNs }) => counted === undefined || atNs <= counted).length;
    const { tcp } = await flow.stop();
    const recoveryMs = triedAt === undefined ? Number.POSITIVE_INFINITY : (triedAt - failedAt) / 1e6;
    return {
      kind: "sample",
      sample: { recoveryMs, timeouts: tries, rttMs: (tcp?.rttUs ?? Number.NaN) / 1e3 },
    };
  } finally {
    watch.close();
    // Its result has been read, or the run has failed for another reason.
    flow.stop().catch(() => {});
  }
}

/** Time at which the acknowledged retransmission of the last timeout left; `from` without timeouts; undefined if it was lost. */
function lastRecovery({ events }: FlowWatch, from: number): number | undefined {
  let last: number | undefined = from;
  for (const event of events) {
    if (event.kind === "timeout" && event.atNs >= from) last = undefined;
    if (event.kind === "recovered" && event.triedAtNs >= from) last = event.triedAtNs;
  }
  return last;
}
