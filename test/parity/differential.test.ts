/** What our compiler makes of the recorded programs against what p4c made, with random entries and packets on our switch. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstDifference, makeJob, playOnSwitch } from "../../bench/toolchain/differential/play.js";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { type Program, readBmv2, readP4Info } from "../../src/toolchain/program/index.js";

const golden = join(import.meta.dirname, "../golden");
/** Not `control`: its loops were recorded as p4c compiles them (docs/conformance.md); not `replicate`: packets that recirculate for ever take long. */
const NAMES = [
  "arith",
  "arith_misc",
  "arith_signed",
  "cpu",
  "hash",
  "l3",
  "memory",
  "parse",
  "queue",
  "selector",
];

function read(name: string, ending: string): SourceFile {
  return new SourceFile(`${name}${ending}`, readFileSync(join(golden, name, `${name}${ending}`), "utf8"));
}

function programsOf(name: string): [Program, Program] {
  const diagnostics = new Diagnostics();
  const ours = compile({ file: read(name, ".p4") }, diagnostics);
  const bmv2 = readBmv2(read(name, ".json"), diagnostics);
  const p4info = readP4Info(read(name, ".p4info.txtpb"), "text", diagnostics);
  diagnostics.throwIfErrors();
  return [ours!.program, { bmv2: bmv2!, p4info: p4info! }];
}

describe("random entries and packets", () => {
  it.each(NAMES)("%s", async (name) => {
    const [ours, theirs] = programsOf(name);
    const job = makeJob([ours, theirs], { seed: `test ${name}`, packets: 120, entries: 8 });
    const [left, right] = [await playOnSwitch(ours, job), await playOnSwitch(theirs, job)];
    expect(firstDifference(left, right, job)).toBeUndefined();
    // The job reaches something: a write is taken and packets leave.
    expect(left.writes).toContain("OK");
    expect(left.sent.flat().length).toBeGreaterThan(0);
    expect(makeJob([ours, theirs], { seed: `test ${name}`, packets: 120, entries: 8 })).toEqual(job);
  });
});
