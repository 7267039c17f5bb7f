/** A short run of the fuzzer (`npm run bench -- fuzz-p4runtime`): the same cases in every run. */
import { expect, it } from "vitest";
import { cases } from "../../../bench/toolchain/fuzz/p4runtime-cases.js";
import { tryCase } from "../../../bench/toolchain/fuzz/runner.js";
import { FUZZ_FACTOR, FUZZ_SEED } from "../../fuzz-seed.js";

const NUMBER = 12 * FUZZ_FACTOR;

it.each(Object.keys(cases))(
  "%s: every call is answered, what is refused changes nothing",
  async (kind) => {
    for (let number = 0; number < NUMBER; number++) {
      expect(await tryCase(cases[kind]!, kind, FUZZ_SEED, number), `${kind} ${number}`).toBeUndefined();
    }
  },
  60_000 * FUZZ_FACTOR,
);

it("ends a stream whose bytes are no message, even while another controller takes over", async () => {
  // once left its client without an end: gRPC had ended the call, and the news of the new primary came after
  expect(await tryCase(cases["stream"]!, "stream", 2026, 16)).toBeUndefined();
});
