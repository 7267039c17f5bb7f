/** Commands that run to their end: outputs, and why they fail. */
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "../../../src/toolchain/loading/index.js";

it("keeps both outputs, and has no error where the status is 0", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "p4loom-command-")));
  const end = await runCommand(["sh", "-c", "pwd; echo beside >&2"], { cwd: folder });
  expect(end).toEqual({ error: undefined, stdout: folder, stderr: "beside" });
});

it("reports the status, the signal, the limit of time, and a missing program", async () => {
  const errorOf = async (argv: readonly string[], timeoutMs?: number) =>
    (await runCommand(argv, timeoutMs === undefined ? {} : { timeoutMs })).error;
  expect(await errorOf(["sh", "-c", "exit 7"])).toBe("status 7");
  expect(await errorOf(["sh", "-c", "kill -TERM $$"])).toBe("status SIGTERM");
  expect(await errorOf(["sleep", "600"], 20)).toBe("not ended after 20 ms");
  expect(await errorOf(["p4loom-has-no-such-program"])).toBe("no such program");
});

it("keeps the outputs of a command that fails, unless they are ignored", async () => {
  const argv = ["sh", "-c", "echo why >&2; exit 1"];
  expect(await runCommand(argv)).toMatchObject({ error: "status 1", stderr: "why" });
  expect(await runCommand(argv, { output: "ignored" })).toEqual({
    error: "status 1",
    stdout: "",
    stderr: "",
  });
});
