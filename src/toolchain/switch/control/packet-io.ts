/** Packets between controller and CPU port: the controller headers of P4Info before the payload (P4Runtime spec 16.3). */
import { defined } from "../../../base/index.js";
import type { ControllerPacket } from "../../device/index.js";
import type { P4InfoIndex } from "../../program/index.js";
import { getBits, putBits } from "../codegen/bit-string.js";
import { checkWidth, refuse } from "./keys.js";

interface Field {
  readonly name: string;
  readonly bitwidth: number;
}

function fieldsOf(p4: P4InfoIndex, header: "packet_in" | "packet_out"): readonly Field[] {
  return p4.controllerHeaders.byName(header)?.fields.list ?? [];
}

/** Splits a frame that left by the CPU port. All bytes of a frame that is shorter than the header are payload. */
export function toController(p4: P4InfoIndex, frame: Uint8Array): ControllerPacket {
  const fields = fieldsOf(p4, "packet_in");
  const bytes = Math.ceil(fields.reduce((sum, { bitwidth }) => sum + bitwidth, 0) / 8);
  if (frame.length < bytes) return { payload: frame, metadata: {} };
  const metadata: Record<string, bigint> = {};
  let at = 0;
  for (const { name, bitwidth } of fields) {
    let value = 0n;
    for (let left = bitwidth; left > 0; ) {
      const take = Math.min(32, left);
      value = (value << BigInt(take)) | BigInt(getBits(frame, at, take) >>> 0);
      at += take;
      left -= take;
    }
    metadata[name] = value;
  }
  return { payload: frame.slice(bytes), metadata };
}

/** The frame of a packet-out; metadata that are not given are 0. */
export function fromController(p4: P4InfoIndex, packet: ControllerPacket): Uint8Array {
  const fields = fieldsOf(p4, "packet_out");
  for (const name of Object.keys(packet.metadata))
    if (!fields.some((field) => field.name === name))
      refuse(
        "INVALID_ARGUMENT",
        `the packet-out header has no metadata ${name}; it has ${fields.map((f) => f.name).join(", ") || "none"}`,
      );
  const bits = fields.reduce((sum, { bitwidth }) => sum + bitwidth, 0);
  const bytes = Math.ceil(bits / 8);
  const frame = new Uint8Array(bytes + packet.payload.length);
  let at = 0;
  for (const { name, bitwidth } of fields) {
    const value = Object.hasOwn(packet.metadata, name) ? defined(packet.metadata[name]) : 0n;
    checkWidth(`packet-out metadata ${name}`, value, bitwidth);
    for (let left = bitwidth; left > 0; ) {
      const take = left % 32 || 32;
      left -= take;
      at = putBits(frame, at, Number(BigInt.asIntN(32, value >> BigInt(left))), take);
    }
  }
  frame.set(packet.payload, bytes);
  return frame;
}
