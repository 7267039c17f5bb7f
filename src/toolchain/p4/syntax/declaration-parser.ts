/** Declarations of the top level and of parsers and controls (P4-16 sections 10 to 14; grammar `declaration`). */
import type { Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { parseAnnotations } from "./annotation-parser.js";
import type {
  ActionDeclaration,
  Annotation,
  ControlDeclaration,
  Declaration,
  FunctionDeclaration,
  InstanceDeclaration,
  PackageDeclaration,
  Parameter,
  TypeExpression,
  TypeParameter,
} from "./ast.js";
import { type Cursor, isOutermost } from "./cursor.js";
import { parseExpression } from "./expression-parser.js";
import { declarationRest, parseConstant, parseLocal, withSemicolon } from "./local-parser.js";
import { parseParser } from "./state-parser.js";
import { parseBlock } from "./statement-parser.js";
import { parseTable } from "./table-parser.js";
import { isName, type Token } from "./token.js";
import {
  parseEnum,
  parseErrors,
  parseExtern,
  parseMatchKinds,
  parseStructLike,
  parseTypedef,
} from "./type-declaration-parser.js";
import { parseType, startsType } from "./type-parser.js";

const topLevelKeywords = new Set([
  ..."const extern action parser control package header header_union struct enum typedef type error".split(
    " ",
  ),
  "match_kind",
]);

/** Everything up to the end of the program. */
export function parseDeclarations(cursor: Cursor): Declaration[] {
  const declarations: Declaration[] = [];
  while (!cursor.at("end")) {
    if (cursor.accept(";")) continue;
    if (cursor.at("}")) {
      cursor.error(CODES.closesNothing, cursor.token, "this '}' closes nothing");
      cursor.advance();
      continue;
    }
    const parsed = cursor.attempt(
      () => parseDeclaration(cursor),
      (token) => topLevelKeywords.has(token.kind),
    );
    if (parsed !== undefined) declarations.push(...parsed);
  }
  return declarations;
}

/** One declaration; two for a typedef of a type declared in it, none for a forward declaration. */
function parseDeclaration(cursor: Cursor): Declaration[] {
  const annotations = parseAnnotations(cursor);
  cursor.correct(
    "action",
    "parser",
    "control",
    "package",
    "header",
    "header_union",
    "struct",
    "enum",
    "extern",
  );
  const { token } = cursor;
  switch (token.kind) {
    case "const":
      return [parseConstant(cursor, annotations)];
    case "extern":
      return parseExtern(cursor, annotations);
    case "action":
      return [parseAction(cursor, annotations)];
    case "parser":
      return [parseParser(cursor, annotations)];
    case "control":
      return [parseControl(cursor, annotations)];
    case "package":
      return [parsePackage(cursor, annotations)];
    case "header":
    case "header_union":
    case "struct":
      return [parseStructLike(cursor, annotations)];
    case "enum":
      return [parseEnum(cursor, annotations)];
    case "typedef":
    case "type":
      return parseTypedef(cursor, annotations);
    case "error":
      if (cursor.peek().kind === "{") return [parseErrors(cursor, annotations)];
      break;
    case "match_kind":
      if (cursor.peek().kind === "{") return [parseMatchKinds(cursor, annotations)];
      break;
    case "table":
    case "state":
    case "apply":
      if (token.kind === "table" || cursor.peek().kind === "{" || isName(cursor.peek()))
        cursor.fail(
          CODES.misplacedDeclaration,
          token,
          `'${token.text}' cannot stand on the top level`,
          `it belongs into a ${token.kind === "state" ? "parser" : "control"}; perhaps a '}' above closes too much`,
        );
      break;
    default:
  }
  if (!startsType(cursor) && !isName(token) && token.kind !== ".") cursor.failExpected("a declaration");
  return [parseFunctionOrInstance(cursor, annotations)];
}

/** The span of a declaration with its annotations. */
export function declarationSpan(cursor: Cursor, annotations: Annotation[], start: Token): Span {
  return annotations.length > 0 ? cursor.fromSpan(annotations[0]!.span) : cursor.from(start);
}

// ---------------------------------------------------------------- parts

/** `<T, U>`; declares them as types. */
export function parseTypeParameters(cursor: Cursor): TypeParameter[] {
  if (!cursor.at("<")) return [];
  const open = cursor.advance();
  const params: TypeParameter[] = [];
  do {
    const name = cursor.name("the name of a type parameter");
    params.push({ kind: "typeParameter", span: name.span, name, annotations: [] });
  } while (cursor.accept(","));
  cursor.expectClose(">", open);
  for (const { name } of params) cursor.symbols.declare(name.name, true);
  return params;
}

/** `(in T a, out U b)`; declares the parameters. */
export function parseParameters(cursor: Cursor): Parameter[] {
  if (!cursor.at("(")) cursor.failExpected("'(' and the parameters");
  const open = cursor.advance();
  const params: Parameter[] = [];
  if (!cursor.at(")")) {
    do params.push(parseParameter(cursor));
    while (cursor.accept(","));
  }
  cursor.expectClose(")", open);
  for (const { name } of params) cursor.symbols.declare(name.name, false);
  return params;
}

function parseParameter(cursor: Cursor): Parameter {
  const start = cursor.token;
  const annotations = parseAnnotations(cursor);
  const { kind } = cursor.token;
  const direction = kind === "in" || kind === "out" || kind === "inout" ? kind : "none";
  if (direction !== "none") cursor.advance();
  const typeExpression = parseType(cursor, "the type of a parameter");
  const name = cursor.name("the name of a parameter");
  const defaultValue = cursor.accept("=") ? parseExpression(cursor) : undefined;
  return {
    kind: "parameter",
    span: cursor.from(start),
    name,
    annotations,
    direction,
    typeExpression,
    defaultValue,
  };
}

// ---------------------------------------------------------------- functions and instances

/** Return type, name, type parameters and parameters; the scope they open is left by the caller. */
export function parsePrototype(
  cursor: Cursor,
  annotations: Annotation[],
  start: Token,
  returnType: TypeExpression,
  isAbstract: boolean,
): FunctionDeclaration {
  const name = cursor.name("the name of a function");
  const generic = cursor.at("<");
  cursor.symbols.declare(name.name, false, generic);
  cursor.symbols.enter();
  const typeParams = parseTypeParameters(cursor);
  const params = parseParameters(cursor);
  const span = declarationSpan(cursor, annotations, start);
  return {
    kind: "function",
    span,
    name,
    annotations,
    typeParams,
    returnType,
    params,
    body: undefined,
    isAbstract,
  };
}

/** `R f(params) { ... }` or `T(args) name;`: both begin with a type. */
function parseFunctionOrInstance(
  cursor: Cursor,
  annotations: Annotation[],
): FunctionDeclaration | InstanceDeclaration {
  const start = cursor.token;
  const type = parseType(cursor, "a declaration");
  if (cursor.at("(")) {
    return withSemicolon(cursor, declarationRest(cursor, annotations, start, type)) as InstanceDeclaration;
  }
  const after = cursor.peek().kind;
  if (isName(cursor.token) && (after === ";" || after === "="))
    cursor.fail(
      CODES.misplacedDeclaration,
      cursor.peek(0),
      `'${cursor.token.text}' would be a variable, and there are none on the top level`,
      "declare it inside a parser or control, or as a const",
    );
  const scope = cursor.symbols.depth;
  const declaration = parsePrototype(cursor, annotations, start, type, false);
  if (!cursor.at("{"))
    cursor.failExpected("'{' and the body of the function", "only an extern function has no body");
  declaration.body = parseBlock(cursor, [], "block");
  declaration.span = declarationSpan(cursor, annotations, start);
  cursor.symbols.leave(scope);
  return declaration;
}

/** `= { methods and instances }` of an instance whose extern has abstract methods (section 11.3.1). */
export function parseObjectBody(cursor: Cursor): (InstanceDeclaration | FunctionDeclaration)[] {
  cursor.expect("=");
  const open = cursor.expect("{", "and the methods of the instance");
  const scope = cursor.symbols.enter();
  const body = cursor.nested(() =>
    cursor.items(() => parseFunctionOrInstance(cursor, parseAnnotations(cursor))),
  );
  cursor.symbols.leave(scope);
  cursor.expectClose("}", open);
  return body;
}

function parseAction(cursor: Cursor, annotations: Annotation[]): ActionDeclaration {
  const start = cursor.advance();
  const name = cursor.name("the name of the action");
  cursor.symbols.declare(name.name, false);
  const scope = cursor.symbols.enter();
  const params = parseParameters(cursor);
  const body = parseBlock(cursor, [], "block");
  cursor.symbols.leave(scope);
  return {
    kind: "action",
    span: declarationSpan(cursor, annotations, start),
    name,
    annotations,
    params,
    body,
  };
}

function parsePackage(cursor: Cursor, annotations: Annotation[]): PackageDeclaration {
  const start = cursor.advance();
  const name = cursor.name("the name of the package");
  cursor.symbols.declare(name.name, true, cursor.at("<"));
  const scope = cursor.symbols.enter();
  const typeParams = parseTypeParameters(cursor);
  const constructorParams = parseParameters(cursor);
  cursor.symbols.leave(scope);
  cursor.semicolon("the package");
  const span = declarationSpan(cursor, annotations, start);
  return { kind: "package", span, name, annotations, typeParams, constructorParams };
}

// ---------------------------------------------------------------- controls

function parseControl(cursor: Cursor, annotations: Annotation[]): ControlDeclaration {
  const start = cursor.advance();
  const name = cursor.name("the name of the control");
  cursor.symbols.declare(name.name, true, cursor.at("<"));
  const scope = cursor.symbols.enter();
  const typeParams = parseTypeParameters(cursor);
  const params = parseParameters(cursor);
  let constructorParams: Parameter[] = [];
  let body: ControlDeclaration["body"];
  if (cursor.at("(")) constructorParams = parseParameters(cursor);
  if (cursor.at("{")) body = parseControlBody(cursor, start);
  else if (constructorParams.length > 0) cursor.failExpected("'{' and the body of the control");
  else cursor.semicolon("the control type");
  cursor.symbols.leave(scope);
  const span = declarationSpan(cursor, annotations, start);
  return { kind: "control", span, name, annotations, typeParams, params, constructorParams, body };
}

function parseControlBody(cursor: Cursor, start: Token): ControlDeclaration["body"] {
  const open = cursor.advance();
  const locals = cursor.items(
    () => parseControlLocal(cursor),
    (token) => token.kind === "action" || token.kind === "table" || token.kind === "apply",
    () => {
      cursor.correct("action", "table", "apply");
      return cursor.at("apply") && (cursor.peek().kind === "{" || cursor.peek().kind === "@");
    },
  );
  if (!cursor.at("apply"))
    cursor.failExpected("'apply { ... }' at the end of the control", {
      message: "the control begins here",
      span: start,
    });
  cursor.advance();
  const apply = parseBlock(cursor, parseAnnotations(cursor), "block");
  if (!cursor.at("}") && !cursor.at("end") && !isOutermost(cursor.token))
    cursor.fail(
      CODES.misplacedDeclaration,
      cursor.token,
      "expected '}' after the apply block, which is the last part of a control",
      "actions, tables and variables come before it",
    );
  cursor.expectClose("}", open);
  return { locals, apply };
}

function parseControlLocal(cursor: Cursor): Declaration {
  const annotations = parseAnnotations(cursor);
  cursor.correct("action", "table");
  const { token } = cursor;
  switch (token.kind) {
    case "const":
      return parseConstant(cursor, annotations);
    case "action":
      return parseAction(cursor, annotations);
    case "table":
      return parseTable(cursor, annotations);
    case "header":
    case "struct":
    case "enum":
    case "typedef":
    case "header_union":
    case "extern":
      return cursor.fail(
        CODES.misplacedDeclaration,
        token,
        `a ${token.kind} cannot be declared in a control`,
        "move it to the top level",
      );
    case "state":
      if (isName(cursor.peek()))
        cursor.fail(CODES.misplacedDeclaration, token, "a state belongs into a parser");
      break;
    case "if":
    case "switch":
    case "for":
      return cursor.fail(
        CODES.misplacedDeclaration,
        token,
        "statements of a control stand in its apply block",
      );
    default:
  }
  if (!startsType(cursor) && !isName(token) && token.kind !== ".")
    cursor.failExpected("an action, table, instance, variable or apply");
  const next = cursor.peek().kind;
  if (!startsType(cursor) && (next === "=" || next === "." || next === "["))
    cursor.fail(CODES.misplacedDeclaration, token, "statements of a control stand in its apply block");
  return parseLocal(cursor, annotations);
}
