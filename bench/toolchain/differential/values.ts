/** Numbers that are relevant to programs: only random numbers would almost never equal a constant of a comparison. */
import type { Random } from "../../../src/base/index.js";
import { maskOf } from "../../../src/base/index.js";
import type { Bmv2Program } from "../../../src/toolchain/program/index.js";

const SMALL = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n];

export class Values {
  readonly #constants: readonly bigint[];

  constructor(
    readonly random: Random,
    programs: readonly Bmv2Program[],
  ) {
    const found = new Set<bigint>();
    for (const { parsers, actions, pipelines } of programs)
      for (const [text] of JSON.stringify([parsers, actions, pipelines]).matchAll(
        /(?<=")0x[0-9a-fA-F]{1,40}(?=")/g,
      ))
        found.add(BigInt(text));
    this.#constants = [...found].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  /** A constant of the program, a small number, all ones, or any number of this width. */
  number(width: number): bigint {
    const all = maskOf(width);
    const draw = this.random.int(20);
    if (draw < 9) return this.random.pick(SMALL) & all;
    if (draw < 16 && this.#constants.length > 0) return this.random.pick(this.#constants) & all;
    if (draw === 16) return all;
    return this.any(width);
  }

  any(width: number): bigint {
    let value = 0n;
    for (let bits = 0; bits < width; bits += 32) value = (value << 32n) | BigInt(this.random.uint32());
    return value & maskOf(width);
  }
}
