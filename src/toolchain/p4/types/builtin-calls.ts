/** Methods that types have by themselves: of headers, unions and stacks, and the compile-time sizes (sections 8.17 to 9). */
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { CallExpression, MemberExpression } from "../syntax/ast.js";
import { BOOL, INTEGER, sizeOf, typeToString, UNKNOWN, VOID } from "./algebra.js";
import { type Checker, holdsUnknown } from "./checker.js";
import { constantOf } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { lvalueProblem } from "./lvalue.js";
import { SIZE_METHODS } from "./members.js";
import type { ResolvedCall } from "./resolution.js";
import type { Type } from "./type.js";

type BuiltinMethod = Extract<ResolvedCall, { kind: "builtin" }>["method"];

/** The type of the call if the method is a built-in one of `base`; else undefined, with nothing checked. */
export function checkBuiltin(
  cx: Checker,
  e: CallExpression,
  callee: MemberExpression,
  base: Type,
): Type | undefined {
  const name = callee.member.name;
  const size = SIZE_METHODS.find((candidate) => candidate === name);
  if (size !== undefined) return sizeCall(cx, e, callee, base, size);
  switch (base.kind) {
    case "header":
    case "headerUnion":
      if (name === "isValid") {
        resolve(cx, e, callee, name, 0);
        return BOOL;
      }
      if (name !== "setValid" && name !== "setInvalid") return undefined;
      if (base.kind === "headerUnion") {
        resolve(cx, e, callee, name, 0);
        cx.error(CODES.noSuchMember, callee.member.span, `a header union has no '${name}'; its members have`);
        return UNKNOWN;
      }
      resolve(cx, e, callee, name, 0);
      requireVariable(cx, callee, name);
      return VOID;
    case "stack":
      if (name !== "push_front" && name !== "pop_front") return undefined;
      resolve(cx, e, callee, name, 1);
      requireVariable(cx, callee, name);
      checkCount(cx, e, name);
      return VOID;
    default:
      return undefined;
  }
}

function resolve(
  cx: Checker,
  e: CallExpression,
  callee: MemberExpression,
  method: BuiltinMethod,
  count: number,
): void {
  for (const arg of e.args) checkExpression(cx, arg.value);
  if (e.typeArgs.length > 0)
    cx.error(CODES.typeArguments, defined(e.typeArgs[0]).span, `'${method}' takes no type arguments`);
  if (e.args.length !== count)
    cx.error(
      CODES.argumentCount,
      e.span,
      `'${method}' takes ${count === 0 ? "no arguments" : `${count} argument`}, ${e.args.length} given`,
    );
  e.resolved = {
    kind: "builtin",
    object: callee.base,
    method,
    params: [],
    args: e.args.slice(),
    typeArgs: [],
  };
}

function requireVariable(cx: Checker, callee: MemberExpression, method: string): void {
  const problem = lvalueProblem(cx, callee.base);
  if (problem !== undefined)
    cx.error(
      CODES.notWritable,
      callee.base.span,
      `'${method}' changes its header, which must be a variable: ${problem}`,
    );
}

function checkCount(cx: Checker, e: CallExpression, method: string): void {
  const arg = e.args[0];
  if (arg === undefined || arg.value.type?.kind === "unknown") return;
  const value = constantOf(arg.value);
  const type = arg.value.type!;
  if (
    type.kind !== "integer" &&
    type.kind !== "bit" &&
    type.kind !== "int" &&
    type.kind !== "serializableEnum"
  )
    cx.error(CODES.builtinTakesNumber, arg.span, `'${method}' takes a number, this is ${typeToString(type)}`);
  else if (value?.kind === "integer") {
    if (value.value < 0n)
      cx.error(
        CODES.constantOutOfRange,
        arg.span,
        `'${method}' needs a positive number, this is ${value.value}`,
      );
  } else if (!isCompileTimeKnown(cx, arg.value))
    cx.error(
      CODES.builtinArgumentNotConstant,
      arg.span,
      `the argument of '${method}' must be known at compile time`,
    );
}

function sizeCall(
  cx: Checker,
  e: CallExpression,
  callee: MemberExpression,
  base: Type,
  method: (typeof SIZE_METHODS)[number],
): Type | undefined {
  if (base.kind === "unknown") return undefined;
  if (base.kind === "extern" && base.declaration.methods.some((m) => m.name.name === method))
    return undefined;
  resolve(cx, e, callee, method, 0);
  const type = base.kind === "typeName" ? base.type : base;
  if (type.kind === "unknown") return INTEGER;
  const bits = sizeOf(type, method.startsWith("min") ? "min" : "max");
  if (bits === undefined) {
    if (holdsUnknown(type)) return UNKNOWN;
    cx.error(CODES.noSuchMember, e.span, `the size of type ${typeToString(type)} is not defined`);
    return UNKNOWN;
  }
  const value = method.endsWith("Bytes") ? Math.ceil(bits / 8) : bits;
  e.constant = { kind: "integer", value: BigInt(value) };
  return INTEGER;
}
