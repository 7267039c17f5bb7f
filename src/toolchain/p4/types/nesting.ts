/** Which types can be nested in which (section 7.2.8), and which can be declared or passed at all. */
import { typeToString, unwrapNew } from "./algebra.js";
import type { Type } from "./type.js";

export type Container = "header" | "headerUnion" | "struct" | "tuple" | "list";

/** Words for a type that a container refuses; undefined when it takes it. Type variables pass: their arguments are checked. */
export function elementProblem(container: Container, type: Type): string | undefined {
  return allowed(container, type) ? undefined : `type ${typeToString(type)}`;
}

function allowed(container: Container, type: Type): boolean {
  if (type.kind === "unknown" || type.kind === "typeVariable") return true;
  const inner = unwrapNew(type);
  switch (container) {
    case "header":
      return inHeader(inner);
    case "headerUnion":
      return inner.kind === "header";
    case "struct":
      return isData(inner);
    case "tuple":
      // Tuples of match kinds and of int are compile-time values that libraries pass to constructors.
      return isData(inner) || inner.kind === "matchKind" || inner.kind === "integer";
    case "list":
      return (
        isData(inner) ||
        inner.kind === "integer" ||
        inner.kind === "string" ||
        inner.kind === "matchKind" ||
        inner.kind === "list"
      );
  }
}

function inHeader(type: Type): boolean {
  switch (type.kind) {
    case "bit":
    case "int":
    case "varbit":
    case "bool":
    case "serializableEnum":
    case "typeVariable":
      return true;
    case "newType":
      return inHeader(type.underlying);
    case "struct":
      return type.fields.every((field) => field.type.kind !== "varbit" && inHeader(field.type));
    case "stack":
      return type.element.kind !== "header" && type.element.kind !== "headerUnion" && inHeader(type.element);
    default:
      return false;
  }
}

/** Values that a program can store: everything but compile-time things and objects. */
export function isData(type: Type): boolean {
  switch (type.kind) {
    case "bit":
    case "int":
    case "varbit":
    case "bool":
    case "error":
    case "enum":
    case "serializableEnum":
    case "struct":
    case "header":
    case "headerUnion":
    case "stack":
    case "tuple":
    case "newType":
    case "typeVariable":
    case "unknown":
      return true;
    default:
      return false;
  }
}

/** Words for an element type that an array or stack refuses. */
export function arrayProblem(element: Type): string | undefined {
  const inner = unwrapNew(element);
  switch (inner.kind) {
    case "header":
    case "headerUnion":
    case "typeVariable":
    case "unknown":
    case "bit":
    case "int":
    case "varbit":
    case "bool":
    case "error":
    case "enum":
    case "serializableEnum":
    case "struct":
      return undefined;
    case "stack":
      return inner.element.kind === "header" || inner.element.kind === "headerUnion"
        ? `stacks (${typeToString(inner)})`
        : undefined;
    default:
      return `type ${typeToString(element)}`;
  }
}

/** Whether `==` is defined on a type (sections 8.2 to 8.20). */
export function isComparable(type: Type): boolean {
  switch (type.kind) {
    case "bit":
    case "int":
    case "integer":
    case "varbit":
    case "bool":
    case "error":
    case "enum":
    case "serializableEnum":
    case "matchKind":
    case "string":
    case "actionRun":
    case "unknown":
      return true;
    case "newType":
      return isComparable(type.underlying);
    case "struct":
    case "header":
    case "headerUnion":
      return type.fields.every((field) => isComparable(field.type));
    case "tuple":
      return type.elements.every(isComparable);
    case "structLiteral":
      return type.fields.every((field) => isComparable(field.type));
    case "stack":
      return isComparable(type.element);
    default:
      return false;
  }
}
