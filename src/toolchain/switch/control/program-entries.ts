/** The initial entries of a program (`const entries` and `entries` in P4). */
import { defined, fail } from "../../../base/index.js";
import { DeviceError, type Match, type TableEntry } from "../../device/index.js";
import { type bmv2, bmv2Bits } from "../../program/index.js";
import { CODES } from "../codes.js";
import { type KeyField, prefixMask } from "../tables/shape.js";
import { namedParameters, type TableControl } from "./instance.js";
import { refuse } from "./keys.js";
import type { TableWriter } from "./table-writer.js";

/**
 * Inserts the initial entries of all tables. The entry with the smallest priority number wins, then the first entry.
 * @throws DiagnosticError (P41103) that names the first entry that cannot be inserted
 */
export function addProgramEntries(writer: TableWriter): void {
  for (const table of writer.instance.tables.values()) {
    const entries = table.info.table.entries ?? [];
    const sorted = [...entries].sort((a, b) => a.priority - b.priority);
    sorted.forEach((entry, i) => {
      try {
        addEntry(writer, table, entry, table.priority ? sorted.length - i : 0);
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        const { source_info: source } = entry;
        const place = source === undefined ? "" : ` (${source.filename}:${source.line}:${source.column + 1})`;
        fail(
          CODES.programEntry,
          undefined,
          `the switch cannot run this program: entry ${entries.indexOf(entry) + 1} of table ${table.name}${place}: ${error.message}`,
        );
      }
    });
  }
}

function addEntry(
  writer: TableWriter,
  table: TableControl,
  { action_entry: call, match_key: keys }: bmv2.ConstEntry,
  priority: number,
): void {
  const action = [...table.info.actions.values()].find(({ id }) => id === call.action_id);
  if (action === undefined) {
    const has = [...table.info.actions.values()].map(({ id, name }) => `${id} (${name})`).join(", ");
    refuse("NOT_FOUND", `the table has no action of id ${call.action_id}; it has ${has || "none"}`);
  }
  const made: TableEntry = {
    kind: "tableEntry",
    table: table.name,
    match: keys.flatMap((key, k) =>
      programMatch(key, defined(table.fieldNames[k]), defined(table.shape.fields[k])),
    ),
    priority,
    action: {
      kind: "action",
      action: action.name,
      params: namedParameters(action.runtime_data, call.action_data),
    },
  };
  // Of two entries with one key the first always wins, so the second is left out.
  if (!table.store.byName.has(writer.key(table, made).name)) writer.insert(table, made, true);
}

function programMatch(key: bmv2.EntryKey, field: string, { kind, width }: KeyField): Match[] {
  const bits = (text: string) => bmv2Bits(text, width);
  if (kind === "optional" && key.match_type === "ternary")
    return bits(key.mask) === 0n ? [] : [{ kind, field, value: bits(key.key) }];
  switch (key.match_type) {
    case "exact":
      return [{ kind: "exact", field, value: bits(key.key) }];
    case "lpm": {
      const value = bits(key.key) & prefixMask(key.prefix_length, width);
      return [{ kind: "lpm", field, value, prefixLength: key.prefix_length }];
    }
    case "ternary":
      return [{ kind: "ternary", field, value: bits(key.key) & bits(key.mask), mask: bits(key.mask) }];
    case "optional":
      return bits(key.mask) === 0n ? [] : [{ kind: "optional", field, value: bits(key.key) }];
    case "range":
      return [{ kind: "range", field, low: bits(key.start), high: bits(key.end) }];
    default:
      refuse("INVALID_ARGUMENT", `field ${field} has a key of kind ${(key as bmv2.EntryKey).match_type}`);
  }
}
