/** From where what can be called (appendix F of the specification), and that nothing calls itself. */
import type { Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Declaration } from "../syntax/ast.js";
import type { Checker, PlaceKind } from "./checker.js";
import { kindWord } from "./names.js";

/** From where things can be called at run time: the last table of appendix F of the specification. */
const CALLABLE_FROM: Record<
  "parser" | "control" | "extern" | "table" | "action" | "function",
  readonly PlaceKind[]
> = {
  parser: ["state"],
  control: ["apply"],
  table: ["apply", "tableKey"],
  action: ["apply", "action"],
  extern: [
    "state",
    "parserLocals",
    "controlLocals",
    "apply",
    "action",
    "function",
    "abstractMethod",
    "tableKey",
    "actionArguments",
  ],
  function: [
    "state",
    "parserLocals",
    "controlLocals",
    "apply",
    "action",
    "function",
    "abstractMethod",
    "tableKey",
    "actionArguments",
  ],
};

export const PLACE_WORDS: Record<PlaceKind, string> = {
  top: "outside of parsers, controls and functions",
  parserLocals: "among the declarations of a parser",
  state: "in a parser",
  controlLocals: "among the declarations of a control",
  apply: "in the apply block of a control",
  action: "in an action",
  function: "in a function",
  abstractMethod: "in an abstract method",
  tableKey: "in a table key",
  tableProperty: "in a table property",
  actionArguments: "in an argument of a table's action",
};

export function requirePlace(cx: Checker, what: keyof typeof CALLABLE_FROM, name: string, span: Span): void {
  if (CALLABLE_FROM[what].includes(cx.place.kind)) return;
  const word = what === "extern" ? "extern function" : what;
  const verb = what === "table" || what === "parser" || what === "control" ? "applied" : "called";
  cx.error(CODES.callInWrongPlace, span, `${word} '${name}' cannot be ${verb} ${PLACE_WORDS[cx.place.kind]}`);
}

export function forbidRecursion(cx: Checker, declaration: Declaration, span: Span): void {
  if (cx.place.inside !== declaration && cx.place.owner !== declaration) return;
  cx.error(
    CODES.recursion,
    span,
    `${kindWord(declaration)} '${declaration.name.name}' calls itself; P4 has no recursion`,
  );
}
