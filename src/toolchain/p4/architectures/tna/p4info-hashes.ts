/** The inputs of a hash as a controller names them: the expressions of the program as text. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { spanText } from "../../../../base/index.js";
import type { p4types } from "../../../program/index.js";
import { fold } from "../../lower/fold.js";
import type { Expr, IrType, Variable } from "../../lower/ir.js";
import { scalarWidth } from "../../lower/ir-types.js";
import type { ExternStmt } from "./p4info-scope.js";

interface HashInput {
  readonly name: string;
  readonly isConstant: boolean;
  readonly type: MessageInitShape<typeof p4types.P4DataTypeSpecSchema>;
}

/** The elements of a list; parts of a concatenation count each. A single value is no list, and so has none. */
export function hashInputs(call: ExternStmt): HashInput[] {
  const [data] = call.args;
  if (data?.kind !== "aggregate") return [];
  return data.elements.flatMap(parts).map((one) => ({
    name: textOf(one),
    isConstant: one.kind === "number",
    type: specOf(one.type),
  }));
}

function parts(expr: Expr): Expr[] {
  return expr.kind === "binary" && expr.op === "++" ? [...parts(expr.left), ...parts(expr.right)] : [expr];
}

function specOf(type: IrType): HashInput["type"] {
  if (type.kind === "bool") return { typeSpec: { case: "bool", value: {} } };
  const bitwidth = scalarWidth(type) ?? 0;
  const isSigned = type.kind === "bits" && type.signed;
  return {
    typeSpec: {
      case: "bitstring",
      value: {
        typeSpec: isSigned ? { case: "int", value: { bitwidth } } : { case: "bit", value: { bitwidth } },
      },
    },
  };
}

/** An expression as the open compiler prints it: a constant with its width, in the base in which it is written. */
function textOf(expr: Expr): string {
  switch (expr.kind) {
    case "variable":
      return nameOf(expr.variable);
    case "field":
      return `${textOf(expr.base)}.${expr.name}`;
    case "element":
      return `${textOf(expr.base)}[${indexText(expr.index)}]`;
    case "slice":
      return `${textOf(expr.operand)}[${expr.high}:${expr.low}]`;
    case "number": {
      const { width, signed } = expr.type;
      const isHex = expr.span !== undefined && /^(\d+[ws])?0x/i.test(spanText(expr.span));
      return `${width}${signed ? "s" : "w"}${isHex ? `0x${expr.value.toString(16)}` : expr.value}`;
    }
    case "binary":
      return `${textOf(expr.left)} ${expr.op} ${operandText(expr.right)}`;
    case "cast":
      return textOf(expr.operand);
    default:
      return expr.span === undefined ? "" : spanText(expr.span);
  }
}

/** The name as the program declares it; of a parameter the span may be the whole declaration, which ends with the name. */
function nameOf({ name, span }: Variable): string {
  return (span && /\w+$/.exec(spanText(span))?.[0]) ?? name;
}

/** A number beside an operator has no width. */
function operandText(expr: Expr): string {
  return expr.kind === "number" ? String(expr.value) : textOf(expr);
}

function indexText(expr: Expr): string {
  const index = fold(expr);
  return index.kind === "number" ? String(index.value) : textOf(index);
}
