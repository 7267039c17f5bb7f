/** Statements (section 12): what each needs, and where each is allowed. */
import type { Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  AssignmentStatement,
  BlockStatement,
  Expression,
  ForInStatement,
  ForStatement,
  ReturnStatement,
  Statement,
  VariableDeclaration,
} from "../syntax/ast.js";
import { BOOL, INTEGER, typeToString, UNKNOWN } from "./algebra.js";
import { checkAnnotations } from "./annotations.js";
import { binaryType } from "./binary.js";
import { type Checker, isUnknown } from "./checker.js";
import { coerce } from "./coerce.js";
import { checkExpression } from "./expressions.js";
import { lvalueProblem } from "./lvalue.js";
import { checkConstant, checkInstance, checkVariable } from "./objects.js";
import { checkSwitch } from "./switch.js";
import type { Type } from "./type.js";
import { resolveType } from "./type-expressions.js";

/** A block in a scope of its own. */
export function checkBlock(cx: Checker, block: BlockStatement): void {
  checkAnnotations(cx, block.annotations, "block");
  cx.scoped(() => checkStatements(cx, block.statements));
}

export function checkStatements(cx: Checker, statements: readonly Statement[]): void {
  let left: Statement | undefined;
  for (const statement of statements) {
    if (left !== undefined && statement.kind !== "empty") {
      cx.warning(CODES.neverReached, statement.span, "this statement is never reached", {
        message: "control leaves here",
        span: left.span,
      });
      left = undefined;
    }
    checkStatement(cx, statement);
    if (["return", "exit", "break", "continue"].includes(statement.kind)) left = statement;
  }
}

function checkStatement(cx: Checker, s: Statement): void {
  switch (s.kind) {
    case "empty":
      return;
    case "declaration":
      checkLocal(cx, s.declaration);
      return;
    case "assignment":
      checkAssignment(cx, s);
      return;
    case "callStatement": {
      const type = checkExpression(cx, s.call);
      if (s.call.resolved?.kind === "constructor")
        cx.error(
          CODES.instanceInWrongPlace,
          s.span,
          "an instance that is not declared with a name cannot be used",
        );
      else if (type.kind !== "unknown") checkUnusedResult(cx, s.call, type);
      return;
    }
    case "block":
      checkBlock(cx, s);
      return;
    case "if":
      checkCondition(cx, s.condition);
      cx.scoped(() => checkStatement(cx, s.whenTrue));
      if (s.whenFalse !== undefined) cx.scoped(() => checkStatement(cx, s.whenFalse!));
      return;
    case "switch":
      checkSwitch(cx, s);
      return;
    case "for":
      checkFor(cx, s);
      return;
    case "forIn":
      checkForIn(cx, s);
      return;
    case "return":
      checkReturn(cx, s);
      return;
    case "exit":
      if (!["apply", "action"].includes(cx.place.kind))
        cx.error(CODES.jumpInWrongPlace, s.span, `'exit' can only be used in a control or an action`);
      return;
    case "break":
    case "continue":
      if (cx.loops === 0) cx.error(CODES.jumpInWrongPlace, s.span, `'${s.kind}' can only be used in a loop`);
      return;
  }
}

function checkUnusedResult(cx: Checker, call: Expression, type: Type): void {
  if (call.kind !== "call" || call.resolved?.kind !== "builtin" || type.kind === "void") return;
  cx.warning(CODES.unusedResult, call.span, `the result of '${call.resolved.method}' is not used`);
}

function checkLocal(
  cx: Checker,
  declaration: Extract<Statement, { kind: "declaration" }>["declaration"],
): void {
  switch (declaration.kind) {
    case "variable":
      checkVariable(cx, declaration);
      return;
    case "constant":
      checkConstant(cx, declaration);
      return;
    case "instance":
      checkInstance(cx, declaration);
      return;
  }
}

function checkCondition(cx: Checker, condition: Expression): void {
  const type = checkExpression(cx, condition);
  if (isUnknown(type) || type.kind === "bool") return;
  const advice =
    type.kind === "bit" || type.kind === "int" || type.kind === "integer" ? ["compare it, as in x != 0"] : [];
  cx.mismatch(condition.span, BOOL, type, "a condition", ...advice);
}

function checkAssignment(cx: Checker, s: AssignmentStatement): void {
  const left = checkExpression(cx, s.left);
  if (left.kind !== "unknown") {
    const problem = lvalueProblem(cx, s.left);
    if (problem !== undefined) {
      cx.error(CODES.notWritable, s.left.span, `this cannot be assigned to: ${problem}`);
      checkExpression(cx, s.right, left);
      return;
    }
    if (left.kind === "extern" || left.kind === "parser" || left.kind === "control" || left.kind === "void") {
      cx.error(CODES.notWritable, s.left.span, `values of type ${typeToString(left)} cannot be assigned`);
      checkExpression(cx, s.right);
      return;
    }
  }
  const right = checkExpression(cx, s.right, s.op === undefined ? left : undefined);
  if (s.op === undefined) {
    coerceValue(cx, s.right, left, "the right side");
    return;
  }
  if (isUnknown(left) || isUnknown(right)) return;
  const operation = { op: s.op, left: s.left, right: s.right, span: s.span };
  const result = binaryType(cx, operation, left, right);
  delete s.left.implicitCast;
  if (!isUnknown(result)) requireSame(cx, s.span, result, left);
}

function requireSame(cx: Checker, span: Span, result: Type, left: Type): void {
  if (typeToString(result) !== typeToString(left))
    cx.mismatch(span, left, result, "the value of the assignment");
}

/** Like coerce, for places with special messages for names that are not values. */
export function coerceValue(cx: Checker, e: Expression, target: Type, what: string): void {
  const type = e.type ?? UNKNOWN;
  if (
    ["typeName", "table", "action", "function", "state", "applyResult", "actionRun", "void"].includes(
      type.kind,
    )
  ) {
    cx.error(CODES.wrongKindOfName, e.span, `${what} must be a value, this is ${typeToString(type)}`);
    return;
  }
  if (target.kind === "newType" && type.kind === "integer" && "width" in target.underlying) {
    // Like p4c: a plain number can be assigned to a new type over bit<W> or int<W>.
    if (coerce(cx, e, target.underlying, what)) e.implicitCast = target;
    return;
  }
  coerce(cx, e, target, what);
}

function checkReturn(cx: Checker, s: ReturnStatement): void {
  const { kind, returns } = cx.place;
  if (kind === "state" || kind === "parserLocals") {
    cx.error(CODES.jumpInWrongPlace, s.span, "'return' cannot be used in a parser");
    return;
  }
  const expected = returns !== undefined && returns.kind !== "void" ? returns : undefined;
  if (s.value === undefined) {
    if (expected !== undefined)
      cx.error(
        CODES.returnValue,
        s.span,
        `the function returns ${typeToString(expected)}: 'return' needs a value`,
      );
    return;
  }
  const type = checkExpression(cx, s.value, expected);
  if (expected !== undefined) coerceValue(cx, s.value, expected, "the value returned");
  else if (type.kind !== "unknown" || returns?.kind === "void" || returns === undefined)
    cx.error(
      CODES.returnValue,
      s.value.span,
      kind === "function" || kind === "abstractMethod"
        ? "a void function returns no value"
        : `'return' in ${kind === "action" ? "an action" : "a control"} takes no value`,
    );
}

function checkFor(cx: Checker, s: ForStatement): void {
  checkAnnotations(cx, s.annotations, "other");
  cx.scoped(() => {
    for (const init of s.init) checkStatement(cx, init);
    checkCondition(cx, s.condition);
    cx.loops++;
    for (const update of s.update) checkStatement(cx, update);
    cx.scoped(() => checkStatement(cx, s.body));
    cx.loops--;
  });
}

function checkForIn(cx: Checker, s: ForInStatement): void {
  checkAnnotations(cx, s.annotations, "other");
  cx.scoped(() => {
    const collection = checkExpression(cx, s.collection);
    const declared = isVariable(s.variable) ? s.variable : undefined;
    let type: Type;
    if (declared !== undefined) {
      checkAnnotations(cx, declared.annotations, "other");
      type = resolveType(cx, declared.typeExpression);
      declared.type = type;
      cx.declare(declared);
    } else {
      const target = s.variable as Expression;
      type = checkExpression(cx, target);
      const problem = lvalueProblem(cx, target);
      if (problem !== undefined)
        cx.error(CODES.notWritable, target.span, `the loop cannot set this: ${problem}`);
    }
    checkElements(cx, s.collection, collection, type);
    cx.loops++;
    cx.scoped(() => checkStatement(cx, s.body));
    cx.loops--;
  });
}

function isVariable(v: VariableDeclaration | Expression): v is VariableDeclaration {
  return v.kind === "variable";
}

function checkElements(cx: Checker, e: Expression, collection: Type, variable: Type): void {
  if (isUnknown(collection) && collection.kind === "unknown") return;
  switch (collection.kind) {
    case "set":
      if (e.kind !== "range") break;
      if (
        variable.kind !== "bit" &&
        variable.kind !== "int" &&
        variable.kind !== "integer" &&
        !isUnknown(variable)
      ) {
        cx.error(
          CODES.rangeOfNoNumbers,
          e.span,
          `a range holds numbers, the loop variable is ${typeToString(variable)}`,
        );
        return;
      }
      coerce(cx, e.low, variable, "the first value");
      coerce(cx, e.high, variable, "the last value");
      e.type = { kind: "set", element: variable };
      return;
    case "tuple":
      if (e.kind !== "list") break;
      for (const element of e.elements) coerce(cx, element, variable, "the element");
      return;
    case "stack":
    case "list":
      if (typeToString(collection.element) !== typeToString(variable) && collection.element !== INTEGER)
        cx.mismatch(e.span, variable, collection.element, "an element of the collection");
      return;
  }
  cx.error(
    CODES.loopCollection,
    e.span,
    `a for loop runs over a range a..b, a stack or a list, this is ${typeToString(collection)}`,
  );
}

/** Whether control never reaches what follows a statement. */
export function leaves(s: Statement): boolean {
  switch (s.kind) {
    case "return":
    case "exit":
      return true;
    case "block":
      return s.statements.some(leaves);
    case "if":
      return s.whenFalse !== undefined && leaves(s.whenTrue) && leaves(s.whenFalse);
    case "switch": {
      if (!s.cases.some((branch) => branch.label.kind === "default")) return false;
      const last = s.cases[s.cases.length - 1];
      return (
        last?.body !== undefined &&
        s.cases.every((branch) => branch.body === undefined || leaves(branch.body))
      );
    }
    default:
      return false;
  }
}
