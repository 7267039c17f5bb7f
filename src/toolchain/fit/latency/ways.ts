/**
 * Ways of packets through the placed tables of a gress, and the one that takes the most power (p4c, mau/build_power_graph.cpp,
 * walk_power_graph.cpp).
 */
import { defined } from "../../../base/index.js";
import { threadOf, type Unit } from "../model/model.js";
import type { Part, Problem } from "../place/placement.js";

/** What a packet passes at once: a table in a stage with its gateway, or a condition that no table has as a gateway. */
interface Step {
  readonly part: Part | undefined;
  /** Indices of what can follow. */
  readonly next: readonly number[];
}

/** The first step is where packets come in. A table looks up whether its gateway lets it or not. */
export function waysOf({ model }: Problem, parts: readonly Part[]): Step[] {
  const byUnit = new Map<number, Part[]>();
  /** The table that has the condition as its gateway. */
  const gated = new Map<number, Unit>();
  for (const part of parts) {
    byUnit.set(part.unit.id, [...(byUnit.get(part.unit.id) ?? []), part]);
    if (part.gateway !== undefined) gated.set(part.gateway, part.unit);
  }
  const [one] = parts;
  const units = one === undefined ? [] : model.units.filter((unit) => threadOf(unit) === threadOf(one.unit));
  const first = new Map<number, number>();
  const steps: { part: Part | undefined; unit: number }[] = [];
  for (const { id } of units) {
    if (gated.has(id)) continue;
    first.set(id, steps.length);
    const own = [...(byUnit.get(id) ?? [undefined])].sort((a, b) => (a?.stage ?? 0) - (b?.stage ?? 0));
    for (const part of own) steps.push({ part, unit: id });
  }
  const stepOf = (unit: number) => first.get(gated.get(unit)?.id ?? unit);
  const after = (unit: number, besides?: number) =>
    model.flow
      .successors(unit)
      .filter((next) => next !== besides)
      .flatMap((next) => stepOf(next) ?? []);
  const start = units[0] === undefined ? undefined : stepOf(units[0].id);
  const all = steps.map(({ part, unit }, index): Step => {
    const next = after(unit);
    // A part of a table is followed by the next part where it misses.
    if (steps[index + 1]?.unit === unit) next.unshift(index + 1);
    if (part?.gateway !== undefined) next.push(...after(part.gateway, unit));
    return { part, next: [...new Set(next)] };
  });
  // Where packets come in stands first, so that nothing else needs to know it.
  return start === undefined ? [] : [{ part: undefined, next: [start] }, ...all].map(shifted);
}

/** One step stands before the steps that were counted from zero. */
const shifted = ({ part, next }: Step): Step => ({ part, next: next.map((index) => index + 1) });

/** The way with the largest sum of watts. */
export function worstWay(
  steps: readonly Step[],
  wattsOf: (part: Part) => number,
): { readonly watts: number; readonly parts: readonly Part[] } {
  if (steps.length === 0) return { watts: 0, parts: [] };
  const order = inOrder(steps);
  const rank = new Map(order.map((step, index) => [step, index]));
  const best = new Map<number, { readonly watts: number; readonly next: number | undefined }>();
  for (const step of order.toReversed()) {
    const { part, next } = defined(steps[step]);
    let most = 0;
    let heaviest: number | undefined;
    for (const one of next) {
      // A gateway whose branch has tables before the one that it is placed with leads back to them.
      if (defined(rank.get(one)) <= defined(rank.get(step))) continue;
      const { watts } = defined(best.get(one));
      if (heaviest !== undefined && watts <= most) continue;
      most = watts;
      heaviest = one;
    }
    best.set(step, { watts: most + (part === undefined ? 0 : wattsOf(part)), next: heaviest });
  }
  const parts: Part[] = [];
  for (let at: number | undefined = 0; at !== undefined; at = defined(best.get(at)).next) {
    const { part } = defined(steps[at]);
    if (part !== undefined) parts.push(part);
  }
  return { watts: defined(best.get(0)).watts, parts };
}

/** Each step after those before it. */
function inOrder(steps: readonly Step[]): number[] {
  const finished: number[] = [];
  const seen = new Set([0]);
  const open = [{ step: 0, at: 0 }];
  for (;;) {
    const top = open.at(-1);
    if (top === undefined) return finished.reverse();
    const next = defined(steps[top.step]).next[top.at];
    top.at += 1;
    if (next === undefined) {
      finished.push(top.step);
      open.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      open.push({ step: next, at: 0 });
    }
  }
}
