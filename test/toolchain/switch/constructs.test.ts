/**
 * Random entries and packets through the programs of test/golden/constructs: what leaves, and what counters and registers hold, is what is
 * recorded. `make golden` writes it; BMv2 does the same with these programs (docs/conformance.md).
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { makeJob, playOnSwitch } from "../../../bench/toolchain/differential/play.js";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { fresh } from "./golden.js";

const folder = join(import.meta.dirname, "../../golden/constructs");
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".p4"))
  .map((name) => basename(name, ".p4"));

/** Compiled once: the compiler has tests of its own. */
const programs = new Map<string, Program>();
function programOf(name: string): Program {
  let program = programs.get(name);
  if (program === undefined) {
    const file = new SourceFile(`${name}.p4`, readFileSync(join(folder, `${name}.p4`), "utf8"));
    program = compile({ file }, new Diagnostics())!.program;
    programs.set(name, program);
  }
  return program;
}

const hex = (frame: Uint8Array): string => Buffer.from(frame).toString("hex");

it.each(names)("the switch does with %s what is recorded", async (name) => {
  const program = fresh(programOf(name));
  const job = makeJob([program], { seed: name, packets: 60, entries: 12 });
  const { writes, sent, state } = await playOnSwitch(program, job);
  const lines = [
    ...writes.map((status, i) => `write ${i} ${status}`),
    ...job.packets.map(({ port, frame }, i) => {
      const out = sent[i]!.map((one) => `${one.port}:${hex(one.frame)}`).join(" ");
      return `${port}:${hex(frame)} > ${out === "" ? "nothing" : out}`;
    }),
    ...state,
  ];
  const text = `${lines.join("\n")}\n`;
  const path = join(folder, `${name}.packets.txt`);
  if (process.env["P4LOOM_GOLDEN"] === "update") writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
});
