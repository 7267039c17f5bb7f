/** Tables (P4-16 section 14.2). */
import { CODES } from "../codes.js";
import { parseAnnotations } from "./annotation-parser.js";
import type {
  ActionRef,
  Annotation,
  KeyElement,
  TableDeclaration,
  TableEntrySyntax,
  TableProperty,
} from "./ast.js";
import type { Cursor } from "./cursor.js";
import { parseArguments, parseExpression } from "./expression-parser.js";
import { parseKeySet } from "./key-set-parser.js";
import { parseIntLiteral } from "./number.js";
import { isName } from "./token.js";

export function parseTable(cursor: Cursor, annotations: Annotation[]): TableDeclaration {
  const start = cursor.advance();
  const name = cursor.name("the name of the table");
  const open = cursor.expect("{", "and the properties of the table");
  const { errorCount } = cursor.diagnostics;
  const properties = cursor.items<TableProperty>(
    () => parseProperty(cursor),
    () => startsProperty(cursor),
    () => endsTable(cursor.token.kind),
  );
  if (properties.length === 0 && cursor.at("}") && cursor.diagnostics.errorCount === errorCount)
    cursor.error(
      CODES.tableWithoutProperties,
      cursor.token,
      "a table needs properties: at least actions = { ... }",
    );
  cursor.expectClose("}", open);
  cursor.symbols.declare(name.name, false);
  const span = annotations.length > 0 ? cursor.fromSpan(annotations[0]!.span) : cursor.from(start);
  return { kind: "table", span, name, annotations, properties };
}

function startsProperty(cursor: Cursor): boolean {
  const { token } = cursor;
  if (token.kind === "const" || token.kind === "@") return true;
  return isName(token) && cursor.peek().kind === "=";
}

/** Keywords that occur outside of tables only: the table's closing brace is missing before them. */
function endsTable(kind: string): boolean {
  return kind === "action" || kind === "table" || kind === "if";
}

function parseProperty(cursor: Cursor): TableProperty {
  const start = cursor.token;
  const annotations = parseAnnotations(cursor);
  const constToken = cursor.token;
  const isConst = cursor.accept("const");
  cursor.correct("key", "actions", "entries");
  const { token } = cursor;
  const name = cursor.name("a table property");
  if (!cursor.at("="))
    cursor.failExpected(
      `'=' after the table property '${name.name}'`,
      ...(token.kind === "key" || token.kind === "actions" ? [`write ${name.name} = { ... }`] : []),
    );
  cursor.advance();
  if (token.kind === "key" || token.kind === "actions" || token.kind === "entries") {
    if (isConst && token.kind !== "entries")
      cursor.error(CODES.constProperty, constToken, `'const' cannot stand before ${token.kind}`);
    const open = cursor.expect("{", `and the ${token.kind === "key" ? "fields of the key" : token.kind}`);
    const items = <T>(parse: (cursor: Cursor) => T): T[] => {
      const list = cursor.items(
        () => parse(cursor),
        () => false,
        () => endsTable(cursor.token.kind),
      );
      cursor.expectClose("}", open);
      return list;
    };
    switch (token.kind) {
      case "key": {
        const elements = items(parseKeyElement);
        return { kind: "key", span: cursor.from(start), annotations, elements };
      }
      case "actions": {
        const actions = items(parseListedAction);
        return { kind: "actions", span: cursor.from(start), annotations, actions };
      }
      default: {
        const entries = items(parseEntry);
        return { kind: "entries", span: cursor.from(start), annotations, isConst, entries };
      }
    }
  }
  const value = parseExpression(cursor);
  cursor.semicolon(`the table property '${name.name}'`);
  return { kind: "property", span: cursor.from(start), annotations, isConst, name, value };
}

function parseKeyElement(cursor: Cursor): KeyElement {
  const start = cursor.token;
  const expression = parseExpression(cursor);
  if (!cursor.at(":"))
    cursor.failExpected("':' and a match kind", "a key field is written hdr.ipv4.dstAddr: lpm;");
  cursor.advance();
  const matchKind = cursor.name("a match kind such as exact, lpm or ternary");
  const annotations = parseAnnotations(cursor);
  cursor.semicolon("the key field");
  return { span: cursor.from(start), expression, matchKind, annotations };
}

function parseListedAction(cursor: Cursor): ActionRef {
  const start = cursor.token;
  const annotations = parseAnnotations(cursor);
  const action = parseActionRef(cursor, annotations);
  if (cursor.at(",")) {
    cursor.error(CODES.missingSemicolon, cursor.token, "actions of a table end with ';', not ','");
    cursor.advance();
  } else cursor.semicolon("the action");
  return { ...action, span: cursor.from(start) };
}

function parseActionRef(cursor: Cursor, annotations: Annotation[]): ActionRef {
  const start = cursor.token;
  const absolute = cursor.accept(".");
  const name = cursor.name("the name of an action");
  const args = cursor.at("(") ? parseArguments(cursor) : undefined;
  return { span: cursor.from(start), annotations, absolute, name, args };
}

/** `[const] [priority = N:] keys : action [annotations];` */
function parseEntry(cursor: Cursor): TableEntrySyntax {
  const start = cursor.token;
  const isConst = cursor.accept("const");
  let priority: TableEntrySyntax["priority"];
  if (cursor.at("priority") && cursor.peek().kind === "=") {
    cursor.advance();
    cursor.advance();
    if (cursor.at("integer")) priority = parseIntLiteral(cursor, cursor.advance());
    else {
      if (!cursor.at("(")) cursor.failExpected("a number, or a constant expression in parentheses");
      const open = cursor.advance();
      priority = parseExpression(cursor);
      cursor.expectClose(")", open);
    }
    cursor.expect(":", "after the priority");
  }
  const keys = parseKeySet(cursor);
  cursor.expect(":", "and the action of the entry");
  const action = parseActionRef(cursor, []);
  const annotations = parseAnnotations(cursor);
  cursor.semicolon("the entry");
  return { span: cursor.from(start), annotations, isConst, priority, keys, action };
}
