/** Data that every conversion needs: the program's objects, and the form in which the other side writes values. */
import { DeviceError, Names, type Naming } from "../../device/index.js";
import type { P4InfoIndex } from "../../program/index.js";

/** How messages are written for the other side. */
export interface Dialect {
  /** Ports as integers in the deprecated fields: for servers before P4Runtime 1.4, such as BMv2. */
  readonly legacyPorts: boolean;
}

export interface Wire {
  readonly index: P4InfoIndex;
  readonly dialect: Dialect;
  /** A client accepts the answers of a switch; a server checks the requests of a controller by the rules. */
  readonly lenient: boolean;
  /** Values of types that are translated to strings. */
  readonly names: Names;
  /** What decoding uses: `names`, or only those that there are already. */
  readonly naming: Naming;
  /** Whether a port exists; absent when only the device can decide. */
  readonly hasPort?: (port: number) => boolean;
}

/** A wire for a program; without `names` it starts with no names. */
export function makeWire(
  index: P4InfoIndex,
  dialect: Dialect,
  lenient: boolean,
  names = new Names(index.p4info),
): Wire {
  return { index, dialect, lenient, names, naming: names };
}

/** For requests that cannot introduce a new name: reads, deletions. An unknown name is NOT_FOUND. */
export function withoutNewNames(wire: Wire): Wire {
  return wire.names.isEmpty ? wire : { ...wire, naming: wire.names.known };
}

export function invalid(message: string): DeviceError {
  return new DeviceError("INVALID_ARGUMENT", message);
}

/** Largest 32-bit identifier on the wire. */
const MAX_ID = 0xffffffff;

/** Checks a number that the wire carries as uint32 or int32. */
export function checkNumber(value: number, what: string, most = MAX_ID): number {
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw invalid(`${what} ${value} is not within 0 to ${most}`);
  }
  return value;
}

const MAX_INT64 = 2n ** 63n - 1n;

/** As {@link checkNumber} for int64; `most` for uint64. */
export function checkLong(value: bigint, what: string, most = MAX_INT64): bigint {
  if (value < 0n || value > most) throw invalid(`${what} ${value} is not within 0 to ${most}`);
  return value;
}

export const MAX_UINT64 = 2n ** 64n - 1n;

/** Largest int32. */
export const MAX_INT32 = 0x7fffffff;

/** Checks an identifier that the controller chooses; 0 is reserved for wildcard reads. */
export function checkId(id: number, what: string): number {
  if (!Number.isInteger(id) || id <= 0 || id > MAX_ID)
    throw invalid(`${what} ${id} is not within 1 to ${MAX_ID}`);
  return id;
}
