/**
 * The method of a register action without the variables that only pass a value on, as the compiler's copy propagation leaves it: what
 * a condition or the entry takes of a variable is the variable's value. Results take the variable itself (p4c, bf-p4c/midend.cpp,
 * skipRegisterActionOutput).
 */
import type { bmv2 } from "../../../program/index.js";

type Expr = bmv2.AluExpr;
type Statement = bmv2.AluStatement;
type Local = Extract<Expr, { kind: "local" }>;

/** Values of variables by name and word; undefined: not known here. */
type Values = ReadonlyMap<string, Expr>;

/** A method's statements, and the variables that are left in them. */
export interface Propagated {
  readonly body: readonly Statement[];
  readonly locals: ReadonlySet<string>;
}

export function withoutCopies(body: readonly Statement[]): Propagated {
  const { made } = propagate(withoutOverwritten(body), new Map());
  const read = new Set<string>();
  forEachExpr(made, (expr) => {
    if (expr.kind === "local") read.add(expr.name);
  });
  return { body: withoutUnread(made, read), locals: read };
}

function propagate(body: readonly Statement[], before: Values): { made: Statement[]; values: Values } {
  let values = new Map(before);
  const made: Statement[] = [];
  for (const stmt of body) {
    if (stmt.kind === "if") {
      const yes = propagate(stmt.yes, values);
      const no = propagate(stmt.no, values);
      made.push({ ...stmt, condition: substituted(stmt.condition, values), yes: yes.made, no: no.made });
      values = new Map([...yes.values].filter(([key, value]) => no.values.get(key) === value));
    } else if (stmt.kind === "assign") {
      const { left } = stmt;
      const right = left.kind === "result" ? stmt.right : substituted(stmt.right, values);
      made.push({ ...stmt, right });
      if (left.kind === "local") {
        forget(values, left.name);
        remember(values, left, right);
      } else if (left.kind === "cell") forgetComputed(values);
    } else if (stmt.kind === "call") {
      made.push({ ...stmt, args: stmt.args.map((arg) => substituted(arg, values)) });
      if (stmt.result?.kind === "local") forget(values, stmt.result.name);
    } else {
      made.push(stmt);
      values.clear();
    }
  }
  return { made, values };
}

function remember(values: Map<string, Expr>, { name, word }: Local, value: Expr): void {
  if (word !== null) values.set(keyOf(name, word), value);
  else if (value.kind === "cell" && value.word === null) {
    const { source_info: place } = value;
    for (const half of [0, 1] as const)
      values.set(keyOf(name, half), {
        kind: "cell",
        word: half,
        width: 0,
        type: "bits",
        ...(place === undefined ? {} : { source_info: place }),
      });
  }
}

function forget(values: Map<string, Expr>, name: string): void {
  for (const word of [0, 1]) values.delete(keyOf(name, word));
}

/** What is computed of the entry is another value once the entry has changed; a word of it still comes from the memory. */
function forgetComputed(values: Map<string, Expr>): void {
  for (const [key, value] of values) if (value.kind !== "cell" && readsCell(value)) values.delete(key);
}

const keyOf = (name: string, word: number | null): string => `${name} ${word ?? 0}`;

function readsCell(expr: Expr): boolean {
  return expr.kind === "cell" || partsOf(expr).some(readsCell);
}

function substituted(expr: Expr, values: Values): Expr {
  switch (expr.kind) {
    case "local": {
      const value = values.get(keyOf(expr.name, expr.word));
      if (value === undefined || expr.word === null) return expr;
      const { source_info: place, width, type } = expr;
      return { ...value, width, type, ...(place === undefined ? {} : { source_info: place }) };
    }
    case "slice":
    case "unary":
    case "cast":
      return { ...expr, operand: substituted(expr.operand, values) };
    case "binary":
      return { ...expr, left: substituted(expr.left, values), right: substituted(expr.right, values) };
    case "choice":
      return {
        ...expr,
        condition: substituted(expr.condition, values),
        yes: substituted(expr.yes, values),
        no: substituted(expr.no, values),
      };
    default:
      return expr;
  }
}

/** Without the variables that nothing reads. */
function withoutUnread(body: readonly Statement[], read: ReadonlySet<string>): Statement[] {
  return body.flatMap((stmt): Statement[] => {
    if (stmt.kind === "if")
      return [{ ...stmt, yes: withoutUnread(stmt.yes, read), no: withoutUnread(stmt.no, read) }];
    return stmt.kind === "assign" && stmt.left.kind === "local" && !read.has(stmt.left.name) ? [] : [stmt];
  });
}

/** Without assignments that a later one, in all cases, overwrites before anything reads what they gave. */
function withoutOverwritten(body: readonly Statement[]): readonly Statement[] {
  let left = [...body];
  for (let at = left.length - 1; at > 0; at--) {
    const stmt = left[at];
    const place = stmt?.kind === "assign" ? placeOf(stmt.left) : undefined;
    if (place === undefined) continue;
    const isRead = (one: Statement) =>
      one.kind === "other" || (place.startsWith("cell") && readsWord([one], place));
    let from = at;
    if (!isRead(stmt!)) while (from > 0 && !isRead(left[from - 1]!)) from--;
    const kept = left.slice(from, at).flatMap((one) => withoutAssignments(one, place));
    left = [...left.slice(0, from), ...kept, ...left.slice(at)];
    at = from + kept.length;
  }
  return left;
}

/** A word of the entry, or a result. */
function placeOf(expr: Expr): string | undefined {
  if (expr.kind === "cell") return `cell ${expr.word}`;
  return expr.kind === "result" ? `result ${expr.index}` : undefined;
}

function readsWord(body: readonly Statement[], place: string): boolean {
  let found = false;
  forEachExpr(body, (expr) => {
    if (expr.kind === "cell" && (expr.word === null || placeOf(expr) === place)) found = true;
  });
  return found;
}

function withoutAssignments(stmt: Statement, place: string): Statement[] {
  if (stmt.kind === "if") {
    const cleared = (body: readonly Statement[]) => body.flatMap((one) => withoutAssignments(one, place));
    return [{ ...stmt, yes: cleared(stmt.yes), no: cleared(stmt.no) }];
  }
  return stmt.kind === "assign" && placeOf(stmt.left) === place ? [] : [stmt];
}

/** The operands of an expression. */
function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "slice":
    case "unary":
    case "cast":
      return [expr.operand];
    case "binary":
      return [expr.left, expr.right];
    case "choice":
      return [expr.condition, expr.yes, expr.no];
    default:
      return [];
  }
}

/** All expressions that statements read, with their operands. */
function forEachExpr(body: readonly Statement[], visit: (expr: Expr) => void): void {
  const into = (expr: Expr): void => {
    visit(expr);
    for (const part of partsOf(expr)) into(part);
  };
  for (const stmt of body) {
    if (stmt.kind === "assign") into(stmt.right);
    else if (stmt.kind === "call") for (const arg of stmt.args) into(arg);
    else if (stmt.kind === "if") {
      into(stmt.condition);
      forEachExpr(stmt.yes, visit);
      forEachExpr(stmt.no, visit);
    }
  }
}
