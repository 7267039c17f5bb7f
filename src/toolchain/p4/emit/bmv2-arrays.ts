/** Counters, meters and registers. */

import { defined, fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import { fold } from "../lower/fold.js";
import type { Expr, ExternInstance, IrControl, IrProgram, IrTable } from "../lower/ir.js";
import { controlsOf, fault, instancesOf } from "../lower/ir.js";
import { samePlace } from "../lower/places.js";
import { forEachStmt } from "../lower/walk.js";
import type { Type } from "../types/index.js";
import type { ExpressionEmitter } from "./bmv2-expressions.js";
import { constantBits, DEFAULT_SIZE } from "./bmv2-tables.js";
import { numberArgument } from "./p4info-annotations.js";
import { sourceInfo } from "./source-info.js";

export interface Arrays {
  counters: bmv2.CounterArray[];
  meters: bmv2.MeterArray[];
  registers: bmv2.RegisterArray[];
}

/** The arrays of a program whose tables are in controls of the kind `control`. */
export function emitArrays(expressions: ExpressionEmitter, program: IrProgram): Arrays {
  const arrays: Arrays = { counters: [], meters: [], registers: [] };
  const controls = controlsOf(program, ["control"]);
  const tables = controls.flatMap((control) => control.tables);
  const results = meterResults(controls);
  const instances = instancesOf(program);
  for (const instance of instances) emitInstance(expressions, arrays, instance, tables, results);
  return arrays;
}

function emitInstance(
  expressions: ExpressionEmitter,
  arrays: Arrays,
  instance: ExternInstance,
  tables: readonly IrTable[],
  results: ReadonlyMap<ExternInstance, Expr>,
): void {
  const { name, span } = instance;
  const size = (): number => Number(constantBits(defined(instance.args[0])));
  switch (instance.extern) {
    case "counter":
      arrays.counters.push({
        name,
        id: arrays.counters.length,
        ...sourceInfo(span),
        size: size(),
        is_direct: false,
        ...counterWidth(instance),
      });
      return;
    case "direct_counter": {
      const table = ownerOf(instance, tables, "counters");
      if (table !== undefined)
        arrays.counters.push({
          name,
          id: arrays.counters.length,
          ...sourceInfo(span),
          is_direct: true,
          binding: table.name,
          ...counterWidth(instance),
        });
      return;
    }
    case "meter":
      arrays.meters.push({
        name,
        id: arrays.meters.length,
        ...sourceInfo(span),
        is_direct: false,
        size: size(),
        rate_count: 2,
        type: meterType(instance.args[1]),
      });
      return;
    case "direct_meter": {
      const table = ownerOf(instance, tables, "meters");
      const result = results.get(instance);
      if (table === undefined) {
        if (result !== undefined)
          fail(
            CODES.directMeterUse,
            span,
            `${name} is read, but belongs to no table`,
            "write meters = ... in its table",
          );
        return;
      }
      if (result === undefined)
        fail(CODES.directMeterUse, span, `${name} is never read`, "read it in the table's actions");
      arrays.meters.push({
        name,
        id: arrays.meters.length,
        ...sourceInfo(span),
        is_direct: true,
        rate_count: 2,
        type: meterType(instance.args[0]),
        size: table.entries?.list.length || table.size || DEFAULT_SIZE,
        binding: table.name,
        result_target: expressions.layout.field(result),
      });
      return;
    }
    case "register": {
      const type = instance.typeArgs[0];
      const width = type === undefined ? undefined : cellWidth(type);
      if (width === undefined) fail(CODES.registerForm, span, "BMv2 has registers of bit<W> and int<W> only");
      if (width === 0) fail(CODES.zeroWidth, span, "BMv2 has no registers of 0 bits");
      if (size() === 0) fail(CODES.registerForm, span, "BMv2 has no registers without cells");
      arrays.registers.push({
        name,
        id: arrays.registers.length,
        ...sourceInfo(span),
        size: size(),
        bitwidth: width,
      });
      return;
    }
    default:
      return;
  }
}

/** Width of a register's cell in bits; undefined when the cell is not a number. */
function cellWidth(type: Type): number | undefined {
  if (type.kind === "newType" || type.kind === "serializableEnum") return cellWidth(type.underlying);
  return type.kind === "bit" || type.kind === "int" ? type.width : undefined;
}

/** `{ bitwidth }` of a counter whose type, or whose `@min_width`, states the bits of a cell. */
function counterWidth({ cellWidth, annotations }: ExternInstance): { bitwidth?: number } {
  const bitwidth = cellWidth ?? numberArgument(annotations, "min_width");
  // No cell has more than 64 bits.
  return bitwidth === undefined || bitwidth < 1 || bitwidth > 64 ? {} : { bitwidth };
}

function ownerOf(
  instance: ExternInstance,
  tables: readonly IrTable[],
  property: "counters" | "meters",
): IrTable | undefined {
  const owners = tables.filter((table) => table[property] === instance);
  if (owners.length > 1)
    fail(
      CODES.directInstanceShared,
      defined(owners[1]).span,
      `${instance.name} belongs to one table only, ${defined(owners[0]).name}`,
    );
  return owners[0];
}

function meterType(type: Expr | undefined): "bytes" | "packets" {
  const folded = type === undefined ? undefined : fold(type);
  if (folded?.kind === "member" && (folded.name === "bytes" || folded.name === "packets")) return folded.name;
  return fault(type?.span, "a meter counts packets or bytes");
}

/** The field that receives each direct meter's colour: the argument of its `read`. */
function meterResults(controls: readonly IrControl[]): Map<ExternInstance, Expr> {
  const results = new Map<ExternInstance, Expr>();
  for (const control of controls)
    for (const body of [control.body, ...control.actions.map((action) => action.body)])
      forEachStmt(body, (stmt) => {
        if (stmt.kind !== "extern" || stmt.name !== "direct_meter.read" || stmt.instance === undefined)
          return;
        const result = defined(stmt.args[0]);
        const before = results.get(stmt.instance);
        if (before !== undefined && !samePlace(before, result))
          fail(
            CODES.directMeterFields,
            stmt.span,
            `BMv2 gives the colour of ${stmt.instance.name} to one field only`,
          );
        results.set(stmt.instance, result);
      });
  return results;
}
