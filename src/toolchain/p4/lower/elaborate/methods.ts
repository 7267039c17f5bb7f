/** Abstract methods of externs that an instance gives a body (section 11.3.2): each is lowered once, with storage of its own. */
import type { FunctionDeclaration, InstanceDeclaration } from "../../syntax/ast.js";
import { variable } from "../build.js";
import type { ExternInstance, IrMethod, IrMethodParam } from "../ir.js";
import { known } from "../ir.js";
import { inlineBody } from "./calls.js";
import type { Env } from "./context.js";
import { collect, irType, resolveType } from "./context.js";
import { InstanceScope } from "./instance-scope.js";
import { statement } from "./statements.js";

/** Lowers the methods of an instance in the scope of its declaration; of a control that is applied twice, at the first application. */
export function lowerMethods(env: Env, declaration: InstanceDeclaration): void {
  const binding = env.scope.find(declaration);
  if (binding?.kind !== "extern" || binding.instance.methods.length > 0) return;
  const { instance } = binding;
  for (const one of declaration.body ?? [])
    if (one.kind === "function")
      env.context.guard(() => instance.methods.push(lowerMethod(env, instance, one)));
}

function lowerMethod(env: Env, instance: ExternInstance, declaration: FunctionDeclaration): IrMethod {
  const scope = new InstanceScope(env.scope);
  scope.self = instance;
  const inner: Env = { ...env, scope };
  const params = declaration.params.map((param): IrMethodParam => {
    const type = known(param.type, param.span, "a parameter without a type");
    const home = env.context.newLocal(param.name.name, irType(inner, type, param.span), param.name.span);
    scope.bind(param, { kind: "value", expr: variable(home, param.name.span) });
    const { direction, annotations } = param;
    return { variable: home, direction, declared: resolveType(inner, type), annotations };
  });
  const returns = declaration.returnType?.type;
  const { span } = declaration;
  const result =
    returns === undefined || returns.kind === "void"
      ? undefined
      : env.context.newLocal("retval", irType(inner, returns, span), span);
  const { name } = declaration.name;
  const body = collect(inner, (out) => {
    inlineBody(out, { scope, site: "action", name, copyOut: [], result, span }, (body) => {
      for (const one of declaration.body?.statements ?? []) statement(body, one);
    });
  });
  return { name, annotations: declaration.annotations, span: declaration.name.span, params, result, body };
}
