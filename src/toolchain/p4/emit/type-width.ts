/** Widths of checked types, for what the control plane sees. */
import type { Type } from "../types/index.js";

/** Bits of a value; enums without underlying type, errors and strings have none and count 0. */
export function typeWidth(type: Type): number {
  switch (type.kind) {
    case "bit":
    case "int":
    case "varbit":
      return type.width;
    case "bool":
      return 1;
    case "newType":
    case "serializableEnum":
      return typeWidth(type.underlying);
    case "struct":
    case "header":
    case "headerUnion":
      return type.fields.reduce((sum, field) => sum + typeWidth(field.type), 0);
    case "tuple":
      return type.elements.reduce((sum, element) => sum + typeWidth(element), 0);
    case "stack":
      return type.size * typeWidth(type.element);
    default:
      return 0;
  }
}
