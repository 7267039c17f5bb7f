/** What every conversion needs: the program's objects, and how the other side writes things. */
import { DeviceError, type P4InfoIndex } from "../../program/index.js";
import type { Dialect } from "./ports.js";

export interface Wire {
  readonly index: P4InfoIndex;
  readonly dialect: Dialect;
  /** A client takes what a switch says; a server holds a controller to the rules. */
  readonly lenient: boolean;
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
