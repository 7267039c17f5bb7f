/** A result in one line, for an editor: stages and verdict, containers by size, the resource of which a stage has the least left. */
import { defined } from "../../../base/index.js";
import type { FitResult } from "../fit.js";
import { limitsOf, RESOURCE_NAMES, RESOURCES, type Resource } from "../place/stage.js";

export interface Tightest {
  readonly resource: Resource;
  readonly stage: number;
  readonly used: number;
  readonly limit: number;
}

/** The largest share of what a stage has, of all resources with a limit; the first stage with it. Undefined where nothing is placed. */
export function tightest({ placement, target }: FitResult): Tightest | undefined {
  const limits = limitsOf(target);
  let most: Tightest | undefined;
  for (const [stage, counts] of placement.stages.entries())
    for (const resource of RESOURCES) {
      const limit = limits[resource];
      const used = counts[resource];
      if (limit === null || limit === 0 || used === 0) continue;
      if (most === undefined || used / limit > most.used / most.limit)
        most = { resource, stage, used, limit };
    }
  return most;
}

/** Stages count from 0, as in the reports of the chips. */
export function summaryLine(result: FitResult): string {
  const { target, stages, verdict, phv } = result;
  const containers = ([8, 16, 32] as const).map((size) => {
    const used = target.phv.packs_fields ? phv.packed[size].containers : phv.naive[size];
    return `${used} of ${target.phv.containers[size]} x ${size} b`;
  });
  const most = tightest(result);
  return [
    `${target.name}: ${stages} of ${target.stages} stages, ${verdict}${why(result)}`,
    `PHV ${containers.join(", ")}`,
    ...(most === undefined
      ? []
      : [`tightest: ${most.used} of ${most.limit} ${RESOURCE_NAMES[most.resource]} in stage ${most.stage}`]),
  ].join("; ");
}

/** The first reason of a program that is not placed. */
function why({ verdict, diagnostics, placement, bounds, exceeded }: FitResult): string {
  switch (verdict) {
    case "placed":
      return "";
    case "refused":
      return `: ${defined(diagnostics.find(({ severity }) => severity === "error")).message}`;
    case "cannot fit": {
      const detail = placement.unplaced[0]?.detail ?? bounds[0]?.detail;
      return detail === undefined ? "" : `: ${detail}`;
    }
    case "fits by counts":
      return exceeded.length === 0 ? "" : `: ${exceeded.join(", ")}`;
  }
}
