import { bench, page } from "../block.js";
import { measurements } from "../measurements.js";

export default page("docs/host-agent.md", {
  packets: measurements(
    [bench("agent")],
    ["two agents and kernel TCP", "measured"],
    [
      { what: "processor time of a packet at a host", name: "agent-processor-time-per-packet", unit: "us" },
      {
        what: "processor time of a round trip of one segment",
        name: "agent-processor-time-per-round-trip",
        unit: "us",
      },
      { what: "shortest round trip", name: "agent-least-round-trip", unit: "us" },
      { what: "throughput of a transfer", name: "agent-tcp-throughput", unit: "Mbit/s" },
      { what: "packets of a host in this transfer", name: "agent-packets-one-host", unit: "a second" },
    ],
  ),
});
