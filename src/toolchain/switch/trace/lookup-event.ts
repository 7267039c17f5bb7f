/** A table lookup as an event: key, entry, member and action. */

import { given } from "../../../base/index.js";
import type { Match } from "../../device/index.js";
import { wordsOf } from "../codegen/layout.js";
import type { PointOf } from "../codegen/trace-points.js";
import type { Instance, TableControl } from "../control/instance.js";
import { readCounter } from "../tables/resources.js";
import type { StoredEntry } from "../tables/store.js";
import { type FieldView, hexOf, numberOf } from "./fields.js";
import type { FieldChange, TableLookup, TracedEntry, TracedMatch, TraceEvent } from "./types.js";

/** What a selector did: its hash, the number of slots of the group, and the handle of the member. */
export interface Selected {
  hash?: number;
  slots?: number;
  /** -1: the group has no member. */
  handle?: number;
}

interface Lookup {
  readonly phv: Int32Array;
  readonly point: PointOf<"table">;
  /** Number of the entry, or -1. */
  readonly entry: number;
  readonly keys: readonly number[];
  /** Number of the action's name, or -1; its parameters start at word `at` of `data`. */
  readonly action: number;
  readonly data: Int32Array;
  readonly at: number;
  readonly selected: Selected;
  readonly changes: FieldChange[];
}

const COLORS = ["green", "yellow", "red"];

export function colorOf(color: number): string {
  return COLORS[color] ?? String(color);
}

export function lookupEvent(instance: Instance, fields: FieldView, lookup: Lookup): TraceEvent {
  const { phv, point, entry, keys, changes } = lookup;
  const { table, shape } = point;
  const control = instance.tables.get(table.name)!;
  const { store } = control;
  const event: TableLookup = {
    kind: "table_lookup",
    table_name: table.name,
    key: shape.fields.map((field, i) => {
      const { target } = table.key[i]!;
      const valid = typeof target === "string" || fields.headerValid(phv, target);
      return {
        field: control.fieldNames[i]!,
        match_type: control.shape.fields[i]!.kind,
        value: hexOf(numberOf(keys, field.at, field.words), field.width),
        ...given({ header_valid: valid ? undefined : false }),
      };
    }),
    hit: entry >= 0,
  };
  const stored = store.entries.get(entry);
  if (stored !== undefined) {
    event.matched_entry = entryOf(control, stored);
    putMember(event, fields, control, stored, lookup);
  }
  putAction(event, instance, lookup);
  if (entry >= 0 && table.with_counters) event.direct_counter = readCounter(store, entry);
  if (entry >= 0 && table.direct_meters !== null) {
    const meter = instance.program.bmv2.meter_arrays.find(({ name }) => name === table.direct_meters)!;
    event.direct_meter = colorOf(Number(fields.field(phv, meter.result_target!).value));
  }
  if (changes.length > 0) event.changes = changes;
  // The name of a table that stands for statements of a control, by p4c and by p4loom.
  if (table.key.length === 0 && /^tbl_/.test(table.name)) event.hidden = true;
  const source = table.source_info;
  return source === undefined ? event : { ...event, source_info: source };
}

function putAction(event: TableLookup, instance: Instance, { point, action, data, at }: Lookup): void {
  const { actionNumbers, program } = instance.specialised;
  const found = point.table.action_ids
    .map((id) => program.actions.find((candidate) => candidate.id === id)!)
    .find(({ name }) => actionNumbers.get(name) === action);
  if (found === undefined) return;
  event.action_name = found.name;
  let offset = at;
  event.params = Object.fromEntries(
    found.runtime_data.map(({ name, bitwidth }) => {
      const value = hexOf(numberOf(data, offset, wordsOf(bitwidth)), bitwidth);
      offset += wordsOf(bitwidth);
      return [name, value];
    }),
  );
}

function putMember(
  event: TableLookup,
  fields: FieldView,
  control: TableControl,
  stored: StoredEntry,
  { phv, selected: { hash, slots, handle = -1 } }: Lookup,
): void {
  const { profile } = control;
  if (profile === undefined) return;
  event.action_profile = profile.name;
  if (stored.action.kind === "group") event.group_id = stored.action.groupId;
  for (const { memberId, handles, hidden } of profile.store.members.values())
    if (!hidden && handles.includes(handle)) event.member_id = memberId;
  const { selector } = profile.info.profile;
  if (hash === undefined || slots === undefined || slots === 0 || selector === undefined) return;
  event.selector = {
    ...fields.hashInput(phv, selector.algo, selector.input),
    hash: hexOf(BigInt(hash), 32),
    slots,
    slot: hash % slots,
  };
}

function entryOf(control: TableControl, stored: StoredEntry): TracedEntry {
  return {
    handle: stored.number,
    ...given({ priority: control.priority ? stored.priority : undefined }),
    match: stored.match.map((match) => matchOf(control, match)),
    ...given({ is_const: stored.isConst ? true : undefined }),
  };
}

function matchOf(control: TableControl, match: Match): TracedMatch {
  const width = control.shape.fields[control.fieldNames.indexOf(match.field)]?.width ?? 0;
  const base = { field: match.field, match_type: match.kind };
  switch (match.kind) {
    case "exact":
    case "optional":
      return { ...base, value: hexOf(match.value, width) };
    case "lpm":
      return { ...base, value: hexOf(match.value, width), prefix_length: match.prefixLength };
    case "ternary":
      return { ...base, value: hexOf(match.value, width), mask: hexOf(match.mask, width) };
    case "range":
      return { ...base, value: hexOf(match.low, width), high: hexOf(match.high, width) };
  }
}
