/** A loaded program with its state: tables, profiles, counters and everything else that the control plane sees. */
import { defined, fail, Random } from "../../../base/index.js";
import { deviceView } from "../../device/index.js";
import { bmv2Hash, bmv2WideHash, isOwnHash } from "../../hash/index.js";
import { type Bmv2Program, bmv2Number, P4InfoIndex, type Program } from "../../program/index.js";
import { parameterOffsets } from "../codegen/action.js";
import { wordsOf } from "../codegen/layout.js";
import { specialise, type Variant } from "../codegen/program.js";
import type { ProfileInfo, Specialised, TableInfo } from "../codegen/specialised.js";
import { CODES } from "../codes.js";
import { Replication } from "../flow/replication.js";
import type { SwitchClock, SwitchOptions } from "../options.js";
import type { OwnParts, OwnState } from "../state/own-state.js";
import { ActionProfileStore } from "../tables/profile.js";
import { CounterArray, MeterArray, RegisterArray } from "../tables/resources.js";
import type { KeyShape } from "../tables/shape.js";
import { TableStore } from "../tables/store.js";
import { ValueSet } from "../tables/value-set.js";

export interface TableControl {
  readonly info: TableInfo;
  readonly store: TableStore;
  readonly name: string;
  /** The key as the control plane sees it: BMv2 JSON has ternary fields for optional ones, P4Info says which are optional. */
  readonly shape: KeyShape;
  /** Names of the key fields for the control plane, in the order of the key. */
  readonly fieldNames: readonly string[];
  readonly profile: ProfileControl | undefined;
  readonly isConst: boolean;
  readonly priority: boolean;
  /** Actions that only a default entry, or only other entries, may have (from P4Info's scopes). */
  readonly defaultOnly: ReadonlySet<string>;
  readonly tableOnly: ReadonlySet<string>;
  readonly directCounter: string | undefined;
  readonly directMeter: string | undefined;
  /** The default action of the program, and the present one. */
  readonly ownDefault: DefaultAction | undefined;
  default: DefaultAction | undefined;
}

export interface DefaultAction {
  readonly action: string;
  readonly params: Readonly<Record<string, bigint>>;
}

export interface ProfileControl {
  readonly info: ProfileInfo;
  readonly store: ActionProfileStore;
  readonly name: string;
  /** Maximum number of members of one group (P4Info's max_group_size); 0: any number. */
  readonly maxGroupSize: number;
}

/** As {@link OwnParts}, while they are made. */
type OwnLists = { [Kind in keyof OwnParts]: OwnParts[Kind][number][] };

/** Maximum number of bytes of a program's counters, meters and registers. */
const MAX_BYTES = 2 ** 30;

/** Refuses a program (P41102) whose arrays would not fit in memory, before any of them is allocated. */
function checkMemory(bmv2: Bmv2Program): void {
  const elements = (arrays: readonly { size?: number }[]) =>
    arrays.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const registers = bmv2.register_arrays.reduce(
    (sum, { size, bitwidth }) => sum + size * 4 * wordsOf(bitwidth),
    0,
  );
  const bytes = 16 * elements(bmv2.counter_arrays) + 64 * elements(bmv2.meter_arrays) + registers;
  if (bytes > MAX_BYTES)
    fail(
      CODES.memory,
      undefined,
      `the program's counters, meters and registers take ${Math.ceil(bytes / 2 ** 20)} MB; the switch gives a program ${MAX_BYTES / 2 ** 20} MB`,
    );
}

const indexes = new WeakMap<Program["p4info"], { bmv2: Bmv2Program; index: P4InfoIndex }>();

/** The P4Info with the widths of the device. Switches that run the same program share it, as they share its code. */
function indexOf(program: Program): P4InfoIndex {
  const known = indexes.get(program.p4info);
  if (known?.bmv2 === program.bmv2) return known.index;
  const index = new P4InfoIndex(deviceView(program).p4info);
  indexes.set(program.p4info, { bmv2: program.bmv2, index });
  return index;
}

/** The code that a switch with these options runs while it does not trace. */
export function variantOf({ coverage }: SwitchOptions): Variant {
  return coverage === undefined ? "plain" : "counted";
}

export class Instance {
  readonly specialised: Specialised;
  readonly own: OwnState;
  readonly tables = new Map<string, TableControl>();
  readonly profiles = new Map<string, ProfileControl>();
  readonly counters = new Map<string, CounterArray>();
  readonly meters = new Map<string, MeterArray>();
  readonly registers = new Map<string, RegisterArray>();
  readonly valueSets = new Map<string, ValueSet>();
  readonly replication = new Replication();
  /** P4Info with the widths of the device instead of those of a controller. */
  readonly p4: P4InfoIndex;

  constructor(
    readonly program: Program,
    options: SwitchOptions,
    readonly clock: SwitchClock,
    readonly portIsUp: (port: number) => boolean,
  ) {
    const { bmv2 } = program;
    checkMemory(bmv2);
    const { coverage } = options;
    this.specialised = specialise(bmv2, variantOf(options));
    this.p4 = indexOf(program);
    const parts: OwnLists = {
      tables: [],
      indexes: [],
      profiles: [],
      counters: [],
      meters: [],
      registers: [],
      valueSets: [],
    };
    const sizeOf = (size: number | undefined) => size ?? 0;
    for (const counter of bmv2.counter_arrays) {
      const array = new CounterArray(counter.name, counter.is_direct ? 0 : sizeOf(counter.size));
      parts.counters.push(array);
      if (!counter.is_direct) this.counters.set(counter.name, array);
    }
    for (const meter of bmv2.meter_arrays) {
      const array = new MeterArray(
        meter.name,
        meter.is_direct ? 0 : sizeOf(meter.size),
        meter.type === "bytes",
      );
      parts.meters.push(array);
      if (!meter.is_direct) this.meters.set(meter.name, array);
    }
    for (const { name, size, bitwidth, initial } of bmv2.register_arrays) {
      const array = new RegisterArray(name, size, bitwidth);
      // A new array holds zeros.
      const value = bmv2Number(initial ?? "0x0");
      if (value !== 0n) array.fill(value);
      parts.registers.push(array);
      this.registers.set(name, array);
    }
    for (const { name, compressed_bitwidth, max_size } of bmv2.parse_vsets) {
      const set = new ValueSet(name, compressed_bitwidth, max_size ?? 0);
      parts.valueSets.push(set);
      this.valueSets.set(name, set);
    }
    for (const info of this.specialised.profiles) parts.profiles.push(this.#addProfile(info));
    for (const info of this.specialised.tables) {
      const store = this.#addTable(info);
      parts.tables.push(store);
      parts.indexes.push(store.index);
    }
    this.own = this.specialised.code.makeOwn(parts, {
      hashes: this.specialised.hashes.map((algorithm) =>
        isOwnHash(algorithm) ? (bmv2WideHash(algorithm) ?? bmv2Hash(algorithm)) : undefined,
      ),
      dropPort: options.dropPort ?? 511,
      random: new Random(options.seed ?? 0),
      time: () => clock.now(),
      onLog: options.log,
      hits: coverage?.countsOf(this.specialised).hits,
    });
  }

  #addProfile(info: ProfileInfo): ActionProfileStore {
    const { profile, stride } = info;
    const store = new ActionProfileStore(
      profile.name,
      stride,
      profile.max_size,
      profile.selector !== undefined,
      this.portIsUp,
    );
    const maxGroupSize = this.p4.actionProfiles.byName(profile.name)?.message.maxGroupSize ?? 0;
    this.profiles.set(profile.name, { info, store, name: profile.name, maxGroupSize });
    return store;
  }

  #addTable(info: TableInfo): TableStore {
    const { table, shape, stride, record } = info;
    const { bmv2 } = this.program;
    const meter = bmv2.meter_arrays.find(({ name }) => name === table.direct_meters);
    const store = new TableStore({
      name: table.name,
      shape,
      stride,
      record,
      maxSize: table.max_size,
      counters: table.with_counters,
      meter: meter === undefined ? undefined : { name: meter.name, bytes: meter.type === "bytes" },
      timeouts: table.support_timeout,
    });
    const p4 = this.p4.tables.byName(table.name);
    const scoped = (scope: number) =>
      new Set(
        [...(p4?.actions.values() ?? [])].flatMap((use) => (use.scope === scope ? [use.action.name] : [])),
      );
    const own = this.#ownDefault(info);
    const control: TableControl = {
      info,
      store,
      name: table.name,
      shape: {
        ...shape,
        fields: shape.fields.map((field, i) =>
          field.kind === "ternary" && p4?.fields.list[i]?.kind === "optional"
            ? { ...field, kind: "optional" }
            : field,
        ),
      },
      fieldNames: shape.fields.map((field, i) => p4?.fields.list[i]?.name ?? field.name),
      profile: table.action_profile === undefined ? undefined : this.profiles.get(table.action_profile),
      isConst: (table.entries?.length ?? 0) > 0 && (p4 === undefined || p4.message.isConstTable),
      priority: shape.index === "ternary",
      tableOnly: scoped(1),
      defaultOnly: scoped(2),
      directCounter: bmv2.counter_arrays.find((c) => c.is_direct && c.binding === table.name)?.name,
      directMeter: meter?.name,
      ownDefault: own,
      default: own,
    };
    this.tables.set(table.name, control);
    this.setDefault(control, own);
    return store;
  }

  #ownDefault({ table, actions }: TableInfo): DefaultAction | undefined {
    const entry = table.default_entry;
    if (entry === undefined) return undefined;
    const action = [...actions.values()].find(({ id }) => id === entry.action_id);
    if (action === undefined) return undefined;
    return { action: action.name, params: namedParameters(action.runtime_data, entry.action_data) };
  }

  setDefault(control: TableControl, action: DefaultAction | undefined): void {
    control.default = action;
    control.store.defaultAction =
      action === undefined ? -1 : defined(this.specialised.actionNumbers.get(action.action));
    control.store.defaultData = new Int32Array(control.info.stride);
    if (action !== undefined)
      putParameters(
        control.store.defaultData,
        0,
        defined(control.info.actions.get(action.action)),
        action.params,
      );
  }
}

type ActionShape = Parameters<typeof parameterOffsets>[0];

/** Stores parameters in words; a missing parameter is 0. */
export function putParameters(
  words: Int32Array,
  at: number,
  action: ActionShape,
  params: Readonly<Record<string, bigint>>,
): void {
  parameterOffsets(action).forEach((offset, i) => {
    const { name, bitwidth } = defined(action.runtime_data[i]);
    const value = Object.hasOwn(params, name) ? defined(params[name]) : 0n;
    for (let k = 0; k < wordsOf(bitwidth); k++)
      words[at + offset + k] = Number(BigInt.asIntN(32, value >> BigInt(32 * k)));
  });
}

export function namedParameters(
  shape: readonly { name: string; bitwidth: number }[],
  data: readonly string[],
): Record<string, bigint> {
  return Object.fromEntries(
    shape.map(({ name, bitwidth }, i) => [name, BigInt.asUintN(bitwidth, bmv2Number(data[i] ?? "0x0"))]),
  );
}
