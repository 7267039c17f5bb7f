/**
 * Submissions that are fitted to the visible tests: solutions with a value of a visible test in place of a rule. They keep all visible points,
 * and a hidden test detects them.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { readExercise } from "../../../src/course/exercises/index.js";
import { runTests } from "../../../src/course/grading/index.js";
import { testsOnThisMachine } from "../../../src/course/submissions/index.js";
import { diskFiles } from "../../../src/toolchain/loading/index.js";

const course = resolve(import.meta.dirname, "../../../examples/course");

type Change = readonly [from: string, to: string];
const FITTED: [what: string, exercise: string, ...changes: Change[]][] = [
  [
    "marks at the port of the visible tests alone",
    "18-ecn",
    [
      "hdr.ipv4.isValid() && standard_metadata.enq",
      "standard_metadata.egress_port == 3 && standard_metadata.enq",
    ],
  ],
  [
    "drops packets of one sender alone",
    "18-ecn",
    ["hdr.ipv4.ecn == NOT_ECT", "hdr.ipv4.ecn == NOT_ECT && hdr.ipv4.src == 0x0a000101"],
  ],
  [
    "counts packets to the port of the visible tests alone",
    "19-race",
    [
      "hdr.udp.dst == CREDIT)",
      "hdr.udp.dst < 5000 && hdr.udp.dst == 53) {\n } else if (hdr.udp.dst == CREDIT)",
    ],
  ],
  [
    "takes credits of h2 alone",
    "19-race",
    ["if (count > 0) {", "if (count > 0 && hdr.ipv4.src[7:0] == 2 || hdr.ipv4.dst[7:0] == 2 && count > 0) {"],
  ],
  [
    "knows rack 4 alone",
    "20-balancing",
    ["best_port.write((bit<32>)hdr.probe.rack", "best_port.write((bit<32>)8w4"],
    ["best_load.write((bit<32>)hdr.probe.rack", "best_load.write((bit<32>)8w4"],
  ],
  ["believes probes after 300 ms", "20-balancing", ["TIMEOUT_US = 1000000", "TIMEOUT_US = 300000"]],
  [
    "has windows for three hosts",
    "21-memory",
    [
      "hdr.ipv4.isValid() && hdr.ipv4.ttl > 1",
      "hdr.ipv4.isValid() && hdr.ipv4.ttl > 1 && hdr.ipv4.src[7:0] < 7",
    ],
  ],
  [
    "forgets the number with the window",
    "21-memory",
    [
      "meta.missed[5:0];",
      "meta.missed[5:0];\n if (meta.used == 0 && hdr.ipv4.src[7:0] == 2) { hdr.ipv4.dscp = 0; }",
    ],
  ],
];

it.each(FITTED)("a program that %s fails a hidden test of %s", async (_what, name, ...changes: Change[]) => {
  const exercise = readExercise(diskFiles, join(course, name), new Diagnostics())!;
  const file = exercise.handsIn[0]!;
  let text = readFileSync(join(course, name, "solution", file), "utf8");
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  const results = await runTests(exercise, new Map([[file, text]]), {
    ...testsOnThisMachine(exercise),
    story: false,
  });
  const failed = results.filter(({ passed }) => !passed);
  expect(failed.filter(({ hidden }) => !hidden)).toEqual([]);
  expect(failed.length).toBeGreaterThan(0);
});
