/** Calls (sections 8.21, 8.22, 15): what is called, which overload, whether it may be called from here. */
import type { Span } from "../../base/index.js";
import type {
  Argument,
  CallExpression,
  ControlDeclaration,
  Declaration,
  ExternDeclaration,
  FunctionDeclaration,
  MemberExpression,
  PackageDeclaration,
  Parameter,
  ParserDeclaration,
  PathExpression,
} from "../syntax/ast.js";
import { type Substitution, substitutionOf, typeToString, UNKNOWN, VOID } from "./algebra.js";
import { bindArguments, isOptional, isProblem, typeArguments } from "./arguments.js";
import { checkBuiltin } from "./builtin-calls.js";
import type { Checker, PlaceKind } from "./checker.js";
import { checkPacketIn, checkVerify } from "./core-externs.js";
import { checkExpression } from "./expressions.js";
import { memberNames, noMember } from "./members.js";
import { kindWord, scopeNotes } from "./names.js";
import type { BoundArguments, ResolvedCall } from "./resolution.js";
import type { Scope } from "./scope.js";
import { checkStaticAssert } from "./static-assert.js";
import type { Type } from "./type.js";
import { resolveType } from "./type-expressions.js";

const NOTHING: Substitution = new Map();

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

const PLACE_WORDS: Record<PlaceKind, string> = {
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

function requirePlace(cx: Checker, what: keyof typeof CALLABLE_FROM, name: string, span: Span): void {
  if (CALLABLE_FROM[what].includes(cx.place.kind)) return;
  const word = what === "extern" ? "extern function" : what;
  const verb = what === "table" || what === "parser" || what === "control" ? "applied" : "called";
  cx.error("P40317", span, `${word} '${name}' cannot be ${verb} ${PLACE_WORDS[cx.place.kind]}`);
}

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
        cx.error("P40319", callee.span, `this cannot be called, it is ${typeToString(type)}`);
      return ignoreArguments(cx, e.args);
    }
  }
}

/** Checks arguments of a call that is wrong already, so that what is in them is typed. */
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
  const first = found[0]!;
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
        "P40319",
        callee.span,
        `'${callee.name.name}' is a ${kindWord(first)}, it cannot be called`,
        ...advice,
      );
      return ignoreArguments(cx, e.args);
    }
  }
}

/**
 * What a called name stands for: the innermost declaration, unless it is an action or function that cannot take
 * these arguments and one further out can.
 */
function findCallable(
  cx: Checker,
  callee: PathExpression,
  args: readonly Argument[],
): readonly Declaration[] | undefined {
  const { name } = callee.name;
  let first: readonly Declaration[] | undefined;
  let scope: Scope | undefined = callee.absolute ? cx.globals : cx.scope;
  for (; scope !== undefined; scope = scope.parent) {
    const found = scope.names.get(name);
    if (found === undefined) continue;
    first ??= found;
    for (const declaration of found) {
      if (declaration.kind !== "action" && declaration.kind !== "function") return first;
      if (!isProblem(bindArguments(declaration.params, args, name, callee.span))) return found;
    }
  }
  return first;
}

function callAction(
  cx: Checker,
  e: CallExpression,
  callee: PathExpression,
  declaration: Extract<Declaration, { kind: "action" }>,
): Type {
  callee.type = { kind: "action", declaration };
  const name = `action '${declaration.name.name}'`;
  if (e.typeArgs.length > 0) cx.error("P40312", e.typeArgs[0]!.span, `${name} takes no type arguments`);
  requirePlace(cx, "action", declaration.name.name, e.span);
  forbidRecursion(cx, declaration, e.span);
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

/** Puts the arguments of a call with one possible callee into order; reports why it cannot. */
export function bind(
  cx: Checker,
  params: readonly Parameter[],
  call: { args: readonly Argument[]; span: Span },
  what: string,
): BoundArguments | undefined {
  const bound = bindArguments(params, call.args, what, call.span);
  if (!isProblem(bound)) return bound;
  cx.error("P40310", bound.span, bound.message, ...bound.notes);
  return undefined;
}

function forbidRecursion(cx: Checker, declaration: Declaration, span: Span): void {
  if (cx.place.inside !== declaration && cx.place.owner !== declaration) return;
  cx.error(
    "P40328",
    span,
    `${kindWord(declaration)} '${declaration.name.name}' calls itself; P4 has no recursion`,
  );
}

/** The overload that the number or the names of the arguments choose (section 7.2.9.2). */
function chooseOverload(
  cx: Checker,
  candidates: readonly FunctionDeclaration[],
  call: { args: readonly Argument[]; span: Span; typeArgs: readonly unknown[] },
  what: string,
): { declaration: FunctionDeclaration; bound: BoundArguments } | undefined {
  if (candidates.length === 1) {
    const declaration = candidates[0]!;
    const bound = bind(cx, declaration.params, call, what);
    return bound === undefined ? undefined : { declaration, bound };
  }
  const fitting = [];
  for (const declaration of candidates) {
    if (call.typeArgs.length > 0 && call.typeArgs.length !== declaration.typeParams.length) continue;
    const bound = bindArguments(declaration.params, call.args, what, call.span);
    if (!isProblem(bound)) fitting.push({ declaration, bound });
  }
  if (fitting.length > 1) {
    // One that needs no default or optional parameter is meant before others.
    const exact = fitting.filter(({ declaration }) => declaration.params.length === call.args.length);
    if (exact.length === 1) return exact[0];
  }
  if (fitting.length === 1) return fitting[0];
  const notes = candidates.map((declaration) => ({
    message: `a candidate is here, with ${declaration.params.length} parameter${declaration.params.length === 1 ? "" : "s"}`,
    span: declaration.name.span,
  }));
  if (fitting.length > 1) cx.error("P40335", call.span, `it is not clear which ${what} is meant`, ...notes);
  else cx.error("P40310", call.span, `no ${what} takes these ${call.args.length} arguments`, ...notes);
  return undefined;
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
  const result = finish(cx, e, declaration, bound, `function '${name}'`, NOTHING, expected);
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

function finish(
  cx: Checker,
  e: CallExpression,
  declaration: FunctionDeclaration,
  bound: BoundArguments,
  what: string,
  outer: Substitution,
  expected: Type | undefined,
): { typeArgs: Type[]; type: Type } {
  const given = e.typeArgs.map((arg) => resolveType(cx, arg));
  if (given.length > 0 && given.length !== declaration.typeParams.length)
    cx.error(
      "P40312",
      e.typeArgs[0]!.span,
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
  if (isMember) cx.error("P40319", callee.span, `'${name}' of ${typeToString(base)} cannot be called`);
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
  const chosen = chooseOverload(cx, candidates, e, what);
  if (chosen === undefined) return ignoreArguments(cx, e.args);
  const { declaration, bound } = chosen;
  requirePlace(cx, "extern", `${extern.name.name}.${name}`, e.span);
  if (callee.base.kind === "call" && callee.base.resolved?.kind === "constructor")
    cx.error(
      "P40318",
      callee.base.span,
      `an instance of '${extern.name.name}' must be declared before it is used`,
    );
  const result = finish(
    cx,
    e,
    declaration,
    bound,
    what,
    substitutionOf(extern.typeParams, base.args),
    expected,
  );
  e.resolved = {
    kind: "externMethod",
    object: callee.base,
    extern,
    declaration,
    typeArgs: result.typeArgs,
    ...bound,
  };
  callee.type = functionType(declaration);
  cx.deprecated(declaration, e.span);
  checkPacketIn(cx, e, extern, declaration, bound, result.typeArgs);
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
    cx.error("P40310", e.span, `table '${declaration.name.name}' is applied without arguments`);
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
      "P40318",
      callee.base.span,
      `'${name}' is a ${type.kind} type without a body, it cannot be applied`,
    );
  else if (needed !== undefined)
    cx.error(
      "P40318",
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
  if (e.typeArgs.length > 0) cx.error("P40312", e.typeArgs[0]!.span, "apply takes no type arguments");
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

type Constructible = ExternDeclaration | ControlDeclaration | ParserDeclaration | PackageDeclaration;

/** A constructor call in an expression; see also {@link checkConstruction}. */
function construct(cx: Checker, e: CallExpression, type: Type, expected: Type | undefined): Type {
  const result = checkConstruction(cx, type, e.args, e.span, expected);
  if (result === undefined) return UNKNOWN;
  const { kind } = cx.place;
  if (
    ["state", "apply", "action", "function", "abstractMethod", "tableKey", "actionArguments"].includes(kind)
  )
    if (result.resolved.kind === "constructor" && cx.constructing === 0)
      cx.error(
        "P40318",
        e.span,
        `'${result.resolved.declaration.name.name}' cannot be instantiated ${PLACE_WORDS[kind]}`,
        "declare an instance in the parser or control around",
      );
  if (result.type.kind === "extern" && result.type.declaration.methods.some((method) => method.isAbstract))
    cx.error(
      "P40329",
      e.span,
      `extern '${result.type.declaration.name.name}' has abstract methods, so an instance must be declared with them`,
    );
  e.resolved = result.resolved;
  return result.type;
}

/** Checks `type(args)` as an instantiation; undefined after an error that leaves no type. */
export function checkConstruction(
  cx: Checker,
  type: Type,
  args: readonly Argument[],
  span: Span,
  expected: Type | undefined,
): { resolved: ResolvedCall; type: Type } | undefined {
  if (
    type.kind !== "extern" &&
    type.kind !== "parser" &&
    type.kind !== "control" &&
    type.kind !== "package"
  ) {
    if (type.kind !== "unknown")
      cx.error(
        "P40318",
        span,
        `type ${typeToString(type)} has no constructor`,
        "a value is converted with a cast: (T) value",
      );
    ignoreArguments(cx, args);
    return undefined;
  }
  const declaration: Constructible = type.declaration;
  const name = declaration.name.name;
  cx.constructing++;
  try {
    const chosen = chooseConstructor(cx, type, args, span);
    if (chosen === undefined) {
      ignoreArguments(cx, args);
      return undefined;
    }
    if (cx.place.owner === declaration)
      cx.error("P40328", span, `${type.kind} '${name}' contains itself; P4 has no recursion`);
    const wanted =
      expected?.kind === type.kind && expected.declaration === declaration ? expected : undefined;
    const full = {
      ...type,
      args: declaration.typeParams.map((p) => ({ kind: "typeVariable", declaration: p })),
    } as Type;
    const result = typeArguments(
      cx,
      {
        what: `${type.kind} '${name}'`,
        span,
        typeParams: declaration.typeParams,
        given: type.args,
        outer: NOTHING,
        returns: full,
        style: "constructor",
        openAllowed: type.kind === "package",
      },
      chosen.bound,
      args,
      wanted,
    );
    const typed = { ...type, args: result.typeArgs } as Type;
    return {
      resolved: {
        kind: "constructor",
        declaration,
        prototype: chosen.prototype,
        typeArgs: result.typeArgs,
        ...chosen.bound,
      },
      type: typed,
    };
  } finally {
    cx.constructing--;
  }
}

function chooseConstructor(
  cx: Checker,
  type: Extract<Type, { kind: "extern" | "parser" | "control" | "package" }>,
  args: readonly Argument[],
  span: Span,
): { prototype: FunctionDeclaration | undefined; bound: BoundArguments } | undefined {
  const name = type.declaration.name.name;
  if (type.kind === "extern") {
    const { constructors } = type.declaration;
    if (constructors.length === 0) {
      cx.error(
        "P40318",
        span,
        `extern '${name}' has no constructor, it cannot be instantiated`,
        ...scopeNotes(type.declaration),
      );
      return undefined;
    }
    const chosen = chooseOverload(cx, constructors, { args, span, typeArgs: [] }, `constructor of '${name}'`);
    return chosen === undefined ? undefined : { prototype: chosen.declaration, bound: chosen.bound };
  }
  if (type.kind !== "package" && type.declaration.body === undefined) {
    cx.error(
      "P40318",
      span,
      `'${name}' is a ${type.kind} type without a body, it cannot be instantiated`,
      ...scopeNotes(type.declaration),
    );
    return undefined;
  }
  const bound = bind(cx, type.declaration.constructorParams, { args, span }, `the constructor of '${name}'`);
  return bound === undefined ? undefined : { prototype: undefined, bound };
}
