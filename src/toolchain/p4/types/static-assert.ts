/** `static_assert` (section 18.9 "Static assertions"): decided here, as soon as its check has a value. */
import { CODES } from "../codes.js";
import type { CallExpression } from "../syntax/ast.js";
import type { Checker } from "./checker.js";
import { constantOf } from "./coerce.js";
import type { BoundArguments } from "./resolution.js";

/** Reports a failed assertion; gives the call the value true when it holds. */
export function checkStaticAssert(cx: Checker, e: CallExpression, bound: BoundArguments): void {
  const [check, message] = bound.args;
  if (check === undefined) return;
  const value = constantOf(check.value);
  if (value?.kind !== "bool") return;
  e.constant = value;
  if (value.value) return;
  const text = message === undefined ? undefined : constantOf(message.value);
  cx.error(
    CODES.staticAssert,
    e.span,
    text?.kind === "string" ? `static_assert failed: ${text.value}` : "static_assert failed",
  );
}
