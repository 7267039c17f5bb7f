/**
 * Ports on the wire. Since P4Runtime 1.4 they are byte strings; before, plain integers in fields that are
 * deprecated now. Both are read; which one is written depends on the version the other side speaks.
 */
import { DeviceError } from "../../program/index.js";
import { bytesToValue, encodeValue } from "./bytes.js";

/** How messages are written for the other side. */
export interface Dialect {
  /** Ports as integers in the deprecated fields: for servers before P4Runtime 1.4, such as BMv2. */
  readonly legacyPorts: boolean;
}

export const CURRENT_DIALECT: Dialect = { legacyPorts: false };
export const LEGACY_DIALECT: Dialect = { legacyPorts: true };

function decodePort(bytes: Uint8Array): number {
  const port = bytesToValue(bytes);
  if (bytes.length === 0 || port > 0xffffffffn) {
    throw new DeviceError(
      "OUT_OF_RANGE",
      `a port is a byte string of 1 to 32 bits, not of ${bytes.length} bytes`,
    );
  }
  return Number(port);
}

type Watch =
  | { case: "watch"; value: number }
  | { case: "watchPort"; value: Uint8Array }
  | { case: undefined; value?: undefined };

export function encodeWatch(port: number | undefined, dialect: Dialect): Watch {
  if (port === undefined) return { case: undefined };
  if (dialect.legacyPorts) return { case: "watch", value: port };
  return { case: "watchPort", value: encodeValue(BigInt(port)) };
}

/** An empty watch port, and 0 in the deprecated field, mean that no port is watched. */
export function decodeWatch(watch: Watch): number | undefined {
  if (watch.case === "watch") return watch.value === 0 ? undefined : watch.value;
  if (watch.case === undefined || watch.value.length === 0) return undefined;
  return decodePort(watch.value);
}

type ReplicaPort =
  | { case: "egressPort"; value: number }
  | { case: "port"; value: Uint8Array }
  | { case: undefined; value?: undefined };

export function encodeReplicaPort(port: number, dialect: Dialect): ReplicaPort {
  if (dialect.legacyPorts) return { case: "egressPort", value: port };
  return { case: "port", value: encodeValue(BigInt(port)) };
}

export function decodeReplicaPort(port: ReplicaPort): number {
  if (port.case === undefined) throw new DeviceError("INVALID_ARGUMENT", "a replica has no port");
  return port.case === "egressPort" ? port.value : decodePort(port.value);
}
