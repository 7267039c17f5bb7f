/**
 * Entries that the data plane deletes at their time (`pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE`, or `idle_timeout_with_auto_delete`,
 * its name in drafts of the specification). Calls of `set_entry_expire_time` and `restart_expire_timer` become fields, which the switch reads
 * after the main control.
 */
import { defined } from "../../../../base/index.js";
import { number } from "../../lower/build.js";
import {
  controlsOf,
  type Expr,
  type IrAction,
  type IrControl,
  type IrProgram,
  type IrTable,
  type Stmt,
} from "../../lower/ir.js";
import { bits } from "../../lower/ir-types.js";
import { assign, local, toBits } from "../../lower/plain-values.js";
import { forEachStmt, mapBlocks } from "../../lower/walk.js";
import type { NamedFields } from "../../portable/bmv2-program.js";

const RESTART = "restart_expire_timer";
const SET = "set_entry_expire_time";

const lists = new WeakMap<IrProgram, NamedFields[]>();

/**
 * The fields that the switch reads, a list `expire TABLE` for each such table: whether the packet restarted the timer of the entry that it hit,
 * whether it gave the entry a profile, that profile, and a field for the number of the entry, which the switch writes.
 */
export function expiringTables(program: IrProgram): readonly NamedFields[] {
  return lists.get(program) ?? [];
}

/** Whether the data plane deletes entries of the table at their time. */
export function isExpiring({ properties }: IrTable): boolean {
  return properties.some(
    ({ name, value }) =>
      (name === "idle_timeout_with_auto_delete" && value.kind === "bool" && value.value) ||
      (name === "pna_idle_timeout" && value.kind === "member" && value.name === "AUTO_DELETE"),
  );
}

export function keepTimers(program: IrProgram): void {
  const made: NamedFields[] = [];
  lists.set(program, made);
  for (const control of controlsOf(program, ["control"])) {
    for (const table of control.tables) if (isExpiring(table)) made.push(ownActions(program, control, table));
    // Those of tables are their own now; no other table may have these actions (`checks.ts`).
    control.actions = control.actions.filter(({ body }) => !callsTimer(body));
  }
}

function callsTimer(body: Stmt[]): boolean {
  let found = false;
  forEachStmt(body, (stmt) => {
    found ||= stmt.kind === "extern" && (stmt.name === RESTART || stmt.name === SET);
  });
  return found;
}

/** The table gets actions of its own, since a call means the entry that this table found. */
function ownActions(program: IrProgram, control: IrControl, table: IrTable): NamedFields {
  const { span } = table;
  const fields = [1, 1, 8, 32].map((width) => local(program, "timer", bits(width), span));
  const [restarts, sets, profile] = fields.map(defined) as [Expr, Expr, Expr];
  const one = number(1n, bits(1), span);
  const body = (list: Stmt[]): Stmt[] =>
    list.flatMap((stmt) => {
      const inner = mapBlocks(stmt, body);
      if (inner.kind !== "extern") return [inner];
      if (inner.name === RESTART) return [assign(restarts, one, inner.span)];
      if (inner.name !== SET) return [inner];
      return [assign(sets, one, inner.span), assign(profile, toBits(defined(inner.args[0])), inner.span)];
    });
  const owned = new Map<IrAction, IrAction>();
  const ownOf = (action: IrAction): IrAction => {
    if (!callsTimer(action.body)) return action;
    let own = owned.get(action);
    if (own === undefined) {
      own = { ...action, body: body(action.body) };
      owned.set(action, own);
      control.actions.push(own);
    }
    return own;
  };
  table.actions = table.actions.map((ref) => ({ ...ref, action: ownOf(ref.action) }));
  table.defaultAction = { ...table.defaultAction, action: ownOf(table.defaultAction.action) };
  return { name: `expire ${table.name}`, fields };
}
