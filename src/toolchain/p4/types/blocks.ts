/** Parsers and controls (sections 13 and 14): their parameters, local declarations, states and apply block. */
import { closest } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  ControlDeclaration,
  Declaration,
  Identifier,
  ParserDeclaration,
  StateDeclaration,
  Transition,
  ValueSetDeclaration,
} from "../syntax/ast.js";
import { typeToString, UNKNOWN, unwrapNew } from "./algebra.js";
import { checkAnnotations } from "./annotations.js";
import { type Checker, hint } from "./checker.js";
import { checkExpression } from "./expressions.js";
import { checkAction, checkParameters, declareTypeParameters, withoutLoops } from "./functions.js";
import { checkKeySets, isEverything } from "./key-sets.js";
import { checkConstant, checkInstance, checkVariable } from "./objects.js";
import { checkStatements } from "./statements.js";
import { checkTable } from "./tables.js";
import type { Type } from "./type.js";
import { constantSize, resolveType } from "./type-expressions.js";

export function checkParser(cx: Checker, d: ParserDeclaration): void {
  checkHead(cx, d, () => {
    const body = d.body!;
    for (const local of body.locals) checkLocalDeclaration(cx, local);
    checkStates(cx, d, body.states);
  });
}

export function checkControl(cx: Checker, d: ControlDeclaration): void {
  checkHead(cx, d, () => {
    const body = d.body!;
    for (const local of body.locals) checkLocalDeclaration(cx, local);
    checkAnnotations(cx, body.apply.annotations, "block");
    cx.at({ kind: "apply", returns: undefined, inside: d }, () =>
      cx.scoped(() => withoutLoops(cx, () => checkStatements(cx, body.apply.statements))),
    );
    for (const local of body.locals)
      if (local.kind === "table" && !cx.appliedTables.has(local) && !isQuiet(local))
        cx.warning(CODES.tableNeverApplied, local.name.span, `table '${local.name.name}' is never applied`);
  });
}

/** Marked `@noWarn("unused")`. */
function isQuiet(declaration: Declaration): boolean {
  return declaration.annotations.some(
    (annotation) =>
      annotation.name === "noWarn" &&
      annotation.body.kind === "unstructured" &&
      annotation.body.text.includes("unused"),
  );
}

function checkHead(cx: Checker, d: ParserDeclaration | ControlDeclaration, body: () => void): void {
  checkAnnotations(cx, d.annotations, "control");
  cx.declare(d);
  cx.scoped(() => {
    declareTypeParameters(cx, d.typeParams);
    checkParameters(cx, d.params, d.kind);
    checkParameters(cx, d.constructorParams, `${d.kind}Constructor`, d.body !== undefined);
    if (d.body === undefined) return;
    cx.scoped(() => cx.at({ kind: d.kind === "parser" ? "parserLocals" : "controlLocals", owner: d }, body));
  });
}

function checkLocalDeclaration(cx: Checker, d: Declaration): void {
  switch (d.kind) {
    case "constant":
      checkConstant(cx, d);
      return;
    case "variable":
      checkVariable(cx, d);
      return;
    case "instance":
      checkInstance(cx, d);
      return;
    case "action":
      checkAction(cx, d);
      return;
    case "table":
      checkTable(cx, d);
      return;
    case "valueSet":
      checkValueSet(cx, d);
      return;
    default:
      cx.error(CODES.instanceInWrongPlace, d.span, "this cannot be declared here");
  }
}

export function checkValueSet(cx: Checker, d: ValueSetDeclaration): void {
  checkAnnotations(cx, d.annotations, "other");
  const element = resolveType(cx, d.elementType);
  const inner = unwrapNew(element);
  const good = ["bit", "int", "bool", "tuple", "struct", "serializableEnum", "enum", "unknown", "error"];
  if (!good.includes(inner.kind))
    cx.error(
      CODES.typeCannotStandHere,
      d.elementType.span,
      `a value_set cannot hold type ${typeToString(element)}`,
    );
  constantSize(cx, d.size, "the size of a value_set", 0n, 1n << 31n);
  d.type = { kind: "set", element };
  cx.declare(d);
}

const BUILT_IN_STATES = ["accept", "reject"];

function checkStates(cx: Checker, d: ParserDeclaration, states: readonly StateDeclaration[]): void {
  const byName = new Map<string, StateDeclaration>();
  for (const state of states) {
    const name = state.name.name;
    if (BUILT_IN_STATES.includes(name)) {
      cx.error(CODES.parserStates, state.name.span, `state '${name}' is built in, it cannot be declared`);
      continue;
    }
    if (!byName.has(name)) byName.set(name, state);
    cx.declare(state);
  }
  const start = byName.get("start");
  if (start === undefined && states.length > 0)
    cx.error(CODES.parserStates, d.name.span, `parser '${d.name.name}' has no state 'start'`);
  for (const state of states) {
    checkAnnotations(cx, state.annotations, "state");
    cx.at({ kind: "state", inside: d }, () =>
      cx.scoped(() =>
        withoutLoops(cx, () => {
          checkStatements(cx, state.statements);
          if (state.transition !== undefined) checkTransition(cx, state.transition, byName);
        }),
      ),
    );
  }
  if (start !== undefined) checkReach(cx, d, start, byName);
}

function checkTransition(
  cx: Checker,
  transition: Transition,
  states: ReadonlyMap<string, StateDeclaration>,
): void {
  if (transition.kind === "direct") {
    checkNext(cx, transition.next, states);
    return;
  }
  const keys = transition.keys.map((key) => {
    const type = checkExpression(cx, key);
    if (isSelectable(type)) return type;
    const advice =
      type.kind === "newType"
        ? [`cast it: (${typeToString(type.underlying)})`]
        : type.kind === "integer"
          ? ["give the literal a width, as in 8w5"]
          : type.kind === "struct"
            ? ["list its fields, as in select (a, b)"]
            : [];
    cx.error(CODES.selectKeys, key.span, `select cannot match on type ${typeToString(type)}`, ...advice);
    return UNKNOWN;
  });
  let everything = false;
  for (const branch of transition.cases) {
    if (everything) {
      cx.warning(
        CODES.neverReached,
        branch.span,
        "this case is never reached: the one before matches everything",
      );
      everything = false;
    }
    checkKeySets(cx, branch.keySet, keys, branch.span, "a case of select");
    checkNext(cx, branch.next, states);
    if (branch.keySet.every(isEverything)) everything = true;
  }
}

function isSelectable(type: Type): boolean {
  switch (type.kind) {
    case "bit":
    case "int":
    case "bool":
    case "enum":
    case "serializableEnum":
    case "error":
    case "unknown":
    case "typeVariable":
      return true;
    case "tuple":
      return type.elements.every(isSelectable);
    default:
      return false;
  }
}

function checkNext(cx: Checker, next: Identifier, states: ReadonlyMap<string, StateDeclaration>): void {
  if (states.has(next.name) || BUILT_IN_STATES.includes(next.name)) return;
  const near = closest(next.name, [...states.keys(), ...BUILT_IN_STATES]);
  cx.error(CODES.parserStates, next.span, `the parser has no state '${next.name}'`, ...hint(near));
}

/** States that no path from start reaches, and parsers that never end. */
function checkReach(
  cx: Checker,
  d: ParserDeclaration,
  start: StateDeclaration,
  states: ReadonlyMap<string, StateDeclaration>,
): void {
  const reached = new Set<StateDeclaration>([start]);
  for (const state of reached) {
    const { transition } = state;
    if (transition === undefined) continue;
    const names =
      transition.kind === "direct" ? [transition.next] : transition.cases.map((branch) => branch.next);
    for (const { name } of names) {
      const next = states.get(name);
      if (next !== undefined) reached.add(next);
    }
  }
  const ends = [...reached].some(
    ({ transition }) =>
      transition === undefined ||
      transition.kind === "select" ||
      BUILT_IN_STATES.includes(transition.next.name) ||
      !states.has(transition.next.name),
  );
  if (!ends)
    cx.error(CODES.parserStates, d.name.span, `parser '${d.name.name}' never reaches accept or reject`);
  for (const state of states.values())
    if (!reached.has(state))
      cx.warning(CODES.neverReached, state.name.span, `state '${state.name.name}' is never reached`);
}
