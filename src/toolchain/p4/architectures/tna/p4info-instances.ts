/**
 * TNA's extern instances in P4Info: each kind is an entry of `externs`, each instance holds a message of `tofino.proto`. Names, numbers
 * and what is left out are those of the open compiler, whose files controllers read.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { defined, given, toSigned } from "../../../../base/index.js";
import { type p4info, tofino } from "../../../program/index.js";
import { constantBits } from "../../emit/bmv2-tables.js";
import type { InstanceEmitter, NamedTable } from "../../emit/p4info.js";
import { annotated, numberArgument } from "../../emit/p4info-annotations.js";
import type { SymbolKind, SymbolTable } from "../../emit/p4info-symbols.js";
import type { TypeRegistry } from "../../emit/p4info-types.js";
import { fold } from "../../lower/fold.js";
import { type ExternInstance, type IrProgram, type IrTable, parsersOf } from "../../lower/ir.js";
import { scalarWidth } from "../../lower/ir-types.js";
import type { SourceUnit } from "../../syntax/ast.js";
import { hashInputs } from "./p4info-hashes.js";
import { parserChoices, portMetadata, snapshots, valueSets } from "./p4info-pipes.js";
import {
  argument,
  attached,
  callsByInstance,
  type ExternStmt,
  prefixOf,
  type Scoped,
  scopedInstances,
  usedValueSets,
} from "./p4info-scope.js";
import { packed, type Shown } from "./p4info-shown.js";

type ExternInit = NonNullable<MessageInitShape<typeof p4info.P4InfoSchema>["externs"]>[number];
type InstanceInit = NonNullable<ExternInit["instances"]>[number];

/** The names of the kinds, with the numbers of their ids. */
const KINDS: Partial<Record<SymbolKind, readonly [name: string, prefix: number]>> = {
  tnaActionProfile: ["ActionProfile", tofino.P4Ids_Prefix.ACTION_PROFILE],
  tnaActionSelector: ["ActionSelector", tofino.P4Ids_Prefix.ACTION_SELECTOR],
  tnaCounter: ["Counter", tofino.P4Ids_Prefix.COUNTER],
  tnaDirectCounter: ["DirectCounter", tofino.P4Ids_Prefix.DIRECT_COUNTER],
  tnaMeter: ["Meter", tofino.P4Ids_Prefix.METER],
  tnaDirectMeter: ["DirectMeter", tofino.P4Ids_Prefix.DIRECT_METER],
  tnaWred: ["Wred", tofino.P4Ids_Prefix.WRED],
  tnaDirectWred: ["DirectWred", tofino.P4Ids_Prefix.DIRECT_WRED],
  tnaLpf: ["Lpf", tofino.P4Ids_Prefix.LPF],
  tnaDirectLpf: ["DirectLpf", tofino.P4Ids_Prefix.DIRECT_LPF],
  tnaRegister: ["Register", tofino.P4Ids_Prefix.REGISTER],
  tnaDirectRegister: ["DirectRegister", tofino.P4Ids_Prefix.DIRECT_REGISTER],
  tnaRegisterParam: ["RegisterParam", tofino.P4Ids_Prefix.REGISTER_PARAM],
  tnaDigest: ["Digest", tofino.P4Ids_Prefix.DIGEST],
  tnaHash: ["DynHash", tofino.P4Ids_Prefix.HASH],
  tnaPortMetadata: ["PortMetadata", tofino.P4Ids_Prefix.PORT_METADATA],
  tnaSnapshot: ["Snapshot", tofino.P4Ids_Prefix.SNAPSHOT],
  tnaParserChoices: ["ParserChoices", tofino.P4Ids_Prefix.PARSER_CHOICES],
  tnaValueSet: ["ValueSet", tofino.P4Ids_Prefix.VALUE_SET],
};

/** Entries that the open compiler gives a table without `size`; with `min_size` it takes that. */
const DEFAULT_SIZE = 512;

export function tnaInstances(program: IrProgram, unit: SourceUnit): InstanceEmitter {
  return {
    prefixOf,
    defaultSize: (table) => numberProperty(table, "min_size") ?? DEFAULT_SIZE,
    supportsTimeout: (table) => {
      const value = table.properties.find((one) => one.name === "idle_timeout")?.value;
      return value?.kind === "bool" && value.value;
    },
    valueSets: parsersOf(program).flatMap(usedValueSets),
    listsValueSets: false,
    addInstances: (symbols, tables) => {
      const instances = new Instances(program, symbols, tables);
      const shown = [
        ...instances.shown(),
        ...valueSets(program),
        ...portMetadata(program, unit),
        ...snapshots(program, unit),
        ...parserChoices(program),
      ];
      for (const one of shown)
        symbols.add(one.kind, one.name, numberArgument(one.annotations, "id"), one.span);
      return (types) => ({ externs: externs(shown, symbols, types) });
    },
    implementation: (symbols, { name, table }) => {
      const instance = attached(table, "implementation");
      if (instance?.extern !== "ActionProfile" && instance?.extern !== "ActionSelector") return undefined;
      const own = prefixFor(name, table) + instance.name;
      if (instance.extern === "ActionProfile") return symbols.id("tnaActionProfile", own);
      return symbols.id("tnaActionSelector", hasOwnProfile(instance) ? `${own}_sel` : own);
    },
    directResources: (symbols, { name, table }) =>
      DIRECT.flatMap(([property, extern, kind]) => {
        const instance = attached(table, property);
        return instance?.extern === extern ? [symbols.id(kind, prefixFor(name, table) + instance.name)] : [];
      }),
  };
}

/** What stands before the table's own name. */
function prefixFor(name: string, table: IrTable): string {
  return name.slice(0, name.length - table.name.length);
}

function numberProperty(table: IrTable, name: string): number | undefined {
  const value = table.properties.find((one) => one.name === name)?.value;
  return value?.kind === "number" ? Number(value.value) : undefined;
}

/** Properties of tables that attach an instance, in the order of `direct_resource_ids`. */
const DIRECT: readonly (readonly [property: string, extern: string, kind: SymbolKind])[] = [
  ["counters", "DirectCounter", "tnaDirectCounter"],
  ["meters", "DirectMeter", "tnaDirectMeter"],
  ["registers", "DirectRegister", "tnaDirectRegister"],
  ["filters", "DirectLpf", "tnaDirectLpf"],
  ["filters", "DirectWred", "tnaDirectWred"],
];

/** Entries of `externs`, by the numbers of the kinds; instances in order of declaration. */
function externs(shown: readonly Shown[], symbols: SymbolTable, types: TypeRegistry): ExternInit[] {
  const names = new Map<string, Shown>();
  for (const one of shown)
    if (!names.has(`${one.kind} ${one.name}`)) names.set(`${one.kind} ${one.name}`, one);
  return (Object.keys(KINDS) as SymbolKind[]).flatMap((kind) => {
    const [externTypeName, externTypeId] = defined(KINDS[kind]);
    const instances = [...names.values()]
      .filter((one) => one.kind === kind && one.message !== undefined)
      .map(
        (one): InstanceInit => ({
          preamble: {
            id: symbols.id(kind, one.name),
            name: one.name,
            alias: symbols.alias(one.name),
            ...annotated(one.annotations),
          },
          info: defined(one.message)(types),
        }),
      );
    return instances.length === 0 ? [] : [{ externTypeId, externTypeName, instances }];
  });
}

/** The old constructor `ActionSelector(size, hash, mode)`: the selector has members of its own. */
function hasOwnProfile(selector: ExternInstance): boolean {
  return argument(selector, "size") !== undefined;
}

/** What the open compiler assumes of a selector with members of its own: the groups, and the members of one. */
const OWN_PROFILE = { numGroups: 4n, maxGroupSize: 120n };

class Instances {
  readonly #calls: ReadonlyMap<ExternInstance, readonly ExternStmt[]>;
  readonly #instances: readonly Scoped<ExternInstance>[];

  constructor(
    program: IrProgram,
    readonly symbols: SymbolTable,
    readonly tables: readonly NamedTable[],
  ) {
    this.#calls = callsByInstance(program);
    this.#instances = scopedInstances(program);
  }

  shown(): Shown[] {
    return this.#instances.flatMap((one) => this.#shown(one));
  }

  #shown(scoped: Scoped<ExternInstance>): Shown[] {
    const { object } = scoped;
    const size = (name: string): bigint => constantOf(object, name);
    switch (object.extern) {
      case "Counter":
        return [
          this.#one("tnaCounter", scoped, () =>
            packed(tofino.CounterSchema, { spec: counterSpec(object), size: size("size") }),
          ),
        ];
      case "Meter":
        return [
          this.#one("tnaMeter", scoped, () =>
            packed(tofino.MeterSchema, { spec: this.#meterSpec(object), size: size("size") }),
          ),
        ];
      case "Lpf":
        return [this.#one("tnaLpf", scoped, () => packed(tofino.LpfSchema, { size: size("size") }))];
      case "Wred":
        return [
          this.#one("tnaWred", scoped, () =>
            packed(tofino.WredSchema, { spec: wredSpec(object), size: size("size") }),
          ),
        ];
      case "Register":
        return [this.#register(scoped)];
      case "RegisterParam":
        return [this.#registerParam(scoped)];
      case "ActionProfile":
        return [this.#profile(scoped, size("size"))];
      case "ActionSelector":
        return this.#selector(scoped);
      case "Digest":
        return this.#callsOf(object) === 1
          ? [
              this.#one("tnaDigest", scoped, (types) =>
                packed(tofino.DigestSchema, { typeSpec: types.describe(defined(object.typeArgs[0])) }),
              ),
            ]
          : [this.#one("tnaDigest", scoped)];
      case "Hash":
        return this.#hash(scoped);
      default:
        return this.#direct(scoped);
    }
  }

  #one(kind: SymbolKind, { prefix, object }: Scoped<ExternInstance>, message?: Shown["message"]): Shown {
    const { annotations, span } = object;
    return { kind, name: prefix + object.name, annotations, span, ...given({ message }) };
  }

  #callsOf(instance: ExternInstance): number {
    return this.#calls.get(instance)?.length ?? 0;
  }

  /** A table's own instance; one that no table has is not shown. */
  #direct(scoped: Scoped<ExternInstance>): Shown[] {
    const { object } = scoped;
    const place = DIRECT.find(([, extern]) => extern === object.extern);
    if (place === undefined) return [];
    const [property, , kind] = place;
    const owner = this.tables.find(
      ({ name, table }) => attached(table, property) === object && prefixFor(name, table) === scoped.prefix,
    );
    if (owner === undefined) return [this.#one(kind, scoped)];
    const directTableId = (): number => this.symbols.id("table", owner.name);
    return [
      this.#one(kind, scoped, (types) => {
        switch (kind) {
          case "tnaDirectCounter":
            return packed(tofino.DirectCounterSchema, {
              spec: counterSpec(object),
              directTableId: directTableId(),
            });
          case "tnaDirectMeter":
            return packed(tofino.DirectMeterSchema, {
              spec: this.#meterSpec(object),
              directTableId: directTableId(),
            });
          case "tnaDirectRegister":
            return packed(tofino.DirectRegisterSchema, {
              typeSpec: types.describe(defined(object.typeArgs[0])),
              dataFieldName: object.name,
            });
          case "tnaDirectLpf":
            return packed(tofino.DirectLpfSchema, { directTableId: directTableId() });
          default:
            return packed(tofino.DirectWredSchema, {
              spec: wredSpec(object),
              directTableId: directTableId(),
            });
        }
      }),
    ];
  }

  #register(scoped: Scoped<ExternInstance>): Shown {
    const { object } = scoped;
    return this.#one("tnaRegister", scoped, (types) =>
      packed(tofino.RegisterSchema, {
        typeSpec: types.describe(defined(object.typeArgs[0])),
        size: constantOf(object, "size"),
        dataFieldName: object.name,
      }),
    );
  }

  /** With the register, or the table of the direct register, whose actions read the parameter. */
  #registerParam(scoped: Scoped<ExternInstance>): Shown {
    const { object, prefix } = scoped;
    const reads = (one: ExternInstance): boolean =>
      one.methods.some(({ body }) => this.#calls.get(object)?.some((call) => contains(body, call)));
    const action = this.#instances.find((one) => one.object.methods.length > 0 && reads(one.object))?.object;
    const target = action?.args[0];
    const register = target?.kind === "instance" ? target.instance : undefined;
    const tableId = (): number => {
      if (register?.extern === "Register") return this.symbols.id("tnaRegister", prefix + register.name);
      const owner = this.tables.find(({ table }) => attached(table, "registers") === register);
      return register === undefined || owner === undefined ? 0 : this.symbols.id("table", owner.name);
    };
    return this.#one("tnaRegisterParam", scoped, (types) => {
      const initial = argument(object, "initial_value");
      const type = initial?.type;
      const width = type === undefined ? 32 : (scalarWidth(type) ?? 32);
      const value = constantOf(object, "initial_value");
      const isSigned = type?.kind === "bits" && type.signed;
      return packed(tofino.RegisterParamSchema, {
        typeSpec: types.describe(defined(object.typeArgs[0])),
        tableId: tableId(),
        initialValue: isSigned ? toSigned(value, width) : value,
        dataFieldName: object.name,
      });
    });
  }

  // ---------------------------------------------------------------- profiles

  /** Ids of the tables of a pipe whose entries name a member of the profile, or a group of its selectors. */
  #tableIds(prefix: string, users: readonly ExternInstance[]): number[] {
    return this.tables
      .filter(({ name, table }) => {
        const used = attached(table, "implementation");
        return used !== undefined && users.includes(used) && prefixFor(name, table) === prefix;
      })
      .map(({ name }) => name)
      .sort()
      .map((name) => this.symbols.id("table", name));
  }

  #profile(scoped: Scoped<ExternInstance>, size: bigint): Shown {
    const { object, prefix } = scoped;
    const selectors = this.#instances.flatMap((one) => {
      const profile = argument(one.object, "action_profile");
      return profile?.kind === "instance" && profile.instance === object ? [one.object] : [];
    });
    return this.#one("tnaActionProfile", scoped, () =>
      packed(tofino.ActionProfileSchema, {
        tableIds: this.#tableIds(prefix, [object, ...selectors]),
        size,
      }),
    );
  }

  #selector(scoped: Scoped<ExternInstance>): Shown[] {
    const { object, prefix } = scoped;
    const profile = argument(object, "action_profile");
    const owner = profile?.kind === "instance" ? profile.instance : object;
    const message = (): NonNullable<InstanceInit["info"]> =>
      packed(tofino.ActionSelectorSchema, {
        tableIds: this.#tableIds(prefix, [object]),
        actionProfileId: this.symbols.id("tnaActionProfile", prefix + owner.name),
        ...(hasOwnProfile(object)
          ? OWN_PROFILE
          : {
              maxGroupSize: constantOf(object, "max_group_size"),
              numGroups: constantOf(object, "num_groups"),
            }),
      });
    const selector = this.#one("tnaActionSelector", scoped, message);
    if (!hasOwnProfile(object)) return [selector];
    return [this.#profile(scoped, constantOf(object, "size")), { ...selector, name: `${selector.name}_sel` }];
  }

  // ---------------------------------------------------------------- hashes, meters

  /** A hash that the program computes in one place: of another the controller cannot know the inputs. */
  #hash(scoped: Scoped<ExternInstance>): Shown[] {
    const { object } = scoped;
    const [call, ...others] = this.#calls.get(object) ?? [];
    if (call === undefined || others.length > 0) return [this.#one("tnaHash", scoped)];
    const width = defined(object.typeArgs[0]);
    return [
      this.#one("tnaHash", scoped, () => {
        const inputs = hashInputs(call);
        return packed(tofino.DynHashSchema, {
          typeSpec: { typeSpec: { case: "tuple", value: { members: inputs.map((one) => one.type) } } },
          fieldInfos: inputs.map(({ name, isConstant }) => ({ fieldName: name, isConstant })),
          ...given({ hashWidth: width.kind === "bit" || width.kind === "int" ? width.width : undefined }),
        });
      }),
    ];
  }

  /** Color-aware where a call gives the color of the packet, which is its second argument. */
  #meterSpec(meter: ExternInstance): MessageInitShape<typeof tofino.MeterSpecSchema> {
    const aware = this.#calls.get(meter)?.some(({ args }) => args.length === 2) ?? false;
    return {
      unit: tofino.MeterSpec_Unit[memberOf(meter, "type") as "BYTES" | "PACKETS"] ?? 0,
      type: aware ? tofino.MeterSpec_Type.COLOR_AWARE : tofino.MeterSpec_Type.COLOR_UNAWARE,
    };
  }
}

function contains(body: readonly object[], call: object): boolean {
  return body.some(
    (one) =>
      one === call ||
      Object.values(one).some((inner) => Array.isArray(inner) && contains(inner as object[], call)),
  );
}

function constantOf(instance: ExternInstance, name: string): bigint {
  const value = argument(instance, name);
  return value === undefined ? 0n : constantBits(value);
}

function memberOf(instance: ExternInstance, name: string): string {
  const value = argument(instance, name);
  const folded = value === undefined ? undefined : fold(value);
  return folded?.kind === "member" ? folded.name : "";
}

function counterSpec(counter: ExternInstance): MessageInitShape<typeof tofino.CounterSpecSchema> {
  const unit = memberOf(counter, "type") as "BYTES" | "PACKETS" | "PACKETS_AND_BYTES";
  return { unit: tofino.CounterSpec_Unit[unit] ?? 0 };
}

function wredSpec(wred: ExternInstance): MessageInitShape<typeof tofino.WredSpecSchema> {
  return {
    dropValue: Number(constantOf(wred, "drop_value")),
    noDropValue: Number(constantOf(wred, "no_drop_value")),
  };
}
