/** Calls of what core.p4 and the architecture declare: packets, headers, externs. */

import { defined, fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type { CallExpression, Expression, FunctionDeclaration, Parameter } from "../../syntax/ast.js";
import type { BoundArguments, ResolvedCall, Type } from "../../types/index.js";
import type { ExternShape } from "../architecture.js";
import { instanceExpr, number, valid, variable } from "../build.js";
import { fold } from "../fold.js";
import type { Expr, ExternInstance, IrType, Stmt } from "../ir.js";
import { fault, known } from "../ir.js";
import { bits, scalarWidth, totalWidth } from "../ir-types.js";
import { isFixedPlace } from "../places.js";
import { constantNumber } from "./constants.js";
import type { Env, Operand } from "./context.js";
import { bindingOf, emit, inOrder, irType, placeOperand, saveValue, valueOperand } from "./context.js";
import { expression, expressionAs, placeOf } from "./expressions.js";

type BuiltinCall = Extract<ResolvedCall, { kind: "builtin" }>;
type MethodCall = Extract<ResolvedCall, { kind: "externMethod" }>;

/** Methods of headers, unions and stacks (section 8.18 to 8.21). */
export function builtinCall(env: Env, resolved: BuiltinCall, call: CallExpression): Expr | undefined {
  const { method } = resolved;
  switch (method) {
    case "isValid":
      return valid(expression(env, resolved.object), call.span);
    case "setValid":
    case "setInvalid":
      emit(env, {
        kind: "validity",
        header: placeOf(env, resolved.object),
        valid: method === "setValid",
        span: call.span,
      });
      return undefined;
    case "push_front":
    case "pop_front": {
      const [argument] = call.args;
      const count = constantNumber(expression(env, argument!.value), `the count of ${method}`);
      emit(env, {
        kind: "shift",
        stack: placeOf(env, resolved.object),
        count: Number(count),
        op: method === "push_front" ? "push" : "pop",
        span: call.span,
      });
      return undefined;
    }
    default: {
      const width = totalWidth(expression(env, resolved.object).type);
      const size = method.endsWith("Bytes") ? Math.ceil(width / 8) : width;
      return number(BigInt(size), bits(32), call.span);
    }
  }
}

export function externMethod(env: Env, resolved: MethodCall, call: CallExpression): Expr | undefined {
  const method = resolved.declaration.name.name;
  const binding = bindingOf(env, resolved.object);
  if (binding?.kind === "packet") return packetMethod(env, method, resolved, call);
  if (binding?.kind !== "extern")
    return fail(CODES.instanceNotSupported, call.span, `not supported yet: ${method} of this object`);
  const name = `${resolved.extern.name.name}.${method}`;
  const { methods } = env.context.architecture.externs;
  const shape = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (shape === undefined) fail(CODES.unknownExtern, call.span, `the target has no ${name}`);
  return targetCall(env, { name, shape, instance: binding.instance }, resolved, call);
}

export function externFunction(
  env: Env,
  declaration: FunctionDeclaration,
  resolved: ResolvedCall,
  call: CallExpression,
): Expr | undefined {
  const name = declaration.name.name;
  if (name === "static_assert") return { kind: "bool", value: true, type: { kind: "bool" }, span: call.span };
  if (name === "verify") {
    const [condition, error] = argumentValues(env, resolved);
    emit(env, { kind: "verify", condition: condition!, error: error!, span: call.span });
    return undefined;
  }
  const { functions } = env.context.architecture.externs;
  const shape = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (shape === undefined) fail(CODES.unknownExtern, call.span, `the target has no extern function ${name}`);
  if (shape.as !== "digest") return targetCall(env, { name, shape, instance: undefined }, resolved, call);
  digest(env, resolved, call);
  return undefined;
}

/** What a call of an extern calls. */
interface Callee {
  readonly name: string;
  readonly shape: ExternShape;
  readonly instance: ExternInstance | undefined;
}

/** Evaluates the arguments, with storage of their own for results that go to no plain field. */
function targetCall(
  env: Env,
  { name, shape, instance }: Callee,
  resolved: ResolvedCall,
  call: CallExpression,
): Expr | undefined {
  const after: Stmt[] = [];
  const operands = resolved.params.flatMap((param, index): Operand[] => {
    const value = resolved.args[index]?.value;
    if (value === undefined) return [];
    if (param.type?.kind === "extern") return objectOperand(env, value);
    if (param.direction !== "out" && param.direction !== "inout")
      return [
        valueOperand((inner) => fold(argumentValue(inner, value, typeOfLiteral(value, param, resolved)))),
      ];
    const copyIn = param.direction === "inout";
    return [
      placeOperand((inner) => {
        const type = irType(inner, valueType(param.type, value), value.span);
        return resultPlace(inner, value, copyIn, type, after);
      }),
    ];
  });
  const args = inOrder(env, operands);
  const outs = operands.flatMap(({ isPlace }, index) => (isPlace ? [index] : []));
  const { span } = call;
  let result: Expr | undefined;
  if (shape.lower === undefined) {
    result = returned(env, call);
    emit(env, { kind: "extern", name, instance, args, outs, result, about: shape, span });
  } else
    result = shape.lower({
      name,
      args,
      span,
      about: shape,
      emit: (stmt) => emit(env, stmt),
      save: (value) => saveValue(env, value),
      storage: (key) => variable(defined(env.context.storage.get(key)), span),
    });
  env.out.list.push(...after);
  return result;
}

/** Storage for what a call returns. */
function returned(env: Env, call: CallExpression): Expr | undefined {
  if (call.type === undefined || call.type.kind === "void") return undefined;
  const type = irType(env, call.type, call.span);
  return variable(env.context.newLocal("tmp", type, call.span), call.span);
}

/** An instance as an argument; the packet needs no name. */
function objectOperand(env: Env, value: Expression): Operand[] {
  const binding = bindingOf(env, value);
  if (binding?.kind !== "extern") return [];
  return [valueOperand(() => instanceExpr(binding.instance, value.span))];
}

/** A list or struct literal for a parameter of a type variable has the type that the call gives this variable. */
function typeOfLiteral(value: Expression, param: Parameter, resolved: ResolvedCall): Type | undefined {
  const declared = param.type;
  if (declared?.kind !== "typeVariable" || (value.kind !== "list" && value.kind !== "struct"))
    return declared;
  if (resolved.kind !== "externMethod" && resolved.kind !== "externFunction") return declared;
  const index = resolved.declaration.typeParams.indexOf(declared.declaration);
  const given = resolved.typeArgs[index];
  return given?.kind === "struct" || given?.kind === "header" ? given : declared;
}

/** Parameters of generic externs have type variables as types: the argument's own type counts then. */
function valueType(declared: Type | undefined, value: Expression): Type | undefined {
  return declared === undefined || declared.kind === "typeVariable"
    ? (value.implicitCast ?? value.type)
    : declared;
}

function argumentValue(env: Env, value: Expression, declared: Type | undefined): Expr {
  if (declared === undefined || declared.kind === "typeVariable" || declared.kind === "string")
    return expression(env, value);
  return expressionAs(env, value, irType(env, declared, value.span));
}

function resultPlace(env: Env, value: Expression, copyIn: boolean, type: IrType, after: Stmt[]): Expr {
  if (value.kind === "dontCare")
    return variable(env.context.newLocal("unused", type, value.span), value.span);
  const place = placeOf(env, value);
  if (isFixedPlace(place)) return place;
  const own = copyIn
    ? saveValue(env, place)
    : variable(env.context.newLocal("tmp", place.type, value.span), value.span);
  after.push({ kind: "assign", left: place, right: own, span: value.span });
  return own;
}

function argumentValues(env: Env, resolved: BoundArguments): Expr[] {
  return inOrder(
    env,
    resolved.params.flatMap((param, index) => {
      const value = resolved.args[index]?.value ?? param.defaultValue;
      return value === undefined
        ? []
        : [valueOperand((inner) => fold(argumentValue(inner, value, param.type)))];
    }),
  );
}

function digest(env: Env, resolved: ResolvedCall, call: CallExpression): void {
  const declared = known(resolved.typeArgs[0], call.span, "a digest without its type");
  const [receiver, data] = argumentValues(env, resolved);
  const name = declared.kind === "struct" ? declared.declaration.name.name : autoDigestName(env);
  emit(env, {
    kind: "digest",
    receiver: receiver!,
    name,
    elements: [],
    data: data!,
    declared,
    span: call.span,
  });
}

/** A digest of a type without a name is called by its number, as p4c does. */
function autoDigestName(env: Env): string {
  return `digest_${env.context.digests++}`;
}

// ---------------------------------------------------------------- packets

function packetMethod(
  env: Env,
  method: string,
  resolved: MethodCall,
  call: CallExpression,
): Expr | undefined {
  const values = resolved.args.map((argument) => argument?.value);
  switch (method) {
    case "extract": {
      extract(env, defined(values[0]), values[1], resolved, call);
      return undefined;
    }
    case "lookahead":
      return lookahead(env, irType(env, resolved.typeArgs[0] ?? call.type, call.span), call);
    case "advance": {
      const size = fold(expressionAs(env, defined(values[0]), bits(32)));
      emit(env, { kind: "advance", size, span: call.span });
      return undefined;
    }
    case "emit":
      emit(env, { kind: "emit", header: expression(env, defined(values[0])), span: call.span });
      return undefined;
    default:
      return fail(CODES.unknownExtern, call.span, `not supported by the target: ${method} of a packet`);
  }
}

function extract(
  env: Env,
  target: Expression,
  size: Expression | undefined,
  resolved: MethodCall,
  call: CallExpression,
): void {
  const place =
    target.kind === "dontCare"
      ? variable(
          env.context.newLocal("skipped", irType(env, resolved.typeArgs[0], target.span), target.span),
          target.span,
        )
      : placeOf(env, target);
  if (place.type.kind !== "header") fault(target.span, `extract fills a header, not a ${place.type.kind}`);
  const bitsToRead = size === undefined ? undefined : fold(expressionAs(env, size, bits(32)));
  if (isFixedPlace(place) || isNext(place)) {
    emit(env, { kind: "extract", header: place, size: bitsToRead, span: call.span });
    return;
  }
  const own = variable(env.context.newLocal("extracted", place.type, target.span), target.span);
  emit(env, { kind: "extract", header: own, size: bitsToRead, span: call.span });
  emit(env, { kind: "assign", left: place, right: own, span: call.span });
}

/** Bits of a value; 0 for what cannot be read ahead. */
function bitsOf(type: IrType): number {
  if (type.kind === "struct" || type.kind === "header")
    return type.fields.reduce((sum, field) => sum + bitsOf(field.type), 0);
  if (type.kind === "stack") return type.size * bitsOf(type.element);
  return scalarWidth(type) ?? 0;
}

/** `stack.next`, or a member of it in a stack of unions. */
function isNext(place: Expr): boolean {
  if (place.kind === "field" && place.base.type.kind === "union") return isNext(place.base);
  return place.kind === "stackProperty" && place.property === "next" && isFixedPlace(place.base);
}

/**
 * The bits ahead, read now: into a variable, or one a field for structs. BMv2 compares the length of one read with the rest of the
 * packet, and not where it begins; so all bits of a struct are read once before its fields.
 */
function lookahead(env: Env, type: IrType, call: CallExpression): Expr {
  const total = env.context.architecture.looksAheadWhole ? bitsOf(type) : 0;
  if (scalarWidth(type) === undefined && total > 0)
    saveValue(env, { kind: "lookahead", offset: 0, type: bits(total), span: call.span });
  let offset = 0;
  const read = (part: IrType): Expr => {
    if (part.kind === "struct" || part.kind === "header") {
      const elements = part.fields.map((one) => read(one.type));
      return { kind: "aggregate", elements, type: part, span: call.span };
    }
    if (part.kind === "stack") {
      const elements = Array.from({ length: part.size }, () => read(part.element));
      return { kind: "aggregate", elements, type: part, span: call.span };
    }
    const width = scalarWidth(part);
    if (width === undefined || part.kind === "varbits")
      fault(call.span, `not supported by the target: lookahead of a ${part.kind}`);
    const raw: Expr = { kind: "lookahead", offset, type: bits(width), span: call.span };
    offset += width;
    const saved = saveValue(env, raw);
    return part.kind === "bits" && !part.signed
      ? saved
      : { kind: "cast", operand: saved, type: part, span: call.span };
  };
  return read(type);
}
