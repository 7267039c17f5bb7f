/** The name of a key that has none: its expression, as p4c writes it for the control plane. */
import { fail } from "../../../base/index.js";
import type { Expression, KeyElement } from "../../syntax/ast.js";

export function keyName(element: KeyElement): string {
  const name = nameOf(element.expression);
  if (name === undefined)
    fail(
      "P40414",
      element.expression.span,
      "this key needs a name",
      'write @name("...") behind its match kind',
    );
  return name;
}

function nameOf(e: Expression): string | undefined {
  switch (e.kind) {
    case "path":
      return e.name.name;
    case "member": {
      const base = nameOf(e.base);
      return base && `${base}.${e.member.name}`;
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

function numberOf(e: Expression): string | undefined {
  return e.constant?.kind === "integer" ? e.constant.value.toString() : undefined;
}
