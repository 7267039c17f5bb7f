/** Type inference for generic calls: finding type arguments from arguments and results by unification. */
import type { Parameter, TypeParameter } from "../syntax/ast.js";
import { contains, substitute, substitutionOf, UNKNOWN } from "./algebra.js";
import type { Type } from "./type.js";

/** The type parameters that a call has to find, and what was found so far. */
export class Inference {
  readonly #open: Set<TypeParameter>;
  readonly bindings = new Map<TypeParameter, Type>();

  constructor(params: readonly TypeParameter[]) {
    this.#open = new Set(params);
  }

  bind(param: TypeParameter, type: Type): void {
    this.bindings.set(param, type);
  }

  /** What `wanted`, which may hold open parameters, becomes with the findings. */
  apply(wanted: Type): Type {
    return substitute(wanted, this.bindings);
  }

  /** Whether open parameters in a type have no binding yet. */
  isOpen(type: Type): boolean {
    return contains(
      type,
      (inner) =>
        inner.kind === "typeVariable" &&
        this.#open.has(inner.declaration) &&
        !this.bindings.has(inner.declaration),
    );
  }

  /** Learns from a value of type `found` in a place of type `wanted`. Contradictions are left to the later type check. */
  learn(wanted: Type, found: Type): void {
    if (found.kind === "unknown" || found.kind === "dontCare") return;
    if (wanted.kind === "typeVariable") {
      if (!this.#open.has(wanted.declaration)) return;
      const known = this.bindings.get(wanted.declaration);
      if (known === undefined || (isLoose(known) && !isLoose(found)))
        this.bindings.set(wanted.declaration, found);
      return;
    }
    switch (wanted.kind) {
      case "struct":
      case "header":
      case "headerUnion":
        if (found.kind === wanted.kind && found.declaration === wanted.declaration)
          this.#learnAll(wanted.args, found.args);
        else if (found.kind === "tuple" && wanted.kind !== "headerUnion")
          this.#learnAll(
            wanted.fields.map((field) => field.type),
            found.elements,
          );
        else if (found.kind === "structLiteral")
          for (const field of found.fields) {
            const slot = wanted.fields.find((candidate) => candidate.name === field.name);
            if (slot !== undefined) this.learn(slot.type, field.type);
          }
        return;
      case "extern":
      case "package":
        if (found.kind === wanted.kind && found.declaration === wanted.declaration)
          this.#learnAll(wanted.args, found.args);
        return;
      case "parser":
      case "control":
        if (found.kind !== wanted.kind) return;
        this.#learnSignature(wanted, found);
        return;
      case "stack":
        if (found.kind === "stack") this.learn(wanted.element, found.element);
        else if (found.kind === "tuple")
          for (const element of found.elements) this.learn(wanted.element, element);
        return;
      case "list":
      case "set":
        if (found.kind === wanted.kind) this.learn(wanted.element, found.element);
        else if (found.kind === "tuple")
          for (const element of found.elements) this.learn(wanted.element, element);
        return;
      case "tuple":
        if (found.kind === "tuple") this.#learnAll(wanted.elements, found.elements);
        return;
    }
  }

  #learnAll(wanted: readonly Type[], found: readonly Type[]): void {
    for (const [index, type] of wanted.entries()) {
      const other = found[index];
      if (other !== undefined) this.learn(type, other);
    }
  }

  #learnSignature(
    wanted: Extract<Type, { kind: "parser" | "control" }>,
    found: Extract<Type, { kind: "parser" | "control" }>,
  ): void {
    const want = signatureOf(wanted);
    const have = signatureOf(found);
    for (const [index, param] of want.entries()) {
      const other = have[index];
      if (other !== undefined) this.learn(param.type, other.type);
    }
  }
}

/** Types that a later argument may replace by a better one: literals without width or declared type. */
function isLoose(type: Type): boolean {
  return contains(
    type,
    (inner) => inner.kind === "integer" || inner.kind === "structLiteral" || inner.kind === "dontCare",
  );
}

export interface SignatureParameter {
  direction: Parameter["direction"];
  type: Type;
  optional: boolean;
  declaration: Parameter;
}

/** The run-time parameters of a parser or control type with its type arguments filled in. */
export function signatureOf(type: Extract<Type, { kind: "parser" | "control" }>): SignatureParameter[] {
  const map = substitutionOf(type.declaration.typeParams, type.args);
  return type.declaration.params.map((param) => ({
    direction: param.direction,
    type: substitute(param.type ?? UNKNOWN, map),
    optional: param.defaultValue !== undefined || param.annotations.some((a) => a.name === "optional"),
    declaration: param,
  }));
}
