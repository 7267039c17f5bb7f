import { block, exiting, page, script } from "../block.js";
import { pickKeys, table } from "../text.js";

/** Where the checkout of p4c is. */
const P4C = "out/p4c";

/** Of p4c 1.2.5.16 with its BMv2 back end, on the same programs. */
const OF_P4C = { compiled: 437, rejected: 584, passed: 190 };

/** What tools/figures/measure/p4c-samples.ts counts. */
type Counts = Record<"programs" | "compiled" | "described" | "same" | "wrong" | "rejected", number>;

export default page("docs/conformance.md", {
  samples: block({
    // Not by CI, which has no checkout of p4c.
    slow: true,
    runs: {
      samples: script("tools/figures/measure/p4c-samples.ts", P4C),
      // One test needs its own extern: status 1.
      tests: exiting(1, script("bench/toolchain/corpus.ts", `${P4C}/testdata/p4_16_samples`)),
    },
    pick: {
      samples: (document): Counts =>
        pickKeys(document, ["programs", "compiled", "described", "same", "wrong", "rejected"]),
      tests: (document: string): { passed: number; of: number; expectations: number } => {
        const found = /(\d+) of (\d+) tests pass, with (\d+) expectations/.exec(document)!;
        const [passed, of, expectations] = found.slice(1).map(Number) as [number, number, number];
        return { passed, of, expectations };
      },
    },
    render: ({ samples, tests }) =>
      table(
        ["what", "p4loom", "p4c's own BMv2 compiler"],
        [
          [`v1model programs that compile (of ${samples.programs})`, samples.compiled, OF_P4C.compiled],
          [
            `P4Info equal to p4c's expected output (of ${samples.described} that have one)`,
            samples.same,
            undefined,
          ],
          [
            `wrong programs rejected for what is wrong, with a place (of ${samples.wrong})`,
            samples.rejected,
            OF_P4C.rejected,
          ],
          [
            `packet tests (\`.stf\`) that pass on the embedded switch (of ${tests.of})`,
            tests.passed,
            OF_P4C.passed,
          ],
        ],
      ),
    values: ({ tests }) => ({ expectations: `${tests.expectations}` }),
  }),
});
