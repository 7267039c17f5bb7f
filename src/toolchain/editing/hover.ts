/** Hover: the description that is shown for a word under the pointer. */
import type { SourceFile, Span } from "../../base/index.js";
import {
  type ast,
  PLACE_NAMES,
  printExpression,
  sizeOf,
  TOFINO_ANNOTATIONS,
  type Type,
  typeToString,
} from "../p4/index.js";
import { ANNOTATIONS, BUILTINS, TABLE_PROPERTIES, type Word } from "./catalogue.js";
import { constantText, headOf, rangeText, sizeText, typeText } from "./describe.js";
import type { P4Document } from "./document.js";
import type { Occurrence, Target } from "./occurrences/occurrence.js";
import { isMacro } from "./occurrences/occurrences.js";
import { holds, isWritten, sourceOf, spanAsRead } from "./spans.js";
import { innermost } from "./tree.js";

export interface Hover {
  readonly span: Span;
  /** Markdown. */
  readonly text: string;
}

/** The annotations of the Tofino back end, in the form of the catalogue's words. */
function tofinoAnnotation(name: string): Word | undefined {
  const known = TOFINO_ANNOTATIONS.get(name);
  if (known === undefined) return undefined;
  const { form, about, places } = known;
  const where =
    places === undefined
      ? "Anywhere in the program."
      : `On ${places.map((one) => PLACE_NAMES[one]).join(" or ")}.`;
  return { name, form: form === "" ? name : `${name}(${form})`, about: `${about} ${where}` };
}

/** Undefined if there is no description of this place. */
export function hover(document: P4Document, offset: number): Hover | undefined {
  const found = document.occurrences.at(document.file, offset);
  if (found !== undefined) return { span: found.span, text: aboutName(document, found) };
  const include = document.preprocessor.includes.find(
    ({ span }) => sourceOf(span.file) === document.file && holds(span, offset),
  );
  if (include !== undefined) return { span: spanAsRead(include.span), text: code(include.file.path) };
  return aboutTree(document, offset);
}

function code(text: string): string {
  return `\`\`\`p4\n${text}\n\`\`\``;
}

function paragraphs(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function aboutName(document: P4Document, { target, type, constant }: Occurrence): string {
  const value =
    constant === undefined || constant.kind === "instance" ? "" : `Value: ${constantText(constant)}`;
  // The declaration of a constant has its value among its facts.
  const facts = new Set([...factsOf(document, target, type), value]);
  return paragraphs(code(headOf(target)), ...facts, documentation(target));
}

/** The comment of the declaration, and the text of `@deprecated`. */
export function documentation(target: Target): string {
  if (isMacro(target)) return "";
  const span = { ...target.span, file: sourceOf(target.span.file) };
  return commentOf(span);
}

/** Facts about a declaration in addition to its head. */
function factsOf(document: P4Document, target: Target, type: Type | undefined): string[] {
  if (isMacro(target)) return [];
  if (!("kind" in target)) return [fieldFacts(document, target)];
  switch (target.kind) {
    case "header":
    case "struct":
    case "headerUnion":
      return [layoutOf(target)];
    case "typedef": {
      const meant = target.typeExpression.type;
      return meant === undefined ? [] : [`${typeToString(meant)}, ${sizeText(meant)}`.replace(/, $/, "")];
    }
    case "table":
      return [tableFacts(target)];
    case "action": {
      const data = target.params.filter((param) => param.direction === "none");
      const bits = data.map((param) => (param.type === undefined ? undefined : sizeOf(param.type, "max")));
      if (data.length === 0 || bits.includes(undefined)) return [];
      return [`Data of an entry: ${(bits as number[]).reduce((sum, one) => sum + one, 0)} bits`];
    }
    case "enum":
      return [target.members.map((member) => `- \`${headOf(member)}\``).join("\n")];
    case "constant":
      return target.constant === undefined ? [] : [`Value: ${constantText(target.constant)}`];
    case "parameter":
    case "variable": {
      const known = target.type ?? type;
      if (known === undefined) return [];
      const resolved = typeToString(known);
      const size = sizeText(known);
      return [
        typeText(target.typeExpression, known) === resolved
          ? size
          : [resolved, size].filter(Boolean).join(", "),
      ];
    }
    case "extern":
      return [
        code([...target.constructors, ...target.methods].map((method) => `${headOf(method)};`).join("\n")),
      ];
    default:
      return [];
  }
}

/** The fields with their positions in bits. */
function layoutOf(declaration: ast.StructLikeDeclaration): string {
  const rows: string[] = [];
  let at: number | undefined = 0;
  for (const field of declaration.fields) {
    const size: number | undefined = field.type === undefined ? undefined : sizeOf(field.type, "max");
    const bits =
      declaration.kind !== "header" || at === undefined || size === undefined ? "" : bitsText(at, size);
    const shown = field.type === undefined ? "" : typeToString(field.type);
    rows.push(`| ${field.name.name} | ${shown} | ${declaration.kind === "header" ? bits : (size ?? "")} |`);
    at = at === undefined || size === undefined || field.type?.kind === "varbit" ? undefined : at + size;
  }
  const total = (side: "min" | "max") => {
    const sizes = declaration.fields.map(({ type }) => (type === undefined ? undefined : sizeOf(type, side)));
    return sizes.includes(undefined) ? undefined : sumOf(declaration, sizes as number[]);
  };
  const [min, max] = [total("min"), total("max")];
  const table = `| field | type | ${declaration.kind === "header" ? "bits" : "size in bits"} |\n|---|---|---|\n${rows.join("\n")}`;
  return paragraphs(
    min === undefined || max === undefined ? "" : rangeText(min, max),
    rows.length === 0 ? "" : table,
  );
}

function sumOf({ kind }: ast.StructLikeDeclaration, sizes: readonly number[]): number {
  return kind === "headerUnion" ? Math.max(0, ...sizes) : sizes.reduce((sum, size) => sum + size, 0);
}

function bitsText(at: number, size: number): string {
  return size === 1 ? `${at}` : `${at} to ${at + size - 1}`;
}

function fieldFacts(document: P4Document, field: ast.FieldDeclaration): string {
  const owner = document.unit.declarations.find(
    (one): one is ast.StructLikeDeclaration => "fields" in one && one.fields.includes(field),
  );
  const size = field.type === undefined ? "" : sizeText(field.type);
  if (owner === undefined) return size;
  const word = owner.kind === "headerUnion" ? "header_union" : owner.kind;
  const before = owner.fields.slice(0, owner.fields.indexOf(field));
  const sizes = before.map(({ type }) =>
    type === undefined || type.kind === "varbit" ? undefined : sizeOf(type, "max"),
  );
  const own = field.type === undefined ? undefined : sizeOf(field.type, "max");
  const place =
    owner.kind === "header" && own !== undefined && !sizes.includes(undefined)
      ? `${own === 1 ? "bit" : "bits"} ${bitsText(sumOf(owner, sizes as number[]), own)} of `
      : "in ";
  return [size, `${place}${word} \`${owner.name.name}\``].filter(Boolean).join(", ");
}

function tableFacts(table: ast.TableDeclaration): string {
  const lines: string[] = [];
  for (const property of table.properties) {
    if (property.kind === "key")
      for (const { expression, matchKind } of property.elements) {
        const size = expression.type === undefined ? undefined : sizeOf(expression.type, "max");
        const width = size === undefined ? "" : `, ${size} ${size === 1 ? "bit" : "bits"}`;
        lines.push(`- key \`${printExpression(expression)}\`: ${matchKind.name}${width}`);
      }
    else if (property.kind === "actions")
      lines.push(`- actions ${property.actions.map(({ name }) => `\`${name.name}\``).join(", ")}`);
    else if (property.kind === "entries")
      lines.push(`- ${property.entries.length} ${property.isConst ? "constant " : ""}entries`);
    else lines.push(`- ${property.name.name} \`${printExpression(property.value)}\``);
  }
  return lines.join("\n");
}

// ---------------------------------------------------------------- words without a declaration

function aboutTree(document: P4Document, offset: number): Hover | undefined {
  const path = innermost(document.unit, document.file, offset);
  for (const node of path.reverse()) {
    const found = aboutNode(node, document, offset);
    if (found !== undefined) return found;
  }
  return undefined;
}

function aboutNode(node: object, document: P4Document, offset: number): Hover | undefined {
  const { kind } = node as { kind?: string };
  if (kind === "member") {
    const { member } = node as ast.MemberExpression;
    const about = BUILTINS[member.name];
    if (about !== undefined && holds(member.span, offset) && isWritten(member.name, member.span))
      return { span: spanAsRead(member.span), text: about };
  }
  if (kind === "property") {
    const { name } = node as ast.ExpressionProperty;
    return holds(name.span, offset) ? aboutProperty(name.name, name.span) : undefined;
  }
  if (kind === "key" || kind === "actions" || kind === "entries") {
    const { span } = node as ast.KeyProperty;
    const word = new RegExp(`\\b${kind}\\b`).exec(document.text.slice(span.start, span.end));
    if (word === null) return undefined;
    const start = span.start + word.index;
    return holds({ start, end: start + kind.length }, offset)
      ? aboutProperty(kind, { file: span.file, start, end: start + kind.length })
      : undefined;
  }
  if ("body" in node && "name" in node && typeof node.name === "string") {
    const known = ANNOTATIONS.find(({ name }) => name === node.name) ?? tofinoAnnotation(node.name);
    const { span } = node as ast.Annotation;
    const end = span.start + 1 + node.name.length;
    return known === undefined || offset > end
      ? undefined
      : {
          span: { ...spanAsRead(span), end },
          text: paragraphs(code(`@${known.form.replace("$1", "...")}`), known.about),
        };
  }
  const { type, constant, span } = node as ast.IntLiteral;
  if (type === undefined || type.kind === "unknown" || kind === undefined || kind === "call")
    return undefined;
  if ("name" in node || "typeExpression" in node) return undefined;
  const value =
    constant === undefined || constant.kind === "instance" ? "" : `Value: ${constantText(constant)}`;
  return { span: spanAsRead(span), text: paragraphs(code(typeToString(type)), value) };
}

function aboutProperty(name: string, span: Span): Hover | undefined {
  const known = TABLE_PROPERTIES.find((one) => one.name === name);
  return known === undefined ? undefined : { span: spanAsRead(span), text: known.about };
}

/** The text of the comment without its comment marks, line by line; empty if there is no comment. */
function commentOf({ file, start, end }: Span): string {
  const above = commentAbove(file, start);
  return above === "" ? commentBehind(file, end) : above;
}

function commentAbove(file: SourceFile, start: number): string {
  const { line, column } = file.position(start);
  // Another declaration begins on this line: a comment above belongs to that one.
  if (
    file
      .lineText(line)
      .slice(0, column - 1)
      .trim() !== ""
  )
    return "";
  const lines: string[] = [];
  let inBlock = false;
  for (let at = line - 1; at >= 1; at--) {
    const text = file.lineText(at).trim();
    if (inBlock || text.endsWith("*/")) {
      const begin = text.indexOf("/*");
      if (begin > 0) break;
      lines.unshift(text);
      inBlock = begin < 0;
      if (!inBlock) break;
    } else if (text.startsWith("//")) lines.unshift(text);
    else break;
  }
  if (inBlock) return "";
  return lines.map(bare).join("\n").trim();
}

function commentBehind(file: SourceFile, end: number): string {
  const lineEnd = file.text.indexOf("\n", end);
  const rest = file.text.slice(end, lineEnd < 0 ? undefined : lineEnd);
  const comment = /^\s*[;,]?\s*(\/\/.*|\/\*.*\*\/\s*)$/.exec(rest)?.[1];
  return comment === undefined ? "" : bare(comment).trim();
}

/** A line of a comment without its comment marks; a line of stars or dashes becomes empty. */
function bare(line: string): string {
  const text = line
    .trim()
    .replace(/^\/\*+|\*+\/$/g, "")
    .replace(/^\s*(\/\/+|\*+(?=\s|$))\s?/, "")
    .trimEnd();
  return /^[\s*\-=/]*$/.test(text) ? "" : text;
}
