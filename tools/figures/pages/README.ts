import { block, p4loom, page, run } from "../block.js";
import { percent } from "../text.js";

interface Row {
  scheme: string;
  failure: string;
  first_try_success: number;
}

export default page("README.md", {
  demo: block({
    runs: { table: p4loom("run", "examples/pecmp-failover.yaml") },
    pick: {
      table: (document: string): string[] =>
        document
          .split("\n")
          .filter((line) => /^(scheme|---|pecmp|prr|none) /.test(line.replace(/^-+/, "---"))),
    },
    render: ({ table }) => ["", ...table.map((line) => `    ${line}`.trimEnd())],
  }),
  // First tries at a ToR of the schemes by their labels, at equal cost.
  equal_cost: block({
    runs: { firstTries: run("examples/pecmp-failover-12.yaml") },
    pick: {
      firstTries: (document): Record<string, number> =>
        Object.fromEntries(
          document.rows
            .filter((row: Row) => row.failure === "tor")
            .map((row: Row) => [row.scheme, row.first_try_success]),
        ),
    },
    values: ({ firstTries }) => {
      const first = (label: string) => percent(firstTries[label]!, 0);
      return {
        pecmp_one: first("pecmp-prr"),
        prr_one: first("prr"),
        pecmp_two: first("pecmp"),
        prr_two: first("prr-copies"),
      };
    },
  }),
});
