/**
 * Readers of a variable that only holds a copy or a constant read the original (p4c's local copy propagation, midend/local_copyprop.cpp); so do
 * statements, conditions and keys that read a member of metadata or of a header.
 */
import { defined } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { readAssignment, readsOf } from "../expressions.js";
import { isVariable } from "./copies.js";
import {
  actionsOf,
  destinationsOf,
  type Editing,
  isPrivate,
  nextNodes,
  nodeOrder,
  partsOf,
  replacedIn,
  statementOf,
} from "./graph.js";
import { wholeHeaders } from "./headers.js";

interface Copy {
  readonly value: bmv2.Value;
  /** Fields that the value reads. */
  readonly sources: readonly string[];
  /** Of a member of metadata or of a header: actions that the program declares read the member. */
  readonly isMember: boolean;
}

/** What is known of variables at a point: each one's copy. */
type Known = Map<string, Copy>;

/** Replaces reads of copies in conditions, statements and actions of one table. */
export function propagateCopies(editing: Editing, pipeline: bmv2.Pipeline): void {
  const order = nodeOrder(pipeline);
  if (order === undefined) return;
  const next = nextNodes(pipeline);
  const incoming = new Map<string, Known>();
  if (pipeline.init_table !== null) incoming.set(pipeline.init_table, new Map());
  const tables = new Map(pipeline.tables.map((table) => [table.name, table]));
  const conditions = new Map(pipeline.conditionals.map((condition) => [condition.name, condition]));
  for (const name of order) {
    const known = new Map(defined(incoming.get(name)));
    const table = tables.get(name);
    if (table !== undefined) {
      passSelector(pipeline, table, known);
      passTable(editing, table, known);
    } else {
      const condition = defined(conditions.get(name));
      condition.expression = withKnown(condition.expression, known);
    }
    for (const node of new Set(defined(next.get(name)))) {
      if (node === null) continue;
      const there = incoming.get(node);
      incoming.set(node, there === undefined ? new Map(known) : common(there, known));
    }
  }
}

function common(a: Known, b: Known): Known {
  return new Map(
    [...a].filter(([name, { value }]) => JSON.stringify(b.get(name)?.value) === JSON.stringify(value)),
  );
}

function withKnown<T>(value: T, known: Known): T {
  return known.size === 0 ? value : replacedIn(value, (name) => known.get(name)?.value);
}

/** The hash of a selector reads the fields of which its inputs are copies, where one table alone has the selector. */
function passSelector(
  { action_profiles: profiles, tables }: bmv2.Pipeline,
  table: bmv2.Bmv2Table,
  known: Known,
): void {
  const profile = profiles.find(({ name }) => name === table.action_profile);
  const users = tables.filter(({ action_profile: name }) => name === table.action_profile);
  if (profile?.selector === undefined || users.length !== 1) return;
  profile.selector.input = replacedIn(profile.selector.input, (name) => {
    const value = known.get(name)?.value;
    return value?.type === "field" ? value : undefined;
  });
}

/** Passes a table: replaces what its actions read, and changes what is known after it. */
function passTable(editing: Editing, table: bmv2.Bmv2Table, known: Known): void {
  const statement = statementOf(editing, table);
  for (const part of table.key) {
    // A key that reads the storage of a parameter reads the argument.
    const copy = typeof part.target === "string" ? undefined : known.get(part.target.join("."));
    if (copy?.value.type === "field") part.target = copy.value.value;
  }
  for (const action of actionsOf(editing, table)) {
    const own = isPrivate(editing, action) && !action.primitives.some(({ op }) => op.startsWith("_jump"));
    const isStatement = editing.isStatement(table, action);
    const here = isStatement ? new Map(known) : withoutMembers(known);
    for (const primitive of action.primitives) {
      if (own) {
        const [first, end] = destinationsOf(primitive);
        // The method of a register reads members as they are then.
        const ofMethod = primitive.op === "stateful_alu" ? withoutMembers(here) : here;
        const ofOthers = withoutTarget(editing, primitive, here);
        primitive.parameters = primitive.parameters.map((parameter, i) =>
          i >= first && i < end ? parameter : withKnown(parameter, i > end ? ofMethod : ofOthers),
        );
      }
      const sets = [...partsOf(editing, primitive).sets, ...wholeHeaders(editing, primitive).sets];
      for (const field of sets) for (const state of [here, known]) forget(state, field);
      const copy = copyIn(editing, primitive);
      if (copy === undefined || (copy.isMember && !isStatement)) continue;
      here.set(copy.name, copy);
      if (statement === action && own) known.set(copy.name, copy);
    }
  }
}

/** What is known for an assignment: of a part of a field, its other bits stay in the field. */
function withoutTarget(editing: Editing, { op, parameters }: bmv2.Primitive, known: Known): Known {
  const [target, value] = parameters;
  if (op !== "assign" || target?.type !== "field" || value === undefined) return known;
  const { access } = readAssignment(target.value, value, { fields: editing.fields, parameters: [] });
  if (access.width === editing.fields.get(access.field)?.width || !known.has(access.field)) return known;
  return new Map([...known].filter(([name]) => name !== access.field));
}

const withoutMembers = (known: Known): Known => new Map([...known].filter(([, { isMember }]) => !isMember));

function forget(known: Known, field: string): void {
  known.delete(field);
  for (const [name, { sources }] of known) if (sources.includes(field)) known.delete(name);
}

/** The variable that a primitive makes a copy of one field, or a constant. */
function copyIn(editing: Editing, primitive: bmv2.Primitive): (Copy & { name: string }) | undefined {
  if (primitive.op !== "assign") return undefined;
  const [target, value] = primitive.parameters;
  if (target?.type !== "field" || value === undefined) return undefined;
  const { access, expr } = readAssignment(target.value, value, { fields: editing.fields, parameters: [] });
  const isWhole = access.lo === 0 && access.width === editing.fields.get(access.field)?.width;
  if (!isWhole || (!isValue(editing, access.field) && !isOfLocalHeader(editing, target.value)))
    return undefined;
  if (expr.kind !== "field" && expr.kind !== "constant") return undefined;
  // A cast to a wider type is two assignments before copies are propagated (pieces.ts).
  if (expr.kind === "field" && expr.access.width < access.width) return undefined;
  const sources = readsOf(expr).map(({ field }) => field);
  return {
    name: access.field,
    value,
    sources,
    isMember: !isVariable(editing, access.field) && !isOfLocalHeader(editing, target.value),
  };
}

/** A value of metadata that the program declares, or a field of a packet. */
function isValue(editing: Editing, name: string): boolean {
  const info = editing.fields.get(name);
  if (info === undefined || info.intrinsic || name.endsWith("$")) return false;
  return !info.metadata || name.startsWith("scalars.");
}

/** Of a header that no parser and no deparser names. */
function isOfLocalHeader({ localHeaders }: Editing, target: bmv2.TableKey["target"]): boolean {
  return typeof target !== "string" && localHeaders.has(target[0]);
}
