/** A TNA program in the form that the switch runs: the lists of BMv2 JSON, and which of them a packet meets in which pipe. */
import { DiagnosticError, Diagnostics, defined, type SourceFile } from "../../../../../base/index.js";
import type { bmv2, P4Info, Program } from "../../../../program/index.js";
import type { Output } from "../../../emit/back-end.js";
import { emitAction } from "../../../emit/bmv2-actions.js";
import { emitArrays } from "../../../emit/bmv2-arrays.js";
import { emitDeparserWithStatements } from "../../../emit/bmv2-deparser.js";
import { ExpressionEmitter } from "../../../emit/bmv2-expressions.js";
import { emitParser, emitValueSets } from "../../../emit/bmv2-parser.js";
import { emitPipeline, newNumbering } from "../../../emit/bmv2-pipeline.js";
import { Resources } from "../../../emit/bmv2-resources.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import type { BlockKind, Emission } from "../../../emit/emission.js";
import { emitEntries } from "../../../emit/entries.js";
import { type Field, Layout } from "../../../emit/layout.js";
import { emitP4Info } from "../../../emit/p4info.js";
import { standardInstances } from "../../../emit/p4info-instances.js";
import type { Architecture } from "../../../lower/architecture.js";
import { BMV2_PASSES } from "../../../lower/bmv2-passes.js";
import { elaborate } from "../../../lower/elaborate/program.js";
import type {
  AggregateType,
  Expr,
  IrAction,
  IrBlock,
  IrControl,
  IrParser,
  IrPipe,
  IrProgram,
  IrTable,
} from "../../../lower/ir.js";
import { instancesOf, parsersOf } from "../../../lower/ir.js";
import { applyPasses } from "../../../lower/passes.js";
import { rootOf } from "../../../lower/places.js";
import { effectsOf, forEachStmt, operandsOf, statesOfParser } from "../../../lower/walk.js";
import type { SourceUnit } from "../../../syntax/ast.js";
import { lowerCalls } from "./calls.js";
import { splitDeparser } from "./deparsers.js";
import { flagExits } from "./exits.js";
import { packedFields, paddingFields } from "./flexible.js";
import { nameImplementations } from "./implementations.js";
import { plainState } from "./instances.js";
import { Lowering } from "./lowering.js";
import { Notes } from "./notes.js";
import { phvPragmas } from "./phv-pragmas.js";
import { pipeInfo } from "./pipes.js";
import { portMetadataRegisters } from "./port-metadata.js";
import { tnaPrimitives } from "./primitives.js";
import { pruneRegister } from "./pruning.js";
import { rejectWithError } from "./rejects.js";
import { readLengthsAhead } from "./varbit-lengths.js";

/**
 * Lowers the checked tree once more: the lowered form of the compiler keeps the structure of the program, and this one does not. What the
 * switch does not do as the hardware does is a warning. `hardware`: what a stateful ALU computes stays one statement, for `p4loom fit`.
 */
export function tnaProgram(
  unit: SourceUnit,
  file: SourceFile,
  architecture: Architecture,
  diagnostics: Diagnostics,
  form: "switch" | "hardware" = "switch",
): Output | undefined {
  // Blocks need not stay together in the switch, and a lookahead is checked as a whole; what a block is annotated with is of its tables.
  const { keepsBlocks, keepsUnassigned, ...shape } = architecture;
  const blocks = form === "hardware" && keepsBlocks === true ? { keepsBlocks } : {};
  const overlaps = form === "hardware" ? ({ sharesOverlaps: true } as const) : {};
  // The chip's compiler copies nothing into the storage of an `out` parameter: such a copy would be an instruction.
  const keeps = form === "switch" && keepsUnassigned === true ? { keepsUnassigned } : {};
  const program = elaborate(
    unit,
    file,
    { ...shape, ...blocks, ...overlaps, ...keeps, looksAheadWhole: true },
    diagnostics,
  );
  if (program === undefined || diagnostics.hasErrors) return undefined;
  applyPasses(program, architecture.passes, diagnostics);
  const name = architecture.name === "t2na" ? "t2na" : "tna";
  try {
    // What the switch does not model is nothing to know for a fit.
    const notes = new Notes(form === "switch" ? diagnostics : new Diagnostics());
    if (form === "hardware") nameImplementations(program);
    const lowering = new Lowering(program, name, plainState(program, notes), notes, form);
    if (form === "switch") lowering.registers.inline();
    else lowering.registers.keep();
    const portMetadata = form === "switch" ? portMetadataRegisters(program) : new Map<IrParser, string>();
    if (form === "switch") pruneRegister(program);
    splitDeparser(lowering);
    lowerCalls(lowering);
    rejectWithError(program);
    if (form === "hardware" && name === "t2na") flagExits(program);
    if (form === "switch") readLengthsAhead(program);
    const p4info = emitP4Info(program, unit, standardInstances(program), diagnostics);
    if (p4info === undefined) return undefined;
    applyPasses(program, BMV2_PASSES, diagnostics);
    if (diagnostics.hasErrors) return undefined;
    const pragmas = form === "hardware" ? phvPragmas(unit) : [];
    return outputOf(program, lowering, { path: file.path, portMetadata, p4info, pragmas });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    for (const one of error.diagnostics) diagnostics.add(one);
    return undefined;
  }
}

interface Made {
  readonly path: string;
  readonly portMetadata: ReadonlyMap<IrParser, string>;
  readonly p4info: P4Info;
  readonly pragmas: bmv2.PhvPragma[];
}

function outputOf(program: IrProgram, lowering: Lowering, parts: Made): Output {
  const made: Program = { bmv2: emit(program, lowering, parts), p4info: parts.p4info };
  return { program: made, entries: emitEntries(program) };
}

function emit(
  program: IrProgram,
  lowering: Lowering,
  { path, portMetadata, pragmas }: Made,
): bmv2.Bmv2Program {
  const paddings = new Set<Field>();
  const arrange = (type: AggregateType, fields: readonly Field[]) => {
    for (const one of paddingFields(type, fields)) paddings.add(one);
    return packedFields(type, fields);
  };
  const layout = new Layout({ padsHeaders: true, ...(lowering.form === "hardware" && { arrange }) });
  const expressions = new ExpressionEmitter(layout);
  const emission: Emission = {
    expressions,
    resources: new Resources(),
    externs: tnaPrimitives,
    namesUnits: lowering.form === "hardware",
  };
  const parts = new Parts(emission, portMetadata, lowering.form);
  const pipes = program.pipes.map((pipe) => parts.pipe(pipe));
  for (const pipeline of parts.pipelines)
    for (const table of pipeline.tables) {
      const entry = [...lowering.registers.entries].find(
        ([one]) => (one as IrTable).name === table.name,
      )?.[1];
      if (entry !== undefined) table.entry_target = layout.field(entry);
    }
  const arrays = emitArrays(expressions, program);
  for (const register of arrays.registers) {
    const initial = instancesOf(program).find(({ name }) => name === register.name)?.args[1];
    const words = lowering.state.words.get(register.name);
    if (words !== undefined) register.words = words;
    if (initial !== undefined) register.initial = `0x${constantBits(initial).toString(16)}`;
  }
  const infos = program.pipes.map((pipe, i) => pipeInfo(layout, pipe, defined(pipes[i])));
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
    enums: [],
    parsers: parts.parsers,
    parse_vsets: [...new Set(parsersOf(program))].flatMap(emitValueSets),
    deparsers: parts.deparsers,
    meter_arrays: arrays.meters,
    counter_arrays: arrays.counters,
    register_arrays: arrays.registers,
    calculations: emission.resources.calculations,
    learn_lists: emission.resources.learnLists,
    actions: parts.actions,
    pipelines: parts.pipelines,
    checksums: [],
    force_arith: [],
    extern_instances: [],
    field_aliases: [],
    program: path,
    architecture: {
      name: lowering.architecture,
      pipes: infos,
      ...(pragmas.length > 0 ? { pragmas } : {}),
      ...(paddings.size > 0 ? { paddings: namesByType(layout.headerTypes, paddings) } : {}),
      ...(lowering.registers.methods.size > 0 ? { methods: [...lowering.registers.methods.values()] } : {}),
    },
    __meta__: { version: [2, 23], compiler: "p4loom" },
  };
}

/** Names of fields by type of header. */
function namesByType(
  types: readonly bmv2.HeaderType[],
  fields: ReadonlySet<Field>,
): Record<string, string[]> {
  const named = types.map(({ name, fields: all }): [string, string[]] => [
    name,
    all.filter((one) => fields.has(one)).map(([field]) => field),
  ]);
  return Object.fromEntries(named.filter(([, names]) => names.length > 0));
}

/** The lists of the program, filled pipe by pipe. */
class Parts {
  readonly parsers: bmv2.Bmv2Parser[] = [];
  readonly pipelines: bmv2.Pipeline[] = [];
  readonly deparsers: bmv2.Bmv2Deparser[] = [];
  readonly actions: bmv2.Bmv2Action[] = [];
  readonly #ids = new Map<IrAction, number>();
  readonly #numbering = newNumbering();

  constructor(
    readonly emission: Emission,
    readonly portMetadata: ReadonlyMap<IrParser, string>,
    readonly form: "switch" | "hardware",
  ) {}

  pipe(pipe: IrPipe): Omit<bmv2.PipeInfo, "name"> {
    const gresses = { ingress: this.#gress(pipe, "ingress"), egress: this.#gress(pipe, "egress") };
    const ghost = pipe.blocks.find(({ role }) => role === "ghost");
    if (ghost === undefined) return gresses;
    return { ...gresses, ghost: { pipeline: this.#control(pipe, "ghost", ghost), fields: {} } };
  }

  #gress(pipe: IrPipe, gress: "ingress" | "egress"): bmv2.GressInfo {
    const of = (role: string): IrBlock[] => pipe.blocks.filter((block) => block.role === role);
    const parsers = of(`${gress}Parser`).flatMap((block) => (block.kind === "parser" ? [block.body] : []));
    const control = defined(of(gress)[0]);
    const deparser = defined(of(`${gress}Deparser`)[0]);
    const type = `${gress}_intrinsic_metadata_t`;
    const reads = parsers.some((parser) =>
      statesOfParser(parser).some(({ body }) => {
        let found = false;
        forEachStmt(body, (stmt) => {
          if (stmt.kind === "extract" && stmt.header.type.kind === "header" && stmt.header.type.name === type)
            found = true;
          if (stmt.kind === "advance") found ||= gress === "ingress";
        });
        return found;
      }),
    );
    const numbers = parsers.map((parser) => {
      const id = this.parsers.length;
      this.parsers.push(emitParser(this.emission, parser, `${pipe.name}.${parser.name}`, id));
      return id;
    });
    const pipeline = this.#control(pipe, gress, control);
    this.deparsers.push(
      emitDeparserWithStatements(this.emission, deparser, {
        name: `${pipe.name}.${gress}`,
        id: this.deparsers.length,
      }),
    );
    const portMetadata = parsers.map((parser) => this.portMetadata.get(parser));
    return {
      parsers: numbers,
      ...(portMetadata.some((one) => one !== undefined) ? { portMetadata } : {}),
      pipeline,
      deparser: this.deparsers.length - 1,
      skipsIntrinsic: !reads,
      seesErrors: readsError(pipe, gress, control),
      fields: {},
    };
  }

  #control(pipe: IrPipe, role: "ingress" | "egress" | "ghost", block: IrBlock): number {
    // The ghost thread has the tables of the ingress.
    const gress: BlockKind = role === "ghost" ? "ingress" : role;
    if (block.kind === "parser") throw new Error("a parser as a control");
    const control: IrControl = block.body;
    for (const action of control.actions) {
      if (this.#ids.has(action)) continue;
      this.#ids.set(action, this.actions.length);
      this.actions.push(emitAction(this.emission, action, this.actions.length, gress));
    }
    const pipeline = emitPipeline(
      this.emission.expressions,
      control,
      `${pipe.name}.${role}`,
      this.#ids,
      this.#numbering,
      "default",
    );
    // The chip keeps the stated size, or its default, also of a table whose entries are constant.
    if (this.form === "hardware")
      for (const { name, size } of control.tables) {
        const made = pipeline.tables.find((table) => table.name === name);
        if (made !== undefined && size !== undefined) made.max_size = size;
      }
    this.pipelines.push(pipeline);
    return this.pipelines.length - 1;
  }
}

/** Whether a control, or the deparser after it, reads the errors of the parser. */
function readsError(pipe: IrPipe, gress: string, block: IrBlock): boolean {
  const home = pipe.storage.get(`${gress}.parser`);
  if (home === undefined || block.kind === "parser") return false;
  let found = false;
  const visit = (expr: Expr): void => {
    if (expr.kind === "field" && expr.name === "parser_err" && rootOf(expr) === home) found = true;
    for (const operand of operandsOf(expr)) visit(operand);
  };
  const bodies = [block.body.body, ...block.body.actions.map(({ body }) => body)];
  for (const body of bodies)
    forEachStmt(body, (stmt) => {
      for (const expr of effectsOf(stmt).reads) visit(expr);
    });
  for (const { keys } of block.body.tables) for (const { expression } of keys) visit(expression);
  return found;
}
