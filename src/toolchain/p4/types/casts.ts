/** Which explicit casts there are (section 8.11.1). */
import { sameType, unwrap } from "./algebra.js";
import type { Type } from "./type.js";

/** Whether `(to) from` is legal for a value that is no `{...}` literal. */
export function castAllowed(from: Type, to: Type): boolean {
  if (sameType(from, to)) return isValue(from);
  if (from.kind === "newType" || from.kind === "serializableEnum") {
    // To the underlying type, at any depth; between enums with the same underlying type.
    if (castAllowedTo(from.underlying, to)) return true;
    if (castAllowedFrom(from, to)) return true;
    return to.kind === "serializableEnum" && sameType(unwrap(from), unwrap(to));
  }
  if (to.kind === "newType" || to.kind === "serializableEnum")
    return sameType(from, to.underlying) || from.kind === "integer" || castAllowedFrom(from, to.underlying);
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
    default:
      return false;
  }
}

function castAllowedTo(underlying: Type, to: Type): boolean {
  if (sameType(underlying, to) || to.kind === "integer") return true;
  if (underlying.kind === "newType" || underlying.kind === "serializableEnum")
    return castAllowedTo(underlying.underlying, to);
  return false;
}

function castAllowedFrom(from: Type, target: Type): boolean {
  if (target.kind !== "newType" && target.kind !== "serializableEnum") return false;
  return sameType(from, target.underlying) || castAllowedFrom(from, target.underlying);
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
