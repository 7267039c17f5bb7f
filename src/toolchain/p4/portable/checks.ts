/** Direct counters and meters: they count for the entry that is hit, so only actions of their own table can use them. */
import { type Diagnostics, defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { controlsOf, type ExternInstance, type IrProgram, type IrTable, type Stmt } from "../lower/ir.js";
import { forEachStmt } from "../lower/walk.js";

/** `prefix`: of the properties of tables, as `psa_`. */
export function checkDirect(program: IrProgram, prefix: string, diagnostics: Diagnostics): void {
  for (const control of controlsOf(program, ["control"])) {
    for (const table of control.tables) {
      const own = attachedTo(table, prefix);
      for (const { action } of table.actions)
        report(action.body, own, `an action of ${table.name}`, prefix, diagnostics);
    }
    report(control.body, new Set(), "a statement outside of tables", prefix, diagnostics);
  }
}

function attachedTo({ properties }: IrTable, prefix: string): Set<ExternInstance> {
  return new Set(
    properties.flatMap(({ name, value }) =>
      name.startsWith(`${prefix}direct_`) && value.kind === "instance" ? [value.instance] : [],
    ),
  );
}

function report(
  body: Stmt[],
  own: ReadonlySet<ExternInstance>,
  where: string,
  prefix: string,
  diagnostics: Diagnostics,
): void {
  forEachStmt(body, (stmt) => {
    if (stmt.kind !== "extern" || !/^Direct(Counter|Meter)\./.test(stmt.name)) return;
    const used = defined(stmt.instance);
    if (own.has(used)) return;
    const property = `${prefix}${used.extern === "DirectCounter" ? "direct_counter" : "direct_meter"}`;
    diagnostics.error(
      CODES.directNotAttached,
      stmt.span,
      `${where} uses ${used.name}, which belongs to another table or to none`,
      `write ${property} = ... in the table whose action it is`,
    );
  });
}
