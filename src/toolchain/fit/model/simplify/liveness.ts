/**
 * Statements whose result nothing reads: the value is overwritten on every way, or feeds only itself. The compiler removes them
 * (p4c's dead code elimination in front and back end). Calls that change a state stay, without the results that nothing reads.
 */
import { defined } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import {
  actionsOf,
  bypass,
  destinationsOf,
  type Editing,
  fieldsIn,
  matchedBy,
  nextNodes,
  nodeOrder,
  partsOf,
  statementOf,
} from "./graph.js";
import { wholeHeaders } from "./headers.js";

/** Primitives without an effect but their result. */
const PURE: ReadonlySet<string> = new Set([
  "assign",
  "register_read",
  "modify_field_with_hash_based_offset",
  "modify_field_rng_uniform",
]);

/** Removes dead primitives of a pipeline. True when something changed. */
export function removeDead(editing: Editing, pipeline: bmv2.Pipeline, atEnd: ReadonlySet<string>): boolean {
  const order = nodeOrder(pipeline);
  if (order === undefined) return false;
  const { alive } = walk(editing, pipeline, order, atEnd);
  const given = new Set([...editing.fields.keys()].filter((field) => outlives(editing, field)));
  const early = walk(editing, pipeline, order, new Set([...atEnd, ...given])).alive;
  return sweep(editing, pipeline, order, { alive, early });
}

/** A call that stays, by the fields that nothing reads of those that it sets. */
type Alive = Map<bmv2.Primitive, readonly string[]>;

/** Fields that some packet reads before the pipeline has written them. */
export function liveAtStart(
  editing: Editing,
  pipeline: bmv2.Pipeline,
  atEnd: ReadonlySet<string>,
): ReadonlySet<string> {
  const order = nodeOrder(pipeline);
  if (order === undefined || pipeline.init_table === null) return atEnd;
  return defined(walk(editing, pipeline, order, atEnd).before.get(pipeline.init_table));
}

/** By node: the fields that are live before it; and the primitives whose effect something sees. */
function walk(
  editing: Editing,
  pipeline: bmv2.Pipeline,
  order: readonly string[],
  atEnd: ReadonlySet<string>,
): { before: ReadonlyMap<string, ReadonlySet<string>>; alive: Alive } {
  const next = nextNodes(pipeline);
  const tables = new Map(pipeline.tables.map((table) => [table.name, table]));
  const conditions = new Map(pipeline.conditionals.map((condition) => [condition.name, condition]));
  const alive: Alive = new Map();
  const before = new Map<string, ReadonlySet<string>>();
  for (const name of [...order].reverse()) {
    const after = new Set<string>();
    for (const node of new Set(defined(next.get(name))))
      for (const field of node === null ? atEnd : defined(before.get(node))) after.add(field);
    const table = tables.get(name);
    if (table === undefined) before.set(name, fieldsIn(defined(conditions.get(name)).expression, after));
    else before.set(name, liveBefore(editing, pipeline, table, after, alive));
  }
  return { before, alive };
}

/** Fields that are live before a table; primitives with an effect are added to `alive`. */
function liveBefore(
  editing: Editing,
  pipeline: bmv2.Pipeline,
  table: bmv2.Bmv2Table,
  after: ReadonlySet<string>,
  alive: Alive,
): Set<string> {
  const { action_ids: ids, default_entry: missed } = table;
  // Without a default action of its own, a table that is missed does nothing.
  const runs = statementOf(editing, table) !== undefined || (missed && ids.includes(missed.action_id));
  const live = new Set(runs === true ? [] : after);
  for (const action of actionsOf(editing, table)) {
    const here = new Set(after);
    const jumps = action.primitives.some(({ op }) => op.startsWith("_jump"));
    for (const primitive of [...action.primitives].reverse()) {
      // That a header is taken away, such as one in an `out` parameter, goes where nothing asks for it and no deparser sends the header.
      const [valid] = primitive.op === "remove_header" ? wholeHeaders(editing, primitive).sets : [];
      if (valid !== undefined) {
        if (here.has(valid) || !mayGo(editing, valid)) alive.set(primitive, []);
        continue;
      }
      const { sets, reads } = partsOf(editing, primitive);
      const unread = sets.filter((field) => !here.has(field) && mayGo(editing, field));
      if (PURE.has(primitive.op) && unread.length === sets.length) continue;
      alive.set(primitive, primitive.op === "stateful_alu" ? unread : []);
      if (!jumps) for (const field of sets) here.delete(field);
      for (const field of reads) here.add(field);
      for (const field of wholeHeaders(editing, primitive).reads) here.add(field);
    }
    for (const field of here) live.add(field);
  }
  for (const field of matchedBy(pipeline, table)) live.add(field);
  return live;
}

/** Metadata that the program declares, and fields and validity of its headers. */
function mayGo({ fields, headerFields }: Editing, name: string): boolean {
  const info = fields.get(name);
  return info !== undefined && (headerFields.has(info.header) || (info.metadata && !info.intrinsic));
}

/** @param early primitives that the front end keeps: it sees one control at a time, at whose end all that it was given may be read. */
function sweep(
  editing: Editing,
  pipeline: bmv2.Pipeline,
  order: readonly string[],
  { alive, early }: Readonly<Record<"alive" | "early", Alive>>,
): boolean {
  let changed = false;
  const reached = new Set(order);
  for (const table of [...pipeline.tables]) {
    if (!reached.has(table.name)) continue;
    for (const action of actionsOf(editing, table)) {
      // Numbers of primitives are the targets of jumps.
      if (action.primitives.some(({ op }) => op.startsWith("_jump"))) continue;
      const kept = action.primitives.filter((primitive) => alive.has(primitive));
      const less = kept.map((primitive) => withoutResults(primitive, alive.get(primitive) ?? []));
      if (kept.length === action.primitives.length && less.every((one, i) => one === kept[i])) continue;
      if (action.primitives.some((primitive) => !alive.has(primitive) && early.has(primitive)))
        editing.late.tables.add(table.name);
      action.primitives = less;
      changed = true;
    }
    const [only] = actionsOf(editing, table);
    const isEmpty =
      only !== undefined && statementOf(editing, table) === only && only.primitives.length === 0;
    if (!isEmpty || !editing.isStatement(table, only)) continue;
    if (editing.late.tables.has(table.name)) keepConditions(editing, pipeline, table.name);
    bypass(pipeline, table.name);
    changed = true;
  }
  return changed;
}

/** A call of a stateful ALU without some of the fields that it sets. */
function withoutResults(primitive: bmv2.Primitive, fields: readonly string[]): bmv2.Primitive {
  if (fields.length === 0) return primitive;
  const [array, , ...rest] = primitive.parameters;
  const [first, end] = destinationsOf(primitive);
  const results = rest
    .slice(0, end - first)
    .filter((value) => value.type !== "field" || !fields.includes(value.value.join(".")));
  const count: bmv2.Value = { type: "hexstr", value: `0x${results.length.toString(16)}` };
  return { ...primitive, parameters: [array!, count, ...results, ...rest.slice(end - first)] };
}

/**
 * The field is a part of what the control was given. Of the program's metadata the names have two parts (`md.x`), of variables one.
 */
function outlives({ fields, headerFields, localHeaders }: Editing, name: string): boolean {
  const { header, metadata } = fields.get(name) ?? { header: "", metadata: false };
  if (headerFields.has(header)) return !localHeaders.has(header);
  return metadata && name.slice(header.length + 1).includes(".");
}

/**
 * Conditions of which the table is a branch. The back end removes the statements (p4c, bf-p4c, common/elim_unused.cpp), but no gateway: such
 * a condition stays with empty branches.
 */
function keepConditions({ late }: Editing, pipeline: bmv2.Pipeline, name: string): void {
  const next = nextNodes(pipeline);
  const reaches = (from: string | null, seen = new Set<string>()): boolean => {
    if (from === null || seen.has(from)) return false;
    seen.add(from);
    return from === name || defined(next.get(from)).some((node) => reaches(node, seen));
  };
  for (const { name: condition, true_next: yes, false_next: no } of pipeline.conditionals) {
    if (yes === no || (yes !== name && no !== name)) continue;
    if (!reaches(yes === name ? no : yes)) late.conditions.add(condition);
  }
}
