/**
 * P40658: a local variable is read where it has no value on some or all paths to that place. BMv2 reads
 * 0 there; on other targets the value is undefined. The analysis runs forward over the structured program. It visits a
 * loop body once, since in a second iteration only more variables have values.
 */
import type { Diagnostics, Span } from "../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Expr,
  IrAction,
  IrControl,
  IrProgram,
  IrState,
  IrTable,
  IrType,
  Label,
  Stmt,
  Variable,
} from "./ir.js";
import { controlsOf } from "./ir.js";
import { mapOperands, mapStmtExprs, statesOf } from "./walk.js";

/** For each scalar or array that can be without a value: whether this is so on every path to here. */
type Unset = ReadonlyMap<string, "always" | "sometimes">;

/** Undefined: this place cannot be reached. */
type Flow = Unset | undefined;

export function warnOfUnset(program: IrProgram, diagnostics: Diagnostics): void {
  const tracked = new Map<Variable, number>();
  const start = new Map<string, "always" | "sometimes">();
  for (const variable of program.locals) {
    if (variable.unset === undefined) continue;
    tracked.set(variable, tracked.size);
    for (const path of leaves(variable.type)) start.set(`${tracked.get(variable)}${path}`, "always");
  }
  if (tracked.size === 0) return;
  const search = new Search(tracked, diagnostics);
  search.parser(program.parser.start, statesOf(program), start);
  for (const control of controlsOf(program)) search.control(control, start);
}

/** Paths of the parts of a value that are set one by one; headers have validity instead. */
function leaves(type: IrType): string[] {
  switch (type.kind) {
    case "struct":
      return type.fields.flatMap((field) => leaves(field.type).map((path) => `.${field.name}${path}`));
    case "header":
    case "union":
      return [];
    case "stack":
      return leaves(type.element).length === 0 ? [] : [""];
    default:
      return [""];
  }
}

function join(a: Flow, b: Flow): Flow {
  if (a === undefined || b === undefined) return a ?? b;
  const both = new Map(a);
  for (const [path, when] of a) if (b.get(path) !== when) both.set(path, "sometimes");
  for (const path of b.keys()) if (!a.has(path)) both.set(path, "sometimes");
  return both;
}

class Search {
  /** The variables that can be unset at each label, from the `leave` statements seen so far. */
  readonly #left = new Map<Label, Flow>();
  readonly #reported = new Set<Variable>();

  constructor(
    readonly tracked: ReadonlyMap<Variable, number>,
    readonly diagnostics: Diagnostics,
  ) {}

  /** Reads are reported after the analysis knows, for every state, what can be unset before it. */
  parser(first: IrState, states: readonly IrState[], start: Unset): void {
    const before = new Map<IrState, Flow>([[first, start]]);
    const waiting = [first];
    const visit = (state: IrState): Flow => {
      const after = this.#list(state.body, before.get(state));
      if (after !== undefined && state.next.kind === "select")
        for (const key of state.next.keys) this.#read(key, after);
      return after;
    };
    this.#silent = true;
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      const after = visit(state);
      const targets =
        state.next.kind === "goto" ? [state.next.target] : state.next.cases.map((one) => one.target);
      for (const target of targets) {
        if (typeof target === "string") continue;
        const known = before.get(target);
        const joined = join(known, after);
        if (same(known, joined)) continue;
        before.set(target, joined);
        waiting.push(target);
      }
    }
    this.#silent = false;
    for (const state of states) visit(state);
  }

  #silent = false;

  control(control: IrControl, start: Unset): void {
    this.#list(control.body, start);
  }

  #list(body: readonly Stmt[], before: Flow): Flow {
    let flow = before;
    for (const stmt of body) if (flow !== undefined) flow = this.#statement(stmt, flow);
    return flow;
  }

  #statement(stmt: Stmt, before: Unset): Flow {
    const written: Expr[] = [];
    mapStmtExprs(stmt, (expr, write) => {
      if (write) written.push(expr);
      else this.#read(expr, before);
      return expr;
    });
    switch (stmt.kind) {
      case "block": {
        const end = this.#list(stmt.body, before);
        if (stmt.label === undefined) return end;
        const left = this.#left.get(stmt.label);
        this.#left.delete(stmt.label);
        return join(end, left);
      }
      case "leave":
        this.#left.set(stmt.label, join(this.#left.get(stmt.label), before));
        return undefined;
      case "exit":
        return undefined;
      case "if":
        return join(this.#list(stmt.whenTrue, before), this.#list(stmt.whenFalse, before));
      case "switch": {
        let after: Flow = stmt.cases.some((one) => one.values === undefined) ? undefined : before;
        for (const one of stmt.cases) after = join(after, this.#list(one.body, before));
        return after;
      }
      case "loop":
        return join(before, this.#list(stmt.update, this.#list(stmt.body, before)));
      case "action":
        return this.#list(stmt.action.body, before);
      case "apply":
        return this.#apply(stmt.table, stmt.branches, before);
      default:
        return this.#set(written, before);
    }
  }

  #apply(table: IrTable, branches: (Stmt & { kind: "apply" })["branches"], before: Unset): Flow {
    for (const key of table.keys) this.#read(key.expression, before);
    const after = new Map<IrAction, Flow>();
    for (const { action } of table.actions) after.set(action, this.#list(action.body, before));
    const { action: onMiss } = table.defaultAction;
    const missed = table.implementation === undefined ? after.get(onMiss) : before;
    const all = (flows: Iterable<Flow>): Flow => [...flows].reduce(join, undefined);
    if (branches === undefined) return join(all(after.values()), missed);
    if (branches.kind === "hit")
      return join(this.#list(branches.hit, all(after.values())), this.#list(branches.miss, missed));
    let end: Flow;
    const rest = new Map(after);
    for (const { actions, body } of branches.cases) {
      end = join(end, this.#list(body, all(actions.map((action) => after.get(action)))));
      for (const action of actions) rest.delete(action);
    }
    return join(end, this.#list(branches.otherwise, all(rest.values())));
  }

  #set(places: readonly Expr[], before: Unset): Unset {
    let after: Map<string, "always" | "sometimes"> | undefined;
    for (const place of places) {
      const path = this.#pathOf(place);
      if (path === undefined) continue;
      after ??= new Map(before);
      for (const known of before.keys()) if (covers(path, known)) after.delete(known);
    }
    return after ?? before;
  }

  #read(expr: Expr, before: Unset): void {
    const path = this.#pathOf(expr);
    if (path === undefined) {
      mapOperands(expr, (operand) => {
        this.#read(operand, before);
        return operand;
      });
      return;
    }
    const found = [...before].filter(([known]) => covers(path, known) || path === known);
    // A struct that is copied while some of its fields have no value yet is not a mistake.
    if (found.length === 0 || found.length < leaves(expr.type).length) return;
    const variable = rootOf(expr)!;
    if (this.#silent || this.#reported.has(variable)) return;
    const always = found.every(([, each]) => each === "always");
    // Actions that set a variable of the control and tables that use it often depend on each other in ways not seen here.
    if (!always && variable.unset === "outer") return;
    this.#reported.add(variable);
    const when = always ? "here" : "on every way to here";
    const span: Span | undefined = expr.span;
    this.diagnostics.warning(
      CODES.readUninitialized,
      span,
      `${variable.span === undefined ? variable.name : textOf(variable.span)} is read, but it has no value ${when}`,
      ...(variable.span === undefined
        ? []
        : [{ message: "it is declared here, without a value", span: variable.span }]),
    );
  }

  /** The key of a tracked variable or of a part of it; elements of an array count as the array. */
  #pathOf(place: Expr): string | undefined {
    switch (place.kind) {
      case "variable": {
        const number = this.tracked.get(place.variable);
        return number === undefined ? undefined : String(number);
      }
      case "field": {
        const base = this.#pathOf(place.base);
        return base === undefined ? undefined : `${base}.${place.name}`;
      }
      case "element":
        return this.#pathOf(place.base);
      case "slice":
        return this.#pathOf(place.operand);
      default:
        return undefined;
    }
  }
}

function covers(path: string, known: string): boolean {
  return path === known || known.startsWith(`${path}.`);
}

function rootOf(place: Expr): Variable | undefined {
  if (place.kind === "variable") return place.variable;
  if (place.kind === "field" || place.kind === "element") return rootOf(place.base);
  return place.kind === "slice" ? rootOf(place.operand) : undefined;
}

function textOf({ file, start, end }: Span): string {
  return file.text.slice(start, end);
}

function same(a: Flow, b: Flow): boolean {
  return a?.size === b?.size && [...(b ?? [])].every(([path, when]) => a?.get(path) === when);
}
