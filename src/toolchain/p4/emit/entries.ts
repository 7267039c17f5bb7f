/** The entries that a program declares, as a control plane would write them (P4Runtime section 9.1). */
import { defined, fail, maskOf } from "../../../base/index.js";
import type { Match, TableEntry } from "../../device/index.js";
import { CODES } from "../codes.js";
import type { EntryKey, IrKey, IrProgram, IrTable } from "../lower/ir.js";
import { controlsOf } from "../lower/ir.js";
import { scalarWidth } from "../lower/ir-types.js";
import { constantBits, prefixLength } from "./bmv2-tables.js";

export function emitEntries(program: IrProgram): TableEntry[] {
  return controlsOf(program, ["control"]).flatMap((control) => control.tables.flatMap(entriesOf));
}

const WITH_PRIORITY = new Set(["ternary", "range", "optional"]);

function entriesOf(table: IrTable): TableEntry[] {
  const list = table.entries?.list ?? [];
  const needsPriority = table.keys.some((key) => WITH_PRIORITY.has(key.matchKind));
  const priorities = list.flatMap((entry) => entry.priority ?? []);
  // For a controller the larger number wins. Where the smaller number wins in the program, the order is reversed.
  const turned = table.largestPriorityWins ? undefined : Math.min(...priorities) + Math.max(...priorities);
  const priorityOf = (written: number): number => (turned === undefined ? written : turned - written);
  return list.map((entry, index): TableEntry => {
    const { action, args } = entry.action;
    return {
      kind: "tableEntry",
      table: table.name,
      match: table.keys.flatMap((key, at) => matchOf(key, defined(entry.keys[at]))),
      // Entries without a priority win in the order in which they are written.
      priority: needsPriority
        ? entry.priority === undefined
          ? list.length - index
          : priorityOf(entry.priority)
        : 0,
      action: {
        kind: "action",
        action: action.name,
        params: Object.fromEntries(
          action.params.map((param, at) => [param.variable.name, constantBits(defined(args[at]))]),
        ),
      },
      isConst: entry.isConst,
    };
  });
}

/** No match for a field whose value does not matter. */
function matchOf(key: IrKey, pattern: EntryKey): Match[] {
  const field = key.name;
  const width = scalarWidth(key.expression.type) ?? 0;
  const all = maskOf(width);
  if (key.matchKind === "selector" || pattern.kind === "any") return [];
  const mask = pattern.kind === "mask" ? pattern.mask : all;
  switch (key.matchKind) {
    case "range":
      if (pattern.kind === "range") return [{ kind: "range", field, low: pattern.low, high: pattern.high }];
      if (pattern.kind === "exact")
        return [{ kind: "range", field, low: pattern.value, high: pattern.value }];
      break;
    case "ternary":
      if (pattern.kind !== "range") return [{ kind: "ternary", field, value: pattern.value, mask }];
      break;
    case "lpm": {
      const length = prefixLength(mask, width);
      if (pattern.kind !== "range" && length !== undefined)
        return [{ kind: "lpm", field, value: pattern.value, prefixLength: length }];
      break;
    }
    default:
      if (pattern.kind === "exact")
        return [{ kind: key.matchKind === "optional" ? "optional" : "exact", field, value: pattern.value }];
  }
  return fail(
    CODES.entryPattern,
    key.span,
    `a pattern of this form does not fit a key matched by ${key.matchKind}`,
  );
}
