/** The switch statement (section 12.7): on the action a table ran, or on a value. */
import { closest, defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { ActionDeclaration, Expression, SwitchStatement, TableDeclaration } from "../syntax/ast.js";
import { typeToString } from "./algebra.js";
import { type Checker, hint, isUnknown } from "./checker.js";
import { coerce, constantOf } from "./coerce.js";
import { checkExpression } from "./expressions.js";
import { constantToString, equalConstants } from "./fold.js";
import { checkBlock } from "./statements.js";
import type { ConstantValue, Type } from "./type.js";

export function checkSwitch(cx: Checker, s: SwitchStatement): void {
  if (["state", "parserLocals"].includes(cx.place.kind))
    cx.error(CODES.jumpInWrongPlace, s.span, "'switch' cannot be used in a parser; use transition select");
  const outer = cx.switchSubject;
  cx.switchSubject = s.subject;
  const type = checkExpression(cx, s.subject);
  cx.switchSubject = outer;
  if (s.cases.length === 0) cx.warning(CODES.neverReached, s.span, "this switch has no cases");
  const fallback = s.cases.findIndex((branch) => branch.label.kind === "default");
  if (fallback >= 0 && fallback < s.cases.length - 1) {
    const second = s.cases.findIndex((branch, i) => i > fallback && branch.label.kind === "default");
    cx.error(
      CODES.switchCase,
      defined(s.cases[second >= 0 ? second : fallback]).label.span,
      second >= 0 ? "'default' stands twice" : "'default' must be the last case",
    );
  }
  if (type.kind === "actionRun") actionLabels(cx, s, type.declaration);
  else valueLabels(cx, s, type);
  for (const branch of s.cases) if (branch.body !== undefined) checkBlock(cx, branch.body);
}

function actionLabels(cx: Checker, s: SwitchStatement, table: TableDeclaration): void {
  const actions = actionsOf(table);
  const seen = new Map<ActionDeclaration, Expression>();
  for (const { label } of s.cases) {
    if (label.kind === "default") {
      label.type = { kind: "default" };
      continue;
    }
    if (label.kind !== "path") {
      cx.error(
        CODES.switchCase,
        label.span,
        `a case must be an action of table '${table.name.name}' or default`,
      );
      continue;
    }
    const found = (label.absolute ? cx.globals : cx.scope).lookup(label.name.name)?.[0];
    if (found?.kind !== "action" || !actions.includes(found)) {
      const names = actions.map((action) => action.name.name);
      const near = closest(label.name.name, names);
      cx.error(
        CODES.switchCase,
        label.span,
        `'${label.name.name}' is not an action of table '${table.name.name}'`,
        ...(near !== undefined ? hint(near) : [`its actions are ${names.join(", ")}`]),
      );
      continue;
    }
    label.declaration = found;
    label.type = { kind: "action", declaration: found };
    const first = seen.get(found);
    if (first !== undefined) twice(cx, label, label.name.name, first);
    else seen.set(found, label);
  }
}

function actionsOf(table: TableDeclaration): ActionDeclaration[] {
  const property = table.properties.find((candidate) => candidate.kind === "actions");
  return (property?.actions ?? []).flatMap((ref) => (ref.declaration === undefined ? [] : [ref.declaration]));
}

function valueLabels(cx: Checker, s: SwitchStatement, type: Type): void {
  const switchable = ["bit", "int", "enum", "serializableEnum", "error", "integer", "unknown", "newType"];
  const known = !isUnknown(type);
  if (known && !switchable.includes(type.kind)) {
    cx.error(
      CODES.switchSubject,
      s.subject.span,
      `a switch needs a number, an enum, an error or t.apply().action_run, this is ${typeToString(type)}`,
      ...(type.kind === "applyResult" ? ["write .action_run after apply()"] : []),
    );
  }
  const seen = new Map<string, Expression>();
  const values: { value: ConstantValue; label: Expression }[] = [];
  for (const { label } of s.cases) {
    if (label.kind === "default" || label.kind === "dontCare") {
      label.type = { kind: "default" };
      continue;
    }
    const labelType = checkExpression(cx, label, type);
    if (!known || isUnknown(labelType) || !switchable.includes(type.kind)) continue;
    if (!coerce(cx, label, type, "a case")) continue;
    const value = constantOf(label);
    if (value === undefined) {
      cx.error(CODES.caseNotConstant, label.span, "a case must be known at compile time");
      continue;
    }
    const key = value.kind === "integer" ? String(value.value) : undefined;
    const first =
      key !== undefined ? seen.get(key) : values.find((other) => equalConstants(other.value, value))?.label;
    if (first !== undefined) twice(cx, label, constantToString(value), first);
    else if (key !== undefined) seen.set(key, label);
    else values.push({ value, label });
  }
}

function twice(cx: Checker, label: Expression, text: string, first: Expression): void {
  cx.error(CODES.switchCase, label.span, `case ${text} stands twice`, {
    message: "the first is here",
    span: first.span,
  });
}
