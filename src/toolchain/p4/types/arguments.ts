/** Matching arguments to parameters (sections 6.8 and 8.21): by position or name, defaults, optional ones, directions. */
import { closest, defined, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Argument,
  Declaration,
  Expression,
  FunctionDeclaration,
  Parameter,
  TypeParameter,
} from "../syntax/ast.js";
import {
  bitType,
  contains,
  type Substitution,
  sameType,
  signatureToString,
  substitute,
  typeToString,
  UNKNOWN,
} from "./algebra.js";
import { type Checker, hint, isUnknown } from "./checker.js";
import { coerce } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { Inference, signatureOf } from "./infer.js";
import { lvalueProblem } from "./lvalue.js";
import type { BoundArguments } from "./resolution.js";
import type { Type } from "./type.js";

export interface BindProblem {
  span: Span;
  message: string;
  notes: string[];
}

/** Whether a parameter or abstract method is marked as one that may be left out. */
export function isOptional(param: Parameter | FunctionDeclaration): boolean {
  return param.annotations.some((annotation) => annotation.name === "optional");
}

/** Puts arguments into parameter order, or says why they do not match. Types play no part. */
export function bindArguments(
  params: readonly Parameter[],
  args: readonly Argument[],
  what: string,
  span: Span,
): BoundArguments | BindProblem {
  const bound: (Argument | undefined)[] = new Array(params.length).fill(undefined);
  const named = args.filter((arg) => arg.name !== undefined).length;
  if (named > 0 && named < args.length) {
    const bare = defined(args.find((arg) => arg.name === undefined));
    return { span: bare.span, message: "either all arguments are given by name or none", notes: [] };
  }
  for (const [position, arg] of args.entries()) {
    let index = position;
    if (arg.name !== undefined) {
      const { name } = arg;
      index = params.findIndex((param) => param.name.name === name.name);
      if (index < 0) {
        const names = params.map((param) => param.name.name);
        const near = closest(name.name, names);
        const notes =
          near !== undefined
            ? hint(near)
            : names.length > 0
              ? [`its parameters are ${names.join(", ")}`]
              : [];
        return { span: name.span, message: `${what} has no parameter '${name.name}'`, notes };
      }
      if (bound[index] !== undefined)
        return { span: name.span, message: `argument '${name.name}' is given twice`, notes: [] };
    } else if (position >= params.length) {
      return {
        span: arg.span,
        message: `${what} takes ${count(params.length)}, ${args.length} given`,
        notes: [],
      };
    }
    bound[index] = arg;
  }
  const missing = params.find(
    (param, index) => bound[index] === undefined && param.defaultValue === undefined && !isOptional(param),
  );
  if (missing !== undefined)
    return {
      span,
      message: `${what} needs an argument for parameter '${missing.name.name}'`,
      notes: [`its parameters are ${signatureToString("", params)}`],
    };
  return { params: params.slice(), args: bound };
}

export function isProblem(result: BoundArguments | BindProblem): result is BindProblem {
  return "message" in result;
}

function count(n: number): string {
  return n === 0 ? "no arguments" : n === 1 ? "1 argument" : `${n} arguments`;
}

/** How arguments for parameters without direction are taken. */
type CallStyle =
  /** Like `in` (section 6.8: an action's data). */
  | "action"
  /** Of an extern: must be known at compile time, or be an object. */
  | "run"
  /** The same for a function, parser or control, which are written in P4. */
  | "block"
  /** All arguments, of a constructor: known at compile time. */
  | "constructor";

export interface Signature {
  what: string;
  span: Span;
  typeParams: readonly TypeParameter[];
  /** Type arguments as written; `undefined` or `_` stands for one to be inferred. */
  given: readonly (Type | undefined)[];
  /** The types that the type parameters of the object's own type are replaced by. */
  outer: Substitution;
  returns: Type;
  style: CallStyle;
  /** Of a method: the declaration of the object, where it has a name. */
  object?: Declaration | undefined;
  /** A type argument written `_` may stay open: nothing in a package depends on it, and an object's methods ask again. */
  openAllowed?: boolean;
}

/**
 * Types the arguments of a call whose callee is known: infers type arguments, inserts implicit casts, checks
 * directions. Returns the type arguments and the type of the call.
 */
export function typeArguments(
  cx: Checker,
  signature: Signature,
  bound: BoundArguments,
  args: readonly Argument[],
  expected: Type | undefined,
): { typeArgs: Type[]; type: Type } {
  const inference = new Inference(signature.typeParams);
  for (const [index, type] of signature.given.entries()) {
    const param = signature.typeParams[index];
    if (param !== undefined && type !== undefined && type.kind !== "dontCare") inference.bind(param, type);
  }
  const types = bound.params.map((param) => substitute(param.type ?? UNKNOWN, signature.outer));
  const returns = substitute(signature.returns, signature.outer);
  for (const arg of args) {
    const index = bound.args.indexOf(arg);
    const wanted = inference.apply(defined(types[index]));
    const closed = inference.isOpen(wanted) ? undefined : wanted;
    const left = wanted.kind === "dontCare" && signature.style === "run";
    const found = checkExpression(cx, arg.value, left ? undefined : closed);
    if (left) types[index] = settleOpenType(cx, signature, defined(bound.params[index]), arg);
    if (closed === undefined) inference.learn(defined(types[index]), found);
  }
  for (const [index, param] of bound.params.entries())
    if (bound.args[index] === undefined && param.defaultValue?.type !== undefined)
      inference.learn(defined(types[index]), param.defaultValue.type);
  if (expected !== undefined && inference.isOpen(returns)) inference.learn(returns, expected);
  const typeArgs = signature.typeParams.map((param) => {
    const type = inference.bindings.get(param);
    if (type !== undefined) return type;
    const needed = bound.params.every(
      (p, i) =>
        bound.args[i] !== undefined || !mentions(defined(types[i]), param) || p.defaultValue !== undefined,
    );
    const unknownArgument = args.some((arg) => isUnknown(arg.value.type ?? UNKNOWN));
    const left = signature.openAllowed === true && signature.given.some((type) => type?.kind === "dontCare");
    if (needed && !unknownArgument && !left)
      cx.error(
        CODES.typeNotInferred,
        signature.span,
        `cannot tell what type parameter '${param.name.name}' of ${signature.what} stands for`,
        `give it in the call: <...> after the name`,
      );
    const fallback: Type = needed && !left ? UNKNOWN : { kind: "dontCare" };
    inference.bind(param, fallback);
    return fallback;
  });
  for (const [index, type] of typeArgs.entries())
    if (signature.given[index] === undefined)
      checkInferred(cx, { signature, types, bound }, defined(signature.typeParams[index]), type);
  for (const [index, param] of bound.params.entries()) {
    const arg = bound.args[index];
    if (arg !== undefined) checkArgument(cx, param, inference.apply(defined(types[index])), arg, signature);
  }
  return { typeArgs, type: inference.apply(returns) };
}

/** What an index is whose type is left open and that is a literal without width. */
const OPEN_INDEX = bitType(32);

/**
 * The type of a parameter that the declaration of the object left open, as in `Register<bit<32>, _>`: that of the
 * argument. p4c refuses such a call since 2023 (its issues 3934 and 4499), compilers before took it.
 */
function settleOpenType(cx: Checker, { object }: Signature, param: Parameter, { value }: Argument): Type {
  const found = value.type ?? UNKNOWN;
  const type = found.kind === "integer" ? OPEN_INDEX : found;
  if (isUnknown(found)) return UNKNOWN;
  const name = param.name.name;
  const cure = `write the type in place of _ where the object is declared, here ${typeToString(type)}`;
  if (cx.strict)
    cx.error(
      CODES.typeNotInferred,
      value.span,
      `cannot tell the type of argument '${name}': the object's declaration leaves it open`,
      cure,
    );
  else if (object === undefined || !cx.leftOpen.has(object))
    cx.info(
      CODES.typeLeftOpen,
      value.span,
      `the type of argument '${name}' is left open, which p4c refuses; it is taken as ${typeToString(type)}`,
      cure,
    );
  if (object !== undefined) cx.leftOpen.add(object);
  return type;
}

/** A call whose type arguments are looked for, with the types of its parameters. */
interface InferredCall {
  readonly signature: Signature;
  readonly types: readonly Type[];
  readonly bound: BoundArguments;
}

/** An inferred type must be one that values can have at run time. */
function checkInferred(
  cx: Checker,
  { signature, types, bound }: InferredCall,
  param: TypeParameter,
  type: Type,
): void {
  const loose = contains(
    type,
    (t) => t.kind === "integer" || t.kind === "structLiteral" || t.kind === "string",
  );
  if (!loose || signature.style === "constructor") return;
  const index = types.findIndex((wanted) => mentions(wanted, param));
  const direction = bound.params[index]?.direction;
  if (index >= 0 && direction === "none" && signature.style === "run") return;
  const span = bound.args[index]?.value.span ?? signature.span;
  if (contains(type, (t) => t.kind === "integer"))
    cx.error(
      CODES.typeNotInferred,
      span,
      `the width of the number given to ${signature.what} is not known`,
      "a literal gets a width in front, as in 8w5",
    );
  else if (contains(type, (t) => t.kind === "string"))
    cx.error(
      CODES.stringArgument,
      span,
      `${signature.what} cannot take a string here: strings exist at compile time only`,
    );
  else
    cx.error(
      CODES.typeNotInferred,
      span,
      `the struct type of the value given to ${signature.what} is not known`,
      "write the type in front, as in (S) { a = 1 }",
    );
}

function mentions(type: Type, param: TypeParameter): boolean {
  return new Inference([param]).isOpen(type);
}

function checkArgument(cx: Checker, param: Parameter, type: Type, arg: Argument, signature: Signature): void {
  const { value } = arg;
  const what = `argument '${param.name.name}'`;
  const place = { message: `'${param.name.name}' is declared here`, span: param.name.span };
  if (value.kind === "dontCare") {
    if (param.direction === "out") value.implicitCast = type;
    else
      cx.error(
        CODES.argumentCount,
        value.span,
        `'_' can only stand for an 'out' argument, '${param.name.name}' is none`,
        place,
      );
    return;
  }
  const found = value.type ?? UNKNOWN;
  if (isUnknown(found) && value.kind !== "list" && value.kind !== "struct") return;
  switch (param.direction) {
    case "in":
      if (notAValue(cx, arg, found, what)) return;
      if (["extern", "parser", "control", "package"].includes(found.kind))
        cx.error(
          CODES.typeCannotStandHere,
          value.span,
          `${what} cannot be an object, this is ${typeToString(found)}`,
          place,
        );
      else coerce(cx, value, type, what, place);
      return;
    case "out":
    case "inout": {
      const problem = lvalueProblem(cx, value);
      if (problem !== undefined)
        cx.error(
          CODES.notWritable,
          value.span,
          `${what} must be a variable, because it is written to: ${problem}`,
          place,
        );
      else if (!sameType(found, type) && !isUnknown(type) && type.kind !== "dontCare")
        cx.mismatch(
          value.span,
          type,
          found,
          what,
          place,
          "an 'out' or 'inout' argument must have exactly this type",
        );
      return;
    }
    case "none":
      if ((type.kind === "parser" || type.kind === "control") && param.type?.kind !== "typeVariable") {
        checkBlockArgument(cx, type, arg, what);
        return;
      }
      if (notAValue(cx, arg, found, what)) return;
      if (
        param.type?.kind === "typeVariable" &&
        signature.style !== "constructor" &&
        (found.kind === "parser" || found.kind === "control")
      ) {
        cx.error(CODES.typeCannotStandHere, value.span, `${what} cannot be a ${found.kind}`, place);
        return;
      }
      if (!coerce(cx, value, type, what, place)) return;
      if (signature.style === "action" || type.kind === "unknown") return;
      if (signature.style !== "constructor" && (type.kind === "extern" || isUndirected(value))) return;
      if (!isCompileTimeKnown(cx, value))
        cx.error(
          CODES.constructorArgumentNotConstant,
          value.span,
          `${what} must be known at compile time`,
          place,
        );
  }
}

/** A parameter without direction may be handed on to another one. */
function isUndirected(value: Expression): boolean {
  return (
    value.kind === "path" && value.declaration?.kind === "parameter" && value.declaration.direction === "none"
  );
}

function notAValue(cx: Checker, arg: Argument, found: Type, what: string): boolean {
  if (
    !["typeName", "table", "action", "function", "state", "applyResult", "actionRun", "void"].includes(
      found.kind,
    )
  )
    return false;
  cx.error(CODES.wrongKindOfName, arg.value.span, `${what} must be a value, this is ${typeToString(found)}`);
  return true;
}

/** A parser or control as an argument for a parser or control type: their parameters must agree. */
function checkBlockArgument(
  cx: Checker,
  wanted: Extract<Type, { kind: "parser" | "control" }>,
  arg: Argument,
  what: string,
): void {
  const found = arg.value.type ?? UNKNOWN;
  const { span } = arg.value;
  if (found.kind === "typeName" && (found.type.kind === "parser" || found.type.kind === "control")) {
    const name = found.type.declaration.name.name;
    cx.error(
      CODES.wrongKindOfName,
      span,
      `${what} must be an instance of '${name}', this is the ${found.type.kind} itself`,
      `write ${name}()`,
    );
    return;
  }
  if (found.kind !== wanted.kind) {
    cx.mismatch(span, wanted, found, what);
    return;
  }
  const declared = {
    message: `'${wanted.declaration.name.name}' is declared here`,
    span: wanted.declaration.name.span,
  };
  const want = signatureOf(wanted);
  const have = signatureOf(found);
  const name = found.declaration.name.name;
  for (const [index, param] of want.entries()) {
    const other = have[index];
    if (other === undefined) {
      if (param.optional) continue;
      cx.error(
        CODES.blockParameterCount,
        span,
        `${found.kind} '${name}' has ${have.length} parameters, ${typeToString(wanted)} asks for ${want.length}`,
        declared,
      );
      return;
    }
    const at = {
      message: `parameter '${other.declaration.name.name}' is here`,
      span: other.declaration.name.span,
    };
    if (param.direction !== other.direction) {
      const word = (direction: Parameter["direction"]) =>
        direction === "none" ? "without direction" : `'${direction}'`;
      cx.error(
        CODES.blockParameterDirection,
        span,
        `parameter '${other.declaration.name.name}' of ${found.kind} '${name}' is ${word(other.direction)}, ` +
          `${typeToString(wanted)} asks for ${word(param.direction)}`,
        at,
        declared,
      );
      return;
    }
    if (!fitsSignature(param.type, other.type)) {
      cx.error(
        CODES.blockParameterType,
        span,
        `parameter '${other.declaration.name.name}' of ${found.kind} '${name}' has type ${typeToString(other.type)}, ` +
          `${wanted.declaration.name.name} asks here for ${typeToString(param.type)}`,
        at,
        declared,
      );
      return;
    }
  }
  if (have.length > want.length && have.slice(want.length).some((param) => !param.optional))
    cx.error(
      CODES.blockParameterCount,
      span,
      `${found.kind} '${name}' has ${have.length} parameters, ${typeToString(wanted)} has ${want.length}`,
      declared,
    );
}

function fitsSignature(wanted: Type, found: Type): boolean {
  if (wanted.kind === "dontCare" || isUnknown(wanted) || isUnknown(found)) return true;
  return sameType(wanted, found);
}
