/**
 * Semantic comparison of two P4Infos: the order of objects, references and annotations does not count,
 * source locations do not either; the order of match fields, parameters and header fields does.
 */

import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { defined } from "../../../base/index.js";
import { type Any, isAny, unpackAny } from "./any-types.js";
import { P4InfoSchema } from "./generated/p4/config/v1/p4info_pb.js";
import type { P4Info } from "./message.js";

/** The differences, each with its place and both values; empty when both describe the same program. */
export function sameP4Info(a: P4Info, b: P4Info): string[] {
  const differences: string[] = [];
  compare(reflect(P4InfoSchema, a), reflect(P4InfoSchema, b), "", differences);
  return differences;
}

const LOCATIONS = new Set(["annotation_locations", "source_location"]);
/** Lists of plain values without an order. */
const SETS = new Set(["annotations", "direct_resource_ids", "table_ids"]);

/** Names the elements of a list whose order does not count; undefined where it does. */
function keyOf(field: DescField, item: ReflectMessage): string | undefined {
  const get = (name: string): unknown => {
    const member = item.desc.fields.find((f) => f.name === name);
    return member === undefined ? undefined : item.get(member);
  };
  const preamble = get("preamble") as ReflectMessage | undefined;
  if (preamble !== undefined) return JSON.stringify(preamble.get(defined(preamble.desc.field["name"])));
  if (field.name === "action_refs") return `id ${get("id")}`;
  if (field.name === "externs") return `type ${get("extern_type_id")}`;
  return undefined;
}

function compare(a: ReflectMessage, b: ReflectMessage, path: string, out: string[]): void {
  if (isAny(a.desc)) {
    const [left, right] = [unpackAny(a.message as Any), unpackAny(b.message as Any)];
    if (left !== undefined && left.schema === right?.schema) {
      const held = `${path}[${left.schema.name}]`;
      compare(reflect(left.schema, left.message), reflect(right.schema, right.message), held, out);
      return;
    }
  }
  for (const field of a.desc.fields) {
    if (LOCATIONS.has(field.name)) continue;
    const place = path === "" ? field.name : `${path}.${field.name}`;
    if (field.fieldKind === "list") {
      compareLists(field, [...a.get(field)], [...b.get(field)], place, out);
    } else if (field.fieldKind === "map") {
      const left = new Map([...a.get(field)].map(([k, v]) => [JSON.stringify(k), v] as const));
      const right = new Map([...b.get(field)].map(([k, v]) => [JSON.stringify(k), v] as const));
      compareKeyed(left, right, place, out);
    } else if (a.isSet(field) !== b.isSet(field)) {
      // an empty message says no more than a missing one, except where it chooses a variant
      const present = a.isSet(field) ? a : b;
      const empty = field.fieldKind === "message" && field.oneof === undefined && isEmpty(present.get(field));
      if (!empty) out.push(`${place}: ${show(a, field)} / ${show(b, field)}`);
    } else if (a.isSet(field)) {
      if (field.fieldKind === "message") compare(a.get(field), b.get(field), place, out);
      else if (plain(a.get(field)) !== plain(b.get(field))) {
        out.push(`${place}: ${show(a, field)} / ${show(b, field)}`);
      }
    }
  }
}

function compareLists(field: DescField, a: unknown[], b: unknown[], place: string, out: string[]): void {
  if (field.message === undefined) {
    const [left, right] = [a.map(plain), b.map(plain)];
    if (SETS.has(field.name)) {
      left.sort();
      right.sort();
    }
    if (left.join() !== right.join()) out.push(`${place}: [${left.join(", ")}] / [${right.join(", ")}]`);
    return;
  }
  const [left, right] = [a as ReflectMessage[], b as ReflectMessage[]];
  if ([...left, ...right].some((item) => keyOf(field, item) === undefined)) {
    if (left.length !== right.length)
      out.push(`${place}: ${left.length} elements / ${right.length} elements`);
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      compare(defined(left[i]), defined(right[i]), `${place}[${i}]`, out);
    }
    return;
  }
  compareKeyed(byKey(field, left), byKey(field, right), place, out);
}

/** A number distinguishes objects of the same name. */
function byKey(field: DescField, items: readonly ReflectMessage[]): Map<string, ReflectMessage> {
  const map = new Map<string, ReflectMessage>();
  for (const item of items) {
    let key = defined(keyOf(field, item));
    for (let n = 2; map.has(key); n++) key = `${defined(keyOf(field, item))} (${n})`;
    map.set(key, item);
  }
  return map;
}

function compareKeyed(
  a: ReadonlyMap<string, unknown>,
  b: ReadonlyMap<string, unknown>,
  place: string,
  out: string[],
): void {
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const [left, right] = [a.get(key), b.get(key)];
    if (left === undefined || right === undefined) {
      out.push(`${place}[${key}]: only in the ${left === undefined ? "second" : "first"}`);
    } else compare(left as ReflectMessage, right as ReflectMessage, `${place}[${key}]`, out);
  }
}

function isEmpty(message: ReflectMessage): boolean {
  return (message.desc as DescMessage).fields.every((field) => !message.isSet(field));
}

function plain(value: unknown): string {
  return value instanceof Uint8Array
    ? `0x${[...value].map((x) => x.toString(16).padStart(2, "0")).join("")}`
    : String(value);
}

function show(message: ReflectMessage, field: DescField): string {
  if (!message.isSet(field)) return "unset";
  if (field.fieldKind === "message") return "{...}";
  const value = message.get(field);
  if (field.enum !== undefined) return field.enum.value[value as number]?.name ?? String(value);
  return plain(value);
}
