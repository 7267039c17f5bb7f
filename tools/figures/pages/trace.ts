import { bench, page } from "../block.js";
import { measurements } from "../measurements.js";

export default page("docs/trace.md", {
  all: measurements(
    [bench("trace")],
    ["packets a second on one processor", "measured"],
    [
      { what: "without a trace (L3 program)", name: "trace/off", unit: "packets/s" },
      { what: "with a trace", name: "trace/on", unit: "packets/s" },
      {
        what: "all outcomes of a packet with 16 paths (`examples/trace`)",
        name: "trace/all outcomes, 16 paths",
        unit: "packets/s",
      },
    ],
  ),
});
