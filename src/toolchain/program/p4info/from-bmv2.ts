/**
 * What a BMv2 program shows of itself, as a P4Info: for programs that come without one. Names are those that p4c
 * gives both files; ids are made up. p4c writes optional fields as ternary ones, so that is what they are here, and
 * a value set is one field as wide as all its parts.
 */
import type { Bmv2Program, FieldRef, MatchKind } from "../bmv2.js";
import {
  ActionRef_Scope,
  MatchField_MatchType,
  Table_IdleTimeoutBehavior,
} from "./generated/p4/config/v1/p4info_pb.js";
import { createP4Info, type P4Info } from "./message.js";

const KINDS = {
  exact: MatchField_MatchType.EXACT,
  valid: MatchField_MatchType.EXACT,
  lpm: MatchField_MatchType.LPM,
  ternary: MatchField_MatchType.TERNARY,
  optional: MatchField_MatchType.OPTIONAL,
  range: MatchField_MatchType.RANGE,
} as const satisfies Record<MatchKind, MatchField_MatchType>;

/** Ids of P4Runtime carry the kind of object in their top byte (P4Runtime spec 6.4). */
const PREFIX = {
  action: 0x01,
  table: 0x02,
  valueSet: 0x03,
  actionProfile: 0x11,
  counter: 0x12,
  directCounter: 0x13,
  meter: 0x14,
  directMeter: 0x15,
  register: 0x16,
} as const;

export function describeBmv2(program: Bmv2Program): P4Info {
  const ids = new Map<string, number>();
  /** Numbered as they come, one id a name: BMv2 has an action once for each table that uses it. */
  const idOf = (kind: keyof typeof PREFIX, name: string): number => {
    const key = `${kind} ${name}`;
    if (!ids.has(key)) ids.set(key, PREFIX[kind] * 2 ** 24 + ids.size + 1);
    return ids.get(key)!;
  };
  const preamble = (kind: keyof typeof PREFIX, name: string) => ({ id: idOf(kind, name), name });
  const width = fieldWidths(program);
  const tables = program.pipelines.flatMap((pipeline) => pipeline.tables);
  const direct = (list: readonly { is_direct: boolean; binding?: string; name: string }[], table: string) =>
    list.filter((array) => array.is_direct && array.binding === table).map(({ name }) => name);
  const actions = new Map(program.actions.map((action) => [action.name, action]));
  // Of several with the same name, one with parameters has more information.
  for (const action of program.actions) {
    if (action.runtime_data.length > actions.get(action.name)!.runtime_data.length)
      actions.set(action.name, action);
  }
  const actionNames = new Map(program.actions.map(({ id, name }) => [id, name]));
  const meters = program.meter_arrays.map((meter) => ({
    ...meter,
    // older compilers bind a direct meter in the table alone
    binding: meter.binding ?? tables.find((table) => table.direct_meters === meter.name)?.name ?? "",
  }));
  return createP4Info({
    tables: tables.map((table) => ({
      preamble: preamble("table", table.name),
      matchFields: table.key.map((key, i) => ({
        id: i + 1,
        name: key.name ?? (typeof key.target === "string" ? `${key.target}.$valid$` : key.target.join(".")),
        bitwidth: typeof key.target === "string" ? 1 : width(key.target),
        match: { case: "matchType" as const, value: KINDS[key.match_type] },
      })),
      actionRefs: [...new Set(table.action_ids.map((id) => actionNames.get(id) ?? ""))].map((name) => ({
        id: idOf("action", name),
        scope: ActionRef_Scope.TABLE_AND_DEFAULT,
      })),
      constDefaultActionId: table.default_entry?.action_entry_const
        ? idOf("action", actionNames.get(table.default_entry.action_id) ?? "")
        : 0,
      implementationId: table.action_profile === undefined ? 0 : idOf("actionProfile", table.action_profile),
      directResourceIds: [
        ...direct(program.counter_arrays, table.name).map((name) => idOf("directCounter", name)),
        ...direct(meters, table.name).map((name) => idOf("directMeter", name)),
      ],
      size: BigInt(table.max_size),
      // entries of a program are constant unless its own P4Info says otherwise
      isConstTable: (table.entries?.length ?? 0) > 0,
      idleTimeoutBehavior: table.support_timeout
        ? Table_IdleTimeoutBehavior.NOTIFY_CONTROL
        : Table_IdleTimeoutBehavior.NO_TIMEOUT,
    })),
    actions: [...actions.values()].map((action) => ({
      preamble: preamble("action", action.name),
      params: action.runtime_data.map(({ name, bitwidth }, i) => ({ id: i + 1, name, bitwidth })),
    })),
    actionProfiles: program.pipelines
      .flatMap((pipeline) => pipeline.action_profiles)
      .map((profile) => ({
        preamble: preamble("actionProfile", profile.name),
        tableIds: tables
          .filter((table) => table.action_profile === profile.name)
          .map((table) => idOf("table", table.name)),
        withSelector: profile.selector !== undefined,
        size: BigInt(profile.max_size),
      })),
    counters: program.counter_arrays
      .filter((counter) => !counter.is_direct)
      .map(({ name, size = 0 }) => ({ preamble: preamble("counter", name), size: BigInt(size) })),
    directCounters: program.counter_arrays
      .filter((counter) => counter.is_direct)
      .map(({ name, binding = "" }) => ({
        preamble: preamble("directCounter", name),
        directTableId: idOf("table", binding),
      })),
    meters: meters
      .filter((meter) => !meter.is_direct)
      .map(({ name, size = 0 }) => ({ preamble: preamble("meter", name), size: BigInt(size) })),
    directMeters: meters
      .filter((meter) => meter.is_direct)
      .map(({ name, binding }) => ({
        preamble: preamble("directMeter", name),
        directTableId: idOf("table", binding),
      })),
    registers: program.register_arrays.map(({ name, size, bitwidth }) => ({
      preamble: preamble("register", name),
      size,
      typeSpec: {
        typeSpec: {
          case: "bitstring" as const,
          value: { typeSpec: { case: "bit" as const, value: { bitwidth } } },
        },
      },
    })),
    valueSets: program.parse_vsets.map(({ name, compressed_bitwidth, max_size = 0 }) => ({
      preamble: preamble("valueSet", name),
      match: [
        {
          id: 1,
          name,
          bitwidth: compressed_bitwidth,
          match: { case: "matchType" as const, value: MatchField_MatchType.EXACT },
        },
      ],
      size: max_size,
    })),
  });
}

/** Width of a field in bits; 1 for a header's validity. */
function fieldWidths(program: Bmv2Program): (field: FieldRef) => number {
  const types = new Map(program.header_types.map((type) => [type.name, type]));
  const headers = new Map(program.headers.map((header) => [header.name, types.get(header.header_type)]));
  return ([header, name]) => {
    if (name === "$valid$") return 1;
    const field = headers.get(header)?.fields.find((candidate) => candidate[0] === name);
    return typeof field?.[1] === "number" ? field[1] : 0;
  };
}
