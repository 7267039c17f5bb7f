/** The inputs and algorithms of hashes and checksums. */
import { fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import { fold, isZeroWidth } from "../lower/fold.js";
import type { Expr } from "../lower/ir.js";
import { hexValue } from "./bmv2-expressions.js";
import type { Emission } from "./emission.js";

/** Elements of a `data` argument: a list, or a single scalar. */
export function dataElements(data: Expr): Expr[] {
  return data.kind === "aggregate" ? data.elements : [data];
}

/** The inputs of a calculation. Constants are written with their width. */
export function calculationInput(emission: Emission, data: Expr): bmv2.CalculationInput[] {
  const elements = dataElements(data).filter((element) => !isZeroWidth(element));
  return elements.map((element) => {
    const value = emission.expressions.number(element);
    if (value.type === "field") return value;
    if (element.kind === "number")
      return { ...hexValue(element.value, element.type.width), bitwidth: element.type.width };
    return fail(
      CODES.computedField,
      element.span,
      "BMv2 computes checksums and hashes over fields and constants only",
    );
  });
}

/** A member of `HashAlgorithm`. */
export function algorithm(expr: Expr): string {
  const folded = fold(expr);
  if (folded.kind !== "member")
    return fail(CODES.valueNotConstant, expr.span, "the algorithm must be known at compile time");
  return folded.name;
}
