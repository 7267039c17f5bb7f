/**
 * Variables that only pass a value on. The front end gives each call a variable for its result, and copies it; the compiler's
 * copy propagation lets the call set the last one of such a chain, and lets readers of a copy read the original.
 */
import { defined } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { readAssignment } from "../expressions.js";
import {
  actionsOf,
  destinationsOf,
  type Editing,
  fieldsIn,
  isPrivate,
  matchedBy,
  nextNodes,
  partsOf,
  readOutside,
  statementOf,
} from "./graph.js";

/** A primitive and the table of statements that it stands in. */
interface Place {
  readonly table: bmv2.Bmv2Table;
  readonly action: bmv2.Bmv2Action;
  readonly at: number;
}

/** A variable of the program, not of its headers or structures. */
export function isVariable({ fields }: Pick<Editing, "fields">, name: string): boolean {
  const info = fields.get(name);
  return (
    info?.metadata === true && !info.intrinsic && name.startsWith("scalars.") && name.split(".").length === 2
  );
}

/** Lets a primitive set the field to which its result is copied right after it. */
export function joinResults(editing: Editing, pipeline: bmv2.Pipeline): void {
  const uses = countUses(editing);
  const next = nextNodes(pipeline);
  const before = new Map<string, number>();
  for (const nodes of next.values())
    for (const node of new Set(nodes)) if (node !== null) before.set(node, (before.get(node) ?? 0) + 1);
  const following = (table: bmv2.Bmv2Table): bmv2.Bmv2Table | undefined => {
    const after = new Set(Object.values(table.next_tables));
    const [name] = after;
    if (after.size !== 1 || typeof name !== "string" || before.get(name) !== 1) return undefined;
    return pipeline.tables.find((one) => one.name === name);
  };
  for (const table of pipeline.tables) {
    const action = plainStatement(editing, table);
    if (action === undefined) continue;
    for (let at = 0; at < action.primitives.length; at++) {
      // What the hash unit gives to a variable of the control stays there.
      if (action.primitives[at]?.in_hash === true) continue;
      // A chain of copies: the last variable is a candidate again.
      for (;;) {
        const { sets } = partsOf(editing, defined(action.primitives[at]));
        const isOnlyCopied = (variable: string) =>
          isVariable(editing, variable) && uses.writes.get(variable) === 1 && uses.reads.get(variable) === 1;
        const from = { table, action, at };
        if (sets.length > 1)
          // The variables of a call with several results are ours; what the program copies them to is the compiler's own result.
          for (const [result, variable] of sets.entries())
            if (isOnlyCopied(variable)) joinOne(editing, from, { variable, result }, following);
        const [variable] = sets;
        if (variable === undefined || sets.length !== 1 || !isOnlyCopied(variable)) break;
        if (!joinOne(editing, from, { variable, result: 0 }, following)) break;
      }
    }
  }
}

/** Calls whose result an instruction of the same action passes on in the stage of the call. */
const CALLS: ReadonlySet<string> = new Set(["execute_meter", "modify_field_rng_uniform"]);

/**
 * The same within an action of a table with a key, or with several actions: what a meter or the random numbers give is on the action data bus,
 * so that no variable takes it first.
 */
export function joinInActions(editing: Editing, pipeline: bmv2.Pipeline): void {
  const isLocal = localVariables(editing);
  for (const table of pipeline.tables) {
    if (statementOf(editing, table) !== undefined) continue;
    for (const action of actionsOf(editing, table)) {
      if (!isPrivate(editing, action) || action.primitives.some(({ op }) => op.startsWith("_jump"))) continue;
      for (let at = 0; at < action.primitives.length; at++) {
        const primitive = defined(action.primitives[at]);
        const [variable] = CALLS.has(primitive.op) ? partsOf(editing, primitive).sets : [];
        if (variable === undefined || !isLocal(variable)) continue;
        const later = action.primitives.slice(at + 1).map((one) => partsOf(editing, one));
        const readers = later.filter(({ reads }) => reads.has(variable));
        // What is read again in this action would then come from the field, a stage later.
        const isReadAgain = readers.some(({ sets }) =>
          later.some(({ reads }) => sets.some((field) => reads.has(field))),
        );
        if (readers.length === 1 && !isReadAgain)
          joinOne(editing, { table, action, at }, { variable, result: 0 }, () => undefined);
      }
    }
  }
}

/** Whether a variable is read only in actions that set it before. */
function localVariables(editing: Editing): (variable: string) => boolean {
  const uses = countUses(editing);
  const inside = new Map<string, number>();
  for (const { primitives } of editing.program.actions) {
    const set = new Set<string>();
    for (const primitive of primitives) {
      const { sets, reads } = partsOf(editing, primitive);
      for (const name of reads) if (set.has(name)) inside.set(name, (inside.get(name) ?? 0) + 1);
      for (const name of sets) set.add(name);
    }
  }
  return (variable) => isVariable(editing, variable) && inside.get(variable) === uses.reads.get(variable);
}

function joinOne(
  editing: Editing,
  from: Place,
  { variable, result }: { readonly variable: string; readonly result: number },
  following: (table: bmv2.Bmv2Table) => bmv2.Bmv2Table | undefined,
): boolean {
  const passed: bmv2.Primitive[] = [];
  let { table, action, at } = from;
  for (;;) {
    for (let i = at + 1; i < action.primitives.length; i++) {
      const primitive = defined(action.primitives[i]);
      const target = copyOf(editing, primitive, variable);
      if (target === undefined) {
        passed.push(primitive);
        continue;
      }
      const isTouched = passed.some((one) => {
        const { sets, reads } = partsOf(editing, one);
        return sets.includes(target.join(".")) || reads.has(target.join("."));
      });
      if (isTouched) return false;
      const producer = defined(from.action.primitives[from.at]);
      const [first] = destinationsOf(producer);
      producer.parameters[first + result] = { type: "field", value: target };
      action.primitives = action.primitives.filter((one) => one !== primitive);
      return true;
    }
    const after = following(table);
    const next = after === undefined ? undefined : plainStatement(editing, after);
    if (after === undefined || next === undefined) return false;
    [table, action, at] = [after, next, -1];
  }
}

function plainStatement(editing: Editing, table: bmv2.Bmv2Table): bmv2.Bmv2Action | undefined {
  const action = statementOf(editing, table);
  return action?.primitives.some(({ op }) => op.startsWith("_jump")) === true ? undefined : action;
}

/** The field that the primitive sets to the variable's whole value. */
function copyOf({ fields }: Editing, primitive: bmv2.Primitive, variable: string): bmv2.FieldRef | undefined {
  if (primitive.op !== "assign" || primitive.in_hash === true) return undefined;
  const [target, value] = primitive.parameters;
  if (target?.type !== "field" || value === undefined) return undefined;
  const { access, expr } = readAssignment(target.value, value, { fields, parameters: [] });
  const isWhole = access.lo === 0 && access.width === fields.get(access.field)?.width;
  if (!isWhole || expr.kind !== "field" || expr.access.field !== variable || expr.access.lo !== 0)
    return undefined;
  // Neither a part of the value nor a cast to a wider type, which is two assignments (pieces.ts).
  const width = fields.get(variable)?.width ?? 0;
  return expr.access.width === width && access.width === width ? target.value : undefined;
}

function countUses({ program }: Editing): {
  reads: ReadonlyMap<string, number>;
  writes: ReadonlyMap<string, number>;
} {
  const reads = new Map<string, number>();
  const writes = new Map<string, number>();
  const add = (counts: Map<string, number>, names: Iterable<string>) => {
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for (const { primitives } of [...program.actions, ...program.deparsers])
    for (const primitive of primitives ?? []) {
      const { sets, reads: read } = partsOf({ program }, primitive);
      add(writes, sets);
      add(reads, read);
    }
  for (const name of readOutside(program)) add(reads, [name]);
  for (const pipeline of program.pipelines) {
    for (const table of pipeline.tables) add(reads, matchedBy(pipeline, table));
    for (const { expression } of pipeline.conditionals) add(reads, fieldsIn(expression));
  }
  return { reads, writes };
}
