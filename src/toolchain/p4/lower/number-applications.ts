/**
 * Pass: BMv2's pipeline holds each table once. When a table is applied in several places, each place first writes its
 * number to a variable; after the table, the emitter uses that number to choose the next node.
 */
import { number, variable } from "./build.js";
import type { IrControl, IrProgram, IrTable, Stmt } from "./ir.js";
import { controlsOf, newLocal } from "./ir.js";
import { bits } from "./ir-types.js";
import { forEachStmt, mapBlocks } from "./walk.js";

export function numberApplications(program: IrProgram): void {
  for (const control of controlsOf(program, ["control"])) numberControl(program, control);
}

function numberControl(program: IrProgram, control: IrControl): void {
  const counts = new Map<IrTable, number>();
  forEachStmt(control.body, (stmt) => {
    if (stmt.kind === "apply") counts.set(stmt.table, (counts.get(stmt.table) ?? 0) + 1);
  });
  const places = new Map<IrTable, { home: ReturnType<typeof variable>; next: number }>();
  for (const [table, count] of counts) {
    if (count < 2) continue;
    const type = bits(Math.max(8, Math.ceil(Math.log2(count) / 8) * 8));
    places.set(table, { home: variable(newLocal(program, "place", type, table.span), table.span), next: 0 });
  }
  if (places.size === 0) return;
  const rewrite = (body: Stmt[]): Stmt[] =>
    body.flatMap((stmt): Stmt[] => {
      const inner = mapBlocks(stmt, rewrite);
      const place = inner.kind === "apply" ? places.get(inner.table) : undefined;
      if (inner.kind !== "apply" || place === undefined || place.home.type.kind !== "bits") return [inner];
      const index = number(BigInt(place.next++), place.home.type, inner.span);
      return [
        { kind: "assign", left: place.home, right: index, span: inner.span },
        { ...inner, place: { home: place.home, index } },
      ];
    });
  control.body = rewrite(control.body);
}
