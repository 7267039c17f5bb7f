import { bench, page } from "../block.js";
import { measurements } from "../measurements.js";

/** Microseconds a packet, of a rate. */
const shown = (rate: number) => 1e6 / rate;

const KINDS = {
  exact: "exact",
  LPM: "prefixes of 24 bits",
  "LPM of 16 to 32 bits": "prefixes of 16 to 32 bits all over the address space",
};

export default page("docs/switch.md", {
  costs: measurements(
    [bench("switch"), bench("memory")],
    ["what", "cost"],
    [
      ...Object.entries(KINDS).flatMap(([kind, what]) => [
        { what: `a packet, ${what}: 100 entries`, name: `switch/${kind}, 100 entries`, unit: "us", shown },
        { what: "100,000 entries", name: `switch/${kind}, 100,000 entries`, unit: "us", shown },
      ]),
      {
        what: "the first switch with the golden program `l3` and its entries",
        name: "memory/l3/first",
        unit: "MB",
      },
      { what: "each of 200 further ones", name: "memory/l3/each-of-200", unit: "MB" },
      { what: "each of 200 with the program `cpu`", name: "memory/cpu/each-of-200", unit: "MB" },
    ],
  ),
});
