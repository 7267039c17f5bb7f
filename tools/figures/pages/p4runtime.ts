import { bench, block, page } from "../block.js";
import { measurements } from "../measurements.js";
import { fixed, significant, table } from "../text.js";

const turn = (what: string, request: string) => ({
  what,
  name: `p4runtime/longest turn, ${request}`,
  unit: "ms",
});

/** Requests of a Python controller, each in a Write or Read of its own. */
const SINGLE = { insert: "one insert a Write", delete: "one delete a Write", read: "Read of 500 entries" };

interface Suite {
  suite: string;
  ours: string;
  bmv2: string;
  open: number;
  explained: number;
}

export default page("docs/p4runtime.md", {
  turns: measurements(
    [bench("p4runtime")],
    ["request of 100,000 entries or elements", "longest turn, or rate"],
    [
      turn("Write of inserts", "write of 100000 inserts"),
      turn("Write of deletes", "write of 100000 deletes"),
      turn("Write of inserts that is rolled back", "write of 100000 inserts that is rolled back"),
      turn("Read", "read of 100000 entries"),
      turn("SaveState", "SaveState of 100000 entries"),
      turn("RestoreState", "RestoreState of 100000 entries"),
      turn("Write of a whole array", "write of a whole array of 100000"),
      turn(
        "Write of a whole array of 16,384 with DATAPLANE_ATOMIC",
        "atomic write of a whole array of 16384",
      ),
      turn("load of a program of 220 kB", "load of a program of 220 kB"),
      { what: "inserts in Writes of 1,000, over loopback gRPC", name: "p4runtime/insert", unit: "a second" },
      { what: "entities read", name: "p4runtime/read", unit: "a second" },
    ],
  ),
  single: block({
    timed: true,
    runs: { rates: bench("p4runtime") },
    pick: {
      rates: (document): Record<string, { ours: number; bmv2: number }> =>
        Object.fromEntries(
          Object.keys(SINGLE).map((what) => {
            const found = document.find(
              (measurement: { name: string }) => measurement.name === `p4runtime/single-${what}-python`,
            );
            return [what, { ours: found.value, bmv2: found.rival_value }];
          }),
        ),
    },
    render: ({ rates }) =>
      table(
        ["request", "p4loom", "BMv2", "ratio"],
        Object.entries(SINGLE).map(([key, what]) => {
          const { ours, bmv2 } = rates[key]!;
          return [what, `${fixed(ours)}/s`, `${fixed(bmv2)}/s`, significant(ours / bmv2)];
        }),
      ),
  }),
  clients: block({
    // Not by CI: the suites of other projects, BMv2 and root.
    slow: true,
    runs: { suites: bench("clients") },
    pick: {
      suites: (document): Suite[] =>
        document.map((row: Suite & { name: string }) => ({
          suite: row.name.replace(/^clients\//, ""),
          ours: row.ours,
          bmv2: row.bmv2,
          open: row.open,
          explained: row.explained,
        })),
    },
    render: ({ suites }) =>
      table(
        ["suite", "p4loom", "simple_switch_grpc", "to fix", "explained"],
        suites.map(({ suite, ours, bmv2, open, explained }) => [suite, ours, bmv2, open, explained]),
      ),
  }),
});
