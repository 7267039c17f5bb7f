/**
 * Arguments: copy-in, copy-out (section 6.8). A parameter is an alias of its argument where that makes no
 * difference; else it gets its own storage, filled before the call and copied back after it.
 */

import { defined } from "../../../../base/index.js";
import type { Argument, Parameter } from "../../syntax/ast.js";
import { field, variable } from "../build.js";
import { fold } from "../fold.js";
import type { Expr, IrType, Stmt } from "../ir.js";
import { known } from "../ir.js";
import { isHeaderStack } from "../ir-types.js";
import { isFixedPlace, isPlace, mayOverlap, readsFrom } from "../places.js";
import type { Env, Operand } from "./context.js";
import { bindingOf, inOrder, irType, pinIndexes, placeOperand, valueOperand } from "./context.js";
import { expressionAs, placeOf } from "./expressions.js";
import type { InstanceScope } from "./instance-scope.js";

/** An argument as it was evaluated, before anything is copied. */
interface Evaluated {
  param: Parameter;
  type: IrType;
  /** A value for `in`, a place for `out` and `inout`; undefined for `_` and for what has no run-time value. */
  expr: Expr | undefined;
  /** Of an `inout` argument: its value, where a later argument may change the place. */
  saved?: Expr;
}

/** What the applications of one object have in common. */
export interface Homes {
  /** The storage of parameters that are no aliases of their arguments; new storage is added. */
  readonly storage: Map<Parameter, Expr>;
  /** Parameters that are no aliases in any application. */
  readonly copied: ReadonlySet<Parameter>;
}

/** What is known of the object whose body the call runs. */
export interface Callee {
  /** The body cannot reach the caller's variables by another way than its parameters. */
  readonly isClosed: boolean;
  /** Of an object whose tables refer to its parameters. */
  readonly homes?: Homes | undefined;
  /** A parameter is an alias of its argument also where another argument overlaps it, and where it is a part of a place or a cast of one. */
  readonly sharesOverlaps?: boolean;
}

export interface Bound {
  /** To run before the body. */
  copyIn: Stmt[];
  /** To run after it, also when `exit` leaves it. */
  copyOut: Stmt[];
}

/**
 * Evaluates the arguments in `env` and binds the parameters in `scope`.
 */
export function bindArguments(
  env: Env,
  scope: InstanceScope,
  params: readonly Parameter[],
  args: readonly (Argument | undefined)[],
  { isClosed, homes, sharesOverlaps = false }: Callee,
): Bound {
  const evaluated = evaluate(env, scope, params, args);
  for (const one of evaluated) if (isWritten(one.param)) pin(env, one, evaluated, isClosed);
  const copyIn: Stmt[] = [];
  const copyOut: Stmt[] = [];
  for (const one of evaluated) {
    const isPassedOn = sharesOverlaps && !isWritten(one.param) && isPartOfPlace(one, evaluated);
    const shared = isClosed && (isPassedOn || sharesStorage(one, sharesOverlaps ? [] : evaluated));
    const copied = homes?.copied.has(one.param) ?? false;
    if (one.expr !== undefined && !copied && (isConstant(one.expr) || shared)) {
      bindValue(scope, one.param, one.expr);
      if (one.param.direction === "out") copyIn.push(...invalidate(one.expr));
      continue;
    }
    const own = homes?.storage.get(one.param) ?? newHome(env, one);
    homes?.storage.set(one.param, own);
    bindValue(scope, one.param, own);
    const span = one.expr?.span ?? one.param.span;
    if (one.param.direction === "out") copyIn.push(...invalidate(own));
    // The value of an `out` parameter is undefined at first: this is what an alias has.
    const isKept = env.context.architecture.keepsUnassigned === true && isPlain(one.type);
    if (one.expr !== undefined && (one.param.direction !== "out" || isKept))
      copyIn.push({ kind: "assign", left: own, right: one.saved ?? one.expr, span });
    if (isWritten(one.param) && one.expr !== undefined)
      copyOut.push({ kind: "assign", left: one.expr, right: own, span });
  }
  return { copyIn, copyOut };
}

/** The place of an `out` or `inout` argument is that before the call, also where the call changes an index in it. */
function pin(env: Env, one: Evaluated, all: readonly Evaluated[], closed: boolean): void {
  if (one.expr === undefined) return;
  const written = all.flatMap(({ param, expr }) => (isWritten(param) && expr !== undefined ? [expr] : []));
  one.expr = pinIndexes(
    env,
    one.expr,
    (index) => isPlace(index) && (!closed || written.some((place) => readsFrom(index, place))),
  );
}

function newHome(env: Env, { param, type }: Evaluated): Expr {
  return variable(env.context.newLocal(param.name.name, type, param.name.span), param.span);
}

function bindValue(scope: InstanceScope, param: Parameter, expr: Expr): void {
  scope.bind(param, { kind: "value", expr });
}

function evaluate(
  env: Env,
  scope: InstanceScope,
  params: readonly Parameter[],
  args: readonly (Argument | undefined)[],
): Evaluated[] {
  const evaluated: Evaluated[] = [];
  const parts: Operand[] = [];
  const holders: Evaluated[] = [];
  for (const [index, param] of params.entries()) {
    const argument = args[index]?.value ?? param.defaultValue;
    if (bindObject(env, scope, param, argument)) continue;
    const type = irType({ ...env, scope }, param.type, param.span);
    const one: Evaluated = { param, type, expr: undefined };
    evaluated.push(one);
    if (argument === undefined || argument.kind === "dontCare") continue;
    const keep = (value: Expr): void => {
      one.saved = value;
    };
    parts.push(
      isWritten(param)
        ? {
            ...placeOperand((inner) => placeOf(inner, argument)),
            ...(param.direction === "inout" ? { keep } : {}),
          }
        : valueOperand((inner) => fold(expressionAs(inner, argument, type))),
    );
    holders.push(one);
  }
  for (const [index, expr] of inOrder(env, parts).entries()) defined(holders[index]).expr = expr;
  return evaluated;
}

/** Parameters of extern type (`packet_in`) denote the object itself. */
function bindObject(
  env: Env,
  scope: InstanceScope,
  param: Parameter,
  argument: Argument["value"] | undefined,
): boolean {
  if (param.type?.kind !== "extern") return false;
  scope.bind(param, known(bindingOf(env, argument), param.span, "an extern parameter without an object"));
  return true;
}

function isWritten(param: Parameter): boolean {
  return param.direction === "out" || param.direction === "inout";
}

/** Of a value alone, without headers. */
function isPlain({ kind }: IrType): boolean {
  return kind === "bits" || kind === "bool" || kind === "enum";
}

function isConstant(expr: Expr): boolean {
  return expr.kind === "number" || expr.kind === "bool" || expr.kind === "member" || expr.kind === "string";
}

/** Whether the parameter can be an alias of the argument's storage. */
function sharesStorage(one: Evaluated, all: readonly Evaluated[]): boolean {
  const expr = one.expr;
  if (expr === undefined || one.saved !== undefined || !isFixedPlace(expr)) return false;
  return all.every(
    (other) =>
      other === one || other.expr === undefined || !isWritten(other.param) || !mayOverlap(expr, other.expr),
  );
}

/** Whether the argument is a slice or a cast of a place that no other argument covers (p4c, frontends/p4/inlining.cpp, inline_subst). */
function isPartOfPlace({ expr, saved }: Evaluated, all: readonly Evaluated[]): boolean {
  let place = expr;
  while (place?.kind === "cast" || place?.kind === "slice") place = place.operand;
  if (place === undefined || place === expr || saved !== undefined || !isFixedPlace(place)) return false;
  return all.every(
    (other) => other.expr === expr || other.expr === undefined || !readsFrom(other.expr, place),
  );
}

/** Headers of an `out` parameter start out invalid (section 6.8). */
export function invalidate(place: Expr): Stmt[] {
  const type = place.type;
  const { span } = place;
  if (type.kind === "struct") return type.fields.flatMap((one) => invalidate(field(place, one.name, span)));
  if (type.kind !== "header" && type.kind !== "union" && !isHeaderStack(type)) return [];
  return [{ kind: "assign", left: place, right: { kind: "invalid", type, span }, span }];
}
