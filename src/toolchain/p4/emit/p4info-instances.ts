/** Counters, meters, registers and action profiles in P4Info's own messages. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { defined, given } from "../../../base/index.js";
import { p4info } from "../../program/index.js";
import { fold } from "../lower/fold.js";
import {
  type Expr,
  type ExternInstance,
  type IrProgram,
  type IrTable,
  instancesOf,
  parsersOf,
} from "../lower/ir.js";
import { constantBits } from "./bmv2-tables.js";
import type { InstanceEmitter } from "./p4info.js";
import { annotated, numberArgument, stringArgument } from "./p4info-annotations.js";
import type { SymbolKind, SymbolTable } from "./p4info-symbols.js";
import type { TypeRegistry } from "./p4info-types.js";
import { newTypeName } from "./p4info-types.js";

type Init = MessageInitShape<typeof p4info.P4InfoSchema>;
type Resources = Required<
  Pick<Init, "counters" | "directCounters" | "meters" | "directMeters" | "registers">
>;

const KINDS: Record<string, SymbolKind> = {
  counter: "counter",
  meter: "meter",
  register: "register",
  action_profile: "actionProfile",
  action_selector: "actionProfile",
};

/** Entries that p4c gives a table without `size`. */
const DEFAULT_SIZE = 1024;

export function standardInstances(program: IrProgram): InstanceEmitter {
  const instances = instancesOf(program);
  return {
    prefixOf: () => "",
    defaultSize: () => DEFAULT_SIZE,
    supportsTimeout: (table) => table.supportTimeout,
    valueSets: parsersOf(program).flatMap((parser) => parser.valueSets),
    listsValueSets: true,
    addInstances: (symbols, named) => {
      const tables = named.map(({ table }) => table);
      const resources = addInstances(symbols, instances, tables);
      return (types) => ({
        actionProfiles: profileMessages(symbols, instances, tables),
        ...resources(types),
      });
    },
    implementation: (symbols, { table: { implementation } }) =>
      implementation && symbols.id("actionProfile", implementation.name),
    directResources: (symbols, { table }) => directResources(symbols, table),
  };
}

function addInstances(
  symbols: SymbolTable,
  instances: readonly ExternInstance[],
  tables: readonly IrTable[],
): (types: TypeRegistry) => Resources {
  const direct: { kind: "directCounter" | "directMeter"; instance: ExternInstance; table: IrTable }[] = [];
  for (const table of tables) {
    if (table.counters !== undefined) direct.push({ kind: "directCounter", instance: table.counters, table });
    if (table.meters !== undefined) direct.push({ kind: "directMeter", instance: table.meters, table });
  }
  for (const instance of instances) {
    const kind = KINDS[instance.extern];
    if (kind !== undefined)
      symbols.add(kind, instance.name, numberArgument(instance.annotations, "id"), instance.span);
  }
  for (const { kind, instance } of direct)
    symbols.add(kind, instance.name, numberArgument(instance.annotations, "id"), instance.span);

  return (types) => {
    const preamble = (kind: SymbolKind, instance: ExternInstance) => ({
      id: symbols.id(kind, instance.name),
      name: instance.name,
      alias: symbols.alias(instance.name),
      ...annotated(instance.annotations),
    });
    const of = (name: string): ExternInstance[] => instances.filter((one) => one.extern === name);
    const index = (instance: ExternInstance, at: number) => {
      const type = instance.typeArgs[at];
      if (type === undefined) return {};
      types.describe(type);
      const name = newTypeName(type);
      return name === undefined ? {} : { indexTypeName: { name } };
    };
    return {
      counters: of("counter").map((one) => ({
        preamble: preamble("counter", one),
        spec: { unit: counterUnit(one.args[1]) },
        size: constantBits(defined(one.args[0])),
        ...index(one, 0),
      })),
      directCounters: direct
        .filter((one) => one.kind === "directCounter")
        .map(({ instance, table }) => ({
          preamble: preamble("directCounter", instance),
          spec: { unit: counterUnit(instance.args[0]) },
          directTableId: symbols.id("table", table.name),
        })),
      meters: of("meter").map((one) => ({
        preamble: preamble("meter", one),
        spec: { unit: meterUnit(one.args[1]) },
        size: constantBits(defined(one.args[0])),
        ...index(one, 0),
      })),
      directMeters: direct
        .filter((one) => one.kind === "directMeter")
        .map(({ instance, table }) => ({
          preamble: preamble("directMeter", instance),
          spec: { unit: meterUnit(instance.args[0]) },
          directTableId: symbols.id("table", table.name),
        })),
      registers: of("register").map((one) => ({
        preamble: preamble("register", one),
        ...given({ typeSpec: one.typeArgs[0] && types.describe(one.typeArgs[0]) }),
        size: Number(constantBits(defined(one.args[0]))),
        ...index(one, 1),
      })),
    };
  };
}

function memberName(expr: Expr | undefined): string | undefined {
  const folded = expr === undefined ? undefined : fold(expr);
  return folded?.kind === "member" ? folded.name : undefined;
}

function counterUnit(type: Expr | undefined): p4info.CounterSpec_Unit {
  switch (memberName(type)) {
    case "packets":
      return p4info.CounterSpec_Unit.PACKETS;
    case "bytes":
      return p4info.CounterSpec_Unit.BYTES;
    case "packets_and_bytes":
      return p4info.CounterSpec_Unit.BOTH;
    default:
      return p4info.CounterSpec_Unit.UNSPECIFIED;
  }
}

function meterUnit(type: Expr | undefined): p4info.MeterSpec_Unit {
  switch (memberName(type)) {
    case "packets":
      return p4info.MeterSpec_Unit.PACKETS;
    case "bytes":
      return p4info.MeterSpec_Unit.BYTES;
    default:
      return p4info.MeterSpec_Unit.UNSPECIFIED;
  }
}

function directResources(symbols: SymbolTable, table: IrTable): number[] {
  const ids: number[] = [];
  if (table.counters !== undefined) ids.push(symbols.id("directCounter", table.counters.name));
  if (table.meters !== undefined) ids.push(symbols.id("directMeter", table.meters.name));
  return ids;
}

const PROFILE_ANNOTATIONS = ["max_group_size", "selector_size_semantics", "max_member_weight"];

function profileMessages(
  symbols: SymbolTable,
  instances: readonly ExternInstance[],
  tables: readonly IrTable[],
): NonNullable<Init["actionProfiles"]> {
  return instances
    .filter((one) => KINDS[one.extern] === "actionProfile")
    .map((one) => {
      const withSelector = one.extern === "action_selector";
      const semantics = withSelector
        ? stringArgument(one.annotations, "selector_size_semantics")?.toUpperCase()
        : undefined;
      return {
        preamble: {
          id: symbols.id("actionProfile", one.name),
          name: one.name,
          alias: symbols.alias(one.name),
          ...annotated(one.annotations, PROFILE_ANNOTATIONS),
        },
        tableIds: tables
          .filter((table) => table.implementation === one)
          .map((table) => symbols.id("table", table.name)),
        withSelector,
        size: constantBits(defined(one.args[withSelector ? 1 : 0])),
        maxGroupSize: withSelector ? (numberArgument(one.annotations, "max_group_size") ?? 0) : 0,
        ...sizeSemantics(semantics, one),
      };
    });
}

type ProfileInit = MessageInitShape<typeof p4info.ActionProfileSchema>;

/** `@selector_size_semantics`, with `@max_member_weight` where members count. */
function sizeSemantics(
  semantics: string | undefined,
  instance: ExternInstance,
): Pick<ProfileInit, "selectorSizeSemantics"> {
  if (semantics === "SUM_OF_WEIGHTS") return { selectorSizeSemantics: { case: "sumOfWeights", value: {} } };
  if (semantics !== "SUM_OF_MEMBERS") return {};
  const maxMemberWeight = numberArgument(instance.annotations, "max_member_weight") ?? 0;
  return { selectorSizeSemantics: { case: "sumOfMembers", value: { maxMemberWeight } } };
}
