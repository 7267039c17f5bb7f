/** A short run of the fuzzer (`npm run bench -- fuzz-http2`): the same cases in every run. */
import { expect, it } from "vitest";
import { cases } from "../../../../bench/toolchain/fuzz/http2-cases.js";
import { tryCase } from "../../../../bench/toolchain/fuzz/runner.js";
import { FUZZ_FACTOR, FUZZ_SEED } from "../../../fuzz-seed.js";

it.each(Object.keys(cases) as (keyof typeof cases)[])(
  "%s: the connection follows its rules",
  async (kind) => {
    for (let number = 0; number < 60 * FUZZ_FACTOR; number++)
      expect(await tryCase(cases[kind], kind, FUZZ_SEED, number), `${kind} ${number}`).toBeUndefined();
  },
);
