/** The whole BMv2 JSON of a v1model program, members in p4c's order. */
import type { Diagnostics } from "../../../../base/index.js";
import { DiagnosticError } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { emitAction } from "../../emit/bmv2-actions.js";
import { emitArrays } from "../../emit/bmv2-arrays.js";
import { ExpressionEmitter } from "../../emit/bmv2-expressions.js";
import { emitDeparser, emitParser, emitValueSets } from "../../emit/bmv2-parser.js";
import { emitPipeline, newNumbering } from "../../emit/bmv2-pipeline.js";
import { Resources } from "../../emit/bmv2-resources.js";
import type { BlockKind, Emission } from "../../emit/emission.js";
import { Layout } from "../../emit/layout.js";
import type { IrAction, IrControl } from "../../lower/ir.js";
import { emitChecksums } from "./bmv2-checksums.js";
import { externPrimitives } from "./bmv2-externs.js";
import { fieldLists } from "./field-lists.js";
import type { V1model } from "./view.js";

/** Undefined when the program needs something that BMv2 cannot do; a diagnostic says what. */
export function emitBmv2(
  program: V1model,
  name: string,
  diagnostics: Diagnostics,
): bmv2.Bmv2Program | undefined {
  try {
    return build(program, name);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    for (const one of error.diagnostics) diagnostics.add(one);
    return undefined;
  }
}

function build(program: V1model, name: string): bmv2.Bmv2Program {
  const layout = new Layout(program);
  const expressions = new ExpressionEmitter(layout);
  const emission: Emission = { expressions, resources: new Resources(), externs: externPrimitives };
  for (const [index, places] of fieldLists(program)) {
    const elements = places.map((place): bmv2.Value => ({ type: "field", value: layout.field(place) }));
    emission.resources.defineFieldList(index, elements);
  }
  const parser = emitParser(emission, program.parser);
  const { actions, ids } = emitActions(emission, program);
  const numbering = newNumbering();
  const pipelines = [
    emitPipeline(expressions, program.ingress, "ingress", ids, numbering),
    emitPipeline(expressions, program.egress, "egress", ids, numbering),
  ];
  const deparser = emitDeparser(emission, program.deparser);
  const checksums = emitChecksums(emission, program.verify, program.compute);
  const arrays = emitArrays(expressions, program);
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
    parsers: [parser],
    parse_vsets: emitValueSets(program.parser),
    deparsers: [deparser],
    meter_arrays: arrays.meters,
    counter_arrays: arrays.counters,
    register_arrays: arrays.registers,
    calculations: emission.resources.calculations,
    learn_lists: emission.resources.learnLists,
    actions,
    pipelines,
    checksums,
    force_arith: [],
    extern_instances: [],
    field_aliases: fieldAliases(program),
    program: name,
    __meta__: { version: [2, 23], compiler: "p4loom" },
  };
}

/** Actions of both pipelines. Their order is p4c's, since it numbers the calculations inside them. */
function emitActions(emission: Emission, program: V1model) {
  const ids = new Map<IrAction, number>();
  const actions: bmv2.Bmv2Action[] = [];
  const convert = (control: IrControl, block: BlockKind): void => {
    for (const action of orderedActions(control)) {
      if (ids.has(action)) continue;
      ids.set(action, actions.length);
      actions.push(emitAction(emission, action, actions.length, block));
    }
  };
  const blocks: [IrControl, BlockKind][] = [
    [program.ingress, "ingress"],
    [program.egress, "egress"],
  ];
  blocks.sort(([a], [b]) => (a.span.file === b.span.file ? a.span.start - b.span.start : 0));
  for (const [control, block] of blocks) convert(control, block);
  return { actions, ids };
}

/** Declared actions in order of declaration, then the hidden ones in the order in which they were made. */
function orderedActions(control: IrControl): IrAction[] {
  const declared = control.actions.filter((action) => !action.hidden);
  const hidden = control.actions.filter((action) => action.hidden);
  const place = (action: IrAction): number =>
    action.span === undefined || action.span.file !== control.span.file ? -1 : action.span.start;
  declared.sort((a, b) => place(a) - place(b));
  return [...declared, ...hidden];
}

/** `@alias("...")` on fields of standard_metadata: the names under which simple_switch looks for them. */
function fieldAliases(program: V1model): bmv2.Bmv2Program["field_aliases"] {
  const { type } = program.standard;
  if (type.kind !== "struct") return [];
  return type.fields.flatMap((field) =>
    field.annotations.flatMap((annotation): [string, bmv2.FieldRef][] => {
      if (annotation.name !== "alias" || annotation.body.kind !== "unstructured") return [];
      const value = annotation.body.values?.[0];
      return value?.kind === "stringLiteral" ? [[value.value, ["standard_metadata", field.name]]] : [];
    }),
  );
}
