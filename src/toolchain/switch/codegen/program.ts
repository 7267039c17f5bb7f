/**
 * Turns a program into JavaScript once: all switches that run the same BMv2 JSON object share the result. The code contains
 * numbers, never names of the program, so that a hostile file cannot inject code.
 */

import type { Pace } from "../../device/index.js";
import type { Bmv2Program } from "../../program/index.js";
import { CountPoints } from "./count-points.js";
import { ProgramWriter } from "./program-writer.js";
import type { Specialised } from "./specialised.js";
import { TracePoints } from "./trace-points.js";

/** Which code: the plain one; one that reports what it does to `s.tracer`; one that counts what it does in `s.own.hits`. */
export type Variant = "plain" | "traced" | "counted";

const caches: Readonly<Record<Variant, WeakMap<Bmv2Program, Specialised>>> = {
  plain: new WeakMap(),
  traced: new WeakMap(),
  counted: new WeakMap(),
};

function writerOf(program: Bmv2Program, variant: Variant): ProgramWriter {
  if (variant === "plain") return new ProgramWriter(program, undefined);
  return new ProgramWriter(program, variant === "traced" ? new TracePoints() : new CountPoints(program));
}

/**
 * Specialises a program; throws a DiagnosticError (P41101) that names what the switch cannot run. Each variant is made when it is
 * first needed. All have the same layout.
 */
export function specialise(program: Bmv2Program, variant: Variant = "plain"): Specialised {
  const cache = caches[variant];
  let specialised = cache.get(program);
  if (specialised === undefined) {
    const steps = writerOf(program, variant).write();
    let step = steps.next();
    while (!step.done) step = steps.next();
    specialised = step.value;
    cache.set(program, specialised);
  }
  return specialised;
}

/** Like {@link specialise}, in turns with other tasks. */
export async function specialiseInTurns(program: Bmv2Program, pace: Pace, variant: Variant): Promise<void> {
  const cache = caches[variant];
  if (cache.has(program)) return;
  const steps = writerOf(program, variant).write();
  let step = steps.next();
  for (; !step.done; step = steps.next()) await pace(step.value);
  cache.set(program, step.value);
}
