/** Annotations that mean something to the compiler are well formed; structured ones hold constants (section 20). */
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Annotation, Expression } from "../syntax/ast.js";
import { typeToString } from "./algebra.js";
import { checkTofinoAnnotation } from "./annotation-use.js";
import type { Checker } from "./checker.js";
import { checkExpression } from "./expressions.js";
import type { AnnotationPlace } from "./tofino-annotations.js";
import { resolveType } from "./type-expressions.js";

/** What the body of a predefined annotation must be. */
const BODIES: Readonly<Record<string, "none" | "string" | "number" | "values" | "matchKind">> = {
  hidden: "none",
  tableonly: "none",
  defaultonly: "none",
  optional: "none",
  pure: "none",
  noSideEffects: "none",
  atomic: "none",
  name: "string",
  id: "number",
  field_list: "values",
  controller_header: "string",
  alias: "string",
  deprecated: "string",
  noWarn: "string",
  match: "matchKind",
};

export function checkAnnotations(
  cx: Checker,
  annotations: readonly Annotation[],
  place: AnnotationPlace,
): void {
  if (annotations.length === 0) return;
  for (const [index, annotation] of annotations.entries()) {
    checkAnnotation(cx, annotation);
    if (cx.forTofino) checkTofinoAnnotation(cx, annotation, place);
    const first = annotations.slice(0, index).find((other) => other.name === annotation.name);
    if (first === undefined) continue;
    const structured = isStructured(annotation);
    if (!structured && !isStructured(first)) {
      if (annotation.name === "name")
        cx.warning(
          CODES.annotationWithoutEffect,
          annotation.span,
          "@name stands on this element twice; the first one counts",
        );
      continue;
    }
    const why =
      structured !== isStructured(first)
        ? "is used with (...) and with [...] on the same element"
        : "can stand on an element only once";
    cx.error(CODES.malformedAnnotation, annotation.span, `@${annotation.name} ${why}`, {
      message: "the other is here",
      span: first.span,
    });
  }
  const name = annotations.find((annotation) => annotation.name === "name");
  const hidden = annotations.find((annotation) => annotation.name === "hidden");
  if (name !== undefined && hidden !== undefined)
    cx.warning(CODES.annotationWithoutEffect, name.span, "@name has no effect on an element that is @hidden");
}

function isStructured(annotation: Annotation): boolean {
  return annotation.body.kind === "expressions" || annotation.body.kind === "pairs";
}

function checkAnnotation(cx: Checker, annotation: Annotation): void {
  const { body, name, span } = annotation;
  switch (body.kind) {
    case "expressions":
      for (const value of body.values) checkStructuredValue(cx, value);
      return;
    case "pairs": {
      const seen = new Map<string, (typeof body.pairs)[number]>();
      for (const pair of body.pairs) {
        const first = seen.get(pair.key.name);
        if (first !== undefined) cx.duplicate(pair.key, first.key);
        else seen.set(pair.key.name, pair);
        checkStructuredValue(cx, pair.value);
      }
      return;
    }
  }
  if (name === "pkginfo" && body.kind === "none")
    cx.error(CODES.malformedAnnotation, span, "@pkginfo needs keys and values");
  if (name === "p4runtime_translation") checkTranslation(cx, annotation);
  const wanted = Object.hasOwn(BODIES, name) ? BODIES[name] : undefined;
  if (wanted === undefined) return;
  const values = body.kind === "unstructured" ? body.values : [];
  switch (wanted) {
    case "none":
      if (body.kind === "unstructured" && body.text.trim() !== "")
        cx.error(CODES.malformedAnnotation, span, `@${name} takes no arguments`);
      return;
    case "string": {
      const value = values?.length === 1 ? defined(values[0]) : undefined;
      if (value !== undefined && isText(cx, value)) return;
      if (name === "noWarn" && (values === undefined || values.length !== 1)) return;
      cx.error(CODES.malformedAnnotation, span, `@${name} takes one string, as in @${name}("...")`);
      return;
    }
    case "number": {
      const value = values?.length === 1 ? defined(values[0]) : undefined;
      if (value !== undefined && value.kind !== "typeName") checkExpression(cx, value);
      if (value?.constant?.kind !== "integer")
        cx.error(CODES.malformedAnnotation, span, `@${name} takes one number known at compile time`);
      return;
    }
    case "matchKind": {
      const value = values?.length === 1 ? defined(values[0]) : undefined;
      if (value === undefined || value.kind === "typeName" || checkExpression(cx, value).kind !== "matchKind")
        cx.error(CODES.malformedAnnotation, span, "@match takes one match kind, as in @match(ternary)");
      return;
    }
    case "values":
      if (values === undefined || values.length === 0) {
        cx.error(CODES.malformedAnnotation, span, `@${name} takes numbers known at compile time`);
        return;
      }
      for (const value of values) {
        if (value.kind !== "typeName") checkExpression(cx, value);
        if (value.constant === undefined && value.type?.kind !== "unknown")
          cx.error(
            CODES.malformedAnnotation,
            value.span,
            `an argument of @${name} must be known at compile time`,
          );
      }
  }
}

/** `@p4runtime_translation(uri, bit<W> | string | W)` (P4Runtime specification, section "User-defined types"). */
function checkTranslation(cx: Checker, annotation: Annotation): void {
  const { body, span } = annotation;
  const values = body.kind === "unstructured" ? (body.values ?? []) : [];
  const [uri, target] = values;
  if (values.length === 2 && uri !== undefined && target !== undefined && isText(cx, uri)) {
    if (target.kind === "typeName") {
      const type = resolveType(cx, target.typeExpression);
      if (type.kind === "bit" || type.kind === "string" || type.kind === "unknown") return;
    } else {
      const type = checkExpression(cx, target);
      if (type.kind === "unknown" || target.constant?.kind === "integer") return;
    }
  }
  cx.error(
    CODES.malformedAnnotation,
    span,
    "@p4runtime_translation takes a URI and what stands for the values on the other side: bit<W>, string or a width",
  );
}

function isText(cx: Checker, value: Expression): boolean {
  if (value.kind === "typeName") return false;
  return checkExpression(cx, value).kind === "string" && value.constant !== undefined;
}

function checkStructuredValue(cx: Checker, value: Expression): void {
  const type = checkExpression(cx, value);
  if (type.kind === "unknown") return;
  if (!["string", "integer", "bool"].includes(type.kind))
    cx.error(
      CODES.malformedAnnotation,
      value.span,
      `a value of an annotation [...] is a string, an int or a bool, this is ${typeToString(type)}`,
      ...(type.kind === "bit" || type.kind === "int"
        ? [{ message: "write the number, or its constant, without a width" }]
        : []),
    );
  else if (value.constant === undefined)
    cx.error(
      CODES.malformedAnnotation,
      value.span,
      "a value of an annotation [...] must be known at compile time",
    );
}
