/** Annotations in P4Info: as text, structured, as documentation, as ids. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { defined, fail, given } from "../../../base/index.js";
import type { p4info } from "../../program/index.js";
import { CODES } from "../codes.js";
import type { Annotation, Expression } from "../syntax/ast.js";
import { numberRanges, TOFINO_ANNOTATIONS } from "../types/index.js";

type PreambleInit = MessageInitShape<typeof p4info.PreambleSchema>;
type StructuredInit = NonNullable<PreambleInit["structuredAnnotations"]>[number];
type DocInit = NonNullable<PreambleInit["doc"]>;

/** The parts that annotations add to a preamble, a match field, a parameter, ... */
export interface Annotated {
  annotations: string[];
  structuredAnnotations: StructuredInit[];
  doc?: DocInit;
}

/** Annotations that other parts of the message express. */
const HIDDEN = new Set(["name", "id", "brief", "description"]);

export function annotated(annotations: readonly Annotation[], skip: readonly string[] = []): Annotated {
  const texts: string[] = [];
  const structured: StructuredInit[] = [];
  for (const one of annotations) {
    if (one.body.kind === "expressions" || one.body.kind === "pairs")
      structured.push(structuredAnnotation(one));
    else if (!HIDDEN.has(one.name) && !skip.includes(one.name)) texts.push(annotationText(one));
  }
  const doc = documentation(annotations);
  return { annotations: texts, structuredAnnotations: structured, ...given({ doc }) };
}

/** The same without documentation, for messages that have none. */
export function annotatedOnly(annotations: readonly Annotation[]): Omit<Annotated, "doc"> {
  const { annotations: texts, structuredAnnotations } = annotated(annotations);
  return { annotations: texts, structuredAnnotations };
}

function documentation(annotations: readonly Annotation[]): DocInit | undefined {
  const brief = stringArgument(annotations, "brief");
  const description = stringArgument(annotations, "description");
  if (brief === undefined && description === undefined) return undefined;
  return { brief: brief ?? "", description: description ?? "" };
}

/** `@name` or `@name(tokens)`, one blank between the tokens, as p4c writes it. */
export function annotationText(annotation: Annotation): string {
  const { body, name } = annotation;
  if (body.kind !== "unstructured" || body.text.trim() === "") return `@${name}`;
  const tokens = tokensOf(body.text);
  const known = TOFINO_ANNOTATIONS.get(name);
  // Their compiler prints the value: `@stage((3))` and `@stage(THREE)` are `@stage(3)`.
  if (known !== undefined && numberRanges(known).some((range) => range !== undefined)) {
    const values = body.values?.map((value) => integerOf(value));
    const isValues = values?.every((value) => value !== undefined) ?? false;
    return `@${name}(${isValues ? values?.join(",") : withoutParentheses(tokens.join(""))})`;
  }
  return `@${name}(${tokens
    .join(PARSED.has(name) ? "" : " ")
    .replace(/,(?=\S)/g, PARSED.has(name) ? ", " : ",")})`;
}

function withoutParentheses(text: string): string {
  return /^\(([^()]*)\)$/.exec(text)?.[1] ?? text;
}

/** Annotations that p4c parses: their arguments are printed as expressions. */
const PARSED = new Set(["p4runtime_translation", "field_list", "match", "alias", "priority", "deprecated"]);

function tokensOf(text: string): string[] {
  return (
    text.match(
      /"(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9a-zA-Z_]*|&&&|&&|\|\||<<|>>|==|!=|<=|>=|\.\.\.|\.\.|\+\+|\S/g,
    ) ?? []
  );
}

function structuredAnnotation(annotation: Annotation): StructuredInit {
  const { body, name } = annotation;
  if (body.kind === "pairs")
    return {
      name,
      body: {
        case: "kvPairList",
        value: { kvPairs: body.pairs.map((pair) => ({ key: pair.key.name, value: literal(pair.value) })) },
      },
    };
  const values = body.kind === "expressions" ? body.values : [];
  return { name, body: { case: "expressionList", value: { expressions: values.map(literal) } } };
}

function literal(e: Expression) {
  const { constant } = e;
  if (constant?.kind === "string") return { value: { case: "stringValue" as const, value: constant.value } };
  if (constant?.kind === "bool") return { value: { case: "boolValue" as const, value: constant.value } };
  if (constant?.kind === "integer" && BigInt.asIntN(64, constant.value) === constant.value)
    return { value: { case: "int64Value" as const, value: constant.value } };
  return fail(
    CODES.annotationValue,
    e.span,
    "P4Info keeps strings, bools and numbers of 64 bits of a structured annotation only",
  );
}

/** The value of an annotation's argument that is a number. */
export function integerOf(e: Expression | undefined): bigint | undefined {
  if (e?.constant?.kind === "integer") return e.constant.value;
  return e?.kind === "intLiteral" ? e.value : undefined;
}

export function findAnnotation(annotations: readonly Annotation[], name: string): Annotation | undefined {
  return annotations.find((one) => one.name === name);
}

/** All arguments of `@name(...)`; undefined when there is no such annotation. */
export function annotationArguments(
  annotations: readonly Annotation[],
  name: string,
): readonly Expression[] | undefined {
  const body = findAnnotation(annotations, name)?.body;
  return body?.kind === "unstructured" || body?.kind === "expressions" ? body.values : undefined;
}

/** The number in `@name(number)`. */
export function numberArgument(annotations: readonly Annotation[], name: string): number | undefined {
  const value = integerOf(annotationArguments(annotations, name)?.[0]);
  return value === undefined ? undefined : Number(value);
}

/** The text in `@name("text")`. */
export function stringArgument(annotations: readonly Annotation[], name: string): string | undefined {
  const value = annotationArguments(annotations, name)?.[0];
  return value?.kind === "stringLiteral" ? value.value : undefined;
}

/** The pairs of `@name[key = value, ...]` or `@name(key = value, ...)`. */
export function annotationPairs(
  annotations: readonly Annotation[],
  name: string,
): [string, string | bigint][] {
  const body = findAnnotation(annotations, name)?.body;
  if (body?.kind === "pairs")
    return body.pairs.flatMap((pair): [string, string | bigint][] => {
      const value = pair.value.kind === "stringLiteral" ? pair.value.value : integerOf(pair.value);
      return value === undefined ? [] : [[pair.key.name, value]];
    });
  if (body?.kind !== "unstructured") return [];
  // The older form with parentheses.
  const pairs = body.text.matchAll(/(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|(\w+))/g);
  return [...pairs].map((match) => [defined(match[1]), match[2] ?? BigInt(defined(match[3]))]);
}

/**
 * Ids of fields inside an object: the value of `@id`, else counted from 1; ids that are taken are skipped; a field
 * with an `@id` counts too.
 */
export function fieldIds(items: readonly { annotations: readonly Annotation[] }[]): number[] {
  const wanted = items.map((item) => numberArgument(item.annotations, "id"));
  const taken = new Set(wanted.filter((id) => id !== undefined));
  let next = 1;
  return wanted.map((id) => {
    if (id !== undefined) {
      next++;
      return id;
    }
    while (taken.has(next)) next++;
    taken.add(next);
    return next;
  });
}
