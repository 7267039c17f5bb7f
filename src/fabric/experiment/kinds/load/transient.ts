/**
 * Warns of runs that end while the network still fills. Two rules, on the flows of all seeds together (docs/load.md, "Is the run long enough?"):
 *
 * 1. In the window, receivers get less than 90 % of the payload of the flows that start in it: the network holds the rest.
 * 2. The mean slowdown of the flows that start in the second half of the window differs from that of the first half by more than 20 %, and by
 *    more than two standard errors of the difference. Where a fault begins or ends in the run, the halves differ for this reason, and the rule
 *    is left out.
 *
 * They hold for drawn traffic. Recorded flows are what they are, and a closed loop offers what the network carries.
 */
import { Moments } from "../../../statistics/index.js";
import type { SchemeUnit } from "../kind.js";
import type { LoadOutcome } from "./load-figures.js";
import type { HalfFigures } from "./meters/halves-meter.js";
import type { Load, LoadSettings } from "./schema.js";

const LEAST_ACHIEVED = 0.9;
const MOST_CHANGE = 0.2;
const STANDARD_ERRORS = 2;

/** Of one unit under all its seeds; empty where the run is long enough. */
export function transientWarnings(
  { settings }: Pick<Load, "settings">,
  { scheme }: Pick<SchemeUnit, "scheme">,
  outcomes: readonly Pick<LoadOutcome, "halves" | "nominalBps">[],
): string[] {
  const halves = outcomes.flatMap(({ halves: own, nominalBps }) =>
    own === undefined || nominalBps === undefined ? [] : [own],
  );
  const why = [filling(halves.flat()), settings.faults.length > 0 ? undefined : drift(halves)].filter(
    (text) => text !== undefined,
  );
  if (why.length === 0) return [];
  return [
    `${scheme.title}: the run ends in the transient: ${why.join("; ")}. The figures depend on the length of the run: use more flows, and a longer warm_up.`,
  ];
}

/** The load that the whole traffic offers; undefined where a part has an interval of its own, or starts flows when others complete. */
export function loadOfAll({ load, traffic }: Pick<LoadSettings, "load" | "traffic">): number | undefined {
  return traffic.mix?.some(({ share }) => share === undefined) ? undefined : load;
}

function filling(parts: readonly HalfFigures[]): string | undefined {
  const of = (key: "startedBytes" | "deliveredBytes") => parts.reduce((sum, part) => sum + part[key], 0);
  const share = of("deliveredBytes") / of("startedBytes");
  if (!(share < LEAST_ACHIEVED)) return undefined;
  return `receivers got ${percent(share)} of the payload that was offered in the window (limit ${percent(LEAST_ACHIEVED)})`;
}

function drift(halves: readonly (readonly [HalfFigures, HalfFigures])[]): string | undefined {
  const [first, second] = ([0, 1] as const).map((which) => {
    const all = new Moments();
    for (const pair of halves) all.merge(Moments.fromJson(pair[which].slowdown));
    return all;
  }) as [Moments, Moments];
  const change = second.mean - first.mean;
  const error = Math.sqrt(first.variance / first.count + second.variance / second.count);
  if (!(Math.abs(change) > MOST_CHANGE * first.mean && Math.abs(change) > STANDARD_ERRORS * error))
    return undefined;
  return `the mean slowdown is ${first.mean.toFixed(2)} in the first half of the window and ${second.mean.toFixed(2)} in the second`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
