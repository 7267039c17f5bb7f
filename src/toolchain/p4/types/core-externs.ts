/** What the core library's own functions ask of their arguments beyond types (sections 13.7, 13.8 and 18.9). */
import { CODES } from "../codes.js";
import type { CallExpression, ExternDeclaration, FunctionDeclaration } from "../syntax/ast.js";
import { contains, typeToString, UNKNOWN } from "./algebra.js";
import type { Checker } from "./checker.js";
import { constantOf } from "./coerce.js";
import type { BoundArguments } from "./resolution.js";
import type { Type } from "./type.js";

/** A call of a method of an extern, its arguments bound to parameters. */
interface MethodCall extends BoundArguments {
  readonly extern: ExternDeclaration;
  readonly declaration: FunctionDeclaration;
  readonly typeArgs: readonly Type[];
}

/** `extract` takes headers, with a size those with one varbit field; `lookahead` types of fixed size. */
export function checkPacketIn(
  cx: Checker,
  e: CallExpression,
  { extern, declaration: method, args, params, typeArgs }: MethodCall,
): void {
  if (extern.name.name !== "packet_in") return;
  if (method.name.name === "extract") {
    const header = args[0]?.value;
    const type = typeArgs[0] ?? UNKNOWN;
    const span = header?.span ?? e.span;
    if (type.kind === "unknown" || type.kind === "typeVariable") return;
    if (header?.kind === "dontCare" && type.kind === "dontCare") return;
    if (type.kind !== "header") {
      cx.error(CODES.extractNoHeader, span, `extract reads a header, this is ${typeToString(type)}`);
      return;
    }
    const varbits = type.fields.filter((field) =>
      contains(field.type, (inner) => inner.kind === "varbit"),
    ).length;
    const name = typeToString(type);
    if (params.length === 1 && varbits > 0)
      cx.error(
        CODES.extractWithoutSize,
        span,
        `header ${name} has a varbit field: extract needs its size in bits as a second argument`,
      );
    else if (params.length === 2 && varbits !== 1)
      cx.error(
        CODES.extractWithSize,
        span,
        `extract with a size reads a header with one varbit field, ${name} has ${varbits}`,
      );
  } else if (method.name.name === "lookahead") {
    const type = typeArgs[0] ?? UNKNOWN;
    if (type.kind === "typeVariable") return;
    const bad = (inner: Type) =>
      [
        "varbit",
        "void",
        "integer",
        "string",
        "error",
        "matchKind",
        "extern",
        "headerUnion",
        "dontCare",
      ].includes(inner.kind) || inner.kind === "enum";
    if (contains(type, bad))
      cx.error(
        CODES.lookaheadOfVaryingSize,
        e.typeArgs[0]?.span ?? e.span,
        `lookahead reads types of fixed size, ${typeToString(type)} has none`,
      );
  }
}

/** `verify` goes to reject, so it belongs into a parser. */
export function checkVerify(cx: Checker, e: CallExpression, declaration: FunctionDeclaration): void {
  if (declaration.name.name !== "verify" || declaration.body !== undefined) return;
  if (cx.place.kind !== "state" && cx.place.kind !== "function")
    cx.error(CODES.callInWrongPlace, e.span, "'verify' can be called in a parser only");
}

/** `static_assert`: reports a failed assertion as soon as its check has a value; gives the call the value true when it holds. */
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
