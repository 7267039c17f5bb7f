/** Parameters, functions and actions (sections 6.8, 10 and 14.1). */
import { CODES } from "../codes.js";
import type { ActionDeclaration, FunctionDeclaration, Parameter, TypeParameter } from "../syntax/ast.js";
import { contains, typeToString, VOID } from "./algebra.js";
import { checkAnnotations } from "./annotations.js";
import { isOptional } from "./arguments.js";
import type { Checker } from "./checker.js";
import { coerce, constantOf } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { isData } from "./nesting.js";
import { checkStatements, leaves } from "./statements.js";
import type { Type } from "./type.js";
import { resolveType } from "./type-expressions.js";

/** What the parameters belong to: decides directions and types (the first and third table of appendix F). */
export type ParameterUse =
  | "parser"
  | "control"
  | "function"
  | "action"
  | "externFunction"
  | "package"
  | "parserConstructor"
  | "controlConstructor"
  | "externConstructor";

export function declareTypeParameters(cx: Checker, params: readonly TypeParameter[]): void {
  for (const param of params) cx.declare(param);
}

/** Resolves the types of parameters, checks what they may be, and puts them into scope. */
export function checkParameters(
  cx: Checker,
  params: readonly Parameter[],
  use: ParameterUse,
  hasBody = false,
): void {
  let undirected: Parameter | undefined;
  const isConstructor = use === "package" || use.endsWith("Constructor");
  for (const param of params) {
    checkAnnotations(cx, param.annotations, "parameter");
    const type = resolveType(cx, param.typeExpression);
    param.type = type;
    const name = param.name.name;
    checkParameterType(cx, param, type, use);
    if (isConstructor) cx.constructorParameters.add(param);
    if (isConstructor && param.direction !== "none")
      cx.error(
        CODES.parameterForm,
        param.span,
        `'${name}' is a constructor parameter, it cannot be '${param.direction}'`,
      );
    if (use === "action") {
      if (param.direction === "none") undirected = param;
      else if (undirected !== undefined)
        cx.error(
          CODES.parameterForm,
          param.span,
          `parameter '${name}' with a direction follows one without`,
          {
            message: "parameters without direction come last in an action",
            span: undirected.span,
          },
        );
    }
    if (hasBody || use === "action" || use === "function") {
      const optional = param.annotations.find((annotation) => annotation.name === "optional");
      if (optional !== undefined)
        cx.error(
          CODES.parameterForm,
          optional.span,
          `parameter '${name}' cannot be @optional: only what has no body may leave it out`,
        );
    }
    if (param.defaultValue !== undefined) checkDefault(cx, param, type);
  }
  // Not before: the type of one parameter may have the name of another.
  for (const param of params) cx.declare(param);
}

function checkParameterType(cx: Checker, param: Parameter, type: Type, use: ParameterUse): void {
  if (type.kind === "unknown") return;
  const name = param.name.name;
  const refuse = (why: string) =>
    cx.error(
      CODES.typeCannotStandHere,
      param.typeExpression.span,
      `parameter '${name}' cannot have type ${typeToString(type)}${why}`,
    );
  switch (type.kind) {
    case "extern":
      if (use === "action" || use === "function") {
        if (use === "action") refuse(": objects cannot be given to actions");
        else if (param.direction !== "none")
          refuse(` with direction '${param.direction}': an object has none`);
      } else if (param.direction !== "none")
        refuse(` with direction '${param.direction}': an object has none`);
      return;
    case "parser":
    case "control":
      if (use !== "package" && use !== `${type.kind}Constructor`) refuse("");
      else if (type.declaration.body !== undefined)
        refuse(`: that is a ${type.kind} itself, a parameter needs the type of one, without a body`);
      return;
    case "package":
      if (use !== "package") refuse("");
      return;
    case "void":
    case "dontCare":
      refuse("");
      return;
    case "integer":
    case "string":
    case "matchKind":
    case "list":
      if (use === "action") refuse(": its values exist at compile time only");
      else if (param.direction !== "none")
        refuse(
          ` and direction '${param.direction}': its values exist at compile time only, so it has no direction`,
        );
      return;
    default:
      if (!isData(type)) refuse("");
  }
}

function checkDefault(cx: Checker, param: Parameter, type: Type): void {
  const value = param.defaultValue!;
  const name = param.name.name;
  cx.constructing++;
  checkExpression(cx, value, type);
  cx.constructing--;
  if (param.direction === "out" || param.direction === "inout")
    cx.error(
      CODES.parameterForm,
      value.span,
      `'${name}' is an '${param.direction}' parameter, it cannot have a default value`,
    );
  else if (isOptional(param))
    cx.error(CODES.parameterForm, value.span, `'${name}' is optional, it cannot have a default value too`);
  else if (
    type.kind !== "parser" &&
    type.kind !== "control" &&
    !contains(type, (t) => t.kind === "typeVariable")
  )
    coerce(cx, value, type, `the default value of '${name}'`);
  if (constantOf(value) === undefined && value.type?.kind !== "unknown" && !isCompileTimeKnown(cx, value))
    cx.error(
      CODES.defaultNotConstant,
      value.span,
      `the default value of '${name}' must be known at compile time`,
    );
}

/** A function, an extern function, a method; `place` is the kind of place that its body is in. */
export function checkFunction(
  cx: Checker,
  d: FunctionDeclaration,
  place: "function" | "abstractMethod" | "prototype",
): void {
  checkAnnotations(cx, d.annotations, "other");
  const isConstructor = d.returnType === undefined;
  if (place === "function" || (place === "prototype" && !isConstructor && cx.scope === cx.globals))
    cx.declare(d);
  cx.scoped(() => {
    declareTypeParameters(cx, d.typeParams);
    const returns = d.returnType === undefined ? VOID : resolveType(cx, d.returnType);
    const compileTime = ["integer", "string", "list"].includes(returns.kind);
    if (returns.kind !== "void" && !isData(returns) && !(compileTime && d.body === undefined))
      cx.error(
        CODES.typeCannotStandHere,
        d.returnType!.span,
        `a function cannot return type ${typeToString(returns)}`,
      );
    checkParameters(
      cx,
      d.params,
      isConstructor ? "externConstructor" : d.body === undefined ? "externFunction" : "function",
    );
    if (d.body === undefined) return;
    const body = d.body;
    checkAnnotations(cx, body.annotations, "block");
    cx.at({ kind: place === "abstractMethod" ? "abstractMethod" : "function", returns, inside: d }, () =>
      cx.scoped(() => withoutLoops(cx, () => checkStatements(cx, body.statements))),
    );
    if (returns.kind !== "void" && returns.kind !== "unknown" && !body.statements.some(leaves))
      cx.error(
        CODES.returnValue,
        d.name.span,
        `function '${d.name.name}' does not return a value on every path`,
        `it must return ${typeToString(returns)}`,
      );
  });
}

export function checkAction(cx: Checker, d: ActionDeclaration): void {
  checkAnnotations(cx, d.annotations, "action");
  cx.declare(d);
  cx.scoped(() => {
    checkParameters(cx, d.params, "action");
    checkAnnotations(cx, d.body.annotations, "block");
    cx.at({ kind: "action", returns: undefined, inside: d }, () =>
      cx.scoped(() => withoutLoops(cx, () => checkStatements(cx, d.body.statements))),
    );
  });
}

/** A body of its own: loops around its declaration do not count. */
export function withoutLoops(cx: Checker, body: () => void): void {
  const outer = cx.loops;
  cx.loops = 0;
  body();
  cx.loops = outer;
}
