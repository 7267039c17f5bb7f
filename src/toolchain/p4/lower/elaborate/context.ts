/** The state of one elaboration, and of the piece of code that is being elaborated. */

import type { Diagnostics, Span } from "../../../../base/index.js";
import { DiagnosticError, defined } from "../../../../base/index.js";
import type {
  ActionDeclaration,
  Expression,
  InstanceDeclaration,
  SourceUnit,
  TypeParameter,
} from "../../syntax/ast.js";
import type { BoundArguments, Type } from "../../types/index.js";
import type { Architecture } from "../architecture.js";
import { variable } from "../build.js";
import type {
  Expr,
  ExternInstance,
  IrControl,
  IrState,
  IrType,
  IrValueSet,
  Label,
  Stmt,
  Variable,
} from "../ir.js";
import { known, ofKind } from "../ir.js";
import { TypeTranslator } from "../ir-types.js";
import { Names } from "../names.js";
import { mayChange } from "../places.js";
import { applicationsOf } from "./applications.js";
import type { Binding, ControlInstance } from "./instance-scope.js";
import { InstanceScope } from "./instance-scope.js";

/** What all of one program shares. */
export class Context {
  readonly types = new TypeTranslator();
  readonly names = new Names();
  readonly globalScope = new InstanceScope(undefined);
  readonly locals: Variable[] = [];
  /** Where new tables, actions and instances are added now. */
  pipeline: Pick<IrControl, "tables" | "actions" | "called"> = { tables: [], actions: [], called: [] };
  instances: ExternInstance[] = [];
  /** The control instance that declares an extern instance: without an application of it, neither is part of the program. */
  readonly owners = new Map<ExternInstance, ControlInstance>();
  valueSets: IrValueSet[] = [];
  /** Names of states: one set for each parser of the architecture. */
  stateNames = new Names();
  /** The places that create control instances, by the name of the instance, which need not be unique. */
  readonly controlSpans = new Map<string, Span[]>();
  /** How many digests of unnamed types there were. */
  digests = 0;
  /** Number of action profiles that tables create themselves: p4c numbers all of them, also those with a name. */
  unnamedProfiles = 0;
  /** The variables behind the parameters of the pipe that is being elaborated. */
  storage = new Map<string, Variable>();

  /** The applications of each control's instance in the text. */
  readonly applications: ReadonlyMap<InstanceDeclaration, readonly BoundArguments[]>;
  /** All members of `error`, in order of declaration: their position is their code. */
  readonly errorNames: string[];

  constructor(
    readonly unit: SourceUnit,
    readonly architecture: Architecture,
    readonly diagnostics: Diagnostics,
  ) {
    const names = unit.declarations.flatMap((declaration) =>
      declaration.kind === "error" ? declaration.members.map((member) => member.name.name) : [],
    );
    this.applications = applicationsOf(unit);
    this.errorNames = [...new Set(names)];
  }

  /** A new local variable with a name of its own. */
  newLocal(base: string, type: IrType, span: Span | undefined): Variable {
    const made: Variable = { name: this.names.unique(base), type, role: "local", span };
    this.locals.push(made);
    return made;
  }

  /** Runs `part`; if it throws a user's mistake, that is recorded and the compilation continues. */
  guard(part: () => void): void {
    try {
      part();
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      for (const diagnostic of error.diagnostics) this.diagnostics.add(diagnostic);
    }
  }
}

/** What surrounds a statement: a control's apply block, an action, a parser state, ... */
type Site = "parser" | "control" | "action" | "checksum" | "deparser";

/** One inlined body. */
export interface Frame {
  site: Site;
  /** Where `return` goes. */
  end: Label;
  /** Where its value goes. */
  result: Variable | undefined;
  breakTo: Label | undefined;
  continueTo: Label | undefined;
  /** What must still be copied out of this body if `exit` leaves it, and the frame that called it. */
  copyOut: Stmt[];
  caller: Frame | undefined;
}

/** Where generated statements go; a parser call moves it into another state. */
interface Output {
  list: Stmt[];
  state: IrState | undefined;
}

export interface Env {
  readonly context: Context;
  readonly scope: InstanceScope;
  readonly out: Output;
  readonly frame: Frame;
  /** Name of the instance whose body is being elaborated. */
  readonly prefix: string;
  /** The code stands in a block with `@in_hash`. */
  readonly isHashed?: true;
}

export function emit(env: Env, stmt: Stmt): void {
  env.out.list.push(stmt);
}

export function innerEnv(env: Env, scope = new InstanceScope(env.scope)): Env {
  return { ...env, scope };
}

/** Runs `part` with a separate output and returns the statements that it generated. */
export function collect(env: Env, part: (inner: Env) => void): Stmt[] {
  const out: Output = { list: [], state: undefined };
  part({ ...env, out });
  return out.list;
}

/** A new variable that gets a copy of a value now. */
export function saveValue(env: Env, expr: Expr, base = "tmp"): Expr {
  const temporary = env.context.newLocal(base, expr.type, expr.span);
  const place = variable(temporary, expr.span);
  emit(env, { kind: "assign", left: place, right: expr, span: expr.span });
  return place;
}

/** One operand: how it is evaluated, and whether it is a place to write to instead of a value. */
export interface Operand {
  evaluate: (inner: Env) => Expr;
  isPlace: boolean;
  /** Of a place that is also read: called with its saved value where a later operand may change it. */
  keep?: (value: Expr) => void;
}

export function valueOperand(evaluate: (inner: Env) => Expr): Operand {
  return { evaluate, isPlace: false };
}

export function placeOperand(evaluate: (inner: Env) => Expr): Operand {
  return { evaluate, isPlace: true };
}

/**
 * Evaluates operands from left to right (section 8.1): where the evaluation of a later one could change an
 * earlier one, the earlier value is saved; of an earlier place, its computed indexes are.
 */
export function inOrder(env: Env, operands: readonly Operand[]): Expr[] {
  const done: Expr[] = [];
  const kept = new Set<number>();
  for (const operand of operands) {
    let expr: Expr | undefined;
    const effects = collect(env, (inner) => {
      expr = operand.evaluate(inner);
    });
    if (effects.length > 0)
      for (const [index, earlier] of done.entries()) {
        const { isPlace, keep } = defined(operands[index]);
        if (isPlace) {
          const place = pinIndexes(env, earlier, (computed) => mayChange(effects, computed));
          done[index] = place;
          if (keep !== undefined && !kept.has(index) && mayChange(effects, place)) {
            kept.add(index);
            keep(saveValue(env, place));
          }
        } else if (mayChange(effects, earlier)) done[index] = saveValue(env, earlier);
      }
    env.out.list.push(...effects);
    done.push(expr!);
  }
  return done;
}

/** The place with those of its indexes saved that could change. */
export function pinIndexes(env: Env, place: Expr, changes: (index: Expr) => boolean): Expr {
  switch (place.kind) {
    case "field":
    case "stackProperty":
      return { ...place, base: pinIndexes(env, place.base, changes) };
    case "slice":
      return { ...place, operand: pinIndexes(env, place.operand, changes) };
    case "element": {
      const index = changes(place.index) ? saveValue(env, place.index, "index") : place.index;
      return { ...place, base: pinIndexes(env, place.base, changes), index };
    }
    default:
      return place;
  }
}

/** What the name means that an expression consists of; undefined for other expressions. */
export function bindingOf(env: Pick<Env, "scope">, e: Expression | undefined): Binding | undefined {
  if (e?.kind === "this") {
    const instance = env.scope.findSelf();
    return instance && { kind: "extern", instance };
  }
  return e?.kind === "path" ? env.scope.find(e.declaration) : undefined;
}

export function actionBinding(env: Env, action: ActionDeclaration): Extract<Binding, { kind: "action" }> {
  return ofKind(env.scope.find(action), "action", action.span, "an action was not declared");
}

/** The type with the type parameters of the scope filled in. */
export function resolveType(env: Pick<Env, "scope">, type: Type): Type {
  return env.scope.isGeneric ? fillIn(type, (parameter) => env.scope.findType(parameter)) : type;
}

function fillIn(type: Type, find: (parameter: TypeParameter) => Type | undefined): Type {
  switch (type.kind) {
    case "typeVariable":
      return find(type.declaration) ?? type;
    case "struct":
    case "header":
    case "headerUnion":
      return {
        ...type,
        args: type.args.map((arg) => fillIn(arg, find)),
        fields: type.fields.map((field) => ({ ...field, type: fillIn(field.type, find) })),
      };
    case "stack":
    case "list":
    case "set":
      return { ...type, element: fillIn(type.element, find) };
    case "tuple":
      return { ...type, elements: type.elements.map((element) => fillIn(element, find)) };
    case "structLiteral":
      return {
        ...type,
        fields: type.fields.map((field) => ({ ...field, type: fillIn(field.type, find) })),
      };
    case "extern":
      return { ...type, args: type.args.map((arg) => fillIn(arg, find)) };
    default:
      return type;
  }
}

/** The lowered form of a checked type; a missing type is a fault of the compiler. */
export function irType(env: Env, type: Type | undefined, span: Span | undefined): IrType {
  const checked = known(type, span, "the checker left this without a type");
  return env.context.types.translate(resolveType(env, checked), span);
}
