/** What every conversion needs: the program's objects, and how the other side writes things. */
import { DeviceError, Names, type Naming, type P4InfoIndex } from "../../program/index.js";
import type { Dialect } from "./ports.js";

export interface Wire {
  readonly index: P4InfoIndex;
  readonly dialect: Dialect;
  /** A client takes what a switch says; a server holds a controller to the rules. */
  readonly lenient: boolean;
  /** Values of types that are translated to strings. */
  readonly names: Names;
  /** What decoding uses: `names`, or only those that there are already. */
  readonly naming: Naming;
  /** Which ports there are, where anybody but the device knows. */
  readonly hasPort?: (port: number) => boolean;
}

/** A wire for a program; without `names` it knows none so far. */
export function makeWire(
  index: P4InfoIndex,
  dialect: Dialect,
  lenient: boolean,
  names = new Names(index.p4info),
): Wire {
  return { index, dialect, lenient, names, naming: names };
}

/** For what cannot bring a new name into use: reads, deletions. A name that is unknown is NOT_FOUND. */
export function withoutNewNames(wire: Wire): Wire {
  return wire.names.isEmpty ? wire : { ...wire, naming: wire.names.known };
}

export function invalid(message: string): DeviceError {
  return new DeviceError("INVALID_ARGUMENT", message);
}

/** Largest 32-bit identifier on the wire. */
const MAX_ID = 0xffffffff;

/** Checks an identifier that the controller chooses; 0 is reserved for wildcard reads. */
export function checkId(id: number, what: string): number {
  if (!Number.isInteger(id) || id <= 0 || id > MAX_ID)
    throw invalid(`${what} ${id} is not within 1 to ${MAX_ID}`);
  return id;
}
