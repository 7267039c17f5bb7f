/** The name of a key that has none: its expression, as p4c writes it for the control plane. */
import { fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type { Expression, KeyElement, MemberExpression } from "../../syntax/ast.js";
import { nameAnnotation } from "../ir-types.js";

export function keyName(element: KeyElement): string {
  const name = nameOf(element.expression);
  if (name === undefined)
    fail(
      CODES.keyWithoutName,
      element.expression.span,
      "this key needs a name",
      'write @name("...") after its match kind',
    );
  return name;
}

function nameOf(e: Expression): string | undefined {
  switch (e.kind) {
    case "path":
      return e.name.name;
    case "member": {
      // A field is named by its @name; one that begins with a dot is the whole name.
      const own = fieldAnnotation(e) ?? e.member.name;
      if (own.startsWith(".")) return own.slice(1);
      const base = nameOf(e.base);
      return base && `${base}.${own}`;
    }
    case "index": {
      const base = nameOf(e.base);
      const index = numberOf(e.index) ?? nameOf(e.index);
      return base && index && `${base}[${index}]`;
    }
    case "slice": {
      const base = nameOf(e.base);
      const high = numberOf(e.high);
      const low = numberOf(e.low);
      return base && high && low && `${base}[${high}:${low}]`;
    }
    case "call": {
      if (e.resolved?.kind !== "builtin" || e.resolved.method !== "isValid") return undefined;
      const base = nameOf(e.resolved.object);
      return base && `${base}.$valid$`;
    }
    case "binary": {
      if (e.op !== "&") return undefined;
      const left = nameOf(e.left);
      const right = nameOf(e.right);
      return left && right && `${left} & ${right}`;
    }
    case "intLiteral":
      return numberOf(e);
    default:
      return undefined;
  }
}

function fieldAnnotation(e: MemberExpression): string | undefined {
  const type = e.base.type;
  if (type?.kind !== "struct" && type?.kind !== "header" && type?.kind !== "headerUnion") return undefined;
  const field = type.declaration.fields.find((one) => one.name.name === e.member.name);
  return field && nameAnnotation(field.annotations);
}

/** A number in the base in which it is written. */
function numberOf(e: Expression): string | undefined {
  if (e.constant?.kind !== "integer") return undefined;
  const isHex = e.kind === "intLiteral" && /^(\d+[ws])?0x/i.test(e.text);
  return isHex ? `0x${e.constant.value.toString(16)}` : e.constant.value.toString();
}
