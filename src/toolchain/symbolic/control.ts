/** Ingress or egress on one path: tables and conditions in the order of the control graph. */
import type { bmv2 } from "../program/index.js";
import { Actions } from "./actions.js";
import { Expressions } from "./expressions.js";
import type { Pass } from "./pass.js";
import { type Lookup, Tables } from "./tables.js";
import { placeText, Unhandled, within } from "./unhandled.js";

/** Most nodes that a packet passes in one control. */
const MAX_NODES = 4096;

/** @throws Aborted at a false assertion */
export function runControl(pipeline: bmv2.Pipeline | undefined, pass: Pass): void {
  if (pipeline === undefined) return;
  const tables = new Map(pipeline.tables.map((table) => [table.name, table]));
  const conditionals = new Map(pipeline.conditionals.map((one) => [one.name, one]));
  const { memory, chooser } = pass;
  const expressions = new Expressions({ memory, chooser });
  const [lookups, actions] = [new Tables(pass), new Actions(pass)];
  let name = pipeline.init_table;
  for (let count = 0; name !== null; count++) {
    if (count > MAX_NODES) throw new Unhandled(`more than ${MAX_NODES} nodes of a control`);
    const conditional = conditionals.get(name);
    if (conditional !== undefined) {
      const condition = within(placeText(conditional.source_info), () =>
        expressions.condition(conditional.expression),
      );
      const taken = pass.branch(name, condition);
      name = taken ? conditional.true_next : conditional.false_next;
      continue;
    }
    const table = tables.get(name);
    if (table === undefined) return;
    const found = within(placeText(table.source_info), () => lookups.lookup(table));
    if (table.entry_target !== undefined)
      memory.setIfThere(...table.entry_target, pass.terms.constant(found.number ?? -1, 32));
    if (found.hit && table.direct_meters !== null) colour(table.direct_meters, pass);
    if (found.action !== undefined) actions.run(found.action.primitives, found.parameters);
    if (pass.requests.exit) return;
    name = nextOf(table, found);
  }
}

function nextOf(table: bmv2.Bmv2Table, { hit, action }: Lookup): string | null {
  const { next_tables, base_default_next } = table;
  if ("__HIT__" in next_tables || "__MISS__" in next_tables)
    return (hit ? next_tables["__HIT__"] : next_tables["__MISS__"]) ?? null;
  if (action === undefined) return base_default_next ?? null;
  return next_tables[action.name] ?? null;
}

/** The result of a direct meter. */
function colour(name: string, pass: Pass): void {
  const meter = pass.shared.plan.program.meter_arrays.find((one) => one.name === name);
  const target = meter?.result_target;
  if (target === undefined) throw new Unhandled(`the direct meter ${name}`);
  pass.memory.setIfThere(target[0], target[1], pass.outside(`meter ${name}`, 2));
}
