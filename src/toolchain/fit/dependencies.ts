/**
 * The table dependency graph. Kinds and distances as in Jose et al. (NSDI'15, section 2.2) and the Tofino compiler: a
 * table that matches, reads or writes a field that an earlier table writes needs a later stage. A table that an earlier
 * one decides on, or that overwrites what an earlier one reads, needs the same stage or a later one.
 */
import { defined } from "../../base/index.js";
import type { Access, FitModel, Unit } from "./model/model.js";
import { actionReads, keyReads, overlaps, writesOf } from "./model/model.js";

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

interface Touch {
  readonly unit: number;
  readonly access: Access;
}

/** Dependencies between all units of a model, the strongest one for each pair. */
export function findDependencies(model: FitModel): DependencyGraph {
  const { units, flow } = model;
  const found = new Map<number, Dependency>();
  const count = units.length;
  const add = (from: number, to: number, kind: DependencyKind, field: string | undefined) => {
    const key = from * count + to;
    const known = found.get(key);
    if (known !== undefined && STRENGTH.indexOf(known.kind) <= STRENGTH.indexOf(kind)) return;
    found.set(key, { from, to, kind, field, distance: DISTANCE[kind] });
  };

  const index = (accesses: (unit: Unit) => readonly Access[]): Map<string, Touch[]> => {
    const map = new Map<string, Touch[]>();
    for (const unit of units) {
      for (const access of accesses(unit)) {
        const list = map.get(access.field);
        if (list === undefined) map.set(access.field, [{ unit: unit.id, access }]);
        else list.push({ unit: unit.id, access });
      }
    }
    return map;
  };
  const keys = index(keyReads);
  const reads = index(actionReads);
  const writes = index(writesOf);
  const relate = (first: readonly Touch[], second: readonly Touch[], kind: DependencyKind) => {
    for (const a of first) {
      for (const b of second) {
        if (a.unit !== b.unit && overlaps(a.access, b.access) && flow.reaches(a.unit, b.unit)) {
          add(a.unit, b.unit, kind, a.access.field);
        }
      }
    }
  };
  for (const [field, writers] of writes) {
    relate(writers, keys.get(field) ?? [], "match");
    relate(writers, reads.get(field) ?? [], "action");
    relate(writers, writers, "output");
    relate(keys.get(field) ?? [], writers, "anti");
    relate(reads.get(field) ?? [], writers, "anti");
  }
  for (const unit of units) {
    for (const other of units) {
      if (flow.decides(unit.id, other.id)) add(unit.id, other.id, "control", undefined);
    }
  }
  return graphOf(count, [...found.values()]);
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
