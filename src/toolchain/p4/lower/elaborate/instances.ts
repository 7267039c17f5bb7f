/** Instances: counters, registers, action profiles, controls, parsers; each is created once, when the program is loaded. */

import { DiagnosticError, fail, type Span } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  Annotation,
  Argument,
  ControlDeclaration,
  Expression,
  InstanceDeclaration,
  Parameter,
  ParserDeclaration,
} from "../../syntax/ast.js";
import type { ResolvedCall, Type } from "../../types/index.js";
import { instanceExpr } from "../build.js";
import { fold } from "../fold.js";
import type { Expr, ExternInstance } from "../ir.js";
import { known, ofKind } from "../ir.js";
import { nameAnnotation } from "../ir-types.js";
import { differingParameters } from "./applications.js";
import type { Env } from "./context.js";
import { bindingOf, irType, resolveType } from "./context.js";
import { expressionAs } from "./expressions.js";
import type { Binding, ControlInstance, ParserInstance } from "./instance-scope.js";
import { InstanceScope } from "./instance-scope.js";

/** The name for the control plane: the instance's prefix and the name, or what `@name` says (section 18.3.2). */
export function fullName(prefix: string, name: string, annotations: readonly Annotation[]): string {
  const own = nameAnnotation(annotations) ?? name;
  if (own.startsWith(".")) return own.slice(1);
  return prefix === "" ? own : `${prefix}.${own}`;
}

/** Makes the instance that a declaration asks for and binds its name. */
export function instantiate(env: Env, declaration: InstanceDeclaration, prefix: string): void {
  const type = declaration.type ?? declaration.typeExpression.type;
  const { abstractTypes } = env.context.architecture;
  const typeName = type?.kind === "extern" ? type.declaration.name.name : "";
  if (declaration.body !== undefined && !abstractTypes?.has(typeName))
    fail(
      CODES.instanceNotSupported,
      declaration.span,
      "not supported yet: an instance with abstract methods",
    );
  const name = fullName(prefix, declaration.name.name, declaration.annotations);
  const call = known(declaration.resolved, declaration.span, "an instance was not resolved");
  const binding = makeInstance(env, type, call, name, declaration);
  env.scope.bind(declaration, binding);
}

/** What creates an instance: a declaration, or a call among arguments. */
type Creation =
  | InstanceDeclaration
  | { kind: "argument"; annotations: readonly Annotation[]; name?: undefined; span: Span };

function makeInstance(
  env: Env,
  type: Type | undefined,
  call: ResolvedCall,
  name: string,
  creation: Creation,
): Binding {
  switch (type?.kind) {
    case "extern":
      return { kind: "extern", instance: makeExtern(env, type, call, name, creation) };
    case "control": {
      noteControl(env, name, creation.name?.span ?? creation.span);
      const { architecture, applications, instances, owners } = env.context;
      const outside = instances.length;
      const instance = makeControl(env, type.declaration, call, name);
      const copied =
        architecture.copiesParameters && creation.kind === "instance"
          ? differingParameters(applications, creation)
          : instance.homes.copied;
      const homes = { ...instance.homes, copied };
      const made: ControlInstance = { ...instance, homes, annotations: creation.annotations };
      for (const own of instances.slice(outside)) if (!owners.has(own)) owners.set(own, made);
      return { kind: "control", instance: made };
    }
    case "parser": {
      const instance = makeParser(env, type.declaration, call, name);
      return { kind: "parser", instance: { ...instance, annotations: creation.annotations } };
    }
    default:
      return fail(CODES.instanceNotSupported, creation.span, "not supported yet: an instance of this type");
  }
}

/** Records the place that creates a control instance, for messages about two instances of the same name. */
export function noteControl(env: Env, name: string, span: Span): void {
  const { controlSpans } = env.context;
  controlSpans.set(name, [...(controlSpans.get(name) ?? []), span]);
}

function makeExtern(
  env: Env,
  type: Extract<Type, { kind: "extern" }>,
  call: ResolvedCall,
  name: string,
  creation: Creation,
): ExternInstance {
  const given = call.params.flatMap((param, index) => {
    const value = call.args[index]?.value ?? param.defaultValue;
    return value === undefined && isOptional(param)
      ? []
      : [{ param, value: argumentOf(param, call.args[index]) }];
  });
  const scope = new InstanceScope(env.scope);
  for (const [index, param] of type.declaration.typeParams.entries()) {
    const arg = type.args[index];
    if (arg !== undefined) scope.bindType(param, resolveType(env, arg));
  }
  const args = given.map(({ param, value }): Expr => {
    if (param.type?.kind === "extern") {
      const made = objectBinding(env, value, fullName(name, param.name.name, param.annotations));
      return instanceExpr(
        ofKind(made, "extern", value.span, "an instance is expected here").instance,
        value.span,
      );
    }
    return fold(expressionAs(env, value, irType({ ...env, scope }, param.type, param.span)));
  });
  const instance: ExternInstance = {
    name,
    annotations: creation.annotations,
    span: creation.name?.span ?? creation.span,
    extern: type.declaration.name.name,
    typeArgs: type.args.map((arg) => resolveType(env, arg)),
    args,
    argNames: given.map(({ param }) => param.name.name),
    methods: [],
    instanceSpan: creation.span,
  };
  env.context.instances.push(instance);
  return instance;
}

/** The object that an expression in a table property names, or a new one; `unnamed` is its name without a `@name`. */
export function instanceOf(
  env: Env,
  e: Expression,
  annotations: readonly Annotation[],
  unnamed: string,
): ExternInstance {
  const binding = bindingOf(env, e);
  if (binding?.kind === "extern") return binding.instance;
  const call = ofKind(e, "call", e.span, "an instance is expected here");
  const resolved = known(call.resolved, e.span, "an instance was not resolved");
  const type = ofKind(e.type, "extern", e.span, "an instance of an extern is expected here");
  const name = nameAnnotation(annotations)?.replace(/^\./, "") ?? unnamed;
  return makeExtern(env, type, resolved, name, { kind: "argument", annotations, span: e.span });
}

function isOptional(param: Parameter): boolean {
  return param.annotations.some(({ name }) => name === "optional");
}

/** The argument that a parameter of a constructor gets, or its default. */
function argumentOf(param: Parameter, argument: Argument | undefined): Expression {
  return known(argument?.value ?? param.defaultValue, param.span, `no argument for ${param.name.name}`);
}

/**
 * Binds the parameters of a constructor in the scope of what it makes; an object that an argument makes has the name of its parameter
 * below `name`.
 */
function bindConstructor(env: Env, scope: InstanceScope, { params, args }: Construction, name: string): void {
  for (const [index, param] of params.entries()) {
    const value = argumentOf(param, args[index]);
    const type = param.type;
    if (type?.kind === "extern" || type?.kind === "control" || type?.kind === "parser")
      scope.bind(param, objectBinding(env, value, fullName(name, param.name.name, param.annotations)));
    else
      scope.bind(param, {
        kind: "value",
        expr: fold(expressionAs(env, value, irType({ ...env, scope }, type, param.span))),
      });
  }
}

function objectBinding(env: Env, e: Expression, name: string): Binding {
  const binding = bindingOf(env, e);
  if (binding !== undefined) return binding;
  // The declaration that the name stands for was wrong, which has been reported.
  if (e.kind === "path" && env.context.diagnostics.hasErrors) throw new DiagnosticError([]);
  const call = ofKind(e, "call", e.span, "an instance is expected here");
  const resolved = known(call.resolved, e.span, "an instance was not resolved");
  return makeInstance(env, e.type, resolved, name, { kind: "argument", annotations: [], span: e.span });
}

/** What a parser or control is made with: the arguments of its constructor, and what its type parameters stand for. */
export type Construction = Readonly<Pick<ResolvedCall, "params" | "args" | "typeArgs">>;

export const NOTHING_GIVEN: Construction = { params: [], args: [], typeArgs: [] };

/** A scope with what the type parameters of a parser or control stand for. */
export function typeScope(
  env: Env,
  declaration: ControlDeclaration | ParserDeclaration,
  { typeArgs }: Construction,
): InstanceScope {
  const scope = new InstanceScope(env.context.globalScope);
  for (const [index, param] of declaration.typeParams.entries()) {
    const type = typeArgs[index];
    if (type !== undefined) scope.bindType(param, resolveType(env, type));
  }
  return scope;
}

/** The scope of an instance: what it was made with, and the instances that it declares. */
function scopeOf(
  env: Env,
  declaration: ControlDeclaration | ParserDeclaration,
  made: Construction,
  name: string,
): InstanceScope {
  const scope = typeScope(env, declaration, made);
  bindConstructor(env, scope, made, name);
  const inner: Env = { ...env, scope };
  for (const local of declaration.body?.locals ?? [])
    if (local.kind === "instance") env.context.guard(() => instantiate(inner, local, name));
  return scope;
}

export function makeControl(
  env: Env,
  declaration: ControlDeclaration,
  made: Construction,
  name: string,
): ControlInstance {
  const scope = scopeOf(env, declaration, made, name);
  const homes = { storage: new Map(), copied: new Set<Parameter>() };
  return { declaration, name, annotations: [], scope, applied: undefined, homes };
}

export function makeParser(
  env: Env,
  declaration: ParserDeclaration,
  made: Construction,
  name: string,
): ParserInstance {
  return { declaration, name, annotations: [], scope: scopeOf(env, declaration, made, name) };
}
