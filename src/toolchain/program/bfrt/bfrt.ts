/** The schema of BF Runtime from the P4Info of a TNA program, which says all that the schema says. */
import { DiagnosticError, type Diagnostics } from "../../../base/index.js";
import type { P4Info } from "../p4info/message.js";
import { Context } from "./context.js";
import { hashTables } from "./hashes.js";
import { PREFIX } from "./ids.js";
import { matchTables } from "./match-tables.js";
import { debugCounterTable, learnFilters, portMetadataTables, valueSetTables } from "./ports.js";
import { profilesOfTables, profileTables, selectorTables } from "./profiles.js";
import {
  counterTables,
  lpfTables,
  meterTables,
  registerParamTables,
  registerTables,
  wredTables,
} from "./resources.js";
import type { BfrtSchema, BfrtTable } from "./schema.js";
import { snapshotTables } from "./snapshots.js";

const BY_KIND: ReadonlyMap<number, (context: Context) => BfrtTable[]> = new Map([
  [PREFIX.ACTION_PROFILE, profileTables],
  [PREFIX.ACTION_SELECTOR, selectorTables],
  [PREFIX.COUNTER, counterTables],
  [PREFIX.METER, meterTables],
  [PREFIX.REGISTER, registerTables],
  [PREFIX.REGISTER_PARAM, registerParamTables],
  [PREFIX.LPF, lpfTables],
  [PREFIX.WRED, wredTables],
  [PREFIX.VALUE_SET, valueSetTables],
  [PREFIX.SNAPSHOT, snapshotTables],
  [PREFIX.HASH, hashTables],
]);

/**
 * Undefined where the P4Info has no such schema: it is not of a TNA program (P41022), an instance is not what its kind says (P41021), a
 * type has no form in the schema (P41023), a reference has no object (P41007).
 */
export function bfrtSchema(p4info: P4Info, diagnostics: Diagnostics): BfrtSchema | undefined {
  try {
    return build(new Context(p4info));
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    for (const one of error.diagnostics) diagnostics.add(one);
    return undefined;
  }
}

/** Match tables first, then the instances in P4Info's order, then what the device adds. */
function build(context: Context): BfrtSchema {
  const kinds = new Set(context.p4info.externs.map((one) => one.externTypeId));
  return {
    schema_version: "1.0.0",
    tables: [
      ...matchTables(context, profilesOfTables(context)),
      ...[...kinds].flatMap((kind) => BY_KIND.get(kind)?.(context) ?? []),
      ...portMetadataTables(context),
      debugCounterTable(context),
    ],
    learn_filters: learnFilters(context),
  };
}
