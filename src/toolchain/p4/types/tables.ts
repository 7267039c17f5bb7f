/** Tables (section 14.2): keys, actions, default action, entries and the other properties. */

import { closest, defined, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  ActionDeclaration,
  ActionRef,
  ActionsProperty,
  Expression,
  ExpressionProperty,
  KeyProperty,
  TableDeclaration,
} from "../syntax/ast.js";
import { typeToString, UNKNOWN, unwrapNew, VOID } from "./algebra.js";
import { checkAnnotations } from "./annotations.js";
import { type Checker, hint } from "./checker.js";
import { constantOf } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkEntries } from "./entries.js";
import { checkExpression } from "./expressions.js";
import { checkActionUse, lookupAction, type TableContext, typeActionCall } from "./table-context.js";
import type { Type } from "./type.js";

export function checkTable(cx: Checker, d: TableDeclaration): void {
  checkAnnotations(cx, d.annotations, "table");
  const table: TableContext = { declaration: d, keys: [], actions: new Map() };
  cx.declare(d);
  forbidTwice(cx, d);
  const key = d.properties.find((property) => property.kind === "key");
  const actions = d.properties.find((property) => property.kind === "actions");
  if (key !== undefined) checkKey(cx, key, table);
  if (actions !== undefined) checkActions(cx, actions, table);
  else
    cx.error(
      CODES.tableWithoutActions,
      d.name.span,
      `table '${d.name.name}' has no actions`,
      "a table needs the property actions = { ... }",
    );
  for (const property of d.properties) {
    checkAnnotations(cx, property.annotations, "other");
    if (property.kind === "property") {
      if (property.name.name === "default_action") checkDefaultAction(cx, property, table, actions);
      else cx.at({ kind: "tableProperty" }, () => checkProperty(cx, property, d));
    } else if (property.kind === "entries") checkEntries(cx, property, table, key);
  }
  if (
    !d.properties.some((property) => property.kind === "property" && property.name.name === "default_action")
  )
    requireNoAction(cx, d);
}

/** The default of `default_action` is NoAction of the core library. */
function requireNoAction(cx: Checker, d: TableDeclaration): void {
  const found = cx.globals.names.get("NoAction")?.[0];
  if (found?.kind === "action" && found.params.length === 0) {
    cx.usedActions.add(found);
    return;
  }
  cx.error(
    CODES.tableAction,
    d.name.span,
    `table '${d.name.name}' has no default_action, and there is no action NoAction() to take its place`,
    ...(found === undefined
      ? ["include core.p4"]
      : [{ message: "this is not such an action", span: found.name.span }]),
  );
}

function forbidTwice(cx: Checker, d: TableDeclaration): void {
  const seen = new Map<string, Span>();
  for (const property of d.properties) {
    const name = property.kind === "property" ? property.name.name : property.kind;
    const first = seen.get(name);
    if (first !== undefined)
      cx.error(
        CODES.propertyTwice,
        property.span,
        `property '${name}' of table '${d.name.name}' stands twice`,
        {
          message: "the first is here",
          span: first,
        },
      );
    else seen.set(name, property.span);
  }
}

function checkKey(cx: Checker, property: KeyProperty, table: TableContext): void {
  for (const element of property.elements) {
    checkAnnotations(cx, element.annotations, "key");
    const type = cx.at({ kind: "tableKey" }, () => checkExpression(cx, element.expression));
    const inner = unwrapNew(type);
    const good = ["bit", "int", "bool", "error", "enum", "serializableEnum", "unknown", "typeVariable"];
    if (!good.includes(inner.kind))
      cx.error(
        CODES.keyType,
        element.expression.span,
        `a key field must be a number, bool, enum or error, this is ${typeToString(type)}`,
        ...(type.kind === "integer" ? ["give the literal a width, as in 8w5"] : []),
      );
    else if (element.expression.constant !== undefined)
      cx.warning(CODES.constantKey, element.expression.span, "this key has the same value for every packet");
    table.keys.push(good.includes(inner.kind) ? type : UNKNOWN);
    const { matchKind } = element;
    if (!cx.matchKindByName.has(matchKind.name)) {
      const names = [...cx.matchKindByName.keys()];
      const near = closest(matchKind.name, names);
      cx.error(
        CODES.noSuchMatchKind,
        matchKind.span,
        `no match kind '${matchKind.name}' is declared`,
        ...(near !== undefined ? hint(near) : [`there are ${names.join(", ")}`]),
      );
    }
  }
}

function checkActions(cx: Checker, property: ActionsProperty, table: TableContext): void {
  const names = new Map<string, ActionRef>();
  for (const ref of property.actions) {
    checkAnnotations(cx, ref.annotations, "actionName");
    const action = lookupAction(cx, ref);
    if (action === undefined) {
      for (const arg of ref.args ?? []) checkExpression(cx, arg.value);
      continue;
    }
    ref.declaration = action;
    cx.usedActions.add(action);
    const first = names.get(action.name.name);
    if (first !== undefined)
      cx.error(CODES.tableAction, ref.span, `action '${action.name.name}' is in the list twice`, {
        message: "the first is here",
        span: first.span,
      });
    else names.set(action.name.name, ref);
    if (!table.actions.has(action)) table.actions.set(action, ref);
    bindListed(cx, ref, action);
    for (const param of action.params) if (param.direction === "none") requireScalar(cx, param, ref);
  }
}

/** Data that a table's entries hold must be of a type the control plane can give. */
function requireScalar(cx: Checker, param: ActionDeclaration["params"][number], ref: ActionRef): void {
  const type = param.type ?? UNKNOWN;
  if (
    ["bit", "int", "bool", "newType", "serializableEnum", "enum", "error", "varbit", "unknown"].includes(
      type.kind,
    )
  )
    return;
  cx.error(
    CODES.tableAction,
    ref.span,
    `parameter '${param.name.name}' of action '${ref.name.name}' has type ${typeToString(type)}, which table entries cannot give`,
    { message: "the parameter is declared here", span: param.span },
  );
}

/** In the list, exactly the parameters with a direction are given. */
function bindListed(cx: Checker, ref: ActionRef, action: ActionDeclaration): void {
  const directed = action.params.filter((param) => param.direction !== "none");
  const args = ref.args ?? [];
  const name = action.name.name;
  if (
    args.length > directed.length &&
    args.length <= action.params.length &&
    defined(args[0]).name === undefined
  ) {
    for (const arg of args) checkExpression(cx, arg.value);
    cx.error(
      CODES.tableAction,
      defined(args[directed.length]).span,
      `parameter '${defined(action.params[directed.length]).name.name}' of '${name}' has no direction: ` +
        "it is given by the table's entries, not in the list",
    );
    return;
  }
  const bound = cx.at({ kind: "actionArguments" }, () => typeActionCall(cx, directed, args, ref.span, name));
  if (bound !== undefined) ref.resolved = bound;
}

function checkDefaultAction(
  cx: Checker,
  property: ExpressionProperty,
  table: TableContext,
  actions: ActionsProperty | undefined,
): void {
  const { value } = property;
  if (
    actions !== undefined &&
    property.span.file === actions.span.file &&
    property.span.start < actions.span.start
  )
    cx.error(CODES.tableAction, property.name.span, "default_action must stand after the list of actions");
  const path = value.kind === "call" ? value.callee : value;
  if (path.kind !== "path" || (value.kind === "call" && value.typeArgs.length > 0)) {
    checkExpression(cx, value);
    cx.error(
      CODES.tableAction,
      value.span,
      "the default action must be an action of the table, as in NoAction()",
    );
    return;
  }
  const args = value.kind === "call" ? value.args : undefined;
  const used = checkActionUse(
    cx,
    { absolute: path.absolute, name: path.name, args, span: value.span },
    table,
    "default",
  );
  value.type = VOID;
  if (used === undefined) return;
  const { action, bound } = used;
  cx.usedActions.add(action);
  path.declaration = action;
  path.type = { kind: "action", declaration: action };
  if (value.kind === "call" && bound !== undefined)
    value.resolved = { kind: "action", declaration: action, typeArgs: [], ...bound };
}

/** Properties that mean something on v1model or in the language. */
const KNOWN_PROPERTIES = [
  "size",
  "default_action",
  "implementation",
  "counters",
  "meters",
  "support_timeout",
  "largest_priority_wins",
  "priority_delta",
];

/** Properties that the compiler of a Tofino reads in addition. */
const TOFINO_PROPERTIES: readonly string[] = [
  "registers",
  "filters",
  "idle_timeout",
  "proxy_hash",
  "min_size",
  "requires_versioning",
];

/** Properties of the portable architectures; those without a prefix are of entries that the data plane adds. */
const PORTABLE_PROPERTIES = [
  "direct_counter",
  "direct_meter",
  "implementation",
  "empty_group_action",
  "idle_timeout",
];
const LEARNING_PROPERTIES = [
  "add_on_miss",
  "default_idle_timeout_for_data_plane_added_entries",
  "idle_timeout_with_auto_delete",
];

function portableProperties(prefix: string): readonly string[] {
  return [...PORTABLE_PROPERTIES.map((name) => prefix + name), ...LEARNING_PROPERTIES];
}

function checkProperty(cx: Checker, property: ExpressionProperty, d: TableDeclaration): void {
  const { name } = property.name;
  const { value } = property;
  const type = checkExpression(cx, value);
  if (type.kind === "unknown") return;
  switch (name) {
    case "size":
    case "priority_delta":
      requireNumber(cx, value, type, name);
      return;
    case "support_timeout":
    case "largest_priority_wins":
      if (type.kind !== "bool" || constantOf(value) === undefined)
        cx.error(
          CODES.flagProperty,
          value.span,
          `property '${name}' is true or false, known at compile time`,
        );
      return;
    case "implementation":
    case "counters":
    case "meters":
      if (type.kind !== "extern" && type.kind !== "typeVariable")
        cx.error(
          CODES.objectProperty,
          value.span,
          `property '${name}' is an instance of an extern object, this is ${typeToString(type)}`,
        );
      return;
  }
  const known = cx.forTofino ? [...KNOWN_PROPERTIES, ...TOFINO_PROPERTIES] : KNOWN_PROPERTIES;
  const portable = cx.propertyPrefix === undefined ? [] : portableProperties(cx.propertyPrefix);
  if (known.includes(name) || portable.includes(name)) return;
  const near = closest(name, [...known, ...portable, "key", "actions", "entries"]);
  cx.warning(
    CODES.unknownProperty,
    property.name.span,
    `table '${d.name.name}': property '${name}' is not known`,
    ...hint(near),
  );
}

function requireNumber(cx: Checker, value: Expression, type: Type, name: string): void {
  const constant = constantOf(value);
  const numeric = type.kind === "integer" || type.kind === "bit" || type.kind === "int";
  if (!numeric || (constant === undefined && !isCompileTimeKnown(cx, value)))
    cx.error(CODES.numberProperty, value.span, `property '${name}' is a number known at compile time`);
  else if (constant?.kind === "integer" && constant.value < (name === "size" ? 0n : 1n))
    cx.error(
      CODES.propertyTooSmall,
      value.span,
      `property '${name}' must be positive, this is ${constant.value}`,
    );
}
