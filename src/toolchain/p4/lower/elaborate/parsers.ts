/** Parsers: states, transitions, and calls of parsers by parsers, inlined as states of their own. */

import type { Span } from "../../../../base/index.js";
import { defined, fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  Expression,
  ParserDeclaration,
  SelectCase,
  StateDeclaration,
  ValueSetDeclaration,
} from "../../syntax/ast.js";
import type { BoundArguments } from "../../types/index.js";
import { fold } from "../fold.js";
import type {
  EntryKey,
  Expr,
  IrSelectCase,
  IrState,
  IrTransition,
  IrValueSet,
  StateTarget,
  Stmt,
} from "../ir.js";
import { fault, known, ofKind } from "../ir.js";
import { scalarWidth } from "../ir-types.js";
import { isFixedPlace } from "../places.js";
import { successorsOf } from "../walk.js";
import { bindArguments } from "./arguments.js";
import { paramAnnotations } from "./calls.js";
import { constantNumber } from "./constants.js";
import type { Env, Frame } from "./context.js";
import { bindingOf, inOrder, resolveType, saveValue, valueOperand } from "./context.js";
import { pattern } from "./entries.js";
import { expression } from "./expressions.js";
import type { ParserInstance } from "./instance-scope.js";
import { InstanceScope } from "./instance-scope.js";
import { fullName, makeParser, NOTHING_GIVEN } from "./instances.js";
import { lowerMethods } from "./methods.js";
import { bindConstant, declareVariable, statement } from "./statements.js";

/** `p.apply(args)` in a state: the statements after the call become a state of their own. */
export function applyParser(env: Env, object: Expression, call: BoundArguments, span: Span): void {
  const here = env.out.state;
  if (here === undefined)
    fail(
      CODES.parserInConditional,
      span,
      "not supported yet: a parser applied inside a conditional statement",
    );
  const instance = parserOf(env, object, span);
  const scope = new InstanceScope(instance.scope);
  const { copyIn, copyOut } = bindArguments(env, scope, instance.declaration.params, call.args, {
    isClosed: true,
  });
  env.out.list.push(...copyIn);
  const rest: IrState = {
    name: env.context.stateNames.unique(`${here.name}_after_${instance.declaration.name.name}`),
    span,
    body: [...copyOut],
    next: { kind: "goto", target: "accept" },
  };
  const prefix = `${here.name}_${instance.declaration.name.name}_`;
  const start = buildStates(env, instance, scope, prefix, rest);
  const { annotations, declaration } = instance;
  start.annotations = [
    ...annotations,
    ...declaration.annotations,
    ...paramAnnotations(declaration.params),
    ...(start.annotations ?? []),
  ];
  here.next = { kind: "goto", target: start };
  env.out.list = rest.body;
  env.out.state = rest;
}

function parserOf(env: Env, object: Expression, span: Span): ParserInstance {
  if (object.kind !== "typeName")
    return ofKind(bindingOf(env, object), "parser", span, "no parser here").instance;
  const { declaration } = ofKind(object.typeExpression.type, "parser", span, "no parser here");
  return makeParser(env, declaration, NOTHING_GIVEN, `${env.prefix}.${declaration.name.name}`);
}

/** Builds all states of a parser and returns the first; `accept` leads to `after`. Initialisers go to `env.out`. */
function buildStates(
  env: Env,
  instance: ParserInstance,
  scope: InstanceScope,
  prefix: string,
  after: StateTarget,
): IrState {
  const body = known(instance.declaration.body, instance.declaration.span, "a parser type is applied");
  const frame: Frame = {
    site: "parser",
    end: { name: instance.declaration.name.name },
    result: undefined,
    breakTo: undefined,
    continueTo: undefined,
    copyOut: [],
    caller: env.frame,
  };
  const inner: Env = { ...env, scope, frame, prefix: instance.name };
  for (const local of body.locals) {
    if (local.kind === "variable") declareVariable(inner, local, "outer");
    else if (local.kind === "constant") bindConstant(inner, local);
    else if (local.kind === "valueSet") bindValueSet(inner, instance.name, local);
    else if (local.kind === "instance") lowerMethods(inner, local);
  }
  const states = new Map<string, IrState>();
  for (const declared of body.states)
    states.set(declared.name.name, {
      name: env.context.stateNames.unique(prefix + declared.name.name),
      annotations: declared.annotations,
      span: declared.name.span,
      body: [],
      next: { kind: "goto", target: "accept" },
    });
  const target = (name: string, span: Span): StateTarget => {
    if (name === "accept") return after;
    if (name === "reject") return "reject";
    return known(states.get(name), span, `no state ${name}`);
  };
  for (const declared of body.states)
    env.context.guard(() => buildState(inner, declared, defined(states.get(declared.name.name)), target));
  return defined(states.get("start"));
}

function bindValueSet(env: Env, prefix: string, declaration: ValueSetDeclaration): void {
  const size = Number(constantNumber(expression(env, declaration.size), "the size of a value set"));
  const element = known(declaration.elementType.type, declaration.span, "a value set without a type");
  const valueSet: IrValueSet = {
    name: fullName(prefix, declaration.name.name, declaration.annotations),
    annotations: declaration.annotations,
    span: declaration.name.span,
    declaration,
    element: resolveType(env, element),
    size,
  };
  env.scope.bind(declaration, { kind: "valueSet", valueSet });
  if (!env.context.valueSets.some((known) => known.name === valueSet.name))
    env.context.valueSets.push(valueSet);
}

type FindState = (name: string, span: Span) => StateTarget;

function buildState(env: Env, declared: StateDeclaration, state: IrState, target: FindState): void {
  const inner: Env = { ...env, scope: new InstanceScope(env.scope), out: { list: state.body, state } };
  for (const one of declared.statements) statement(inner, one);
  // A parser call may have moved the output to a later state.
  const last = inner.out.state!;
  last.next = transitionOf(inner, declared, target);
}

function transitionOf(env: Env, declared: StateDeclaration, target: FindState): IrTransition {
  const transition = declared.transition;
  // A state without transition rejects (section 13.5).
  if (transition === undefined) return { kind: "goto", target: "reject" };
  if (transition.kind === "direct")
    return { kind: "goto", target: target(transition.next.name, transition.next.span) };
  const keys = inOrder(
    env,
    transition.keys.map((key) => valueOperand((inner) => fold(expression(inner, key)))),
  ).flatMap((key) => (key.kind === "aggregate" ? key.elements : [key]));
  const settled = keys.map((key) => (isSelectable(key) ? key : saveValue(env, key)));
  const cases = transition.cases.map((one) => selectCase(env, one, settled, target));
  return { kind: "select", keys: settled, cases, span: transition.span };
}

/** A key that BMv2 can select on directly: a field, also of the header that `last` names. */
function isSelectable(key: Expr): boolean {
  return scalarWidth(key.type) !== undefined && (isFixedPlace(key) || isOfLast(key));
}

function isOfLast(place: Expr): boolean {
  if (place.kind === "field") return isOfLast(place.base);
  return place.kind === "stackProperty" && place.property !== "lastIndex" && isFixedPlace(place.base);
}

function selectCase(env: Env, one: SelectCase, keys: readonly Expr[], target: FindState): IrSelectCase {
  const next = target(one.next.name, one.next.span);
  const only = one.keySet.length === 1 ? defined(one.keySet[0]) : undefined;
  const binding = bindingOf(env, only);
  if (binding?.kind === "valueSet") return { patterns: binding.valueSet, target: next, span: one.span };
  let keySet = one.keySet;
  if (only !== undefined && keys.length !== 1) {
    if (only.kind === "default" || only.kind === "dontCare") keySet = keys.map(() => only);
    else if (only.kind === "list") keySet = only.elements;
  } else if (only?.kind === "list" && only.elements.length === 1) keySet = only.elements;
  if (keySet.length !== keys.length) fault(one.span, `${keySet.length} patterns for ${keys.length} keys`);
  const patterns = keySet.map((part, index): EntryKey => pattern(env, part, defined(keys[index]).type));
  return { patterns, target: next, span: one.span };
}

/** The architecture's parser: its states, with initialisers at the head of the first. */
export function buildMainParser(
  env: Env,
  declaration: ParserDeclaration,
  instance: ParserInstance,
  scope: InstanceScope,
): IrState {
  const head: Stmt[] = [];
  const start = buildStates({ ...env, out: { list: head, state: undefined } }, instance, scope, "", "accept");
  if (head.length === 0) return start;
  if (!leadsBack(start)) {
    start.body.unshift(...head);
    return start;
  }
  return {
    name: env.context.stateNames.unique("init"),
    span: declaration.span,
    body: head,
    next: { kind: "goto", target: start },
  };
}

/** Whether the first state can be entered again, so that it cannot contain initialisers. */
function leadsBack(start: IrState): boolean {
  const seen = new Set<IrState>();
  const visit = (state: IrState): boolean => {
    if (seen.has(state)) return false;
    seen.add(state);
    return successorsOf(state).some((next) => next === start || visit(next));
  };
  return visit(start);
}
