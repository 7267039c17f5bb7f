/** Pass: tables that no statement applies any more, and the actions that only they had, are no part of the program. */
import type { IrAction, IrControl, IrProgram, IrTable, Stmt } from "./ir.js";
import { controlsOf } from "./ir.js";
import { forEachStmt } from "./walk.js";

export function dropUnapplied(program: IrProgram): void {
  for (const control of controlsOf(program)) drop(control);
}

function drop(control: IrControl): void {
  const applied = appliedIn(control.body);
  const dropped = control.tables.filter((table) => !applied.has(table));
  if (dropped.length === 0) return;
  control.tables = control.tables.filter((table) => applied.has(table));
  const kept = actionsOf(control.tables);
  const gone = new Set([...actionsOf(dropped)].filter((action) => !kept.has(action)));
  control.actions = control.actions.filter((action) => !gone.has(action));
}

function appliedIn(body: readonly Stmt[]): Set<IrTable> {
  const applied = new Set<IrTable>();
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "apply") applied.add(stmt.table);
  });
  return applied;
}

function actionsOf(tables: readonly IrTable[]): Set<IrAction> {
  return new Set(tables.flatMap(({ actions }) => actions.map(({ action }) => action)));
}
