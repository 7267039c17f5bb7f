/** A parser value set: bit strings (with masks or bounds by field) that a select compares its key with. */
import type { Match } from "../../device/index.js";

/** One member in words from the front: it matches when (key & mask) == value in every word. */
interface SetMember {
  readonly match: readonly Match[];
  readonly values: Int32Array;
  readonly masks: Int32Array;
}

export class ValueSet {
  members: SetMember[] = [];
  readonly words: number;

  constructor(
    readonly name: string,
    readonly width: number,
    readonly maxSize: number,
  ) {
    this.words = Math.max(1, Math.ceil(width / 32));
  }

  /** `value` and `mask` are `width` bits wide. */
  member(match: readonly Match[], value: bigint, mask: bigint): SetMember {
    const spare = BigInt(32 * this.words - this.width);
    const split = (bits: bigint) =>
      Int32Array.from({ length: this.words }, (_, i) =>
        Number(BigInt.asIntN(32, (bits << spare) >> BigInt(32 * (this.words - 1 - i)))),
      );
    return { match, values: split(value & mask), masks: split(mask) };
  }

  /** Whether a member matches the key in `scratch[0..words)`. */
  has(scratch: Int32Array): boolean {
    for (const { values, masks } of this.members) {
      let same = true;
      for (let i = 0; i < this.words && same; i++) same = (scratch[i]! & masks[i]!) === values[i];
      if (same) return true;
    }
    return false;
  }
}
