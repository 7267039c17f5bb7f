/** How `tools/mutants.mjs` runs tests: all in one worker, with the code that holds the mutants and the runner that tries them. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { chosen, readTimes } from "./files.js";

const { code, tests, tree } = chosen();
const root = tree ?? resolve(import.meta.dirname, "../..");
const times = readTimes();

/** Files with short tests come first: the others do not try the mutants that these have caught. */
class ShortFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const totalOf = ({ moduleId }: TestSpecification): number =>
      Object.entries(times).reduce((sum, [key, ms]) => (key.startsWith(`${moduleId}#`) ? sum + ms : sum), 0);
    return [...files].sort((a, b) => totalOf(a) - totalOf(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

const instrumented =
  tree === undefined ? (JSON.parse(readFileSync(code, "utf8")) as Record<string, string>) : {};

export default defineConfig({
  root,
  plugins: [
    {
      name: "mutants",
      enforce: "pre",
      load: (id) => instrumented[id.replace(/\?.*$/, "")],
    },
  ],
  test: {
    include: [...tests],
    runner: join(import.meta.dirname, "runner.ts"),
    setupFiles: [join(import.meta.dirname, "setup.ts")],
    isolate: false,
    pool: "forks",
    maxWorkers: 1,
    sequence: { sequencer: ShortFirst },
    // A mutant that waits is ended by tools/mutants.mjs; on a busy machine a test of some seconds takes a minute.
    testTimeout: tree === undefined ? 120_000 : 600_000,
    hookTimeout: tree === undefined ? 60_000 : 300_000,
  },
});
