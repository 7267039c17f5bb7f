/** Controls: their locals, their body, and calls of controls by controls, inlined. */

import type { Span } from "../../../../base/index.js";
import { fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type { Declaration, Expression } from "../../syntax/ast.js";
import type { BoundArguments } from "../../types/index.js";
import { known, ofKind } from "../ir.js";
import { bindArguments } from "./arguments.js";
import { type InlinedBody, inlineBody, paramAnnotations } from "./calls.js";
import type { Env } from "./context.js";
import { bindingOf } from "./context.js";
import type { ControlInstance } from "./instance-scope.js";
import { InstanceScope } from "./instance-scope.js";
import { makeControl, NOTHING_GIVEN, noteControl } from "./instances.js";
import { lowerMethods } from "./methods.js";
import { bindConstant, declareVariable, statement } from "./statements.js";

export { instanceOf } from "./instances.js";

/** `c.apply(args)`. */
export function applyControl(env: Env, object: Expression, call: BoundArguments, span: Span): void {
  const instance = controlOf(env, object, span);
  const scope = new InstanceScope(instance.scope);
  const homes = hasTables(instance) ? instance.homes : undefined;
  const sharesOverlaps = env.context.architecture.sharesOverlaps === true && instance.homes.copied.size === 0;
  const { copyIn, copyOut } = bindArguments(env, scope, instance.declaration.params, call.args, {
    isClosed: true,
    homes,
    sharesOverlaps,
  });
  if (instance.applied !== undefined && hasTables(instance))
    checkSameUse(instance, scope, instance.applied, span);
  env.out.list.push(...copyIn);
  const { declaration } = instance;
  const annotations = [
    ...instance.annotations,
    ...declaration.annotations,
    ...paramAnnotations(declaration.params),
  ];
  inlineControl(env, instance, scope, { copyOut, span, annotations });
  env.out.list.push(...copyOut);
}

function controlOf(env: Env, object: Expression, span: Span): ControlInstance {
  if (object.kind !== "typeName")
    return ofKind(bindingOf(env, object), "control", span, "no control here").instance;
  // `C.apply()` on the type makes an instance of that name (section 15.1).
  const { declaration } = ofKind(object.typeExpression.type, "control", span, "no control here");
  const name = `${env.prefix}.${declaration.name.name}`;
  noteControl(env, name, span);
  return makeControl(env, declaration, NOTHING_GIVEN, name);
}

/** Whether the control declares tables, or methods of instances, which use its parameters. */
function hasTables(instance: ControlInstance): boolean {
  return (
    instance.declaration.body?.locals.some(
      (local) => local.kind === "table" || (local.kind === "instance" && local.body !== undefined),
    ) ?? false
  );
}

/** A table exists once: a second application of its control must mean the same by every parameter. */
function checkSameUse(
  instance: ControlInstance,
  scope: InstanceScope,
  before: InstanceScope,
  span: Span,
): void {
  for (const param of instance.declaration.params) {
    const now = scope.find(param);
    const then = before.find(param);
    const same =
      now?.kind === "value" && then?.kind === "value"
        ? placeText(now.expr) === placeText(then.expr)
        : now?.kind === then?.kind;
    if (!same)
      fail(
        CODES.controlWithTablesTwice,
        span,
        `not supported yet: ${instance.name} has tables and is applied twice with different arguments`,
        "declare a second instance of the control",
      );
  }
}

function placeText(expr: object): string {
  return JSON.stringify(expr, (key, value: unknown) => {
    if (key === "span" || key === "type" || key === "annotations") return undefined;
    return typeof value === "bigint" ? value.toString() : value;
  });
}

/** Elaborates locals and body of a control whose parameters are bound in `scope`. */
export function inlineControl(
  env: Env,
  instance: ControlInstance,
  scope: InstanceScope,
  { copyOut, span, annotations }: Required<Pick<InlinedBody, "copyOut" | "span" | "annotations">>,
): void {
  const { declaration } = instance;
  const body = known(declaration.body, span, "a control type is applied");
  // Tables keep the storage of the first application.
  const used = instance.applied !== undefined && hasTables(instance) ? instance.applied : scope;
  instance.applied ??= scope;
  const { name } = declaration.name;
  const inlined = { scope: used, site: env.frame.site, name, copyOut, span, annotations };
  inlineBody({ ...env, prefix: instance.name }, inlined, (inner) => {
    for (const local of body.locals) declareLocal(inner, instance, local);
    const apply: Env = { ...inner, scope: new InstanceScope(used) };
    for (const one of body.apply.statements) env.context.guard(() => statement(apply, one));
  });
}

function declareLocal(env: Env, instance: ControlInstance, local: Declaration): void {
  switch (local.kind) {
    case "variable":
      declareVariable(env, local, "outer");
      return;
    case "constant":
      bindConstant(env, local);
      return;
    case "action":
      env.scope.bind(local, { kind: "action", declaration: local, scope: env.scope, prefix: instance.name });
      return;
    case "table":
      if (env.scope.find(local) === undefined)
        env.scope.bind(local, {
          kind: "table",
          plan: {
            declaration: local,
            scope: env.scope,
            prefix: instance.name,
            pipeline: env.context.pipeline,
            table: undefined,
            actions: new Map(),
            keyHomes: [],
          },
        });
      return;
    case "instance":
      lowerMethods(env, local);
      return;
    default:
      return;
  }
}
