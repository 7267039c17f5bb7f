/** Max-min fair rates by the textbook's algorithm, resource by resource over all flows: slow, and plain. */
import type { LpFlow } from "./linear-program.js";

export function progressiveFilling(flows: readonly LpFlow[], capacity: readonly number[]): number[] {
  const rates = flows.map(() => -1);
  for (;;) {
    const open = flows.flatMap((_, i) => (rates[i] === -1 ? [i] : []));
    if (open.length === 0) return rates;
    // How far the rates of all open flows can grow together.
    const shares = capacity.map((whole, resource) => {
      const here = flows.flatMap(({ path }, i) => (path.includes(resource) ? [i] : []));
      const taken = here.reduce((sum, i) => sum + (rates[i] === -1 ? 0 : flows[i]!.weight * rates[i]!), 0);
      const weight = here.reduce((sum, i) => sum + (rates[i] === -1 ? flows[i]!.weight : 0), 0);
      return weight === 0 ? Number.POSITIVE_INFINITY : Math.max(0, whole - taken) / weight;
    });
    const level = Math.min(...shares, ...open.map((i) => flows[i]!.limit));
    for (const i of open)
      if (flows[i]!.limit === level || flows[i]!.path.some((resource) => shares[resource] === level))
        rates[i] = level;
  }
}
