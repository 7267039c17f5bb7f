import { bench, page } from "../../block.js";
import { measurements } from "../../measurements.js";

const PROGRAM = "tofino/small l3, Tofino";

export default page("docs/tna/rates.md", {
  rates: measurements(
    [bench("tofino"), bench("tofino"), bench("tofino")],
    ["what", "measured"],
    [
      { what: "ingress alone, packets a second", name: `${PROGRAM} without egress`, unit: "" },
      { what: "of v1model's rate", name: `${PROGRAM} without egress, of v1model`, unit: "" },
      {
        what: "an egress that parses nothing, of v1model's rate",
        name: `${PROGRAM}, egress parses nothing, of v1model`,
        unit: "",
      },
      {
        what: "an egress that parses and rewrites the headers, of the rate of a v1model program that rewrites them in egress",
        name: `${PROGRAM}, egress parses and rewrites the headers, of v1model, egress rewrites the headers`,
        unit: "",
      },
      {
        what: "a register action, of the rate without it",
        name: `${PROGRAM} without egress, register, of Tofino without egress`,
        unit: "",
      },
      {
        what: "CRC-32 of both addresses, of the rate without it",
        name: `${PROGRAM} without egress, CRC-32 of the addresses, of Tofino without egress`,
        unit: "",
      },
      {
        what: "a mirror of each packet, of the rate without it (two packets leave for one)",
        name: `${PROGRAM} without egress, mirror to a session, of Tofino without egress`,
        unit: "",
      },
      {
        what: "from the start of `p4loom stf` with a program to its end, all packets checked",
        name: "tofino/start to the end of a packet test",
        unit: "s",
      },
      {
        what: "`p4loom run examples/schemes/tofino.yaml`, two networks of ten switches",
        name: "tofino/an experiment with ten Tofinos",
        unit: "s",
      },
    ],
  ),
});
