/** Constructor calls and instantiations (sections 8.22 and 11.3). */
import type { Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Argument,
  CallExpression,
  ControlDeclaration,
  ExternDeclaration,
  FunctionDeclaration,
  PackageDeclaration,
  ParserDeclaration,
} from "../syntax/ast.js";
import { typeToString, UNKNOWN } from "./algebra.js";
import { typeArguments } from "./arguments.js";
import { PLACE_WORDS } from "./call-places.js";
import type { Checker } from "./checker.js";
import { checkExpression } from "./expressions.js";
import { scopeNotes } from "./names.js";
import { bind, chooseOverload } from "./overloads.js";
import type { BoundArguments, ResolvedCall } from "./resolution.js";
import type { Type } from "./type.js";

type Constructible = ExternDeclaration | ControlDeclaration | ParserDeclaration | PackageDeclaration;

/** A constructor call in an expression; see also {@link checkConstruction} below. */
export function construct(cx: Checker, e: CallExpression, type: Type, expected: Type | undefined): Type {
  const result = checkConstruction(cx, type, e.args, e.span, expected);
  if (result === undefined) return UNKNOWN;
  const { kind } = cx.place;
  if (
    ["state", "apply", "action", "function", "abstractMethod", "tableKey", "actionArguments"].includes(kind)
  )
    if (result.resolved.kind === "constructor" && cx.constructing === 0)
      cx.error(
        CODES.instanceInWrongPlace,
        e.span,
        `'${result.resolved.declaration.name.name}' cannot be instantiated ${PLACE_WORDS[kind]}`,
        "declare an instance in the parser or control around",
      );
  if (result.type.kind === "extern" && result.type.declaration.methods.some((method) => method.isAbstract))
    cx.error(
      CODES.abstractMethods,
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
        CODES.instanceInWrongPlace,
        span,
        `type ${typeToString(type)} has no constructor`,
        "a value is converted with a cast: (T) value",
      );
    for (const arg of args) checkExpression(cx, arg.value);
    return undefined;
  }
  const declaration: Constructible = type.declaration;
  const name = declaration.name.name;
  cx.constructing++;
  try {
    const chosen = chooseConstructor(cx, type, args, span);
    if (chosen === undefined) {
      for (const arg of args) checkExpression(cx, arg.value);
      return undefined;
    }
    if (cx.place.owner === declaration)
      cx.error(CODES.recursion, span, `${type.kind} '${name}' contains itself; P4 has no recursion`);
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
        outer: new Map(),
        returns: full,
        style: "constructor",
        openAllowed: type.kind === "package" || type.kind === "extern",
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
        CODES.instanceInWrongPlace,
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
      CODES.instanceInWrongPlace,
      span,
      `'${name}' is a ${type.kind} type without a body, it cannot be instantiated`,
      ...scopeNotes(type.declaration),
    );
    return undefined;
  }
  const bound = bind(cx, type.declaration.constructorParams, { args, span }, `the constructor of '${name}'`);
  return bound === undefined ? undefined : { prototype: undefined, bound };
}
