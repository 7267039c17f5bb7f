/** Which of several functions of one name is called (section 7.2.9.2): the number and names of arguments decide. */

import type { Span } from "../../../base/index.js";
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Argument, Declaration, FunctionDeclaration, Parameter, PathExpression } from "../syntax/ast.js";
import { bindArguments, isProblem } from "./arguments.js";
import type { Checker } from "./checker.js";
import type { BoundArguments } from "./resolution.js";
import type { Scope } from "./scope.js";

/**
 * What a called name stands for: the innermost declaration, unless it is an action or function that cannot take
 * these arguments and one further out can.
 */
export function findCallable(
  cx: Checker,
  callee: PathExpression,
  args: readonly Argument[],
): readonly Declaration[] | undefined {
  const { name } = callee.name;
  let first: readonly Declaration[] | undefined;
  let scope: Scope | undefined = callee.absolute ? cx.globals : cx.scope;
  for (; scope !== undefined; scope = scope.parent) {
    const found = scope.names.get(name);
    if (found === undefined) continue;
    first ??= found;
    for (const declaration of found) {
      if (declaration.kind !== "action" && declaration.kind !== "function") return first;
      if (!isProblem(bindArguments(declaration.params, args, name, callee.span))) return found;
    }
  }
  return first;
}

/** Puts the arguments of a call with one possible callee into order; reports why it cannot. */
export function bind(
  cx: Checker,
  params: readonly Parameter[],
  call: { args: readonly Argument[]; span: Span },
  what: string,
): BoundArguments | undefined {
  const bound = bindArguments(params, call.args, what, call.span);
  if (!isProblem(bound)) return bound;
  cx.error(CODES.argumentCount, bound.span, bound.message, ...bound.notes);
  return undefined;
}

/** The overload that the number or the names of the arguments choose (section 7.2.9.2). */
export function chooseOverload(
  cx: Checker,
  candidates: readonly FunctionDeclaration[],
  call: { args: readonly Argument[]; span: Span; typeArgs: readonly unknown[] },
  what: string,
): { declaration: FunctionDeclaration; bound: BoundArguments } | undefined {
  if (candidates.length === 1) {
    const declaration = defined(candidates[0]);
    const bound = bind(cx, declaration.params, call, what);
    return bound === undefined ? undefined : { declaration, bound };
  }
  const fitting = [];
  for (const declaration of candidates) {
    if (call.typeArgs.length > 0 && call.typeArgs.length !== declaration.typeParams.length) continue;
    const bound = bindArguments(declaration.params, call.args, what, call.span);
    if (!isProblem(bound)) fitting.push({ declaration, bound });
  }
  if (fitting.length > 1) {
    // A candidate that needs no default value and no optional parameter wins.
    const exact = fitting.filter(({ declaration }) => declaration.params.length === call.args.length);
    if (exact.length === 1) return exact[0];
  }
  if (fitting.length === 1) return fitting[0];
  const notes = candidates.map((declaration) => ({
    message: `a candidate is here, with ${declaration.params.length} parameter${declaration.params.length === 1 ? "" : "s"}`,
    span: declaration.name.span,
  }));
  if (fitting.length > 1)
    cx.error(CODES.ambiguousCall, call.span, `more than one ${what} fits this call`, ...notes);
  else
    cx.error(
      CODES.argumentCount,
      call.span,
      `no ${what} takes these ${call.args.length} arguments`,
      ...notes,
    );
  return undefined;
}
