/** Entries written in the program (section 14.2.1.4). */

import { defined, fail, maskOf, toUnsigned } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type { EntriesProperty, Expression, TableEntrySyntax } from "../../syntax/ast.js";
import type { EntryKey, IrEntry, IrTable, IrType } from "../ir.js";
import { fault, known } from "../ir.js";
import { scalarWidth } from "../ir-types.js";
import { constantNumber } from "./constants.js";
import type { Env } from "./context.js";
import { irType } from "./context.js";
import { expression, expressionAs } from "./expressions.js";
import type { TablePlan } from "./tables.js";
import { actionCall, property as propertyOf } from "./tables.js";

export function readEntries(env: Env, plan: TablePlan, table: IrTable): IrTable["entries"] {
  const entries = plan.declaration.properties.find((one): one is EntriesProperty => one.kind === "entries");
  if (entries === undefined) return undefined;
  const priorities = prioritiesOf(env, table, entries);
  const list = entries.entries.map((entry, index): IrEntry => {
    const keys = keysOf(entry, table.keys.length);
    return {
      keys: keys.map((key, at) => pattern(env, key, irType(env, defined(table.keys[at]).declared, key.span))),
      action: actionCall(env, plan, entry.action),
      priority: priorities[index],
      fixedPriority: annotatedPriority(entry),
      isConst: entries.isConst || entry.isConst,
      annotations: entry.annotations,
      span: entry.span,
    };
  });
  return { isConst: entries.isConst, list };
}

/** `@priority(n)`, from before P4-16 had priorities: the smaller wins. */
function annotatedPriority(entry: TableEntrySyntax): number | undefined {
  const body = entry.annotations.find((one) => one.name === "priority")?.body;
  const value = body?.kind === "unstructured" || body?.kind === "expressions" ? body.values?.[0] : undefined;
  return value?.kind === "intLiteral" ? Number(value.value) : undefined;
}

function keysOf(entry: TableEntrySyntax, count: number): Expression[] {
  const only = entry.keys[0];
  const isWrapped = count === 1 && only?.kind === "list" && only.elements.length === 1;
  if (entry.keys.length === count && !isWrapped) return entry.keys;
  if (entry.keys.length === 1 && only !== undefined) {
    if (only.kind === "list" && only.elements.length === count) return only.elements;
    if (only.kind === "default" || only.kind === "dontCare") return Array.from({ length: count }, () => only);
  }
  return fault(entry.span, `this entry has ${entry.keys.length} keys, the table has ${count}`);
}

/**
 * The priority of each entry: as written, or counted on from the one before by `priority_delta`
 * (section 14.2.1.4). Undefined for constant entries, which win in the order in which they are written.
 */
function prioritiesOf(env: Env, table: IrTable, property: EntriesProperty): (number | undefined)[] {
  if (property.isConst) return [];
  const largestWins = table.largestPriorityWins;
  const step = propertyOf(table.declaration, "priority_delta");
  const delta =
    step === undefined ? 1 : Number(constantNumber(expression(env, step.value), "priority_delta"));
  const count = property.entries.length;
  let previous: number | undefined;
  return property.entries.map((entry) => {
    if (entry.priority !== undefined)
      previous = Number(constantNumber(expression(env, entry.priority), "a priority"));
    else if (previous === undefined) previous = largestWins ? 1 + (count - 1) * delta : 1;
    else previous = largestWins ? previous - delta : previous + delta;
    return previous;
  });
}

/** A key set expression over one scalar (section 13.6): a value, a mask, a range, or anything. */
export function pattern(env: Env, e: Expression, type: IrType): EntryKey {
  const width = known(scalarWidth(type), e.span, "a key must be a number, a bool, an enum or an error");
  const value = (part: Expression): bigint =>
    toUnsigned(constantNumber(expressionAs(env, part, type), "a key"), width);
  switch (e.kind) {
    case "default":
    case "dontCare":
      return { kind: "any" };
    case "mask": {
      const mask = value(e.mask);
      if (mask === maskOf(width)) return { kind: "exact", value: value(e.value) };
      if (mask === 0n) return { kind: "any" };
      return { kind: "mask", value: value(e.value) & mask, mask };
    }
    case "range": {
      const low = constantNumber(expressionAs(env, e.low, type), "a bound");
      const high = constantNumber(expressionAs(env, e.high, type), "a bound");
      if (low > high) fail(CODES.emptyRange, e.span, `an empty range: ${low} is more than ${high}`);
      if (low === high) return { kind: "exact", value: toUnsigned(low, width) };
      return { kind: "range", low: toUnsigned(low, width), high: toUnsigned(high, width) };
    }
    default:
      return { kind: "exact", value: value(e) };
  }
}
