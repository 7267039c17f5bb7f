// node --test NAME/
// P4LOOM: the command, if it is not `p4loom` on PATH: P4LOOM="npx p4loom" node --test NAME/
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** The rows of `results.json`. */
function run() {
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

test("flows leave a failed leaf under NAME, and never without re-pathing", () => {
  const recovered = Object.fromEntries(run().map((row) => [row.scheme, row.recovered]));
  assert.equal(recovered.NAME, 1);
  assert.equal(recovered.none, 0);
});
