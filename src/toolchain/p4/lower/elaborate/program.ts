/** From the checked tree to the lowered program: evaluates `main` and elaborates its six blocks. */

import type { Diagnostics, SourceFile, Span } from "../../../../base/index.js";
import { fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  Argument,
  ControlDeclaration,
  Expression,
  InstanceDeclaration,
  Parameter,
  ParserDeclaration,
  SourceUnit,
} from "../../syntax/ast.js";
import { variable } from "../build.js";
import type { IrControl, IrParser, IrProgram, Stmt, Variable } from "../ir.js";
import { known } from "../ir.js";
import type { Env, Frame, Site } from "./context.js";
import { Context, irType } from "./context.js";
import { inlineControl } from "./controls.js";
import { InstanceScope } from "./instance-scope.js";
import { instantiate, makeControl, makeParser } from "./instances.js";
import { buildMainParser } from "./parsers.js";

/** Undefined when there is no `main`, or when it is of another architecture; both are reported. `file`: the program, without what it includes. */
export function elaborate(
  unit: SourceUnit,
  file: SourceFile,
  diagnostics: Diagnostics,
): IrProgram | undefined {
  let program: IrProgram | undefined;
  const context = new Context(unit, diagnostics);
  context.guard(() => {
    program = elaborateMain(context, file);
  });
  return program;
}

function elaborateMain(context: Context, file: SourceFile): IrProgram {
  const env = globalEnv(context);
  bindGlobals(context, env);
  const main = context.unit.declarations.find(
    (one): one is InstanceDeclaration => one.kind === "instance" && one.name.name === "main",
  );
  if (main === undefined) {
    const last = context.unit.declarations.findLast(({ span }) => span.file === file);
    const start = { file, start: 0, end: Math.min(1, file.text.length) };
    fail(CODES.noMain, last?.span ?? start, "the program has no main", "end it with V1Switch(...) main;");
  }
  checkVersion(context.unit);
  const blocks = blocksOf(main);
  const globals = context.instances;
  const storage = sharedStorage(env, blocks);
  context.standard = storage.standard;
  const parser = buildParser(env, blocks.parser, storage);
  const control = (block: Block<ControlDeclaration>, site: Site): IrControl =>
    buildControl(env, block, site, storage);
  return {
    ...storage,
    parser,
    verify: control(blocks.verify, "checksum"),
    ingress: control(blocks.ingress, "control"),
    egress: control(blocks.egress, "control"),
    compute: control(blocks.compute, "checksum"),
    deparser: control(blocks.deparser, "deparser"),
    locals: context.locals,
    names: context.names,
    globals,
    errors: context.errorNames,
    controlSpans: context.controlSpans,
    enums: userEnums(context.unit, blocks),
    annotations: main.annotations,
    mainSpan: main.name.span,
  };
}

/** Dates of the oldest and newest version of v1model.p4. */
const FIRST_VERSION = 20180101n;
const LAST_VERSION = 20200408n;

function checkVersion(unit: SourceUnit): void {
  for (const one of unit.declarations) {
    if (one.kind !== "constant" || one.name.name !== "__v1model_version") continue;
    const value = one.constant ?? one.initializer.constant;
    if (value?.kind === "integer" && (value.value < FIRST_VERSION || value.value > LAST_VERSION))
      fail(
        CODES.v1modelVersion,
        one.span,
        `there is no version ${value.value} of v1model`,
        `define V1MODEL_VERSION as ${FIRST_VERSION} or ${LAST_VERSION}`,
      );
  }
}

/** Enums from other files than the architecture's. */
function userEnums(unit: SourceUnit, blocks: Blocks): IrProgram["enums"] {
  const architecture = blocks.parser.declaration.span.file;
  const standard = unit.declarations.find((one) => one.kind === "package" && one.name.name === "V1Switch");
  return unit.declarations.flatMap((one) => {
    if (one.kind !== "enum" || one.underlying !== undefined) return [];
    if (one.span.file === standard?.span.file && one.span.file !== architecture) return [];
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
      context.guard(() => instantiate(env, declaration, ""));
  }
}

// ---------------------------------------------------------------- the architecture

interface Block<D> {
  declaration: D;
  params: readonly Parameter[];
  args: readonly (Argument | undefined)[];
  /** The prefix of the names inside: the control's own name (section 18.3.2). */
  name: string;
  span: Span;
}

interface Blocks {
  parser: Block<ParserDeclaration>;
  verify: Block<ControlDeclaration>;
  ingress: Block<ControlDeclaration>;
  egress: Block<ControlDeclaration>;
  compute: Block<ControlDeclaration>;
  deparser: Block<ControlDeclaration>;
}

/** The arguments of `V1Switch` in order: parser, verify, ingress, egress, compute, deparser. */
function blocksOf(main: InstanceDeclaration): Blocks {
  const call = known(main.resolved, main.span, "main was not resolved");
  const packageName = call.kind === "constructor" ? call.declaration.name.name : "";
  if (packageName !== "V1Switch")
    fail(
      CODES.otherArchitecture,
      main.span,
      `not supported yet: the architecture of ${packageName}`,
      "this compiler is for v1model's V1Switch",
    );
  const block = (index: number): Block<ParserDeclaration | ControlDeclaration> => {
    const argument = call.args[index];
    if (argument === undefined) fail(CODES.otherArchitecture, main.span, "V1Switch needs six arguments");
    return blockOf(argument.value);
  };
  const parser = block(0);
  const { declaration } = parser;
  if (declaration.kind !== "parser")
    fail(CODES.otherArchitecture, parser.span, "the first argument of V1Switch is a parser");
  const control = (index: number): Block<ControlDeclaration> => {
    const found = block(index);
    if (found.declaration.kind !== "control")
      fail(CODES.otherArchitecture, found.span, "this argument of V1Switch is a control");
    return { ...found, declaration: found.declaration };
  };
  return {
    parser: { ...parser, declaration },
    verify: control(1),
    ingress: control(2),
    egress: control(3),
    compute: control(4),
    deparser: control(5),
  };
}

/** An argument of the package: a constructor call. */
function blockOf(e: Expression): Block<ParserDeclaration | ControlDeclaration> {
  if (e.kind === "call" && e.resolved?.kind === "constructor") {
    const { declaration, params, args } = e.resolved;
    if (declaration.kind === "parser" || declaration.kind === "control")
      return { declaration, params, args, name: declaration.name.name, span: e.span };
  }
  return fail(CODES.otherArchitecture, e.span, "not supported yet: this argument of the package");
}

// ---------------------------------------------------------------- storage and blocks

type Storage = Pick<IrProgram, "headers" | "metadata" | "standard">;

/** One variable each for the packet's headers, the user's metadata and the standard metadata. */
function sharedStorage(env: Env, blocks: Blocks): Storage {
  const params = blocks.parser.declaration.params;
  const make = (index: number, role: Variable["role"]): Variable => {
    const param = params[index];
    if (param === undefined)
      fail(CODES.otherArchitecture, blocks.parser.span, "the parser needs four parameters");
    const type = irType(env, param.type, param.span);
    if (type.kind !== "struct") fail(CODES.headersNoStruct, param.span, "this parameter must be a struct");
    return { name: env.context.names.unique(param.name.name), type, role, span: param.span };
  };
  return { headers: make(1, "headers"), metadata: make(2, "metadata"), standard: make(3, "standard") };
}

/** Binds a block's parameters: by position in the parser, by type elsewhere. */
function bindBlock(scope: InstanceScope, params: readonly Parameter[], order: (Variable | "packet")[]): void {
  for (const [index, param] of params.entries()) {
    const target = order[index];
    if (target === undefined) continue;
    if (target === "packet") scope.bind(param, { kind: "packet" });
    else scope.bind(param, { kind: "value", expr: variable(target, param.name.span) });
  }
}

function buildParser(env: Env, block: Block<ParserDeclaration>, storage: Storage): IrParser {
  const instance = makeParser(env, block.declaration, block.params, block.args, block.name);
  const scope = new InstanceScope(instance.scope);
  bindBlock(scope, block.declaration.params, ["packet", storage.headers, storage.metadata, storage.standard]);
  const start = buildMainParser(env, block.declaration, instance, scope);
  return { name: block.name, span: block.declaration.name.span, start, valueSets: env.context.valueSets };
}

function buildControl(env: Env, block: Block<ControlDeclaration>, site: Site, storage: Storage): IrControl {
  const { context } = env;
  const built: IrControl = {
    name: block.name,
    span: block.declaration.name.span,
    tables: [],
    actions: [],
    called: [],
    instances: [],
    body: [],
  };
  context.pipeline = built;
  context.instances = built.instances;
  const inner: Env = { ...env, out: { list: built.body, state: undefined }, frame: { ...env.frame, site } };
  const instance = makeControl(inner, block.declaration, block.params, block.args, block.name);
  const scope = new InstanceScope(instance.scope);
  const order: (Variable | "packet")[] =
    site === "deparser" ? ["packet", storage.headers] : [storage.headers, storage.metadata, storage.standard];
  bindBlock(scope, block.declaration.params, order);
  const noCopies: Stmt[] = [];
  inlineControl(inner, instance, scope, noCopies, block.declaration.span);
  return built;
}
