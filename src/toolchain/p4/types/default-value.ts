/** Default values of types (section 7.3). */
import type { Checker } from "./checker.js";
import type { ConstantValue, Type } from "./type.js";

/** The default value; undefined for types that have none. The checker knows where `error.NoError` is. */
export function defaultValue(cx: Pick<Checker, "errorByName">, type: Type): ConstantValue | undefined {
  switch (type.kind) {
    case "bit":
    case "int":
    case "varbit":
    case "integer":
      return { kind: "integer", value: 0n };
    case "serializableEnum":
      return { kind: "integer", value: 0n };
    case "newType":
      return defaultValue(cx, type.underlying);
    case "bool":
      return { kind: "bool", value: false };
    case "string":
      return { kind: "string", value: "" };
    case "error": {
      const member = cx.errorByName.get("NoError");
      return member === undefined ? undefined : { kind: "member", member };
    }
    case "enum": {
      const member = type.declaration.members[0];
      return member === undefined ? undefined : { kind: "member", member };
    }
    case "header":
    case "headerUnion":
      return { kind: "invalidHeader" };
    case "struct":
      return aggregate(
        cx,
        type,
        type.fields.map((field) => field.type),
      );
    case "tuple":
      return aggregate(cx, type, type.elements);
    case "stack":
      return aggregate(
        cx,
        type,
        Array.from({ length: type.size }, () => type.element),
      );
    default:
      return undefined;
  }
}

function aggregate(
  cx: Pick<Checker, "errorByName">,
  type: Type,
  types: readonly Type[],
): ConstantValue | undefined {
  const elements: ConstantValue[] = [];
  for (const element of types) {
    const value = defaultValue(cx, element);
    if (value === undefined) return undefined;
    elements.push(value);
  }
  return { kind: "aggregate", type, elements };
}
