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
  if (more !== undefined) return `only the second program has table ${more}`;
  return arrayDifference(a.bmv2, b.bmv2);
}

/** Registers and meters that both programs have must be of one kind: what they hold is compared by their names. */
export function arrayDifference(a: bmv2.Bmv2Program, b: bmv2.Bmv2Program): string | undefined {
  const [left, right] = [arraysOf(a), arraysOf(b)];
  for (const [name, shape] of left) {
    const other = right.get(name);
    if (other !== undefined && other !== shape) return `${name} differs: ${shape}, and ${other}`;
  }
  return undefined;
}

function arraysOf({ register_arrays, meter_arrays }: bmv2.Bmv2Program): Map<string, string> {
  const registers = register_arrays.map(
    ({ name, bitwidth, size }) => [`register ${name}`, `${size} cells of ${bitwidth} bits`] as const,
  );
  const meters = meter_arrays.map(
    ({ name, type, size, rate_count }) =>
      [`meter ${name}`, `${size ?? "direct"}, ${rate_count} rates of ${type}`] as const,
  );
  return new Map([...registers, ...meters]);
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
  const key = fields.map(({ name, bitwidth, kind }) => `${name}: ${kind}<${bitwidth}>`).join(", ");
  const info = index.tables.byName(table.name);
  const calls = table.action_ids.map((id) => {
    const action = actions.get(id);
    const parameters = action?.runtime_data.map(({ name, bitwidth }) => `${name}<${bitwidth}>`) ?? [];
    const use = info?.actions.get(index.actions.byName(action?.name ?? "")?.id ?? 0);
    const scope = use === undefined ? "" : ["", "@tableonly ", "@defaultonly "][use.scope];
    return `${scope}${action?.name}(${parameters.join(", ")})`;
  });
  const fixed = [
    table.default_entry?.action_const ? "a const default action, " : "",
    info?.message.isConstTable ? "const entries, " : "",
  ].join("");
  return `a ${table.type} table with ${fixed}${table.max_size} entries, key (${key}) and actions ${calls.sort().join(", ")}`;
}
