/** Tests of programs for a Tofino: they hold, they reach what they can, and each path says what the switch does. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { contradicts, type Generated, generateTests, stfOf } from "../../../src/toolchain/testgen/index.js";
import { failing, missed } from "./made-tests.js";

const root = resolve(import.meta.dirname, "../../..");
const golden = join(root, "test/golden/tna/run");

async function loaded(path: string): Promise<Program> {
  const define = /\/t2_/.test(path) ? ["__TARGET_TOFINO__=2"] : [];
  return (await loadProgram({ path, include: [golden], define }, new Diagnostics(), "ignore")).program;
}

interface Made extends Generated {
  /** Paths with a packet, and those of them where the switch does something else. */
  compared: number;
  contradicted: string[];
}

async function generated(program: Program, paths = 25, allPaths = false): Promise<Made> {
  let [tried, compared] = [0, 0];
  const contradicted: string[] = [];
  const made = await generateTests(program, {
    seed: 1,
    maxTests: 1000,
    allPaths,
    goesOn: () => ++tried <= paths,
    onPath: (path, stimulus, expected) => {
      compared++;
      if (contradicts(path, stimulus, expected))
        contradicted.push(stfOf({ stimulus, expected }, path.labels.join("; ")));
    },
  });
  return { ...made, compared, contradicted };
}

const programs = readdirSync(golden).filter((name) => name.endsWith(".p4") && name !== "common.p4");

describe("tests of", () => {
  it.each(programs)("%s hold, and the switch does on each path what the execution says", async (name) => {
    const program = await loaded(join(golden, name));
    // A path of this one sweeps over 300 cells of a register, with a decision for each.
    const made = await generated(program, name === "t2_stages.p4" ? 4 : 20, true);
    expect(made.contradicted).toEqual([]);
    expect(made.compared).toBeGreaterThan(0);
    expect(made.tests.length).toBeGreaterThan(0);
    expect(await failing(program, made)).toEqual([]);
  });

  it("exercise 21's solution reach every statement, with entries as the Tofino compiler's tests write them", async () => {
    const program = await loaded(join(root, "examples/course/21-memory/solution/memory.p4"));
    const made = await generated(program, 200);
    expect(missed(made, "statement")).toEqual([]);
    expect(made.contradicted).toEqual([]);
    const texts = made.tests.map((test) => stfOf(test, "")).join("\n");
    expect(texts).toMatch(
      /^add pipe\.CourseIngress\.routes hdr\.ipv4\.dst:0x[0-9a-f]+ CourseIngress\.drop\(\)$/m,
    );
    expect(texts).toMatch(
      /^setdefault pipe\.CourseIngress\.routes CourseIngress\.forward\(mac:0x[0-9a-f]+,port:0x[0-9a-f]+\)$/m,
    );
    expect(texts).toMatch(/^register_write pipe\.CourseIngress\.windows \d+ 0x[0-9a-f]+$/m);
    expect(await failing(program, made)).toEqual([]);
  });

  it("parsing.p4 reach the sum of what its parser has left", async () => {
    const made = await generated(await loaded(join(golden, "parsing.p4")), 60);
    expect([...made.unhandled.keys()]).not.toContain("a checksum from a place that varies");
    expect(missed(made, "statement").join()).not.toMatch(/subtract_all/);
  });

  it("a changed program fail", async () => {
    const path = join(root, "examples/course/21-memory/solution/memory.p4");
    const made = await generated(await loaded(path), 200);
    const text = readFileSync(path, "utf8").replace("hdr.ipv4.ttl - 1", "hdr.ipv4.ttl - 2");
    const { compile } = await import("../../../src/toolchain/p4/index.js");
    const changed = compile({ file: new SourceFile("memory.p4", text) }, new Diagnostics());
    expect(await failing(changed!.program, made)).not.toEqual([]);
  });
});

describe("packets that go round", () => {
  const rounds = join(root, "test/toolchain/testgen/programs/rounds.p4");
  const testsOf = (made: Made, kind: string) =>
    made.tests
      .map((test) => stfOf(test, ""))
      .filter((text) => new RegExp(`^packet \\d+ ${kind}`, "m").test(text));

  it("for ever are expected at the port by which they come back, others come back", async () => {
    const program = await loaded(rounds);
    const made = await generated(program, 200, true);
    expect(missed(made, "statement")).toEqual([]);
    expect(made.contradicted).toEqual([]);
    expect(testsOf(made, "01").join()).toMatch(/^expect 68 01[0-9a-f]{2}1234/m);
    const once = testsOf(made, "02").join();
    expect(once).toMatch(/^expect 3 09[0-9a-f]{2}9999/m);
    expect(once).not.toMatch(/^expect 69/m);
    // The path that follows the mirror says nothing of the packet, which goes round.
    const mirrored = testsOf(made, "03").join();
    expect(mirrored).toMatch(/^expect 68 03[0-9a-f]{2}abcd/m);
    expect(mirrored).toMatch(/^mirroring_add 5 /m);
    expect(await failing(program, made)).toEqual([]);
  });

  it("are as long as what was emitted where a parser has read a part of the check sequence", async () => {
    const program = await loaded(join(root, "test/toolchain/testgen/programs/checks.p4"));
    const made = await generated(program, 200, true);
    expect(made.contradicted).toEqual([]);
    // The header behind the first one reaches a byte into the check sequence, which the second pass finds in the packet.
    expect(testsOf(made, "01").join()).toMatch(/^packet \d+ 01.*\nexpect [34] 02([0-9a-f]{2})+00 \$/m);
    expect(await failing(program, made)).toEqual([]);
  });

  it("leave the search open, since no path follows them to an end", async () => {
    const made = await generated(await loaded(rounds), 200);
    expect([...made.unhandled.keys()]).toContain("more than 3 passes of one packet");
  });

  it("by resubmission for ever have passes as many as others", async () => {
    const made = await generated(
      await loaded(join(root, "test/toolchain/testgen/programs/resubmits.p4")),
      50,
    );
    expect([...made.unhandled.keys()]).toEqual(["more than 3 passes of one packet"]);
    expect(testsOf(made, "(?!01)").length).toBeGreaterThan(0);
    expect(testsOf(made, "01")).toEqual([]);
  });

  it("and those that get copies come with the sessions and groups of each copy", async () => {
    const made = await generated(await loaded(join(golden, "copies.p4")), 400, true);
    const all = made.tests.map((test) => stfOf(test, "")).join("\n");
    for (const line of [
      /^mirroring_add 5 /m,
      /^mirroring_add 6 /m,
      /^mc_mgrp_create 1$/m,
      /^mc_mgrp_create 2$/m,
    ])
      expect(all).toMatch(line);
    // Two rounds, and one more of egress.
    expect(testsOf(made, "01").join()).toMatch(/^expect \d+ 01[0-9a-f]{4}03/m);
    expect(made.contradicted).toEqual([]);
  });

  it("find in the second pass what the first one has filled a register with", async () => {
    const made = await generated(
      await loaded(join(root, "test/toolchain/testgen/programs/t2_clears.p4")),
      40,
      true,
    );
    expect(testsOf(made, "01").join()).toMatch(/^expect 3 02[0-9a-f]{2}0020/m);
    expect(made.contradicted).toEqual([]);
  });

  it("a random bit is no part of what a test expects", async () => {
    const made = await generated(await loaded(rounds), 200, true);
    const texts = testsOf(made, "04");
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(text).toMatch(/^expect 3 04[0-9a-f]{2}000\*/m);
  });
});

it("the end of the time ends a path, too, and what was made before stays", async () => {
  const program = await loaded(join(golden, "t2_stages.p4"));
  let asked = 0;
  const options = { seed: 1, maxTests: 1000, allPaths: true, goesOn: () => true };
  const made = await generateTests(program, { ...options, hasTime: () => ++asked < 60 });
  // The second path asks the solver 150 times.
  expect([made.end, made.tests.length, asked]).toEqual(["time", 1, 60]);
  expect(made.isComplete).toBe(false);
});

it("one seed gives the same bytes", async () => {
  const program = await loaded(join(golden, "copies.p4"));
  const texts = async () => (await generated(program, 60)).tests.map((test) => stfOf(test, ""));
  expect(await texts()).toEqual(await texts());
});
