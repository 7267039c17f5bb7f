/**
 * Values that different tables of one stage write for one packet. One container of both would be written twice in the stage, so the
 * compiler cuts a header between them when it allocates once more with the stages of a placement (p4c, phv/analysis/pack_conflicts.cpp).
 */
import { ignoresDependency } from "../dependencies.js";
import type { Access, Operation, Unit } from "../model/model.js";
import type { AllocationInput } from "./allocation.js";

/** An operation of an action of a table. */
interface Writing {
  readonly unit: Unit;
  readonly action: number;
  readonly op: Operation;
}

/** Two tables that can run for one packet have a stage in common. */
export function meetInStage(input: AllocationInput, a: Writing, b: Writing): boolean {
  if (a.unit.id === b.unit.id || input.isBeforePlacement === true) return false;
  const stages = input.stagesOf(b.unit.id);
  if (!input.stagesOf(a.unit.id).some((stage) => stages.includes(stage))) return false;
  const { flow } = input.model;
  const together = flow.leads(a.unit.id, a.action, b.unit.id) || flow.leads(b.unit.id, b.action, a.unit.id);
  return together && !ignoresDependency(a.unit, b.unit);
}

/** Bytes of a header, counted from its start, before which a cut parts values that different tables of one stage write. */
export function bordersOfStages(
  input: AllocationInput,
  operations: readonly Writing[],
  fields: readonly { readonly name: string; readonly offset: number; readonly width: number }[],
  bytes: number,
): number[] {
  const placed = fields.flatMap(({ name, offset, width }) =>
    operations
      .filter(({ op }) => op.write.field === name)
      .map((writing) => ({ writing, ...bytesOf(writing.op.write, offset, width) })),
  );
  return Array.from({ length: Math.max(0, bytes - 1) }, (_, i) => i + 1).filter((border) => {
    const before = placed.filter(({ from, to }) => from < border && to === border);
    const after = placed.filter(({ from, to }) => from === border && to > border);
    return before.some((a) => after.some((b) => meetInStage(input, a.writing, b.writing)));
  });
}

/** Bytes of a header before which a cut parts fields that the program keeps apart; fields of one byte stay together. */
export function bordersOfRequests(
  fields: readonly { readonly name: string; readonly offset: number; readonly width: number }[],
  parts: (a: string, b: string) => boolean,
): number[] {
  return fields.flatMap(({ name, offset, width }, i) =>
    fields
      .slice(i + 1)
      .filter((other) => offset + width <= 8 * (other.offset >> 3) && parts(name, other.name))
      .map((other) => other.offset >> 3),
  );
}

/** The bytes of a header that a write touches. */
function bytesOf({ lo, width: bits }: Access, offset: number, width: number): { from: number; to: number } {
  const end = offset + width - lo;
  return { from: Math.max(0, end - bits) >> 3, to: (end + 7) >> 3 };
}
