/**
 * `ReadResponse` messages as bytes, without a message object per entity: reads of large tables spend their time there.
 * Table entries are written directly (P4Runtime spec 9.1; field numbers of `p4/v1/p4runtime.proto`). Entries with rare
 * parts and all other entities are encoded by the generated code, which also reports what cannot be encoded.
 */
import { toBinary } from "@bufbuild/protobuf";
import type { ActionCall, Entity, Match, TableEntry } from "../../device/index.js";
import type { FieldInfo, Slot, TableInfo } from "../../program/index.js";
import { type Entity as EntityMessage, EntitySchema } from "../generated/p4/v1/p4runtime_pb.js";
import { encodeValue } from "./bytes.js";
import { encodeEntity } from "./entity.js";
import { MAX_INT32, type Wire } from "./wire.js";

/** Tags: the field number times 8, plus 0 for a varint or 2 for a field with a length. */
const ENTITIES = (1 << 3) | 2;
const ENTITY = { tableEntry: (2 << 3) | 2 } as const;
const ENTRY = {
  tableId: 1 << 3,
  match: (2 << 3) | 2,
  action: (3 << 3) | 2,
  priority: 4 << 3,
  controllerMetadata: 5 << 3,
  counterData: (7 << 3) | 2,
  isDefaultAction: 8 << 3,
  idleTimeoutNs: 9 << 3,
  metadata: (11 << 3) | 2,
  isConst: 13 << 3,
} as const;
const MATCH = {
  fieldId: 1 << 3,
  exact: (2 << 3) | 2,
  ternary: (3 << 3) | 2,
  lpm: (4 << 3) | 2,
  range: (6 << 3) | 2,
  optional: (7 << 3) | 2,
} as const;
/** The parts of all kinds of matches: a value, and a mask, a high end or a prefix length. */
const FIRST = (1 << 3) | 2;
const SECOND = (2 << 3) | 2;
const PREFIX_LENGTH = 2 << 3;
const TABLE_ACTION = { action: (1 << 3) | 2, memberId: 2 << 3, groupId: 3 << 3 } as const;
const ACTION = { actionId: 1 << 3, params: (4 << 3) | 2 } as const;
const PARAM = { paramId: 2 << 3, value: (3 << 3) | 2 } as const;
const COUNTER = { byteCount: 1 << 3, packetCount: 2 << 3 } as const;

const SMALL_LIMIT = 1n << 48n;
const EXACT_LIMIT = BigInt(Number.MAX_SAFE_INTEGER);
/** Bytes of an entry whose parts are all short; longer ones ask for room themselves. */
const INITIAL_BYTES = 16 * 1024;
/** A varint of 64 bits, and a tag. */
const NUMBER_BYTES = 12;
/** A byte string of at most 48 bits with its length and its tag. */
const VALUE_BYTES = 12;

/** The bytes of a message, written from the end to the start: a length is known when it is to be written. */
class ReverseWriter {
  #bytes = new Uint8Array(INITIAL_BYTES);
  /** Where the last written byte is. */
  #at = INITIAL_BYTES;

  /** Bytes written so far; a position for `close` and `rewind`. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Forgets what was written after the length was `length`. */
  rewind(length: number): void {
    this.#at = this.#bytes.length - length;
  }

  #reserve(count: number): void {
    if (this.#at >= count) return;
    const { length } = this;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, length + count));
    grown.set(this.#bytes.subarray(this.#at), grown.length - length);
    this.#bytes = grown;
    this.#at = grown.length - length;
  }

  /** A varint of at most 2^53 - 1; the room is reserved. */
  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    for (; rest > MAX_INT32; rest = Math.floor(rest / 128)) this.#bytes[at++] = (rest % 128) | 128;
    for (; rest >= 128; rest >>>= 7) this.#bytes[at++] = (rest & 127) | 128;
    this.#bytes[at] = rest;
  }

  /** A number field; `value` is at most 2^53 - 1. */
  number(tag: number, value: number): void {
    this.#reserve(NUMBER_BYTES);
    this.#varint(value);
    this.#varint(tag);
  }

  bytes(tag: number, value: Uint8Array): void {
    this.#reserve(value.length + NUMBER_BYTES);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
    this.#varint(value.length);
    this.#varint(tag);
  }

  /** A value as its shortest byte string (P4Runtime spec 8.3). */
  value(tag: number, value: bigint): void {
    if (value >= SMALL_LIMIT) {
      this.bytes(tag, encodeValue(value));
      return;
    }
    this.#reserve(VALUE_BYTES);
    const end = this.#at;
    let rest = Number(value);
    for (; rest > MAX_INT32; rest = Math.floor(rest / 256)) this.#bytes[--this.#at] = rest % 256;
    do {
      this.#bytes[--this.#at] = rest & 255;
      rest >>>= 8;
    } while (rest !== 0);
    this.#varint(end - this.#at);
    this.#varint(tag);
  }

  /** Puts what was written after the length was `start` into a field. */
  close(tag: number, start: number): void {
    const size = this.length - start;
    this.#reserve(NUMBER_BYTES);
    this.#varint(size);
    this.#varint(tag);
  }

  /** The message; the writer is empty afterwards and writes elsewhere. */
  take(): Uint8Array {
    const message = this.#bytes.subarray(this.#at);
    this.#bytes = new Uint8Array(INITIAL_BYTES);
    this.#at = INITIAL_BYTES;
    return message;
  }
}

function fits(value: bigint, slot: Pick<Slot, "bitwidth" | "stringType">): boolean {
  if (slot.stringType !== undefined || value < 0n) return false;
  return value < SMALL_LIMIT
    ? slot.bitwidth >= 48 || Number(value) < 2 ** slot.bitwidth
    : value >> BigInt(slot.bitwidth) === 0n;
}

function isUint32(value: number): boolean {
  return value >>> 0 === value;
}

/** Writes a field of a key, or answers false. */
function writeMatch(out: ReverseWriter, match: Match, field: FieldInfo): boolean {
  if (match.kind !== field.kind) return false;
  const start = out.length;
  switch (match.kind) {
    case "exact":
    case "optional":
      if (!fits(match.value, field)) return false;
      out.value(FIRST, match.value);
      break;
    case "lpm": {
      const { prefixLength } = match;
      if (!fits(match.value, field) || !isUint32(prefixLength) || prefixLength > field.bitwidth) return false;
      if (prefixLength !== 0) out.number(PREFIX_LENGTH, prefixLength);
      out.value(FIRST, match.value);
      break;
    }
    case "ternary":
      if (!fits(match.value, field) || !fits(match.mask, field)) return false;
      out.value(SECOND, match.mask);
      out.value(FIRST, match.value);
      break;
    case "range":
      if (!fits(match.low, field) || !fits(match.high, field)) return false;
      out.value(SECOND, match.high);
      out.value(FIRST, match.low);
      break;
  }
  out.close(MATCH[match.kind], start);
  out.number(MATCH.fieldId, field.id);
  return true;
}

function writeAction(out: ReverseWriter, wire: Wire, call: ActionCall): boolean {
  const action = wire.index.actions.byName(call.action);
  if (action === undefined) return false;
  const { list } = action.params;
  let given = 0;
  for (const _ in call.params) given++;
  if (given !== list.length) return false;
  const start = out.length;
  for (let i = list.length - 1; i >= 0; i--) {
    const param = list[i]!;
    const value = call.params[param.name];
    if (value === undefined || !fits(value, param)) return false;
    const paramStart = out.length;
    out.value(PARAM.value, value);
    out.number(PARAM.paramId, param.id);
    out.close(ACTION.params, paramStart);
  }
  out.number(ACTION.actionId, action.id);
  out.close(TABLE_ACTION.action, start);
  return true;
}

/** Writes `action` of an entry, or answers false. Ids of 0 are written: they choose the member of the oneof. */
function writeTableAction(
  out: ReverseWriter,
  wire: Wire,
  action: NonNullable<TableEntry["action"]>,
): boolean {
  const start = out.length;
  switch (action.kind) {
    case "action":
      if (!writeAction(out, wire, action)) return false;
      break;
    case "member":
      if (!isUint32(action.memberId)) return false;
      out.number(TABLE_ACTION.memberId, action.memberId);
      break;
    case "group":
      if (!isUint32(action.groupId)) return false;
      out.number(TABLE_ACTION.groupId, action.groupId);
      break;
    case "oneShot":
      return false;
  }
  out.close(ENTRY.action, start);
  return true;
}

/** Writes a 64-bit field that is not 0, or answers false. */
function writeLong(out: ReverseWriter, tag: number, value: bigint | undefined): boolean {
  if (value === undefined || value === 0n) return true;
  if (value < 0n || value > EXACT_LIMIT) return false;
  out.number(tag, Number(value));
  return true;
}

function writeCounter(out: ReverseWriter, counter: TableEntry["counter"]): boolean {
  if (counter === undefined) return true;
  const start = out.length;
  if (!writeLong(out, COUNTER.packetCount, counter.packets)) return false;
  if (!writeLong(out, COUNTER.byteCount, counter.bytes)) return false;
  out.close(ENTRY.counterData, start);
  return true;
}

function writeMatches(out: ReverseWriter, table: TableInfo, matches: readonly Match[]): boolean {
  for (let i = matches.length - 1; i >= 0; i--) {
    const match = matches[i]!;
    const field = table.fields.byName(match.field);
    if (field === undefined) return false;
    const start = out.length;
    if (!writeMatch(out, match, field)) return false;
    out.close(ENTRY.match, start);
  }
  return true;
}

/** Writes an entry as an entity, from its last field to its first, or answers false. */
function writeTableEntry(out: ReverseWriter, wire: Wire, entry: TableEntry): boolean {
  const table = wire.index.tables.byName(entry.table);
  const { priority, metadata, meter, elapsedNs } = entry;
  if (table === undefined || meter !== undefined || elapsedNs !== undefined) return false;
  if (!isUint32(priority) || priority > MAX_INT32) return false;
  const start = out.length;
  if (entry.isConst) out.number(ENTRY.isConst, 1);
  if (metadata !== undefined && metadata.length > 0) out.bytes(ENTRY.metadata, metadata);
  if (!writeLong(out, ENTRY.idleTimeoutNs, entry.idleTimeoutNs)) return false;
  if (entry.isDefault) out.number(ENTRY.isDefaultAction, 1);
  if (!writeCounter(out, entry.counter)) return false;
  if (!writeLong(out, ENTRY.controllerMetadata, entry.controllerMetadata)) return false;
  if (priority !== 0) out.number(ENTRY.priority, priority);
  if (entry.action !== undefined && !writeTableAction(out, wire, entry.action)) return false;
  if (!writeMatches(out, table, entry.match)) return false;
  out.number(ENTRY.tableId, table.id);
  out.close(ENTITY.tableEntry, start);
  return true;
}

/**
 * The bytes of one `ReadResponse`; `keep` selects the entities. Throws the `DeviceError` of an entity that cannot
 * be encoded.
 */
export function encodeReadResponse(
  wire: Wire,
  entities: readonly Entity[],
  keep?: (entity: EntityMessage) => boolean,
): Uint8Array {
  const out = new ReverseWriter();
  for (let i = entities.length - 1; i >= 0; i--) {
    const entity = entities[i]!;
    const start = out.length;
    if (keep === undefined && entity.kind === "tableEntry" && writeTableEntry(out, wire, entity)) {
      out.close(ENTITIES, start);
      continue;
    }
    out.rewind(start);
    const message = encodeEntity(wire, entity);
    if (keep?.(message) ?? true) out.bytes(ENTITIES, toBinary(EntitySchema, message));
  }
  return out.take();
}
