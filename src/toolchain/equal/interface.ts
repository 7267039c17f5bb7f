/** What controllers see of two programs: entries can be given to both only where their tables are the same. */
import type { bmv2, Program } from "../program/index.js";
import { P4InfoIndex } from "../program/index.js";

/** The first difference of the tables that controllers see, as words; undefined: there is none. */
export function tableDifference(a: Program, b: Program): string | undefined {
  const [left, right] = [shapesOf(a), shapesOf(b)];
  for (const [name, shape] of left) {
    const other = right.get(name);
    if (other === undefined) return `only the first program has table ${name}`;
    if (other !== shape) return `table ${name} differs: ${shape}, and ${other}`;
  }
  const more = [...right.keys()].find((name) => !left.has(name));
  return more === undefined ? undefined : `only the second program has table ${more}`;
}

function shapesOf({ bmv2: program, p4info }: Program): Map<string, string> {
  const index = new P4InfoIndex(p4info);
  const actions = new Map(program.actions.map((action) => [action.id, action]));
  const shapes = new Map<string, string>();
  for (const pipeline of program.pipelines)
    for (const table of pipeline.tables)
      if (index.tables.byName(table.name) !== undefined)
        shapes.set(table.name, shapeOf(table, index, actions));
  return shapes;
}

function shapeOf(
  table: bmv2.Bmv2Table,
  index: P4InfoIndex,
  actions: ReadonlyMap<number, bmv2.Bmv2Action>,
): string {
  const fields = index.tables.byName(table.name)?.fields.list ?? [];
  const key = fields.map(({ bitwidth, kind }) => `${kind}<${bitwidth}>`).join(", ");
  const calls = table.action_ids.map((id) => {
    const action = actions.get(id);
    const parameters = action?.runtime_data.map(({ name, bitwidth }) => `${name}<${bitwidth}>`) ?? [];
    return `${action?.name}(${parameters.join(", ")})`;
  });
  return `a ${table.type} table with key (${key}) and actions ${calls.sort().join(", ")}`;
}
