/** The P4Info of a lowered program. Equal to p4c's up to the order of objects. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Diagnostics } from "../../../base/index.js";
import { DiagnosticError, defined, given, toBytes } from "../../../base/index.js";
import { createP4Info, type P4Info, p4info } from "../../program/index.js";
import type {
  Expr,
  IrAction,
  IrControl,
  IrPipe,
  IrProgram,
  IrTable,
  IrValueSet,
  StmtOf,
} from "../lower/ir.js";
import { controlsOf } from "../lower/ir.js";
import { parameterName, scalarWidth } from "../lower/ir-types.js";
import { forEachStmt } from "../lower/walk.js";
import type { SourceUnit, StructLikeDeclaration } from "../syntax/ast.js";
import type { StructLikeType } from "../types/index.js";
import { constantBits } from "./bmv2-tables.js";
import {
  annotated,
  annotatedOnly,
  annotationPairs,
  fieldIds,
  findAnnotation,
  numberArgument,
  stringArgument,
} from "./p4info-annotations.js";
import { SymbolTable } from "./p4info-symbols.js";
import { controllerWidth, flatFields, newTypeName, TypeRegistry } from "./p4info-types.js";
import { valueSetMessage } from "./p4info-value-sets.js";

type Init = MessageInitShape<typeof p4info.P4InfoSchema>;
type TableInit = NonNullable<Init["tables"]>[number];
type ActionInit = NonNullable<Init["actions"]>[number];

type Resources = Partial<
  Pick<
    Init,
    "actionProfiles" | "counters" | "directCounters" | "meters" | "directMeters" | "registers" | "externs"
  >
>;

/** A table under the name that the control plane sees: the same table of two pipes has two. */
export interface NamedTable {
  readonly name: string;
  readonly table: IrTable;
}

/** How an architecture's extern instances stand in P4Info, and what it decides of tables. */
export interface InstanceEmitter {
  /** What precedes the names of a pipe's tables and instances. */
  prefixOf: (pipe: IrPipe) => string;
  /** Entries that the architecture's compiler gives a table without `size`. */
  defaultSize: (table: IrTable) => number;
  supportsTimeout: (table: IrTable) => boolean;
  /** The value sets whose names count. */
  valueSets: readonly IrValueSet[];
  /** Whether they stand in P4Info's own list. */
  listsValueSets: boolean;
  /** Declares the instances' names; the result makes the messages once ids are assigned. */
  addInstances: (symbols: SymbolTable, tables: readonly NamedTable[]) => (types: TypeRegistry) => Resources;
  /** The id of a table's action profile or selector. */
  implementation: (symbols: SymbolTable, table: NamedTable) => number | undefined;
  /** Ids of what is attached to a table. */
  directResources: (symbols: SymbolTable, table: NamedTable) => number[];
}

/** Undefined when the program breaks a rule of P4Info; a diagnostic says which. */
export function emitP4Info(
  program: IrProgram,
  unit: SourceUnit,
  instances: InstanceEmitter,
  diagnostics: Diagnostics,
): P4Info | undefined {
  try {
    return new Builder(program, unit, instances).build();
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    for (const one of error.diagnostics) diagnostics.add(one);
    return undefined;
  }
}

class Builder {
  readonly #symbols: SymbolTable;
  readonly #types: TypeRegistry;
  readonly #tables: NamedTable[];
  readonly #actions: IrAction[];
  readonly #digests: StmtOf<"digest">[];
  readonly #valueSets: readonly IrValueSet[];
  readonly #headers: { declaration: StructLikeDeclaration; type: StructLikeType }[];

  constructor(
    readonly program: IrProgram,
    unit: SourceUnit,
    readonly emitter: InstanceEmitter,
  ) {
    this.#symbols = new SymbolTable(program.controlSpans);
    this.#types = new TypeRegistry(program.errors);
    const controls = controlsOf(program, ["control"]);
    const pipes = new Map(program.pipes.map((pipe) => [emitter.prefixOf(pipe), pipe]));
    this.#tables = [...pipes.values()].flatMap((pipe) =>
      pipe.blocks
        .flatMap((block) => (block.kind === "control" ? block.body.tables : []))
        .filter((table) => !isHidden(table))
        .map((table) => ({ name: emitter.prefixOf(pipe) + table.name, table })),
    );
    this.#actions = uniqueActions([
      ...controls.flatMap((control) => control.actions),
      ...controls.flatMap((control) =>
        control.called.map((one) => ({ ...one, params: [], body: [], hidden: false })),
      ),
    ]);
    this.#digests = digestsOf(controlsOf(program));
    this.#valueSets = emitter.valueSets;
    this.#headers = controllerHeaders(unit);
  }

  build(): P4Info {
    const symbols = this.#symbols;
    for (const { name, table } of this.#tables)
      symbols.add("table", name, numberArgument(table.annotations, "id"), table.span);
    for (const action of this.#actions)
      symbols.add("action", action.name, numberArgument(action.annotations, "id"), action.span);
    // A name that is not shown still counts among the names from which an alias must differ.
    const sets = new Map(this.#valueSets.map((set) => [set.name, set]));
    for (const set of this.emitter.listsValueSets ? this.#valueSets : sets.values())
      symbols.add("valueSet", set.name, numberArgument(set.annotations, "id"), set.span);
    for (const { declaration } of this.#headers)
      symbols.add(
        "controllerHeader",
        declaration.name.name,
        numberArgument(declaration.annotations, "id"),
        declaration.span,
      );
    for (const digest of this.#digests) symbols.add("digest", digest.name);
    const resources = this.emitter.addInstances(symbols, this.#tables);
    symbols.assign();
    const info: Init = {
      pkgInfo: this.#package(),
      tables: this.#tables.map((table) => this.#table(table)),
      actions: this.#actions.map((action) => this.#action(action)),
      ...resources(this.#types),
      controllerPacketMetadata: this.#headers.map((header) => this.#controllerHeader(header)),
      valueSets: this.emitter.listsValueSets
        ? this.#valueSets.map((set) => valueSetMessage(symbols, set))
        : [],
      digests: this.#digests.map((digest) => ({
        preamble: this.#preamble(symbols.id("digest", digest.name), digest.name, []),
        typeSpec: this.#types.describe(digest.declared),
      })),
    };
    const { error, ...types } = this.#types.info;
    return createP4Info({ ...info, typeInfo: error === undefined ? types : { ...types, error } });
  }

  #preamble(id: number, name: string, annotations: Parameters<typeof annotated>[0]) {
    return { id, name, alias: this.#symbols.alias(name), ...annotated(annotations) };
  }

  #table(named: NamedTable): TableInit {
    const { name, table } = named;
    const { defaultAction } = table;
    const defaultId = this.#symbols.id("action", defaultAction.action.name);
    const ids = fieldIds(table.keys);
    return {
      preamble: this.#preamble(this.#symbols.id("table", name), name, table.annotations),
      matchFields: table.keys.flatMap((key, index) => {
        if (key.matchKind === "selector") return [];
        this.#types.describe(key.declared);
        const typeName = newTypeName(key.declared);
        return [
          {
            id: defined(ids[index]),
            name: key.name,
            bitwidth: controllerWidth(key.declared),
            match: matchType(key.matchKind),
            ...annotated(key.annotations),
            ...given({ typeName: namedType(typeName) }),
          },
        ];
      }),
      actionRefs: table.actions.map((ref) => ({
        id: this.#symbols.id("action", ref.action.name),
        scope: scopeOf(ref.annotations),
        ...annotatedOnly(ref.annotations),
      })),
      ...given({ constDefaultActionId: defaultAction.isConst ? defaultId : undefined }),
      initialDefaultAction: {
        actionId: defaultId,
        arguments: defaultAction.args.map((arg, index) => this.#argument(defaultAction.action, arg, index)),
      },
      ...given({ implementationId: this.emitter.implementation(this.#symbols, named) }),
      directResourceIds: this.emitter.directResources(this.#symbols, named),
      size: BigInt(table.size || this.emitter.defaultSize(table)),
      idleTimeoutBehavior: this.emitter.supportsTimeout(table)
        ? p4info.Table_IdleTimeoutBehavior.NOTIFY_CONTROL
        : p4info.Table_IdleTimeoutBehavior.NO_TIMEOUT,
      isConstTable: table.entries?.isConst ?? false,
      hasInitialEntries: (table.entries?.list.length ?? 0) > 0,
    };
  }

  #argument(action: IrAction, arg: Expr, index: number) {
    const param = defined(action.params[index]);
    const width = controllerWidth(param.declared) || scalarWidth(param.variable.type) || 8;
    return {
      paramId: numberArgument(param.annotations, "id") ?? index + 1,
      value: toBytes(constantBits(arg), Math.ceil(width / 8)),
    };
  }

  #action(action: IrAction): ActionInit {
    const ids = fieldIds(action.params);
    return {
      preamble: this.#preamble(this.#symbols.id("action", action.name), action.name, action.annotations),
      params: action.params.map((param, index) => {
        this.#types.describe(param.declared);
        const { declared } = param;
        const typeName = declared.kind === "enum" ? declared.declaration.name.name : newTypeName(declared);
        return {
          id: defined(ids[index]),
          name: parameterName(param),
          bitwidth: controllerWidth(declared),
          ...annotated(param.annotations),
          ...given({ typeName: namedType(typeName) }),
        };
      }),
    };
  }

  #controllerHeader({ declaration, type }: { declaration: StructLikeDeclaration; type: StructLikeType }) {
    const name = stringArgument(declaration.annotations, "controller_header") ?? declaration.name.name;
    const fields = flatFields(type);
    const ids = fieldIds(fields);
    const id = this.#symbols.id("controllerHeader", declaration.name.name);
    return {
      preamble: { id, name, alias: name, ...annotated(declaration.annotations) },
      metadata: fields.flatMap((field, index) => {
        if (findAnnotation(field.annotations, "hidden") !== undefined) return [];
        this.#types.describe(field.type);
        const typeName = newTypeName(field.type);
        return [
          {
            id: defined(ids[index]),
            name: field.name,
            bitwidth: controllerWidth(field.type),
            ...annotatedOnly(field.annotations),
            ...given({ typeName: namedType(typeName) }),
          },
        ];
      }),
    };
  }

  /** `@pkginfo[...]` and `@platform_property[...]` of the main instance. */
  #package(): Init["pkgInfo"] {
    const { annotations } = this.program;
    const text: Record<string, string> = {};
    for (const [key, value] of annotationPairs(annotations, "pkginfo"))
      if (PACKAGE_KEYS.includes(key) && typeof value === "string") text[key] = value;
    const platform = new Map(annotationPairs(annotations, "platform_property"));
    const limit = (key: string): number => Number(platform.get(key) ?? 0n);
    const rest = annotations.filter((one) => one.name !== "pkginfo" && one.name !== "platform_property");
    return {
      arch: this.program.architecture,
      ...text,
      ...annotated(rest),
      ...(platform.size === 0
        ? {}
        : {
            platformProperties: {
              multicastGroupTableSize: limit("multicast_group_table_size"),
              multicastGroupTableTotalReplicas: limit("multicast_group_table_total_replicas"),
              multicastGroupTableMaxReplicasPerEntry: limit("multicast_group_table_max_replicas_per_entry"),
            },
          }),
    };
  }
}

function namedType(name: string | undefined): { name: string } | undefined {
  return name === undefined ? undefined : { name };
}

const PACKAGE_KEYS = ["name", "version", "organization", "contact", "url", "arch"];

function isHidden(object: { annotations: Parameters<typeof annotated>[0] }): boolean {
  return findAnnotation(object.annotations, "hidden") !== undefined;
}

/** Each name once; of two forms, the form with values from the control plane is kept. */
function uniqueActions(actions: readonly IrAction[]): IrAction[] {
  const byName = new Map<string, IrAction>();
  for (const action of actions)
    if (!action.hidden && !isHidden(action)) {
      const key = `${action.name} ${action.span?.file.path} ${action.span?.start}`;
      if (!byName.has(key)) byName.set(key, action);
    }
  return [...byName.values()];
}

function digestsOf(controls: readonly IrControl[]): StmtOf<"digest">[] {
  const byName = new Map<string, StmtOf<"digest">>();
  for (const control of controls)
    for (const body of [control.body, ...control.actions.map((action) => action.body)])
      forEachStmt(body, (stmt) => {
        if (stmt.kind === "digest" && !byName.has(stmt.name)) byName.set(stmt.name, stmt);
      });
  return [...byName.values()];
}

function controllerHeaders(unit: SourceUnit) {
  const found: { declaration: StructLikeDeclaration; type: StructLikeType }[] = [];
  for (const declaration of unit.declarations) {
    if (declaration.kind !== "header" || isHidden(declaration)) continue;
    if (findAnnotation(declaration.annotations, "controller_header") === undefined) continue;
    const fields = declaration.fields.flatMap((field) => {
      const type = field.type ?? field.typeExpression.type;
      return type === undefined ? [] : [{ name: field.name.name, type }];
    });
    found.push({ declaration, type: { kind: "header", declaration, args: [], fields } });
  }
  return found;
}

const MATCH_TYPES: Record<string, p4info.MatchField_MatchType> = {
  exact: p4info.MatchField_MatchType.EXACT,
  lpm: p4info.MatchField_MatchType.LPM,
  ternary: p4info.MatchField_MatchType.TERNARY,
  range: p4info.MatchField_MatchType.RANGE,
  optional: p4info.MatchField_MatchType.OPTIONAL,
};

function matchType(kind: string) {
  const standard = MATCH_TYPES[kind];
  return standard === undefined
    ? { case: "otherMatchType" as const, value: kind }
    : { case: "matchType" as const, value: standard };
}

function scopeOf(annotations: Parameters<typeof annotated>[0]): p4info.ActionRef_Scope {
  if (findAnnotation(annotations, "tableonly") !== undefined) return p4info.ActionRef_Scope.TABLE_ONLY;
  if (findAnnotation(annotations, "defaultonly") !== undefined) return p4info.ActionRef_Scope.DEFAULT_ONLY;
  return p4info.ActionRef_Scope.TABLE_AND_DEFAULT;
}
