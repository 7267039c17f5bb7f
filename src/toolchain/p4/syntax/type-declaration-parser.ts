/** Declarations of types: structs, headers, enums, typedefs, errors, match kinds, externs (P4-16 section 7). */
import { CODES } from "../codes.js";
import { parseAnnotations } from "./annotation-parser.js";
import type {
  Annotation,
  Declaration,
  EnumDeclaration,
  EnumMember,
  ErrorDeclaration,
  ExternDeclaration,
  FieldDeclaration,
  FunctionDeclaration,
  MatchKindDeclaration,
  StructLikeDeclaration,
} from "./ast.js";
import type { Cursor } from "./cursor.js";
import {
  declarationSpan,
  parseParameters,
  parsePrototype,
  parseTypeParameters,
} from "./declaration-parser.js";
import { parseExpression } from "./expression-parser.js";
import { isName } from "./token.js";
import { parseStackSuffix, parseType } from "./type-parser.js";

const structKinds: Readonly<Record<string, StructLikeDeclaration["kind"]>> = {
  struct: "struct",
  header: "header",
  header_union: "headerUnion",
};

export function parseStructLike(cursor: Cursor, annotations: Annotation[]): StructLikeDeclaration {
  const start = cursor.advance();
  const name = cursor.name(`the name of the ${start.text}`);
  cursor.symbols.declare(name.name, true, cursor.at("<"));
  const scope = cursor.symbols.enter();
  const typeParams = parseTypeParameters(cursor);
  const open = cursor.expect("{", "and the fields");
  const fields = cursor.items(() => parseField(cursor));
  cursor.symbols.leave(scope);
  cursor.expectClose("}", open);
  const kind = structKinds[start.kind]!;
  return { kind, span: declarationSpan(cursor, annotations, start), name, annotations, typeParams, fields };
}

function parseField(cursor: Cursor): FieldDeclaration {
  const start = cursor.token;
  const annotations = parseAnnotations(cursor);
  const typeStart = cursor.token;
  let typeExpression = parseType(cursor, "the type of a field");
  const name = cursor.name("the name of the field");
  while (cursor.at("[")) typeExpression = parseStackSuffix(cursor, typeExpression, typeStart);
  if (cursor.at("="))
    cursor.fail(
      CODES.fieldInitializer,
      cursor.token,
      "a field has no initial value",
      "assign it where the program starts",
    );
  if (cursor.at(",")) {
    cursor.error(CODES.missingSemicolon, cursor.token, "fields end with ';', not ','");
    cursor.advance();
  } else cursor.semicolon("the field");
  return { span: cursor.from(start), annotations, typeExpression, name };
}

/** `enum E { a, b }` or `enum bit<8> E { a = 1, b = 2 }`. */
export function parseEnum(cursor: Cursor, annotations: Annotation[]): EnumDeclaration {
  const start = cursor.advance();
  const plain = isName(cursor.token) && cursor.peek().kind === "{";
  const underlying = plain ? undefined : parseType(cursor, "the name or underlying type of the enum");
  const name = cursor.name("the name of the enum");
  cursor.symbols.declare(name.name, true);
  const members = parseMembers(cursor, underlying !== undefined, true);
  const span = declarationSpan(cursor, annotations, start);
  return { kind: "enum", span, name, annotations, underlying, members };
}

/** `{ a, b }`, with values where the enum has an underlying type. */
function parseMembers(cursor: Cursor, withValues: boolean, trailingComma: boolean): EnumMember[] {
  const open = cursor.expect("{", "and the members");
  const members: EnumMember[] = [];
  do {
    if (trailingComma && members.length > 0 && cursor.at("}")) break;
    const annotationStart = cursor.token;
    const annotations = parseAnnotations(cursor);
    const name = cursor.name("the name of a member");
    if (withValues && !cursor.at("="))
      cursor.failExpected(
        "'=' and the value of the member",
        "an enum with an underlying type gives every member a value",
      );
    if (!withValues && cursor.at("="))
      cursor.fail(
        CODES.enumValueWithoutType,
        cursor.token,
        "only an enum with an underlying type gives its members values",
        "write enum bit<8> NAME { a = 1 }",
      );
    const value = cursor.accept("=") ? parseExpression(cursor) : undefined;
    members.push({ kind: "enumMember", span: cursor.from(annotationStart), name, annotations, value });
    if (cursor.at(";"))
      cursor.fail(CODES.memberSeparator, cursor.token, "members are separated by ',', not ';'");
  } while (cursor.accept(","));
  cursor.expectClose("}", open);
  return members;
}

export function parseErrors(cursor: Cursor, annotations: Annotation[]): ErrorDeclaration {
  const start = cursor.advance();
  const name = { name: "error", span: { file: start.file, start: start.start, end: start.end } };
  const members = parseMembers(cursor, false, false);
  return { kind: "error", span: declarationSpan(cursor, annotations, start), name, annotations, members };
}

export function parseMatchKinds(cursor: Cursor, annotations: Annotation[]): MatchKindDeclaration {
  const start = cursor.advance();
  const name = { name: "match_kind", span: { file: start.file, start: start.start, end: start.end } };
  const members = parseMembers(cursor, false, true);
  return { kind: "matchKind", span: declarationSpan(cursor, annotations, start), name, annotations, members };
}

/** `typedef T N;`, `type T N;`; `typedef struct S { ... } N;` declares S too. */
export function parseTypedef(cursor: Cursor, annotations: Annotation[]): Declaration[] {
  const start = cursor.advance();
  const declarations: Declaration[] = [];
  const typeStart = cursor.token;
  const inner = parseAnnotations(cursor);
  let typeExpression: ReturnType<typeof parseType>;
  if (start.kind === "typedef" && (cursor.token.kind in structKinds || cursor.at("enum"))) {
    const declared = cursor.at("enum") ? parseEnum(cursor, inner) : parseStructLike(cursor, inner);
    declarations.push(declared);
    typeExpression = {
      kind: "namedType",
      span: declared.name.span,
      absolute: false,
      name: declared.name,
      args: [],
    };
  } else typeExpression = parseType(cursor, "the type to give a name to");
  const name = cursor.name("the new name of the type");
  while (cursor.at("[")) typeExpression = parseStackSuffix(cursor, typeExpression, typeStart);
  cursor.symbols.declare(name.name, true);
  cursor.semicolon(`the ${start.text}`);
  const span = declarationSpan(cursor, annotations, start);
  const isNew = start.kind === "type";
  declarations.push({ kind: "typedef", span, name, annotations, isNew, typeExpression });
  return declarations;
}

/** An extern object or function; `extern T;` only makes the name known. */
export function parseExtern(cursor: Cursor, annotations: Annotation[]): Declaration[] {
  const start = cursor.advance();
  if (isName(cursor.token) && cursor.peek().kind === ";") {
    cursor.symbols.declare(cursor.advance().text, true);
    cursor.advance();
    return [];
  }
  if (isName(cursor.token) && isExternObject(cursor)) return [parseExternObject(cursor, annotations, start)];
  const scope = cursor.symbols.depth;
  const returnType = parseType(cursor, "an extern object or the type that the extern function returns");
  const declaration = parsePrototype(cursor, annotations, start, returnType, false);
  cursor.symbols.leave(scope);
  cursor.semicolon("the extern function");
  return [{ ...declaration, span: declarationSpan(cursor, annotations, start) }];
}

/** `NAME {` or `NAME<A, B> {`. */
function isExternObject(cursor: Cursor): boolean {
  let distance = 1;
  if (cursor.peek(distance).kind === "<") {
    while (
      cursor.peek(distance).kind === "<" ||
      cursor.peek(distance).kind === "," ||
      isName(cursor.peek(distance))
    )
      distance++;
    if (cursor.peek(distance).kind !== ">") return false;
    distance++;
  }
  return cursor.peek(distance).kind === "{";
}

function parseExternObject(
  cursor: Cursor,
  annotations: Annotation[],
  start: ReturnType<Cursor["advance"]>,
): ExternDeclaration {
  const name = cursor.name("the name of the extern");
  cursor.symbols.declare(name.name, true, cursor.at("<"));
  const scope = cursor.symbols.enter();
  const typeParams = parseTypeParameters(cursor);
  const open = cursor.expect("{", "and the methods of the extern");
  const constructors: FunctionDeclaration[] = [];
  const methods: FunctionDeclaration[] = [];
  cursor.items(() => {
    const depth = cursor.symbols.depth;
    const method = parseMethod(cursor, name.name);
    cursor.symbols.leave(depth);
    (method.returnType === undefined ? constructors : methods).push(method);
    return method;
  });
  cursor.symbols.leave(scope);
  cursor.expectClose("}", open);
  const span = declarationSpan(cursor, annotations, start);
  return { kind: "extern", span, name, annotations, typeParams, constructors, methods };
}

function parseMethod(cursor: Cursor, externName: string): FunctionDeclaration {
  const annotations = parseAnnotations(cursor);
  const start = cursor.token;
  const isAbstract = cursor.accept("abstract");
  const { token } = cursor;
  let method: FunctionDeclaration;
  if (isName(token) && cursor.peek().kind === "(") {
    if (token.text !== externName)
      cursor.fail(
        CODES.constructorName,
        token,
        `'${token.text}' has no return type, and the constructor of this extern is called '${externName}'`,
      );
    const name = cursor.name("the constructor");
    cursor.symbols.enter();
    const params = parseParameters(cursor);
    method = {
      kind: "function",
      span: cursor.from(start),
      name,
      annotations,
      typeParams: [],
      returnType: undefined,
      params,
      body: undefined,
      isAbstract,
    };
  } else
    method = parsePrototype(
      cursor,
      annotations,
      start,
      parseType(cursor, "a method or constructor"),
      isAbstract,
    );
  cursor.semicolon("the method");
  return { ...method, span: declarationSpan(cursor, annotations, start) };
}
