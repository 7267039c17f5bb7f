import { block, p4loom, page } from "../block.js";

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
});
