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
    expect(lines).toHaveLength(7);
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

  it("says that no choice depends on an earlier one only where this is proved", () => {
    const last = (...set: string[]) =>
      hash("assign", "examples/topologies/jupiter.yaml", ...set.flatMap((one) => ["--set", one])).stdout;
    const sentence = "No choice depends on an earlier one";
    expect(last("reuse=[2,4]")).toContain(sentence);
    expect(last("design=one", "chip=ideal")).toMatch(/\n28 pairs of switches are correlated/);
    for (const set of [
      ["design=one", "chip=ideal"],
      ["design=per_stage", "chip=[crc-16/modbus,crc-16/usb]"],
      ["design=per_stage", "chip=[rtag7/xor16,rtag7/xor16]"],
      ["design=per_stage", "chip=[rtag7/crc16-bisync:bits=0-7,rtag7/crc16-bisync:bits=2-9]"],
      ["chip=ideal"],
    ])
      expect(last(...set)).not.toContain(sentence);
    const uneven = hash(
      "assign",
      "examples/topologies/leaf-spine.yaml",
      "--set",
      "design=one",
      "--set",
      "chip=[rtag7/crc16-bisync-xor1:bits=0-7]",
    ).stdout;
    expect(uneven).toMatch(/groups have a function with too few values for their slots/);
    expect(uneven).not.toContain(sentence);
    const seeded = last("design=per_stage", "chip=ideal");
    expect(seeded).toContain("No dependence was found, but not all is proved");
    expect(seeded).toContain("drawn headers show no dependence: ideal with two seeds.");
    expect(seeded).not.toContain(sentence);
  });

  it("prints a pathmap", () => {
    const { stdout } = hash("pathmap", "examples/topologies/fat-tree.yaml", "--set", "field=ttl");
    expect(stdout).toMatch(/^bit +tor up +leaf up$/m);
    expect(stdout).toMatch(/^ttl bit 2 +\d +\d$/m);
    expect(stdout).toMatch(/From any header the control bits reach 4 of the 4 paths/);
    const { bits, hops, paths } = JSON.parse(
      hash("pathmap", "examples/topologies/jupiter.yaml", "--json").stdout,
    );
    expect(bits).toHaveLength(hops[0].offsets.length);
    expect(paths).toBe(2048);
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
    [["catalogue", "extra"], 2, "hash catalogue: extra is too much"],
    [["pathmap"], 2, "hash pathmap: 0 files are named"],
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
