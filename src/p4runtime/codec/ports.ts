/**
 * Ports on the wire: numbers, or names where the program has a type of port names (P4Runtime spec 18.1.5). Since P4Runtime 1.4 they are byte strings; before, plain integers in fields that are
 * deprecated now. Both are read; which one is written depends on the version the other side speaks.
 */
import { DeviceError } from "../../program/index.js";
import { bytesToValue, decodeName, encodeName, encodeValue } from "./bytes.js";
import { checkNumber, type Wire } from "./wire.js";

/** How messages are written for the other side. */
export interface Dialect {
  /** Ports as integers in the deprecated fields: for servers before P4Runtime 1.4, such as BMv2. */
  readonly legacyPorts: boolean;
}

export const CURRENT_DIALECT: Dialect = { legacyPorts: false };
export const LEGACY_DIALECT: Dialect = { legacyPorts: true };

function encodePort(wire: Wire, port: number): Uint8Array {
  checkNumber(port, "port");
  const { portType } = wire.names;
  return portType === undefined ? encodeValue(BigInt(port)) : encodeName(BigInt(port), portType, wire.naming);
}

function decodePort(wire: Wire, bytes: Uint8Array): number {
  const { portType } = wire.names;
  if (portType !== undefined) return Number(decodeName(bytes, portType, wire.naming, () => "port"));
  const port = bytesToValue(bytes);
  if (bytes.length === 0 || port > 0xffffffffn) {
    throw new DeviceError(
      "OUT_OF_RANGE",
      `a port is a byte string of 1 to 32 bits, not of ${bytes.length} bytes`,
    );
  }
  return Number(port);
}

/** A port must be there (P4Runtime spec 9.2.2, 9.5.1). */
function checkPort(wire: Wire, port: number, what: string): number {
  if (wire.hasPort?.(port) === false) {
    throw new DeviceError("INVALID_ARGUMENT", `${what}: the switch has no port ${port}`);
  }
  return port;
}

type Watch =
  | { case: "watch"; value: number }
  | { case: "watchPort"; value: Uint8Array }
  | { case: undefined; value?: undefined };

export function encodeWatch(wire: Wire, port: number | undefined): Watch {
  if (port === undefined) return { case: undefined };
  if (wire.dialect.legacyPorts) return { case: "watch", value: checkNumber(port, "port") };
  return { case: "watchPort", value: encodePort(wire, port) };
}

/** An empty watch port, and 0 in the deprecated field, mean that no port is watched. */
export function decodeWatch(wire: Wire, watch: Watch): number | undefined {
  if (watch.case === "watch")
    return watch.value === 0 ? undefined : checkPort(wire, watch.value, "watch port");
  if (watch.case === undefined || watch.value.length === 0) return undefined;
  return checkPort(wire, decodePort(wire, watch.value), "watch port");
}

type ReplicaPort =
  | { case: "egressPort"; value: number }
  | { case: "port"; value: Uint8Array }
  | { case: undefined; value?: undefined };

export function encodeReplicaPort(wire: Wire, port: number): ReplicaPort {
  if (wire.dialect.legacyPorts) return { case: "egressPort", value: checkNumber(port, "port") };
  return { case: "port", value: encodePort(wire, port) };
}

export function decodeReplicaPort(wire: Wire, port: ReplicaPort): number {
  if (port.case === undefined) throw new DeviceError("INVALID_ARGUMENT", "a replica has no port");
  const number = port.case === "egressPort" ? port.value : decodePort(wire, port.value);
  return checkPort(wire, number, "a copy's port");
}
