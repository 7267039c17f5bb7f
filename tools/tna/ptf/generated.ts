/**
 * Makes PTF tests of programs for a Tofino as `p4loom testgen --format ptf` writes them, and runs them on the embedded switch over P4Runtime, on interfaces.
 *
 *     unshare -n env MODULES=DIR PTF=COMMAND npx tsx tools/tna/ptf/generated.ts [PROGRAM ...]
 *
 * MODULES and PTF are those of run.ts. Without programs: those of `test/golden/tna/run`. Each gets the tests of its first 40 paths, seed 1.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { Diagnostics } from "../../../src/base/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import { writeUpdates } from "../../../src/toolchain/p4runtime/index.js";
import { generateTests, ptfOf, updatesOf } from "../../../src/toolchain/testgen/index.js";
import { playPtf } from "./play.js";

const golden = resolve(import.meta.dirname, "../../../test/golden/tna/run");
const PORTS = Array.from({ length: 16 }, (_, i) => i);
const PATHS = 40;

async function main(): Promise<void> {
  const { MODULES: modules, PTF: ptf } = process.env;
  if (modules === undefined || ptf === undefined || !existsSync(ptf)) {
    process.stdout.write("skipped: MODULES or PTF is not given, or there is no PTF\n");
    return;
  }
  execFileSync("ip", ["link", "set", "lo", "up"]);
  const own = readdirSync(golden).filter((name) => name.endsWith(".p4") && name !== "common.p4");
  const named = process.argv.slice(2);
  for (const path of named.length > 0 ? named : own.map((name) => join(golden, name))) {
    const define = basename(path).startsWith("t2_") ? ["__TARGET_TOFINO__=2"] : [];
    const { program } = await loadProgram({ path, include: [golden], define }, new Diagnostics(), "ignore");
    let paths = 0;
    const made = await generateTests(program, {
      ...{ seed: 1, maxTests: 1000, allPaths: false, goesOn: () => ++paths <= PATHS },
    });
    const tests = [];
    for (const test of made.tests) {
      const updates = await updatesOf(program, test.stimulus);
      tests.push({
        test,
        request: updates.length === 0 ? "" : String(writeUpdates(program, updates, "json")),
      });
    }
    const name = basename(path, ".p4");
    const folder = mkdtempSync(join(tmpdir(), "made-"));
    try {
      const text = ptfOf(tests, `Packet tests of ${name}.`);
      writeFileSync(join(folder, `test_${name}.py`), text);
      const places = { ptf, modules, tests: folder, ports: PORTS, name };
      const { output, failed } = await playPtf(program, {}, places);
      if (named.length > 0) process.stdout.write(output);
      const skips = text.split("@unittest.skip").length - 1;
      process.stdout.write(`${name}: ${tests.length} tests, ${skips} skipped, ${failed ?? "passes"}\n`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

await main();
