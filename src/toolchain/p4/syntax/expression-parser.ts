/** Expressions (P4-16 section 8, grammar `expression`) by precedence climbing. */
import { CODES } from "../codes.js";
import type {
  Argument,
  BinaryOperator,
  Expression,
  ListExpression,
  PathExpression,
  StructExpression,
  TypeExpression,
} from "./ast.js";
import { type Cursor, spanOf } from "./cursor.js";
import { parseIntLiteral } from "./number.js";
import { sliceFrom } from "./plus-slice.js";
import { isName, type Token } from "./token.js";
import { parseNamedType, parseType, parseTypeArguments, startsType, unclosed } from "./type-parser.js";

/** How tightly binary operators bind; all are left-associative. */
export const binaryPrecedence: ReadonlyMap<string, number> = new Map(
  [
    ["||"],
    ["&&"],
    ["==", "!="],
    ["<", ">", "<=", ">="],
    ["|"],
    ["^"],
    ["&"],
    ["<<", ">>"],
    ["+", "-", "++", "|+|", "|-|"],
    ["*", "/", "%"],
  ].flatMap((operators, index) => operators.map((op) => [op, index + 1] as const)),
);

/** `condition ? a : b` and all that binds more tightly. */
export function parseExpression(cursor: Cursor): Expression {
  return cursor.nested(() => conditionalRest(cursor, binary(cursor, 1)));
}

/** What may follow an operand in parentheses that was already read. */
export function continueExpression(cursor: Cursor, operand: Expression): Expression {
  return conditionalRest(cursor, binaryRest(cursor, postfixRest(cursor, operand), 1));
}

/** `?:` groups to the left, as in p4c's grammar: `a ? b : c ? d : e` is `(a ? b : c) ? d : e`. */
function conditionalRest(cursor: Cursor, first: Expression): Expression {
  let condition = first;
  while (cursor.at("?")) {
    const height = cursor.height;
    cursor.advance();
    const whenTrue = unclosed(cursor, () => parseExpression(cursor));
    const heightTrue = cursor.height;
    cursor.expect(":", "and the value for when the condition is false");
    const whenFalse = cursor.nested(() => binary(cursor, 1));
    cursor.grow(Math.max(height, heightTrue, cursor.height));
    condition = {
      kind: "conditional",
      span: cursor.fromSpan(condition.span),
      condition,
      whenTrue,
      whenFalse,
    };
  }
  return condition;
}

function binary(cursor: Cursor, least: number): Expression {
  return binaryRest(cursor, unary(cursor), least);
}

function binaryRest(cursor: Cursor, left: Expression, least: number): Expression {
  for (;;) {
    let op = cursor.token.kind;
    if (op === ">") {
      if (cursor.closingAngle) return left;
      if (isShiftRight(cursor)) op = ">>";
    }
    const precedence = binaryPrecedence.get(op);
    if (precedence === undefined || precedence < least) return left;
    const height = cursor.height;
    cursor.advance();
    if (op === ">>") cursor.advance();
    if (op === "++" && cursor.at(";"))
      cursor.fail(
        CODES.countingOperator,
        cursor.previous,
        "P4 has no operator to count up: write x = x + 1 or x += 1",
      );
    const right = cursor.nested(() => binary(cursor, precedence + 1));
    cursor.grow(Math.max(height, cursor.height));
    left = { kind: "binary", span: cursor.fromSpan(left.span), op: op as BinaryOperator, left, right };
  }
}

/** Two `>` without anything between them. */
function isShiftRight(cursor: Cursor): boolean {
  const next = cursor.peek();
  return next.kind === ">" && !next.space && !next.newline;
}

function unary(cursor: Cursor): Expression {
  const { token } = cursor;
  switch (token.kind) {
    case "!":
    case "~":
    case "-":
    case "+": {
      const op = token.kind;
      cursor.advance();
      const operand = cursor.nested(() => unary(cursor));
      cursor.grow(cursor.height);
      return { kind: "unary", span: cursor.from(token), op, operand };
    }
    case "(":
      return parenthesised(cursor);
    default:
      return postfixRest(cursor, primary(cursor));
  }
}

/** A cast, or an expression in parentheses and what follows it. */
function parenthesised(cursor: Cursor): Expression {
  const open = cursor.advance();
  if (!startsType(cursor)) {
    const inner = unclosed(cursor, () => parseExpression(cursor));
    cursor.expectClose(")", open);
    if (inner.kind === "path" && looksLikeCast(cursor, inner)) {
      const { span, absolute, name } = inner;
      return castTo(cursor, open, { kind: "namedType", span, absolute, name, args: [] });
    }
    inner.span = cursor.from(open);
    return postfixRest(cursor, inner);
  }
  const type = unclosed(cursor, () => parseType(cursor));
  if (cursor.accept(")")) return castTo(cursor, open, type);
  // `(E.member ...)` or `(T(...) ...)`.
  const inner = unclosed(cursor, () =>
    cursor.nested(() => continueExpression(cursor, typeOperand(cursor, type))),
  );
  cursor.expectClose(")", open);
  inner.span = cursor.from(open);
  return postfixRest(cursor, inner);
}

function castTo(cursor: Cursor, open: Token, target: TypeExpression): Expression {
  const operand = cursor.nested(() => unary(cursor));
  cursor.grow(cursor.height);
  return { kind: "cast", span: cursor.from(open), target, operand };
}

/** `(name) x` with a name that is not declared: the checker will say that there is no such type. */
function looksLikeCast(cursor: Cursor, path: PathExpression): boolean {
  if (cursor.symbols.lookup(path.name.name, path.absolute) !== undefined) return false;
  return (
    isName(cursor.token) ||
    ["integer", "stringLiteral", "true", "false", "{", "~", "!"].includes(cursor.token.kind)
  );
}

/** A type in the place of an operand: it must be followed by a member or a constructor call, which give a value. */
function typeOperand(cursor: Cursor, typeExpression: TypeExpression): Expression {
  if (!cursor.at(".") && !cursor.at("("))
    cursor.failExpected(
      "'.' or '(' after the name of a type",
      "a value is converted with (T) value; a type alone has no value",
    );
  cursor.height = 1;
  return { kind: "typeName", span: typeExpression.span, typeExpression };
}

function primary(cursor: Cursor): Expression {
  const { token } = cursor;
  cursor.height = 1;
  switch (token.kind) {
    case "integer":
      return parseIntLiteral(cursor, cursor.advance());
    case "stringLiteral":
      cursor.advance();
      return { kind: "stringLiteral", span: spanOf(token), value: token.text };
    case "true":
    case "false":
      cursor.advance();
      return { kind: "boolLiteral", span: spanOf(token), value: token.kind === "true" };
    case "this":
      cursor.advance();
      return { kind: "this", span: spanOf(token) };
    case "...":
      cursor.advance();
      return { kind: "dots", span: spanOf(token) };
    case "{#}":
      cursor.advance();
      return { kind: "invalid", span: spanOf(token) };
    case "{":
      return unclosed(cursor, () => parseBraces(cursor));
    case "error": {
      cursor.advance();
      if (!cursor.at(".")) cursor.failExpected("'.' and the name of an error");
      const span = spanOf(token);
      return { kind: "typeName", span, typeExpression: { kind: "baseType", span, name: "error" } };
    }
    case "default":
    case "_":
      return cursor.fail(
        CODES.keySetAsValue,
        token,
        `'${token.text}' stands only as a whole key of a select, switch or entry`,
      );
    default:
      if (isName(token) || token.kind === ".") return pathOrType(cursor);
      if (startsType(cursor)) {
        const type = parseType(cursor);
        return cursor.fail(
          CODES.typeAsValue,
          type.span,
          "expected a value, found a type",
          "a cast is written (bit<8>) value",
        );
      }
      return cursor.failExpected("an expression");
  }
}

function pathOrType(cursor: Cursor): Expression {
  const start = cursor.token;
  const absolute = start.kind === ".";
  const word = absolute ? cursor.peek() : start;
  if (isName(word) && cursor.symbols.lookup(word.text, absolute)?.isType)
    return typeOperand(cursor, parseNamedType(cursor));
  if (absolute) cursor.advance();
  const name = cursor.name("a name");
  return { kind: "path", span: cursor.from(start), absolute, name };
}

/** Members, indexes, slices and calls after an operand. */
export function postfixRest(cursor: Cursor, operand: Expression): Expression {
  for (;;) {
    switch (cursor.token.kind) {
      case ".": {
        const height = cursor.height;
        cursor.advance();
        const member = cursor.name("the name of a member after '.'");
        cursor.grow(height);
        operand = { kind: "member", span: cursor.fromSpan(operand.span), base: operand, member };
        break;
      }
      case "[":
        operand = indexOrSlice(cursor, operand);
        break;
      case "(": {
        const { height } = cursor;
        const args = parseArguments(cursor);
        cursor.grow(Math.max(height, cursor.height));
        operand = { kind: "call", span: cursor.fromSpan(operand.span), callee: operand, typeArgs: [], args };
        break;
      }
      case "<": {
        if (!startsTypeArguments(cursor, operand)) return operand;
        const { height } = cursor;
        const typeArgs = parseTypeArguments(cursor);
        const args = parseArguments(cursor);
        cursor.grow(Math.max(height, cursor.height));
        operand = { kind: "call", span: cursor.fromSpan(operand.span), callee: operand, typeArgs, args };
        break;
      }
      default:
        return operand;
    }
  }
}

/** Whether `<` opens type arguments and does not compare: decided by what is known to be a type or generic. */
function startsTypeArguments(cursor: Cursor, callee: Expression): boolean {
  if (callee.kind !== "path" && callee.kind !== "member") return false;
  if (callee.kind === "path") {
    const info = cursor.symbols.lookup(callee.name.name, callee.absolute);
    if (info?.isGeneric) return true;
  }
  const first = cursor.peek();
  const second = cursor.peek(2);
  if (first.kind === "_") return true;
  if (startsType(cursor, 1)) {
    if (!isName(first) && first.kind !== ".") return true;
    const after = first.kind === "." ? cursor.peek(3) : second;
    return [">", ",", "<", "["].includes(after.kind);
  }
  // `f<T>()` with an unknown T: no comparison can end in `>()`.
  return isName(first) && second.kind === ">" && cursor.peek(3).kind === "(" && cursor.peek(4).kind === ")";
}

function indexOrSlice(cursor: Cursor, base: Expression): Expression {
  let { height } = cursor;
  const open = cursor.advance();
  return unclosed(cursor, () => {
    const first = parseExpression(cursor);
    height = Math.max(height, cursor.height);
    if (cursor.at(":") || cursor.at("+:")) {
      const plus = cursor.advance().kind === "+:";
      const second = parseExpression(cursor);
      cursor.grow(Math.max(height, cursor.height));
      cursor.expectClose("]", open);
      const span = cursor.fromSpan(base.span);
      if (plus) return sliceFrom(cursor, span, base, first, second);
      return { kind: "slice", span, base, high: first, low: second };
    }
    cursor.grow(height);
    cursor.expectClose("]", open);
    return { kind: "index", span: cursor.fromSpan(base.span), base, index: first };
  });
}

/** `(a, name = b, _)`; leaves in `cursor.height` the largest height of an argument. */
export function parseArguments(cursor: Cursor): Argument[] {
  if (!cursor.at("(")) cursor.failExpected("'(' and the arguments");
  const open = cursor.advance();
  const args: Argument[] = [];
  let height = 0;
  unclosed(cursor, () => {
    if (cursor.at(")")) return;
    do {
      const start = cursor.token;
      const named = isName(start) && cursor.peek().kind === "=";
      const name = named ? cursor.name("the name of a parameter") : undefined;
      if (named) cursor.advance();
      const value: Expression = cursor.at("_")
        ? { kind: "dontCare", span: spanOf(cursor.advance()) }
        : parseExpression(cursor);
      height = Math.max(height, cursor.height);
      args.push({ span: cursor.from(start), name, value });
    } while (cursor.accept(","));
  });
  cursor.expectClose(")", open);
  cursor.height = height;
  return args;
}

/** `{ a, b }`, `{ f = a, g = b }`, each with a trailing comma or `...`. */
function parseBraces(cursor: Cursor): ListExpression | StructExpression {
  const open = cursor.advance();
  let height = 0;
  const value = () => {
    const expression = parseExpression(cursor);
    height = Math.max(height, cursor.height);
    return expression;
  };
  let result: ListExpression | StructExpression;
  if (isName(cursor.token) && cursor.peek().kind === "=") {
    const fields: StructExpression["fields"] = [];
    let dots = false;
    do {
      if (cursor.at("}")) break;
      if (cursor.accept("...")) {
        dots = true;
        cursor.accept(",");
        break;
      }
      const name = cursor.name("the name of a field");
      cursor.expect("=", "and the value of the field");
      fields.push({ name, value: value() });
    } while (cursor.accept(","));
    cursor.expectClose("}", open);
    result = { kind: "struct", span: cursor.from(open), fields, dots };
  } else {
    const elements: Expression[] = [];
    while (!cursor.at("}")) {
      elements.push(value());
      if (!cursor.accept(",")) break;
    }
    cursor.expectClose("}", open);
    const dots = elements.at(-1)?.kind === "dots";
    if (dots) elements.pop();
    result = { kind: "list", span: cursor.from(open), elements, dots };
  }
  cursor.grow(height);
  return result;
}
