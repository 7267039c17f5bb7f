/**
 * The header bits by which a host chooses a path: low bits of the source port, and a field that the hash covers. A change of them
 * is one number, whose lowest bits are those of the source port.
 */
import { FIELD_BITS, type SelectorField } from "../../../base/packets/index.js";

export interface ControlBits {
  readonly field: SelectorField;
  /** How many low bits of the field hosts change; 0: none. */
  readonly fieldBits: number;
  /** How many low bits of the source port a planner chooses. */
  readonly portBits: number;
}

/** A field may be wider: hosts list all values of what they use. */
const MAX_FIELD_BITS = 12;

/** The control bits of a field, with this number of bits of the source port. */
export function controlBits(field: SelectorField, portBits: number): ControlBits {
  return { field, fieldBits: Math.min(FIELD_BITS[field], MAX_FIELD_BITS), portBits };
}

export function controlWidth({ fieldBits, portBits }: ControlBits): number {
  return fieldBits + portBits;
}

/** The change of the field only. */
export function fieldPart({ portBits }: ControlBits, delta: number): number {
  return delta >>> portBits;
}

/** The change of the source port only. */
export function portPart({ portBits }: ControlBits, delta: number): number {
  return delta & (2 ** portBits - 1);
}
