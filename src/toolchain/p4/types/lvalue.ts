/** L-values (section 6.7): what can be assigned to, or passed as `out` and `inout`. */
import type { Expression } from "../syntax/ast.js";
import type { Checker } from "./checker.js";

/** Why an expression cannot be written to; undefined when it can. */
export function lvalueProblem(cx: Checker, e: Expression): string | undefined {
  switch (e.kind) {
    case "path": {
      const { declaration } = e;
      if (declaration === undefined) return undefined;
      const name = declaration.name.name;
      switch (declaration.kind) {
        case "variable":
          return cx.readOnly.has(declaration) ? `'${name}' is set by the loop` : undefined;
        case "parameter":
          if (declaration.direction === "out" || declaration.direction === "inout") return undefined;
          if (declaration.direction === "in")
            return `'${name}' is an 'in' parameter, which cannot be written to`;
          return `'${name}' is a parameter without direction, which cannot be written to`;
        case "constant":
          return `'${name}' is a constant`;
        default:
          return `'${name}' is no variable`;
      }
    }
    case "member":
      if (e.resolved?.kind === "stack")
        return e.resolved.property === "next" || e.resolved.property === "last"
          ? lvalueProblem(cx, e.base)
          : `'${e.resolved.property}' of a stack cannot be written to`;
      if (e.resolved?.kind === "field") return lvalueProblem(cx, e.base);
      return e.resolved === undefined ? undefined : "this is no variable";
    case "index":
      return lvalueProblem(cx, e.base);
    case "slice":
      return lvalueProblem(cx, e.base);
    case "call":
      return "the result of a call is no variable";
    default:
      return "this is no variable";
  }
}
