/** Statements (section 12). */
import { fail, given } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type {
  Annotation,
  AssignmentStatement,
  BinaryOperator,
  BlockStatement,
  ConstantDeclaration,
  Expression,
  ForInStatement,
  ForStatement,
  IfStatement,
  Statement,
  SwitchStatement,
  VariableDeclaration,
} from "../../syntax/ast.js";
import { binary, number, variable } from "../build.js";
import { fold } from "../fold.js";
import type { Expr, IrType, Label, Stmt, SwitchCase, Variable } from "../ir.js";
import { ofKind } from "../ir.js";
import { bits } from "../ir-types.js";
import { invalidate } from "./arguments.js";
import { callExpression } from "./calls.js";
import { constantNumber, convert } from "./constants.js";
import type { Env, Frame } from "./context.js";
import { collect, emit, innerEnv, inOrder, irType, placeOperand, valueOperand } from "./context.js";
import { expression, expressionAs, placeOf } from "./expressions.js";
import { applyTable, hitCondition, switchOnTable } from "./tables.js";

/** A statement with annotations is a block of its own where the architecture keeps those. */
export function statement(env: Env, s: Statement): void {
  const { annotations, span } = s;
  if (annotations.length === 0 || s.kind === "block" || !env.context.architecture.keepsBlocks) {
    plainStatement(env, s);
    return;
  }
  const body = collect(env, (inner) => plainStatement(inner, s));
  emit(env, { kind: "block", label: undefined, body, annotations, span });
}

function plainStatement(env: Env, s: Statement): void {
  switch (s.kind) {
    case "assignment":
      assignment(env, s);
      return;
    case "callStatement":
      callExpression(env, s.call);
      return;
    case "block":
      annotatedBlock(env, s);
      return;
    case "if":
      ifStatement(env, s);
      return;
    case "switch":
      switchStatement(env, s);
      return;
    case "for":
      forStatement(env, s);
      return;
    case "forIn":
      forInStatement(env, s);
      return;
    case "return": {
      const { end, result } = env.frame;
      if (s.value !== undefined && result !== undefined) {
        const right = expressionAs(env, s.value, result.type);
        emit(env, { kind: "assign", left: variable(result, s.span), right, span: s.span });
      }
      emit(env, { kind: "leave", label: end, span: s.span });
      return;
    }
    case "exit":
      for (let frame: Frame | undefined = env.frame; frame !== undefined; frame = frame.caller)
        env.out.list.push(...frame.copyOut);
      emit(env, { kind: "exit", span: s.span });
      return;
    case "break":
      emit(env, { kind: "leave", label: env.frame.breakTo!, span: s.span });
      return;
    case "continue":
      emit(env, { kind: "leave", label: env.frame.continueTo!, span: s.span });
      return;
    case "empty":
      return;
    case "declaration":
      if (s.declaration.kind === "variable") declareVariable(env, s.declaration);
      else if (s.declaration.kind === "constant") bindConstant(env, s.declaration);
      return;
  }
}

/** A block in a body: one that has annotations may have to stay a block. */
function annotatedBlock(env: Env, s: BlockStatement): void {
  const { annotations, span } = s;
  const unit = inUnitOf(env, annotations);
  if (annotations.length === 0 || !env.context.architecture.keepsBlocks) {
    block(unit, s);
    return;
  }
  const body = collect(unit, (inner) => block(inner, s));
  emit(env, { kind: "block", label: undefined, body, annotations, span });
}

/** With `@in_hash` the hash unit computes what the block assigns, with `@in_vliw` within it the instructions do again. */
function inUnitOf(env: Env, annotations: readonly Annotation[]): Env {
  if (annotations.some(({ name }) => name === "in_hash")) return { ...env, isHashed: true };
  if (!annotations.some(({ name }) => name === "in_vliw")) return env;
  const { isHashed: _, ...plain } = env;
  return plain;
}

/** The statements of a block, in a scope of their own. */
export function block(env: Env, s: BlockStatement): void {
  const inner = innerEnv(env);
  for (const one of s.statements) statement(inner, one);
}

/** Binds a constant whose value depends on the constructor of its instance; the checker has computed all others. */
export function bindConstant(env: Env, declaration: ConstantDeclaration): void {
  if (declaration.constant !== undefined) return;
  const type = irType(env, declaration.type, declaration.span);
  env.scope.bind(declaration, { kind: "value", expr: expressionAs(env, declaration.initializer, type) });
}

export function declareVariable(
  env: Env,
  declaration: VariableDeclaration,
  level: "inner" | "outer" = "inner",
): void {
  const type = irType(env, declaration.type ?? declaration.typeExpression.type, declaration.span);
  const right =
    declaration.initializer === undefined ? undefined : expressionAs(env, declaration.initializer, type);
  const known = env.scope.find(declaration);
  const place = known?.kind === "value" ? known.expr : newPlace(env, declaration, type, level);
  env.scope.bind(declaration, { kind: "value", expr: place });
  if (right !== undefined) emit(env, { kind: "assign", left: place, right, span: declaration.span });
  else env.out.list.push(...invalidate(place));
}

function newPlace(env: Env, declaration: VariableDeclaration, type: IrType, level: "inner" | "outer"): Expr {
  const local = env.context.newLocal(declaration.name.name, type, declaration.name.span);
  if (declaration.initializer === undefined) local.unset = level;
  if (declaration.annotations.length > 0) local.annotations = declaration.annotations;
  return variable(local, declaration.span);
}

function assignment(env: Env, s: AssignmentStatement): void {
  if (s.op !== undefined) {
    compoundAssignment(env, s, s.op);
    return;
  }
  const [left, right] = inOrder(env, [
    placeOperand((inner) => placeOf(inner, s.left)),
    valueOperand((inner) => expression(inner, s.right)),
  ]);
  const assigned = { left: left!, right: convert(env, right!, left!.type) };
  emit(env, { kind: "assign", ...assigned, span: s.span, ...given({ isHashed: env.isHashed }) });
}

/** `a op= b` computes `a op b`, but evaluates the place `a` once (section 12.1). */
function compoundAssignment(env: Env, s: AssignmentStatement, op: BinaryOperator): void {
  let place: Expr | undefined;
  const [left, value, right] = inOrder(env, [
    placeOperand((inner) => {
      place = placeOf(inner, s.left);
      return place;
    }),
    valueOperand(() => place!),
    valueOperand((inner) => expression(inner, s.right)),
  ]);
  const shift = op === "<<" || op === ">>";
  const operand = shift ? right! : convert(env, right!, left!.type);
  const result = fold(binary(op, value!, operand, left!.type, s.span));
  emit(env, { kind: "assign", left: left!, right: result, span: s.span });
}

function ifStatement(env: Env, s: IfStatement): void {
  const onTable = hitCondition(s.condition);
  const whenTrue = (inner: Env): void => statement(innerEnv(inner), s.whenTrue);
  const whenFalse = (inner: Env): void => {
    if (s.whenFalse !== undefined) statement(innerEnv(inner), s.whenFalse);
  };
  if (onTable !== undefined) {
    const onHit = collect(env, onTable.hit ? whenTrue : whenFalse);
    const onMiss = collect(env, onTable.hit ? whenFalse : whenTrue);
    applyTable(env, onTable.object, { kind: "hit", hit: onHit, miss: onMiss }, s.condition.span);
    return;
  }
  const condition = fold(expression(env, s.condition));
  emit(env, {
    kind: "if",
    condition,
    whenTrue: collect(env, whenTrue),
    whenFalse: collect(env, whenFalse),
    span: s.condition.span,
  });
}

function switchStatement(env: Env, s: SwitchStatement): void {
  if (s.subject.type?.kind === "actionRun") {
    switchOnTable(env, s);
    return;
  }
  const subject = expression(env, s.subject);
  const cases: SwitchCase[] = [];
  let pending: Expr[] | undefined = [];
  for (const one of s.cases) {
    if (one.label.kind === "default") pending = undefined;
    else pending?.push(convert(env, fold(expression(env, one.label)), subject.type));
    const body = one.body;
    // A label without a body falls through to the next one's.
    if (body === undefined) continue;
    cases.push({ values: pending, body: collect(env, (inner) => block(inner, body)), span: one.span });
    pending = [];
  }
  emit(env, { kind: "switch", subject, cases, span: s.span });
}

/** Runs a loop's body with `break` and `continue` bound; the result belongs inside one iteration. */
function loopBody(env: Env, breakTo: Label, body: Statement): Stmt {
  const continueTo: Label = { name: "continue" };
  const frame: Frame = { ...env.frame, breakTo, continueTo };
  const list = collect({ ...env, frame }, (inner) => statement(innerEnv(inner), body));
  return { kind: "block", label: continueTo, body: list, span: body.span };
}

function forStatement(env: Env, s: ForStatement): void {
  const breakTo: Label = { name: "break" };
  const scoped = innerEnv(env);
  const list = collect(scoped, (inner) => {
    const own: Variable[] = [];
    for (const one of s.init) {
      statement(inner, one);
      if (one.kind !== "declaration") continue;
      const binding = inner.scope.find(one.declaration);
      if (binding?.kind === "value" && binding.expr.kind === "variable") own.push(binding.expr.variable);
    }
    let condition: Expr | undefined;
    const before = collect(inner, (head) => {
      condition = fold(expression(head, s.condition));
    });
    if (before.length > 0)
      fail(
        CODES.conditionWithEffect,
        s.condition.span,
        "not supported yet: a loop condition that calls something with effects",
      );
    const body = loopBody(inner, breakTo, s.body);
    const update = collect(inner, (tail) => {
      for (const one of s.update) statement(tail, one);
    });
    emit(inner, { kind: "loop", condition: condition!, body: [body], update, own, span: s.span });
  });
  emit(env, { kind: "block", label: breakTo, body: list, span: s.span });
}

/** `for (x in low .. high)` and over lists: the values are known, so each gets its copy of the body. */
function forInStatement(env: Env, s: ForInStatement): void {
  const breakTo: Label = { name: "break" };
  const scoped = innerEnv(env);
  const list = collect(scoped, (inner) => {
    let place: Expr;
    if ("kind" in s.variable && s.variable.kind === "variable") {
      declareVariable(inner, s.variable);
      place = bound(inner, s.variable);
    } else place = placeOf(inner, s.variable as Expression);
    for (const value of collectionOf(inner, s.collection, place.type)) {
      const right = convert(inner, value, place.type);
      emit(inner, { kind: "assign", left: place, right, span: s.collection.span });
      emit(inner, loopBody(inner, breakTo, s.body));
    }
  });
  emit(env, { kind: "block", label: breakTo, body: list, span: s.span });
}

function bound(env: Env, declaration: VariableDeclaration): Expr {
  return ofKind(env.scope.find(declaration), "value", declaration.span, "a variable without storage").expr;
}

/** More iterations than this are taken for a mistake. */
const MOST_ITERATIONS = 4096n;

function collectionOf(env: Env, e: Expression, type: IrType): Expr[] {
  if (e.kind === "range") {
    const low = constantNumber(expression(env, e.low), "the bounds of a range in a for loop");
    const high = constantNumber(expression(env, e.high), "the bounds of a range in a for loop");
    if (high - low >= MOST_ITERATIONS)
      fail(
        CODES.loopOverTooMany,
        e.span,
        `not supported yet: a loop of more than ${MOST_ITERATIONS} iterations`,
      );
    const values: Expr[] = [];
    const target = type.kind === "bits" ? type : bits(32);
    for (let value = low; value <= high; value++) values.push(number(value, target, e.span));
    return values;
  }
  // A list has no form at run time, but its elements do.
  if (e.kind === "cast" && e.type?.kind === "list" && e.operand.kind === "list")
    return e.operand.elements.map((element) => expressionAs(env, element, type));
  const value = expression(env, e);
  if (value.kind === "aggregate") return value.elements;
  if (value.type.kind === "stack") {
    const size = value.type.size;
    const elementType = value.type.element;
    return Array.from({ length: size }, (_, index) => ({
      kind: "element" as const,
      base: value,
      index: number(BigInt(index), bits(32)),
      type: elementType,
      span: e.span,
    }));
  }
  return fail(CODES.loopOverTooMany, e.span, "not supported yet: a for loop over this collection");
}
