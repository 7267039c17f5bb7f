/** Which explicit casts there are (section 8.11.1). */
import { sameType } from "./algebra.js";
import type { Type } from "./type.js";

/** Whether `(to) from` is legal for a value that is no `{...}` literal. */
export function castAllowed(from: Type, to: Type): boolean {
  if (sameType(from, to)) return isValue(from);
  if (from.kind === "newType") return castAllowed(from.underlying, to);
  if (to.kind === "newType") return castAllowed(from, to.underlying);
  if (from.kind === "serializableEnum") return castAllowed(from.underlying, to);
  if (to.kind === "serializableEnum") return castAllowed(from, to.underlying);
  switch (from.kind) {
    case "bit":
      if (to.kind === "bool") return from.width === 1;
      return to.kind === "bit" || to.kind === "integer" || (to.kind === "int" && to.width === from.width);
    case "int":
      return to.kind === "int" || to.kind === "integer" || (to.kind === "bit" && to.width === from.width);
    case "integer":
      return to.kind === "bit" || to.kind === "int" || to.kind === "bool";
    case "bool":
      return to.kind === "bit" && to.width === 1;
    case "tuple":
      if (to.kind === "struct" || to.kind === "header")
        return (
          from.elements.length === to.fields.length &&
          from.elements.every((element, i) => sameType(element, to.fields[i]!.type))
        );
      return false;
    default:
      return false;
  }
}

function isValue(type: Type): boolean {
  switch (type.kind) {
    case "bit":
    case "int":
    case "varbit":
    case "integer":
    case "bool":
    case "string":
    case "error":
    case "enum":
    case "serializableEnum":
    case "newType":
    case "struct":
    case "header":
    case "headerUnion":
    case "stack":
    case "tuple":
    case "list":
    case "typeVariable":
    case "structLiteral":
      return true;
    default:
      return false;
  }
}
