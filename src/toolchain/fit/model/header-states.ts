/**
 * Headers that a packet may have together because tables make them valid. Two headers that no way through the parser extracts both exclude each
 * other still where a table makes one of them valid while the other is known not to be (p4c, phv/analysis/header_mutex.cpp): a condition, or a
 * table that took it away, has said so on every way there.
 */
import type { Expr } from "./expressions.js";
import type { Successors } from "./flow.js";
import type { ActionModel, Unit } from "./model.js";

/** What the parser knows of headers. */
export interface ParsedTogether {
  /** No path of the parser extracts both. */
  readonly excludes: (a: string, b: string) => boolean;
  /** Headers that the parser extracts. */
  readonly parsed: ReadonlySet<string>;
  /** Every path that extracts the first extracts the second, too. */
  readonly needs: (header: string, other: string) => boolean;
}

/** What is known where a packet comes to a unit. */
interface Known {
  /** Headers that are not valid. */
  readonly absent: ReadonlySet<string>;
  /** Headers whose validity some table on the way has changed: what the parser says of them and others holds no more. */
  readonly made: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

const NOTHING: Known = { absent: new Set(), made: new Set(), taken: new Set() };
const VALID = ".$valid$";

/** The pairs `A B`, from both sides, of headers that a packet may have together although no path of the parser extracts both. */
export function headersMadeTogether(
  units: readonly Unit[],
  conditions: ReadonlyMap<number, Expr>,
  successors: readonly Successors[],
  ways: ReadonlyMap<number, readonly Successors[]>,
  parser: ParsedTogether,
): ReadonlySet<string> {
  const together = new Set<string>();
  const arriving = new Map<number, Known>();
  const pass = (next: Successors, known: Known) => {
    for (const id of new Set(next)) {
      if (id === null) continue;
      const there = arriving.get(id);
      arriving.set(id, there === undefined ? known : merged(there, known));
    }
  };
  for (const { id, actions } of units) {
    const known = arriving.get(id) ?? NOTHING;
    const next = successors[id]!;
    const condition = conditions.get(id);
    if (condition !== undefined) {
      const [yes, no] = next;
      for (const [branch, holds] of [
        [yes, true],
        [no, false],
      ] as const)
        if (branch !== undefined) pass([branch], told(known, factsOf(condition, holds), parser, together));
      continue;
    }
    if (actions.length === 0) pass(next, known);
    for (const [action, model] of actions.entries())
      pass(ways.get(id)?.[action] ?? next, after(known, model, parser, together));
  }
  return together;
}

function merged(a: Known, b: Known): Known {
  return {
    absent: new Set([...a.absent].filter((header) => b.absent.has(header))),
    made: new Set([...a.made, ...b.made]),
    taken: new Set([...a.taken, ...b.taken]),
  };
}

interface Fact {
  readonly header: string;
  readonly isValid: boolean;
}

/** What a condition tells of headers where it holds, or does not. */
function factsOf(expr: Expr, holds: boolean): readonly Fact[] {
  if (expr.kind === "field")
    return expr.access.field.endsWith(VALID) ? [{ header: headerOf(expr.access.field), isValid: holds }] : [];
  if (expr.kind !== "operation") return [];
  const [left, right] = expr.parts;
  if (left === undefined) return [];
  if (expr.op === "not") return factsOf(left, !holds);
  if (right === undefined) return [];
  if (expr.op === (holds ? "and" : "or")) return [...factsOf(left, holds), ...factsOf(right, holds)];
  if ((expr.op !== "==" && expr.op !== "!=") || right.kind !== "constant") return [];
  return left.kind === "field" ? factsOf(left, (right.value === 1n) === (holds === (expr.op === "=="))) : [];
}

/** What is known with the facts. */
function told(
  known: Known,
  facts: readonly Fact[],
  parser: ParsedTogether,
  together: ReadonlySet<string>,
): Known {
  const absent = new Set(known.absent);
  for (const { header } of facts.filter(({ isValid }) => !isValid)) {
    absent.add(header);
    if (known.taken.has(header)) continue;
    for (const other of parser.parsed)
      if (!known.made.has(other) && parser.needs(other, header)) absent.add(other);
  }
  for (const { header } of facts.filter(({ isValid }) => isValid)) {
    for (const other of parser.parsed)
      if (parser.excludes(header, other) && !together.has(`${header} ${other}`)) absent.add(other);
    absent.delete(header);
  }
  return { ...known, absent };
}

/** What is known after an action: it takes headers away first. */
function after(known: Known, action: ActionModel, parser: ParsedTogether, together: Set<string>): Known {
  const writes = action.writes.filter(({ field }) => field.endsWith(VALID));
  if (writes.length === 0) return known;
  const isTaken = (field: string) =>
    action.operations.some(({ write, constant }) => write.field === field && constant === 0n);
  const taken = writes.filter(({ field }) => isTaken(field)).map(({ field }) => headerOf(field));
  const made = writes.filter(({ field }) => !isTaken(field)).map(({ field }) => headerOf(field));
  const absent = new Set([...known.absent, ...taken]);
  for (const header of made) {
    for (const other of parser.parsed)
      if (!absent.has(other) && parser.excludes(header, other)) {
        together.add(`${header} ${other}`);
        together.add(`${other} ${header}`);
      }
    absent.delete(header);
  }
  return {
    absent,
    made: new Set([...known.made, ...made]),
    taken: new Set([...known.taken, ...taken]),
  };
}

const headerOf = (field: string): string => field.slice(0, -VALID.length);
