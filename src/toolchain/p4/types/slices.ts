/** Typing of `x[high:low]` and `x[index]` (sections 8.6, 8.12, 8.17). */
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Expression, IndexExpression, SliceExpression } from "../syntax/ast.js";
import { bitType, typeToString, UNKNOWN } from "./algebra.js";
import { isNumeric, numericType } from "./binary.js";
import { type Checker, isUnknown } from "./checker.js";
import { constantOf } from "./coerce.js";
import { checkExpression } from "./expressions.js";
import { foldSlice } from "./fold.js";
import type { Type } from "./type.js";

export function checkSlice(cx: Checker, e: SliceExpression): Type {
  const base = checkExpression(cx, e.base);
  const highType = checkExpression(cx, e.high);
  const lowType = checkExpression(cx, e.low);
  if (e.width !== undefined) checkExpression(cx, e.width);
  const type = numericType(base);
  if (type.kind === "unknown" || highType.kind === "unknown" || lowType.kind === "unknown") return UNKNOWN;
  if (type.kind !== "bit" && type.kind !== "int") {
    cx.error(
      CODES.operandTypes,
      e.base.span,
      `a slice [high:low] needs bit<W> or int<W>, this is ${typeToString(base)}`,
    );
    return UNKNOWN;
  }
  if (type !== base) e.base.implicitCast = type;
  if (e.width !== undefined && e.low.constant === undefined) return movingSlice(cx, e, type.width);
  const high = sliceBound(cx, e.high, "upper");
  const low = sliceBound(cx, e.low, "lower");
  if (high === undefined || low === undefined) return UNKNOWN;
  if (low < 0n || high < low || high >= BigInt(type.width)) {
    const why =
      high < low ? "the upper bound is less than the lower one" : `the value has bits 0 to ${type.width - 1}`;
    cx.error(
      CODES.constantOutOfRange,
      e.span,
      `the slice [${high}:${low}] is not inside ${typeToString(type)}`,
      why,
    );
    return UNKNOWN;
  }
  const value = constantOf(e.base);
  if (value !== undefined) e.constant = foldSlice(value, Number(high), Number(low));
  return bitType(Number(high - low) + 1);
}

/** `x[low+:width]` where only the width is known at compile time. */
function movingSlice(cx: Checker, e: SliceExpression, available: number): Type {
  const width = e.width!.constant;
  const low = numericType(e.low.type!);
  if (width?.kind !== "integer") {
    cx.error(
      CODES.sliceWidthNotConstant,
      e.width!.span,
      "the width of a slice must be known at compile time",
    );
    return UNKNOWN;
  }
  if (low.kind !== "bit") {
    cx.error(
      CODES.operandTypes,
      e.low.span,
      `the start of a slice must be bit<W>, this is ${typeToString(e.low.type!)}`,
    );
    return UNKNOWN;
  }
  if (width.value < 1n || width.value > BigInt(available)) {
    cx.error(
      CODES.constantOutOfRange,
      e.width!.span,
      `a slice of ${width.value} bits does not lie in a value of ${available} bits`,
    );
    return UNKNOWN;
  }
  if (low !== e.low.type) e.low.implicitCast = low;
  return bitType(Number(width.value));
}

function sliceBound(cx: Checker, e: Expression, which: string): bigint | undefined {
  const value = e.constant;
  if (value?.kind === "integer") return value.value;
  if (!isUnknown(e.type!))
    cx.error(
      CODES.sliceBoundNotConstant,
      e.span,
      `the ${which} bound of a slice must be a number known at compile time`,
    );
  return undefined;
}

export function checkIndex(cx: Checker, e: IndexExpression): Type {
  const base = checkExpression(cx, e.base);
  const indexType = numericType(checkExpression(cx, e.index));
  if (isUnknown(base) && base.kind !== "tuple") return UNKNOWN;
  if (base.kind !== "stack" && base.kind !== "tuple") {
    cx.error(
      CODES.operandTypes,
      e.base.span,
      `only stacks and tuples have elements, this is ${typeToString(base)}`,
    );
    return UNKNOWN;
  }
  const count = base.kind === "stack" ? base.size : base.elements.length;
  if (indexType.kind === "unknown") return base.kind === "stack" ? base.element : UNKNOWN;
  if (!isNumeric(indexType)) {
    cx.error(
      CODES.operandTypes,
      e.index.span,
      `an index must be a number, this is ${typeToString(e.index.type!)}`,
    );
    return UNKNOWN;
  }
  if (indexType !== e.index.type) e.index.implicitCast = indexType;
  const index = constantOf(e.index);
  if (index?.kind === "integer" && (index.value < 0n || index.value >= BigInt(count))) {
    cx.error(
      CODES.constantOutOfRange,
      e.index.span,
      `index ${index.value} is outside of ${typeToString(base)}`,
      count === 0 ? "it has no elements" : `its elements are 0 to ${count - 1}`,
    );
    return base.kind === "stack" ? base.element : UNKNOWN;
  }
  const whole = constantOf(e.base);
  if (whole?.kind === "aggregate" && index?.kind === "integer")
    e.constant = whole.elements[Number(index.value)];
  if (base.kind === "stack") return base.element;
  if (index?.kind === "integer") return defined(base.elements[Number(index.value)]);
  cx.error(CODES.tupleIndexNotConstant, e.index.span, "the index into a tuple must be known at compile time");
  return UNKNOWN;
}
