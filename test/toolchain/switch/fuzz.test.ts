/**
 * A short run of the switch fuzzer (`npm run bench -- fuzz-switch` is the long one): always the same cases, unless
 * `P4LOOM_FUZZ` gives how many times as many to try, from another seed each time.
 */
import { describe, expect, it } from "vitest";
import { tryCase } from "../../../bench/toolchain/fuzz/runner.js";
import { cases } from "../../../bench/toolchain/fuzz/switch-cases.js";
import { FUZZ_FACTOR, FUZZ_SEED } from "../../fuzz-seed.js";

const COUNT = { packets: 20, config: 60, writes: 30, commands: 40 };

describe("whatever comes in", () => {
  it.each(Object.entries(COUNT))(
    "%s: the switch continues, and a refusal has no effect",
    async (kind, count) => {
      for (let number = 0; number < count * FUZZ_FACTOR; number++) {
        const fault = await tryCase(cases[kind]!, kind, FUZZ_SEED, number);
        expect(fault, `case ${number} of seed ${FUZZ_SEED}`).toBeUndefined();
      }
    },
    60_000 * FUZZ_FACTOR,
  );
});
