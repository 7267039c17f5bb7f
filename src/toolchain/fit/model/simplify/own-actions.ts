/** Each table has actions of its own (p4c, frontends/p4/localizeActions.cpp), so that one of them can lose what no reader of its table needs. */
import { defined } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";

/** Copies, in place, actions that several tables have: all tables but the first get a copy with a number of its own. */
export function ownActions(program: bmv2.Bmv2Program): void {
  const actions = new Map(program.actions.map((action) => [action.id, action]));
  const taken = new Set<number>();
  let last = Math.max(0, ...actions.keys());
  for (const { tables } of program.pipelines)
    for (const table of tables) {
      const moved = new Map<number, number>();
      for (const id of table.action_ids) {
        const action = defined(actions.get(id));
        if (!taken.has(id)) taken.add(id);
        else if (action.primitives.length > 0) {
          moved.set(id, ++last);
          program.actions.push({ ...structuredClone(action), id: last });
        }
      }
      if (moved.size === 0) continue;
      const own = (id: number): number => moved.get(id) ?? id;
      table.action_ids = table.action_ids.map(own);
      if (table.default_entry !== undefined)
        table.default_entry = { ...table.default_entry, action_id: own(table.default_entry.action_id) };
      for (const { action_entry: entry } of table.entries ?? []) entry.action_id = own(entry.action_id);
    }
}
