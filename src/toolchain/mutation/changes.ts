/** The changes of one node of the syntax tree: which text is replaced, by what. */
import { type Span, spanText } from "../../base/index.js";
import type { ast } from "../p4/index.js";
import type { MutationKind } from "./mutant.js";

/** A change before it has a name. */
export interface Change {
  readonly kind: MutationKind;
  readonly span: Span;
  readonly replacement: string;
  readonly words: string;
}

/** The operator that takes the place of another: the nearest one, so that only a test of the boundary finds it. */
const OTHER_OPERATOR: Partial<Record<ast.BinaryOperator, ast.BinaryOperator>> = {
  "+": "-",
  "-": "+",
  "|+|": "|-|",
  "|-|": "|+|",
  "*": "+",
  "/": "*",
  "%": "/",
  "&": "|",
  "|": "&",
  "^": "&",
  "<<": ">>",
  ">>": "<<",
  "==": "!=",
  "!=": "==",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
};

const MAX_QUOTED = 72;

/** The text of a span in one line, as a message quotes it. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `\`${line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED - 1)}…` : line}\``;
}

const becomes = (span: Span, replacement: string, kind: MutationKind): Change => ({
  kind,
  span,
  replacement,
  words: `${quoted(spanText(span))} becomes ${quoted(replacement)}`,
});

/** @param shown the text that the change names, if it is another than that of the span */
export const leftOut = (span: Span, kind: MutationKind, shown = spanText(span)): Change => ({
  kind,
  span,
  replacement: "",
  words: `${quoted(shown)} left out`,
});

/** A statement left out; where the grammar needs one, an empty block takes its place. */
export function statementLeftOut({ span }: ast.Statement, isNeeded: boolean): Change {
  return { ...leftOut(span, "statement"), replacement: isNeeded ? "{ }" : "" };
}

/** The next value, and 0. The width comes from the type that the place needs. */
export function constantChanges(literal: ast.IntLiteral): Change[] {
  const { value, text, span } = literal;
  // A literal that came out of a macro has the span of the macro's use.
  if (spanText(span) !== text) return [];
  const type = literal.implicitCast ?? literal.type;
  const width = type?.kind === "bit" ? BigInt(type.width) : undefined;
  const wrap = (number: bigint): bigint =>
    width === undefined ? number : BigInt.asUintN(Number(width), number);
  const values = new Set([wrap(value + 1n), ...(value > 1n ? [0n] : [])]);
  values.delete(value);
  return [...values].map((other) => becomes(span, numberLike(text, other), "constant"));
}

/** A number in the notation of another: with its width, and hexadecimal if that is. */
export function numberLike(text: string, value: bigint): string {
  const [, prefix = "", digits = text] = /^(\d+[ws])?(.*)$/i.exec(text) ?? [];
  return prefix + (/^0x/i.test(digits) ? `0x${value.toString(16)}` : String(value));
}

export function boolChange({ value, span }: { value: boolean; span: Span }): Change[] {
  return spanText(span) === String(value) ? [becomes(span, String(!value), "constant")] : [];
}

/** Another member of the enum: the next one. */
export function enumChange(expression: ast.MemberExpression): Change[] {
  const { base, member, type } = expression;
  if (base.kind !== "typeName" || (type?.kind !== "enum" && type?.kind !== "serializableEnum")) return [];
  if (spanText(member.span) !== member.name) return [];
  const names = type.declaration.members.map(({ name }) => name.name);
  const other = names[(names.indexOf(member.name) + 1) % names.length]!;
  return other === member.name ? [] : [becomes(member.span, other, "enum")];
}

/** The place of an operator between its operands; undefined where a macro wrote it. */
function operatorSpan(left: Span, right: Span, operator: string): Span | undefined {
  if (left.file !== right.file || left.end > right.start) return undefined;
  const between = left.file.text.slice(left.end, right.start);
  const at = between.indexOf(operator);
  if (at < 0) return undefined;
  return { file: left.file, start: left.end + at, end: left.end + at + operator.length };
}

/** Another operator, and for `&&` and `||` each operand alone. */
export function binaryChanges({ op, left, right, span }: ast.BinaryExpression): Change[] {
  const other = OTHER_OPERATOR[op];
  const place = operatorSpan(left.span, right.span, op);
  if (other === undefined || place === undefined) return [];
  const whole: Change = {
    kind: op === "&&" || op === "||" ? "condition" : "operator",
    span: place,
    replacement: other,
    words: `${quoted(spanText(span))} becomes one with ${quoted(other)}`,
  };
  if (op !== "&&" && op !== "||") return [whole];
  const without = (from: number, to: number, dropped: ast.Expression): Change => ({
    ...leftOut({ file: span.file, start: from, end: to }, "condition", spanText(dropped.span)),
    words: `${quoted(spanText(dropped.span))} left out of the condition`,
  });
  return [
    whole,
    without(left.span.start, right.span.start, left),
    without(left.span.end, right.span.end, right),
  ];
}

export function unaryChange({ op, operand, span }: ast.UnaryExpression): Change[] {
  const place = { file: span.file, start: span.start, end: operand.span.start };
  if (op === "+" || spanText(place).trim() !== op) return [];
  return [
    {
      ...leftOut(place, op === "!" ? "condition" : "operator"),
      words: `${quoted(spanText(span))} without ${quoted(op)}`,
    },
  ];
}

/** A condition that is always true, always false, or negated, where no change of its operators negates it. */
export function conditionChanges(condition: ast.Expression): Change[] {
  const { span } = condition;
  const text = spanText(span);
  const isNegatedElsewhere =
    (condition.kind === "binary" && (condition.op === "==" || condition.op === "!=")) ||
    (condition.kind === "unary" && condition.op === "!");
  const change = (replacement: string, words: string): Change => ({
    kind: "condition",
    span,
    replacement,
    words: `condition ${quoted(text)} ${words}`,
  });
  if (condition.kind === "boolLiteral") return [];
  return [
    ...(isNegatedElsewhere ? [] : [change(`!(${text})`, "negated")]),
    change("true", "always true"),
    change("false", "always false"),
  ];
}

/** One of several elements left out, with the separator between it and its neighbour. */
export function elementsLeftOut(
  elements: readonly { readonly span: Span }[],
  kind: MutationKind,
  where: string,
): Change[] {
  if (elements.length < 2) return [];
  return elements.map(({ span }, index) => {
    const next = elements[index + 1];
    const start = next === undefined ? elements[index - 1]!.span.end : span.start;
    const place = { file: span.file, start, end: next === undefined ? span.end : next.span.start };
    return { ...leftOut(place, kind), words: `${quoted(spanText(span))} left out of ${where}` };
  });
}

/** A parser that accepts instead of going on. */
export function acceptInstead({ name, span }: ast.Identifier, label: string): Change[] {
  if (name === "accept" || spanText(span) !== name) return [];
  return [
    {
      kind: "transition",
      span,
      replacement: "accept",
      words: `${label} goes to \`accept\` instead of \`${name}\``,
    },
  ];
}
