/**
 * What a statement may read and write, by the names of places: over the bodies of the actions, tables and register actions that it calls.
 * Names of different scopes may be equal, so that two statements may look related that are not, never the reverse.
 */
import { type ast, partsOf } from "../p4/index.js";
import { nodesOf } from "./tables.js";

export interface Effects {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/** The place that an expression names, by names and not by its text, which may be a macro's; what an index or slice takes a part of, whole. */
export function placeIn(value: ast.Expression): string {
  if (value.kind === "path") return value.name.name;
  if (value.kind === "member") return `${placeIn(value.base)}.${value.member.name}`;
  return value.kind === "index" || value.kind === "slice" ? placeIn(value.base) : "";
}

/** One place begins the other's. */
export const meets = (x: string, y: string): boolean =>
  x === y || x.startsWith(`${y}.`) || y.startsWith(`${x}.`);

/** Neither writes what the other touches. */
export function areApart(one: Effects, other: Effects): boolean {
  const touches = ({ reads, writes }: Effects, place: string) =>
    [...reads, ...writes].some((mine) => meets(mine, place));
  return (
    ![...one.writes].some((place) => touches(other, place)) &&
    ![...other.writes].some((place) => touches(one, place))
  );
}

/**
 * Undefined where a statement may end the control, or does something whose effects are not known. With `mayLeave` it may end the control, and
 * may apply another one, of which the arguments count as read and written.
 */
export function effectsOf(statements: readonly ast.Statement[], mayLeave = false): Effects | undefined {
  const reader = new Reader(mayLeave);
  return statements.every((one) => reader.statement(one)) ? reader : undefined;
}

/** Methods of externs that leave their arguments as they are. */
const ONLY_READS = new Set(["get", "count"]);
const HEADER_WRITES = new Set(["setValid", "setInvalid", "push_front", "pop_front"]);

class Reader implements Effects {
  readonly reads = new Set<string>();
  readonly writes = new Set<string>();
  readonly #seen = new Set<unknown>();

  constructor(readonly mayLeave: boolean) {}

  /** False where the effects are not known. */
  statement(node: ast.Statement): boolean {
    switch (node.kind) {
      case "assignment":
        this.writes.add(placeIn(node.left));
        if (node.op !== undefined) this.reads.add(placeIn(node.left));
        return this.expression(node.right) && this.expressions(nodesOf(node.left, "index"));
      case "callStatement":
        return this.expression(node.call);
      case "block":
        return node.statements.every((one) => this.statement(one));
      case "if":
        return (
          this.expression(node.condition) &&
          this.statement(node.whenTrue) &&
          (node.whenFalse === undefined || this.statement(node.whenFalse))
        );
      case "switch":
        return (
          this.expression(node.subject) &&
          node.cases.every(({ body }) => body === undefined || this.statement(body))
        );
      case "declaration": {
        const { declaration } = node;
        if (declaration.kind !== "variable" && declaration.kind !== "constant") return false;
        // A name that means something else behind the declaration, of a constant as well.
        this.writes.add(declaration.name.name);
        if (declaration.kind === "constant") return true;
        return declaration.initializer === undefined || this.expression(declaration.initializer);
      }
      case "empty":
        return true;
      case "exit":
      case "return":
        return this.mayLeave;
      default:
        return false;
    }
  }

  expressions(nodes: readonly unknown[]): boolean {
    return nodes.every((node) => this.expression(node as ast.Expression));
  }

  expression(node: unknown): boolean {
    if (typeof node !== "object" || node === null) return true;
    if (Array.isArray(node)) return node.every((one) => this.expression(one));
    const value = node as ast.Expression;
    if (value.kind === "call") return this.#call(value);
    if (value.kind === "path" || value.kind === "member") {
      this.reads.add(placeIn(value));
      // `t.apply().hit`, `h[i].f`: what the place is taken from.
      return this.expressions([...nodesOf(value, "call"), ...nodesOf(value, "index")]);
    }
    return partsOf(node).every((part) => this.expression(part));
  }

  #call({ callee, args }: ast.CallExpression): boolean {
    const values = args.map(({ value }) => value);
    if (callee.kind === "path") {
      const { declaration } = callee;
      return declaration?.kind === "action" && this.#arguments(values) && this.#body(declaration);
    }
    if (callee.kind !== "member") return false;
    const method = callee.member.name;
    const base = placeIn(callee.base);
    if (method === "isValid") {
      this.reads.add(`${base}.$valid`);
      return true;
    }
    if (HEADER_WRITES.has(method)) {
      this.writes.add(base);
      return this.expressions(values);
    }
    const { base: object } = callee;
    const declaration = object.kind === "path" ? object.declaration : undefined;
    if (declaration?.kind === "table") return method === "apply" && this.#table(declaration);
    // Another control: an instance, or one that is applied by its own name.
    if (method === "apply") return this.mayLeave && this.#arguments(values);
    if (declaration?.kind !== "instance") return false;
    return (
      this.#object(declaration) &&
      (ONLY_READS.has(method) ? this.expressions(values) : this.#arguments(values))
    );
  }

  /** What a call may write to as well. */
  #arguments(values: readonly ast.Expression[]): boolean {
    for (const value of values) {
      const place = placeIn(value);
      if (place !== "") this.writes.add(place);
    }
    return this.expressions(values);
  }

  #body(action: ast.ActionDeclaration): boolean {
    if (this.#seen.has(action)) return true;
    this.#seen.add(action);
    return this.statement(action.body);
  }

  #table(table: ast.TableDeclaration): boolean {
    // Its counters, and what it learns, are states of its own.
    this.writes.add(table.name.name);
    return table.properties.every((property) => {
      switch (property.kind) {
        case "key":
          return this.expressions(property.elements.map(({ expression }) => expression));
        case "actions":
          return property.actions.every(
            ({ declaration, args }) =>
              declaration !== undefined &&
              this.#body(declaration) &&
              this.#arguments((args ?? []).map(({ value }) => value)),
          );
        case "property":
          return this.#arguments([property.value]);
        default:
          return true;
      }
    });
  }

  /** An object with a state; of a register action also the register, and what its own methods touch. */
  #object(instance: ast.InstanceDeclaration): boolean {
    this.writes.add(instance.name.name);
    const known = this.#arguments(instance.args.map(({ value }) => value));
    return (
      known &&
      (instance.body ?? []).every(
        (part) => part.kind === "function" && part.body !== undefined && this.statement(part.body),
      )
    );
  }
}
