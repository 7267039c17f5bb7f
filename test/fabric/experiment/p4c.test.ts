/** How p4c is called, with a program of the test's own in its place. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import { runP4c } from "../../../src/fabric/experiment/index.js";
import { compileWithP4c } from "../../../src/fabric/experiment/p4c.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-p4c-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A shell script in p4c's place. */
function script(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const files = { source: "a.p4", json: "a.json", p4info: "a.txtpb" };

describe("p4c", () => {
  it("gets folders, macros and files, in the requested folder", async () => {
    const path = script("echo", 'for word in "$@"; do echo "$word"; done > words');
    const more = { include: ["one two", "lib"], define: ["A", "B=1"] };
    expect(await runP4c(path, { ...files, ...more }, { cwd: folder })).toMatchObject({ why: undefined });
    const words = readFileSync(join(folder, "words"), "utf8").trim().split("\n");
    expect(words).toEqual([
      ...["--arch", "v1model", "--p4v", "16", "-Ione two", "-Ilib", "-DA", "-DB=1"],
      ...["--p4runtime-files", "a.txtpb", "-o", "a.json", "a.p4"],
    ]);
  });

  it("says why it failed", async () => {
    const failing = script("fail", "echo 'a.p4(1): syntax error' >&2; exit 3");
    expect(await runP4c(failing, files)).toEqual({ why: "status 3", said: "a.p4(1): syntax error" });
    expect(await runP4c(join(folder, "none"), files)).toMatchObject({ why: "no such program" });
    expect(await runP4c(script("die", "kill -9 $$"), files)).toMatchObject({ why: "status SIGKILL" });
    const program = new SourceFile("pecmp/tor.p4", "");
    await expect(compileWithP4c(failing, program)).rejects.toThrow(
      /P43012.*p4c does not compile pecmp\/tor\.p4/,
    );
  });
});
