/** What is said of a command that does not start. */

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { runCommand } from "../../../src/toolchain/loading/commands.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-run-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a command that is missing", () => {
  it("is no such program", async () => {
    expect((await runCommand(["p4loom-no-such-program"])).error).toBe("no such program");
  });

  it("is no such program also where PATH has a folder that this user may not enter", async () => {
    // A file that is not executable has the same error as such a folder, for root too.
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "p4loom-not-executable"), "");
    chmodSync(join(bin, "p4loom-not-executable"), 0o644);
    const module = pathToFileURL(
      resolve(import.meta.dirname, "../../../src/toolchain/loading/commands.js"),
    ).href;
    const loader = resolve(import.meta.dirname, "../../../node_modules/tsx/dist/loader.mjs");
    const script = `import { runCommand } from ${JSON.stringify(module)};
console.log((await runCommand(["p4loom-not-executable"])).error);`;
    const { stdout } = spawnSync(
      process.execPath,
      ["--import", loader, "--input-type=module", "-e", script],
      {
        env: { PATH: bin },
        encoding: "utf8",
      },
    );
    expect(stdout).toBe("no such program\n");
  });
});
