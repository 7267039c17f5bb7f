/** Entries that a program gives a table (section 14.2.1.4): key sets, actions, priorities. */
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Annotation,
  EntriesProperty,
  KeyProperty,
  TableDeclaration,
  TableEntrySyntax,
} from "../syntax/ast.js";
import { checkAnnotations } from "./annotations.js";
import type { Checker } from "./checker.js";
import { constantOf } from "./coerce.js";
import { isCompileTimeKnown } from "./compile-time.js";
import { checkExpression } from "./expressions.js";
import { checkKeySets, isEverything } from "./key-sets.js";
import { checkActionUse, type TableContext } from "./table-context.js";

/** The largest priority of P4Runtime and BMv2, 2^31 - 1. */
const MAX_PRIORITY = 2147483647n;

export function checkEntries(
  cx: Checker,
  property: EntriesProperty,
  table: TableContext,
  key: KeyProperty | undefined,
): void {
  const { declaration } = table;
  if (key !== undefined && key.span.file === property.span.file && property.span.start < key.span.start)
    cx.error(CODES.tableEntries, property.span, "entries must stand after the key of the table");
  if (key === undefined || key.elements.length === 0) {
    if (property.entries.length > 0)
      cx.error(
        CODES.tableEntries,
        property.span,
        `table '${declaration.name.name}' has no key, so it cannot have entries`,
        "only its default action can run",
      );
    return;
  }
  for (const entry of property.entries) {
    checkAnnotations(cx, entry.annotations, "other");
    checkKeySets(cx, entry.keys, table.keys, entry.span, "an entry");
    for (const keySet of entry.keys)
      if (!isEverything(keySet) && keySet.type?.kind !== "unknown" && !isCompileTimeKnown(cx, keySet))
        cx.error(CODES.entryKeyNotConstant, keySet.span, "the key of an entry must be known at compile time");
    const used = checkActionUse(cx, entry.action, table, "entry");
    if (used !== undefined) {
      entry.action.declaration = used.action;
      if (used.bound !== undefined) entry.action.resolved = used.bound;
    }
    checkPriority(cx, entry, property);
  }
  warnPriorities(cx, property, declaration);
}

function checkPriority(cx: Checker, entry: TableEntrySyntax, property: EntriesProperty): void {
  const { priority } = entry;
  if (priority === undefined) return;
  checkExpression(cx, priority);
  if (property.isConst) {
    cx.error(
      CODES.tableEntries,
      priority.span,
      "entries of 'const entries' have no priority: their order decides",
      "write 'entries' without const to give priorities",
    );
    return;
  }
  const value = constantOf(priority);
  if (value?.kind !== "integer") {
    if (priority.type?.kind !== "unknown")
      cx.error(CODES.priorityNotConstant, priority.span, "a priority must be a number known at compile time");
  } else if (value.value < 0n || value.value > MAX_PRIORITY)
    cx.error(
      CODES.tableEntries,
      priority.span,
      `priority ${value.value} is not between 0 and ${MAX_PRIORITY}`,
    );
}

/** Priorities of the entries in order, given or counted from `priority_delta`; undefined after an error. */
export function entryPriorities(property: EntriesProperty, table: TableDeclaration): bigint[] | undefined {
  const { entries } = property;
  const largestWins = boolProperty(table, "largest_priority_wins", true);
  const delta = numberProperty(table, "priority_delta", 1n);
  if (entries.every((entry) => entry.priority === undefined)) {
    const count = entries.length;
    return entries.map((_, i) => 1n + delta * BigInt(largestWins ? count - 1 - i : i));
  }
  const result: bigint[] = [];
  for (const entry of entries) {
    const given = entry.priority === undefined ? undefined : constantOf(entry.priority);
    if (given?.kind === "integer") result.push(given.value);
    else if (result.length === 0 || entry.priority !== undefined) return undefined;
    else result.push(defined(result[result.length - 1]) + (largestWins ? -delta : delta));
  }
  return result;
}

function boolProperty(table: TableDeclaration, name: string, otherwise: boolean): boolean {
  const value = propertyValue(table, name);
  return value?.kind === "bool" ? value.value : otherwise;
}

function numberProperty(table: TableDeclaration, name: string, otherwise: bigint): bigint {
  const value = propertyValue(table, name);
  return value?.kind === "integer" ? value.value : otherwise;
}

function propertyValue(table: TableDeclaration, name: string) {
  for (const property of table.properties)
    if (property.kind === "property" && property.name.name === name) return constantOf(property.value);
  return undefined;
}

function warnPriorities(cx: Checker, property: EntriesProperty, table: TableDeclaration): void {
  if (property.isConst || property.entries.every((entry) => entry.priority === undefined)) return;
  const key = table.properties.find((candidate) => candidate.kind === "key");
  if (key?.elements.every((element) => ["exact", "lpm", "selector"].includes(element.matchKind.name))) {
    const entry = defined(property.entries.find((candidate) => candidate.priority !== undefined));
    cx.error(
      CODES.tableEntries,
      entry.priority!.span,
      `entries of table '${table.name.name}' cannot have priorities: exact and lpm keys decide without`,
      { message: "the key is here", span: key.span },
    );
    return;
  }
  const first = property.entries[0];
  if (first !== undefined && first.priority === undefined) {
    cx.error(CODES.tableEntries, first.span, "when entries have priorities, the first one must have one");
    return;
  }
  const priorities = entryPriorities(property, table);
  if (priorities === undefined) return;
  for (const [index, value] of priorities.entries())
    if (value < 0n && defined(property.entries[index]).priority === undefined)
      cx.error(
        CODES.tableEntries,
        defined(property.entries[index]).span,
        `the priority of this entry comes out as ${value}`,
      );
  if (!silenced(property.annotations, "duplicate_priorities")) {
    const seen = new Map<bigint, TableEntrySyntax>();
    for (const [index, entry] of property.entries.entries()) {
      const other = seen.get(defined(priorities[index]));
      if (other === undefined) seen.set(defined(priorities[index]), entry);
      else
        cx.warning(
          CODES.equalPriorities,
          entry.span,
          `two entries have priority ${priorities[index]}: which of them matches is not defined`,
          { message: "the other is here", span: other.span },
        );
    }
  }
  if (silenced(property.annotations, "entries_out_of_priority_order")) return;
  const largestWins = boolProperty(table, "largest_priority_wins", true);
  for (let i = 1; i < priorities.length; i++) {
    const inOrder = largestWins
      ? defined(priorities[i - 1]) >= defined(priorities[i])
      : defined(priorities[i - 1]) <= defined(priorities[i]);
    if (!inOrder)
      cx.warning(
        CODES.priorityOrder,
        defined(property.entries[i]).span,
        "this entry is matched before the one above it: its priority wins",
      );
  }
}

function silenced(annotations: readonly Annotation[], warning: string): boolean {
  return annotations.some(
    (annotation) =>
      annotation.name === "noWarn" &&
      annotation.body.kind === "unstructured" &&
      annotation.body.text.includes(warning),
  );
}
