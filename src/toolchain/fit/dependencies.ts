/**
 * The table dependency graph. Kinds and distances as in Jose et al. (NSDI'15, section 2.2) and the Tofino compiler: a
 * table that matches, reads or writes a field that an earlier table writes needs a later stage. A table that an earlier
 * one decides on, or that overwrites what an earlier one reads, needs the same stage or a later one.
 */
import { defined } from "../../base/index.js";
import type { Access, ActionModel, FitModel, Unit } from "./model/model.js";
import { keyReads, overlaps } from "./model/model.js";
import { isNamed } from "./model/pragmas.js";

type DependencyKind = "match" | "action" | "output" | "control" | "anti";

export interface Dependency {
  readonly from: number;
  readonly to: number;
  readonly kind: DependencyKind;
  /** The field that causes it; undefined for control. */
  readonly field: string | undefined;
  /** Minimum distance in stages: `stage(to) >= stage(from) + distance`. */
  readonly distance: number;
}

export interface DependencyGraph {
  readonly edges: readonly Dependency[];
  readonly incoming: readonly (readonly Dependency[])[];
  readonly outgoing: readonly (readonly Dependency[])[];
  /** Earliest stage of each unit, by dependencies alone. */
  readonly earliest: readonly number[];
  /** Stages that the longest chain of units after this one takes. */
  readonly below: readonly number[];
  /** Stages of the longest chain. */
  readonly criticalPath: number;
  /** Units of one longest chain, in order. */
  readonly criticalUnits: readonly number[];
}

const DISTANCE: Readonly<Record<DependencyKind, number>> = {
  match: 1,
  action: 1,
  output: 1,
  control: 0,
  anti: 0,
};
/** Strongest first: of several dependencies between two units, the first in this list is kept. */
const STRENGTH: readonly DependencyKind[] = ["match", "action", "output", "anti", "control"];

/** Bits of the largest container. */
const CONTAINER_BITS = 32;

interface Touch {
  readonly unit: number;
  /** The action that touches the field; undefined for a key or a condition. */
  readonly action: number | undefined;
  readonly access: Access;
}

class Touches {
  readonly byField = new Map<string, Touch[]>();

  add(touch: Touch): void {
    const list = this.byField.get(touch.access.field);
    if (list === undefined) this.byField.set(touch.access.field, [touch]);
    else list.push(touch);
  }

  of(field: string): readonly Touch[] {
    return this.byField.get(field) ?? [];
  }
}

/** By memory: the bits of the packet that its ALU works on, in all units. */
function operandsByMemory(units: readonly Unit[]): Map<string, readonly Access[]> {
  const operands = new Map<string, Access[]>();
  for (const { attached } of units)
    for (const one of attached) operands.set(one.name, [...(operands.get(one.name) ?? []), ...one.operands]);
  return operands;
}

/** Dependencies between all units of a model, the strongest one for each pair. */
export function findDependencies(model: FitModel): DependencyGraph {
  const { units, flow } = model;
  const found = new Map<number, Dependency>();
  const count = units.length;
  const add = (from: number, to: number, kind: DependencyKind, field: string | undefined) => {
    if (kind !== "control" && ignoresDependency(defined(units[from]), defined(units[to]))) return;
    const key = from * count + to;
    const known = found.get(key);
    if (known !== undefined && STRENGTH.indexOf(known.kind) <= STRENGTH.indexOf(kind)) return;
    found.set(key, { from, to, kind, field, distance: DISTANCE[kind] });
  };

  // A field that one container holds is written as a whole: its parts depend on each other (p4c, FindDataDependencyGraph, by slices of the allocation).
  const isWhole = (field: string) =>
    model.hasEgressParser && (model.fields.get(field)?.width ?? 0) <= CONTAINER_BITS;
  const keys = new Touches();
  for (const unit of units)
    for (const access of keyReads(unit)) keys.add({ unit: unit.id, action: undefined, access });
  const ofActions = (accesses: (action: ActionModel) => readonly Access[]): Touches => {
    const touches = new Touches();
    for (const { id: unit, actions } of units)
      for (const [action, model] of actions.entries())
        for (const access of accesses(model)) touches.add({ unit, action, access });
    return touches;
  };
  const reads = ofActions((action) => action.reads);
  // The ALU of a TNA memory has the operands of all its calls, so each waits for all of them (p4c, AddDependencies on attached tables).
  const operands = operandsByMemory(model.hasEgressParser ? units : []);
  for (const { id: unit, attached } of units)
    for (const { name } of attached)
      for (const access of operands.get(name) ?? []) reads.add({ unit, action: undefined, access });
  const writes = ofActions((action) => action.writes);
  // As in the compiler's walk along the control flow: what an action touches concerns only what a packet that ran it can reach.
  const relate = (first: readonly Touch[], second: readonly Touch[], kind: DependencyKind) => {
    for (const a of first) {
      for (const b of second) {
        if (a.unit === b.unit) continue;
        if (!overlaps(a.access, b.access) && !(kind === "output" && isWhole(a.access.field))) continue;
        const reaches =
          a.action === undefined ? flow.reaches(a.unit, b.unit) : flow.leads(a.unit, a.action, b.unit);
        if (reaches) add(a.unit, b.unit, kind, a.access.field);
      }
    }
  };
  for (const [field, writers] of writes.byField) {
    relate(writers, keys.of(field), "match");
    relate(writers, reads.of(field), "action");
    relate(writers, writers, "output");
    relate(keys.of(field), writers, "anti");
    relate(reads.of(field), writers, "anti");
  }
  for (const unit of units) {
    for (const other of units) {
      if (flow.decides(unit.id, other.id)) add(unit.id, other.id, "control", undefined);
    }
  }
  // What stands in no branch comes before the first table at the end of its gress, and those follow each other (InjectControlExitDependencies).
  for (const last of units) {
    if (last.isLast === undefined) continue;
    const before = units.filter(({ id, gress }) => gress === last.gress && id < last.id);
    const chained = before.findLast(({ isLast }) => isLast !== undefined);
    for (const { id } of chained === undefined ? before : [chained])
      if (!units.some((other) => flow.decides(other.id, id))) add(id, last.id, "control", undefined);
  }
  // Where an action ends the control, what follows its table comes after it, and what stands before the table, or before a condition around
  // it, before that (p4c, mau/table_injected_deps.cpp, InjectActionExitAntiDependencies).
  for (const { id, actions } of units) {
    const after = units.filter((other) => flow.reaches(id, other.id));
    const leads = (action: number) => after.some((other) => flow.leads(id, action, other.id));
    if (after.length === 0 || !actions.some((one, i) => one.leavesAll === true && !leads(i))) continue;
    for (const other of after) add(id, other.id, "anti", undefined);
    for (const outer of units)
      if (outer.id === id || flow.decides(outer.id, id))
        for (const first of units)
          if (flow.reaches(first.id, outer.id)) add(first.id, outer.id, "anti", undefined);
  }
  return graphOf(count, [...found.values()]);
}

/** One of the tables asks for it; the branches between them stay (p4c, mau/table_seqdeps.cpp, ignore_dep). */
export function ignoresDependency(a: Unit, b: Unit): boolean {
  return isNamed(a.pragmas.ignored, b.table) || isNamed(b.pragmas.ignored, a.table);
}

/** Earliest stages, chains and critical path of a set of edges. Each edge leads to a unit with a larger number. */
export function graphOf(count: number, list: readonly Dependency[]): DependencyGraph {
  const edges = [...list].sort((a, b) => a.from - b.from || a.to - b.to);
  const incoming: Dependency[][] = Array.from({ length: count }, () => []);
  const outgoing: Dependency[][] = Array.from({ length: count }, () => []);
  for (const edge of edges) {
    defined(incoming[edge.to]).push(edge);
    defined(outgoing[edge.from]).push(edge);
  }
  const earliest = new Array<number>(count).fill(0);
  for (let u = 0; u < count; u++) {
    for (const edge of defined(incoming[u]))
      earliest[u] = Math.max(defined(earliest[u]), defined(earliest[edge.from]) + edge.distance);
  }
  const below = new Array<number>(count).fill(0);
  for (let u = count - 1; u >= 0; u--) {
    for (const edge of defined(outgoing[u]))
      below[u] = Math.max(defined(below[u]), defined(below[edge.to]) + edge.distance);
  }
  const criticalPath = count === 0 ? 0 : 1 + Math.max(...earliest);
  const criticalUnits: number[] = [];
  let at: number | undefined = below.indexOf(criticalPath - 1);
  while (at !== undefined && at >= 0) {
    criticalUnits.push(at);
    const rest: number = defined(below[at]);
    const chain: Dependency[] = defined(outgoing[at]).filter(
      (edge) => defined(below[edge.to]) + edge.distance === rest,
    );
    at = rest === 0 ? undefined : (chain.find((edge) => edge.distance > 0) ?? chain[0])!.to;
  }
  return { edges, incoming, outgoing, earliest, below, criticalPath, criticalUnits };
}
