/** Calls of functions and actions, inlined; methods and externs go to `externs.ts`, tables to `tables.ts`. */

import type { Span } from "../../../../base/index.js";
import { fail, given } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  ActionDeclaration,
  Annotation,
  CallExpression,
  FunctionDeclaration,
  Parameter,
} from "../../syntax/ast.js";
import type { BoundArguments, ResolvedCall } from "../../types/index.js";
import { variable } from "../build.js";
import type { Expr, IrAction, Label, Stmt, Variable } from "../ir.js";
import { known } from "../ir.js";
import { bindArguments } from "./arguments.js";
import type { Env, Frame } from "./context.js";
import { actionBinding, collect, emit, irType, resolveType } from "./context.js";
import { applyControl } from "./controls.js";
import { builtinCall, externFunction, externMethod } from "./externs.js";
import { InstanceScope } from "./instance-scope.js";
import { applyParser } from "./parsers.js";
import { statement } from "./statements.js";
import { actionName, applyTable } from "./tables.js";

/** A call as a value; its effects go to `env.out`. Undefined when it has no value. */
export function callExpression(env: Env, call: CallExpression): Expr | undefined {
  const resolved = known(call.resolved, call.span, "a call was not resolved");
  switch (resolved.kind) {
    case "function":
      return callFunction(env, resolved.declaration, resolved, call.span);
    case "action":
      callAction(env, resolved.declaration, resolved, call.span);
      return undefined;
    case "externFunction":
      return externFunction(env, resolved.declaration, resolved, call);
    case "externMethod":
      return externMethod(env, resolved, call);
    case "builtin":
      return builtinCall(env, resolved, call);
    case "tableApply":
      applyTable(env, resolved.object, undefined, call.span);
      return undefined;
    case "controlApply":
      applyControl(env, resolved.object, resolved, call.span);
      return undefined;
    case "parserApply":
      applyParser(env, resolved.object, resolved, call.span);
      return undefined;
    case "constructor":
      return fail(
        CODES.valueNotSupported,
        call.span,
        "not supported yet: an instance made inside an expression",
      );
  }
}

function callFunction(
  env: Env,
  declaration: FunctionDeclaration,
  call: ResolvedCall,
  span: Span,
): Expr | undefined {
  const scope = new InstanceScope(env.context.globalScope);
  for (const [index, param] of declaration.typeParams.entries()) {
    const type = call.typeArgs[index];
    if (type !== undefined) scope.bindType(param, resolveType(env, type));
  }
  const { copyIn, copyOut } = bindArguments(env, scope, call.params, call.args, { isClosed: true });
  const returns = declaration.returnType?.type;
  let result: Variable | undefined;
  if (returns !== undefined && returns.kind !== "void")
    result = env.context.newLocal("retval", irType({ ...env, scope }, returns, span), span);
  env.out.list.push(...copyIn);
  const body = known(declaration.body, span, "a function without a body");
  const annotations = [...declaration.annotations, ...paramAnnotations(declaration.params)];
  const { name } = declaration.name;
  const inlined = { scope, site: env.frame.site, name, copyOut, result, span, annotations };
  inlineBody(env, inlined, (inner) => {
    for (const one of body.statements) statement(inner, one);
  });
  env.out.list.push(...copyOut);
  return result === undefined ? undefined : variable(result, span);
}

/** A body that takes the place of its call. */
export interface InlinedBody {
  /** Where its names have their meaning. */
  readonly scope: InstanceScope;
  readonly site: Frame["site"];
  readonly name: string;
  /** What `return` has to do before it leaves. */
  readonly copyOut: Stmt[];
  /** Holds what the body returns. */
  readonly result?: Variable | undefined;
  readonly span: Span;
  /** Of what the body was declared with, where nothing else in the lowered program holds them. */
  readonly annotations?: readonly Annotation[];
}

/** Emits a body that `return` leaves as one block. */
export function inlineBody(
  env: Env,
  { scope, site, name, copyOut, result, span, annotations = [] }: InlinedBody,
  part: (inner: Env) => void,
): void {
  const end: Label = { name };
  const frame: Frame = {
    site,
    end,
    result,
    breakTo: undefined,
    continueTo: undefined,
    copyOut,
    caller: env.frame,
  };
  const body = collect({ ...env, scope, frame }, part);
  const kept = annotations.length > 0 && env.context.architecture.keepsBlocks ? annotations : undefined;
  emit(env, { kind: "block", label: end, body, span, ...given({ annotations: kept }) });
}

/** The annotations of the parameters that no variable of the lowered program stands for. */
export function paramAnnotations(params: readonly Parameter[]): Annotation[] {
  return params.flatMap(({ direction, annotations }) => (direction === "none" ? [] : annotations));
}

/** A direct call of an action. In a control it stays one piece under the action's name. */
export function callAction(env: Env, declaration: ActionDeclaration, call: BoundArguments, span: Span): void {
  const { scope: home } = actionBinding(env, declaration);
  const scope = new InstanceScope(home);
  const closed = home === env.context.globalScope;
  const { copyIn, copyOut } = bindArguments(env, scope, call.params, call.args, { isClosed: closed });
  const body = collect(env, (inner) => {
    inner.out.list.push(...copyIn);
    const { name } = declaration.name;
    const inPlace = env.frame.site === "control" ? [] : declaration.annotations;
    const annotations = [...inPlace, ...paramAnnotations(declaration.params)];
    inlineBody(inner, { scope, site: "action", name, copyOut, span, annotations }, (body) => {
      for (const one of declaration.body.statements) statement(body, one);
    });
    inner.out.list.push(...copyOut);
  });
  if (env.frame.site !== "control") {
    env.out.list.push(...body);
    return;
  }
  const action: IrAction = {
    name: actionName(env, declaration),
    annotations: declaration.annotations,
    span: declaration.name.span,
    params: [],
    body,
    hidden: false,
  };
  env.context.pipeline.called.push(action);
  emit(env, { kind: "action", action, span });
}
