/** What the emission of actions and of externs shares. */

import type { Span } from "../../../base/index.js";
import { fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import type { Expr, StmtOf } from "../lower/ir.js";
import { isAggregate } from "../lower/ir-types.js";
import { isPlace } from "../lower/places.js";
import type { ExpressionEmitter } from "./bmv2-expressions.js";
import type { Resources } from "./bmv2-resources.js";
import { sourceInfo } from "./source-info.js";

export function primitive(op: string, parameters: bmv2.Value[], span: Span | undefined): Primitive {
  return { op, parameters, ...sourceInfo(span) };
}

/** State that the parts of one emission share. */
export interface Emission {
  expressions: ExpressionEmitter;
  resources: Resources;
  /** The architecture's externs as primitives. */
  externs: (emission: Emission, stmt: StmtOf<"extern" | "digest">, block: BlockKind) => Primitive[];
  /** The program is read for a chip: which unit computes a value is part of it. */
  namesUnits?: boolean;
}

/** Which of v1model's blocks a statement belongs to: some externs exist in one only. */
export type BlockKind = "parser" | "ingress" | "egress";

/** The parameter for a field that the primitive writes. */
export function target(emission: Emission, place: Expr): bmv2.Value {
  if (place.kind === "field" && place.base.kind === "stackProperty") {
    if (place.base.property !== "last")
      fail(CODES.nextOrLast, place.span, "BMv2 cannot write to the element that next names");
    return {
      type: "stack_field",
      value: [emission.expressions.layout.instance(place.base.base), place.name],
    };
  }
  if (!isPlace(place) || isAggregate(place.type))
    fail(
      CODES.statementNotInBmv2,
      place.span,
      "BMv2 writes one field at a time",
      "read into its fields one by one",
    );
  return { type: "field", value: emission.expressions.layout.field(place) };
}

export type Primitive = bmv2.Primitive;
