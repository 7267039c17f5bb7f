/** The nodes of a pipeline as the passes of this folder walk and change them. */
import { defined, given } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import type { FieldInfo } from "../model.js";

/** A program that the passes may change, with what they know of it. */
export interface Editing {
  readonly program: bmv2.Bmv2Program;
  readonly fields: ReadonlyMap<string, FieldInfo>;
  /** The keyless table and its action stand for bare statements of a control. */
  readonly isStatement: (table: bmv2.Bmv2Table, action: bmv2.Bmv2Action) => boolean;
  readonly actions: ReadonlyMap<number, bmv2.Bmv2Action>;
  /** By action: tables that have it. */
  readonly users: ReadonlyMap<number, number>;
  /** By header of packets, an element of a stack or a member of a union left out: the names of its fields. */
  readonly headerFields: ReadonlyMap<string, readonly string[]>;
  /** Headers that no parser and no deparser names: storage of parameters. */
  readonly localHeaders: ReadonlySet<string>;
  /** Tables that have lost a statement that only the compiler's back end removes, and conditions whose branch was such a table. */
  readonly late: { readonly tables: Set<string>; readonly conditions: Set<string> };
  /** Values of metadata whose first zero stays: they stand in a header, which no parser clears. */
  readonly uncleared: ReadonlySet<string>;
  /** Values of metadata whose first zero is removed. */
  readonly zeros: Set<string>;
}

export function nextNodes(pipeline: bmv2.Pipeline): Map<string, (string | null)[]> {
  const next = new Map<string, (string | null)[]>();
  for (const table of pipeline.tables) {
    next.set(table.name, [...Object.values(table.next_tables), table.base_default_next ?? null]);
  }
  for (const condition of pipeline.conditionals)
    next.set(condition.name, [condition.true_next, condition.false_next]);
  return next;
}

/** Nodes that packets reach, each after all that lead to it; undefined for a pipeline with a loop. */
export function nodeOrder(pipeline: bmv2.Pipeline): string[] | undefined {
  const next = nextNodes(pipeline);
  const order: string[] = [];
  const state = new Map<string, "open" | "done">();
  const stack: { name: string; at: number }[] = [];
  const enter = (name: string | null): boolean => {
    if (name === null || state.get(name) === "done") return true;
    if (state.get(name) === "open") return false;
    state.set(name, "open");
    stack.push({ name, at: 0 });
    return true;
  };
  enter(pipeline.init_table);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const nexts = defined(next.get(top.name));
    if (top.at < nexts.length) {
      if (!enter(defined(nexts[top.at++]))) return undefined;
    } else {
      state.set(top.name, "done");
      order.push(top.name);
      stack.pop();
    }
  }
  return order.reverse();
}

/** Prepares a program for the passes, which change actions and flow but add neither tables nor actions. */
export function editingOf(
  program: bmv2.Bmv2Program,
  fields: Editing["fields"],
  isStatement: Editing["isStatement"],
  uncleared: Editing["uncleared"],
): Editing {
  const users = new Map<number, number>();
  for (const { tables } of program.pipelines)
    for (const { action_ids: ids } of tables) for (const id of ids) users.set(id, (users.get(id) ?? 0) + 1);
  const headerFields = fieldsOfHeaders(program);
  const named = JSON.stringify([program.parsers, program.deparsers]);
  return {
    program,
    fields,
    isStatement,
    users,
    actions: new Map(program.actions.map((one) => [one.id, one])),
    headerFields,
    localHeaders: new Set([...headerFields.keys()].filter((name) => !named.includes(JSON.stringify(name)))),
    late: { tables: new Set(), conditions: new Set() },
    uncleared,
    zeros: new Set(),
  };
}

function fieldsOfHeaders(program: bmv2.Bmv2Program): Map<string, readonly string[]> {
  const types = new Map(program.header_types.map((type) => [type.name, type.fields]));
  const inside = new Set(
    [
      ...program.header_stacks.map(({ header_ids: ids }) => ids),
      ...program.header_unions.map(({ header_ids: ids }) => ids),
    ].flat(),
  );
  return new Map(
    program.headers
      .filter(({ id, metadata }) => !metadata && !inside.has(id))
      .map(({ name, header_type: type }) => [name, defined(types.get(type)).map(([field]) => field)]),
  );
}

/** The actions of a table. */
export function actionsOf({ actions }: Editing, table: bmv2.Bmv2Table): bmv2.Bmv2Action[] {
  return table.action_ids.map((id) => defined(actions.get(id)));
}

/** The one action of a table without keys, which no other table has; undefined for another table. */
export function statementOf(editing: Editing, table: bmv2.Bmv2Table): bmv2.Bmv2Action | undefined {
  const [action, another] = actionsOf(editing, table);
  if (action === undefined || another !== undefined || table.key.length > 0) return undefined;
  return isPrivate(editing, action) ? action : undefined;
}

/** One table alone can run the action. */
export function isPrivate({ users }: Editing, { id }: bmv2.Bmv2Action): boolean {
  return users.get(id) === 1;
}

/** Leads everything that led to a node to `after`; the node stays without a way to it. */
export function redirect(pipeline: bmv2.Pipeline, name: string, after: string | null): void {
  const moved = (node: string | null | undefined) => (node === name ? after : (node ?? null));
  pipeline.init_table = moved(pipeline.init_table);
  for (const other of pipeline.tables) {
    other.next_tables = Object.fromEntries(
      Object.entries(other.next_tables).map(([key, node]) => [key, moved(node)]),
    );
    if (other.base_default_next !== undefined) other.base_default_next = moved(other.base_default_next);
  }
  for (const condition of pipeline.conditionals) {
    condition.true_next = moved(condition.true_next);
    condition.false_next = moved(condition.false_next);
  }
}

/** Removes a table without effect from the flow. */
export function bypass(pipeline: bmv2.Pipeline, name: string): void {
  const table = defined(pipeline.tables.find((entry) => entry.name === name));
  redirect(pipeline, name, Object.values(table.next_tables)[0] ?? table.base_default_next ?? null);
  pipeline.tables = pipeline.tables.filter((entry) => entry.name !== name);
}

/**
 * Stands for a zero that the parser has written already. It takes no instruction, but the compiler still has it when it makes tables of
 * statements: one that touches the field begins a table. Its parameter is the name of the field.
 */
export const CLEARED = "cleared";

export const clearedBy = (field: string, source: bmv2.SourceInfo | undefined): bmv2.Primitive => ({
  op: CLEARED,
  parameters: [{ type: "string", value: field }],
  ...given({ source_info: source }),
});

/** Removes tables of statements in which nothing but such zeros is left. */
export function dropCleared(editing: Editing, pipeline: bmv2.Pipeline): void {
  for (const table of [...pipeline.tables]) {
    const action = statementOf(editing, table);
    const isEmpty = action?.primitives.every(({ op }) => op === CLEARED) === true;
    if (isEmpty && action.primitives.length > 0) bypass(pipeline, table.name);
  }
}

/** All fields that a value names. */
export function fieldsIn(value: unknown, into = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) fieldsIn(item, into);
  else if (value !== null && typeof value === "object") {
    const node = value as { type?: unknown; value?: unknown };
    if (node.type === "field" && Array.isArray(node.value)) into.add(node.value.join("."));
    else if (node.type === "header" && typeof node.value === "string") into.add(`${node.value}.$valid$`);
    else for (const [key, part] of Object.entries(node)) if (key !== "source_info") fieldsIn(part, into);
  }
  return into;
}

/** Fields that are read elsewhere than in actions, keys, selectors and conditions. */
export function readOutside(program: bmv2.Bmv2Program): Set<string> {
  const names = new Set<string>();
  for (const pipe of program.architecture?.pipes ?? [])
    for (const { fields } of [pipe.ingress, pipe.egress])
      for (const field of Object.values(fields)) names.add(field.join("."));
  const rest = [
    program.field_lists,
    program.learn_lists,
    program.parsers.map(readByParser),
    program.checksums,
  ];
  for (const { input, name } of program.calculations)
    if (program.checksums.some(({ calculation }) => calculation === name)) fieldsIn(input, names);
  return fieldsIn(rest, names);
}

/** Fields that a table reads before its actions: its key, and what its selector takes a hash of. */
export function matchedBy({ action_profiles: profiles }: bmv2.Pipeline, table: bmv2.Bmv2Table): Set<string> {
  const key = table.key.map(({ target }) =>
    typeof target === "string" ? `${target}.$valid$` : target.join("."),
  );
  const profile = profiles.find(({ name }) => name === table.action_profile);
  return fieldsIn(profile?.selector?.input, new Set(key));
}

/** What a parser reads: a field that it only sets is not read. */
export function readByParser({ parse_states: states }: bmv2.Bmv2Parser): unknown[] {
  return states.flatMap(({ parser_ops: ops, transition_key: key }) => [
    key,
    ...ops.map(({ op, parameters }) => (op === "set" ? parameters.slice(1) : parameters)),
  ]);
}

/** The value with a field replaced by another value. */
export const replaced = <T>(value: T, name: string, by: bmv2.Value): T =>
  replacedIn(value, (field) => (field === name ? by : undefined));

/** The value with each field for which `by` has a value replaced by that. */
export function replacedIn<T>(value: T, by: (field: string) => bmv2.Value | undefined): T {
  if (Array.isArray(value)) return value.map((item) => replacedIn(item, by)) as T;
  if (value === null || typeof value !== "object") return value;
  const node = value as { type?: unknown; value?: unknown };
  if (node.type === "field" && Array.isArray(node.value)) {
    const other = by(node.value.join("."));
    return other === undefined ? value : (structuredClone(other) as T);
  }
  return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, replacedIn(part, by)])) as T;
}

/** Fields that a primitive sets, and the values that it reads. A calculation's fields are read, too. */
export function partsOf(
  { program }: Pick<Editing, "program">,
  primitive: bmv2.Primitive,
): { sets: readonly string[]; reads: ReadonlySet<string> } {
  const [first, end] = destinationsOf(primitive);
  const sets = primitive.parameters
    .slice(first, end)
    .flatMap((p) => (p.type === "field" ? [p.value.join(".")] : []));
  const reads = new Set<string>();
  for (const [i, parameter] of primitive.parameters.entries()) {
    if (i >= first && i < end) continue;
    fieldsIn(parameter, reads);
    if (parameter.type === "calculation")
      fieldsIn(program.calculations.find(({ name }) => name === parameter.value)?.input, reads);
  }
  if (primitive.op === "generate_digest")
    for (const list of program.learn_lists) fieldsIn(list.elements, reads);
  return { sets, reads };
}

/** The parameters of a primitive that it sets: the first, and the first behind them. */
export function destinationsOf({ op, parameters }: bmv2.Primitive): readonly [number, number] {
  if (op === "stateful_alu") {
    const [, count] = parameters;
    return [2, 2 + (count?.type === "hexstr" ? Number(count.value) : 0)];
  }
  if (op === "execute_meter") return [2, 3];
  return [0, SETS_FIRST.has(op) ? 1 : 0];
}

const SETS_FIRST: ReadonlySet<string> = new Set([
  "assign",
  "register_read",
  "modify_field_with_hash_based_offset",
  "modify_field_rng_uniform",
]);
