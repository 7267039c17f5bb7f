/** Where calls of PNA may stand, and which of them the switch does not do. */
import type { Diagnostics } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import { controlsOf, type IrBlock, type IrProgram, type IrTable, type Stmt } from "../../lower/ir.js";
import { forEachStmt, statesOfParser } from "../../lower/walk.js";
import { isExpiring } from "./expiry.js";

/** These decide where a packet goes: only the main control does. */
const FORWARDING = new Set(["drop_packet", "send_to_port", "mirror_packet"]);

const NOT_DONE: Readonly<Record<string, string>> = {
  allocate_flow_id: "the answer is 0",
};

export function checkCalls(program: IrProgram, diagnostics: Diagnostics): void {
  const told = new Set<string>();
  checkLearning(program, diagnostics);
  for (const { blocks } of program.pipes)
    for (const block of blocks)
      for (const body of bodiesOf(block))
        forEachStmt(body, (stmt) => {
          if (stmt.kind !== "extern") return;
          const { name, span } = stmt;
          if (FORWARDING.has(name) && block.role !== "mainControl")
            diagnostics.error(
              CODES.externInWrongPipeline,
              span,
              `${name} works in the main control only`,
              "call it there",
            );
          const effect = NOT_DONE[name];
          if (effect === undefined || told.has(name)) return;
          told.add(name);
          diagnostics.warning(CODES.notModelled, span, `the switch does not do ${name}`, effect);
        });
}

/** Entries are added for a key that a table did not find, and kept by the table's own timers. */
const NEEDS: Readonly<Record<string, string>> = {
  add_entry: "add_on_miss",
  set_entry_expire_time: "idle_timeout_with_auto_delete",
  restart_expire_timer: "idle_timeout_with_auto_delete",
};

function checkLearning(program: IrProgram, diagnostics: Diagnostics): void {
  for (const control of controlsOf(program, ["control"])) {
    for (const table of control.tables)
      for (const { action } of table.actions)
        reportCalls(action.body, diagnostics, (name) => {
          const needed = NEEDS[name];
          if (needed === undefined) return undefined;
          const has = needed === "add_on_miss" ? isSet(table, needed) : isExpiring(table);
          if (!has) return `${table.name}, whose action calls ${name}, has no ${needed}`;
          const isMiss = table.defaultAction.action.name === action.name;
          return name !== "add_entry" || isMiss
            ? undefined
            : `${action.name} is not the default action of ${table.name}`;
        });
    reportCalls(control.body, diagnostics, (name) =>
      NEEDS[name] === undefined ? undefined : `${name} outside of an action of a table`,
    );
  }
}

function isSet({ properties }: IrTable, name: string): boolean {
  const value = properties.find((one) => one.name === name)?.value;
  return value?.kind === "bool" && value.value;
}

function reportCalls(
  body: Stmt[],
  diagnostics: Diagnostics,
  wrong: (name: string) => string | undefined,
): void {
  forEachStmt(body, (stmt) => {
    const message = stmt.kind === "extern" ? wrong(stmt.name) : undefined;
    if (message === undefined) return;
    diagnostics.error(
      CODES.externInWrongPipeline,
      stmt.span,
      message,
      "call it in the action that a table with this property runs",
    );
  });
}

function bodiesOf(block: IrBlock): Stmt[][] {
  if (block.kind === "parser") return statesOfParser(block.body).map(({ body }) => body);
  const { body, actions, tables } = block.body;
  const all = new Set([...actions, ...tables.flatMap((one) => one.actions.map(({ action }) => action))]);
  return [body, ...[...all].map((action) => action.body)];
}
