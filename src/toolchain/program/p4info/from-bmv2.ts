/**
 * What a BMv2 program shows of itself, as a P4Info: for programs that come without one. Names are those that p4c
 * gives both files; ids are made up. p4c writes optional fields as ternary ones, so that is what they are here, and
 * a value set is one field as wide as all its parts.
 */
import { runnableForm } from "../bmv2/portable.js";
import type { Bmv2Program, Bmv2Table, FieldRef, MatchKind } from "../bmv2.js";
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
  return new Description(runnableForm(program)).p4info();
}

class Description {
  /** Numbered as they come, one id a name: BMv2 has an action once for each table that uses it. */
  readonly #ids = new Map<string, number>();
  readonly #tables: readonly Bmv2Table[];

  constructor(private readonly program: Bmv2Program) {
    this.#tables = program.pipelines.flatMap((pipeline) => pipeline.tables);
  }

  /** Ids are made in the order of this list. */
  p4info(): P4Info {
    const { program } = this;
    const meters = program.meter_arrays.map((meter) => ({
      ...meter,
      // older compilers bind a direct meter in the table alone
      binding: meter.binding ?? this.#tables.find((table) => table.direct_meters === meter.name)?.name ?? "",
    }));
    return createP4Info({
      tables: this.#describeTables(meters),
      actions: this.#describeActions(),
      actionProfiles: this.#describeProfiles(),
      counters: program.counter_arrays
        .filter((counter) => !counter.is_direct)
        .map(({ name, size = 0 }) => ({ preamble: this.#preamble("counter", name), size: BigInt(size) })),
      directCounters: program.counter_arrays
        .filter((counter) => counter.is_direct)
        .map(({ name, binding = "" }) => this.#direct("directCounter", name, binding)),
      meters: meters
        .filter((meter) => !meter.is_direct)
        .map(({ name, size = 0 }) => ({ preamble: this.#preamble("meter", name), size: BigInt(size) })),
      directMeters: meters
        .filter((meter) => meter.is_direct)
        .map(({ name, binding }) => this.#direct("directMeter", name, binding)),
      registers: this.#describeRegisters(),
      valueSets: this.#describeValueSets(),
    });
  }

  #idOf(kind: keyof typeof PREFIX, name: string): number {
    const key = `${kind} ${name}`;
    let id = this.#ids.get(key);
    if (id === undefined) this.#ids.set(key, (id = PREFIX[kind] * 2 ** 24 + this.#ids.size + 1));
    return id;
  }

  #preamble(kind: keyof typeof PREFIX, name: string): { id: number; name: string } {
    return { id: this.#idOf(kind, name), name };
  }

  #direct(kind: "directCounter" | "directMeter", name: string, table: string) {
    return { preamble: this.#preamble(kind, name), directTableId: this.#idOf("table", table) };
  }

  #describeTables(meters: readonly BoundArray[]) {
    const { program } = this;
    const width = fieldWidths(program);
    const actionNames = new Map(program.actions.map(({ id, name }) => [id, name]));
    const boundTo = (list: readonly BoundArray[], table: string) =>
      list.filter((array) => array.is_direct && array.binding === table);
    return this.#tables.map((table) => ({
      preamble: this.#preamble("table", table.name),
      matchFields: table.key.map((key, i) => ({
        id: i + 1,
        name: key.name ?? (typeof key.target === "string" ? `${key.target}.$valid$` : key.target.join(".")),
        bitwidth: typeof key.target === "string" ? 1 : width(key.target),
        match: { case: "matchType" as const, value: KINDS[key.match_type] },
      })),
      actionRefs: [...new Set(table.action_ids.map((id) => actionNames.get(id) ?? ""))].map((name) => ({
        id: this.#idOf("action", name),
        scope: ActionRef_Scope.TABLE_AND_DEFAULT,
      })),
      constDefaultActionId: table.default_entry?.action_entry_const
        ? this.#idOf("action", actionNames.get(table.default_entry.action_id) ?? "")
        : 0,
      implementationId:
        table.action_profile === undefined ? 0 : this.#idOf("actionProfile", table.action_profile),
      directResourceIds: [
        ...boundTo(program.counter_arrays, table.name).map(({ name }) => this.#idOf("directCounter", name)),
        ...boundTo(meters, table.name).map(({ name }) => this.#idOf("directMeter", name)),
      ],
      size: BigInt(table.max_size),
      // entries of a program are constant unless its own P4Info says otherwise
      isConstTable: (table.entries?.length ?? 0) > 0,
      idleTimeoutBehavior: table.support_timeout
        ? Table_IdleTimeoutBehavior.NOTIFY_CONTROL
        : Table_IdleTimeoutBehavior.NO_TIMEOUT,
    }));
  }

  #describeActions() {
    const actions = new Map(this.program.actions.map((action) => [action.name, action]));
    // Of several with the same name, one with parameters has more information.
    for (const action of this.program.actions) {
      if (action.runtime_data.length > (actions.get(action.name)?.runtime_data.length ?? 0))
        actions.set(action.name, action);
    }
    return [...actions.values()].map((action) => ({
      preamble: this.#preamble("action", action.name),
      params: action.runtime_data.map(({ name, bitwidth }, i) => ({ id: i + 1, name, bitwidth })),
    }));
  }

  #describeProfiles() {
    return this.program.pipelines
      .flatMap((pipeline) => pipeline.action_profiles)
      .map((profile) => ({
        preamble: this.#preamble("actionProfile", profile.name),
        tableIds: this.#tables
          .filter((table) => table.action_profile === profile.name)
          .map((table) => this.#idOf("table", table.name)),
        withSelector: profile.selector !== undefined,
        size: BigInt(profile.max_size),
      }));
  }

  #describeRegisters() {
    return this.program.register_arrays.map(({ name, size, bitwidth }) => ({
      preamble: this.#preamble("register", name),
      size,
      typeSpec: {
        typeSpec: {
          case: "bitstring" as const,
          value: { typeSpec: { case: "bit" as const, value: { bitwidth } } },
        },
      },
    }));
  }

  #describeValueSets() {
    return this.program.parse_vsets.map(({ name, compressed_bitwidth, max_size = 0 }) => ({
      preamble: this.#preamble("valueSet", name),
      match: [
        {
          id: 1,
          name,
          bitwidth: compressed_bitwidth,
          match: { case: "matchType" as const, value: MatchField_MatchType.EXACT },
        },
      ],
      size: max_size,
    }));
  }
}

/** A counter or meter array, of a table if it is direct. */
interface BoundArray {
  readonly name: string;
  readonly is_direct: boolean;
  readonly binding?: string;
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
