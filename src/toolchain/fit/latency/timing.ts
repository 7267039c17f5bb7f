/**
 * Cycles and power of a placement together: stages wait for results where they must, and where that takes too much power, in more of them,
 * the first ones first, which makes the pipeline longer and lets more tables be switched off (p4c, mau/walk_power_graph.cpp).
 */
import type { PhvAllocation } from "../phv/allocation.js";
import { type Placement, type Problem, stageCount } from "../place/placement.js";
import { type GressCycles, pipelineCycles } from "./cycles.js";
import { type Power, powerOf } from "./power.js";

/** Both undefined for a program whose containers are not known, and where the target states no cycles or no power. */
export interface Timing {
  readonly cycles: readonly GressCycles[] | undefined;
  readonly power: Power | undefined;
}

/** A sum of so little more than the limit is not above it. */
const ROUNDING = 1 / 104_729;

export function timingOf(
  problem: Problem,
  placement: Placement,
  allocation: PhvAllocation | undefined,
): Timing {
  const { target } = problem;
  let waiting = 0;
  for (;;) {
    const cycles = pipelineCycles(problem, placement, allocation, waiting);
    if (cycles === undefined || target.power === undefined) return { cycles, power: undefined };
    const power = powerOf(problem, placement, cycles, target.power);
    // Of a program that has more stages than the device, the compiler says no more of power.
    if (
      stageCount(placement.parts) > target.stages ||
      powerExceeded(power).length === 0 ||
      cycles.every(({ stages }) => stages.every(({ wait }) => wait === "match"))
    )
      return { cycles, power };
    waiting += 1;
  }
}

/** What is above the limit, in words: the heaviest tables that look up for the packet. */
export function powerExceeded(power: Power | undefined): string[] {
  if (power === undefined || power.watts <= power.limit * (1 + ROUNDING)) return [];
  const heaviest = power.gresses
    .flatMap(({ tables }) => tables.filter(({ runs }) => runs !== "off"))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, SHOWN)
    .map(({ part }) => part.unit.label);
  return [
    `power: ${power.watts.toFixed(2)} of ${power.limit} W on the worst way through the tables, most for ${heaviest.join(", ")}`,
  ];
}

const SHOWN = 3;
