/** Parsers and their states (P4-16 section 13). */
import { CODES } from "../codes.js";
import { parseAnnotations } from "./annotation-parser.js";
import type {
  Annotation,
  Declaration,
  Expression,
  Parameter,
  ParserDeclaration,
  SelectCase,
  StateDeclaration,
  Transition,
  ValueSetDeclaration,
} from "./ast.js";
import type { Cursor } from "./cursor.js";
import { declarationSpan, parseParameters, parseTypeParameters } from "./declaration-parser.js";
import { parseExpression } from "./expression-parser.js";
import { parseKeySet } from "./key-set-parser.js";
import { parseConstant, parseLocal } from "./local-parser.js";
import { parseStatements } from "./statement-parser.js";
import { isName } from "./token.js";
import { parseTypeArguments, startsType } from "./type-parser.js";

export function parseParser(cursor: Cursor, annotations: Annotation[]): ParserDeclaration {
  const start = cursor.advance();
  const name = cursor.name("the name of the parser");
  cursor.symbols.declare(name.name, true, cursor.at("<"));
  const scope = cursor.symbols.enter();
  const typeParams = parseTypeParameters(cursor);
  const params = parseParameters(cursor);
  let constructorParams: Parameter[] = [];
  let body: ParserDeclaration["body"];
  if (cursor.at("(")) constructorParams = parseParameters(cursor);
  if (cursor.at("{")) body = parseBody(cursor);
  else if (constructorParams.length > 0) cursor.failExpected("'{' and the body of the parser");
  else cursor.semicolon("the parser type");
  cursor.symbols.leave(scope);
  const span = declarationSpan(cursor, annotations, start);
  return { kind: "parser", span, name, annotations, typeParams, params, constructorParams, body };
}

function parseBody(cursor: Cursor): ParserDeclaration["body"] {
  const open = cursor.advance();
  const { errorCount } = cursor.diagnostics;
  const locals: Declaration[] = [];
  const states: StateDeclaration[] = [];
  cursor.items(
    () => {
      const element = parseElement(cursor, states.length > 0);
      if (element.kind === "state") states.push(element);
      else locals.push(element);
      return element;
    },
    (token) => token.kind === "state",
  );
  if (states.length === 0 && cursor.at("}") && cursor.diagnostics.errorCount === errorCount)
    cursor.error(CODES.parserWithoutStates, cursor.token, "a parser needs at least the state start");
  cursor.expectClose("}", open);
  return { locals, states };
}

function parseElement(cursor: Cursor, statesSeen: boolean): Declaration {
  const annotations = parseAnnotations(cursor);
  cursor.correct("state");
  const { token } = cursor;
  if (token.kind === "state" && isName(cursor.peek()) && cursor.peek(2).kind === "{")
    return parseState(cursor, annotations);
  if (["action", "table", "apply", "header", "struct", "enum", "typedef", "extern"].includes(token.kind)) {
    if (token.kind !== "apply" || cursor.peek().kind === "{")
      cursor.fail(
        CODES.misplacedDeclaration,
        token,
        `'${token.text}' cannot stand in a parser`,
        token.kind === "action" || token.kind === "table" || token.kind === "apply"
          ? "it belongs into a control"
          : "move it to the top level",
      );
  }
  if (statesSeen)
    cursor.fail(
      CODES.misplacedDeclaration,
      token,
      "expected a state or '}': declarations of a parser come before its first state",
    );
  if (token.kind === "value_set") return parseValueSet(cursor, annotations);
  if (token.kind === "const") return parseConstant(cursor, annotations);
  if (!startsType(cursor) && !isName(token) && token.kind !== ".")
    cursor.failExpected("a state, instance, variable or value_set");
  return parseLocal(cursor, annotations);
}

/** `value_set<T>(size) name;` */
function parseValueSet(cursor: Cursor, annotations: Annotation[]): ValueSetDeclaration {
  const start = cursor.advance();
  if (!cursor.at("<")) cursor.failExpected("'<' and the type of the elements");
  const types = parseTypeArguments(cursor);
  if (types.length !== 1)
    cursor.fail(
      CODES.severalElementTypes,
      cursor.from(start),
      `a value_set has one element type, not ${types.length}`,
    );
  const open = cursor.expect("(", "and the size of the value_set");
  const size = parseExpression(cursor);
  cursor.expectClose(")", open);
  const name = cursor.name("the name of the value_set");
  cursor.semicolon("the value_set");
  cursor.symbols.declare(name.name, false);
  const span = declarationSpan(cursor, annotations, start);
  return { kind: "valueSet", span, name, annotations, elementType: types[0]!, size };
}

function parseState(cursor: Cursor, annotations: Annotation[]): StateDeclaration {
  const start = cursor.advance();
  const name = cursor.name("the name of the state");
  const open = cursor.expect("{");
  const scope = cursor.symbols.enter();
  const statements = cursor.nested(() => parseStatements(cursor, "parserState"));
  let transition: Transition | undefined;
  if (cursor.at("transition"))
    transition = cursor.attempt(
      () => parseTransition(cursor),
      (token) => token.kind === "state",
    );
  cursor.symbols.leave(scope);
  if (transition !== undefined && !cursor.at("}") && !cursor.at("end")) {
    cursor.error(
      CODES.misplacedStatement,
      cursor.token,
      "expected '}' after the transition, which ends the state",
    );
    parseStatements(cursor, "parserState");
  }
  cursor.expectClose("}", open);
  return {
    kind: "state",
    span: declarationSpan(cursor, annotations, start),
    name,
    annotations,
    statements,
    transition,
  };
}

function parseTransition(cursor: Cursor): Transition {
  const start = cursor.advance();
  if (!cursor.at("select")) {
    const next = cursor.name("a state or select (...)");
    if (cursor.at("("))
      cursor.fail(CODES.selectMissing, next.span, `expected select before '(', found '${next.name}'`);
    cursor.semicolon("the transition");
    return { kind: "direct", span: cursor.from(start), next };
  }
  cursor.advance();
  const open = cursor.expect("(", "and what to select on");
  const keys: Expression[] = [];
  if (!cursor.at(")")) {
    do keys.push(parseExpression(cursor));
    while (cursor.accept(","));
  }
  cursor.expectClose(")", open);
  const brace = cursor.expect("{", "and the cases of the select");
  const cases = cursor.items(
    () => parseSelectCase(cursor),
    (token) => token.kind === "state",
    () => cursor.at("state") && cursor.peek(2).kind === "{",
  );
  cursor.expectClose("}", brace);
  return { kind: "select", span: cursor.from(start), keys, cases };
}

function parseSelectCase(cursor: Cursor): SelectCase {
  const start = cursor.token;
  const keySet = parseKeySet(cursor);
  cursor.expect(":", "and the next state");
  const next = cursor.name("the name of a state");
  cursor.semicolon("the case");
  return { span: cursor.from(start), keySet, next };
}
