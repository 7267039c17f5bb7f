/** The package that `main` instantiates: which parser or control has which role in which pipe. */

import { defined, fail, given, type Span } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  Annotation,
  ControlDeclaration,
  Expression,
  InstanceDeclaration,
  Parameter,
  ParserDeclaration,
} from "../../syntax/ast.js";
import type { BoundArguments, ResolvedCall } from "../../types/index.js";
import type { Architecture, BlockShape, PackageShape } from "../architecture.js";
import { type BlockSlot, known } from "../ir.js";
import { nameAnnotation } from "../ir-types.js";
import type { Construction } from "./instances.js";

/** A parser or control in a role, with the arguments of its constructor. */
export interface Block {
  readonly shape: BlockShape;
  readonly declaration: ParserDeclaration | ControlDeclaration;
  readonly made: Construction;
  /** The prefix of the names inside: the control's own name (section 18.3.2). */
  readonly name: string;
  readonly span: Span;
  readonly slot?: BlockSlot;
}

export interface PipePlan {
  readonly name: string;
  readonly parameter: string;
  readonly annotations: readonly Annotation[];
  readonly span: Span;
  readonly blocks: Block[];
}

/** An instance of a package: the declaration, or an argument that makes it. */
interface Instance {
  /** What it is an argument for; `main` for the outermost. */
  readonly parameter: string;
  readonly name: string;
  readonly annotations: readonly Annotation[];
  readonly span: Span;
  readonly call: ResolvedCall;
}

/** The pipes of the package of `main`, in the order of the arguments. */
export function pipesOf(main: InstanceDeclaration, architecture: Architecture): PipePlan[] {
  const plans: PipePlan[] = [];
  const call = known(main.resolved, main.span, "main was not resolved");
  const { annotations, span } = main;
  const { name } = main.name;
  visit({ parameter: name, name, annotations, span, call }, undefined, architecture, plans);
  return plans;
}

function visit(
  instance: Instance,
  pipe: PipePlan | undefined,
  architecture: Architecture,
  plans: PipePlan[],
): void {
  const shape = shapeOf(instance, architecture);
  const { parameter, name, annotations, span } = instance;
  const inside: PipePlan | undefined = shape.isPipe
    ? { name, parameter, annotations, span, blocks: [] }
    : pipe;
  const group = nameAnnotation(annotations) ?? name;
  if (shape.isPipe) plans.push(defined(inside));
  const { params, args } = boundArguments(instance);
  for (const [index, param] of params.entries()) {
    const value = args[index]?.value;
    const wanted = shape.arguments[Math.min(index, shape.arguments.length - 1)];
    if (value === undefined || wanted === undefined) {
      if (param.annotations.some((one) => one.name === "optional") || param.defaultValue !== undefined)
        continue;
      fail(CODES.otherArchitecture, span, `${shape.name} needs an argument for ${param.name.name}`);
    }
    if (wanted === "extern") continue;
    const inner = packageOf(value, param);
    if (inner !== undefined) visit(inner, inside, architecture, plans);
    else if (wanted === "package") notSupported(value);
    else {
      const slot = shape.isPipe ? undefined : { group, parameter: param.name.name };
      defined(inside).blocks.push({ ...blockOf(value, wanted, shape.name), ...given({ slot }) });
    }
  }
}

function shapeOf(instance: Instance, architecture: Architecture): PackageShape {
  const { call } = instance;
  const name = call.kind === "constructor" ? call.declaration.name.name : "";
  const shape = architecture.packages.find((one) => one.name === name);
  if (shape !== undefined) return shape;
  const own = architecture.packages.map((one) => one.name).join(", ");
  return fail(
    CODES.otherArchitecture,
    instance.span,
    `not supported yet: the architecture of ${name}`,
    `${architecture.name} has ${own}`,
  );
}

function boundArguments({ call }: Instance): BoundArguments {
  return call;
}

/** The package that an argument names or makes; undefined for parsers and controls. */
function packageOf(e: Expression, param: Parameter): Instance | undefined {
  if (e.kind === "path" && e.declaration?.kind === "instance") {
    const { name, annotations, span, resolved } = e.declaration;
    const call = known(resolved, span, "an instance was not resolved");
    if (call.kind !== "constructor" || call.declaration.kind !== "package") return undefined;
    return { parameter: param.name.name, name: name.name, annotations, span, call };
  }
  if (e.kind !== "call" || e.resolved?.kind !== "constructor" || e.resolved.declaration.kind !== "package")
    return undefined;
  const { name } = param.name;
  return { parameter: name, name, annotations: [], span: e.span, call: e.resolved };
}

/** An argument of the package: a constructor call of a parser or control. */
function blockOf(e: Expression, shape: BlockShape, packageName: string): Block {
  if (e.kind !== "call" || e.resolved?.kind !== "constructor") return notSupported(e);
  const { declaration } = e.resolved;
  if (declaration.kind !== "parser" && declaration.kind !== "control") return notSupported(e);
  const wanted = shape.kind === "parser" ? "parser" : "control";
  if (declaration.kind !== wanted)
    fail(CODES.otherArchitecture, e.span, `${shape.role} of ${packageName} is a ${wanted}`);
  return { shape, declaration, made: e.resolved, name: declaration.name.name, span: e.span };
}

function notSupported(e: Expression): never {
  return fail(CODES.otherArchitecture, e.span, "not supported yet: this argument of the package");
}
