/** The times at which faults begin and end; a flapping fault begins and ends many times. */
import type { Fault } from "./fault.js";

export interface Transition {
  /** Nanoseconds from the start. */
  readonly at: number;
  readonly fault: Fault;
  readonly begins: boolean;
}

/**
 * All changes before `duration`, in time order. At the same time ends come before beginnings; then the order of the list holds.
 * A fault that lasts beyond `duration` has no end here.
 */
export function transitionsOf(faults: readonly Fault[], duration: number): Transition[] {
  const result: Transition[] = [];
  for (const fault of faults) {
    for (const { from, to } of spans(fault, duration)) {
      if (from >= duration) break;
      result.push({ at: from, fault, begins: true });
      if (to < duration) result.push({ at: to, fault, begins: false });
    }
  }
  return result.sort(
    (a, b) => a.at - b.at || Number(a.begins) - Number(b.begins) || a.fault.number - b.fault.number,
  );
}

function* spans({ at, until, flap }: Fault, duration: number): Generator<{ from: number; to: number }> {
  const end = Math.min(until ?? Number.POSITIVE_INFINITY, duration);
  if (flap === undefined) {
    yield { from: at, to: until ?? Number.POSITIVE_INFINITY };
    return;
  }
  for (let i = 0; ; i++) {
    const from = Math.round(at + i * flap.period);
    if (from >= end) return;
    const on = Math.max(1, Math.round(flap.duty * flap.period));
    yield { from, to: Math.min(from + on, until ?? Number.POSITIVE_INFINITY) };
  }
}
