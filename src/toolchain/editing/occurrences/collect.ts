/** Walks a checked tree and reports every name with its meaning. */
import { type Analysis, type ast, type BoundArguments, partsOf, type Type } from "../../p4/index.js";
import type { Occurrence } from "./occurrence.js";

type Tell = (name: ast.Identifier, occurrence: Omit<Occurrence, "span" | "written">) => void;

const DECLARATIONS: ReadonlySet<string> = new Set<ast.Declaration["kind"]>([
  "constant",
  "variable",
  "instance",
  "action",
  "table",
  "parser",
  "control",
  "package",
  "extern",
  "function",
  "struct",
  "header",
  "headerUnion",
  "enum",
  "typedef",
  "valueSet",
  "state",
  "parameter",
  "typeParameter",
  "enumMember",
]);

export function collectNames({ unit, checked }: Analysis, tell: Tell): void {
  const matchKinds = new Map(checked.matchKinds.map((member) => [member.name.name, member]));
  new Collector(matchKinds, tell).walk(unit.declarations);
}

/** The members that nodes of any kind may have. */
type Node = Partial<{
  kind: string;
  name: ast.Identifier | string;
  annotations: ast.Annotation[];
}>;

class Collector {
  #states: ReadonlyMap<string, ast.StateDeclaration> = new Map();

  constructor(
    readonly matchKinds: ReadonlyMap<string, ast.EnumMember>,
    readonly tell: Tell,
  ) {}

  /** Walks a node or a list of nodes, with all their descendants. */
  walk(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.walk(item);
      return;
    }
    const node = value as Node;
    this.#names(node);
    const outer = this.#states;
    if (node.kind === "parser") {
      const states = (node as ast.ParserDeclaration).body?.states ?? [];
      this.#states = new Map(states.map((state) => [state.name.name, state]));
    }
    for (const child of partsOf(node)) this.walk(child);
    this.#states = outer;
  }

  #names(node: Node): void {
    if (node.annotations !== undefined && typeof node.name === "object") {
      const isField = node.kind === undefined && "typeExpression" in node;
      if (isField || DECLARATIONS.has(node.kind ?? ""))
        this.tell(node.name, { target: node as ast.Declaration, role: "declaration" });
    }
    if ("matchKind" in node) {
      const { matchKind } = node as ast.KeyElement;
      const member = this.matchKinds.get(matchKind.name);
      if (member !== undefined) this.tell(matchKind, { target: member, role: "read" });
    }
    if ("next" in node) this.#next((node as ast.SelectCase).next);
    switch (node.kind) {
      case "namedType": {
        const { name, declaration, type } = node as ast.NamedType;
        if (declaration !== undefined) this.tell(name, { target: declaration, role: "read", type });
        return;
      }
      case "path": {
        const { name, declaration, type, constant } = node as ast.PathExpression;
        if (declaration !== undefined) this.tell(name, { target: declaration, role: "read", type, constant });
        return;
      }
      case "member":
        this.#member(node as ast.MemberExpression);
        return;
      case "call":
        this.#call(node as ast.CallExpression);
        return;
      case "instance": {
        const { args, resolved } = node as ast.InstanceDeclaration;
        this.#arguments(args, resolved);
        return;
      }
      case "assignment":
        this.#written((node as ast.AssignmentStatement).left);
        return;
      case "struct":
        if ("dots" in node) this.#structLiteral(node as ast.StructExpression);
        return;
      case undefined:
        // An action that a table names.
        if ("absolute" in node) {
          const { name, declaration, args, resolved } = node as ast.ActionRef;
          if (declaration !== undefined) this.tell(name, { target: declaration, role: "read" });
          this.#arguments(args ?? [], resolved);
        }
    }
  }

  #next(next: ast.Identifier): void {
    const state = this.#states.get(next.name);
    if (state !== undefined) this.tell(next, { target: state, role: "read" });
  }

  #member(
    { base, member, resolved, type, constant }: ast.MemberExpression,
    role: "read" | "write" = "read",
  ): void {
    if (resolved?.kind === "enumMember") this.tell(member, { target: resolved.member, role, type, constant });
    if (resolved?.kind !== "field") return;
    const field = fieldOf(base.type, resolved.name);
    if (field !== undefined) this.tell(member, { target: field, role, type, constant });
  }

  #call({ callee, args, resolved }: ast.CallExpression): void {
    if (resolved === undefined) return;
    if (resolved.kind === "externMethod" && callee.kind === "member")
      this.tell(callee.member, { target: resolved.declaration, role: "read", type: callee.type });
    this.#arguments(args, resolved);
  }

  /** Reports the names of arguments, and the names that the call writes. */
  #arguments(args: readonly ast.Argument[], bound: BoundArguments | undefined): void {
    if (bound === undefined) return;
    for (const arg of args) {
      const param = bound.params[bound.args.indexOf(arg)];
      if (param === undefined) continue;
      if (arg.name !== undefined) this.tell(arg.name, { target: param, role: "read" });
      if (param.direction === "out" || param.direction === "inout") this.#written(arg.value);
    }
  }

  /** Reports the last name of a written expression, before the walk reports it as read. */
  #written(expression: ast.Expression): void {
    switch (expression.kind) {
      case "path": {
        const { name, declaration, type } = expression;
        if (declaration !== undefined) this.tell(name, { target: declaration, role: "write", type });
        return;
      }
      case "member":
        this.#member(expression, "write");
        return;
      case "index":
      case "slice":
        this.#written(expression.base);
    }
  }

  #structLiteral(literal: ast.StructExpression): void {
    const type = literal.implicitCast ?? literal.type;
    for (const { name } of literal.fields) {
      const field = fieldOf(type, name.name);
      if (field !== undefined) this.tell(name, { target: field, role: "read" });
    }
  }
}

/** The declaration of a field of a struct, header or union. */
export function fieldOf(type: Type | undefined, name: string): ast.FieldDeclaration | undefined {
  if (type?.kind !== "struct" && type?.kind !== "header" && type?.kind !== "headerUnion") return undefined;
  return type.declaration.fields.find((field) => field.name.name === name);
}
