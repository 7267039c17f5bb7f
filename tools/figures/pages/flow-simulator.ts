import { bench, page } from "../block.js";
import { measurements } from "../measurements.js";

const FLOWS = [10_000, 100_000, 300_000, 1_000_000];
const CLIQUES = "flow: 512 cliques, 131,712 servers, 5 s, Dahu-1";
const SWITCH = "of a switch of 128 ports and 64 groups";

export default page("docs/flow-simulator.md", {
  speed: measurements(
    [bench("flow")],
    ["what", "processor time"],
    [
      ...FLOWS.map((count) => ({
        what: `rates of ${count.toLocaleString("en")} flows, an epoch`,
        name: `flow: rates of ${count} flows`,
        unit: "ms",
      })),
      {
        what: "5 s of the 512 cliques, flows keep their paths",
        name: `${CLIQUES}, flows keep their paths`,
        unit: "s",
      },
      {
        what: "the same, flows follow the remapped virtual ports",
        name: `${CLIQUES}, flows follow`,
        unit: "s",
      },
      { what: "most memory", name: "flow: most memory", unit: "MB" },
      { what: `heuristic ${SWITCH}`, name: `flow: heuristic ${SWITCH}`, unit: "ms" },
      { what: "the same with remapping", name: `flow: heuristic and remapping ${SWITCH}`, unit: "ms" },
      {
        what: "load of the machine before (processes that want to run)",
        name: "flow: load of the machine before",
        unit: "",
      },
    ],
  ),
});
