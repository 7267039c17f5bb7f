/**
 * Table entries (P4Runtime spec 9.1), their direct counters and meters (9.3, 9.4). A request is checked by the
 * rules that P4Info alone decides; the device checks what depends on its state.
 */

import { create } from "@bufbuild/protobuf";
import { given } from "../../../base/index.js";
import {
  DeviceError,
  type DirectCounterEntry,
  type DirectMeterEntry,
  type Match,
  type ReadQuery,
  type TableEntry,
  type Update,
} from "../../device/index.js";
import { p4info, type TableInfo } from "../../program/index.js";
import {
  DirectCounterEntrySchema,
  type DirectCounterEntry as DirectCounterMessage,
  DirectMeterEntrySchema,
  type DirectMeterEntry as DirectMeterMessage,
  TableEntry_IdleTimeoutSchema,
  type TableEntry as TableEntryMessage,
  TableEntrySchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { anyAction, checkTableAction, decodeTableAction, encodeTableAction } from "./action.js";
import { decodeMatches, encodeMatches } from "./match.js";
import {
  checkMeter,
  decodeCounter,
  decodeMeter,
  encodeCounter,
  encodeMeter,
  refuseColours,
} from "./resources.js";
import { checkLong, checkNumber, invalid, MAX_INT32, MAX_UINT64, type Wire } from "./wire.js";

function tableOf(wire: Wire, message: TableEntryMessage): TableInfo {
  const table = wire.index.tables.byId(message.tableId);
  if (table === undefined) throw invalid(`the program has no table of id ${message.tableId}`);
  return table;
}

function tableNamed(wire: Wire, name: string): TableInfo {
  const table = wire.index.tables.byName(name);
  if (table === undefined) throw invalid(`the program has no table "${name}"`);
  return table;
}

export function encodeTableEntry(wire: Wire, entry: TableEntry): TableEntryMessage {
  const table = tableNamed(wire, entry.table);
  const message = create(TableEntrySchema);
  message.tableId = table.id;
  message.match = encodeMatches(wire, table, entry.match);
  message.priority = checkNumber(entry.priority, "priority", MAX_INT32);
  if (entry.action !== undefined) message.action = encodeTableAction(wire, entry.action);
  if (entry.isDefault) message.isDefaultAction = true;
  if (entry.idleTimeoutNs !== undefined)
    message.idleTimeoutNs = checkLong(entry.idleTimeoutNs, "idle timeout");
  if (entry.controllerMetadata !== undefined) {
    message.controllerMetadata = checkLong(entry.controllerMetadata, "controller_metadata", MAX_UINT64);
  }
  if (entry.metadata !== undefined) message.metadata = entry.metadata;
  if (entry.counter !== undefined) message.counterData = encodeCounter(entry.counter);
  if (entry.meter !== undefined) message.meterConfig = encodeMeter(entry.meter);
  if (entry.elapsedNs !== undefined) {
    message.timeSinceLastHit = create(TableEntry_IdleTimeoutSchema, { elapsedNs: entry.elapsedNs });
  }
  if (entry.isConst) message.isConst = true;
  return message;
}

/** An entry in the answer of a switch, which is not checked. */
export function decodeTableEntry(wire: Wire, message: TableEntryMessage): TableEntry {
  const table = tableOf(wire, message);
  const entry = keyOf(wire, table, message, LENIENT);
  if (message.action !== undefined) {
    // the default entry of a table with an action profile may be a plain action
    const plain = message.isDefaultAction ? { ...table, profile: undefined } : table;
    entry.action = decodeTableAction(wire, plain, message.action, anyAction);
  }
  copyRest(table, message, entry, LENIENT);
  if (message.timeSinceLastHit !== undefined) entry.elapsedNs = message.timeSinceLastHit.elapsedNs;
  // servers before P4Runtime 1.4 do not report it, but P4Info has it
  if (message.isConst || (table.message.isConstTable && !message.isDefaultAction)) entry.isConst = true;
  return entry;
}

/** For answers of a switch, rather than requests of a controller. */
const LENIENT = true;

function keyOf(wire: Wire, table: TableInfo, message: TableEntryMessage, lenient = false): TableEntry {
  const match = message.isDefaultAction ? [] : decodeMatches(wire, table, message.match, lenient);
  const entry: TableEntry = { kind: "tableEntry", table: table.name, match, priority: message.priority };
  if (message.isDefaultAction) entry.isDefault = true;
  return entry;
}

function copyRest(table: TableInfo, message: TableEntryMessage, entry: TableEntry, lenient = false): void {
  if (message.idleTimeoutNs !== 0n) entry.idleTimeoutNs = message.idleTimeoutNs;
  if (message.controllerMetadata !== 0n) entry.controllerMetadata = message.controllerMetadata;
  // a copy: the message's bytes are a view of the whole request
  if (message.metadata.length > 0) entry.metadata = message.metadata.slice();
  if (message.counterData !== undefined) entry.counter = decodeCounter(message.counterData);
  if (message.meterConfig !== undefined) {
    if (!lenient) checkMeter(message.meterConfig, table.directMeter?.message.spec, table.name);
    entry.meter = decodeMeter(message.meterConfig);
  }
}

/** Decodes and checks an update of a table entry (P4Runtime spec 9.1 to 9.1.8). */
export function decodeTableUpdate(wire: Wire, type: Update["type"], message: TableEntryMessage): Update {
  const table = tableOf(wire, message);
  if (message.isConst) throw invalid(`table "${table.name}": is_const may not be set in an update`);
  if (message.isDefaultAction) return decodeDefaultUpdate(wire, type, table, message);
  if (table.fields.list.length === 0) {
    throw invalid(`table "${table.name}" has no key, so its default entry is all it has`);
  }
  checkPriority(table, message.priority);
  const entry = keyOf(wire, table, message);
  if (table.message.isConstTable && (type !== "modify" || message.action !== undefined)) {
    throw new DeviceError("PERMISSION_DENIED", `the entries of table "${table.name}" are constant`);
  }
  if (type === "delete") return { type, entity: entry };
  if (message.action !== undefined) {
    entry.action = decodeTableAction(wire, table, message.action, checkTableAction(table, false));
  } else if (type === "insert") throw invalid(`table "${table.name}": an entry to insert needs an action`);
  checkIdle(table, message);
  checkDirect(table, message);
  copyRest(table, message, entry);
  return { type, entity: entry };
}

function decodeDefaultUpdate(
  wire: Wire,
  type: Update["type"],
  table: TableInfo,
  message: TableEntryMessage,
): Update {
  const what = `the default entry of table "${table.name}"`;
  if (type !== "modify")
    throw invalid(`${what} can only be modified, not ${type === "insert" ? "inserted" : "deleted"}`);
  if (message.match.length > 0) throw invalid(`${what} has no match`);
  if (message.priority !== 0) throw invalid(`${what} has no priority, but ${message.priority} is given`);
  if (message.timeSinceLastHit !== undefined) throw invalid(TIME_SINCE_LAST_HIT);
  if (message.idleTimeoutNs !== 0n) throw invalid(`${what} has no idle timeout`);
  if (table.message.constDefaultActionId !== 0) {
    throw new DeviceError("PERMISSION_DENIED", `${what} is constant`);
  }
  if (table.profile !== undefined) {
    const why = `the table has the action profile "${table.profile.name}"`;
    throw new DeviceError("PERMISSION_DENIED", `${what} is constant: ${why}`);
  }
  checkDirect(table, message);
  const entry = keyOf(wire, table, message);
  if (message.action !== undefined) {
    entry.action = decodeTableAction(wire, table, message.action, checkTableAction(table, true));
  }
  copyRest(table, message, entry);
  return { type, entity: entry };
}

function checkPriority(table: TableInfo, priority: number): void {
  if (!table.hasPriority && priority !== 0) {
    throw invalid(`table "${table.name}" has no priorities, but ${priority} is given`);
  }
  if (table.hasPriority && priority <= 0) {
    throw invalid(`table "${table.name}" needs a priority of at least 1, not ${priority}`);
  }
}

/** PI's words: PTF tests written for BMv2 compare these texts as a whole. */
const IDLE_TIMEOUT = "idle_timeout_ns must be set to 0 for tables which do not support idle timeout";
const TIME_SINCE_LAST_HIT = "has_time_since_last_hit must not be set in WriteRequest";

function checkIdle(table: TableInfo, message: TableEntryMessage): void {
  if (message.timeSinceLastHit !== undefined) throw invalid(TIME_SINCE_LAST_HIT);
  if (message.idleTimeoutNs < 0n) throw invalid(`idle timeout ${message.idleTimeoutNs} is negative`);
  const { NOTIFY_CONTROL } = p4info.Table_IdleTimeoutBehavior;
  if (message.idleTimeoutNs !== 0n && table.message.idleTimeoutBehavior !== NOTIFY_CONTROL) {
    throw invalid(IDLE_TIMEOUT);
  }
}

function checkDirect(table: TableInfo, message: TableEntryMessage): void {
  refuseColours(message.meterCounterData);
  if (message.counterData !== undefined && table.directCounter === undefined) {
    throw invalid(`table "${table.name}" has no direct counter`);
  }
  if (message.meterConfig !== undefined && table.directMeter === undefined) {
    throw invalid(`table "${table.name}" has no direct meter`);
  }
}

type TableQuery = Extract<ReadQuery, { kind: "tableEntry" }>;

export function encodeTableQuery(wire: Wire, query: TableQuery): TableEntryMessage {
  const message = create(TableEntrySchema);
  if (query.table !== undefined) {
    const table = tableNamed(wire, query.table);
    message.tableId = table.id;
    if (query.match !== undefined) message.match = encodeMatches(wire, table, query.match);
  } else if (query.match !== undefined) throw invalid("a match without a table cannot be looked up");
  if (query.priority !== undefined) {
    message.priority = checkNumber(query.priority, "priority", MAX_INT32);
  }
  if (query.isDefault) message.isDefaultAction = true;
  if (query.counter) message.counterData = encodeCounter({ packets: 0n, bytes: 0n });
  if (query.meter) message.meterConfig = encodeMeter(undefined);
  if (query.idle) {
    message.timeSinceLastHit = create(TableEntrySchema.field["timeSinceLastHit"]!.message!) as NonNullable<
      TableEntryMessage["timeSinceLastHit"]
    >;
  }
  return message;
}

/** A read request and what of the device's answer it keeps (P4Runtime spec 9.1.6, wildcard reads). */
export interface TableRead {
  readonly query: TableQuery;
  readonly keep?: (entry: TableEntry) => boolean;
}

export function decodeTableQuery(wire: Wire, message: TableEntryMessage): TableRead {
  refuseColours(message.meterCounterData);
  const query: TableQuery = { kind: "tableEntry", isDefault: message.isDefaultAction };
  if (message.counterData !== undefined) query.counter = true;
  if (message.meterConfig !== undefined) query.meter = true;
  if (message.timeSinceLastHit !== undefined) query.idle = true;
  if (message.priority !== 0) query.priority = message.priority;
  if (message.tableId === 0) {
    if (message.match.length > 0) throw invalid("a match needs a table id");
  } else {
    const table = tableOf(wire, message);
    query.table = table.name;
    if (message.match.length > 0) {
      if (message.isDefaultAction) throw invalid("the default entry has no match");
      query.match = decodeMatches(wire, table, message.match);
    }
    if (query.idle && message.isDefaultAction) throw invalid("the default entry has no idle timeout");
    if (query.idle && table.message.idleTimeoutBehavior === p4info.Table_IdleTimeoutBehavior.NO_TIMEOUT) {
      throw invalid(`table "${table.name}" does not support idle timeouts`);
    }
  }
  const type = message.action?.type;
  const { controllerMetadata, metadata } = message;
  if (type?.case === undefined && controllerMetadata === 0n && metadata.length === 0) return { query };
  if (type?.case !== undefined && type.case !== "action") {
    throw new DeviceError(
      "UNIMPLEMENTED",
      "table entries can be filtered by action only, not by member or group",
    );
  }
  const actionId = type?.case === "action" ? type.value.actionId : undefined;
  const action = actionId === undefined ? undefined : wire.index.actions.byId(actionId);
  if (actionId !== undefined && action === undefined) {
    throw invalid(`the program has no action of id ${actionId}`);
  }
  const keep = (entry: TableEntry): boolean =>
    (action === undefined || (entry.action?.kind === "action" && entry.action.action === action.name)) &&
    (controllerMetadata === 0n || entry.controllerMetadata === controllerMetadata) &&
    (metadata.length === 0 || sameBytes(entry.metadata, metadata));
  return { query, keep };
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export function encodeDirectCounter(wire: Wire, entry: DirectCounterEntry): DirectCounterMessage {
  return create(DirectCounterEntrySchema, {
    tableEntry: encodeTableEntry(wire, entry.entry),
    data: encodeCounter(entry.data),
  });
}

export function encodeDirectMeter(wire: Wire, entry: DirectMeterEntry): DirectMeterMessage {
  const message = create(DirectMeterEntrySchema, { tableEntry: encodeTableEntry(wire, entry.entry) });
  if (entry.config !== undefined) message.config = encodeMeter(entry.config);
  return message;
}

/** The key of the entry that a direct resource belongs to; the rest of the entry does not count. */
function ownerOf(wire: Wire, message: TableEntryMessage | undefined): [TableInfo, TableEntry] {
  if (message === undefined) throw invalid("a direct counter or meter needs its table entry");
  const table = tableOf(wire, message);
  if (message.isDefaultAction) {
    if (message.match.length > 0 || message.priority !== 0) throw invalid("the default entry has no match");
  } else if (!wire.lenient) checkPriority(table, message.priority);
  return [table, keyOf(wire, table, message, wire.lenient)];
}

export function decodeDirectCounter(
  wire: Wire,
  message: DirectCounterMessage,
): DirectCounterEntry | undefined {
  const [table, entry] = ownerOf(wire, message.tableEntry);
  if (table.directCounter === undefined) throw invalid(`table "${table.name}" has no direct counter`);
  return message.data === undefined
    ? undefined
    : { kind: "directCounter", entry, data: decodeCounter(message.data) };
}

export function decodeDirectMeter(wire: Wire, message: DirectMeterMessage): DirectMeterEntry {
  const [table, entry] = ownerOf(wire, message.tableEntry);
  if (table.directMeter === undefined) throw invalid(`table "${table.name}" has no direct meter`);
  refuseColours(message.counterData);
  if (message.config === undefined) return { kind: "directMeter", entry };
  if (!wire.lenient) checkMeter(message.config, table.directMeter.message.spec, table.name);
  return { kind: "directMeter", entry, config: decodeMeter(message.config) };
}

type DirectQuery = Extract<ReadQuery, { kind: "directCounter" | "directMeter" }>;

/** Which entries' direct resources to read, as a table entry message. */
export function encodeDirectQuery(wire: Wire, query: DirectQuery): TableEntryMessage {
  const { table, match, priority } = query;
  return encodeTableQuery(wire, {
    kind: "tableEntry",
    ...given({ table, match, priority }),
  });
}

export function decodeDirectQuery(
  wire: Wire,
  kind: DirectQuery["kind"],
  message: TableEntryMessage | undefined,
): DirectQuery {
  if (message === undefined) throw invalid("reading a direct counter or meter needs a table entry");
  if (message.tableId === 0) {
    if (message.match.length > 0) throw invalid("a match needs a table id");
    return { kind };
  }
  const table = tableOf(wire, message);
  const resource = kind === "directCounter" ? table.directCounter : table.directMeter;
  if (resource === undefined) {
    throw invalid(`table "${table.name}" has no direct ${kind === "directCounter" ? "counter" : "meter"}`);
  }
  const query: { kind: DirectQuery["kind"]; table: string; match?: readonly Match[]; priority?: number } = {
    kind,
    table: table.name,
  };
  if (message.match.length > 0) query.match = decodeMatches(wire, table, message.match);
  if (message.priority !== 0) query.priority = message.priority;
  return query;
}
