/**
 * What a table's `implementation` says (`Alpm`, `Atcam`, `ActionSelector`) for `p4loom fit`: as the pragmas that say the same, which is
 * the form in which a table carries it to the fit.
 */
import { constantBits } from "../../../emit/bmv2-tables.js";
import type { IrProgram, IrTable } from "../../../lower/ir.js";
import { argument, attached } from "../p4info-scope.js";

/** Adds the pragmas; before keys lose their kinds. */
export function nameImplementations(program: IrProgram): void {
  for (const { blocks } of program.pipes)
    for (const block of blocks)
      if (block.kind !== "parser") for (const table of block.body.tables) name(table);
}

function name(table: IrTable): void {
  const implementation = attached(table, "implementation");
  const span = implementation?.span ?? table.span;
  if (implementation === undefined || span === undefined) return;
  const add = (pragma: string, text: string) => {
    const body = { kind: "unstructured", text, values: undefined } as const;
    table.annotations = [...table.annotations, { name: pragma, span, body }];
  };
  const addNumber = (pragma: string, parameter: string) => {
    const value = argument(implementation, parameter);
    if (value !== undefined) add(pragma, String(constantBits(value)));
  };
  if (implementation.extern === "ActionSelector") {
    // What the constructor says goes before the table's own pragmas.
    table.annotations = table.annotations.filter((one) => !SELECTOR_PRAGMAS.has(one.name));
    addNumber("selector_max_group_size", "max_group_size");
    addNumber("selector_num_max_groups", "num_groups");
    const mode = argument(implementation, "mode");
    if (mode?.kind === "member" && mode.name === "RESILIENT") add("mode", '"resilient"');
    // Selectors of one profile are one object of the engine; the hardware has each.
    add("selector_name", `"${implementation.name}"`);
  } else if (implementation.extern === "Alpm") {
    add("alpm", "1");
    addNumber("alpm_partitions", "number_partitions");
    addNumber("alpm_subtrees_per_partition", "subtrees_per_partition");
  } else if (implementation.extern === "Atcam") {
    addNumber("atcam_number_partitions", "number_partitions");
    const index = table.keys.find(({ matchKind }) => matchKind === "atcam_partition_index");
    if (index !== undefined) add("atcam_partition_index", `"${index.name}"`);
  }
}

const SELECTOR_PRAGMAS: ReadonlySet<string> = new Set([
  "selector_max_group_size",
  "selector_num_max_groups",
  "selector_name",
  "mode",
]);
