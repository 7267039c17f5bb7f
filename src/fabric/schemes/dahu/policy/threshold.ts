/** When a destination may be reached by other ports than those of its shortest paths (Dahu, figure 4). */

/** Share of the capacity of the shortest paths' ports from which further ports are allowed (section 6.1). */
export const DEFAULT_THRESHOLD = 0.8;

/**
 * The rule of figure 4, with hysteresis. Further ports are allowed from `threshold` on, and denied after `offEpochs` epochs in sequence below
 * `offThreshold`. The paper's rule is `offThreshold` = `threshold`, `offEpochs` = 1.
 */
export interface FurtherRule {
  /** Shares of the aggregate capacity of the shortest paths' ports. */
  readonly threshold: number;
  readonly offThreshold: number;
  /** 1 to 255. */
  readonly offEpochs: number;
}

/** Whether the rule needs the past of a destination: otherwise the last epoch alone decides. */
export function hasHysteresis({ threshold, offThreshold, offEpochs }: FurtherRule): boolean {
  return offEpochs > 1 || offThreshold < threshold;
}

/**
 * The state of a destination at a switch after an epoch: 0: shortest paths alone; n above 0: further ports are allowed, for n more epochs below
 * `offThreshold`. `used` and `capacity`: aggregates of the ports of its shortest paths in the epoch, in one unit. Without any capacity on
 * shortest paths, other ports are the only way.
 */
export function furtherState(state: number, used: number, capacity: number, rule: FurtherRule): number {
  const { threshold, offThreshold, offEpochs } = rule;
  if (used >= threshold * capacity) return offEpochs;
  if (state === 0) return 0;
  return used >= offThreshold * capacity ? offEpochs : state - 1;
}

/** The state before the first epoch: no port has carried anything. */
export function firstState({ threshold, offEpochs }: FurtherRule): number {
  return threshold === 0 ? offEpochs : 0;
}

/** The state after an epoch, by port: `used` and `capacity` in the same unit. Ports without capacity are down. */
export function furtherStateOf(
  state: number,
  shortest: Iterable<number>,
  used: ArrayLike<number>,
  capacity: ArrayLike<number>,
  rule: FurtherRule,
): number {
  let aggregate = 0;
  let whole = 0;
  for (const port of shortest) {
    aggregate += used[port]!;
    whole += capacity[port]!;
  }
  return furtherState(state, aggregate, whole, rule);
}
