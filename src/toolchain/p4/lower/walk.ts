/** Rewriting and searching the lowered program, so that a pass holds only its changes. */
import type { Expr, IrAction, IrParser, IrProgram, IrState, StateTarget, Stmt, TableBranches } from "./ir.js";
import { controlsOf, instancesOf, parsersOf } from "./ir.js";

/** A copy with `change` applied to every direct operand. */
export function mapOperands(expr: Expr, change: (operand: Expr) => Expr): Expr {
  switch (expr.kind) {
    case "field":
    case "stackProperty": {
      const base = change(expr.base);
      return base === expr.base ? expr : { ...expr, base };
    }
    case "element": {
      const base = change(expr.base);
      const index = change(expr.index);
      return base === expr.base && index === expr.index ? expr : { ...expr, base, index };
    }
    case "slice":
    case "unary":
    case "cast": {
      const operand = change(expr.operand);
      return operand === expr.operand ? expr : { ...expr, operand };
    }
    case "binary": {
      const left = change(expr.left);
      const right = change(expr.right);
      return left === expr.left && right === expr.right ? expr : { ...expr, left, right };
    }
    case "conditional":
      return {
        ...expr,
        condition: change(expr.condition),
        whenTrue: change(expr.whenTrue),
        whenFalse: change(expr.whenFalse),
      };
    case "valid": {
      const header = change(expr.header);
      return header === expr.header ? expr : { ...expr, header };
    }
    case "aggregate":
      return { ...expr, elements: expr.elements.map(change) };
    default:
      return expr;
  }
}

/** The direct operands. */
export function operandsOf(expr: Expr): Expr[] {
  const operands: Expr[] = [];
  mapOperands(expr, (operand) => {
    operands.push(operand);
    return operand;
  });
  return operands;
}

/** Rewrites bottom-up: `change` sees an expression whose operands are done. */
export function mapExpr(expr: Expr, change: (expr: Expr) => Expr): Expr {
  return change(mapOperands(expr, (operand) => mapExpr(operand, change)));
}

/** The expressions of one statement, not those of statements inside it; `write` is true for a target of a write. */
export function mapStmtExprs(stmt: Stmt, change: (expr: Expr, write: boolean) => Expr): Stmt {
  switch (stmt.kind) {
    case "assign":
      return { ...stmt, right: change(stmt.right, false), left: change(stmt.left, true) };
    case "validity":
      return { ...stmt, header: change(stmt.header, true) };
    case "shift":
      return { ...stmt, stack: change(stmt.stack, true) };
    case "extern":
      return {
        ...stmt,
        args: stmt.args.map((arg, index) => change(arg, stmt.outs.includes(index))),
        result: stmt.result === undefined ? undefined : change(stmt.result, true),
      };
    case "digest":
      return {
        ...stmt,
        receiver: change(stmt.receiver, false),
        elements: stmt.elements.map((part) => change(part, false)),
      };
    case "if":
    case "loop":
      return { ...stmt, condition: change(stmt.condition, false) };
    case "switch":
      return { ...stmt, subject: change(stmt.subject, false) };
    case "extract":
      return {
        ...stmt,
        header: change(stmt.header, true),
        size: stmt.size === undefined ? undefined : change(stmt.size, false),
      };
    case "advance":
      return { ...stmt, size: change(stmt.size, false) };
    case "verify":
      return { ...stmt, condition: change(stmt.condition, false) };
    case "emit":
      return { ...stmt, header: change(stmt.header, false) };
    default:
      return stmt;
  }
}

/** The places that one statement writes, and the values that it reads; without those of statements inside it. */
export function effectsOf(stmt: Stmt): { writes: Expr[]; reads: Expr[] } {
  const writes: Expr[] = [];
  const reads: Expr[] = [];
  mapStmtExprs(stmt, (expr, write) => {
    (write ? writes : reads).push(expr);
    return expr;
  });
  return { writes, reads };
}

/** Rewrites the statement lists inside a statement. */
export function mapBlocks(stmt: Stmt, change: (body: Stmt[]) => Stmt[]): Stmt {
  switch (stmt.kind) {
    case "block":
      return { ...stmt, body: change(stmt.body) };
    case "if":
      return { ...stmt, whenTrue: change(stmt.whenTrue), whenFalse: change(stmt.whenFalse) };
    case "switch":
      return { ...stmt, cases: stmt.cases.map((one) => ({ ...one, body: change(one.body) })) };
    case "loop":
      return { ...stmt, body: change(stmt.body), update: change(stmt.update) };
    case "apply":
      return stmt.branches === undefined ? stmt : { ...stmt, branches: mapBranches(stmt.branches, change) };
    case "action": {
      const action: IrAction = { ...stmt.action, body: change(stmt.action.body) };
      return { ...stmt, action };
    }
    default:
      return stmt;
  }
}

function mapBranches(branches: TableBranches, change: (body: Stmt[]) => Stmt[]): TableBranches {
  if (branches.kind === "hit") return { kind: "hit", hit: change(branches.hit), miss: change(branches.miss) };
  return {
    kind: "action",
    cases: branches.cases.map((one) => ({ ...one, body: change(one.body) })),
    otherwise: change(branches.otherwise),
  };
}

/** The statement lists inside a statement. */
export function blocksOf(stmt: Stmt): Stmt[][] {
  const blocks: Stmt[][] = [];
  mapBlocks(stmt, (inner) => {
    blocks.push(inner);
    return inner;
  });
  return blocks;
}

/** All statements of a list and inside it, outermost first. */
export function forEachStmt(body: readonly Stmt[], visit: (stmt: Stmt) => void): void {
  for (const stmt of body) {
    visit(stmt);
    for (const inner of blocksOf(stmt)) forEachStmt(inner, visit);
  }
}

/** The part of the program that holds a list of statements; targets support different statements in each. */
export type Place = "parser" | "control" | "action" | "checksum";

/** Replaces every list of statements of the program: of parsers, of controls in the order of execution, of methods of instances. */
export function mapProgram(program: IrProgram, change: (body: Stmt[], place: Place) => Stmt[]): void {
  for (const state of statesOf(program)) state.body = change(state.body, "parser");
  for (const { blocks } of program.pipes)
    for (const block of blocks) {
      if (block.kind === "parser") continue;
      const control = block.body;
      for (const action of control.actions) action.body = change(action.body, "action");
      control.body = change(control.body, block.kind === "checksum" ? "checksum" : "control");
    }
  for (const { methods } of instancesOf(program))
    for (const method of methods) method.body = change(method.body, "action");
}

/** The states of all parsers that can be reached, in the order of their first visit. */
export function statesOf(program: IrProgram): IrState[] {
  return parsersOf(program).flatMap(statesOfParser);
}

/** The states of one parser that can be reached, in the order of their first visit. */
export function statesOfParser(parser: IrParser): IrState[] {
  const found = new Set<IrState>();
  const visit = (state: IrState): void => {
    if (found.has(state)) return;
    found.add(state);
    for (const next of successorsOf(state)) visit(next);
  };
  visit(parser.start);
  return [...found];
}

/** Where a state can go. */
export function targetsOf({ next }: IrState): StateTarget[] {
  return next.kind === "goto" ? [next.target] : next.cases.map((one) => one.target);
}

/** The states that can follow a state. */
export function successorsOf(state: IrState): IrState[] {
  return targetsOf(state).filter((target) => typeof target !== "string");
}

/** Rewrites the expressions outside of statements: table keys and select keys. */
export function mapKeys(program: IrProgram, change: (expr: Expr) => Expr): void {
  for (const state of statesOf(program))
    if (state.next.kind === "select") state.next.keys = state.next.keys.map(change);
  for (const control of controlsOf(program))
    for (const table of control.tables) for (const key of table.keys) key.expression = change(key.expression);
}
