/** Compile-time known values (section 18.1): those with a constant, and those that wait for constructor arguments. */
import type { Expression } from "../syntax/ast.js";
import type { Checker } from "./checker.js";

/** Whether the value is fixed once all objects are constructed. */
export function isCompileTimeKnown(cx: Checker, e: Expression): boolean {
  if (e.constant !== undefined) return true;
  switch (e.kind) {
    case "path": {
      const { declaration } = e;
      if (declaration === undefined) return false;
      if (declaration.kind === "constant" || declaration.kind === "instance") return true;
      if (declaration.kind === "enumMember" || declaration.kind === "table") return true;
      return declaration.kind === "parameter" && cx.constructorParameters.has(declaration);
    }
    case "typeName":
    case "intLiteral":
    case "boolLiteral":
    case "stringLiteral":
    case "default":
    case "dontCare":
    case "invalid":
    case "dots":
    case "this":
      return true;
    case "unary":
      return isCompileTimeKnown(cx, e.operand);
    case "cast":
      return isCompileTimeKnown(cx, e.operand);
    case "binary":
      return isCompileTimeKnown(cx, e.left) && isCompileTimeKnown(cx, e.right);
    case "conditional":
      return [e.condition, e.whenTrue, e.whenFalse].every((part) => isCompileTimeKnown(cx, part));
    case "member":
      return e.resolved?.kind === "enumMember" || isCompileTimeKnown(cx, e.base);
    case "index":
      return isCompileTimeKnown(cx, e.base) && isCompileTimeKnown(cx, e.index);
    case "slice":
      return [e.base, e.high, e.low].every((part) => isCompileTimeKnown(cx, part));
    case "list":
      return e.elements.every((element) => isCompileTimeKnown(cx, element));
    case "struct":
      return e.fields.every((field) => isCompileTimeKnown(cx, field.value));
    case "mask":
      return isCompileTimeKnown(cx, e.value) && isCompileTimeKnown(cx, e.mask);
    case "range":
      return isCompileTimeKnown(cx, e.low) && isCompileTimeKnown(cx, e.high);
    case "call":
      return (
        e.resolved?.kind === "constructor" ||
        (e.resolved?.kind === "builtin" && e.resolved.method.includes("Size"))
      );
  }
}
