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

async function load(name: string) {
  const diagnostics = new Diagnostics();
  const path = join(folder, `${name}.p4`);
  // Programs for Tofino 2 say so by their names.
  const define = name.startsWith("t2_") ? ["__TARGET_TOFINO__=2"] : [];
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
