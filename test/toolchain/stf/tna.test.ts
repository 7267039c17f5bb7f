/** Own TNA programs as packet tests: each must compile, run and give exactly the packets of its file. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import { CoverageCounts } from "../../../src/toolchain/switch/index.js";
import { play } from "./small.js";

const folder = resolve(import.meta.dirname, "../../golden/tna/run");
const names = readdirSync(folder).flatMap((file) => (file.endsWith(".stf") ? [file.slice(0, -4)] : []));

// Programs for Tofino 2 say so by their names.
const isForTofino2 = (name: string): boolean => name.startsWith("t2_");

async function load(name: string, define = isForTofino2(name) ? ["__TARGET_TOFINO__=2"] : []) {
  const diagnostics = new Diagnostics();
  const path = join(folder, `${name}.p4`);
  return (await loadProgram({ path, include: [], define }, diagnostics, "error")).program;
}

describe.each(names)("%s", (name) => {
  const text = readFileSync(join(folder, `${name}.stf`), "utf8");
  const wanted = text.split("\n").filter((line) => /^(expect|check_)/.test(line)).length;

  it("passes, plain, traced and counted", async () => {
    const program = await load(name);
    for (const options of [{}, { trace: () => undefined }, { coverage: new CoverageCounts() }]) {
      const { messages, failed, passed } = await play(text, program, options);
      expect(messages).toEqual([]);
      expect([failed, passed]).toEqual([0, wanted]);
    }
  });

  it("fails where an expected byte is another one", async () => {
    const program = await load(name);
    const changed = text.replace(
      /^(expect \d+ )(..)/m,
      (_, head: string, byte: string) => `${head}${byte === "ff" ? "fe" : "ff"}`,
    );
    expect((await play(changed, program)).failed).toBeGreaterThan(0);
  });
});

// The macro alone makes a program of `tna.p4` one for the second chip, whose egress parser finds one byte more of metadata. The headers of
// resubmissions and mirrors in `copies` have the sizes of the first.
const alone = names.filter((name) => !isForTofino2(name) && name !== "copies");

describe.each(alone)("%s of tna.p4, on Tofino 2", (name) => {
  it("passes as on Tofino 1", async () => {
    const program = await load(name, ["__TARGET_TOFINO__=2", "TNA_ALONE"]);
    expect(program.bmv2.architecture?.name).toBe("t2na");
    const text = readFileSync(join(folder, `${name}.stf`), "utf8");
    const { messages, failed } = await play(text, program);
    expect([messages, failed]).toEqual([[], 0]);
  });
});
