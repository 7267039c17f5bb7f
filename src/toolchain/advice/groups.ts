/** Values of metadata that only tables of one control set and use, in groups of tables that they connect. */
import type { FitResult } from "../fit/index.js";
import type { ast } from "../p4/index.js";
import type { TableText, TableTexts, Unit } from "./tables.js";

/** Tables that values of metadata connect. */
export interface Group {
  readonly units: readonly Unit[];
  /** The text of each unit, all in one control. */
  readonly texts: readonly TableText[];
  readonly control: ast.ControlDeclaration;
  readonly fields: readonly string[];
  /** Bits of the fields. */
  readonly bits: number;
  /** By unit: its stage, counted from the first one of the group, by the dependencies of the group. */
  readonly levels: ReadonlyMap<number, number>;
}

/** Groups whose tables all have a text of their own. */
export function groupsOf(texts: TableTexts, { model, problem }: FitResult, gress: Unit["gress"]): Group[] {
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
    const known = here.flatMap((text) => (text === undefined ? [] : [text]));
    // Not a table of two units, a unit without a text of its own, or values that one control leaves to another.
    if (known.length < units.length || new Set(known).size < units.length) return [];
    const { control } = known[0]!;
    if (known.some((one) => one.control !== control)) return [];
    const ids = new Set(units.map(({ id }) => id));
    const levels = new Map<number, number>();
    for (const { id } of units) {
      const inside = graph.incoming[id]!.filter(({ from }) => ids.has(from));
      levels.set(id, Math.max(0, ...inside.map(({ from, distance }) => (levels.get(from) ?? 0) + distance)));
    }
    const bits = group.fields.reduce((sum, field) => sum + model.fields.get(field)!.width, 0);
    return [{ units, texts: known, control, fields: group.fields, bits, levels }];
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
    for (const { field } of readsOf(unit)) add(field, unit.id, false);
    for (const { writes } of unit.actions) for (const { field } of writes) add(field, unit.id, true);
  }
  const others = new Set(
    model.units
      .filter((one) => one.gress !== gress)
      .flatMap((unit) => [...readsOf(unit), ...unit.actions.flatMap(({ writes }) => writes)])
      .map(({ field }) => field),
  );
  const isFree = (field: string) => {
    // Both gresses of v1model have the same metadata.
    if (others.has(field)) return false;
    const info = model.fields.get(field);
    if (info === undefined || !info.metadata || info.intrinsic || model.forDeparser.has(field)) return false;
    return !model.parser.reads(gress).has(field) && !model.parser.sets(gress).has(field);
  };
  return new Map([...found].filter(([field, { isWritten }]) => isWritten && isFree(field)));
}

/** What a table reads: for its match, to choose a member, for hashes, in its actions. */
function readsOf({ key, condition, hashes, implementation, actions }: Unit): readonly { field: string }[] {
  return [
    ...key.map(({ access }) => access),
    ...(condition?.reads ?? []),
    ...hashes.flatMap(({ inputs }) => inputs),
    ...(implementation?.selector?.inputs ?? []),
    ...actions.flatMap(({ reads }) => reads),
  ];
}
