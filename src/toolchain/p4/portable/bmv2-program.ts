/** The BMv2 JSON of a portable program: parsers, pipelines and deparsers under the names by which the target looks for them. */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { emitAction } from "../emit/bmv2-actions.js";
import { emitArrays } from "../emit/bmv2-arrays.js";
import { emitDeparserWithStatements } from "../emit/bmv2-deparser.js";
import { ExpressionEmitter } from "../emit/bmv2-expressions.js";
import { emitParser, emitValueSets } from "../emit/bmv2-parser.js";
import { emitPipeline, newNumbering } from "../emit/bmv2-pipeline.js";
import { Resources } from "../emit/bmv2-resources.js";
import { constantBits } from "../emit/bmv2-tables.js";
import type { BlockKind, Emission } from "../emit/emission.js";
import { Layout } from "../emit/layout.js";
import { field, variable } from "../lower/build.js";
import {
  type Expr,
  type IrAction,
  type IrBlock,
  type IrPipe,
  type IrProgram,
  instancesOf,
  type Variable,
} from "../lower/ir.js";
import { externInstances } from "./extern-instances.js";
import { portablePrimitives } from "./primitives.js";

/** What a target calls the parts of the program. */
export interface PortableTarget {
  /** By the role of the block. */
  readonly parsers: Readonly<Record<string, string>>;
  readonly pipelines: Readonly<Record<string, string>>;
  readonly deparsers: Readonly<Record<string, string>>;
  /** Storage that the target reads and writes, with its instance in the JSON. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Storage that a packet takes along on a path, with the name of its field list. */
  readonly carried: Readonly<Record<string, string>>;
}

/** Fields that the switch finds by the name of their list; other targets do not read it. */
export interface NamedFields {
  readonly name: string;
  readonly fields: readonly Expr[];
}

export function emitPortable(
  program: IrProgram,
  path: string,
  names: PortableTarget,
  lists: readonly NamedFields[] = [],
): bmv2.Bmv2Program {
  const pipe = defined(program.pipes[0]);
  const instances = new Map(
    Object.entries(names.metadata).flatMap(([storage, name]): [Variable, string][] => {
      const home = pipe.storage.get(storage);
      return home === undefined ? [] : [[home, name]];
    }),
  );
  const layout = new Layout({ padsHeaders: true, instances });
  const expressions = new ExpressionEmitter(layout);
  const emission: Emission = { expressions, resources: new Resources(), externs: portablePrimitives };
  const parts = emitBlocks(emission, pipe, names);
  const arrays = emitArrays(expressions, program);
  for (const register of arrays.registers) {
    const initial = instancesOf(program).find(({ name }) => name === register.name)?.args[1];
    if (initial !== undefined) register.initial = `0x${constantBits(initial).toString(16)}`;
  }
  for (const [storage, name] of Object.entries(names.carried)) {
    const home = pipe.storage.get(storage);
    const elements = home === undefined ? [] : scalarsOf(variable(home)).map((one) => layout.field(one));
    if (elements.length > 0)
      emission.resources.newFieldList(
        name,
        elements.map((value): bmv2.Value => ({ type: "field", value })),
        undefined,
      );
  }
  const { fieldLists } = emission.resources;
  for (const { name, fields } of lists) {
    const elements = fields.map((one): bmv2.Value => ({ type: "field", value: layout.field(one) }));
    fieldLists.push({ id: fieldLists.length + 1, name, elements });
  }
  layout.finish();
  return {
    header_types: layout.headerTypes,
    headers: layout.headers,
    header_stacks: layout.stacks,
    header_union_types: layout.unionTypes,
    header_unions: layout.unions,
    header_union_stacks: layout.unionStacks,
    field_lists: emission.resources.fieldLists,
    errors: program.errors.map((error, code): [string, number] => [error, code]),
    enums: program.enums.map((one) => ({
      name: one.name,
      entries: one.members.map((member, value): [string, number] => [member, value]),
    })),
    parsers: parts.parsers,
    parse_vsets: parts.valueSets,
    deparsers: parts.deparsers,
    // Counters stand in both lists, other meters than those of tables in the second one only.
    meter_arrays: arrays.meters.filter(({ is_direct }) => is_direct),
    counter_arrays: arrays.counters,
    register_arrays: arrays.registers,
    calculations: emission.resources.calculations,
    learn_lists: emission.resources.learnLists,
    actions: parts.actions,
    pipelines: parts.pipelines,
    checksums: [],
    force_arith: [],
    extern_instances: externInstances(program),
    field_aliases: [],
    program: path,
    __meta__: { version: [2, 23], compiler: "p4loom" },
  };
}

/** The numbers in a value; not those in headers, which no path carries. */
function scalarsOf(value: Expr): Expr[] {
  const { type } = value;
  if (type.kind === "struct") return type.fields.flatMap((one) => scalarsOf(field(value, one.name)));
  return type.kind === "bits" || type.kind === "bool" || type.kind === "enum" || type.kind === "error"
    ? [value]
    : [];
}

function emitBlocks(emission: Emission, pipe: IrPipe, names: PortableTarget) {
  const parsers: bmv2.Bmv2Parser[] = [];
  const pipelines: bmv2.Pipeline[] = [];
  const deparsers: bmv2.Bmv2Deparser[] = [];
  const valueSets: bmv2.ParseValueSet[] = [];
  const actions: bmv2.Bmv2Action[] = [];
  const ids = new Map<IrAction, number>();
  const numbering = newNumbering();
  const blocks = (of: Readonly<Record<string, string>>): [IrBlock, string][] =>
    Object.entries(of).map(([role, name]) => [defined(pipe.blocks.find((one) => one.role === role)), name]);
  for (const [{ kind, body }, name] of blocks(names.parsers)) {
    if (kind !== "parser") continue;
    parsers.push(emitParser(emission, body, name, parsers.length));
    for (const set of emitValueSets(body)) valueSets.push({ ...set, id: valueSets.length });
  }
  for (const [block, name] of blocks(names.pipelines)) {
    if (block.kind === "parser") continue;
    const where: BlockKind = name === "egress" ? "egress" : "ingress";
    for (const action of block.body.actions) {
      if (ids.has(action)) continue;
      ids.set(action, actions.length);
      actions.push(emitAction(emission, action, actions.length, where));
    }
    pipelines.push(emitPipeline(emission.expressions, block.body, name, ids, numbering));
  }
  for (const [block, name] of blocks(names.deparsers))
    deparsers.push(emitDeparserWithStatements(emission, block, { name, id: deparsers.length }));
  return { parsers, pipelines, deparsers, valueSets, actions };
}
