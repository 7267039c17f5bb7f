import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Argument,
  CallExpression,
  Declaration,
  FunctionDeclaration,
  MemberExpression,
  PathExpression,
} from "../syntax/ast.js";
import { type Substitution, substitutionOf, typeToString, UNKNOWN, VOID } from "./algebra.js";
import { isOptional, typeArguments } from "./arguments.js";
import { checkBuiltin } from "./builtin-calls.js";
import { forbidRecursion, requirePlace } from "./call-places.js";
import type { Checker } from "./checker.js";
import { construct } from "./construction.js";
import { checkPacketIn, checkStaticAssert, checkVerify } from "./core-externs.js";
import { checkExpression } from "./expressions.js";
import { memberNames, noMember } from "./members.js";
import { kindWord } from "./names.js";
import { bind, chooseOverload, findCallable } from "./overloads.js";
import type { BoundArguments } from "./resolution.js";
import type { Type } from "./type.js";
import { resolveType } from "./type-expressions.js";

const NOTHING: Substitution = new Map();

/** Checks a call and returns its type; the callee's kind decides how. */
export function checkCall(cx: Checker, e: CallExpression, expected: Type | undefined): Type {
  const { callee } = e;
  switch (callee.kind) {
    case "path":
      return callPath(cx, e, callee, expected);
    case "typeName": {
      const type = resolveType(cx, callee.typeExpression, { inferArguments: true });
      callee.type = { kind: "typeName", type };
      return construct(cx, e, type, expected);
    }
    case "member":
      return callMember(cx, e, callee, expected);
    default: {
      const type = checkExpression(cx, callee);
      if (type.kind !== "unknown")
        cx.error(CODES.notCallable, callee.span, `this cannot be called, it is ${typeToString(type)}`);
      return ignoreArguments(cx, e.args);
    }
  }
}

/** Checks arguments of a call that is already known to be wrong, so that the expressions in them get types. */
function ignoreArguments(cx: Checker, args: readonly Argument[]): Type {
  for (const arg of args) checkExpression(cx, arg.value);
  return UNKNOWN;
}

function callPath(cx: Checker, e: CallExpression, callee: PathExpression, expected: Type | undefined): Type {
  const found = findCallable(cx, callee, e.args);
  if (found === undefined) {
    cx.notDeclared(callee.name, "function or action");
    return ignoreArguments(cx, e.args);
  }
  const first = defined(found[0]);
  callee.declaration = first;
  switch (first.kind) {
    case "action":
      return callAction(cx, e, callee, first);
    case "function":
      return callFunction(cx, e, callee, found as FunctionDeclaration[], expected);
    case "extern":
    case "parser":
    case "control":
    case "package": {
      callee.type = checkExpression(cx, callee);
      const type = {
        kind: first.kind,
        declaration: first,
        args: e.typeArgs.map((arg) => resolveType(cx, arg)),
      } as Type;
      return construct(cx, e, type, expected);
    }
    default: {
      checkExpression(cx, callee);
      const advice =
        first.kind === "table" || first.kind === "instance"
          ? [`to apply it write ${callee.name.name}.apply(...)`]
          : [];
      cx.error(
        CODES.notCallable,
        callee.span,
        `'${callee.name.name}' is a ${kindWord(first)}, it cannot be called`,
        ...advice,
      );
      return ignoreArguments(cx, e.args);
    }
  }
}

function callAction(
  cx: Checker,
  e: CallExpression,
  callee: PathExpression,
  declaration: Extract<Declaration, { kind: "action" }>,
): Type {
  callee.type = { kind: "action", declaration };
  const name = `action '${declaration.name.name}'`;
  if (e.typeArgs.length > 0)
    cx.error(CODES.typeArguments, defined(e.typeArgs[0]).span, `${name} takes no type arguments`);
  requirePlace(cx, "action", declaration.name.name, e.span);
  forbidRecursion(cx, declaration, e.span);
  cx.usedActions.add(declaration);
  const bound = bind(cx, declaration.params, e, name);
  if (bound === undefined) return ignoreArguments(cx, e.args);
  typeArguments(
    cx,
    { what: name, span: e.span, typeParams: [], given: [], outer: NOTHING, returns: VOID, style: "action" },
    bound,
    e.args,
    undefined,
  );
  e.resolved = { kind: "action", declaration, typeArgs: [], ...bound };
  return VOID;
}

function callFunction(
  cx: Checker,
  e: CallExpression,
  callee: PathExpression,
  candidates: readonly FunctionDeclaration[],
  expected: Type | undefined,
): Type {
  const name = callee.name.name;
  const chosen = chooseOverload(cx, candidates, e, `function '${name}'`);
  if (chosen === undefined) return ignoreArguments(cx, e.args);
  const { declaration, bound } = chosen;
  callee.declaration = declaration;
  const isExtern = declaration.body === undefined;
  const isStatic = isExtern && name === "static_assert";
  if (!isStatic) requirePlace(cx, isExtern ? "extern" : "function", name, e.span);
  forbidRecursion(cx, declaration, e.span);
  const result = finish(cx, e, { ...chosen, what: `function '${name}'`, outer: NOTHING }, expected);
  e.resolved = {
    kind: isExtern ? "externFunction" : "function",
    declaration,
    typeArgs: result.typeArgs,
    ...bound,
  };
  callee.type = functionType(declaration);
  cx.deprecated(declaration, e.span);
  if (isStatic) checkStaticAssert(cx, e, bound);
  checkVerify(cx, e, declaration);
  return result.type;
}

function functionType(declaration: FunctionDeclaration): Type {
  return {
    kind: "function",
    declaration,
    params: declaration.params,
    returns: declaration.returnType?.type ?? VOID,
  };
}

/** The function or method that a call was found to mean. */
interface Chosen {
  readonly declaration: FunctionDeclaration;
  readonly bound: BoundArguments;
  /** What it is called in messages. */
  readonly what: string;
  /** The type arguments of the object that it is a method of. */
  readonly outer: Substitution;
  /** The declaration of that object, where it has a name. */
  readonly object?: Declaration | undefined;
}

function finish(
  cx: Checker,
  e: CallExpression,
  { declaration, bound, what, outer, object }: Chosen,
  expected: Type | undefined,
): { typeArgs: Type[]; type: Type } {
  const given = e.typeArgs.map((arg) => resolveType(cx, arg));
  if (given.length > 0 && given.length !== declaration.typeParams.length)
    cx.error(
      CODES.typeArguments,
      defined(e.typeArgs[0]).span,
      `${what} takes ${declaration.typeParams.length} type arguments, ${given.length} given`,
    );
  return typeArguments(
    cx,
    {
      what,
      span: e.span,
      typeParams: declaration.typeParams,
      given,
      outer,
      object,
      returns: declaration.returnType?.type ?? VOID,
      style: declaration.body === undefined ? "run" : "block",
    },
    bound,
    e.args,
    expected,
  );
}

function callMember(
  cx: Checker,
  e: CallExpression,
  callee: MemberExpression,
  expected: Type | undefined,
): Type {
  const base = checkExpression(cx, callee.base);
  callee.resolved = { kind: "method" };
  const builtin = checkBuiltin(cx, e, callee, base);
  if (builtin !== undefined) return builtin;
  const name = callee.member.name;
  switch (base.kind) {
    case "unknown":
      return ignoreArguments(cx, e.args);
    case "extern":
      return callMethod(cx, e, callee, base, expected);
    case "table":
      if (name !== "apply") break;
      return applyTable(cx, e, callee, base.declaration);
    case "parser":
    case "control":
      if (name !== "apply") break;
      return applyBlock(cx, e, callee, base);
    case "typeName":
      if (name === "apply" && (base.type.kind === "parser" || base.type.kind === "control")) {
        directInvocation(cx, callee, base.type);
        return applyBlock(cx, e, callee, base.type);
      }
      if (base.type.kind === "unknown") return ignoreArguments(cx, e.args);
      break;
  }
  const isMember = memberNames(base).includes(name);
  delete callee.resolved;
  if (isMember)
    cx.error(
      CODES.notCallable,
      callee.span,
      `'${name}' of ${typeToString(base)} cannot be called`,
      `it is a value: write .${name} without parentheses`,
    );
  else noMember(cx, callee, base);
  return ignoreArguments(cx, e.args);
}

function callMethod(
  cx: Checker,
  e: CallExpression,
  callee: MemberExpression,
  base: Extract<Type, { kind: "extern" }>,
  expected: Type | undefined,
): Type {
  const extern = base.declaration;
  const name = callee.member.name;
  const candidates = extern.methods.filter((method) => method.name.name === name);
  if (candidates.length === 0) {
    noMember(cx, callee, base);
    return ignoreArguments(cx, e.args);
  }
  const what = `method '${name}' of ${extern.name.name}`;
  const outer = substitutionOf(extern.typeParams, base.args);
  const chosen = chooseOverload(cx, candidates, e, what, outer);
  if (chosen === undefined) return ignoreArguments(cx, e.args);
  const { declaration, bound } = chosen;
  requirePlace(cx, "extern", `${extern.name.name}.${name}`, e.span);
  if (callee.base.kind === "call" && callee.base.resolved?.kind === "constructor")
    cx.error(
      CODES.instanceInWrongPlace,
      callee.base.span,
      `an instance of '${extern.name.name}' must be declared before it is used`,
    );
  const object = callee.base.kind === "path" ? callee.base.declaration : undefined;
  const result = finish(cx, e, { ...chosen, what, outer, object }, expected);
  const { typeArgs } = result;
  const method = {
    kind: "externMethod" as const,
    object: callee.base,
    extern,
    declaration,
    typeArgs,
    ...bound,
  };
  e.resolved = method;
  callee.type = functionType(declaration);
  cx.deprecated(declaration, e.span);
  checkPacketIn(cx, e, method);
  return result.type;
}

function applyTable(
  cx: Checker,
  e: CallExpression,
  callee: MemberExpression,
  declaration: Extract<Declaration, { kind: "table" }>,
): Type {
  requirePlace(cx, "table", declaration.name.name, e.span);
  cx.appliedTables.add(declaration);
  forbidRecursion(cx, declaration, e.span);
  if (e.args.length > 0 || e.typeArgs.length > 0) {
    cx.error(CODES.argumentCount, e.span, `table '${declaration.name.name}' is applied without arguments`);
    ignoreArguments(cx, e.args);
  }
  e.resolved = { kind: "tableApply", object: callee.base, declaration, params: [], args: [], typeArgs: [] };
  return { kind: "applyResult", declaration };
}

function directInvocation(
  cx: Checker,
  callee: MemberExpression,
  type: Extract<Type, { kind: "parser" | "control" }>,
): void {
  const { declaration } = type;
  const name = declaration.name.name;
  const needed = declaration.constructorParams.find(
    (param) => param.defaultValue === undefined && !isOptional(param),
  );
  if (declaration.body === undefined)
    cx.error(
      CODES.instanceInWrongPlace,
      callee.base.span,
      `'${name}' is a ${type.kind} type without a body, it cannot be applied`,
    );
  else if (needed !== undefined)
    cx.error(
      CODES.instanceInWrongPlace,
      callee.base.span,
      `${type.kind} '${name}' needs constructor arguments, so an instance must be declared before it is applied`,
    );
}

function applyBlock(
  cx: Checker,
  e: CallExpression,
  callee: MemberExpression,
  type: Extract<Type, { kind: "parser" | "control" }>,
): Type {
  const { declaration } = type;
  const what = `${type.kind} '${declaration.name.name}'`;
  requirePlace(cx, type.kind, declaration.name.name, e.span);
  forbidRecursion(cx, declaration, e.span);
  if (e.typeArgs.length > 0)
    cx.error(CODES.typeArguments, defined(e.typeArgs[0]).span, "apply takes no type arguments");
  const bound = bind(cx, declaration.params, e, what);
  if (bound === undefined) return ignoreArguments(cx, e.args);
  typeArguments(
    cx,
    {
      what,
      span: e.span,
      typeParams: [],
      given: [],
      outer: substitutionOf(declaration.typeParams, type.args),
      returns: VOID,
      style: "block",
    },
    bound,
    e.args,
    undefined,
  );
  e.resolved =
    declaration.kind === "control"
      ? { kind: "controlApply", object: callee.base, declaration, typeArgs: [], ...bound }
      : { kind: "parserApply", object: callee.base, declaration, typeArgs: [], ...bound };
  return VOID;
}
