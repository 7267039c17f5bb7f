/** What the checks of a table's properties and of its entries share. */

import type { Span } from "../../../base/index.js";
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { ActionDeclaration, ActionRef, Argument, TableDeclaration } from "../syntax/ast.js";
import { printExpression } from "../syntax/index.js";
import { VOID } from "./algebra.js";
import { typeArguments } from "./arguments.js";
import type { Checker } from "./checker.js";
import { constantOf } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { scopeNotes } from "./names.js";
import { bind } from "./overloads.js";
import type { BoundArguments } from "./resolution.js";
import type { Type } from "./type.js";

/** State of the checker while it reads the properties of a table. */
export interface TableContext {
  declaration: TableDeclaration;
  keys: Type[];
  actions: Map<ActionDeclaration, ActionRef>;
}

/**
 * An action with all its arguments, as default action or in an entry: it must be in the table's list, its
 * arguments with a direction must be those of the list, the others must be known at compile time.
 */
export function checkActionUse(
  cx: Checker,
  ref: Pick<ActionRef, "absolute" | "name" | "args" | "span">,
  table: TableContext,
  use: "default" | "entry",
): { action: ActionDeclaration; bound: BoundArguments | undefined } | undefined {
  const action = lookupAction(cx, ref);
  const args = ref.args ?? [];
  if (action === undefined) {
    for (const arg of args) checkExpression(cx, arg.value);
    return undefined;
  }
  const { name } = action.name;
  const bound = cx.at({ kind: "actionArguments" }, () =>
    typeActionCall(cx, action.params, args, ref.span, name),
  );
  const listed = table.actions.get(action);
  if (listed === undefined) {
    const names = [...table.actions.keys()].map((candidate) => candidate.name.name);
    cx.error(
      CODES.tableAction,
      ref.name.span,
      `action '${name}' is not in the list of table '${table.declaration.name.name}'`,
      names.length === 0 ? "the list is empty" : `the list has ${names.join(", ")}`,
    );
    return { action, bound };
  }
  const wrong = use === "default" ? "tableonly" : "defaultonly";
  const mark = listed.annotations.find((annotation) => annotation.name === wrong);
  if (mark !== undefined)
    cx.error(
      CODES.tableAction,
      ref.name.span,
      `action '${name}' is marked @${wrong}, so it cannot be ${use === "default" ? "the default action" : "the action of an entry"}`,
      { message: "it is listed here", span: listed.span },
    );
  if (bound !== undefined) compareArguments(cx, action, bound, listed);
  return { action, bound };
}

export function lookupAction(
  cx: Checker,
  ref: Pick<ActionRef, "absolute" | "name">,
): ActionDeclaration | undefined {
  const scope = ref.absolute ? cx.globals : cx.scope;
  const found = scope.lookup(ref.name.name)?.[0];
  if (found === undefined) {
    const actions = scope
      .visible()
      .filter((name) => defined(defined(scope.lookup(name))[0]).kind === "action");
    cx.notDeclaredAmong(ref.name, "action", actions);
    return undefined;
  }
  if (found.kind === "action") return found;
  cx.error(CODES.tableAction, ref.name.span, `'${ref.name.name}' is not an action`, ...scopeNotes(found));
  return undefined;
}

export function typeActionCall(
  cx: Checker,
  params: ActionDeclaration["params"],
  args: readonly Argument[],
  span: Span,
  name: string,
): BoundArguments | undefined {
  const what = `action '${name}'`;
  const bound = bind(cx, params, { args, span }, what);
  if (bound === undefined) {
    for (const arg of args) checkExpression(cx, arg.value);
    return undefined;
  }
  typeArguments(
    cx,
    { what, span, typeParams: [], given: [], outer: new Map(), returns: VOID, style: "action" },
    bound,
    args,
    undefined,
  );
  return bound;
}

function compareArguments(
  cx: Checker,
  action: ActionDeclaration,
  bound: BoundArguments,
  listed: ActionRef,
): void {
  for (const [index, param] of action.params.entries()) {
    const arg = bound.args[index];
    if (arg === undefined) continue;
    if (param.direction === "none") {
      if (
        constantOf(arg.value) === undefined &&
        !isCompileTimeKnown(cx, arg.value) &&
        arg.value.type?.kind !== "unknown"
      )
        cx.error(
          CODES.actionArgumentNotConstant,
          arg.span,
          `argument '${param.name.name}' of an action must be known at compile time here`,
        );
      continue;
    }
    const position = listed.resolved?.params.indexOf(param) ?? -1;
    const other = position < 0 ? undefined : listed.resolved?.args[position];
    if (other !== undefined && printExpression(other.value) !== printExpression(arg.value))
      cx.error(
        CODES.tableAction,
        arg.span,
        `argument '${param.name.name}' must be the same as in the list of actions`,
        { message: "it is given here", span: other.span },
      );
  }
}
