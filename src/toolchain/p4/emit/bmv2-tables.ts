/** Tables, their entries, and action profiles. */
import { defined, fail, given, maskOf } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import { fold, unsignedValue } from "../lower/fold.js";
import type {
  EntryKey,
  Expr,
  ExternInstance,
  IrAction,
  IrActionCall,
  IrEntry,
  IrKey,
  IrTable,
} from "../lower/ir.js";
import { scalarWidth } from "../lower/ir-types.js";
import { algorithm } from "./bmv2-calculations.js";
import type { ExpressionEmitter } from "./bmv2-expressions.js";
import { hex } from "./bmv2-expressions.js";
import { sourceInfo } from "./source-info.js";

/** Entries of a table whose program gives no size. */
export const DEFAULT_SIZE = 1024;

/** The nodes to which control goes from a table. */
export interface TableNext {
  base: string | null;
  next: Record<string, string | null>;
}

/**
 * What a miss does in a table with an action profile: nothing, as BMv2 has it, whose JSON has no default action there; or the default action of
 * the program, which a Tofino runs without the profile.
 */
export type ProfilesMiss = "nothing" | "default";

export type ActionIds = ReadonlyMap<IrAction, number>;

export function emitTable(
  expressions: ExpressionEmitter,
  table: IrTable,
  id: number,
  ids: ActionIds,
  following: TableNext,
  profilesMiss: ProfilesMiss,
): bmv2.Bmv2Table {
  const keys = table.keys.filter((key) => key.matchKind !== "selector");
  const implementation = table.implementation;
  checkDirect(table.counters, "counters", "direct_counter");
  checkDirect(table.meters, "meters", "direct_meter");
  const refs = table.actions.map((ref) => ref.action);
  return {
    name: table.name,
    id,
    ...sourceInfo(table.span),
    key: keys.map((key) => emitKey(expressions, key)),
    match_type: tableMatchType(table, keys),
    type: tableType(implementation),
    ...given({ action_profile: implementation?.name }),
    max_size: table.entries?.list.length || table.size || DEFAULT_SIZE,
    with_counters: table.counters !== undefined,
    support_timeout: table.supportTimeout,
    direct_meters: table.meters?.name ?? null,
    action_ids: refs.map((action) => defined(ids.get(action))),
    actions: refs.map((action) => action.name),
    base_default_next: following.base,
    next_tables: following.next,
    ...given({
      default_entry:
        implementation === undefined || profilesMiss === "default" ? defaultEntry(table, ids) : undefined,
      entries: table.entries && emitEntries(table, keys, ids),
    }),
  };
}

function checkDirect(instance: ExternInstance | undefined, property: string, wanted: string): void {
  if (instance !== undefined && instance.extern !== wanted)
    fail(
      CODES.tableInstanceKind,
      instance.span,
      `${property} of a table is a ${wanted}, ${instance.name} is a ${instance.extern}`,
    );
}

function defaultEntry(table: IrTable, ids: ActionIds) {
  const { action, args, isConst } = table.defaultAction;
  return {
    action_id: defined(ids.get(action)),
    action_const: isConst,
    action_data: args.map(actionData),
    action_entry_const: isConst,
  };
}

function actionData(arg: Expr): string {
  return hex(constantBits(arg));
}

/** The bits of a constant. */
export function constantBits(expr: Expr): bigint {
  const folded = fold(expr);
  if (folded.kind === "number") return unsignedValue(folded);
  if (folded.kind === "bool") return folded.value ? 1n : 0n;
  if (folded.kind === "member") return BigInt(folded.index);
  return fail(CODES.valueNotConstant, expr.span, "this must be known at compile time");
}

function tableType(implementation: ExternInstance | undefined): bmv2.Bmv2Table["type"] {
  switch (implementation?.extern) {
    case undefined:
      return "simple";
    case "action_profile":
      return "indirect";
    case "action_selector":
      return "indirect_ws";
    default:
      return fail(
        CODES.tableInstanceKind,
        implementation?.span,
        "a table's implementation is an action_profile or an action_selector",
      );
  }
}

const MATCH_KINDS = new Set(["exact", "lpm", "ternary", "range", "optional"]);

/** BMv2 represents `optional` keys as ternary keys. */
function matchType(key: IrKey): "exact" | "lpm" | "ternary" | "range" {
  if (!MATCH_KINDS.has(key.matchKind))
    fail(
      CODES.matchKindNotInBmv2,
      key.span,
      `the tables of the switch have no match kind ${key.matchKind}`,
      `give one of ${[...MATCH_KINDS].join(", ")}, selector`,
    );
  return key.matchKind === "optional" ? "ternary" : (key.matchKind as "exact" | "lpm" | "ternary" | "range");
}

/** A table's match type: range if any key is range, else ternary, else lpm, else exact. */
function tableMatchType(table: IrTable, keys: readonly IrKey[]): "exact" | "lpm" | "ternary" | "range" {
  const types = keys.map(matchType);
  if (types.filter((type) => type === "lpm").length > 1)
    fail(CODES.severalLpmKeys, table.span, "BMv2 has tables with at most one lpm key");
  for (const type of ["range", "ternary", "lpm"] as const) if (types.includes(type)) return type;
  return "exact";
}

function emitKey(expressions: ExpressionEmitter, key: IrKey): bmv2.TableKey {
  const { layout } = expressions;
  const { expression } = key;
  if (scalarWidth(expression.type) === 0)
    fail(CODES.zeroWidth, key.span, "BMv2 has no keys of 0 bits", "leave the key out");
  const target: bmv2.FieldRef =
    expression.kind === "valid" ? [layout.instance(expression.header), "$valid$"] : layout.field(expression);
  return {
    match_type: matchType(key),
    name: key.name,
    target,
    mask: key.mask === undefined ? null : `0x${key.mask.toString(16)}`,
  };
}

// ---------------------------------------------------------------- entries

function emitEntries(table: IrTable, keys: readonly IrKey[], ids: ActionIds): bmv2.ConstEntry[] {
  const list = table.entries?.list ?? [];
  const ranks = priorityRanks(table, list);
  const used = table.keys.map((key, index) => ({ key, index })).filter(({ key }) => keys.includes(key));
  return list.map((entry, at) => ({
    ...sourceInfo(entry.span),
    match_key: used.map(({ key, index }) => entryKey(key, defined(entry.keys[index]), entry)),
    action_entry: entryAction(entry.action, ids),
    priority: entry.fixedPriority ?? defined(ranks[at]),
  }));
}

/** In BMv2's file the smaller number wins. It follows the order in the source, or the given priorities. */
function priorityRanks(table: IrTable, list: readonly IrEntry[]): number[] {
  const order = list.map((_, index) => index);
  if (list.some((entry) => entry.priority !== undefined)) {
    const largestWins = table.largestPriorityWins;
    order.sort((a, b) => {
      const difference = (defined(list[a]).priority ?? 0) - (defined(list[b]).priority ?? 0);
      return (largestWins ? -difference : difference) || a - b;
    });
  }
  const ranks: number[] = [];
  for (const [rank, index] of order.entries()) ranks[index] = rank + 1;
  return ranks;
}

function entryAction(call: IrActionCall, ids: ActionIds): bmv2.ConstEntry["action_entry"] {
  return { action_id: defined(ids.get(call.action)), action_data: call.args.map(actionData) };
}

function entryKey(key: IrKey, pattern: EntryKey, entry: IrEntry): bmv2.EntryKey {
  const width = scalarWidth(key.expression.type) ?? 0;
  const text = (value: bigint): string => hex(value, width);
  const wrong = (): never =>
    fail(
      CODES.entryPattern,
      entry.span,
      `a pattern of this form does not fit a key matched by ${key.matchKind}`,
    );
  const all = maskOf(width);
  switch (matchType(key)) {
    case "exact":
      return pattern.kind === "exact" ? { match_type: "exact", key: text(pattern.value) } : wrong();
    case "ternary":
      if (pattern.kind === "range" || (pattern.kind === "mask" && key.matchKind === "optional"))
        return wrong();
      if (pattern.kind === "any") return { match_type: "ternary", key: text(0n), mask: text(0n) };
      if (pattern.kind === "mask")
        return { match_type: "ternary", key: text(pattern.value), mask: text(pattern.mask) };
      return { match_type: "ternary", key: text(pattern.value), mask: text(all) };
    case "lpm": {
      if (pattern.kind === "any") return { match_type: "lpm", key: text(0n), prefix_length: 0 };
      if (pattern.kind === "exact")
        return { match_type: "lpm", key: text(pattern.value), prefix_length: width };
      const length = pattern.kind === "mask" ? prefixLength(pattern.mask, width) : undefined;
      if (pattern.kind !== "mask" || length === undefined) return wrong();
      return { match_type: "lpm", key: text(pattern.value), prefix_length: length };
    }
    case "range":
      if (pattern.kind === "any") return { match_type: "range", start: text(0n), end: text(all) };
      if (pattern.kind === "range")
        return { match_type: "range", start: text(pattern.low), end: text(pattern.high) };
      return pattern.kind === "exact"
        ? { match_type: "range", start: text(pattern.value), end: text(pattern.value) }
        : wrong();
  }
}

/** The number of leading ones of a mask; undefined when a one follows a zero. */
export function prefixLength(mask: bigint, width: number): number | undefined {
  for (let length = 0; length <= width; length++)
    if (mask === maskOf(length) << BigInt(width - length)) return length;
  return undefined;
}

// ---------------------------------------------------------------- action profiles

/** The profiles and selectors of a pipeline's tables, each once. */
export function emitProfiles(
  expressions: ExpressionEmitter,
  tables: readonly IrTable[],
): bmv2.ActionProfile[] {
  const profiles = new Map<ExternInstance, bmv2.ActionProfile>();
  const inputs = new Map<ExternInstance, string>();
  for (const table of tables) {
    const instance = table.implementation;
    if (instance === undefined) continue;
    const isSelector = instance.extern === "action_selector";
    const keys = table.keys.filter((key) => key.matchKind === "selector");
    const input = keys.map((key) => expressions.number(key.expression));
    const text = JSON.stringify(input);
    if (profiles.has(instance)) {
      if (isSelector && inputs.get(instance) !== text)
        fail(
          CODES.selectorKeysDiffer,
          table.span,
          `tables that share the action selector ${instance.name} need the same selector keys`,
        );
      continue;
    }
    if (isSelector && input.length === 0)
      fail(
        CODES.selectorKeyMissing,
        table.span,
        `a table with an action selector needs keys of the match kind selector`,
      );
    inputs.set(instance, text);
    const size = instance.args[isSelector ? 1 : 0];
    profiles.set(instance, {
      name: instance.name,
      id: profiles.size,
      ...sourceInfo(instance.span),
      max_size: size === undefined ? 0 : Number(constantBits(size)),
      ...given({ selector: isSelector ? { algo: algorithm(defined(instance.args[0])), input } : undefined }),
    });
  }
  return [...profiles.values()];
}
