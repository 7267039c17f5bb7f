/** Packets between controller and switch (P4Runtime spec 16.1): metadata by name <-> by id, all of them, once. */
import { create } from "@bufbuild/protobuf";
import type { ControllerPacket } from "../../device/index.js";
import type { Slot } from "../../program/index.js";
import {
  type PacketIn,
  PacketInSchema,
  type PacketMetadata,
  PacketMetadataSchema,
  type PacketOut,
  PacketOutSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { decodeSlot, encodeSlot } from "./bytes.js";
import { invalid, type Wire } from "./wire.js";

type Direction = "packet_in" | "packet_out";

function fieldsOf(wire: Wire, direction: Direction): readonly Slot[] {
  return wire.index.controllerHeaders.byName(direction)?.fields.list ?? [];
}

function encodeMetadata(wire: Wire, direction: Direction, packet: ControllerPacket): PacketMetadata[] {
  const fields = fieldsOf(wire, direction);
  for (const name in packet.metadata) {
    if (!fields.some((field) => field.name === name)) {
      const known = fields.map((field) => field.name).join(", ") || "none";
      throw invalid(`${direction} has no metadata "${name}"; its metadata: ${known}`);
    }
  }
  return fields.map((field) => {
    const value = packet.metadata[field.name];
    const what = (): string => `${direction} metadata "${field.name}"`;
    if (value === undefined) throw invalid(`${what()} is missing`);
    return create(PacketMetadataSchema, {
      metadataId: field.id,
      value: encodeSlot(wire.naming, value, field, what),
    });
  });
}

/** With `strict`, missing metadata are refused; a client accepts any metadata. */
function decodeMetadata(
  wire: Wire,
  direction: Direction,
  list: readonly PacketMetadata[],
  strict: boolean,
): Record<string, bigint> {
  const fields = fieldsOf(wire, direction);
  const metadata: Record<string, bigint> = {};
  for (const { metadataId, value } of list) {
    const field = fields.find((f) => f.id === metadataId);
    if (field === undefined) throw invalid(`${direction} has no metadata of id ${metadataId}`);
    const what = (): string => `${direction} metadata "${field.name}"`;
    if (field.name in metadata) throw invalid(`${what()} twice`);
    metadata[field.name] = decodeSlot(wire.naming, value, field, what);
  }
  const missing = fields.find((field) => !(field.name in metadata));
  if (strict && missing !== undefined) throw invalid(`${direction} metadata "${missing.name}" is missing`);
  return metadata;
}

export function encodePacketOut(wire: Wire, packet: ControllerPacket): PacketOut {
  return create(PacketOutSchema, {
    payload: packet.payload,
    metadata: encodeMetadata(wire, "packet_out", packet),
  });
}

export function decodePacketOut(wire: Wire, message: PacketOut): ControllerPacket {
  return { payload: message.payload, metadata: decodeMetadata(wire, "packet_out", message.metadata, true) };
}

export function encodePacketIn(wire: Wire, packet: ControllerPacket): PacketIn {
  return create(PacketInSchema, {
    payload: packet.payload,
    metadata: encodeMetadata(wire, "packet_in", packet),
  });
}

export function decodePacketIn(wire: Wire, message: PacketIn): ControllerPacket {
  return { payload: message.payload, metadata: decodeMetadata(wire, "packet_in", message.metadata, false) };
}
