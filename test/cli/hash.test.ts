/** `p4loom hash` as a user meets it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-hash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function hash(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, "hash", ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("p4loom hash", () => {
  it("runs every command of docs/hash.md that needs no running switch", () => {
    const page = readFileSync(join(root, "docs/hash.md"), "utf8");
    const lines = [...page.matchAll(/^ {4}p4loom hash (.*)$/gm)]
      .map(([, line]) => line!.split(" "))
      .filter((line) => !line.includes("--switch"));
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      const args = line.map((word) => (word.endsWith(".html") ? join(folder, word) : word));
      const quick =
        args[0] === "delta"
          ? ["--draws", "1", ...args.filter((word) => !["--draws", "20"].includes(word))]
          : args;
      const { status, stdout, stderr } = hash(...quick, "--tests", "1000", "--samples", "1000");
      expect({ line, status, stderr }).toEqual({ line, status: 0, stderr: "" });
      expect(stdout.length).toBeGreaterThan(100);
    }
    expect(readFileSync(join(folder, "delta.html"), "utf8")).toMatch(
      /<svg .*<h2>Other sets of functions<\/h2>/s,
    );
  });

  it("prints JSON", () => {
    const { stdout } = hash("correlate", "crc-16/arc", "crc-16/usb", "--group", "4,8", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      { first: "crc-16/arc", second: "crc-16/usb", groups: [4, 8], sharedBits: 2 },
    ]);
  });

  it.each([
    [
      ["linear", "crc-16/arx"],
      1,
      'error[P44101]: there is no hash function "crc-16/arx"\nnote: did you mean "crc-16/arc"?',
    ],
    [["linear"], 2, "hash linear: no function is named"],
    [["correlate", "xor16"], 2, "one function is named"],
    [["correlate", "xor16", "xor32", "--group", "8,8,8"], 2, "expected one size"],
    [["collide", "--group", "0"], 2, "--group 0: expected a whole number from 1 to 4096"],
    [["delta", "pearson", "xor16", "xor32"], 1, "pearson is not affine"],
    [["delta", "crc-8/lte", "xor16", "xor32", "--tiers", "1,3,9"], 1, "crc-8/lte has 8 bits"],
    [["delta", "xor16", "xor32"], 2, "2 functions for 3 tiers"],
    [["delta", "--tiers", "16,16,1"], 2, "more than 32 bits"],
  ])("hash %j ends with %i and says %s", (args, status, message) => {
    const result = hash(...args);
    expect(result.status).toBe(status);
    expect(result.stderr).toContain(message);
  });
});
