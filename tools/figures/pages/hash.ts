import { bench, page } from "../block.js";
import { measurements } from "../measurements.js";

export default page("docs/hash.md", {
  speed: measurements(
    [bench("hash")],
    ["what", "processor time of one thread"],
    [
      {
        what: "10,000,000 flows through the spineless mesh of three blocks with 64 ToRs, coprime sizes, transit",
        name: "hash/trace-10000000-flows",
        unit: "s",
      },
      {
        what: "a Jupiter-like fabric of 1,024 switches, assigned and checked",
        name: "hash/assign-and-check-1024-switches",
        unit: "s",
      },
      {
        what: "12,144 permutations of functions (`delta`)",
        name: "hash/delta-12144-permutations",
        unit: "s",
      },
    ],
  ),
});
