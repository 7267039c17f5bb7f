/** Which of several functions of one name is called (section 7.2.9.2): the number and names of arguments decide. */

import type { Note, Span } from "../../../base/index.js";
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Argument, Declaration, FunctionDeclaration, Parameter, PathExpression } from "../syntax/ast.js";
import { contains, type Substitution, substitute, UNKNOWN } from "./algebra.js";
import { bindArguments, isProblem } from "./arguments.js";
import type { Checker } from "./checker.js";
import { converts } from "./coerce.js";
import { checkExpression } from "./expressions.js";
import type { BoundArguments } from "./resolution.js";
import type { Scope } from "./scope.js";
import type { Type } from "./type.js";

/**
 * What a called name stands for: the innermost declaration, unless it is an action or function that cannot take
 * these arguments and one further out can.
 */
export function findCallable(
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

/** Puts the arguments of a call with one possible callee into order; reports why it cannot. */
export function bind(
  cx: Checker,
  params: readonly Parameter[],
  call: { args: readonly Argument[]; span: Span },
  what: string,
): BoundArguments | undefined {
  const bound = bindArguments(params, call.args, what, call.span);
  if (!isProblem(bound)) return bound;
  cx.error(CODES.argumentCount, bound.span, bound.message, ...bound.notes);
  return undefined;
}

/** A call of a name that several declarations have. */
interface OverloadedCall {
  readonly args: readonly Argument[];
  readonly span: Span;
  readonly typeArgs: readonly unknown[];
}

interface Candidate {
  readonly declaration: FunctionDeclaration;
  readonly bound: BoundArguments;
}

/**
 * The overload that the number or the names of the arguments choose (section 7.2.9.2). Where several have room for them, p4c refuses
 * the call (`Type_Extern::lookupMethod`, `ResolutionContext::resolveUnique`). Programs for Tofino that were written before a method
 * got optional parameters, as `Meter.execute(index, color)` was, are taken with a note: the types of the arguments choose, then the
 * candidate all of whose parameters have an argument. `outer` has the type arguments of the object.
 */
export function chooseOverload(
  cx: Checker,
  candidates: readonly FunctionDeclaration[],
  call: OverloadedCall,
  what: string,
  outer: Substitution = new Map(),
): Candidate | undefined {
  if (candidates.length === 1) {
    const declaration = defined(candidates[0]);
    const bound = bind(cx, declaration.params, call, what);
    return bound === undefined ? undefined : { declaration, bound };
  }
  const fitting: Candidate[] = [];
  for (const declaration of candidates) {
    if (call.typeArgs.length > 0 && call.typeArgs.length !== declaration.typeParams.length) continue;
    const bound = bindArguments(declaration.params, call.args, what, call.span);
    if (!isProblem(bound)) fitting.push({ declaration, bound });
  }
  if (fitting.length === 1) return fitting[0];
  if (fitting.length === 0) {
    cx.error(
      CODES.argumentCount,
      call.span,
      `no ${what} takes these ${call.args.length} arguments`,
      ...placesOf(candidates),
    );
    return undefined;
  }
  const meant = cx.strict || !cx.forTofino ? undefined : chooseByType(cx, fitting, call.args, outer);
  if (meant === undefined) {
    const among = placesOf(fitting.map(({ declaration }) => declaration));
    cx.error(CODES.ambiguousCall, call.span, `more than one ${what} fits this call`, ...among);
    return undefined;
  }
  cx.info(
    CODES.overloadByType,
    call.span,
    `more than one ${what} fits this call by the number of arguments, which p4c refuses; the types choose`,
    { message: "the one that is called is here", span: meant.declaration.name.span },
    `give the arguments by name: ${namedForm(meant, call.args)}`,
  );
  return meant;
}

function placesOf(candidates: readonly FunctionDeclaration[]): Note[] {
  return candidates.map((declaration) => ({
    message: `a candidate is here, with ${declaration.params.length} parameter${declaration.params.length === 1 ? "" : "s"}`,
    span: declaration.name.span,
  }));
}

/** The one candidate that takes the types of all arguments, or the one of several that leaves no parameter out. */
function chooseByType(
  cx: Checker,
  fitting: readonly Candidate[],
  args: readonly Argument[],
  outer: Substitution,
): Candidate | undefined {
  for (const { value } of args)
    if (!cx.typedForOverload.has(value)) {
      cx.typedForOverload.add(value);
      cx.silently(() => checkExpression(cx, value, undefined));
    }
  const taking = fitting.filter(({ bound }) =>
    bound.params.every((param, index) => {
      const found = bound.args[index]?.value.type;
      const wanted = substitute(param.type ?? UNKNOWN, outer);
      return found === undefined || contains(wanted, isVariable) || converts(found, wanted);
    }),
  );
  if (taking.length === 1) return taking[0];
  const exact = taking.filter(({ declaration }) => declaration.params.length === args.length);
  return exact.length === 1 ? exact[0] : undefined;
}

function isVariable({ kind }: Type): boolean {
  return kind === "typeVariable";
}

/** `index = ..., color = ...`: the names under which only this candidate is meant, if its names differ from the others'. */
function namedForm({ bound }: Candidate, args: readonly Argument[]): string {
  return args.map((arg) => `${bound.params[bound.args.indexOf(arg)]?.name.name ?? ""} = ...`).join(", ");
}
