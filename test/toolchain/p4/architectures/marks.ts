/**
 * What of a program's source must stand in its lowered form, and what does, as sets of marks `kind file:offset`. The source side
 * walks the checked tree from `main` by the tree's own links and knows nothing of the lowering.
 */
import type { Span } from "../../../../src/base/index.js";
import type {
  ExternInstance,
  IrProgram,
  IrType,
  Stmt,
  Variable,
} from "../../../../src/toolchain/p4/lower/ir.js";
import { controlsOf, instancesOf, parsersOf } from "../../../../src/toolchain/p4/lower/ir.js";
import { forEachStmt, statesOf } from "../../../../src/toolchain/p4/lower/walk.js";
import type * as ast from "../../../../src/toolchain/p4/syntax/ast.js";
import type { ResolvedCall, Type } from "../../../../src/toolchain/p4/types/index.js";

export type Marks = Set<string>;

function mark(kind: string, span: Span | undefined): string {
  return span === undefined ? `${kind} nowhere` : `${kind} ${span.file.path}:${span.start}`;
}

/** The marks that only `wanted` has, by kind. */
export function missing(wanted: Marks, found: Marks): Map<string, string[]> {
  const lost = new Map<string, string[]>();
  for (const one of wanted) {
    if (found.has(one)) continue;
    const kind = one.slice(0, one.indexOf(" "));
    lost.set(kind, [...(lost.get(kind) ?? []), one]);
  }
  return lost;
}

export function countByKind(marks: Marks): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of [...marks].sort()) {
    const kind = one.slice(0, one.indexOf(" "));
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

// ---------------------------------------------------------------- the source

/** Functions of the architectures whose value is known when the program is compiled. */
const CONSTANT_FUNCTIONS = ["sizeInBits", "sizeInBytes", "static_assert"];

export function sourceMarks(unit: ast.SourceUnit): Marks {
  const walk = new SourceWalk();
  const main = unit.declarations.find((one) => one.kind === "instance" && one.name.name === "main");
  if (main?.kind === "instance") walk.packageInstance(main);
  for (const one of unit.declarations)
    if (one.kind === "instance" && one.type?.kind === "extern") walk.local(one);
  return walk.marks;
}

class SourceWalk {
  readonly marks: Marks = new Set();
  readonly #seen = new Set<object>();
  #inAction = false;

  #add(kind: string, span: Span | undefined): void {
    this.marks.add(mark(kind, span));
  }

  #annotations(list: readonly ast.Annotation[]): void {
    for (const one of list) this.#add("annotation", one.span);
  }

  #first(one: object): boolean {
    if (this.#seen.has(one)) return false;
    this.#seen.add(one);
    return true;
  }

  packageInstance(declaration: ast.InstanceDeclaration): void {
    if (!this.#first(declaration)) return;
    this.#annotations(declaration.annotations);
    if (declaration.resolved !== undefined) this.#packageArguments(declaration.resolved);
  }

  #packageArguments(call: ResolvedCall): void {
    for (const argument of call.args) {
      const value = argument?.value;
      if (value?.kind === "path" && value.declaration?.kind === "instance")
        this.packageInstance(value.declaration);
      if (value?.kind !== "call" || value.resolved?.kind !== "constructor") continue;
      const { declaration } = value.resolved;
      if (declaration.kind === "package") this.#packageArguments(value.resolved);
      else this.#block(declaration);
    }
  }

  #block(declaration: { kind: string }): void {
    if (!this.#first(declaration)) return;
    if (declaration.kind === "parser") this.#parser(declaration as ast.ParserDeclaration);
    if (declaration.kind === "control") this.#control(declaration as ast.ControlDeclaration);
  }

  #params(params: readonly ast.Parameter[]): void {
    for (const { annotations, type } of params) {
      if (type?.kind !== "extern") this.#annotations(annotations);
      this.#type(type);
    }
  }

  #parser(declaration: ast.ParserDeclaration): void {
    this.#annotations(declaration.annotations);
    this.#params(declaration.params);
    for (const one of declaration.body?.locals ?? []) this.local(one);
    const states = new Map(declaration.body?.states.map((state) => [state.name.name, state]));
    const reach = (name: string): void => {
      const state = states.get(name);
      if (state === undefined || !this.#first(state)) return;
      this.#annotations(state.annotations);
      this.#add("state", state.name.span);
      for (const one of state.statements) this.#statement(one);
      const { transition } = state;
      if (transition?.kind === "direct") reach(transition.next.name);
      if (transition?.kind !== "select") return;
      for (const key of transition.keys) this.#expression(key);
      for (const one of transition.cases) {
        this.#add("case", one.span);
        reach(one.next.name);
      }
    };
    reach("start");
  }

  #control(declaration: ast.ControlDeclaration): void {
    this.#annotations(declaration.annotations);
    this.#params(declaration.params);
    // Actions and tables count where they are used.
    for (const one of declaration.body?.locals ?? [])
      if (one.kind !== "action" && one.kind !== "table") this.local(one);
    if (declaration.body !== undefined) this.#statement(declaration.body.apply);
  }

  local(one: ast.Declaration): void {
    if (one.kind === "variable") {
      this.#annotations(one.annotations);
      this.#type(one.type);
      if (one.initializer === undefined) return;
      this.#assign(one.span, one.initializer);
      this.#expression(one.initializer);
    }
    if (one.kind === "valueSet") {
      this.#add("valueSet", one.name.span);
      this.#annotations(one.annotations);
    }
    if (one.kind !== "instance" || !this.#first(one)) return;
    if (one.type?.kind === "control" || one.type?.kind === "parser") {
      // The control counts where it is applied.
      return;
    }
    this.#annotations(one.annotations);
    this.#add("instance", one.name.span);
    for (const method of one.body ?? []) {
      if (method.kind !== "function") continue;
      this.#annotations(method.annotations);
      this.#add("method", method.name.span);
      for (const param of method.params) this.#annotations(param.annotations);
      this.#list(method.body?.statements ?? []);
    }
  }

  #type(type: Type | undefined): void {
    if (type === undefined) return;
    if (type.kind === "stack") this.#type(type.element);
    if (type.kind !== "struct" && type.kind !== "header" && type.kind !== "headerUnion") return;
    if (!this.#first(type.declaration)) return;
    this.#annotations(type.declaration.annotations);
    for (const field of type.declaration.fields) this.#annotations(field.annotations);
    for (const field of type.fields) this.#type(field.type);
  }

  #list(statements: readonly ast.Statement[]): void {
    for (const one of statements) this.#statement(one);
  }

  #statement(s: ast.Statement): void {
    this.#annotations(s.annotations);
    switch (s.kind) {
      case "assignment":
        this.#assign(s.span, s.right);
        this.#expression(s.left);
        this.#expression(s.right);
        return;
      case "callStatement":
        this.#call(s.call, "statement");
        return;
      case "block":
        this.#list(s.statements);
        return;
      case "if":
        this.#expression(s.condition);
        if (!appliesTable(s.condition)) this.#add("if", s.condition.span);
        this.#statement(s.whenTrue);
        if (s.whenFalse !== undefined) this.#statement(s.whenFalse);
        return;
      case "switch":
        this.#expression(s.subject);
        if (!appliesTable(s.subject)) this.#add("switch", s.span);
        for (const one of s.cases) if (one.body !== undefined) this.#statement(one.body);
        return;
      case "exit":
        this.#add("exit", s.span);
        return;
      case "return":
        this.#add("return", s.span);
        if (s.value !== undefined) this.#expression(s.value);
        return;
      case "declaration":
        this.local(s.declaration);
        return;
      case "for":
        this.#list(s.init);
        this.#list(s.update);
        this.#expression(s.condition);
        this.#statement(s.body);
        return;
      case "forIn":
        this.#statement(s.body);
        return;
      default:
        return;
    }
  }

  /** What an extern returns is written by the call itself: that is the mark `result` of the call. */
  #assign(span: Span, right: ast.Expression): void {
    const kind = right.kind === "call" && right.implicitCast === undefined ? right.resolved?.kind : undefined;
    if (kind !== "externMethod" && kind !== "externFunction") this.#add("assign", span);
  }

  #expression(e: ast.Expression): void {
    // A constant needs no code, whatever is written in it.
    if (e.constant !== undefined) return;
    switch (e.kind) {
      case "call":
        this.#call(e, "value");
        return;
      case "member":
        this.#expression(e.base);
        return;
      case "unary":
      case "cast":
        this.#expression(e.operand);
        return;
      case "binary":
        this.#expression(e.left);
        this.#expression(e.right);
        return;
      case "conditional":
        for (const one of [e.condition, e.whenTrue, e.whenFalse]) this.#expression(one);
        return;
      case "index":
        this.#expression(e.base);
        this.#expression(e.index);
        return;
      case "slice":
        this.#expression(e.base);
        return;
      case "list":
        for (const one of e.elements) this.#expression(one);
        return;
      case "struct":
        for (const one of e.fields) this.#expression(one.value);
        return;
      default:
        return;
    }
  }

  #call(e: ast.CallExpression, use: "statement" | "value"): void {
    const { resolved } = e;
    if (resolved === undefined) return;
    const returns = use === "value" && e.type?.kind !== "void" ? ["extern", "result"] : ["extern"];
    for (const argument of resolved.args) if (argument !== undefined) this.#expression(argument.value);
    switch (resolved.kind) {
      case "externFunction":
        if (!CONSTANT_FUNCTIONS.includes(resolved.declaration.name.name))
          for (const kind of returns) this.#add(kind, e.span);
        return;
      case "externMethod":
        for (const kind of returns) this.#add(kind, e.span);
        return;
      case "tableApply":
        this.#add("apply", resolved.declaration.name.span);
        this.#table(resolved.declaration);
        return;
      case "action":
        // An action that an action calls becomes a part of it.
        this.#action(resolved.declaration, !this.#inAction);
        return;
      case "function":
        if (!this.#first(resolved.declaration)) return;
        this.#annotations(resolved.declaration.annotations);
        this.#list(resolved.declaration.body?.statements ?? []);
        return;
      case "controlApply":
      case "parserApply":
        if (resolved.object.kind === "path" && resolved.object.declaration?.kind === "instance")
          this.#annotations(resolved.object.declaration.annotations);
        this.#block(resolved.declaration);
        return;
      case "builtin":
        if (["setValid", "setInvalid", "push_front", "pop_front"].includes(resolved.method))
          this.#add(resolved.method.includes("_") ? "shift" : "validity", e.span);
        return;
      default:
        return;
    }
  }

  #action(declaration: ast.ActionDeclaration, asObject = true): void {
    if (asObject) this.#add("action", declaration.name.span);
    if (!this.#first(declaration)) return;
    this.#annotations(declaration.annotations);
    for (const one of declaration.params) this.#annotations(one.annotations);
    const outer = this.#inAction;
    this.#inAction = true;
    this.#list(declaration.body.statements);
    this.#inAction = outer;
  }

  #table(declaration: ast.TableDeclaration): void {
    if (!this.#first(declaration)) return;
    this.#add("table", declaration.name.span);
    this.#annotations(declaration.annotations);
    for (const one of declaration.properties) {
      this.#annotations(one.annotations);
      if (one.kind === "key")
        for (const key of one.elements) {
          this.#add("key", key.span);
          this.#annotations(key.annotations);
          this.#expression(key.expression);
        }
      if (one.kind === "actions")
        for (const ref of one.actions) {
          this.#annotations(ref.annotations);
          for (const argument of ref.args ?? []) this.#expression(argument.value);
          if (ref.declaration !== undefined) this.#action(ref.declaration);
        }
      if (one.kind === "entries")
        for (const entry of one.entries) {
          this.#add("entry", entry.span);
          this.#annotations(entry.annotations);
        }
      if (one.kind === "property" && one.name.name !== "default_action") this.#add("property", one.span);
    }
  }
}

/** Whether an expression is the outcome of a table: the statement around it is then part of the table's application. */
function appliesTable(e: ast.Expression): boolean {
  if (e.kind === "unary") return e.op === "!" && appliesTable(e.operand);
  return e.kind === "member" && e.base.kind === "call" && e.base.resolved?.kind === "tableApply";
}

// ---------------------------------------------------------------- the lowered program

export function loweredMarks(program: IrProgram): Marks {
  const walk = new LoweredWalk();
  walk.program(program);
  return walk.marks;
}

class LoweredWalk {
  readonly marks: Marks = new Set();
  readonly #types = new Set<IrType>();

  #add(kind: string, span: Span | undefined): void {
    this.marks.add(mark(kind, span));
  }

  #annotations(list: readonly ast.Annotation[] | undefined): void {
    for (const one of list ?? []) this.#add("annotation", one.span);
  }

  program(program: IrProgram): void {
    this.#annotations(program.annotations);
    for (const variable of program.locals) this.#variable(variable);
    for (const { annotations, storage } of program.pipes) {
      this.#annotations(annotations);
      for (const variable of storage.values()) this.#variable(variable);
    }
    for (const one of instancesOf(program)) this.#instance(one);
    for (const parser of parsersOf(program)) {
      this.#annotations(parser.annotations);
      for (const set of parser.valueSets) {
        this.#add("valueSet", set.span);
        this.#annotations(set.annotations);
      }
    }
    for (const state of statesOf(program)) {
      this.#annotations(state.annotations);
      this.#add("state", state.span);
      this.#body(state.body);
      if (state.next.kind === "select") for (const one of state.next.cases) this.#add("case", one.span);
    }
    for (const control of controlsOf(program)) {
      this.#annotations(control.annotations);
      this.#body(control.body);
      for (const action of control.actions) {
        this.#add("action", action.span);
        this.#annotations(action.annotations);
        for (const one of action.params) this.#annotations(one.annotations);
        this.#body(action.body);
      }
      for (const table of control.tables) {
        this.#add("table", table.span);
        this.#annotations(table.annotations);
        for (const list of Object.values(table.partAnnotations)) this.#annotations(list);
        for (const one of table.properties) {
          this.#add("property", one.span);
          this.#annotations(one.annotations);
        }
        for (const key of table.keys) {
          this.#add("key", key.span);
          this.#annotations(key.annotations);
        }
        for (const ref of table.actions) this.#annotations(ref.annotations);
        for (const entry of table.entries?.list ?? []) {
          this.#add("entry", entry.span);
          this.#annotations(entry.annotations);
        }
      }
    }
  }

  #variable({ annotations, type }: Variable): void {
    this.#annotations(annotations);
    this.#type(type);
  }

  #type(type: IrType): void {
    if (type.kind === "stack") this.#type(type.element);
    if (type.kind !== "struct" && type.kind !== "header" && type.kind !== "union") return;
    if (this.#types.has(type)) return;
    this.#types.add(type);
    this.#annotations(type.annotations);
    for (const field of type.fields) {
      this.#annotations(field.annotations);
      this.#type(field.type);
    }
  }

  #instance({ annotations, span, methods }: ExternInstance): void {
    this.#annotations(annotations);
    this.#add("instance", span);
    for (const method of methods) {
      this.#annotations(method.annotations);
      this.#add("method", method.span);
      for (const param of method.params) this.#annotations(param.annotations);
      this.#body(method.body);
    }
  }

  #body(body: readonly Stmt[]): void {
    forEachStmt(body, (stmt) => {
      if (stmt.kind === "block") this.#annotations(stmt.annotations);
      if (stmt.kind === "apply") this.#add("apply", stmt.table.span);
      else if (stmt.kind === "leave") this.#add("return", stmt.span);
      else if (["extract", "advance", "emit", "verify", "digest"].includes(stmt.kind))
        this.#add("extern", stmt.span);
      else this.#add(stmt.kind, stmt.span);
      if (stmt.kind === "extern" && stmt.result !== undefined) this.#add("result", stmt.span);
      // A lookahead is an expression that is saved at once.
      if (stmt.kind === "assign" && stmt.right.kind === "lookahead")
        for (const kind of ["extern", "result"]) this.#add(kind, stmt.right.span);
      if (stmt.kind !== "action") return;
      this.#add("action", stmt.action.span);
      this.#annotations(stmt.action.annotations);
    });
  }
}
