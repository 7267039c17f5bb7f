/** Whether an annotation for Tofino's back end stands where it is read and has arguments that it takes. */
import { closest, given } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Annotation } from "../syntax/ast.js";
import type { Checker } from "./checker.js";
import { checkExpression } from "./expressions.js";
import {
  type AnnotationPlace,
  numberRanges,
  PLACE_NAMES,
  TOFINO_ANNOTATIONS,
  type TofinoAnnotation,
} from "./tofino-annotations.js";

/** The back end passes over what it cannot use, so nothing here is an error. */
export function checkTofinoAnnotation(cx: Checker, annotation: Annotation, place: AnnotationPlace): void {
  const known = TOFINO_ANNOTATIONS.get(annotation.name);
  if (known === undefined) {
    hintAtName(cx, annotation);
    return;
  }
  const { name, places, least, most, form, ignored } = known;
  const { span } = annotation;
  if (ignored) {
    if (cx.ignoredAnnotations.has(name)) return;
    cx.ignoredAnnotations.add(name);
    cx.info(
      CODES.annotationIgnored,
      span,
      `@${name} has no effect in a P4-16 program for Tofino`,
      known.about,
    );
    return;
  }
  if (places !== undefined && !places.includes(place)) {
    cx.warning(
      CODES.annotationPlace,
      span,
      `@${name} has no effect on ${PLACE_NAMES[place]}`,
      `it stands on ${places.map((one) => PLACE_NAMES[one]).join(" or ")}`,
    );
    return;
  }
  const count = argumentCount(annotation);
  if (count !== undefined && (count < least || count > most))
    cx.warning(
      CODES.annotationArguments,
      span,
      `@${name} takes ${countText(known)}, ${count} given`,
      ...(form === "" ? [] : [`its form is @${name}(${form})`]),
    );
  else checkNumbers(cx, annotation, known);
}

/** Numbers are known at compile time, and in their range. What a number is written with, such as a constant, gets its value. */
function checkNumbers(cx: Checker, { body, name }: Annotation, known: TofinoAnnotation): void {
  const values = body.kind === "unstructured" ? (body.values ?? []) : [];
  for (const [index, range] of numberRanges(known).entries()) {
    const value = values[index];
    if (range === undefined || value === undefined) continue;
    if (value.kind !== "typeName") cx.silently(() => checkExpression(cx, value));
    const { constant } = value;
    if (constant?.kind === "integer" && range.allows(constant.value)) continue;
    const found = constant?.kind === "integer" ? `${constant.value}` : "no number known at compile time";
    cx.warning(CODES.annotationArguments, value.span, `@${name} takes ${range.text}, this is ${found}`);
  }
}

function countText({ least, most }: TofinoAnnotation): string {
  if (most === 0) return "no arguments";
  if (least === most) return least === 1 ? "1 argument" : `${least} arguments`;
  return most < 10 ? `${least} to ${most} arguments` : `at least ${least} arguments`;
}

/** Arguments in parentheses, or those of `@pragma`, between which are spaces; undefined for other forms. */
function argumentCount({ body }: Annotation): number | undefined {
  if (body.kind === "none") return 0;
  if (body.kind !== "unstructured") return undefined;
  const text = body.text.trim();
  if (text === "") return 0;
  if (body.values !== undefined) return body.values.length;
  return text.includes(",") || text.includes("(") ? undefined : text.split(/\s+/).length;
}

/** Annotations of the language and P4Info, which are no slips of the pen. */
const OTHERS =
  "name hidden id tableonly defaultonly optional pure noSideEffects atomic field_list controller_header alias deprecated noWarn match brief description format p4runtime_translation pkginfo priority oneshot synchronous pragma diagnostic".split(
    " ",
  );

function hintAtName(cx: Checker, { name, span }: Annotation): void {
  if (name.length < 4 || name.startsWith("_") || OTHERS.includes(name)) return;
  const near = closest(name, [...TOFINO_ANNOTATIONS.keys(), ...OTHERS]);
  if (near === undefined) return;
  const about = TOFINO_ANNOTATIONS.get(near)?.about;
  cx.warning(
    CODES.annotationMisspelt,
    span,
    `no annotation @${name} is known; did you mean @${near}?`,
    ...Object.values(given({ about })),
  );
}
