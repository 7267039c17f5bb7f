/** From the checked tree to the lowered program: evaluates `main` and elaborates the blocks of its pipes. */

import type { Diagnostics, SourceFile } from "../../../../base/index.js";
import { defined, fail, given } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  ControlDeclaration,
  InstanceDeclaration,
  Parameter,
  ParserDeclaration,
  SourceUnit,
} from "../../syntax/ast.js";
import type { Architecture, BlockShape, ParameterShape } from "../architecture.js";
import { variable } from "../build.js";
import type { IrBlock, IrControl, IrParser, IrPipe, IrProgram, Variable } from "../ir.js";
import { Names } from "../names.js";
import type { Env, Frame } from "./context.js";
import { Context, irType } from "./context.js";
import { inlineControl } from "./controls.js";
import { InstanceScope } from "./instance-scope.js";
import { instantiate, makeControl, makeParser, typeScope } from "./instances.js";
import { lowerMethods } from "./methods.js";
import { type Block, type PipePlan, pipesOf } from "./packages.js";
import { buildMainParser } from "./parsers.js";

/** Undefined when there is no `main`, or when it is of another architecture; both are reported. `file`: the program, without what it includes. */
export function elaborate(
  unit: SourceUnit,
  file: SourceFile,
  architecture: Architecture,
  diagnostics: Diagnostics,
): IrProgram | undefined {
  let program: IrProgram | undefined;
  const context = new Context(unit, architecture, diagnostics);
  context.guard(() => {
    program = elaborateMain(context, file);
  });
  return program;
}

function elaborateMain(context: Context, file: SourceFile): IrProgram {
  const env = globalEnv(context);
  bindGlobals(context, env);
  const { unit, architecture } = context;
  const main = unit.declarations.find(
    (one): one is InstanceDeclaration => one.kind === "instance" && one.name.name === "main",
  );
  if (main === undefined) {
    const last = unit.declarations.findLast(({ span }) => span.file === file);
    const start = { file, start: 0, end: Math.min(1, file.text.length) };
    const end = architecture.packages[0]?.name;
    fail(CODES.noMain, last?.span ?? start, "the program has no main", `end it with ${end}(...) main;`);
  }
  architecture.checkUnit?.(unit);
  const plans = pipesOf(main, architecture);
  const globals = context.instances;
  const pipes = plans.map((plan) => buildPipe(env, plan));
  return {
    architecture: architecture.name,
    pipes,
    locals: context.locals,
    names: context.names,
    globals,
    errors: context.errorNames,
    controlSpans: context.controlSpans,
    enums: userEnums(context, plans),
    annotations: main.annotations,
    mainSpan: main.name.span,
  };
}

/** Enums from other files than the architecture's. */
function userEnums({ unit, architecture }: Context, plans: readonly PipePlan[]): IrProgram["enums"] {
  const own = plans[0]?.blocks[0]?.declaration.span.file;
  const names = architecture.packages.map(({ name }) => name);
  const standard = unit.declarations.find((one) => one.kind === "package" && names.includes(one.name.name));
  return unit.declarations.flatMap((one) => {
    if (one.kind !== "enum" || one.underlying !== undefined) return [];
    if (one.span.file === standard?.span.file && one.span.file !== own) return [];
    return [{ name: one.name.name, members: one.members.map((member) => member.name.name) }];
  });
}

function globalEnv(context: Context): Env {
  const frame: Frame = {
    site: "control",
    end: { name: "program" },
    result: undefined,
    breakTo: undefined,
    continueTo: undefined,
    copyOut: [],
    caller: undefined,
  };
  return { context, scope: context.globalScope, out: { list: [], state: undefined }, frame, prefix: "" };
}

function bindGlobals(context: Context, env: Env): void {
  for (const declaration of context.unit.declarations) {
    if (declaration.kind === "action")
      context.globalScope.bind(declaration, {
        kind: "action",
        declaration,
        scope: context.globalScope,
        prefix: "",
      });
    else if (declaration.kind === "instance" && declaration.type?.kind === "extern")
      context.guard(() => {
        instantiate(env, declaration, "");
        lowerMethods(env, declaration);
      });
  }
}

// ---------------------------------------------------------------- pipes and blocks

function buildPipe(env: Env, plan: PipePlan): IrPipe {
  const storage = new Map<string, Variable>();
  env.context.storage = storage;
  for (const block of plan.blocks) reserve(env, block, storage);
  const { name, parameter, annotations, span } = plan;
  const blocks = plan.blocks.map((block) => buildBlock(env, block));
  return { name, parameter, annotations, span, storage, blocks };
}

/** Makes the variables behind the parameters of a block that no earlier block of the pipe has. */
function reserve(env: Env, block: Block, storage: Map<string, Variable>): void {
  const { params } = block.declaration;
  const shapes = shapesOf(params, block.shape);
  const scope = typeScope(env, block.declaration, block.made);
  for (const shape of block.shape.params)
    if (shape.isStruct && !shapes.includes(shape))
      fail(
        CODES.otherArchitecture,
        block.span,
        `the ${block.shape.kind} needs ${numberWord(block.shape.params.length)} parameters`,
      );
  for (const [index, param] of params.entries()) {
    const shape = shapes[index];
    if (shape === undefined || shape.storage === "packet") continue;
    const same = storage.get(shape.storage);
    if (same !== undefined) {
      if (param.annotations.length > 0)
        same.annotations = [...(same.annotations ?? []), ...param.annotations];
      continue;
    }
    const type = irType({ ...env, scope }, param.type, param.span);
    if (shape.isStruct && type.kind !== "struct")
      fail(CODES.headersNoStruct, param.span, "this parameter must be a struct");
    const name = env.context.names.unique(param.name.name);
    const { annotations, span } = param;
    storage.set(shape.storage, { name, type, role: "block", span, annotations });
  }
}

function numberWord(count: number): string {
  return ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"][count] ?? String(count);
}

/** What each parameter stands for: by its type where the architecture declares that, else by its position. */
function shapesOf(
  params: readonly Parameter[],
  { params: shapes }: BlockShape,
): (ParameterShape | undefined)[] {
  return params.map((param, index) => {
    const { type } = param;
    const name = type?.kind === "struct" || type?.kind === "header" ? type.declaration.name.name : undefined;
    return shapes.find((shape) => shape.type !== undefined && shape.type === name) ?? shapes[index];
  });
}

function bindBlock(env: Env, scope: InstanceScope, { declaration, shape }: Block): void {
  for (const [index, one] of shapesOf(declaration.params, shape).entries()) {
    const param = declaration.params[index];
    if (one === undefined || param === undefined) continue;
    const home = env.context.storage.get(one.storage);
    if (home !== undefined) scope.bind(param, { kind: "value", expr: variable(home, param.name.span) });
    else if (one.storage === "packet") scope.bind(param, { kind: "packet" });
  }
}

function buildBlock(env: Env, block: Block): IrBlock {
  const { shape, declaration } = block;
  const { role, kind } = shape;
  const types = new Map(
    block.made.typeArgs.map((type, index) => [defined(declaration.typeParams[index]), type]),
  );
  const place = { role, types, ...given({ slot: block.slot }) };
  if (kind === "parser" && declaration.kind === "parser")
    return { kind, ...place, body: buildParser(env, { ...block, declaration }) };
  if (kind !== "parser" && declaration.kind === "control")
    return { kind, ...place, body: buildControl(env, { ...block, declaration }, kind) };
  throw new Error(`internal: ${role} is no ${kind}`);
}

function buildParser(env: Env, block: Block & { declaration: ParserDeclaration }): IrParser {
  const { context } = env;
  const { declaration, name } = block;
  const instances: IrParser["instances"] = [];
  context.instances = instances;
  context.valueSets = [];
  context.stateNames = new Names();
  const instance = makeParser(env, declaration, block.made, name);
  const scope = new InstanceScope(instance.scope);
  bindBlock(env, scope, block);
  const start = buildMainParser(env, declaration, instance, scope);
  const { annotations } = declaration;
  return { name, annotations, span: declaration.name.span, start, valueSets: context.valueSets, instances };
}

function buildControl(
  env: Env,
  block: Block & { declaration: ControlDeclaration },
  site: "control" | "checksum" | "deparser",
): IrControl {
  const { context } = env;
  const { declaration, name } = block;
  const built: IrControl = {
    name,
    annotations: declaration.annotations,
    span: declaration.name.span,
    tables: [],
    actions: [],
    called: [],
    instances: [],
    body: [],
  };
  context.pipeline = built;
  context.instances = built.instances;
  const inner: Env = { ...env, out: { list: built.body, state: undefined }, frame: { ...env.frame, site } };
  const instance = makeControl(inner, declaration, block.made, name);
  const scope = new InstanceScope(instance.scope);
  bindBlock(env, scope, block);
  inlineControl(inner, instance, scope, { copyOut: [], span: declaration.span, annotations: [] });
  // p4c removes instances of controls that nothing applies, with all that they declare (frontend, `RemoveUnusedDeclarations`).
  built.instances = built.instances.filter((one) => {
    const owner = context.owners.get(one);
    return owner === undefined || owner.applied !== undefined;
  });
  return built;
}
