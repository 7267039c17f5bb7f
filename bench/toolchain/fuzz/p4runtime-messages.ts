/** Generates protobuf messages from their descriptors: partly valid ones with ids of a program, and mutated bytes. */
import { create, type DescField, type DescMessage, type MessageShape, ScalarType } from "@bufbuild/protobuf";
import type { Random } from "../../../src/base/index.js";
import type { P4InfoIndex } from "../../../src/toolchain/program/index.js";

/** Ids of the program, by the name of the field that contains them. */
export type Ids = ReadonlyMap<string, readonly number[]>;

export function idsOf(index: P4InfoIndex): Ids {
  const ids = (list: readonly { id: number }[]): number[] => list.map(({ id }) => id);
  const few = [1, 2, 3, 4, 5];
  return new Map([
    ["tableId", ids(index.tables.list)],
    ["actionId", ids(index.actions.list)],
    ["actionProfileId", ids(index.actionProfiles.list)],
    ["counterId", ids(index.counters.list)],
    ["meterId", ids(index.meters.list)],
    ["registerId", ids(index.registers.list)],
    ["digestId", ids(index.digests.list)],
    ["valueSetId", ids(index.valueSets.list)],
    ["metadataId", few],
    ["fieldId", few],
    ["paramId", few],
    ["memberId", few],
    ["groupId", few],
    ["actionProfileMemberId", few],
    ["actionProfileGroupId", few],
    ["multicastGroupId", few],
    ["sessionId", few],
    ["egressPort", few],
    ["instance", few],
    ["weight", few],
    ["watch", few],
  ]);
}

const NUMBERS = [0, 1, 2, 3, 7, 8, 9, 16, 31, 32, 48, 127, 255, 512, 65_535, 0x7fffffff];
const TEXTS = ["", "x", "#1", "eth0", "red", "type.googleapis.com/p4.v1.Role", "\u0000", "é".repeat(40)];

function bytesOf(random: Random): Uint8Array {
  const length = random.int(8) === 0 ? random.int(40) : random.int(7);
  const bytes = new Uint8Array(length);
  // small values, so that keys collide
  for (let i = 0; i < length; i++) bytes[i] = random.int(3) === 0 ? random.int(256) : random.int(3);
  return bytes;
}

function scalarOf(random: Random, field: DescField & { fieldKind: "scalar" | "list" }, ids: Ids): unknown {
  const { localName } = field;
  const pool = ids.get(localName);
  const odd = random.int(12) === 0;
  switch (field.scalar) {
    case ScalarType.BOOL:
      return random.int(2) === 0;
    case ScalarType.STRING:
      return localName === "role" || localName === "name"
        ? odd
          ? random.pick(TEXTS)
          : ""
        : random.pick(TEXTS);
    case ScalarType.BYTES:
      return bytesOf(random);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return random.float();
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64: {
      const signed = field.scalar !== ScalarType.UINT64;
      if (odd) return signed ? random.pick([-1n, -(2n ** 63n), 2n ** 63n - 1n]) : 2n ** 64n - 1n;
      return BigInt(random.pick(NUMBERS));
    }
    default: {
      const signed = field.scalar === ScalarType.INT32 || field.scalar === ScalarType.SINT32;
      if (odd) return signed ? random.pick([-1, -0x80000000, 0x7fffffff]) : random.uint32();
      return pool !== undefined && pool.length > 0 ? random.pick(pool) : random.pick(NUMBERS);
    }
  }
}

function enumOf(random: Random, field: DescField & { fieldKind: "enum" | "list" }): number {
  const values = field.enum!.values;
  return random.int(20) === 0 ? 99 : random.pick(values).number;
}

/** The value of a field, and of one in a list. */
function fieldValue(random: Random, field: DescField, ids: Ids, depth: number): unknown {
  switch (field.fieldKind) {
    case "scalar":
      return scalarOf(random, field, ids);
    case "enum":
      return enumOf(random, field);
    case "message":
      return initOf(random, field.message, ids, depth - 1);
    case "list": {
      const count = random.int(6) === 0 ? random.int(6) : 1 + random.int(2);
      return Array.from({ length: count }, () => {
        if (field.listKind === "message") return initOf(random, field.message, ids, depth - 1);
        if (field.listKind === "enum") return enumOf(random, field);
        return scalarOf(random, field, ids);
      });
    }
    default:
      return {};
  }
}

function initOf(random: Random, schema: DescMessage, ids: Ids, depth: number): Record<string, unknown> {
  const init: Record<string, unknown> = {};
  if (depth <= 0) return init;
  for (const member of schema.members) {
    if (member.kind === "oneof") {
      if (random.int(15) === 0) continue;
      const field = random.pick(member.fields);
      init[member.localName] = { case: field.localName, value: fieldValue(random, field, ids, depth) };
    } else if (random.int(10) < (ids.has(member.localName) ? 9 : 4)) {
      init[member.localName] = fieldValue(random, member, ids, depth);
    }
  }
  return init;
}

/** A message of the type with random fields; most ids are the program's. */
export function makeMessage<Desc extends DescMessage>(
  random: Random,
  schema: Desc,
  ids: Ids,
): MessageShape<Desc> {
  return create(schema, initOf(random, schema, ids, 9) as never);
}

/** Changes, inserts or removes a few bytes, or repeats a piece. */
export function mutateBytes(random: Random, bytes: Uint8Array): Uint8Array {
  const out = [...bytes];
  for (let changes = 1 + random.int(4); changes > 0; changes--) {
    const at = random.int(out.length + 1);
    switch (random.int(5)) {
      case 0:
        out.splice(at, 0, random.int(256));
        break;
      case 1:
        out.splice(at, 1 + random.int(4));
        break;
      case 2:
        out.splice(at, 0, ...out.slice(at, at + random.int(40)));
        break;
      default:
        if (at < out.length)
          out[at] = random.int(4) === 0 ? random.int(256) : out[at]! ^ (1 << random.int(8));
    }
  }
  return Uint8Array.from(out);
}

export function randomBytes(random: Random, most: number): Uint8Array {
  return Uint8Array.from({ length: random.int(most) }, () => random.int(256));
}
