/** Variables, constants and instances, wherever they are allowed (P4-16 section 11). */
import { CODES } from "../codes.js";
import type {
  Annotation,
  ConstantDeclaration,
  InstanceDeclaration,
  TypeExpression,
  VariableDeclaration,
} from "./ast.js";
import type { Cursor } from "./cursor.js";
import { parseObjectBody } from "./declaration-parser.js";
import { parseArguments, parseExpression } from "./expression-parser.js";
import { isName, type Token } from "./token.js";
import { parseStackSuffix, parseType, startsType } from "./type-parser.js";

/** Whether what follows declares something: it begins with a type that is not the begin of an expression. */
export function startsDeclaration(cursor: Cursor): boolean {
  const { token } = cursor;
  if (startsType(cursor)) {
    if (token.kind === ".") return cursor.peek(2).kind !== ".";
    if (!isName(token)) return true;
    return !isMemberOfType(cursor);
  }
  // `Unknown x`: the checker says that there is no such type.
  return isName(token) && isName(cursor.peek()) && !cursor.peek().newline;
}

/** `T.apply(...)` or `T<A>.apply(...)`. */
function isMemberOfType(cursor: Cursor): boolean {
  let distance = 1;
  if (cursor.peek(distance).kind === "<") {
    for (let depth = 0; ; distance++) {
      const { kind } = cursor.peek(distance);
      if (kind === "<") depth++;
      else if (kind === ">" && --depth === 0) break;
      else if (kind === ";" || kind === "{" || kind === "end") return false;
    }
    distance++;
  }
  return cursor.peek(distance).kind === ".";
}

/** `const T NAME = value;` */
export function parseConstant(cursor: Cursor, annotations: Annotation[]): ConstantDeclaration {
  const start = cursor.advance();
  const typeStart = cursor.token;
  let typeExpression = parseType(cursor);
  const name = cursor.name("the name of the constant");
  while (cursor.at("[")) typeExpression = parseStackSuffix(cursor, typeExpression, typeStart);
  if (!cursor.at("=")) cursor.failExpected("'=' and the value of the constant");
  cursor.advance();
  const initializer = parseExpression(cursor);
  cursor.semicolon("the constant");
  cursor.symbols.declare(name.name, false);
  const span = annotations.length > 0 ? cursor.fromSpan(annotations[0]!.span) : cursor.from(start);
  return { kind: "constant", span, name, annotations, typeExpression, initializer };
}

/** `T x`, `T x = value`, `T(args) x`, `T(args) x = { methods }`, without the semicolon. */
export function parseTypedDeclaration(
  cursor: Cursor,
  annotations: Annotation[],
): VariableDeclaration | InstanceDeclaration {
  const start = cursor.token;
  return declarationRest(cursor, annotations, start, parseType(cursor));
}

/** The same with its semicolon. */
export function parseLocal(
  cursor: Cursor,
  annotations: Annotation[],
): VariableDeclaration | InstanceDeclaration {
  return withSemicolon(cursor, parseTypedDeclaration(cursor, annotations));
}

/** Takes the semicolon of a declaration and adds it to its span. */
export function withSemicolon<T extends VariableDeclaration | InstanceDeclaration>(
  cursor: Cursor,
  declaration: T,
): T {
  cursor.semicolon("the declaration");
  declaration.span = cursor.fromSpan(declaration.span);
  return declaration;
}

/** Like {@link parseTypedDeclaration}, after the type was read. */
export function declarationRest(
  cursor: Cursor,
  annotations: Annotation[],
  start: Token,
  type: TypeExpression,
): VariableDeclaration | InstanceDeclaration {
  const span = () => (annotations.length > 0 ? cursor.fromSpan(annotations[0]!.span) : cursor.from(start));
  let typeExpression = type;
  if (cursor.at("(")) {
    const args = parseArguments(cursor);
    if (cursor.at("."))
      cursor.fail(
        CODES.misplacedStatement,
        cursor.token,
        "a statement cannot begin with a constructor call",
        "declare an instance outside of apply, or call T.apply(...)",
      );
    const name = cursor.name("the name of the instance");
    while (cursor.at("[")) typeExpression = parseStackSuffix(cursor, typeExpression, start);
    const body = cursor.at("=") ? parseObjectBody(cursor) : undefined;
    cursor.symbols.declare(name.name, false);
    return { kind: "instance", span: span(), name, annotations, typeExpression, args, body };
  }
  const name = cursor.name("the name of the variable");
  while (cursor.at("[")) typeExpression = parseStackSuffix(cursor, typeExpression, start);
  const initializer = cursor.accept("=") ? parseExpression(cursor) : undefined;
  cursor.symbols.declare(name.name, false);
  return { kind: "variable", span: span(), name, annotations, typeExpression, initializer };
}
