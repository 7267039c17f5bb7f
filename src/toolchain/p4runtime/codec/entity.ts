/** Entities of every kind and their messages, both ways: in Writes, in requests and answers of Reads. */

import { create } from "@bufbuild/protobuf";
import { given } from "../../../base/index.js";
import {
  DeviceError,
  type Entity,
  type ReadQuery,
  type TableEntry,
  type Update,
} from "../../device/index.js";
import {
  CloneSessionEntrySchema,
  DirectCounterEntrySchema,
  DirectMeterEntrySchema,
  type Entity as EntityMessage,
  EntitySchema,
  MulticastGroupEntrySchema,
  PacketReplicationEngineEntrySchema,
  Update_Type,
  type Update as UpdateMessage,
  UpdateSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { decodeDigestConfig, decodeDigestUpdate, encodeDigestConfig, encodeDigestQuery } from "./digest.js";
import {
  decodeGroup,
  decodeGroupQuery,
  decodeGroupUpdate,
  decodeMember,
  decodeMemberQuery,
  decodeMemberUpdate,
  encodeGroup,
  encodeGroupQuery,
  encodeMember,
  encodeMemberQuery,
} from "./profile.js";
import {
  decodeClone,
  decodeCloneUpdate,
  decodeMulticast,
  decodeMulticastUpdate,
  encodeClone,
  encodeMulticast,
} from "./replication.js";
import {
  arrayById,
  decodeCounterEntry,
  decodeIndex,
  decodeMeterEntry,
  decodeRegisterEntry,
  encodeCounterEntry,
  encodeMeterEntry,
  encodeRegisterEntry,
} from "./resources.js";
import {
  decodeDirectCounter,
  decodeDirectMeter,
  decodeDirectQuery,
  decodeTableEntry,
  decodeTableQuery,
  decodeTableUpdate,
  encodeDirectCounter,
  encodeDirectMeter,
  encodeDirectQuery,
  encodeTableEntry,
  encodeTableQuery,
} from "./table-entry.js";
import { decodeValueSet, decodeValueSetUpdate, encodeValueSet } from "./value-set.js";
import { invalid, type Wire, withoutNewNames } from "./wire.js";

type Variant = EntityMessage["entity"];

function replication(type: ReturnType<typeof encodePre>): Variant {
  return {
    case: "packetReplicationEngineEntry",
    value: create(PacketReplicationEngineEntrySchema, { type }),
  };
}

function encodePre(wire: Wire, entity: Extract<Entity, { kind: "multicastGroup" | "cloneSession" }>) {
  return entity.kind === "multicastGroup"
    ? ({ case: "multicastGroupEntry", value: encodeMulticast(wire, entity) } as const)
    : ({ case: "cloneSessionEntry", value: encodeClone(wire, entity) } as const);
}

export function encodeEntity(wire: Wire, entity: Entity): EntityMessage {
  const message = create(EntitySchema);
  message.entity = encodeVariant(wire, entity);
  return message;
}

function encodeVariant(wire: Wire, entity: Entity): Variant {
  switch (entity.kind) {
    case "tableEntry":
      return { case: "tableEntry", value: encodeTableEntry(wire, entity) };
    case "member":
      return { case: "actionProfileMember", value: encodeMember(wire, entity) };
    case "group":
      return { case: "actionProfileGroup", value: encodeGroup(wire, entity) };
    case "counter":
      return { case: "counterEntry", value: encodeCounterEntry(wire, entity) };
    case "meter":
      return { case: "meterEntry", value: encodeMeterEntry(wire, entity) };
    case "directCounter":
      return { case: "directCounterEntry", value: encodeDirectCounter(wire, entity) };
    case "directMeter":
      return { case: "directMeterEntry", value: encodeDirectMeter(wire, entity) };
    case "register":
      return { case: "registerEntry", value: encodeRegisterEntry(wire, entity) };
    case "multicastGroup":
    case "cloneSession":
      return replication(encodePre(wire, entity));
    case "digest":
      return { case: "digestEntry", value: encodeDigestConfig(wire, entity) };
    case "valueSet":
      return { case: "valueSetEntry", value: encodeValueSet(wire, entity) };
  }
}

/** An entity in the answer of a switch to a Read: one entity per message. */
export function decodeEntity(wire: Wire, message: EntityMessage): Entity {
  const { entity } = message;
  switch (entity.case) {
    case "tableEntry":
      return decodeTableEntry(wire, entity.value);
    case "actionProfileMember":
      return decodeMember(wire, entity.value);
    case "actionProfileGroup":
      return decodeGroup(wire, entity.value);
    case "counterEntry":
      return one(decodeCounterEntry(wire, entity.value));
    case "meterEntry":
      return one(decodeMeterEntry(wire, entity.value));
    case "directCounterEntry":
      return one([decodeDirectCounter(wire, entity.value) ?? []].flat());
    case "directMeterEntry":
      return decodeDirectMeter(wire, entity.value);
    case "registerEntry":
      return one(decodeRegisterEntry(wire, entity.value));
    case "packetReplicationEngineEntry": {
      const { type } = entity.value;
      if (type.case === "multicastGroupEntry") return decodeMulticast(wire, type.value);
      if (type.case === "cloneSessionEntry") return decodeClone(wire, type.value);
      throw invalid("a replication entry is neither a multicast group nor a clone session");
    }
    case "digestEntry":
      return decodeDigestConfig(wire, entity.value);
    case "valueSetEntry":
      return decodeValueSet(wire, entity.value);
    default:
      throw new DeviceError("UNIMPLEMENTED", `entities of kind ${entity.case ?? "none"} are not supported`);
  }
}

function one<T>(list: Iterable<T>): T {
  const [first, second] = list;
  if (first === undefined || second !== undefined)
    throw invalid("an entity that is read has one index and its data");
  return first;
}

const TYPES = { insert: Update_Type.INSERT, modify: Update_Type.MODIFY, delete: Update_Type.DELETE } as const;

export function encodeUpdate(wire: Wire, update: Update): UpdateMessage {
  const message = create(UpdateSchema);
  message.type = TYPES[update.type];
  message.entity = encodeEntity(wire, update.entity);
  return message;
}

function typeOf(message: UpdateMessage): Update["type"] {
  switch (message.type) {
    case Update_Type.INSERT:
      return "insert";
    case Update_Type.MODIFY:
      return "modify";
    case Update_Type.DELETE:
      return "delete";
    default:
      throw invalid("the type of the update is not set");
  }
}

/**
 * Decodes and checks one update of a Write. A message may mean several updates (a whole array of counters), which are
 * made one after the other, or none (a counter without data). Throws a `DeviceError` with the status that P4Runtime
 * asks for.
 */
export function decodeUpdate(wire: Wire, message: UpdateMessage): Iterable<Update> {
  const type = typeOf(message);
  return decodeEntityUpdate(type === "delete" ? withoutNewNames(wire) : wire, type, message);
}

function* modified(entities: Iterable<Entity>): Generator<Update> {
  for (const entity of entities) yield { type: "modify", entity };
}

function decodeEntityUpdate(wire: Wire, type: Update["type"], message: UpdateMessage): Iterable<Update> {
  const entity = message.entity?.entity;
  /** Arrays and direct resources exist from the start: they can only be modified. */
  const modifyOnly = (): void => {
    if (type !== "modify")
      throw invalid(`${entity?.case} can only be modified, not ${type}d`.replace("insertd", "inserted"));
  };
  switch (entity?.case) {
    case "tableEntry":
      return [decodeTableUpdate(wire, type, entity.value)];
    case "actionProfileMember":
      return [decodeMemberUpdate(wire, type, entity.value)];
    case "actionProfileGroup":
      return [decodeGroupUpdate(wire, type, entity.value)];
    case "counterEntry":
      modifyOnly();
      return modified(decodeCounterEntry(wire, entity.value));
    case "meterEntry":
      modifyOnly();
      return modified(decodeMeterEntry(wire, entity.value));
    case "directCounterEntry": {
      modifyOnly();
      const entry = decodeDirectCounter(wire, entity.value);
      return modified(entry === undefined ? [] : [entry]);
    }
    case "directMeterEntry":
      modifyOnly();
      return modified([decodeDirectMeter(wire, entity.value)]);
    case "registerEntry":
      modifyOnly();
      return modified(decodeRegisterEntry(wire, entity.value));
    case "packetReplicationEngineEntry": {
      const pre = entity.value.type;
      if (pre.case === "multicastGroupEntry") return [decodeMulticastUpdate(wire, type, pre.value)];
      if (pre.case === "cloneSessionEntry") return [decodeCloneUpdate(wire, type, pre.value)];
      throw invalid("a replication entry is neither a multicast group nor a clone session");
    }
    case "digestEntry":
      return [decodeDigestUpdate(wire, type, entity.value)];
    case "valueSetEntry":
      modifyOnly();
      return modified([decodeValueSetUpdate(wire, entity.value)]);
    case "externEntry":
      throw new DeviceError("UNIMPLEMENTED", "extern entries are not supported: v1model has no such externs");
    default:
      throw invalid("the entity of the update is not set");
  }
}

export function encodeQuery(wire: Wire, query: ReadQuery): EntityMessage {
  const message = create(EntitySchema);
  message.entity = encodeQueryVariant(wire, query);
  return message;
}

function encodeQueryVariant(wire: Wire, query: ReadQuery): Variant {
  switch (query.kind) {
    case "tableEntry":
      return { case: "tableEntry", value: encodeTableQuery(wire, query) };
    case "member":
      return { case: "actionProfileMember", value: encodeMemberQuery(wire, query) };
    case "group":
      return { case: "actionProfileGroup", value: encodeGroupQuery(wire, query) };
    case "counter":
      return { case: "counterEntry", value: encodeCounterEntry(wire, query) };
    case "meter":
      return { case: "meterEntry", value: encodeMeterEntry(wire, query) };
    case "directCounter": {
      const tableEntry = encodeDirectQuery(wire, query);
      return { case: "directCounterEntry", value: create(DirectCounterEntrySchema, { tableEntry }) };
    }
    case "directMeter": {
      const tableEntry = encodeDirectQuery(wire, query);
      return { case: "directMeterEntry", value: create(DirectMeterEntrySchema, { tableEntry }) };
    }
    case "register":
      return { case: "registerEntry", value: encodeRegisterEntry(wire, query) };
    case "multicastGroup": {
      const value = create(MulticastGroupEntrySchema, { multicastGroupId: query.groupId ?? 0 });
      return replication({ case: "multicastGroupEntry", value });
    }
    case "cloneSession": {
      const value = create(CloneSessionEntrySchema, { sessionId: query.sessionId ?? 0 });
      return replication({ case: "cloneSessionEntry", value });
    }
    case "digest":
      return { case: "digestEntry", value: encodeDigestQuery(wire, query.digest) };
    case "valueSet":
      return { case: "valueSetEntry", value: encodeValueSet(wire, query) };
  }
}

export interface Reading {
  /** Absent: nothing can match. */
  readonly query?: ReadQuery;
  /** Which table entries of the answer count; absent: all. */
  readonly keep?: (entry: TableEntry) => boolean;
}

/** Decodes one request of a Read; ids of 0 and missing parts are wildcards. */
export function decodeQuery(target: Wire, message: EntityMessage): Reading {
  const wire = withoutNewNames(target);
  const { entity } = message;
  const { index } = wire;
  switch (entity.case) {
    case "tableEntry":
      return decodeTableQuery(wire, entity.value);
    case "actionProfileMember":
      return { query: decodeMemberQuery(wire, entity.value) };
    case "actionProfileGroup":
      return { query: decodeGroupQuery(wire, entity.value) };
    case "counterEntry":
      return {
        query: {
          kind: "counter",
          ...arrayQuery("counter", index.counters, entity.value.counterId, entity.value.index),
        },
      };
    case "meterEntry":
      if (entity.value.counterData !== undefined) {
        throw new DeviceError("UNIMPLEMENTED", "meters do not count packets by colour");
      }
      return {
        query: {
          kind: "meter",
          ...arrayQuery("meter", index.meters, entity.value.meterId, entity.value.index),
        },
      };
    case "registerEntry":
      return {
        query: {
          kind: "register",
          ...arrayQuery("register", index.registers, entity.value.registerId, entity.value.index),
        },
      };
    case "directCounterEntry":
      return { query: decodeDirectQuery(wire, "directCounter", entity.value.tableEntry) };
    case "directMeterEntry":
      return { query: decodeDirectQuery(wire, "directMeter", entity.value.tableEntry) };
    case "packetReplicationEngineEntry": {
      const pre = entity.value.type;
      if (pre.case === "multicastGroupEntry") {
        const { multicastGroupId: groupId } = pre.value;
        return { query: { kind: "multicastGroup", ...given({ groupId: groupId || undefined }) } };
      }
      if (pre.case === "cloneSessionEntry") {
        const { sessionId } = pre.value;
        return { query: { kind: "cloneSession", ...given({ sessionId: sessionId || undefined }) } };
      }
      throw invalid("a replication entry is neither a multicast group nor a clone session");
    }
    case "digestEntry": {
      const { digestId } = entity.value;
      if (digestId === 0) return { query: { kind: "digest" } };
      return { query: { kind: "digest", digest: arrayById(index.digests, digestId, "digest").name } };
    }
    case "valueSetEntry": {
      const { valueSetId, members } = entity.value;
      if (members.length > 0) throw invalid("members may not be set when a value set is read");
      if (valueSetId === 0) return { query: { kind: "valueSet" } };
      return {
        query: { kind: "valueSet", valueSet: arrayById(index.valueSets, valueSetId, "value set").name },
      };
    }
    case "externEntry":
      // all instances of all externs: there are none
      if (entity.value.externTypeId === 0 && entity.value.externId === 0) return {};
      throw new DeviceError("UNIMPLEMENTED", "extern entries are not supported: v1model has no such externs");
    default:
      throw invalid("the entity of a read request is not set");
  }
}

type ArrayKind = "counter" | "meter" | "register";

function arrayQuery<K extends ArrayKind>(
  kind: K,
  arrays: Parameters<typeof arrayById>[0],
  id: number,
  at: Parameters<typeof decodeIndex>[0],
): { [name in K]?: string } & { index?: number } {
  if (id === 0) {
    if (at !== undefined) throw invalid(`an index needs the id of a ${kind}`);
    return {} as { [name in K]?: string };
  }
  const array = arrayById(arrays, id, kind) as Parameters<typeof decodeIndex>[1];
  const index = decodeIndex(at, array);
  return { [kind]: array.name, ...given({ index }) } as { [name in K]?: string };
}
