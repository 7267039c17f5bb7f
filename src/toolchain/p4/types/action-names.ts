/**
 * Names of actions for the control plane, where an architecture for Tofino is used. p4c refuses two actions of one name
 * (its pass DuplicateActionControlPlaneNameCheck, since 2024); compilers before took them for one action, as programs
 * that were translated from P4-14 mean them: `@name(".nop") action nop() {}` in every control.
 */
import { CODES } from "../codes.js";
import type {
  ActionDeclaration,
  Argument,
  ControlDeclaration,
  Declaration,
  Expression,
  InstanceDeclaration,
  SourceUnit,
} from "../syntax/ast.js";
import type { Checker } from "./checker.js";

/** Reports actions with equal names among those that the package's controls and their instances hold. */
export function checkActionNames(cx: Checker, unit: SourceUnit, main: InstanceDeclaration): void {
  const blocks = new Set<ControlDeclaration>();
  collectControls(main.args, blocks);
  const names = new NameTable(cx);
  for (const declaration of unit.declarations) {
    if (declaration.kind === "action") names.add(`.${declaration.name.name}`, declaration);
    else if (declaration.kind === "control" && blocks.has(declaration))
      walk(declaration, declaration.name.name, names, new Set());
  }
}

/** The controls that a package is given, directly or through packages inside it. */
function collectControls(args: readonly Argument[], into: Set<ControlDeclaration>): void {
  for (const { value } of args) {
    if (value.kind === "call") {
      if (value.type?.kind === "control") into.add(value.type.declaration);
      collectControls(value.args, into);
    } else if (value.kind === "path" && value.declaration?.kind === "instance")
      collectControls(value.declaration.args, into);
  }
}

/** p4c's order: it has put the declarations of each instance in its place. */
function walk(control: ControlDeclaration, path: string, names: NameTable, around: Set<Declaration>): void {
  if (around.has(control)) return;
  around.add(control);
  for (const local of control.body?.locals ?? []) {
    if (local.kind === "action") names.add(`.${path}.${local.name.name}`, local);
    else if (local.kind === "instance" && local.type?.kind === "control")
      walk(local.type.declaration, `${path}.${local.name.name}`, names, around);
  }
  around.delete(control);
}

class NameTable {
  readonly #first = new Map<string, ActionDeclaration>();

  constructor(readonly cx: Checker) {}

  add(fullName: string, action: ActionDeclaration): void {
    const { cx } = this;
    if (!cx.usedActions.has(action)) return;
    const mark = action.annotations.find((annotation) => annotation.name === "name");
    const text = mark?.body.kind === "unstructured" ? stringOf(mark.body.values?.[0]) : undefined;
    const name =
      text === undefined
        ? fullName
        : text.startsWith(".")
          ? text
          : `${fullName.slice(0, fullName.lastIndexOf(".") + 1)}${text}`;
    const before = this.#first.get(name);
    if (before === undefined) {
      this.#first.set(name, action);
      return;
    }
    const note = { message: "the first one is here", span: before.name.span };
    if (cx.strict)
      cx.error(
        CODES.controlPlaneNameTwice,
        mark?.span ?? action.name.span,
        `two actions have the control-plane name ${name}`,
        note,
        "give each action a @name of its own, or declare one action for all tables",
      );
    else
      cx.info(
        CODES.actionNameTwice,
        mark?.span ?? action.name.span,
        `two actions have the control-plane name ${name}, which p4c refuses; the control plane sees one`,
        note,
        "give each action a @name of its own, or declare one action for all tables",
      );
  }
}

function stringOf(value: Expression | undefined): string | undefined {
  return value?.kind === "stringLiteral" ? value.value : undefined;
}
