/** What names mean in one instance of a control, one call of a function, ...: the same tree, many meanings. */
import type {
  ActionDeclaration,
  Annotation,
  ControlDeclaration,
  Declaration,
  ParserDeclaration,
  TypeParameter,
} from "../../syntax/ast.js";
import type { Type } from "../../types/index.js";
import type { Expr, ExternInstance, IrValueSet } from "../ir.js";
import type { Homes } from "./arguments.js";
import type { TablePlan } from "./tables.js";

export type Binding =
  /** A variable, a parameter or a constant: the expression that replaces the name. */
  | { kind: "value"; expr: Expr }
  | { kind: "extern"; instance: ExternInstance }
  | { kind: "control"; instance: ControlInstance }
  | { kind: "parser"; instance: ParserInstance }
  /** `packet_in` or `packet_out`. */
  | { kind: "packet" }
  | { kind: "table"; plan: TablePlan }
  /** An action with the scope in which its body has its meaning and the prefix of its name. */
  | { kind: "action"; declaration: ActionDeclaration; scope: InstanceScope; prefix: string }
  | { kind: "valueSet"; valueSet: IrValueSet };

export interface ControlInstance {
  declaration: ControlDeclaration;
  /** Control-plane name, the prefix of everything inside. */
  name: string;
  /** Of the declaration of the instance. */
  annotations: readonly Annotation[];
  /** Constructor parameters and local instances. */
  scope: InstanceScope;
  /** The scope of the first application: a table means one thing only. */
  applied: InstanceScope | undefined;
  /** The storage of parameters that are no aliases of their arguments. */
  homes: Homes;
}

export interface ParserInstance {
  declaration: ParserDeclaration;
  name: string;
  annotations: readonly Annotation[];
  scope: InstanceScope;
}

export class InstanceScope {
  readonly #bindings = new Map<Declaration, Binding>();
  readonly #types = new Map<TypeParameter, Type>();

  /** What `this` names. */
  self: ExternInstance | undefined;

  constructor(readonly parent: InstanceScope | undefined) {}

  bind(declaration: Declaration, binding: Binding): void {
    this.#bindings.set(declaration, binding);
  }

  bindType(parameter: TypeParameter, type: Type): void {
    this.#types.set(parameter, type);
  }

  /** The meaning of a declaration, from the innermost scope that has one. */
  find(declaration: Declaration | undefined): Binding | undefined {
    if (declaration === undefined) return undefined;
    for (let scope: InstanceScope | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.#bindings.get(declaration);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  findSelf(): ExternInstance | undefined {
    for (let scope: InstanceScope | undefined = this; scope !== undefined; scope = scope.parent)
      if (scope.self !== undefined) return scope.self;
    return undefined;
  }

  findType(parameter: TypeParameter): Type | undefined {
    for (let scope: InstanceScope | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.#types.get(parameter);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Whether any type parameter has a meaning here, so that types need a substitution. */
  get isGeneric(): boolean {
    for (let scope: InstanceScope | undefined = this; scope !== undefined; scope = scope.parent)
      if (scope.#types.size > 0) return true;
    return false;
  }
}
