/**
 * Values of metadata that stand in a field of a header from the start: a header that actions alone make valid takes them over, so that nothing
 * moves them (p4c, backends/tofino/bf-p4c/phv/transforms/auto_alias.cpp, and phv/pragma/pa_alias.cpp, mayAddAlias).
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { fieldsNamed } from "./fields-named.js";
import type { FieldInfo, FitModel, Gress, Operation, Unit } from "./model.js";

type Model = Omit<FitModel, "sentZeros" | "aliases">;

/** An operation and where it stands in the order in which the compiler meets them. */
interface Place {
  readonly unit: Unit;
  readonly action: number;
  readonly at: number;
  readonly op: Operation;
}

/** The model in which such a field of a header has the place of the value. @param json the program as the model was made from it */
export function withAliases(model: Model, json: bmv2.Bmv2Program): Model & Pick<FitModel, "aliases"> {
  if (!model.hasEgressParser) return { ...model, aliases: new Map() };
  const aliases = new Map(
    (["ingress", "egress"] as const).flatMap((gress) => [...aliasesOf(model, json, gress)]),
  );
  if (aliases.size === 0) return { ...model, aliases };
  const units = model.units.map((unit) => renamed(withoutCopies(unit, aliases), aliases));
  return { ...model, units, aliases };
}

/** By value of metadata: the field of a header that stands for it. */
function aliasesOf(model: Model, json: bmv2.Bmv2Program, gress: Gress): Map<string, string> {
  const { fields, headers } = model;
  const places = placesOf(model.units.filter((unit) => unit.gress === gress));
  const writes = new Map<string, Place[]>();
  for (const place of places) {
    const { field } = place.op.write;
    writes.set(field, [...(writes.get(field) ?? []), place]);
  }
  const ownPlace = new Set(
    model.phvPragmas
      .filter(({ name, args }) => name === "pa_no_overlay" && args[0] === gress)
      .flatMap(({ args }) => args.slice(1).flatMap((one) => fieldsNamed(model, gress, one))),
  );
  const found = new Map<string, string>();
  for (const header of headers.values()) {
    if (!isMadeByActions(model, gress, header.name)) continue;
    for (const name of header.fields) {
      const field = defined(fields.get(name));
      const [place, another] = writes.get(name) ?? [];
      if (place === undefined || another !== undefined || ownPlace.has(name)) continue;
      const value = copiedBy(place, field, fields);
      if (value === undefined || found.has(value.name) || ownPlace.has(value.name)) continue;
      const valid = `${header.name}.$valid$`;
      const makesValid = places.some(
        ({ unit, action, op }) =>
          unit === place.unit && action === place.action && op.write.field === valid && op.constant !== 0n,
      );
      if (!makesValid || !isPlain(model, gress, value)) continue;
      const own = writes.get(value.name) ?? [];
      if (own.some((other) => comesAfter(other, place))) continue;
      // A sum whose width is no whole number of bytes has its container alone.
      if (value.width % 8 !== 0 && own.some(({ op }) => op.kind === "arithmetic")) continue;
      const alignment = alignmentOf(value, json, fields, headers);
      if (alignment !== undefined && alignment !== fromEnd(field, headers)) continue;
      found.set(value.name, name);
    }
  }
  return found;
}

function placesOf(units: readonly Unit[]): Place[] {
  return units.flatMap((unit) =>
    unit.actions.flatMap(({ operations }, action) =>
      operations.map((op, at): Place => ({ unit, action, at, op })),
    ),
  );
}

function comesAfter(a: Place, b: Place): boolean {
  return a.unit.id - b.unit.id > 0 || (a.unit === b.unit && (a.action - b.action || a.at - b.at) > 0);
}

/** The deparser sends the header, no parser makes it valid, and some action does. */
function isMadeByActions({ parser, headers }: Model, gress: Gress, header: string): boolean {
  return (
    headers.get(header)?.metadata === false &&
    parser.isSent(gress, header) &&
    parser.isMade(header) &&
    !parser.isParsed(gress, header) &&
    !parser.isMadeByParser(gress, header)
  );
}

/** The value of metadata that an operation moves to the whole field. */
function copiedBy(
  { op: { kind, write, sources, data } }: Place,
  field: FieldInfo,
  fields: ReadonlyMap<string, FieldInfo>,
): FieldInfo | undefined {
  const [source, another] = sources;
  if (kind !== "set" || data || source === undefined || another !== undefined) return undefined;
  const value = fields.get(source.field);
  const isWhole = write.lo === 0 && write.width === field.width && source.lo === 0;
  return isWhole && source.width === field.width && value?.width === field.width ? value : undefined;
}

/** Neither the deparser nor the traffic manager has the value. */
function isPlain({ parser, forDeparser }: Model, gress: Gress, { name, metadata }: FieldInfo): boolean {
  return metadata && !name.endsWith("$") && !forDeparser.has(name) && !parser.reads(gress).has(name);
}

/** Bits of a byte after the field, where the last byte of its header ends. */
function fromEnd({ header, offset, width }: FieldInfo, headers: Model["headers"]): number {
  return ((((headers.get(header)?.bits ?? 0) - offset - width) % 8) + 8) % 8;
}

/** The same for a value that a parser takes from the packet; -1 where that is not known, undefined for another value. */
function alignmentOf(
  { name }: FieldInfo,
  { parsers }: bmv2.Bmv2Program,
  fields: Model["fields"],
  headers: Model["headers"],
): number | undefined {
  const found = new Set<number>();
  for (const { parse_states: states } of parsers)
    for (const { parser_ops: ops } of states)
      for (const { op, parameters } of ops) {
        const [target, value] = parameters as readonly { type?: string; value?: unknown }[];
        if (op !== "set" || !Array.isArray(target?.value) || target.value.join(".") !== name) continue;
        if (value?.type === "hexstr") continue;
        const source = value?.type === "field" ? fields.get((value.value as string[]).join(".")) : undefined;
        found.add(source === undefined || source.metadata ? -1 : fromEnd(source, headers));
      }
  const [first, another] = found;
  return another === undefined ? first : -1;
}

/** The unit without the operations that move a value to the field which stands for it. */
function withoutCopies(unit: Unit, aliases: ReadonlyMap<string, string>): Unit {
  const isCopy = ({ write, sources }: Operation) =>
    sources.length === 1 && aliases.get(defined(sources[0]).field) === write.field;
  if (!unit.actions.some(({ operations }) => operations.some(isCopy))) return unit;
  const actions = unit.actions.map((action) => {
    const copies = action.operations.filter(isCopy);
    const operations = action.operations.filter((op) => !isCopy(op));
    const isRead = (field: string) =>
      operations.some(({ sources }) => sources.some((one) => one.field === field));
    const gone = new Set(copies.flatMap(({ sources }) => sources.map(({ field }) => field)));
    return {
      ...action,
      operations,
      writes: action.writes.filter(({ field }) => !copies.some(({ write }) => write.field === field)),
      reads: action.reads.filter(({ field }) => !gone.has(field) || isRead(field)),
    };
  });
  return { ...unit, actions };
}

/** Any part of a unit, with the field of a header in the place of the value; the same part where it names none. */
function renamed<T>(part: T, aliases: ReadonlyMap<string, string>): T {
  if (Array.isArray(part)) {
    const items = part.map((one) =>
      typeof one === "string" ? (aliases.get(one) ?? one) : renamed(one, aliases),
    );
    return items.some((one, i) => one !== part[i]) ? (items as T) : part;
  }
  if (part === null || typeof part !== "object" || Object.getPrototypeOf(part) !== Object.prototype)
    return part;
  const entries = Object.entries(part);
  const changed = entries.map(([key, value]) => [
    key,
    key === "field" && typeof value === "string" ? (aliases.get(value) ?? value) : renamed(value, aliases),
  ]);
  return changed.some(([, value], i) => value !== entries[i]![1]) ? (Object.fromEntries(changed) as T) : part;
}
