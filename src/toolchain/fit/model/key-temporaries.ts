/**
 * Removes variables that compilers for software switches add. Such a compiler first copies a key that is an expression,
 * or a named condition, into a variable. A chip matches the slice and tests the condition directly, so tables and
 * conditions that read such a variable read its value instead.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { type Expr, readAssignment, readsOf } from "./expressions.js";
import type { Access, FieldInfo } from "./model.js";
import { bypass, dropCleared, editingOf, nextNodes, replaced } from "./simplify/graph.js";
import { ownActions } from "./simplify/own-actions.js";
import { simplifyProgram } from "./simplify/simplify.js";

interface Copy {
  readonly node: string;
  readonly action: bmv2.Bmv2Action;
  readonly primitive: bmv2.Primitive;
  readonly value: bmv2.Value;
  /** The value, where it is a field or a slice of one. */
  readonly slice: Access | undefined;
  /** The runs of bits that a mask leaves of a field: a key of a TNA program matches them in place (p4c, common/extract_maupipe.cpp). */
  readonly masked: readonly Access[];
  readonly sources: readonly Access[];
}

/**
 * A copy of the program without such variables, and the values of metadata whose first zero is removed.
 * @param isStatement the keyless table and its action stand for bare statements of a control
 * @param hasValidity values for the deparser have a bit that says that they were written
 * @param uncleared values of metadata whose first zero stays
 */
export function withoutKeyTemporaries(
  program: bmv2.Bmv2Program,
  fields: ReadonlyMap<string, FieldInfo>,
  isStatement: (table: bmv2.Bmv2Table, action: bmv2.Bmv2Action) => boolean,
  { hasValidity, uncleared }: { hasValidity: boolean; uncleared: ReadonlySet<string> },
): { json: bmv2.Bmv2Program; zeros: ReadonlySet<string> } {
  const copy = structuredClone(program);
  if (copy.architecture !== undefined) ownActions(copy);
  // p4c has done it in its JSON for v1model; findings there should stay at the lines that the program has.
  const editing = editingOf(copy, fields, isStatement, uncleared);
  if (copy.architecture !== undefined) simplifyProgram(editing, hasValidity);
  for (const pipeline of copy.pipelines) simplify(copy, pipeline, fields, isStatement);
  for (const pipeline of copy.pipelines) dropCleared(editing, pipeline);
  return { json: copy, zeros: editing.zeros };
}

function simplify(
  program: bmv2.Bmv2Program,
  pipeline: bmv2.Pipeline,
  fields: ReadonlyMap<string, FieldInfo>,
  isStatement: (table: bmv2.Bmv2Table, action: bmv2.Bmv2Action) => boolean,
): void {
  const actions = new Map(program.actions.map((action) => [action.id, action]));
  const copies = new Map<string, Copy | undefined>();
  const writers = new Map<string, Set<string>>();
  for (const table of pipeline.tables) {
    for (const id of table.action_ids) {
      const action = defined(actions.get(id));
      for (const primitive of action.primitives) {
        for (const parameter of primitive.parameters) {
          // A primitive that names a field may write it, except as the source of an assignment.
          if (parameter.type !== "field") continue;
          const name = parameter.value.join(".");
          if (primitive.op === "assign" && parameter !== primitive.parameters[0]) continue;
          const set = writers.get(name) ?? new Set<string>();
          set.add(table.name);
          writers.set(name, set);
          if (!fields.get(name)?.metadata || fields.get(name)?.intrinsic) continue;
          const known = copies.has(name);
          copies.set(name, known ? undefined : copyOf(table, action, primitive, fields, isStatement));
        }
      }
    }
  }
  if (![...copies.values()].some((found) => found !== undefined)) return;
  const reads = fieldsReadElsewhere(program);
  const reach = reachability(pipeline);
  for (const [name, found] of copies) {
    if (found === undefined || reads.has(name)) continue;
    const tables = pipeline.tables.filter((table) => table.key.some((key) => namesField(key, name)));
    const conditions = pipeline.conditionals.filter((condition) => mentions(condition.expression, name));
    const readers = [...tables.map((table) => table.name), ...conditions.map((condition) => condition.name)];
    const parts = partsFor(found, name, fields, program.architecture !== undefined);
    if (readers.length === 0 || (tables.length > 0 && parts.length === 0)) continue;
    // Only the bits of a prefix stand together.
    const isParted = ({ match_type: kind }: bmv2.TableKey) => kind === "exact" || kind === "ternary";
    if (
      parts.length > 1 &&
      tables.some(({ key }) => !key.every((one) => !namesField(one, name) || isParted(one)))
    )
      continue;
    if (program.pipelines.some((other) => other !== pipeline && tests(other, name))) continue;
    // A reader that packets reach past the assignment sees another value.
    const past = reachableWithout(pipeline, found.node);
    if (readers.some((reader) => past.has(reader))) continue;
    const after = defined(reach.get(found.node));
    // A condition tests no value that statements beside the copy compute, and statements of a program for software switches stay together.
    const isOld = program.architecture === undefined || conditions.length > 0 ? () => true : isWrittenAfter;
    const between = found.sources.some((source) =>
      [...(writers.get(source.field) ?? [])].some(
        (writer) =>
          (writer === found.node ? isOld(found, source.field) : after.has(writer)) &&
          readers.some((reader) => defined(reach.get(writer)).has(reader)),
      ),
    );
    if (between) continue;
    for (const table of tables) {
      table.key = table.key.flatMap((key) =>
        namesField(key, name) ? parts.map((part) => sliceKey(key, part, fields)) : [key],
      );
    }
    for (const condition of conditions)
      condition.expression = replaced(condition.expression, name, found.value);
    found.action.primitives = found.action.primitives.filter((primitive) => primitive !== found.primitive);
    if (found.action.primitives.length === 0) bypass(pipeline, found.node);
  }
}

function copyOf(
  table: bmv2.Bmv2Table,
  action: bmv2.Bmv2Action,
  primitive: bmv2.Primitive,
  fields: ReadonlyMap<string, FieldInfo>,
  isStatement: (table: bmv2.Bmv2Table, action: bmv2.Bmv2Action) => boolean,
): Copy | undefined {
  if (primitive.op !== "assign" || !isStatement(table, action)) return undefined;
  const [target, value] = primitive.parameters;
  if (target?.type !== "field" || value === undefined) return undefined;
  const { access, expr } = readAssignment(target.value, value, { fields, parameters: [] });
  if (access.lo !== 0) return undefined;
  const sources = readsOf(expr);
  if (sources.some((source) => source.field === access.field)) return undefined;
  const slice = expr.kind === "field" ? expr.access : undefined;
  return { node: table.name, action, primitive, value, slice, masked: maskedBits(expr), sources };
}

/** The variable in which this project's front end has the value of a key. */
const HOME_OF_KEY = /^scalars\.key(_\d+)?$/;

/**
 * What tables match in place of the variable. A TNA program's own variable that is a copy with a mask, or a cast of a narrower slice, stays: the
 * compiler propagates neither.
 */
function partsFor(
  { slice, masked }: Copy,
  name: string,
  fields: ReadonlyMap<string, FieldInfo>,
  isTna: boolean,
): readonly Access[] {
  const own = slice === undefined ? [] : [slice];
  if (!isTna) return own;
  if (HOME_OF_KEY.test(name)) return own.length > 0 ? own : masked;
  return own.filter(({ width }) => width === fields.get(name)?.width);
}

/** A statement that stands behind the copy in its action may write the field. */
function isWrittenAfter({ action, primitive }: Copy, field: string): boolean {
  return action.primitives
    .slice(action.primitives.indexOf(primitive) + 1)
    .some(({ op, parameters }) => mentions(op === "assign" ? parameters.slice(0, 1) : parameters, field));
}

/** The runs of neighbour bits of a field that a constant mask leaves at their places, the highest first. */
function maskedBits(expr: Expr): Access[] {
  if (expr.kind !== "operation" || expr.op !== "&") return [];
  const [value, mask] = expr.parts;
  if (value?.kind !== "field" || mask?.kind !== "constant" || mask.value <= 0n) return [];
  const bits = mask.value.toString(2);
  if (bits.length > value.access.width) return [];
  return [...bits.matchAll(/1+/g)].map(({ 0: run, index }) => ({
    ...value.access,
    lo: value.access.lo + bits.length - index - run.length,
    width: run.length,
  }));
}

/** Whether a key or a condition reads the field. */
function tests({ tables, conditionals }: bmv2.Pipeline, name: string): boolean {
  return (
    tables.some(({ key }) => key.some((part) => namesField(part, name))) ||
    conditionals.some(({ expression }) => mentions(expression, name))
  );
}

function namesField(key: bmv2.TableKey, name: string): boolean {
  return typeof key.target !== "string" && key.target.join(".") === name;
}

function mentions(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, name));
  if (value === null || typeof value !== "object") return false;
  const node = value as { type?: unknown; value?: unknown };
  if (node.type === "field" && Array.isArray(node.value)) return node.value.join(".") === name;
  return Object.values(node).some((part) => mentions(part, name));
}

function sliceKey(key: bmv2.TableKey, source: Access, fields: ReadonlyMap<string, FieldInfo>): bmv2.TableKey {
  const dot = source.field.indexOf(".");
  const whole = fields.get(source.field)?.width === source.width;
  const mask = ((1n << BigInt(source.width)) - 1n) << BigInt(source.lo);
  return {
    ...key,
    target: [source.field.slice(0, dot), source.field.slice(dot + 1)],
    mask: whole ? null : `0x${mask.toString(16)}`,
  };
}

/** Fields that are read elsewhere than in keys and conditions. */
function fieldsReadElsewhere(program: bmv2.Bmv2Program): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value !== null && typeof value === "object") {
      const node = value as { type?: unknown; value?: unknown };
      if (node.type === "field" && Array.isArray(node.value)) names.add(node.value.join("."));
      else for (const [key, part] of Object.entries(node)) if (key !== "source_info") visit(part);
    }
  };
  for (const action of program.actions) {
    for (const primitive of action.primitives)
      visit(primitive.parameters.slice(primitive.op === "assign" ? 1 : 0));
  }
  for (const pipeline of program.pipelines) {
    visit(pipeline.action_profiles);
  }
  visit(program.calculations);
  visit(program.learn_lists);
  visit(program.field_lists);
  visit(program.parsers);
  visit(program.checksums);
  return names;
}

/** Nodes that packets reach from each node. */
function reachability(pipeline: bmv2.Pipeline): Map<string, Set<string | null>> {
  const next = nextNodes(pipeline);
  return new Map([...next].map(([name, nodes]) => [name, reachable(next, nodes)]));
}

/** Nodes that packets reach without passing `node`. */
function reachableWithout(pipeline: bmv2.Pipeline, node: string): Set<string | null> {
  const next = nextNodes(pipeline);
  next.set(node, []);
  return reachable(next, [pipeline.init_table]);
}

/** The nodes and all that they lead to; null is the end of the pipeline. */
function reachable(next: ReadonlyMap<string, readonly (string | null)[]>, from: readonly (string | null)[]) {
  const seen = new Set(from);
  // The set grows while it is read.
  for (const node of seen) if (node !== null) for (const after of defined(next.get(node))) seen.add(after);
  return seen;
}
