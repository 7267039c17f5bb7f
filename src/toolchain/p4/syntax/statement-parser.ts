/** Statements (P4-16 section 12). */

import { CODES } from "../codes.js";
import { parseAnnotations } from "./annotation-parser.js";
import type {
  Annotation,
  BinaryOperator,
  BlockStatement,
  Expression,
  ForInStatement,
  ForStatement,
  Statement,
  SwitchCase,
  SwitchStatement,
  VariableDeclaration,
} from "./ast.js";
import { type Cursor, describe, spanOf } from "./cursor.js";
import { parseExpression, postfixRest } from "./expression-parser.js";
import { rangeRest } from "./key-set-parser.js";
import { parseConstant, parseLocal, parseTypedDeclaration, startsDeclaration } from "./local-parser.js";
import { isName, type Token } from "./token.js";
import { parseType, startsType } from "./type-parser.js";

/** The place of a statement decides which kinds are allowed (section 13.4 for parser states). */
export type StatementContext = "block" | "parserState";

const assignmentOperators = new Map<string, BinaryOperator | undefined>([
  ["=", undefined],
  ...["*", "/", "%", "+", "-", "|+|", "|-|", "<<", ">>", "&", "|", "^"].map(
    (op) => [`${op}=`, op as BinaryOperator] as const,
  ),
]);

/** Words of other languages, and what P4 has instead. */
const foreignWords: Readonly<Record<string, string>> = {
  while: "P4 has loops of the form for (init; condition; update) and for (T x in a .. b)",
  do: "P4 has loops of the form for (init; condition; update) and for (T x in a .. b)",
  elif: "write else if",
  elsif: "write else if",
  elseif: "write else if",
  case: "a label of a switch stands alone: NAME: { ... }",
  goto: "a parser state goes on with: transition NAME;",
};

export function parseBlock(
  cursor: Cursor,
  annotations: Annotation[],
  context: StatementContext,
): BlockStatement {
  const start = cursor.token;
  if (!cursor.at("{")) cursor.failExpected("'{'");
  cursor.advance();
  const scope = cursor.symbols.enter();
  const statements = cursor.nested(() => parseStatements(cursor, context));
  cursor.symbols.leave(scope);
  cursor.expectClose("}", start);
  const span = annotations.length > 0 ? cursor.fromSpan(annotations[0]!.span) : cursor.from(start);
  return { kind: "block", span, annotations, statements };
}

/** Statements up to the closing brace, or in a parser state to its transition. */
export function parseStatements(cursor: Cursor, context: StatementContext): Statement[] {
  return cursor.items(
    () => parseStatement(cursor, context, true),
    startsStatement,
    () => endsBody(cursor.token) || (context === "parserState" && cursor.at("transition")),
  );
}

function startsStatement(token: Token): boolean {
  return ["if", "switch", "for", "return", "exit", "transition", "const"].includes(token.kind);
}

/** Tokens that no statement list contains: before them, a list was left open. */
function endsBody(token: Token): boolean {
  return [
    "control",
    "parser",
    "action",
    "table",
    "extern",
    "package",
    "header",
    "struct",
    "typedef",
  ].includes(token.kind);
}

/** @param declarations whether a variable, constant or instance is allowed here; it is not as the branch of an `if` */
function parseStatement(cursor: Cursor, context: StatementContext, declarations: boolean): Statement {
  const annotations = parseAnnotations(cursor);
  const { token } = cursor;
  const at = <T extends object>(statement: T) => ({ ...statement, span: cursor.from(token), annotations });
  if (
    context === "parserState" &&
    ["switch", "for", "return", "exit", "break", "continue"].includes(token.kind)
  )
    cursor.fail(
      CODES.misplacedStatement,
      token,
      `a ${token.kind} statement cannot stand in a parser`,
      "parser states hold assignments, calls, declarations and if; a choice is made with transition select",
    );
  switch (token.kind) {
    case "{":
      return parseBlock(cursor, annotations, context);
    case ";":
      cursor.advance();
      return at({ kind: "empty" as const });
    case "if":
      return cursor.nested(() => parseIf(cursor, context, annotations));
    case "switch":
      return parseSwitch(cursor, annotations);
    case "for":
      return cursor.nested(() => parseFor(cursor, context, annotations));
    case "return": {
      cursor.advance();
      const value = cursor.at(";") || cursor.at("}") ? undefined : parseExpression(cursor);
      cursor.semicolon("return");
      return at({ kind: "return" as const, value });
    }
    case "exit":
    case "break":
    case "continue":
      cursor.advance();
      cursor.semicolon(token.kind);
      return at({ kind: token.kind });
    case "const": {
      const declaration = parseConstant(cursor, annotations);
      if (!declarations) failDeclarationAsBranch(cursor, token);
      return { kind: "declaration", span: declaration.span, annotations: [], declaration };
    }
    case "else":
      return cursor.fail(
        CODES.elseWithoutIf,
        token,
        "this 'else' belongs to no 'if'",
        "an 'if' ends at the first ';' or '}'",
      );
    default:
      if (startsDeclaration(cursor)) {
        const declaration = parseLocal(cursor, annotations);
        if (!declarations) failDeclarationAsBranch(cursor, token);
        return { kind: "declaration", span: declaration.span, annotations: [], declaration };
      }
      return parseAssignmentOrCall(cursor, annotations, true);
  }
}

function failDeclarationAsBranch(cursor: Cursor, token: Token): never {
  return cursor.fail(
    CODES.misplacedStatement,
    token,
    "a declaration cannot stand here",
    "put it into braces with the statements that use it",
  );
}

function parseIf(cursor: Cursor, context: StatementContext, annotations: Annotation[]): Statement {
  const start = cursor.advance();
  const condition = parseCondition(cursor, "if");
  const whenTrue = parseBranch(cursor, context);
  const whenFalse = cursor.accept("else") ? parseBranch(cursor, context) : undefined;
  return { kind: "if", span: cursor.from(start), annotations, condition, whenTrue, whenFalse };
}

/** A statement with a scope of its own. */
function parseBranch(cursor: Cursor, context: StatementContext): Statement {
  const scope = cursor.symbols.enter();
  const statement = parseStatement(cursor, context, false);
  cursor.symbols.leave(scope);
  return statement;
}

function parseCondition(cursor: Cursor, keyword: string): Expression {
  if (!cursor.at("(")) cursor.failExpected(`'(' after '${keyword}'`);
  const open = cursor.advance();
  const condition = parseExpression(cursor);
  if (cursor.at("="))
    cursor.fail(
      CODES.assignmentAsCondition,
      cursor.token,
      "'=' assigns and has no value here",
      "compare with '=='",
    );
  cursor.expectClose(")", open);
  return condition;
}

function parseSwitch(cursor: Cursor, annotations: Annotation[]): SwitchStatement {
  const start = cursor.advance();
  const subject = parseCondition(cursor, "switch");
  const open = cursor.expect("{", "and the cases of the switch");
  const cases = cursor.items(() => cursor.nested(() => parseSwitchCase(cursor)));
  cursor.expectClose("}", open);
  return { kind: "switch", span: cursor.from(start), annotations, subject, cases };
}

function parseSwitchCase(cursor: Cursor): SwitchCase {
  const start = cursor.token;
  failForeignWord(cursor);
  if (cursor.at("{")) cursor.failExpected("a label of the switch");
  const label: Expression = cursor.accept("default")
    ? { kind: "default", span: spanOf(start) }
    : parseExpression(cursor);
  cursor.expect(":", "after the label");
  const annotations = parseAnnotations(cursor);
  const body =
    cursor.at("{") || annotations.length > 0 ? parseBlock(cursor, annotations, "block") : undefined;
  if (body === undefined && !cursor.at("}") && startsStatement(cursor.token))
    cursor.failExpected("'{' or the next label", "the statements of a case stand in braces");
  return { span: cursor.from(start), label, body };
}

function parseFor(
  cursor: Cursor,
  context: StatementContext,
  annotations: Annotation[],
): ForStatement | ForInStatement {
  const start = cursor.advance();
  if (!cursor.at("(")) cursor.failExpected("'(' after 'for'");
  const open = cursor.advance();
  const scope = cursor.symbols.enter();
  const finish = <T extends object>(loop: T) => {
    cursor.expectClose(")", open);
    const body = parseBranch(cursor, context);
    cursor.symbols.leave(scope);
    return { ...loop, span: cursor.from(start), annotations, body };
  };
  const init: Statement[] = [];
  if (!cursor.at(";")) {
    do {
      const variable = parseForVariable(cursor);
      if (variable !== undefined) {
        cursor.advance();
        const collection = rangeRest(cursor, parseExpression(cursor));
        return finish({ kind: "forIn" as const, variable, collection });
      }
      init.push(parseSimpleStatement(cursor));
    } while (cursor.accept(","));
  }
  cursor.expect(";", "after the start of the loop");
  const condition = parseExpression(cursor);
  cursor.expect(";", "after the condition of the loop");
  const update: Statement[] = [];
  if (!cursor.at(")")) {
    do update.push(parseAssignmentOrCall(cursor, parseAnnotations(cursor), false));
    while (cursor.accept(","));
  }
  return finish({ kind: "for" as const, init, condition, update });
}

/** `T x` before `in`; undefined (and nothing taken) if the loop is of the other form. */
function parseForVariable(cursor: Cursor): VariableDeclaration | undefined {
  const start = cursor.token;
  if (isName(start) && cursor.peek().kind === "in")
    cursor.fail(
      CODES.loopVariableWithoutType,
      start,
      "expected the type of the loop variable before its name",
      `a loop declares its own variable, as in for (bit<8> ${start.text} in 1 .. 6)`,
    );
  if (!isForIn(cursor)) return undefined;
  const annotations = parseAnnotations(cursor);
  const typeExpression = parseType(cursor);
  const name = cursor.name("the loop variable");
  const span = cursor.from(start);
  cursor.symbols.declare(name.name, false);
  if (!cursor.at("in")) cursor.failExpected("'in' and what to loop over");
  return { kind: "variable", span, name, annotations, typeExpression, initializer: undefined };
}

/** Whether an `in` comes before the first `;`, `=` or `{` of the loop's head. */
function isForIn(cursor: Cursor): boolean {
  for (let distance = 0; ; distance++) {
    const { kind } = cursor.peek(distance);
    if (kind === "in") return true;
    if (kind === ";" || kind === "{" || kind === "}" || kind === "=" || kind === "end") return false;
  }
}

/** A declaration, assignment or call without its semicolon. */
function parseSimpleStatement(cursor: Cursor): Statement {
  const annotations = parseAnnotations(cursor);
  if (!startsDeclaration(cursor)) return parseAssignmentOrCall(cursor, annotations, false);
  const declaration = parseTypedDeclaration(cursor, annotations);
  return { kind: "declaration", span: declaration.span, annotations: [], declaration };
}

// ---------------------------------------------------------------- assignments and calls

function parseAssignmentOrCall(cursor: Cursor, annotations: Annotation[], semicolon: boolean): Statement {
  failForeignWord(cursor);
  const start = cursor.token;
  const left = parseTarget(cursor);
  if (assignmentOperators.has(cursor.token.kind)) {
    const operator = cursor.advance();
    if (!isLeftValue(left)) cursor.fail(CODES.notAssignable, left.span, "nothing can be assigned to this");
    const op = assignmentOperators.get(operator.kind);
    const right = parseExpression(cursor);
    if (semicolon) cursor.semicolon("the assignment");
    return { kind: "assignment", span: cursor.from(start), annotations, op, left, right };
  }
  if (left.kind === "call") {
    if (!isLeftValue(left.callee))
      cursor.fail(CODES.notAssignable, left.span, "the result of a call cannot be called");
    if (semicolon) cursor.semicolon("the call");
    return { kind: "callStatement", span: cursor.from(start), annotations, call: left };
  }
  if (cursor.at("++") || (cursor.at("-") && cursor.peek().kind === "-"))
    cursor.fail(
      CODES.countingOperator,
      cursor.token,
      "P4 has no operator to count up or down",
      cursor.at("++") ? "write x = x + 1 or x += 1" : "write x = x - 1 or x -= 1",
    );
  if (cursor.at("=="))
    cursor.fail(
      CODES.comparisonAsStatement,
      cursor.token,
      "expected an assignment or a call, found a comparison",
      "assign with '='",
    );
  return cursor.failExpected("'=' or '(' (a statement is an assignment or a call)");
}

/** The left side of `=`, or the function of a call: a name or type, then members, indexes and calls. */
function parseTarget(cursor: Cursor): Expression {
  const { token } = cursor;
  if (token.kind === "(") {
    cursor.advance();
    const inner = cursor.nested(() => parseTarget(cursor));
    cursor.expectClose(")", token);
    inner.span = cursor.from(token);
    cursor.height = 1;
    return postfixRest(cursor, inner);
  }
  if (token.kind === "this") {
    cursor.advance();
    cursor.height = 1;
    return postfixRest(cursor, { kind: "this", span: spanOf(token) });
  }
  if (startsType(cursor)) {
    const typeExpression = parseType(cursor);
    if (!cursor.at(".")) cursor.failExpected("'.' after the name of a type");
    cursor.height = 1;
    return postfixRest(cursor, { kind: "typeName", span: typeExpression.span, typeExpression });
  }
  if (!isName(token) && token.kind !== ".")
    cursor.fail(CODES.unexpectedToken, token, `expected a statement, found ${describe(token)}`);
  const absolute = cursor.accept(".");
  const name = cursor.name("a name");
  cursor.height = 1;
  return postfixRest(cursor, { kind: "path", span: cursor.from(token), absolute, name });
}

function isLeftValue(expression: Expression): boolean {
  switch (expression.kind) {
    case "path":
    case "this":
    case "typeName":
      return true;
    case "member":
    case "index":
    case "slice":
      return isLeftValue(expression.base);
    default:
      return false;
  }
}

function failForeignWord(cursor: Cursor): void {
  const { token } = cursor;
  if (token.kind !== "identifier" || !Object.hasOwn(foreignWords, token.text)) return;
  const next = cursor.peek().kind;
  if (next === "." || next === "=" || next === ":" || next === "[" || next === ";") return;
  if (cursor.symbols.lookup(token.text) !== undefined) return;
  cursor.fail(
    CODES.foreignStatement,
    token,
    `P4 has no statement '${token.text}'`,
    foreignWords[token.text]!,
  );
}
