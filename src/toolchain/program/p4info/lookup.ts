/**
 * Lookups in a P4Info by name, alias or id, with references resolved: a table knows its fields, actions,
 * action profile and direct resources. Built once per program; all maps, no scans.
 */
import {
  type Action,
  type ActionProfile,
  type ActionRef_Scope,
  type ControllerPacketMetadata,
  type Counter,
  type Digest,
  type DirectCounter,
  type DirectMeter,
  type MatchField,
  MatchField_MatchType,
  type Meter,
  type Preamble,
  type Register,
  type Table,
  type ValueSet,
} from "./generated/p4/config/v1/p4info_pb.js";
import type { P4DataTypeSpec, P4NamedType, P4TypeInfo } from "./generated/p4/config/v1/p4types_pb.js";
import type { P4Info } from "./message.js";

/** What all objects of a program share. */
export interface P4Object<Message> {
  readonly id: number;
  readonly name: string;
  readonly alias: string;
  readonly message: Message;
}

/** How a field is matched; `other` means an architecture's own kind. */
export type FieldKind = "exact" | "lpm" | "ternary" | "range" | "optional" | "other";

/** Something with an id, a name and a width: a match field, an action's parameter, a field of a packet header. */
export interface Slot {
  readonly id: number;
  readonly name: string;
  /** Width in bits; 0 when the control plane sees a string (`isString`). */
  readonly bitwidth: number;
  /** The type is translated to a string (`@p4runtime_translation(..., string)`). */
  readonly isString: boolean;
  /** Name of that type, where `isString`. */
  readonly stringType?: string;
}

export interface FieldInfo extends Slot {
  readonly kind: FieldKind;
}

/** Slots of one owner, in its order. */
export class Slots<T extends Slot> {
  readonly #byId = new Map<number, T>();
  readonly #byName = new Map<string, T>();

  constructor(readonly list: readonly T[]) {
    for (const slot of list) {
      if (!this.#byId.has(slot.id)) this.#byId.set(slot.id, slot);
      if (!this.#byName.has(slot.name)) this.#byName.set(slot.name, slot);
    }
  }

  byId(id: number): T | undefined {
    return this.#byId.get(id);
  }

  byName(name: string): T | undefined {
    return this.#byName.get(name);
  }
}

export interface ActionInfo extends P4Object<Action> {
  readonly params: Slots<Slot>;
}

interface ActionUse {
  readonly action: ActionInfo;
  readonly scope: ActionRef_Scope;
}

export interface ProfileInfo extends P4Object<ActionProfile> {
  readonly tables: readonly TableInfo[];
}

export interface TableInfo extends P4Object<Table> {
  readonly fields: Slots<FieldInfo>;
  /** Actions by id; references to actions that do not exist are left out. */
  readonly actions: ReadonlyMap<number, ActionUse>;
  /** Entries carry a priority: some field is ternary, range or optional (P4Runtime spec 9.1). */
  readonly hasPriority: boolean;
  readonly profile: ProfileInfo | undefined;
  readonly directCounter: P4Object<DirectCounter> | undefined;
  readonly directMeter: P4Object<DirectMeter> | undefined;
}

export interface ValueSetInfo extends P4Object<ValueSet> {
  readonly fields: Slots<FieldInfo>;
}

export interface ControllerHeaderInfo extends P4Object<ControllerPacketMetadata> {
  readonly fields: Slots<Slot>;
}

/** The objects of one kind, in P4Info's order. */
export class P4Objects<T extends P4Object<unknown>> {
  readonly #byId = new Map<number, T>();
  readonly #byName = new Map<string, T>();
  readonly #byAlias = new Map<string, T>();

  constructor(readonly list: readonly T[]) {
    for (const object of list) {
      if (!this.#byId.has(object.id)) this.#byId.set(object.id, object);
      if (!this.#byName.has(object.name)) this.#byName.set(object.name, object);
      if (!this.#byAlias.has(object.alias)) this.#byAlias.set(object.alias, object);
    }
  }

  byId(id: number): T | undefined {
    return this.#byId.get(id);
  }

  /** By full name; failing that by alias. */
  byName(nameOrAlias: string): T | undefined {
    return this.#byName.get(nameOrAlias) ?? this.#byAlias.get(nameOrAlias);
  }
}

function identify<M extends { preamble?: Preamble | undefined }>(message: M): P4Object<M> {
  const { preamble } = message;
  return { id: preamble?.id ?? 0, name: preamble?.name ?? "", alias: preamble?.alias ?? "", message };
}

const KINDS: Readonly<Partial<Record<MatchField_MatchType, FieldKind>>> = {
  [MatchField_MatchType.EXACT]: "exact",
  [MatchField_MatchType.LPM]: "lpm",
  [MatchField_MatchType.TERNARY]: "ternary",
  [MatchField_MatchType.RANGE]: "range",
  [MatchField_MatchType.OPTIONAL]: "optional",
};

export class P4InfoIndex {
  readonly tables: P4Objects<TableInfo>;
  readonly actions: P4Objects<ActionInfo>;
  readonly actionProfiles: P4Objects<ProfileInfo>;
  readonly counters: P4Objects<P4Object<Counter>>;
  readonly directCounters: P4Objects<P4Object<DirectCounter>>;
  readonly meters: P4Objects<P4Object<Meter>>;
  readonly directMeters: P4Objects<P4Object<DirectMeter>>;
  readonly registers: P4Objects<P4Object<Register>>;
  readonly digests: P4Objects<P4Object<Digest>>;
  readonly valueSets: P4Objects<ValueSetInfo>;
  /** By name: `packet_in`, `packet_out`. */
  readonly controllerHeaders: P4Objects<ControllerHeaderInfo>;
  readonly types: P4TypeInfo | undefined;

  constructor(readonly p4info: P4Info) {
    const types = p4info.typeInfo;
    this.types = types;
    const slot = (m: {
      id: number;
      name: string;
      bitwidth: number;
      typeName?: P4NamedType | undefined;
    }): Slot => {
      const { id, name, bitwidth } = m;
      const stringType = stringTypeNamed(types, m.typeName?.name);
      if (stringType === undefined) return { id, name, bitwidth, isString: false };
      return { id, name, bitwidth, isString: true, stringType };
    };
    const field = (m: MatchField): FieldInfo => ({
      ...slot(m),
      kind: (m.match.case === "matchType" ? KINDS[m.match.value] : undefined) ?? "other",
    });

    this.actions = new P4Objects(
      p4info.actions.map((m) => ({ ...identify(m), params: new Slots(m.params.map(slot)) })),
    );
    this.counters = new P4Objects(p4info.counters.map(identify));
    this.directCounters = new P4Objects(p4info.directCounters.map(identify));
    this.meters = new P4Objects(p4info.meters.map(identify));
    this.directMeters = new P4Objects(p4info.directMeters.map(identify));
    this.registers = new P4Objects(p4info.registers.map(identify));
    this.digests = new P4Objects(p4info.digests.map(identify));
    this.valueSets = new P4Objects(
      p4info.valueSets.map((m) => ({ ...identify(m), fields: new Slots(m.match.map(field)) })),
    );
    this.controllerHeaders = new P4Objects(
      p4info.controllerPacketMetadata.map((m) => ({
        ...identify(m),
        fields: new Slots(m.metadata.map(slot)),
      })),
    );

    const users = new Map<number, TableInfo[]>();
    this.actionProfiles = new P4Objects(
      p4info.actionProfiles.map((m) => {
        const tables: TableInfo[] = [];
        users.set(m.preamble?.id ?? 0, tables);
        return { ...identify(m), tables };
      }),
    );
    this.tables = new P4Objects(
      p4info.tables.map((m) => {
        const fields = m.matchFields.map(field);
        const actions = new Map<number, ActionUse>();
        for (const ref of m.actionRefs) {
          const action = this.actions.byId(ref.id);
          if (action !== undefined) actions.set(ref.id, { action, scope: ref.scope });
        }
        const direct = m.directResourceIds;
        const table: TableInfo = {
          ...identify(m),
          fields: new Slots(fields),
          actions,
          hasPriority: fields.some(
            (f) => f.kind === "ternary" || f.kind === "range" || f.kind === "optional",
          ),
          profile: this.actionProfiles.byId(m.implementationId),
          directCounter: direct.map((id) => this.directCounters.byId(id)).find((c) => c !== undefined),
          directMeter: direct.map((id) => this.directMeters.byId(id)).find((c) => c !== undefined),
        };
        users.get(m.implementationId)?.push(table);
        return table;
      }),
    );
  }

  /** Width in bits of `bit<W>` and `int<W>`, also behind new types and serializable enums; else undefined. */
  bitwidthOf(spec: P4DataTypeSpec | undefined): number | undefined {
    return bitwidthOf(this.types, spec);
  }

  /** Name of the type translated to a string that this type is or is made of; else undefined. */
  stringTypeOf(spec: P4DataTypeSpec | undefined): string | undefined {
    const type = spec?.typeSpec;
    return type?.case === "newType" ? stringTypeNamed(this.types, type.value.name) : undefined;
  }

  /** The parts of a digest's or register's type in order: the members of a struct or tuple, else the type itself. */
  membersOf(spec: P4DataTypeSpec | undefined): readonly P4DataTypeSpec[] | undefined {
    const type = spec?.typeSpec;
    if (type === undefined || type.case === undefined) return undefined;
    if (type.case === "tuple") return type.value.members;
    if (type.case !== "struct") return [spec!];
    return this.types?.structs[type.value.name]?.members.flatMap((m) => m.typeSpec ?? []);
  }
}

/** New types may be made of new types; a malformed P4Info could make them of each other. */
const MAX_TYPE_DEPTH = 64;

/** The type that is translated to a string, where a type is or is made of one. */
function stringTypeNamed(types: P4TypeInfo | undefined, type: string | undefined): string | undefined {
  let name = type;
  for (let depth = 0; name !== undefined && depth < MAX_TYPE_DEPTH; depth++) {
    const representation = types?.newTypes[name]?.representation;
    if (representation?.case === "translatedType") {
      return representation.value.sdnType.case === "sdnString" ? name : undefined;
    }
    const original = representation?.value?.typeSpec;
    name = original?.case === "newType" ? original.value.name : undefined;
  }
  return undefined;
}

function bitwidthOf(types: P4TypeInfo | undefined, spec: P4DataTypeSpec | undefined): number | undefined {
  for (let depth = 0; depth < MAX_TYPE_DEPTH; depth++) {
    const type = spec?.typeSpec;
    switch (type?.case) {
      case "bitstring": {
        const bits = type.value.typeSpec;
        return bits.case === "bit" || bits.case === "int" ? bits.value.bitwidth : undefined;
      }
      case "bool":
        return 1;
      case "serializableEnum":
        return types?.serializableEnums[type.value.name]?.underlyingType?.bitwidth;
      case "newType": {
        const representation = types?.newTypes[type.value.name]?.representation;
        if (representation?.case === "translatedType") {
          const { sdnType } = representation.value;
          return sdnType.case === "sdnBitwidth" ? sdnType.value : undefined;
        }
        spec = representation?.value;
        break;
      }
      default:
        return undefined;
    }
  }
  return undefined;
}
