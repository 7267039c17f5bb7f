/** A short run of the fuzzer of pipelines (`npm run bench -- fuzz-pipelines` is the long one): each program of the repository once a kind. */
import { describe, expect, it } from "vitest";
import { BATCH } from "../../../bench/toolchain/fuzz/options.js";
import { cases } from "../../../bench/toolchain/fuzz/pipeline-cases.js";
import { pipelineAt, pipelineCount } from "../../../bench/toolchain/fuzz/pipeline-programs.js";
import { tryCase } from "../../../bench/toolchain/fuzz/runner.js";
import { FUZZ_FACTOR, FUZZ_SEED } from "../../fuzz-seed.js";

const names = Array.from({ length: pipelineCount }, (_, at) => [pipelineAt(at).name, at] as const);

describe.each(names)("%s", (_name, at) => {
  it(
    "takes any entries and packets, the same way again, traced and counted",
    async () => {
      expect(pipelineAt(at).program).toBeDefined();
      for (const [kind, run] of Object.entries(cases))
        for (let number = 0; number < FUZZ_FACTOR; number++) {
          // Each batch has a program of its own.
          const fault = await tryCase(run, kind, FUZZ_SEED, BATCH * (at + pipelineCount * number));
          expect(fault, `${kind} ${number} of seed ${FUZZ_SEED}`).toBeUndefined();
        }
    },
    60_000 * FUZZ_FACTOR,
  );
});
