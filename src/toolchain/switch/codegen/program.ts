/**
 * Turns a program into JavaScript once: all switches that run the same BMv2 JSON object share the result. The code contains
 * numbers, never names of the program, so that a hostile file cannot inject code.
 */

import type { Pace } from "../../device/index.js";
import type { Bmv2Program } from "../../program/index.js";
import { ProgramWriter } from "./program-writer.js";
import type { Specialised } from "./specialised.js";
import { TracePoints } from "./trace-points.js";

const untraced = new WeakMap<Bmv2Program, Specialised>();
const traced = new WeakMap<Bmv2Program, Specialised>();

/**
 * Specialises a program; throws a DiagnosticError (P41101) that names what the switch cannot run. There are two variants,
 * each made when it is first needed: the traced variant reports what it does to `s.tracer`. Both have the same layout.
 */
export function specialise(program: Bmv2Program, trace = false): Specialised {
  const cache = trace ? traced : untraced;
  let specialised = cache.get(program);
  if (specialised === undefined) {
    const steps = new ProgramWriter(program, trace ? new TracePoints() : undefined).write();
    let step = steps.next();
    while (!step.done) step = steps.next();
    specialised = step.value;
    cache.set(program, specialised);
  }
  return specialised;
}

/** Like {@link specialise} for the variant that does not trace, in turns with other tasks. */
export async function specialiseInTurns(program: Bmv2Program, pace: Pace): Promise<void> {
  if (untraced.has(program)) return;
  const steps = new ProgramWriter(program, undefined).write();
  let step = steps.next();
  for (; !step.done; step = steps.next()) await pace(step.value);
  untraced.set(program, step.value);
}
