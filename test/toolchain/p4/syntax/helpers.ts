/** What the tests of the syntax room share. */
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import type {
  Declaration,
  Expression,
  SourceUnit,
  Statement,
} from "../../../../src/toolchain/p4/syntax/ast.js";
import { type PreprocessorOptions, parse } from "../../../../src/toolchain/p4/syntax/index.js";

/** Parses text that must be right. */
export function parseText(text: string, options: Omit<PreprocessorOptions, "file"> = {}): SourceUnit {
  const diagnostics = new Diagnostics();
  const unit = parse({ ...options, file: new SourceFile("test.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return unit;
}

/** The messages for a piece of text, each `line:column code message`. */
export function messagesOf(text: string): string[] {
  const diagnostics = new Diagnostics();
  parse({ file: new SourceFile("test.p4", text) }, diagnostics);
  return diagnostics.list.map(({ span, code, message }) => {
    const { line, column } = span!.file.position(span!.start);
    return `${line}:${column} ${code} ${message}`;
  });
}

/** A tree as plain data without spans, so that it can be compared and shown. */
export function plain(tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value) =>
      key === "span" ? undefined : typeof value === "bigint" ? `${value}n` : value,
    ),
  );
}

/** The only declaration of a text that is of one kind. */
export function declarationOf<K extends Declaration["kind"]>(
  text: string,
  kind: K,
): Declaration & { kind: K } {
  const found = parseText(text).declarations.filter((d) => d.kind === kind);
  if (found.length !== 1) throw new Error(`${found.length} declarations of kind ${kind}`);
  return found[0] as Declaration & { kind: K };
}

/** Statements in a function whose names are known: types T, E, G<A>, functions f, g<A>, variables a to d. */
export const prelude = `
struct T { bit<8> x; }
struct G<A> { A x; }
enum E { m, n }
bit<8> f(bit<8> x) { return x; }
A g<A>(A x) { return x; }
extern X { X(); void m<A>(in A a); }
`;

export function statementsOf(text: string): Statement[] {
  const unit = parseText(`${prelude} void h(bit<8> a, bit<8> b, T c, X d) {\n${text}\n}`);
  const last = unit.declarations.at(-1)!;
  if (last.kind !== "function" || last.body === undefined) throw new Error("no function");
  return last.body.statements;
}

export function expressionOf(text: string): Expression {
  const [statement] = statementsOf(`a = ${text};`);
  if (statement?.kind !== "assignment") throw new Error("no assignment");
  return statement.right;
}

/** An expression with every operator's operands in brackets, to see how it was read. */
export function shape(e: Expression): string {
  switch (e.kind) {
    case "intLiteral":
      return e.text;
    case "boolLiteral":
      return String(e.value);
    case "path":
      return (e.absolute ? "." : "") + e.name.name;
    case "typeName":
      return `type ${e.typeExpression.kind === "namedType" ? e.typeExpression.name.name : e.typeExpression.kind}`;
    case "member":
      return `${shape(e.base)}.${e.member.name}`;
    case "index":
      return `${shape(e.base)}[${shape(e.index)}]`;
    case "slice":
      return `${shape(e.base)}[${shape(e.high)}:${shape(e.low)}]`;
    case "unary":
      return `(${e.op}${shape(e.operand)})`;
    case "binary":
      return `(${shape(e.left)} ${e.op} ${shape(e.right)})`;
    case "conditional":
      return `(${shape(e.condition)} ? ${shape(e.whenTrue)} : ${shape(e.whenFalse)})`;
    case "cast":
      return `(cast ${e.target.kind} ${shape(e.operand)})`;
    case "call":
      return `${shape(e.callee)}<${e.typeArgs.length}>(${e.args.map((arg) => shape(arg.value)).join(", ")})`;
    case "list":
      return `{${e.elements.map(shape).join(", ")}${e.dots ? ", ..." : ""}}`;
    case "struct":
      return `{${e.fields.map((f) => `${f.name.name} = ${shape(f.value)}`).join(", ")}${e.dots ? ", ..." : ""}}`;
    default:
      return e.kind;
  }
}
