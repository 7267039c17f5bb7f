/** Tables, the actions they run, and their application (section 14.2). */

import type { Span } from "../../../../base/index.js";
import { defined, fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  ActionDeclaration,
  ActionRef,
  Argument,
  Expression,
  KeyElement,
  SwitchStatement,
  TableDeclaration,
} from "../../syntax/ast.js";
import { bool, instanceExpr, variable } from "../build.js";
import { fold } from "../fold.js";
import type {
  ActionParam,
  Expr,
  ExternInstance,
  IrAction,
  IrActionCall,
  IrActionRef,
  IrKey,
  IrProperty,
  IrTable,
  Stmt,
  TableBranches,
  Variable,
} from "../ir.js";
import { fault, known, ofKind } from "../ir.js";
import { BOOL, nameAnnotation, scalarWidth } from "../ir-types.js";
import { isFixedPlace } from "../places.js";
import { bindArguments } from "./arguments.js";
import { callAction, inlineBody, paramAnnotations } from "./calls.js";
import type { Env } from "./context.js";
import { actionBinding, bindingOf, collect, emit, irType } from "./context.js";
import { instanceOf } from "./controls.js";
import { readEntries } from "./entries.js";
import { expression, expressionAs } from "./expressions.js";
import { InstanceScope } from "./instance-scope.js";
import { fullName } from "./instances.js";
import { keyName } from "./key-names.js";
import { block, statement } from "./statements.js";

/** A declared table; it becomes part of the program when it is first applied. */
export interface TablePlan {
  declaration: TableDeclaration;
  /** Where its keys and actions have their meaning. */
  scope: InstanceScope;
  prefix: string;
  /** Lists of the pipeline to which it adds itself. */
  pipeline: { tables: IrTable[]; actions: IrAction[] };
  table: IrTable | undefined;
  actions: Map<ActionDeclaration, IrAction>;
  /** Computed keys: where the value goes before each application. */
  keyHomes: (Variable | undefined)[];
}

export function actionName(env: Env, declaration: ActionDeclaration): string {
  return fullName(actionBinding(env, declaration).prefix, declaration.name.name, declaration.annotations);
}

function planOf(env: Env, object: Expression): TablePlan {
  return ofKind(bindingOf(env, object), "table", object.span, "no table here").plan;
}

/** Emits the application of a table; `branches` is what follows by its outcome. */
export function applyTable(
  env: Env,
  object: Expression,
  branches: TableBranches | undefined,
  span: Span,
): void {
  const plan = planOf(env, object);
  const only = branches === undefined ? onlyAction(env, plan.declaration) : undefined;
  if (only !== undefined) {
    callAction(env, only, { params: [], args: [] }, span);
    return;
  }
  if (env.frame.site !== "control")
    fail(
      CODES.tableOutsideControls,
      span,
      `the table ${plan.declaration.name.name} cannot be applied here`,
      "apply it in ingress or egress",
    );
  const table = tableOf(env, plan);
  evaluateKeys({ ...env, scope: plan.scope }, plan, table);
  emit(env, { kind: "apply", table, branches, span });
}

/**
 * What a table of a deparser does that has neither a key nor a choice: its one action. A compiler of the hardware writes such tables
 * around statements, and reads the statements where they stand (p4c's Tofino back end, `ExtractDeparser`).
 */
function onlyAction(env: Env, table: TableDeclaration): ActionDeclaration | undefined {
  if (env.frame.site !== "deparser" || env.context.architecture.readsDeparserActions !== true)
    return undefined;
  if (table.properties.some((one) => one.kind === "key" && one.elements.length > 0)) return undefined;
  const set = property(table, "default_action");
  const { declaration } = set?.isConst === true ? actionAndArguments(set.value) : {};
  return declaration?.params.length === 0 ? declaration : undefined;
}

/** `t.apply().hit`, `!t.apply().miss` and their like as a whole condition. */
export function hitCondition(e: Expression): { object: Expression; hit: boolean } | undefined {
  if (e.kind === "unary" && e.op === "!") {
    const inner = hitCondition(e.operand);
    return inner && { object: inner.object, hit: !inner.hit };
  }
  if (e.kind !== "member" || e.resolved?.kind !== "applyResult" || e.resolved.property === "action_run")
    return undefined;
  const object = appliedObject(e.base);
  return object && { object, hit: e.resolved.property === "hit" };
}

function appliedObject(e: Expression): Expression | undefined {
  return e.kind === "call" && e.resolved?.kind === "tableApply" ? e.resolved.object : undefined;
}

/** `t.apply().hit` inside a larger expression: the outcome goes to a variable. */
export function applyResult(
  env: Env,
  base: Expression,
  property: "hit" | "miss" | "action_run",
  span: Span,
): Expr {
  const object = appliedObject(base);
  if (object === undefined || property === "action_run")
    fail(CODES.valueNotSupported, span, `not supported yet: ${property} as a value`);
  const result = variable(env.context.newLocal("tmp", BOOL, span), span);
  const set = (value: boolean): Stmt => ({ kind: "assign", left: result, right: bool(value), span });
  const branches: TableBranches = {
    kind: "hit",
    hit: [set(property === "hit")],
    miss: [set(property !== "hit")],
  };
  applyTable(env, object, branches, span);
  return result;
}

/** `switch (t.apply().action_run)`. */
export function switchOnTable(env: Env, s: SwitchStatement): void {
  const object = s.subject.kind === "member" ? appliedObject(s.subject.base) : undefined;
  if (object === undefined)
    fail(CODES.valueNotSupported, s.subject.span, "not supported yet: action_run as a value");
  const plan = planOf(env, object);
  tableOf(env, plan);
  const cases: { actions: IrAction[]; body: Stmt[] }[] = [];
  let otherwise: Stmt[] = [];
  let actions: IrAction[] = [];
  let isDefault = false;
  for (const one of s.cases) {
    if (one.label.kind === "default") isDefault = true;
    else {
      const declaration = one.label.kind === "path" ? one.label.declaration : undefined;
      const action = declaration?.kind === "action" ? plan.actions.get(declaration) : undefined;
      actions.push(known(action, one.span, "a switch label that is no action of the table"));
    }
    const labelled = one.body;
    if (labelled === undefined) continue;
    const body = collect(env, (inner) => block(inner, labelled));
    if (isDefault) otherwise = body;
    // Actions that share the default's body need no case of their own.
    else cases.push({ actions, body });
    actions = [];
    isDefault = false;
  }
  applyTable(env, object, { kind: "action", cases, otherwise }, s.subject.span);
}

function tableOf(env: Env, plan: TablePlan): IrTable {
  plan.table ??= buildTable({ ...env, scope: plan.scope }, plan);
  return plan.table;
}

/** A property of a table by its name. */
export function property(declaration: TableDeclaration, name: string) {
  for (const one of declaration.properties) if (one.kind === "property" && one.name.name === name) return one;
  return undefined;
}

function buildTable(env: Env, plan: TablePlan): IrTable {
  const { declaration } = plan;
  const part = (kind: "key" | "actions" | "entries") =>
    declaration.properties.flatMap((one) => (one.kind === kind ? one.annotations : []));
  const keyProperty = declaration.properties.find((one) => one.kind === "key");
  const keys = (keyProperty?.elements ?? []).map((element) => buildKey(env, element));
  const actions: IrActionRef[] = [];
  for (const one of declaration.properties)
    if (one.kind === "actions") for (const ref of one.actions) actions.push(buildActionRef(env, plan, ref));
  const sizeProperty = property(declaration, "size");
  const size = sizeProperty === undefined ? undefined : fold(expression(env, sizeProperty.value));
  const properties = env.context.architecture.keepsProperties ? propertiesOf(env, plan) : [];
  const object = (name: string): ExternInstance | undefined => {
    const kept = properties.find((one) => one.name === name)?.value;
    if (kept?.kind === "instance") return kept.instance;
    const found = env.context.architecture.keepsProperties ? undefined : property(declaration, name);
    if (found === undefined) return undefined;
    const unnamed =
      name === "implementation" && found.value.kind === "call"
        ? `action_profile_${env.context.unnamedProfiles++}`
        : fullName(plan.prefix, `${declaration.name.name}.${name}`, []);
    return instanceOf(env, found.value, found.annotations, unnamed);
  };
  const table: IrTable = {
    name: fullName(plan.prefix, declaration.name.name, declaration.annotations),
    annotations: declaration.annotations,
    span: declaration.name.span,
    declaration,
    keys,
    actions,
    defaultAction: buildDefault(env, plan, actions),
    entries: undefined,
    size: size?.kind === "number" ? Number(size.value) : undefined,
    implementation: object("implementation"),
    counters: object("counters"),
    meters: object("meters"),
    properties,
    partAnnotations: {
      key: part("key"),
      actions: part("actions"),
      entries: part("entries"),
      defaultAction: property(declaration, "default_action")?.annotations ?? [],
    },
    supportTimeout: isTrue(env, property(declaration, "support_timeout")?.value) ?? false,
    largestPriorityWins: isTrue(env, property(declaration, "largest_priority_wins")?.value) ?? true,
  };
  table.entries = readEntries(env, plan, table);
  plan.pipeline.tables.push(table);
  return table;
}

/** The properties of a table that are a value or an instance. */
function propertiesOf(env: Env, { declaration, prefix }: TablePlan): IrProperty[] {
  return declaration.properties.flatMap((one): IrProperty[] => {
    if (one.kind !== "property" || one.name.name === "default_action") return [];
    const { value, annotations, isConst, span } = one;
    const name = one.name.name;
    const unnamed = fullName(prefix, `${declaration.name.name}.${name}`, []);
    const kept: Expr =
      value.type?.kind === "extern"
        ? instanceExpr(instanceOf(env, value, annotations, unnamed), value.span)
        : fold(expression(env, value));
    return [{ name, value: kept, annotations, isConst, span }];
  });
}

/** The truth value of a property; undefined where there is none. */
function isTrue(env: Env, e: Expression | undefined): boolean | undefined {
  const value = e === undefined ? undefined : fold(expression(env, e));
  return value?.kind === "bool" ? value.value : undefined;
}

function buildKey(env: Env, element: KeyElement): IrKey {
  const declared = element.expression.implicitCast ?? element.expression.type;
  const type = irType(env, declared, element.span);
  if (scalarWidth(type) === undefined)
    fault(element.span, "a key must be a number, a bool, an enum or an error");
  return {
    // Filled in by the first application.
    expression: bool(false),
    matchKind: element.matchKind.name,
    name: nameAnnotation(element.annotations) ?? keyName(element),
    declared: declared!,
    annotations: element.annotations,
    span: element.span,
  };
}

/** Computes keys that are no plain storage before the table is applied. */
function evaluateKeys(env: Env, plan: TablePlan, table: IrTable): void {
  const elements = plan.declaration.properties.find((one) => one.kind === "key")?.elements ?? [];
  for (const [index, element] of elements.entries()) {
    const key = defined(table.keys[index]);
    const value = fold(expression(env, element.expression));
    const home = plan.keyHomes[index];
    if (home === undefined && isDirectKey(value)) {
      key.expression = value;
      continue;
    }
    if (value.kind === "binary" && value.op === "&" && value.right.kind === "number")
      key.keeps = value.right.value;
    const used = home ?? env.context.newLocal("key", value.type, element.span);
    plan.keyHomes[index] = used;
    key.expression = variable(used, element.span);
    emit(env, { kind: "assign", left: key.expression, right: value, span: element.expression.span });
  }
}

/** A key that a table can match on directly: a field, or the validity of a header. */
function isDirectKey(value: Expr): boolean {
  if (value.kind === "valid") return value.header.type.kind === "header" && isFixedPlace(value.header);
  return isFixedPlace(value);
}

function buildActionRef(env: Env, plan: TablePlan, ref: ActionRef): IrActionRef {
  const declaration = known(ref.declaration, ref.span, "an action was not resolved");
  const action = tableAction(env, plan, declaration, ref.args);
  plan.actions.set(declaration, action);
  return { action, annotations: ref.annotations, span: ref.span };
}

const actionCaches = new WeakMap<InstanceScope, Map<ActionDeclaration, IrAction>>();

/** An action as tables use it: parameters without direction come from the control plane. */
function tableAction(
  env: Env,
  plan: TablePlan,
  declaration: ActionDeclaration,
  args: readonly Argument[] | undefined,
): IrAction {
  const { scope: home } = actionBinding(env, declaration);
  const shared = declaration.params.every((param) => param.direction === "none");
  let cache = actionCaches.get(home);
  if (cache === undefined) {
    cache = new Map();
    actionCaches.set(home, cache);
  }
  const known = shared ? cache.get(declaration) : undefined;
  if (known !== undefined) {
    if (!plan.pipeline.actions.includes(known)) plan.pipeline.actions.push(known);
    return known;
  }
  const scope = new InstanceScope(home);
  const params: ActionParam[] = [];
  for (const param of declaration.params) {
    if (param.direction !== "none") continue;
    const type = irType({ ...env, scope }, param.type, param.span);
    if (scalarWidth(type) === undefined)
      fault(param.span, `a parameter that the control plane gives cannot be of type ${type.kind}`);
    const home: Variable = { name: param.name.name, type, role: "parameter", span: param.name.span };
    scope.bind(param, { kind: "value", expr: variable(home, param.name.span) });
    params.push({ variable: home, declared: param.type!, annotations: param.annotations });
  }
  const directed = declaration.params.filter((param) => param.direction !== "none");
  const action: IrAction = {
    name: actionName(env, declaration),
    annotations: declaration.annotations,
    span: declaration.name.span,
    params,
    body: [],
    hidden: false,
  };
  // Registered first: order of declaration, not of nesting.
  if (shared) cache.set(declaration, action);
  plan.pipeline.actions.push(action);
  action.body = collect(env, (inner) => {
    const closed = home === env.context.globalScope;
    const bound = bindArguments(inner, scope, directed, (args ?? []).slice(0, directed.length), {
      isClosed: closed,
    });
    inner.out.list.push(...bound.copyIn);
    const { copyOut } = bound;
    const { name, span } = declaration;
    const annotations = paramAnnotations(declaration.params);
    inlineBody(inner, { scope, site: "action", name: name.name, copyOut, span, annotations }, (body) => {
      for (const one of declaration.body.statements) statement(body, one);
    });
    inner.out.list.push(...bound.copyOut);
  });
  return action;
}

function buildDefault(
  env: Env,
  plan: TablePlan,
  actions: IrActionRef[],
): IrActionCall & { isConst: boolean } {
  const found = property(plan.declaration, "default_action");
  if (found === undefined) return { ...defaultNoAction(env, plan, actions), isConst: false };
  return { ...actionCall(env, plan, found.value), isConst: found.isConst };
}

/** A table without default action runs `NoAction` (section 14.2.1.3), and has it in its list. */
function defaultNoAction(env: Env, plan: TablePlan, actions: IrActionRef[]): IrActionCall {
  const span = plan.declaration.name.span;
  const noAction = env.context.unit.declarations.find(
    (one): one is ActionDeclaration => one.kind === "action" && one.name.name === "NoAction",
  );
  const declaration = known(noAction, span, "core.p4 with its NoAction must be included");
  let action = plan.actions.get(declaration);
  if (action === undefined) {
    action = tableAction(env, plan, declaration, undefined);
    plan.actions.set(declaration, action);
    actions.push({ action, annotations: [{ name: "defaultonly", span, body: { kind: "none" } }], span });
  }
  return { action, args: [] };
}

/** An action named with arguments, in `default_action` or an entry. */
export function actionCall(env: Env, plan: TablePlan, e: Expression | ActionRef): IrActionCall {
  const { declaration, args } = actionAndArguments(e);
  const listed = declaration && plan.actions.get(declaration);
  const action = known(
    listed,
    e.span,
    `this action is not in the action list of ${plan.declaration.name.name}`,
  );
  // Arguments of directed parameters were given in the action list.
  const data = args.length > action.params.length ? args.slice(args.length - action.params.length) : args;
  const values = action.params.map((param, index) => {
    const byName = data.find((one) => one?.name?.name === param.variable.name);
    const needed = `the action ${action.name} needs ${action.params.length} arguments`;
    const argument = known(byName ?? data[index], e.span, needed);
    const value = fold(expressionAs(env, argument.value, param.variable.type));
    if (value.kind !== "number" && value.kind !== "bool" && value.kind !== "member")
      fail(CODES.valueNotConstant, argument.span, "an argument here must be known at compile time");
    return value;
  });
  return { action, args: values };
}

function actionAndArguments(e: Expression | ActionRef): {
  declaration: ActionDeclaration | undefined;
  args: (Argument | undefined)[];
} {
  if (!("kind" in e)) return { declaration: e.declaration, args: e.args ?? [] };
  if (e.kind === "call" && e.resolved?.kind === "action")
    return { declaration: e.resolved.declaration, args: e.resolved.args };
  const callee = e.kind === "call" ? e.callee : e;
  const declaration =
    callee.kind === "path" && callee.declaration?.kind === "action" ? callee.declaration : undefined;
  return { declaration, args: e.kind === "call" ? e.args : [] };
}
