/** Warnings that need the whole program: packets that go nowhere meant, drops taken back, headers never there. */
import type { Diagnostics, Span } from "../../base/index.js";
import type { Expr, IrControl, IrProgram, IrState, Stmt, Variable } from "./ir.js";
import { controlsOf } from "./ir.js";
import { forEachStmt, mapOperands, mapStmtExprs, statesOf } from "./walk.js";

export function warn(program: IrProgram, diagnostics: Diagnostics): void {
  warnOfPorts(program, diagnostics);
  for (const control of [program.ingress, program.egress])
    for (const body of bodiesOf(control)) warnOfDrops(program, body, diagnostics);
  warnOfHeaders(program, diagnostics);
  warnOfRejects(program, diagnostics);
  warnOfDirect(program, diagnostics);
}

function bodiesOf(control: IrControl): Stmt[][] {
  return [control.body, ...control.actions.map((action) => action.body)];
}

/** `standard_metadata.name` as a place. */
function isStandard(program: IrProgram, place: Expr, name: string): boolean {
  if (place.kind === "slice") return isStandard(program, place.operand, name);
  return (
    place.kind === "field" &&
    place.name === name &&
    place.base.kind === "variable" &&
    place.base.variable === program.standard
  );
}

/** P40650: nothing in ingress says where a packet goes. */
function warnOfPorts(program: IrProgram, diagnostics: Diagnostics): void {
  let decided = false;
  for (const body of bodiesOf(program.ingress))
    forEachStmt(body, (stmt) => {
      if (stmt.kind === "extern" && (stmt.name === "mark_to_drop" || stmt.name.startsWith("resubmit")))
        decided = true;
      mapStmtExprs(stmt, (expr, write) => {
        if (write && (isStandard(program, expr, "egress_spec") || isStandard(program, expr, "mcast_grp")))
          decided = true;
        if (write && expr.kind === "variable" && expr.variable === program.standard) decided = true;
        return expr;
      });
    });
  if (!decided)
    diagnostics.warning(
      "P40650",
      program.ingress.span,
      `${program.ingress.name} never sets egress_spec: every packet leaves through port 0`,
      "set standard_metadata.egress_spec, or call mark_to_drop",
    );
}

/** P40651: a drop that a later statement of the same run of statements takes back. */
function warnOfDrops(program: IrProgram, body: readonly Stmt[], diagnostics: Diagnostics): void {
  let drop: Span | undefined;
  for (const stmt of body) {
    if (stmt.kind === "block") warnOfDrops(program, stmt.body, diagnostics);
    if (dropsAlways(stmt)) drop = stmt.span;
    else if (stmt.kind === "assign" && drop !== undefined && takesDropBack(program, stmt.left)) {
      diagnostics.warning("P40651", stmt.span, "this takes back the drop before it", {
        message: "the packet was marked to be dropped here",
        span: drop,
      });
      drop = undefined;
    } else if (stmt.kind === "if") {
      warnOfDrops(program, stmt.whenTrue, diagnostics);
      warnOfDrops(program, stmt.whenFalse, diagnostics);
    }
  }
}

function takesDropBack(program: IrProgram, place: Expr): boolean {
  return isStandard(program, place, "egress_spec") || isStandard(program, place, "mcast_grp");
}

function dropsAlways(stmt: Stmt): boolean {
  if (stmt.kind === "extern") return stmt.name === "mark_to_drop";
  if (stmt.kind === "block") return stmt.body.some(dropsAlways);
  return stmt.kind === "action" && stmt.action.body.some(dropsAlways);
}

/** P40652: a field is read of a header that no parser and no statement ever makes valid. */
function warnOfHeaders(program: IrProgram, diagnostics: Diagnostics): void {
  const made = new Set<string>();
  const read = new Map<string, Span>();
  const bodies: Stmt[][] = [
    ...statesOf(program).map((state: IrState) => state.body),
    ...controlsOf(program).flatMap(bodiesOf),
  ];
  const look = (expr: Expr): Expr => {
    if (expr.kind === "valid") return expr;
    if (expr.kind === "field" && expr.base.type.kind === "header") {
      const name = headerName(program.headers, expr.base);
      if (name !== undefined && expr.span !== undefined && !read.has(name)) read.set(name, expr.span);
    }
    mapOperands(expr, look);
    return expr;
  };
  for (const body of bodies)
    forEachStmt(body, (stmt) => {
      mapStmtExprs(stmt, (expr, write) => {
        if (!write) {
          // A header given to an extern or copied whole is not read field by field.
          look(expr);
          return expr;
        }
        const whole = expr.type.kind !== "bits" && expr.type.kind !== "bool";
        if (whole) markMade(program.headers, expr, made);
        return expr;
      });
    });
  for (const [name, span] of read)
    if (![...made].some((one) => covers(one, name)))
      diagnostics.warning(
        "P40652",
        span,
        `the header ${name} is read, but nothing ever makes it valid`,
        "extract it in the parser, or call setValid",
      );
}

/** The path of a header below the headers struct; elements of a stack count as the stack. */
function headerName(root: Variable, place: Expr): string | undefined {
  switch (place.kind) {
    case "variable":
      return place.variable === root ? "" : undefined;
    case "field": {
      const base = headerName(root, place.base);
      return base === undefined ? undefined : base === "" ? place.name : `${base}.${place.name}`;
    }
    case "element":
    case "stackProperty":
      return headerName(root, place.base);
    default:
      return undefined;
  }
}

function markMade(root: Variable, place: Expr, made: Set<string>): void {
  const name = headerName(root, place);
  if (name !== undefined) made.add(name);
}

function covers(made: string, name: string): boolean {
  return made === "" || made === name || name.startsWith(`${made}.`) || made.startsWith(`${name}.`);
}

/** P40653: BMv2 has no reject. */
function warnOfRejects(program: IrProgram, diagnostics: Diagnostics): void {
  for (const state of statesOf(program)) {
    const targets =
      state.next.kind === "goto" ? [state.next.target] : state.next.cases.map((one) => one.target);
    if (targets.includes("reject"))
      diagnostics.warning(
        "P40653",
        state.span,
        `the state ${state.name} rejects packets: BMv2 accepts them here, without an error`,
        "call verify with a condition that fails, and drop on parser_error in ingress",
      );
  }
}

/** P40654: a direct counter or meter that belongs to no table. */
function warnOfDirect(program: IrProgram, diagnostics: Diagnostics): void {
  const tables = controlsOf(program).flatMap((control) => control.tables);
  for (const control of controlsOf(program))
    for (const instance of control.instances) {
      if (instance.extern !== "direct_counter" && instance.extern !== "direct_meter") continue;
      if (tables.some((table) => table.counters === instance || table.meters === instance)) continue;
      const property = instance.extern === "direct_counter" ? "counters" : "meters";
      diagnostics.warning(
        "P40654",
        instance.span,
        `${instance.name} belongs to no table`,
        `write ${property} = ... in the table that it is for`,
      );
    }
}
