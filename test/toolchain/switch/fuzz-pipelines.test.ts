/** A short run of the fuzzer of pipelines (`npm run bench -- fuzz-pipelines` is the long one): each program of the repository once a kind. */
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
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

describe("two runs with one seed", () => {
  const root = resolve(import.meta.dirname, "../../..");

  /** The line with the digest, of a run in a process of its own. */
  async function digestOf(seed: number): Promise<string | undefined> {
    const words = ["--import", "tsx", "bench/main.ts", "fuzz-pipelines", "--batches=1", `--seed=${seed}`];
    const { stderr } = await promisify(execFile)(process.execPath, words, { cwd: root });
    return stderr.split("\n").find((line) => line.startsWith("1 batches of each kind"));
  }

  it("give the same bytes, and another seed gives others", async () => {
    const [one, again, other] = await Promise.all([
      digestOf(FUZZ_SEED),
      digestOf(FUZZ_SEED),
      digestOf(FUZZ_SEED + 1),
    ]);
    expect(one).toMatch(/seed \d+: [0-9a-f]{64}$/);
    expect(again).toBe(one);
    expect(other?.split(": ")[1]).not.toBe(one?.split(": ")[1]);
  }, 180_000);
});
