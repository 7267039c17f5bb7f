/** Constants, variables and instances (section 11). */
import { closest, defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  ConstantDeclaration,
  FunctionDeclaration,
  InstanceDeclaration,
  VariableDeclaration,
} from "../syntax/ast.js";
import { sameType, substitute, substitutionOf, typeToString, UNKNOWN, VOID } from "./algebra.js";
import { checkAnnotations } from "./annotations.js";
import { isOptional } from "./arguments.js";
import { type Checker, hint, isUnknown } from "./checker.js";
import { constantOf } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkConstruction } from "./construction.js";
import { checkExpression } from "./expressions.js";
import { checkFunction } from "./functions.js";
import { isData } from "./nesting.js";
import { coerceValue } from "./statements.js";
import type { Type } from "./type.js";
import { resolveType } from "./type-expressions.js";

export function checkConstant(cx: Checker, d: ConstantDeclaration): void {
  checkAnnotations(cx, d.annotations, "other");
  const type = resolveType(cx, d.typeExpression);
  const constants = ["integer", "string", "list", "matchKind"];
  if (!isData(type) && !constants.includes(type.kind) && !(type.kind === "tuple"))
    cx.error(
      CODES.typeCannotStandHere,
      d.typeExpression.span,
      `a constant cannot have type ${typeToString(type)}`,
    );
  checkExpression(cx, d.initializer, type);
  coerceValue(cx, d.initializer, type, `the value of '${d.name.name}'`);
  d.type = type;
  const value = constantOf(d.initializer);
  if (value !== undefined) d.constant = value;
  else if (!isUnknown(d.initializer.type ?? UNKNOWN) && !isCompileTimeKnown(cx, d.initializer))
    cx.error(
      CODES.constantNotConstant,
      d.initializer.span,
      `the value of constant '${d.name.name}' must be known at compile time`,
    );
  cx.declare(d);
}

export function checkVariable(cx: Checker, d: VariableDeclaration): void {
  checkAnnotations(cx, d.annotations, "field");
  const type = resolveType(cx, d.typeExpression);
  d.type = type;
  if (!isData(type)) {
    const advice =
      type.kind === "extern" || type.kind === "parser" || type.kind === "control"
        ? [`an instance is declared with arguments: ${typeToString(type)}(...) ${d.name.name};`]
        : type.kind === "integer"
          ? ["give it a width, as in bit<32>"]
          : [];
    cx.error(
      CODES.typeCannotStandHere,
      d.typeExpression.span,
      `a variable cannot have type ${typeToString(type)}`,
      ...advice,
    );
    d.type = UNKNOWN;
  }
  if (d.initializer !== undefined) {
    checkExpression(cx, d.initializer, type);
    coerceValue(cx, d.initializer, d.type, `the initial value of '${d.name.name}'`);
  }
  cx.declare(d);
}

/** Which objects can be instantiated where: the second table of appendix F. */
function mayInstantiate(cx: Checker, kind: Type["kind"]): boolean {
  switch (cx.place.kind) {
    case "top":
      return kind === "extern" || kind === "package";
    case "parserLocals":
      return kind === "extern" || kind === "parser";
    case "controlLocals":
      return kind === "extern" || kind === "control";
    default:
      return false;
  }
}

export function checkInstance(cx: Checker, d: InstanceDeclaration): void {
  checkAnnotations(cx, d.annotations, "instance");
  const type = resolveType(cx, d.typeExpression, { inferArguments: true });
  const result = checkConstruction(cx, type, d.args, d.span, undefined);
  d.type = result?.type ?? UNKNOWN;
  if (result !== undefined) {
    d.resolved = result.resolved;
    d.typeExpression.type = result.type;
    if (!mayInstantiate(cx, type.kind))
      cx.error(
        CODES.instanceInWrongPlace,
        d.span,
        `${type.kind} '${typeToString(type)}' cannot be instantiated ${whereWord(cx)}`,
        ...(cx.place.kind === "top" ? ["pass it to the package, or declare it in a parser or control"] : []),
      );
  }
  cx.declare(d);
  if (result?.type.kind === "extern") checkAbstractMethods(cx, d, result.type);
  else if (d.body !== undefined && result !== undefined)
    cx.error(
      CODES.abstractMethods,
      d.span,
      `only an extern object takes methods, '${d.name.name}' is a ${type.kind}`,
    );
}

function whereWord(cx: Checker): string {
  switch (cx.place.kind) {
    case "top":
      return "on the top level";
    case "parserLocals":
    case "state":
      return "in a parser";
    case "controlLocals":
      return "in a control";
    default:
      return "here";
  }
}

/**
 * The implementation of abstract methods in an instance (section 11.3.1). As with p4c, they see what the declaration
 * around them sees: a register action of Tofino reads headers and metadata of its control.
 */
function checkAbstractMethods(
  cx: Checker,
  d: InstanceDeclaration,
  type: Extract<Type, { kind: "extern" }>,
): void {
  const extern = type.declaration;
  const given = new Map<string, FunctionDeclaration>();
  const outerThis = cx.thisType;
  cx.scoped(() => {
    cx.thisType = type;
    for (const item of d.body ?? []) {
      if (item.kind === "instance") cx.at({ kind: "controlLocals" }, () => checkInstance(cx, item));
      else {
        const first = given.get(item.name.name);
        if (first !== undefined) cx.duplicate(item.name, first.name);
        else given.set(item.name.name, item);
        const where = extern.methods.find((method) => method.name.name === item.name.name);
        const isMethod = where !== undefined;
        checkFunction(cx, item, "abstractMethod");
        if (!isMethod) {
          const names = extern.methods
            .filter((method) => method.isAbstract)
            .map((method) => method.name.name);
          cx.error(
            CODES.abstractMethods,
            item.name.span,
            `extern '${extern.name.name}' has no abstract method '${item.name.name}'`,
            ...hint(closest(item.name.name, names)),
          );
        } else if (!where.isAbstract)
          cx.error(
            CODES.abstractMethods,
            item.name.span,
            `method '${item.name.name}' of '${extern.name.name}' is not abstract`,
          );
        else checkImplementation(cx, item, where, type);
      }
    }
    cx.thisType = outerThis;
  });
  for (const method of extern.methods)
    if (method.isAbstract && !given.has(method.name.name) && !isOptional(method))
      cx.error(
        CODES.abstractMethods,
        d.name.span,
        `'${d.name.name}' does not implement the abstract method '${method.name.name}' of '${extern.name.name}'`,
        { message: "the method is declared here", span: method.name.span },
      );
}

function checkImplementation(
  cx: Checker,
  given: FunctionDeclaration,
  wanted: FunctionDeclaration,
  type: Extract<Type, { kind: "extern" }>,
): void {
  const map = substitutionOf(type.declaration.typeParams, type.args);
  const declared = { message: "the abstract method is declared here", span: wanted.name.span };
  const name = given.name.name;
  const missing = wanted.params[given.params.length];
  if (given.params.length > wanted.params.length || (missing !== undefined && !isOptional(missing))) {
    cx.error(
      CODES.abstractMethods,
      given.name.span,
      `'${name}' has ${given.params.length} parameters, the abstract method has ${wanted.params.length}`,
      declared,
    );
    return;
  }
  for (const [index, other] of given.params.entries()) {
    const param = defined(wanted.params[index]);
    const type = substitute(param.type ?? UNKNOWN, map);
    const agrees = sameType(other.type ?? UNKNOWN, type) || isUnknown(type) || type.kind === "dontCare";
    if (other.direction !== param.direction || !agrees)
      cx.error(
        CODES.abstractMethods,
        other.span,
        `parameter '${other.name.name}' does not agree with the abstract method: it has ` +
          `${param.direction === "none" ? "no direction" : `direction '${param.direction}'`} and type ${typeToString(type)}`,
        declared,
      );
  }
  const returns = substitute(wanted.returnType?.type ?? VOID, map);
  const own = given.returnType?.type ?? VOID;
  if (!sameType(own, returns) && !isUnknown(own) && !isUnknown(returns) && returns.kind !== "dontCare")
    cx.error(
      CODES.abstractMethods,
      given.returnType?.span ?? given.name.span,
      `'${name}' returns ${typeToString(own)}, the abstract method ${typeToString(returns)}`,
      declared,
    );
}
