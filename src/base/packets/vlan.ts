/** The tag of IEEE 802.1Q: its control field, and the type of what follows. `at` is the position behind the type that announces the tag. */

import { get16, put16 } from "./words.js";

export const LENGTH = 4;

export function id(bytes: Uint8Array, at: number): number {
  return get16(bytes, at) & 0xfff;
}

/** The type of what follows the tag. */
export function type(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + 2);
}

export interface Tag {
  /** From 0 to 7. */
  readonly priority: number;
  readonly dropEligible: boolean;
  readonly id: number;
  readonly type: number;
}

/** Undefined where the bytes end before the tag does. */
export function parse(bytes: Uint8Array, at: number): Tag | undefined {
  if (bytes.length < at + LENGTH) return undefined;
  const control = get16(bytes, at);
  return {
    priority: control >>> 13,
    dropEligible: (control & 0x1000) !== 0,
    id: id(bytes, at),
    type: type(bytes, at),
  };
}

export function emit(bytes: Uint8Array, at: number, tag: Tag): void {
  put16(bytes, at, (tag.priority << 13) | (tag.dropEligible ? 0x1000 : 0) | tag.id);
  put16(bytes, at + 2, tag.type);
}
