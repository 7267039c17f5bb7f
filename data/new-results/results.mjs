// Runs an experiment for the tests beside it.
// P4LOOM: the command, if it is not `p4loom` on PATH: P4LOOM="npx p4loom" node --test NAME/
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The rows of `results.json` of experiment.yaml. */
export function rows() {
  const folder = mkdtempSync(join(tmpdir(), "NAME-"));
  try {
    const [command, ...first] = (process.env.P4LOOM ?? "p4loom").split(" ");
    const file = fileURLToPath(new URL("experiment.yaml", import.meta.url));
    const text = execFileSync(command, [...first, "run", file, "--json", "--out", join(folder, "results")]);
    return JSON.parse(text).rows;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    throw new Error(`there is no command ${error.path}; say how to call p4loom: P4LOOM="npx p4loom" node --test NAME/`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
