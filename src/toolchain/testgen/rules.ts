/** What entries and default actions a controller may give to a table, from P4Info. */
import { type bmv2, P4InfoIndex, type Program } from "../program/index.js";
import { Plan, type TableRules } from "../symbolic/index.js";

/** Scopes of P4Info's action references. */
const TABLE_ONLY = 1;
const DEFAULT_ONLY = 2;

export function planOf({ bmv2: program, p4info }: Program): Plan {
  const index = new P4InfoIndex(p4info);
  const rules = new Map<string, TableRules>();
  for (const pipeline of program.pipelines)
    for (const table of pipeline.tables) rules.set(table.name, rulesOf(table, index, program));
  const none: TableRules = { entries: new Set(), defaults: new Set(), isConst: true };
  return new Plan(program, (table) => rules.get(table.name) ?? none);
}

function rulesOf(table: bmv2.Bmv2Table, index: P4InfoIndex, program: Program["bmv2"]): TableRules {
  const p4 = index.tables.byName(table.name);
  const names = program.actions.filter(({ id }) => table.action_ids.includes(id)).map(({ name }) => name);
  // A table that P4Info does not have is one that the compiler made: no controller sees it.
  if (p4 === undefined) return { entries: new Set(), defaults: new Set(), isConst: true };
  const scopes = new Map([...p4.actions.values()].map((use) => [use.action.name, use.scope as number]));
  const without = (scope: number) => new Set(names.filter((name) => scopes.get(name) !== scope));
  const isConst = (table.entries?.length ?? 0) > 0 && p4.message.isConstTable;
  return { entries: without(DEFAULT_ONLY), defaults: without(TABLE_ONLY), isConst };
}
