/**
 * Values of metadata that live for a shorter time, so that others take their containers: `@stage` for the tables that set and use them, each
 * group of such tables at a time of its own, and `@pa_no_init` for variables that have no value before their first write.
 *
 * The value of a variable without an initial value is not specified (P4-16, 8.25): a program that keeps its meaning with every such value
 * keeps it with `@pa_no_init`. Whoever writes the change tries other values ({@link valuesFor}).
 */
import type { SourceFile } from "../../base/index.js";
import type { FitResult } from "../fit/index.js";
import type { ast } from "../p4/index.js";
import { placeOf } from "./own-text.js";
import { type Edit, indentOf, ownSpan, type Rewrite } from "./rewrite.js";
import {
  exitingNames,
  hasPragma,
  nodesOf,
  pragmaEdit,
  type TableText,
  type TableTexts,
  type Unit,
} from "./tables.js";

/** Tables that values of metadata connect, with their stages counted from the first one. */
interface Group {
  readonly units: readonly Unit[];
  readonly texts: readonly TableText[];
  readonly fields: readonly string[];
  readonly levels: ReadonlyMap<number, number>;
  /** First stages that dependencies allow. */
  readonly lo: number;
  readonly hi: number;
}

/**
 * Changes for each gress that has too few containers: tables that only set such values, right before the first table that uses them; a stage
 * for each table; both also with open values.
 */
export function shorterLives(texts: TableTexts, result: FitResult, unit: ast.SourceUnit): Rewrite[] {
  const exiting = exitingNames(unit);
  const without = result.phv.allocation?.unallocated.filter(({ rule }) => rule === "container") ?? [];
  const gresses = [...new Set(without.map(({ gress }) => gress))];
  return gresses.flatMap((gress) => {
    const groups = groupsOf(texts, result, gress);
    const open = openVariables(texts, groups, result);
    const moved = groups.flatMap((group) => settersMoved(texts, group, { result, exiting }));
    const first = Math.min(...groups.map((group) => placedStart(group, result)));
    const staged = groups.flatMap((group, at) => stagesOf(group, at, { count: groups.length, first }));
    const place = groups.length === 0 ? "" : placeOf(groups[0]!.texts[0]!.span);
    const setters = moved.length / 2;
    return [
      ...withOpen(
        "move",
        `${place}: ${setters} tables of ${gress} that only set values, right before the tables that use them`,
        moved,
        open,
      ),
      ...withOpen(
        "stage",
        `${place}: @stage for ${staged.length} tables of ${gress}, so that ${groups.length} groups of values live one after the other`,
        staged,
        open,
      ),
    ];
  });
}

/** The edits as one change, and with open values as another one. */
function withOpen(
  kind: "move" | "stage",
  words: string,
  [first, ...more]: readonly Edit[],
  open: { readonly names: readonly string[]; readonly edits: readonly Edit[] },
): Rewrite[] {
  if (first === undefined) return [];
  const rewrite: Rewrite = { kind, words, ...first, more };
  if (open.names.length === 0) return [rewrite];
  return [
    {
      ...rewrite,
      words: `${words}, and @pa_no_init for ${open.names.length} variables without an initial value`,
      more: [...more, ...open.edits],
      open: open.names,
    },
    rewrite,
  ];
}

/** The stage of the group's first table, as if all its tables stood as close as they can. */
function placedStart({ units, levels }: Group, { placement }: FitResult): number {
  const starts = placement.parts
    .filter(({ unit, spill }) => spill === undefined && levels.has(unit.id))
    .map(({ unit, stage }) => stage - levels.get(unit.id)!);
  return units.length === 0 || starts.length === 0 ? 0 : Math.min(...starts);
}

/** Each group begins at a stage of its own, spread over those that it may take. */
function stagesOf(
  { units, texts, levels, ...range }: Group,
  at: number,
  { count, first }: { count: number; first: number },
): Edit[] {
  const { hi } = range;
  const lo = Math.min(hi, Math.max(range.lo, first));
  const start = count === 1 ? hi : lo + Math.floor((at * (hi - lo + 1)) / count);
  return units.map((unit, i) => pragmaEdit(texts[i]!, `@stage(${start + levels.get(unit.id)!})`));
}

/**
 * Statements `t.apply();` of tables that set values of the group alone and keep no state, right before the first statement of their block that
 * applies another table of the group. Nothing between them touches what they touch, and who leaves the control before never reads a value.
 */
function settersMoved(
  texts: TableTexts,
  { units, texts: tables, levels, fields }: Group,
  { result, exiting }: { result: FitResult; exiting: ReadonlySet<string> },
): Edit[] {
  const names = tables.map(({ table }) => table.name.name);
  return units.flatMap((unit, i): Edit[] => {
    const [{ control }, name] = [tables[i]!, names[i]!];
    const others = new Set(names.filter((other) => other !== name));
    const outgoing = result.problem.graph.outgoing[unit.id]!;
    const setsAlone =
      levels.get(unit.id) === 0 &&
      !exiting.has(name) &&
      unit.attached.length === 0 &&
      unit.actions.every(({ writes }) => writes.every(({ field }) => fields.includes(field))) &&
      outgoing.every(({ to }) => levels.has(to));
    const touched = [...unit.key.map(({ access }) => access.field), ...fields].flatMap((field) =>
      field.split("."),
    );
    const place = setsAlone ? placeToMove(control, name, others, new Set(touched)) : undefined;
    const from = place && ownSpan(texts.file, place.from);
    const to = place && ownSpan(texts.file, place.to);
    if (from === undefined || to === undefined) return [];
    return [
      { span: from, replacement: "" },
      { span: { ...to, end: to.start }, replacement: `${name}.apply(); ` },
    ];
  });
}

/** The statement that applies a table, and the first later one of its block that applies one of the others; undefined where it is the next one. */
function placeToMove(
  control: ast.ControlDeclaration,
  name: string,
  others: ReadonlySet<string>,
  touched: ReadonlySet<string>,
): { from: ast.Statement; to: ast.Statement } | undefined {
  if (appliesIn(control).filter((one) => one === name).length !== 1) return undefined;
  for (const { statements } of nodesOf(control, "block") as ast.BlockStatement[]) {
    const at = statements.findIndex((one) => one.kind === "callStatement" && appliesIn(one).includes(name));
    if (at < 0) continue;
    const later = statements
      .slice(at + 1)
      .findIndex((one) => appliesIn(one).some((applied) => others.has(applied)));
    // Copies between them are no units of the fit, and may still read or write what the table does.
    if (statements.slice(at + 1, at + 1 + later).some((one) => assigns(one, touched))) return undefined;
    return later < 1 ? undefined : { from: statements[at]!, to: statements[at + 1 + later]! };
  }
  return undefined;
}

/** Whether an assignment in a statement, or a call that is no table's, has one of the names. */
function assigns(statement: ast.Statement, names: ReadonlySet<string>): boolean {
  const calls = (nodesOf(statement, "call") as ast.CallExpression[]).filter(({ args }) => args.length > 0);
  const bodies = (nodesOf(statement, "call") as ast.CallExpression[]).flatMap(({ callee }) =>
    callee.kind === "path" && callee.declaration !== undefined ? [callee.declaration] : [],
  );
  return [
    ...nodesOf(statement, "assignment"),
    ...nodesOf(statement, "declaration"),
    ...calls,
    ...bodies,
  ].some((node) => (nodesOf(node, "path") as ast.PathExpression[]).some(({ name }) => names.has(name.name)));
}

/** Names of tables that are applied in a node, as often as they are. */
function appliesIn(node: unknown): string[] {
  return (nodesOf(node, "call") as ast.CallExpression[]).flatMap(({ callee }) =>
    callee.kind === "member" && callee.member.name === "apply" && callee.base.kind === "path"
      ? [callee.base.name.name]
      : [],
  );
}

function groupsOf(texts: TableTexts, { model, problem, target }: FitResult, gress: Unit["gress"]): Group[] {
  const { graph } = problem;
  const fields = touchedFields(model, gress);
  const root = new Map<number, number>();
  const find = (id: number): number => {
    const up = root.get(id) ?? id;
    return up === id ? id : find(up);
  };
  for (const { units } of fields.values()) for (const id of units) root.set(find(id), find(units[0]!));
  const members = new Map<number, { units: Unit[]; fields: string[] }>();
  for (const [field, { units }] of fields) {
    const key = find(units[0]!);
    const group = members.get(key) ?? { units: [], fields: [] };
    members.set(key, group);
    group.fields.push(field);
    for (const id of units) if (!group.units.some((one) => one.id === id)) group.units.push(model.units[id]!);
  }
  return [...members.values()].flatMap((group) => {
    const units = group.units.sort((a, b) => a.id - b.id);
    const here = units.map((unit) => texts.of(unit));
    const known = here.flatMap((text) => (text === undefined || hasPragma(text, "stage") ? [] : [text]));
    // A table of two units, or a unit without a text of its own, has no stage that a pragma could name.
    if (known.length < units.length || new Set(known).size < units.length) return [];
    const ids = new Set(units.map(({ id }) => id));
    const levels = new Map<number, number>();
    for (const { id } of units) {
      const inside = graph.incoming[id]!.filter(({ from }) => ids.has(from));
      levels.set(id, Math.max(0, ...inside.map(({ from, distance }) => (levels.get(from) ?? 0) + distance)));
    }
    const lo = Math.max(...units.map(({ id }) => graph.earliest[id]! - levels.get(id)!));
    const hi = Math.min(...units.map(({ id }) => target.stages - 1 - graph.below[id]! - levels.get(id)!));
    return hi - lo < 1 ? [] : [{ units, texts: known, fields: group.fields, levels, lo, hi }];
  });
}

/** Metadata that only tables of the gress touch, with at least one that writes it. */
function touchedFields(model: FitResult["model"], gress: Unit["gress"]): Map<string, { units: number[] }> {
  const found = new Map<string, { units: number[]; isWritten: boolean }>();
  const add = (field: string, id: number, isWritten: boolean) => {
    const entry = found.get(field) ?? { units: [], isWritten: false };
    found.set(field, entry);
    if (!entry.units.includes(id)) entry.units.push(id);
    entry.isWritten ||= isWritten;
  };
  for (const unit of model.units.filter((one) => one.gress === gress)) {
    for (const { access } of unit.key) add(access.field, unit.id, false);
    for (const { field } of unit.condition?.reads ?? []) add(field, unit.id, false);
    for (const { inputs } of unit.hashes) for (const { field } of inputs) add(field, unit.id, false);
    for (const { field } of unit.implementation?.selector?.inputs ?? []) add(field, unit.id, false);
    for (const { reads, writes } of unit.actions) {
      for (const { field } of reads) add(field, unit.id, false);
      for (const { field } of writes) add(field, unit.id, true);
    }
  }
  const isFree = (field: string) => {
    const info = model.fields.get(field);
    if (info === undefined || !info.metadata || info.intrinsic || model.forDeparser.has(field)) return false;
    return !model.parser.reads(gress).has(field) && !model.parser.sets(gress).has(field);
  };
  return new Map([...found].filter(([field, { isWritten }]) => isWritten && isFree(field)));
}

/** Variables of the groups' controls without an initial value, each with its pragma before its control. */
function openVariables(
  texts: TableTexts,
  groups: readonly Group[],
  { phv }: FitResult,
): { names: string[]; edits: Edit[] } {
  const names: string[] = [];
  const edits: Edit[] = [];
  const fromParser = new Map<string, boolean>();
  for (const { slices } of phv.allocation?.containers ?? [])
    for (const { field, live } of slices) fromParser.set(field, live.from < 0);
  for (const { texts: tables, fields, units } of groups) {
    const [{ control }] = tables as [TableText];
    for (const field of fields) {
      if (fromParser.get(field) === false) continue;
      const name = field.split(".").at(-1)!;
      const variable = openVariable(control, name);
      const span = variable && ownSpan(texts.file, control);
      if (span === undefined) continue;
      const at = { ...span, end: span.start };
      names.push(name);
      edits.push({
        span: at,
        replacement: `@pa_no_init("${units[0]!.gress}", "${name}")\n${indentOf(span)}`,
      });
    }
  }
  return { names, edits };
}

/** The variable of a control with that name, declared without a value. */
function openVariable(control: ast.ControlDeclaration, name: string): ast.VariableDeclaration | undefined {
  const found = (control.body?.locals ?? []).find((one) => one.kind === "variable" && one.name.name === name);
  const isOpen = found?.kind === "variable" && found.initializer === undefined && found.type?.kind === "bit";
  return isOpen ? found : undefined;
}

/** Edits that give such variables a first value other than 0: every second bit. */
export function valuesFor(file: SourceFile, unit: ast.SourceUnit, names: readonly string[]): Edit[] {
  return unit.declarations.flatMap((control) =>
    control.kind !== "control"
      ? []
      : names.flatMap((name) => {
          const variable = openVariable(control, name);
          const span = variable && ownSpan(file, variable.name);
          if (variable?.type?.kind !== "bit" || span === undefined) return [];
          const value = BigInt.asUintN(variable.type.width, BigInt(`0x${"a5".repeat(32)}`));
          return [{ span: { ...span, start: span.end }, replacement: ` = ${value}` }];
        }),
  );
}
