/** Parser value sets (P4Runtime spec 9.6). */
import { create } from "@bufbuild/protobuf";
import { DeviceError, type ValueSetEntry } from "../../device/index.js";
import {
  ValueSetEntrySchema,
  type ValueSetEntry as ValueSetMessage,
} from "../generated/p4/v1/p4runtime_pb.js";
import { decodeMatches, encodeMatches } from "./match.js";
import { arrayById, arrayNamed } from "./resources.js";
import type { Wire } from "./wire.js";

export function encodeValueSet(wire: Wire, entry: Partial<ValueSetEntry>): ValueSetMessage {
  const message = create(ValueSetEntrySchema);
  if (entry.valueSet === undefined) return message;
  const set = arrayNamed(wire.index.valueSets, entry.valueSet, "value set");
  message.valueSetId = set.id;
  for (const member of entry.members ?? []) {
    message.members.push({
      $typeName: "p4.v1.ValueSetMember",
      match: encodeMatches(wire, set, member),
    });
  }
  return message;
}

export function decodeValueSet(wire: Wire, message: ValueSetMessage): ValueSetEntry {
  const set = arrayById(wire.index.valueSets, message.valueSetId, "value set");
  const members = message.members.map((member) => decodeMatches(wire, set, member.match));
  return { kind: "valueSet", valueSet: set.name, members };
}

/** An update's entry: not more members than the set holds, none twice. */
export function decodeValueSetUpdate(wire: Wire, message: ValueSetMessage): ValueSetEntry {
  const entry = decodeValueSet(wire, message);
  const { size } = arrayById(wire.index.valueSets, message.valueSetId, "value set").message;
  if (size > 0 && entry.members.length > size) {
    throw new DeviceError(
      "RESOURCE_EXHAUSTED",
      `value set "${entry.valueSet}" holds ${size} members, not ${entry.members.length}`,
    );
  }
  const seen = new Set<string>();
  for (const member of entry.members) {
    const ordered = [...member].sort((a, b) => (a.field < b.field ? -1 : 1));
    const key = JSON.stringify(ordered, (_, value) => (typeof value === "bigint" ? value.toString() : value));
    if (seen.has(key))
      throw new DeviceError("ALREADY_EXISTS", `value set "${entry.valueSet}": a member twice`);
    seen.add(key);
  }
  return entry;
}
