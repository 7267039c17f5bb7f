/** Expressions of a BMv2 program as text, where the program does not have their source; and the fields that they read. */
import type { bmv2 } from "../../program/index.js";

/** The name of a field in the P4 source: fields that the compiler put into `scalars` have their own names. */
export function fieldText(header: string, field: string): string {
  if (field === "$valid$") return `${header}.isValid()`;
  return /^scalars(_\d+)?$/.test(header) ? field : `${header}.${field}`;
}

const UNARY: Readonly<Record<string, string>> = { "-": "-", "+": "+", "~": "~", not: "!" };
const BINARY: Readonly<Record<string, string>> = { and: "&&", or: "||" };

/** An expression in the order of P4, with all parentheses, and with the numbers of the program. */
export function expressionText(value: bmv2.Value | bmv2.Expression | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  if ("op" in value) return operationText(value);
  switch (value.type) {
    case "expression":
      return expressionText(value.value);
    case "field":
    case "stack_field":
      return fieldText(value.value[0], value.value[1]);
    case "union_stack_field":
      return value.value.join(".");
    case "register":
      return `${value.value[0]}[${expressionText(value.value[1])}]`;
    case "local":
    case "runtime_data":
      return `parameter ${value.value}`;
    case "lookahead":
      return `lookahead(${value.value.join(", ")})`;
    case "parameters_vector":
      return value.value.map(expressionText).join(", ");
    case "hexstr":
      return value.value.replace(/^(-?0x)0+(?=[0-9a-f])/i, "$1");
    default:
      return String(value.value);
  }
}

function operationText({ op, cond, left, right }: bmv2.Expression): string {
  const a = expressionText(left);
  const b = expressionText(right);
  switch (op) {
    case "d2b":
    case "b2d":
      return b;
    case "valid":
    case "valid_union":
      return `${b}.isValid()`;
    case "last_stack_index":
      return `${b}.lastIndex`;
    case "size_stack":
      return `${b}.size`;
    case "dereference_header_stack":
    case "dereference_union_stack":
      return `${a}[${b}]`;
    case "access_field":
    case "access_union_header":
      return `${a}.${b}`;
    case "two_comp_mod":
    case "sat_cast":
    case "usat_cast":
      return `(int<${b}>) ${a}`;
    case "?":
      return `(${expressionText(cond)} ? ${a} : ${b})`;
    default:
      return left === null ? `${UNARY[op] ?? op}${b}` : `(${a} ${BINARY[op] ?? op} ${b})`;
  }
}

/** Fields that an expression reads, each once, in the order of the text; those of stacks by variable index are left out. */
export function fieldsOf(value: bmv2.Value | bmv2.Expression | number | null | undefined): bmv2.FieldRef[] {
  const found = new Map<string, bmv2.FieldRef>();
  const visit = (part: bmv2.Value | bmv2.Expression | number | null | undefined): void => {
    if (part === null || part === undefined || typeof part === "number") return;
    if ("op" in part) {
      if (part.op === "valid" && typeof part.right !== "number" && part.right.type === "header")
        found.set(`${part.right.value} $valid$`, [part.right.value, "$valid$"]);
      for (const child of [part.cond, part.left, part.right]) visit(child);
    } else if (part.type === "expression") visit(part.value);
    else if (part.type === "field") found.set(part.value.join(" "), part.value);
    else if (part.type === "register") visit(part.value[1]);
  };
  visit(value);
  return [...found.values()];
}
