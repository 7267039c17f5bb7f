/**
 * Where a value leaves its container for a dark one while another value has its place: what the deparser needs again at last, and tables do
 * not touch in between. An action that always runs moves it away and sets the other one to zero, and one of the last stage moves it back
 * (p4c, phv/analysis/dark_live_range.cpp).
 */
import type { Gress } from "../model/model.js";
import { type AllocationInput, FROM_PARSER, type LiveRange } from "./allocation.js";
import type { Beginnings } from "./beginnings.js";
import { AT_DEPARSER, type Dominators } from "./dominators.js";

/** A read or a write of a field, in the stage in which dependencies alone put it. Reads of a stage come before its writes. */
interface Use {
  readonly stage: number;
  readonly isWrite: boolean;
  /** None for the parser and the deparser. */
  readonly unit: number | undefined;
}

/** `outer` is away after the stage `from` and back after the stage `to`; `inner` has a value from the one to its last use. */
export interface Spill {
  readonly away: LiveRange;
  readonly inner: LiveRange;
}

export class Spills {
  readonly #known = new Map<string, Map<string, Spill | null>>();
  readonly #uses = new Map<string, readonly Use[]>();
  /** Of both gresses: the deparser comes after it. */
  readonly #lastStage: number;

  constructor(
    readonly input: AllocationInput,
    readonly gress: Gress,
    readonly beginnings: Beginnings,
    readonly dominators: Dominators,
  ) {
    const { model, earliestOf } = input;
    this.#lastStage = model.units.reduce((last, { id }) => Math.max(last, earliestOf(id)), 0);
  }

  /** How `outer` makes room for `inner`; undefined where it cannot. */
  of(outer: string, inner: string): Spill | undefined {
    const row = this.#known.get(outer) ?? new Map<string, Spill | null>();
    this.#known.set(outer, row);
    let known = row.get(inner);
    if (known === undefined) {
      known = this.#find(outer, inner) ?? null;
      row.set(inner, known);
    }
    return known ?? undefined;
  }

  #usesOf(field: string): readonly Use[] {
    const known = this.#uses.get(field);
    if (known !== undefined) return known;
    const { reads, writes, life } = this.beginnings.usesOf(field);
    const { earliestOf } = this.input;
    const uses: Use[] = [
      ...(life.from === FROM_PARSER && this.#isGiven(field)
        ? [{ stage: FROM_PARSER, isWrite: true, unit: undefined }]
        : []),
      ...[...reads].map((point) =>
        point === AT_DEPARSER
          ? { stage: this.#lastStage + 1, isWrite: false, unit: undefined }
          : { stage: earliestOf(point), isWrite: false, unit: point },
      ),
      ...[...writes].map((point) => ({
        stage: earliestOf(point as number),
        isWrite: true,
        unit: point as number,
      })),
    ].sort((a, b) => orderOf(a) - orderOf(b));
    this.#uses.set(field, uses);
    return uses;
  }

  /** The parser gives it, and it is no part of a header that only tables make. */
  #isGiven(field: string): boolean {
    const { fields, parser } = this.input.model;
    const info = fields.get(field);
    return info === undefined || info.metadata || parser.isParsed(this.gress, info.header);
  }

  #find(outer: string, inner: string): Spill | undefined {
    const [first, ...others] = this.#usesOf(inner);
    if (first === undefined || first.unit === undefined) return undefined;
    const last = others.at(-1) ?? first;
    if (last.unit === undefined) return undefined;
    const all = this.#usesOf(outer);
    const before = all.filter((use) => orderOf(use) < orderOf(first));
    const after = all.filter((use) => orderOf(use) > orderOf(last));
    if (before.length === 0 || before.length + after.length < all.length) return undefined;
    // Only the action of the last stage brings it back.
    if (after.length === 0 || after.some(({ stage, unit }) => unit !== undefined || stage < 0))
      return undefined;
    if (last.isWrite && last.stage >= this.#lastStage) return undefined;
    const end = before.at(-1)!;
    if (end.stage + (end.isWrite ? 1 : 0) >= first.stage) return undefined;
    const { flow } = this.input.model;
    const inners = [first, ...others].map(({ unit }) => unit!);
    if (
      before.some(
        ({ unit }) => unit !== undefined && inners.some((id) => id !== unit && flow.reaches(id, unit)),
      )
    )
      return undefined;
    if (!this.#needsZero(inner, inners)) return undefined;
    return this.#placed(before, [first, ...others]);
  }

  /** Some table that no other of them comes before has an action that does not write the value: without it, nothing gives it a beginning. */
  #needsZero(field: string, units: readonly number[]): boolean {
    return units
      .filter((id) => !units.some((other) => this.dominators.isAbove(other, id)))
      .some((id) =>
        this.input.model.units[id]!.actions.some(({ writes }) => !writes.some((one) => one.field === field)),
      );
  }

  /** The stages of the placement, where they leave room for the moves. */
  #placed(before: readonly Use[], inners: readonly Use[]): Spill | undefined {
    const { stagesOf, target } = this.input;
    const ofTables = [...before, ...inners].flatMap(({ unit }) => unit ?? []);
    if (ofTables.some((id) => stagesOf(id).length === 0)) return undefined;
    const freeAfter = (uses: readonly Use[]) =>
      Math.max(
        0,
        ...uses.flatMap(({ unit, isWrite }) =>
          unit === undefined ? [] : stagesOf(unit).map((stage) => stage + (isWrite ? 1 : 0)),
        ),
      );
    const from = freeAfter(before);
    const to = freeAfter(inners);
    const begin = Math.min(...inners.flatMap(({ unit }) => stagesOf(unit!)));
    if (begin <= from || to >= target.stages) return undefined;
    return { away: { from, to }, inner: { from, to } };
  }
}

const orderOf = ({ stage, isWrite }: Use): number => 2 * stage + (isWrite ? 1 : 0);
