/**
 * Ports on the wire: numbers, or names where the program has a type of port names (P4Runtime spec 18.1.5). Since
 * P4Runtime 1.4 they are byte strings; before, plain integers in fields that are
 * deprecated now. Both are read. A server answers the form in which a controller wrote a port (Read-Write Symmetry);
 * which form a client writes depends on the version that the switch implements.
 */

import { DeviceError, type Replica } from "../../device/index.js";
import { bytesToValue, decodeName, encodeName, encodeValue } from "./bytes.js";
import type { Dialect } from "./wire.js";
import { checkNumber, type Wire } from "./wire.js";

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

interface Watching {
  watchPort?: number;
  watchIsInteger?: true;
}

export function encodeWatch(wire: Wire, { watchPort: port, watchIsInteger }: Watching): Watch {
  if (watchIsInteger && !wire.lenient) return { case: "watch", value: port ?? 0 };
  if (port === undefined) return { case: undefined };
  if (wire.dialect.legacyPorts) return { case: "watch", value: checkNumber(port, "port") };
  return { case: "watchPort", value: encodePort(wire, port) };
}

/** An empty watch port, and 0 in the deprecated field, mean that no port is watched. */
export function decodeWatch(wire: Wire, watch: Watch): Watching {
  if (watch.case === "watch") {
    const form: Watching = wire.lenient ? {} : { watchIsInteger: true };
    return watch.value === 0 ? form : { ...form, watchPort: checkPort(wire, watch.value, "watch port") };
  }
  if (watch.case === undefined || watch.value.length === 0) return {};
  return { watchPort: checkPort(wire, decodePort(wire, watch.value), "watch port") };
}

type ReplicaPort =
  | { case: "egressPort"; value: number }
  | { case: "port"; value: Uint8Array }
  | { case: undefined; value?: undefined };

export function encodeReplicaPort(wire: Wire, { port, portIsInteger }: Replica): ReplicaPort {
  if (wire.dialect.legacyPorts || (portIsInteger && !wire.lenient))
    return { case: "egressPort", value: checkNumber(port, "port") };
  return { case: "port", value: encodePort(wire, port) };
}

export function decodeReplicaPort(wire: Wire, port: ReplicaPort): Omit<Replica, "instance"> {
  if (port.case === undefined) throw new DeviceError("INVALID_ARGUMENT", "a replica has no port");
  const isInteger = port.case === "egressPort";
  const number = checkPort(wire, isInteger ? port.value : decodePort(wire, port.value), "a copy's port");
  return isInteger && !wire.lenient ? { port: number, portIsInteger: true } : { port: number };
}
