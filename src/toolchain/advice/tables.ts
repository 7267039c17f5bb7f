/** The tables of a program's text and the units of a fit that they are, and changes that are a pragma of a table. */
import type { SourceFile, Span } from "../../base/index.js";
import type { FitResult } from "../fit/index.js";
import { type ast, partsOf } from "../p4/index.js";
import { placeOf } from "./own-text.js";
import { type Edit, indentOf, lineOf, ownSpan, type Rewrite, textOf } from "./rewrite.js";

export type Unit = FitResult["model"]["units"][number];

export interface TableText {
  readonly table: ast.TableDeclaration;
  readonly control: ast.ControlDeclaration;
  readonly span: Span;
}

/** Tables that stand in a text, by the units that they become. */
export class TableTexts {
  readonly #byName = new Map<string, TableText[]>();

  constructor(
    readonly file: SourceFile,
    unit: ast.SourceUnit,
  ) {
    for (const control of unit.declarations) {
      if (control.kind !== "control") continue;
      for (const table of control.body?.locals ?? []) {
        const span = table.kind === "table" ? ownSpan(file, table) : undefined;
        if (table.kind !== "table" || span === undefined) continue;
        const name = table.name.name;
        this.#byName.set(name, [...(this.#byName.get(name) ?? []), { table, control, span }]);
      }
    }
  }

  /** The text of the table that a unit is; undefined where it is no table, or where several have its name. */
  of({ table, source }: Unit): TableText | undefined {
    const list = this.#byName.get(table?.split(".").at(-1) ?? "") ?? [];
    if (list.length <= 1) return list[0];
    const here = list.filter(({ span, table: { name } }) => {
      const first = ownSpan(this.file, name)?.start ?? span.start;
      return lineOf({ ...span, start: first }) === source?.line;
    });
    return here.length === 1 ? here[0] : undefined;
  }
}

const hasPragma = ({ table }: TableText, name: string): boolean =>
  table.annotations.some((one) => one.name === name);

/** The edit that puts a pragma before a table. */
function pragmaEdit({ span }: TableText, pragma: string) {
  const at = { file: span.file, start: span.start, end: span.start };
  return { span: at, replacement: `${pragma}\n${indentOf(span)}` };
}

/** Entries up to which an exact table is tried in TCAM: four blocks of 512. */
const MAX_TERNARY = 2048;
/** Entries from which an LPM table is tried as partitions in SRAM. */
const MIN_ALPM = 1024;
const MAX_SINGLE = 8;

/** Pragmas that put a table into other memory, or before others. The entries and what a controller sees stay as they are. */
export function tablePragmas(texts: TableTexts, result: FitResult): Rewrite[] {
  const { model, problem } = result;
  const tables = model.units.flatMap((unit) => {
    const text = unit.kind === "match" ? texts.of(unit) : undefined;
    return text === undefined ? [] : [{ unit, text, plan: problem.plans[unit.id]! }];
  });
  const blocksOf = ({ unit, plan }: (typeof tables)[number]) => plan.layout(unit.size);
  const small = tables
    .filter(
      ({ unit, plan, text }) =>
        plan.match === "exact" &&
        unit.algorithmic === undefined &&
        unit.size <= MAX_TERNARY &&
        !hasPragma(text, "ternary"),
    )
    .sort((a, b) => blocksOf(b).srams - blocksOf(a).srams || a.unit.id - b.unit.id);
  const sizes = [...new Set([512, MAX_TERNARY])];
  const groups = sizes.map((most) => small.filter(({ unit }) => unit.size <= most));
  const inTcam = [...groups, ...small.slice(0, MAX_SINGLE).map((one) => [one])].filter(
    (group, at, all) =>
      group.length > 0 &&
      all.findIndex((other) => other.length === group.length && other[0] === group[0]) === at,
  );
  const alpm = tables.filter(
    ({ unit, text }) =>
      unit.size >= MIN_ALPM &&
      unit.algorithmic === undefined &&
      unit.key.some(({ kind }) => kind === "lpm") &&
      unit.key.every(({ kind }) => kind === "lpm" || kind === "exact") &&
      !hasPragma(text, "alpm"),
  );
  const withPragma = (kind: Rewrite["kind"], pragma: string, list: typeof tables): Rewrite => {
    const [first, ...more] = list.map(({ text }) => pragmaEdit(text, pragma));
    const names = list.map(({ text }) => text.table.name.name);
    const shown =
      names.length > 4
        ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more tables`
        : names.join(", ");
    return { kind, words: `${placeOf(list[0]!.text.span)}: ${pragma} for ${shown}`, ...first!, more };
  };
  return [
    ...inTcam.map((group) => withPragma("ternary", "@ternary(1)", group)),
    ...alpm.map((one) => withPragma("alpm", "@alpm(1)", [one])),
    ...urgent(result, tables).map((one) => withPragma("priority", "@placement_priority(100)", [one])),
  ];
}

/** The edits that put a pragma `@stage` before a table in place of those it has. */
function stageEdits(file: SourceFile, text: TableText, pragma: string): Edit[] {
  const own = text.table.annotations.filter(({ name }) => name === "stage");
  const spans = own.flatMap((one) => ownSpan(file, one) ?? []);
  if (spans.length === 0) return [pragmaEdit(text, pragma)];
  return spans.map((span, at) => ({ span, replacement: at === 0 ? pragma : "" }));
}

/** Tables whose first stage is tried, and stages for each. */
const MAX_LATE = 3;
const MAX_STARTS = 4;
/** Blocks from which a table keeps others out of its stages. */
const MIN_BLOCKS = 16;

/** `@stage` for a large table that may begin later, so that tables which must come early find room. */
export function laterStarts(texts: TableTexts, { model, problem, placement, target }: FitResult): Rewrite[] {
  const large = model.units.flatMap((unit) => {
    const { srams, tcams } = problem.plans[unit.id]!.layout(unit.size);
    const text = unit.kind === "match" ? texts.of(unit) : undefined;
    const isLarge = text !== undefined && srams + 3 * tcams >= MIN_BLOCKS;
    return isLarge ? [{ unit, text, blocks: srams + 3 * tcams }] : [];
  });
  large.sort((a, b) => b.blocks - a.blocks || a.unit.id - b.unit.id);
  return large.slice(0, MAX_LATE).flatMap(({ unit, text }): Rewrite[] => {
    const stages = placement.parts
      .filter((part) => part.unit.id === unit.id && part.spill === undefined)
      .map(({ stage }) => stage);
    const first = Math.min(...stages);
    const last = target.stages - problem.graph.below[unit.id]! - new Set(stages).size;
    const count = Math.min(MAX_STARTS, Math.max(0, last - first));
    return Array.from({ length: count }, (_, i) => {
      const start = last - Math.floor((i * (last - first)) / count);
      const words = `${placeOf(text.span)}: @stage(${start}) for ${text.table.name.name}, which begins at stage ${first} now`;
      const [edit, ...more] = stageEdits(texts.file, text, `@stage(${start})`);
      return { kind: "start", words, ...edit!, more };
    });
  });
}

/** Tables that may be placed too late: the largest, those on the longest chain, those beyond the device. */
function urgent<T extends { unit: Unit; text: TableText; plan: FitResult["problem"]["plans"][number] }>(
  { problem, placement, target }: FitResult,
  tables: readonly T[],
): T[] {
  const late = new Set(
    placement.parts.filter(({ stage }) => stage >= target.stages).map(({ unit }) => unit.id),
  );
  const chain = new Set(problem.graph.criticalUnits);
  const weight = ({ unit, plan }: T) => {
    const { srams, tcams } = plan.layout(unit.size);
    return (
      Number(late.has(unit.id)) * 4 + Number(chain.has(unit.id)) * 2 + Math.min(1, (srams + 3 * tcams) / 240)
    );
  };
  return tables
    .filter(({ text }) => !hasPragma(text, "placement_priority"))
    .sort((a, b) => weight(b) - weight(a) || a.unit.id - b.unit.id)
    .slice(0, MAX_SINGLE);
}

/** All nodes of a kind below a node. */
export function nodesOf<K extends string>(value: unknown, kind: K, found: { kind: K }[] = []): { kind: K }[] {
  if (typeof value !== "object" || value === null) return found;
  if (Array.isArray(value)) for (const item of value) nodesOf(item, kind, found);
  else {
    if ((value as { kind?: string }).kind === kind) found.push(value as { kind: K });
    for (const part of partsOf(value)) nodesOf(part, kind, found);
  }
  return found;
}

/** Names of actions, tables and instances of controls whose call may end the whole control, by `exit`. */
export function exitingNames(unit: ast.SourceUnit): ReadonlySet<string> {
  const names = new Set<string>();
  const has = (node: unknown) =>
    nodesOf(node, "exit").length > 0 ||
    (nodesOf(node, "path") as ast.PathExpression[]).some(({ name }) => names.has(name.name));
  const holders = (["action", "control"] as const).flatMap(
    (kind) => nodesOf(unit, kind) as (ast.ActionDeclaration | ast.ControlDeclaration)[],
  );
  for (let before = -1; before < names.size; ) {
    before = names.size;
    for (const one of holders)
      if (has(one.kind === "action" ? one.body : one.body?.apply)) names.add(one.name.name);
    for (const { name, properties } of nodesOf(unit, "table") as ast.TableDeclaration[])
      for (const property of properties)
        if (property.kind === "actions" && property.actions.some((action) => names.has(action.name.name)))
          names.add(name.name);
    for (const { name, typeExpression } of nodesOf(unit, "instance") as ast.InstanceDeclaration[])
      if (names.has(textOf(typeExpression).replace(/\(.*$/s, "").trim())) names.add(name.name);
  }
  return names;
}
