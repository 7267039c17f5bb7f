import { block, exiting, page, script } from "../block.js";
import { table } from "../text.js";

/** Where the checkout of p4c is. */
const P4C = "out/p4c";

/** Of p4c 1.2.5.16 with its BMv2 back end, on the same programs. */
const OF_P4C = { compiled: 437, rejected: 584 };

export default page("docs/conformance.md", {
  samples: block({
    // Not by CI, which has no checkout of p4c.
    slow: true,
    runs: { samples: script("tools/figures/measure/p4c-samples.ts", P4C) },
    pick: {
      samples: (
        document,
      ): Record<"programs" | "compiled" | "described" | "same" | "wrong" | "rejected", number> & {
        differing: string[];
      } => {
        const { refused: _, accepted: __, ...rest } = document;
        return rest;
      },
    },
    render: ({ samples }) =>
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
        ],
      ),
    values: ({ samples }) => ({ compiled: `${samples.compiled}` }),
  }),
  packets: block({
    slow: true,
    runs: { tests: exiting(1, script("bench/corpus.ts", `${P4C}/testdata/p4_16_samples`)) },
    pick: {
      tests: (document: string): { passed: number; of: number; expectations: number } => {
        const [, passed, of, expectations] = /(\d+) of (\d+) tests pass, with (\d+) expectations/.exec(
          document,
        )!;
        return { passed: Number(passed), of: Number(of), expectations: Number(expectations) };
      },
    },
    render: ({ tests }) =>
      table(
        ["programs", "compiler", "pass", "expectations"],
        [
          [
            "v1model samples with a test (P4-16)",
            "p4loom",
            `${tests.passed} of ${tests.of}`,
            tests.expectations,
          ],
        ],
      ),
  }),
});
