/** v1model's extern functions and methods as primitives of simple_switch. */
import type { Span } from "../../../../base/index.js";
import { defined, fail } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { CODES } from "../../codes.js";
import { dataElements } from "../../emit/bmv2-calculations.js";
import { hexValue } from "../../emit/bmv2-expressions.js";
import { statePrimitives } from "../../emit/bmv2-state.js";
import type { BlockKind, Emission } from "../../emit/emission.js";
import { primitive } from "../../emit/emission.js";
import { fold } from "../../lower/fold.js";
import type { Expr, StmtOf } from "../../lower/ir.js";

type Extern = StmtOf<"extern">;
type Digest = StmtOf<"digest">;

export function externPrimitives(
  emission: Emission,
  stmt: Extern | Digest,
  block: BlockKind,
): bmv2.Primitive[] {
  if (stmt.kind === "digest") return [digest(emission, stmt, block)];
  const state = statePrimitives(emission, stmt);
  if (state !== undefined) return state;
  switch (stmt.name) {
    case "mark_to_drop":
      return [primitive("mark_to_drop", [{ type: "header", value: "standard_metadata" }], stmt.span)];
    case "truncate":
      return [primitive("truncate", [emission.expressions.parameter(defined(stmt.args[0]))], stmt.span)];
    case "assert":
    case "assume":
      // A number, as in p4c: primitives of BMv2 have no parameters of type bool.
      return [primitive(stmt.name, [emission.expressions.parameter(defined(stmt.args[0]))], stmt.span)];
    case "log_msg":
      return [logMessage(emission, stmt)];
    default:
      return [replication(emission, stmt, block)];
  }
}

function digest(emission: Emission, stmt: Digest, block: BlockKind): bmv2.Primitive {
  if (block !== "ingress") fail(CODES.externInWrongPipeline, stmt.span, "digest works in ingress only");
  const elements = stmt.elements.map((element) => emission.expressions.number(element));
  const id = emission.resources.learnList(stmt.name, elements, stmt.span);
  return primitive(
    "generate_digest",
    [emission.expressions.parameter(stmt.receiver), hexValue(BigInt(id))],
    stmt.span,
  );
}

function logMessage(emission: Emission, stmt: Extern): bmv2.Primitive {
  const [message, data] = stmt.args;
  if (message?.kind !== "string")
    fail(CODES.valueNotConstant, stmt.span, "the message must be known at compile time");
  const values =
    data === undefined ? [] : dataElements(data).map((one) => emission.expressions.parameter(one));
  return primitive(
    "log_msg",
    [
      { type: "string", value: message.value },
      { type: "parameters_vector", value: values },
    ],
    stmt.span,
  );
}

/** clone, resubmit, recirculate and their forms. */
function replication(emission: Emission, stmt: Extern, block: BlockKind): bmv2.Primitive {
  const { args, name, span } = stmt;
  const list = (index: number): bmv2.Value => hexValue(BigInt(fieldListId(emission, stmt, args[index])));
  const only = (where: BlockKind): void => {
    if (block !== where) fail(CODES.externInWrongPipeline, span, `${name} works in ${where} only`);
  };
  switch (name) {
    case "clone":
    case "clone3":
    case "clone_preserving_field_list": {
      const type = fold(defined(args[0]));
      if (type.kind !== "member")
        fail(CODES.valueNotConstant, span, "the kind of clone must be known at compile time");
      only(type.name === "I2E" ? "ingress" : "egress");
      const op = type.name === "I2E" ? "clone_ingress_pkt_to_egress" : "clone_egress_pkt_to_egress";
      return primitive(op, [emission.expressions.parameter(defined(args[1])), list(2)], span);
    }
    case "resubmit":
    case "resubmit_preserving_field_list":
      only("ingress");
      return primitive("resubmit", [list(0)], span);
    case "recirculate":
    case "recirculate_preserving_field_list":
      only("egress");
      return primitive("recirculate", [list(0)], span);
    default:
      return fail(CODES.statementNotInBmv2, span, `BMv2 cannot do this here: ${name}`);
  }
}

/**
 * The `_preserving_field_list` forms name a list by its number.
 * The older forms name fields, for which a new list is made.
 */
function fieldListId(emission: Emission, stmt: Extern, arg: Expr | undefined): number {
  const { resources, expressions } = emission;
  const span: Span | undefined = stmt.span;
  if (!stmt.name.endsWith("_preserving_field_list")) {
    const fields = arg === undefined ? [] : dataElements(arg);
    const elements = fields.map((one): bmv2.Value => {
      const value = expressions.number(one);
      if (value.type === "field") return value;
      return fail(CODES.computedField, one.span, "only fields can be kept with a packet");
    });
    return resources.newFieldList("fl", elements, span);
  }
  const index = arg === undefined ? undefined : fold(arg);
  if (index?.kind !== "number")
    return fail(CODES.valueNotConstant, span, "the field list must be known at compile time");
  return resources.fieldList(Number(index.value));
}
