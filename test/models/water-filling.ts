/**
 * Max-min fair rates by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2), in exact fractions. All rates
 * grow in proportion to their weights; a flow stops at its limit, or when a link on its path is full.
 */
import { equal, type Fraction, less, minus, over, plus, sum, times, ZERO } from "./fraction.js";

export interface FilledFlow {
  /** Links, each once. */
  readonly links: readonly number[];
  readonly weight: Fraction;
  readonly limit?: Fraction | undefined;
}

/** A flow with no link and no limit has no rate. */
export function maxMin(capacities: readonly Fraction[], flows: readonly FilledFlow[]): Fraction[] {
  const rates: Fraction[] = flows.map(() => ZERO);
  const grows = flows.map(() => true);
  while (grows.includes(true)) {
    let level: Fraction | undefined;
    const consider = (step: Fraction): void => {
      if (level === undefined || less(step, level)) level = step;
    };
    for (const [link, capacity] of capacities.entries()) {
      const on = flows
        .map((flow, index) => ({ flow, index }))
        .filter(({ flow }) => flow.links.includes(link));
      const growing = on.filter(({ index }) => grows[index]);
      if (growing.length > 0)
        consider(
          over(
            minus(capacity, sum(on.map(({ index }) => rates[index]!))),
            sum(growing.map(({ flow }) => flow.weight)),
          ),
        );
    }
    for (const [index, flow] of flows.entries())
      if (grows[index] && flow.limit !== undefined)
        consider(over(minus(flow.limit, rates[index]!), flow.weight));
    if (level === undefined) throw new Error("a flow without links and limit has no rate");
    for (const [index, flow] of flows.entries())
      if (grows[index]) rates[index] = plus(rates[index]!, times(level, flow.weight));
    const full = capacities.map((capacity, link) =>
      equal(
        sum(flows.flatMap((flow, index) => (flow.links.includes(link) ? [rates[index]!] : []))),
        capacity,
      ),
    );
    for (const [index, flow] of flows.entries())
      if (
        flow.links.some((link) => full[link]) ||
        (flow.limit !== undefined && equal(flow.limit, rates[index]!))
      )
        grows[index] = false;
  }
  return rates;
}

/**
 * What max-min fairness means: no link is over its capacity, no flow over its limit, and each flow is at its limit or
 * has a full link on which no flow has a larger rate for its weight.
 */
export function isMaxMin(
  capacities: readonly Fraction[],
  flows: readonly FilledFlow[],
  rates: readonly Fraction[],
): boolean {
  const loads = capacities.map((_, link) =>
    sum(flows.flatMap((flow, index) => (flow.links.includes(link) ? [rates[index]!] : []))),
  );
  if (loads.some((load, link) => less(capacities[link]!, load))) return false;
  return flows.every((flow, index) => {
    const rate = rates[index]!;
    if (flow.limit !== undefined && less(flow.limit, rate)) return false;
    if (flow.limit !== undefined && equal(flow.limit, rate)) return true;
    const share = over(rate, flow.weight);
    return flow.links.some(
      (link) =>
        equal(loads[link]!, capacities[link]!) &&
        flows.every(
          (other, at) => !other.links.includes(link) || !less(share, over(rates[at]!, other.weight)),
        ),
    );
  });
}
