/** Rows of the kind `survival` with the closed form. */
import type { SurvivalOutcome } from "./outcome.js";
import type { SurvivalSettings } from "./schema.js";

/** A row of `results.json`. */
export type SurvivalRow = Readonly<Record<string, unknown>>;

/**
 * Share of the connections that lose all of K subflows, if each direction of each subflow crosses one of N equal elements at random
 * (P-ECMP, footnote 3): ((2N - 1) / N^2)^K.
 */
export function randomLoss(sites: number, subflows: number): number {
  return ((2 * sites - 1) / sites ** 2) ** subflows;
}

export function survivalRows(
  { connections, connection_subflows: subflows }: SurvivalSettings,
  { failures }: SurvivalOutcome,
): SurvivalRow[] {
  return failures.map(({ failure, sites, lost, lostSubflows, left }) => ({
    failure,
    sites,
    connections,
    lost,
    lost_share: lost / connections,
    random_lost: sites === null ? null : Math.round(connections * randomLoss(sites, subflows) * 10) / 10,
    lost_subflows_share: Number((lostSubflows / (connections * subflows)).toPrecision(6)),
    ...Object.fromEntries(left.map((count, alive) => [`left_${alive}`, count])),
  }));
}
