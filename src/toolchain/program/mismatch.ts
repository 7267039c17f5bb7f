/**
 * Whether a P4Info describes a BMv2 program. The checks of each file alone accept a pair of two programs;
 * without this check later updates would fail for various reasons (P4Runtime spec 14 wants a config that
 * cannot be realised to be refused at once).
 */
import { defined } from "../../base/index.js";
import type { Bmv2Program, MatchKind } from "./bmv2.js";
import { type FieldInfo, type FieldKind, P4InfoIndex, type Slot } from "./p4info/lookup.js";
import type { Program } from "./program.js";

/**
 * The first object that the P4Info has and the program has not, or has in another form, in words; undefined when all
 * of the P4Info's objects are found. Objects of the program that the P4Info leaves out do not count: compilers
 * make tables of their own, and `@hidden` ones are not shown. Sizes do not count either.
 */
export function firstMismatch({ bmv2, p4info }: Program): string | undefined {
  for (const mismatch of mismatches(bmv2, new P4InfoIndex(p4info))) return mismatch;
  return undefined;
}

/** p4c before 2022 wrote optional fields as ternary ones. */
const KINDS: Readonly<Record<MatchKind, readonly FieldKind[]>> = {
  exact: ["exact"],
  valid: ["exact"],
  lpm: ["lpm"],
  ternary: ["ternary", "optional"],
  optional: ["optional"],
  range: ["range"],
};

function* mismatches(bmv2: Bmv2Program, index: P4InfoIndex): Generator<string> {
  const tables = new Map(
    bmv2.pipelines.flatMap((pipeline) => pipeline.tables).map((table) => [table.name, table]),
  );
  const parameters = new Map<string, Set<string>>();
  for (const { name, runtime_data } of bmv2.actions) {
    if (!parameters.has(name)) parameters.set(name, new Set());
    defined(parameters.get(name)).add(runtime_data.map((parameter) => parameter.name).join(", "));
  }
  for (const { name, fields, actions, profile } of index.tables.list) {
    const table = tables.get(name);
    if (table === undefined) {
      yield `table "${name}" of the P4Info is not in the BMv2 JSON`;
      continue;
    }
    const has = `table "${name}" has`;
    if (fields.list.length !== table.key.length) {
      yield `${has} ${fields.list.length} match fields in the P4Info and ${table.key.length} in the BMv2 JSON`;
      continue;
    }
    for (const [i, field] of fields.list.entries()) {
      const key = defined(table.key[i]);
      if (!matches(field, key.match_type))
        yield `${has} the match field "${field.name}" of kind ${field.kind} in the P4Info and ${key.match_type} in the BMv2 JSON`;
    }
    for (const { action } of actions.values())
      if (!table.actions.includes(action.name)) yield `${has} the action "${action.name}" in the P4Info only`;
    if (profile?.name !== table.action_profile) {
      const of = (profileName: string | undefined): string =>
        profileName === undefined ? "no action profile" : `the action profile "${profileName}"`;
      yield `${has} ${of(profile?.name)} in the P4Info and ${of(table.action_profile)} in the BMv2 JSON`;
    }
  }
  for (const { name, params } of index.actions.list) {
    const known = parameters.get(name);
    const wanted = namesOf(params.list);
    if (known !== undefined && !known.has(wanted))
      yield `action "${name}" has the parameters (${wanted}) in the P4Info and (${[...known].join("), (")}) in the BMv2 JSON`;
  }
  const direct = (list: readonly { name: string; is_direct: boolean }[], isDirect: boolean): Set<string> =>
    new Set(list.filter((array) => array.is_direct === isDirect).map(({ name }) => name));
  const kinds = [
    ["counter", index.counters, direct(bmv2.counter_arrays, false)],
    ["direct counter", index.directCounters, direct(bmv2.counter_arrays, true)],
    ["meter", index.meters, direct(bmv2.meter_arrays, false)],
    ["direct meter", index.directMeters, direct(bmv2.meter_arrays, true)],
    ["register", index.registers, new Set(bmv2.register_arrays.map(({ name }) => name))],
    ["digest", index.digests, new Set(bmv2.learn_lists.map(({ name }) => name))],
    ["value set", index.valueSets, new Set(bmv2.parse_vsets.map(({ name }) => name))],
  ] as const;
  for (const [kind, objects, names] of kinds)
    for (const { name } of objects.list)
      if (!names.has(name)) yield `${kind} "${name}" of the P4Info is not in the BMv2 JSON`;
}

/** A match kind of the architecture's own (`other`) matches any. */
function matches({ kind }: FieldInfo, type: MatchKind): boolean {
  return kind === "other" || KINDS[type].includes(kind);
}

function namesOf(slots: readonly Slot[]): string {
  return slots.map(({ name }) => name).join(", ");
}
