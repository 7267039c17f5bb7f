/** Runs an experiment file whose schemes are modules, and gives its rows and what its controllers logged. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DiagnosticError, Diagnostics } from "../../../src/base/index.js";
import { loadExperimentWithOwn, type RunOptions } from "../../../src/fabric/experiment/index.js";
import { bmv2 } from "../testbed/machine.js";

(globalThis as Record<symbol, unknown>)[Symbol.for("p4loom.import")] = createRequire(import.meta.url)(
  "./native-import.cjs",
);

export type OwnRow = Readonly<Record<string, unknown>>;

/** `times`: of the lines, in seconds. `lines`: of controllers.log, each as `CONTROLLER: TEXT`, without label and time. Engines may leave out delays of links. */
export async function runOwn(
  path: string,
  out: string,
  options: RunOptions,
): Promise<{ rows: readonly OwnRow[]; lines: readonly string[]; times: readonly number[] }> {
  const diagnostics = new Diagnostics();
  const loaded = await loadExperimentWithOwn(path, diagnostics);
  if (loaded === undefined) throw new DiagnosticError(diagnostics.list);
  const testbed = {
    ...(bmv2 === undefined ? {} : { bmv2 }),
    allowMissing: new Set(["delay"] as const),
    ...options.testbed,
  };
  const { json } = await loaded.run({ out, ...options, testbed });
  const log = join(out, "controllers.log");
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  return {
    rows: JSON.parse(json).rows as OwnRow[],
    lines: lines.map((line) => line.replace(/^\S+ \S+ /, "")),
    times: lines.map((line) => Number(line.split(" ")[1])),
  };
}
