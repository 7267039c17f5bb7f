/** Files that `p4loom compile` writes. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { compileFile } from "../../src/cli/compile.js";

it("does not write two outputs into one file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-outputs-"));
  const program = resolve(import.meta.dirname, "../toolchain/stf/programs/small.p4");
  const compiled = (p4runtimeFiles: string) =>
    compileFile(program, {
      ...{ I: [], D: [], U: [], maxErrorCount: "100" },
      ...{ o: join(folder, "a.json"), p4runtimeFiles },
    });
  try {
    await expect(compiled(`${folder}/./a.json`)).rejects.toThrow("P40005");
    expect(existsSync(join(folder, "a.json"))).toBe(false);
    expect(await compiled(`${folder}/a.txtpb`)).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
