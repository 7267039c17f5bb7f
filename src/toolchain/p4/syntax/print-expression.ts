/** Types, expressions and annotations as P4 text. What the parser makes of the text is the tree again. */
import type { Annotation, Argument, Expression, TypeExpression } from "./ast.js";
import { binaryPrecedence } from "./expression-parser.js";

export function printType(type: TypeExpression): string {
  switch (type.kind) {
    case "namedType":
      return (type.absolute ? "." : "") + type.name.name + printTypeArguments(type.args);
    case "bitType":
      return type.base + (type.width === undefined ? "" : `<${printWidth(type.width)}>`);
    case "baseType":
      return type.name;
    case "stackType":
      return `${printType(type.element)}[${printExpression(type.size)}]`;
    case "tupleType":
      return `tuple<${type.elements.map(printType).join(", ")}>`;
    case "listType":
      return `list<${printType(type.element)}>`;
  }
}

function printTypeArguments(args: readonly TypeExpression[]): string {
  return args.length === 0 ? "" : `<${args.map(printType).join(", ")}>`;
}

/** A `>` in the width would close it. */
function printWidth(width: Expression): string {
  const text = printExpression(width);
  return width.kind === "intLiteral" || width.kind === "path" ? text : `(${text})`;
}

/** Precedences above those of binary operators. */
const UNARY = 20;
const POSTFIX = 21;

export function printExpression(expression: Expression): string {
  return print(expression, 0);
}

/** @param least operators that bind less tightly than this get parentheses */
function print(e: Expression, least: number): string {
  const wrap = (precedence: number, text: string) => (precedence < least ? `(${text})` : text);
  switch (e.kind) {
    case "intLiteral":
      return e.text;
    case "boolLiteral":
      return String(e.value);
    case "stringLiteral":
      return `"${e.value}"`;
    case "path":
      return (e.absolute ? "." : "") + e.name.name;
    case "typeName":
      return printType(e.typeExpression);
    case "member":
      return `${print(e.base, POSTFIX)}.${e.member.name}`;
    case "index":
      return `${print(e.base, POSTFIX)}[${print(e.index, 0)}]`;
    case "slice":
      return e.width === undefined
        ? `${print(e.base, POSTFIX)}[${print(e.high, 0)}:${print(e.low, 0)}]`
        : `${print(e.base, POSTFIX)}[${print(e.low, 0)} +: ${print(e.width, 0)}]`;
    case "unary":
      // Two signs in a row would be one token.
      return wrap(UNARY, e.op + print(e.operand, e.operand.kind === "unary" ? POSTFIX : UNARY));
    case "binary": {
      const precedence = binaryPrecedence.get(e.op)!;
      return wrap(precedence, `${print(e.left, precedence)} ${e.op} ${print(e.right, precedence + 1)}`);
    }
    case "conditional":
      return wrap(0.5, `${print(e.condition, 0.5)} ? ${print(e.whenTrue, 0)} : ${print(e.whenFalse, 1)}`);
    case "cast":
      return wrap(UNARY, `(${printType(e.target)}) ${print(e.operand, UNARY)}`);
    case "call":
      return print(e.callee, POSTFIX) + printTypeArguments(e.typeArgs) + printArguments(e.args);
    case "list":
      return wrap(UNARY, printBraces(e.elements.map(printExpression), e.dots));
    case "struct":
      return wrap(
        UNARY,
        printBraces(
          e.fields.map(({ name, value }) => `${name.name} = ${print(value, 0)}`),
          e.dots,
        ),
      );
    case "invalid":
      return "{#}";
    case "this":
      return "this";
    case "mask":
      return `${print(e.value, 0)} &&& ${print(e.mask, 0)}`;
    case "range":
      return `${print(e.low, 0)} .. ${print(e.high, 0)}`;
    case "default":
      return "default";
    case "dontCare":
      return "_";
    case "dots":
      return "...";
  }
}

function printBraces(items: readonly string[], dots: boolean): string {
  return `{${[...items, ...(dots ? ["..."] : [])].join(", ")}}`;
}

export function printArguments(args: readonly Argument[]): string {
  const texts = args.map(
    ({ name, value }) => (name === undefined ? "" : `${name.name} = `) + print(value, 0),
  );
  return `(${texts.join(", ")})`;
}

/** Keys of a select case or a table entry. */
export function printKeySet(keys: readonly Expression[]): string {
  return keys.length === 1 ? print(keys[0]!, 0) : `(${keys.map((key) => print(key, 0)).join(", ")})`;
}

export function printAnnotation({ name, body }: Annotation): string {
  switch (body.kind) {
    case "none":
      return `@${name}`;
    case "unstructured":
      // Only a pragma can hold a parenthesis without its partner.
      return isBalanced(body.text) ? `@${name}(${body.text})` : `@pragma ${name} ${body.text}\n`;
    case "expressions":
      return `@${name}[${body.values.map(printExpression).join(", ")}]`;
    case "pairs":
      return `@${name}[${body.pairs.map(({ key, value }) => `${key.name}=${print(value, 0)}`).join(", ")}]`;
  }
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[()]/gs)) {
    if (token === "(") depth++;
    else if (token === ")" && --depth < 0) return false;
  }
  return depth === 0;
}
