/** `p4loom equal` as a user meets it: verdicts by exit status, the packet that shows a difference, what it refuses. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-equal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = "test/toolchain/coverage/programs/choices.p4";
const TEXT = readFileSync(join(root, PROGRAM), "utf8");

function equal(other: string, ...options: string[]) {
  const path = join(folder, "other.p4");
  writeFileSync(path, other);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [COMMAND, "equal", PROGRAM, path, ...options],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

it("says 0 for equal programs, 1 with a packet for different ones, 3 where a limit ended it", () => {
  const same = equal(TEXT);
  expect([same.status, same.stderr]).toEqual([0, ""]);
  expect(same.stdout).toMatch(
    /^equal for all packets and entries up to one clone, .* \(\d+ pairs of paths\)\n$/,
  );
  const other = equal(TEXT.replace("sm.egress_spec = 7", "sm.egress_spec = 6"));
  expect(other.status).toBe(1);
  expect(other.stdout).toMatch(
    /^different: this packet with these entries\n(?: {2}table_.*\n)*? {2}packet \d+ [\da-f]+\n/,
  );
  expect(other.stdout).toMatch(/ {2}sends 7 /);
  expect(other.stdout).toMatch(/ {2}sends 6 /);
  const cut = equal(TEXT, "--max-paths", "3", "--json");
  expect(cut.status).toBe(3);
  expect(JSON.parse(cut.stdout).verdict).toBe("bounded");
});

it("refuses programs whose tables differ", () => {
  const { status, stdout, stderr } = equal(TEXT.replaceAll("kinds", "sorts"));
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/error\[P40043\]: .*only the first program has table TheIngress.kinds/);
});

it("takes a file of the second program's names, and reports a wrong name at its place", () => {
  const map = join(folder, "map.yaml");
  const other = TEXT.replaceAll("kinds", "sorts");
  writeFileSync(map, "tables:\n  TheIngress.kinds: TheIngress.sorts\n");
  expect(equal(other, "--entries", map)).toMatchObject({ status: 0, stderr: "" });
  writeFileSync(map, "tables:\n  TheIngress.kinds: TheIngress.sort\n");
  const wrong = equal(other, "--entries", map);
  expect([wrong.status, wrong.stdout]).toEqual([1, ""]);
  expect(wrong.stderr).toMatch(
    /map\.yaml:2:21: error\[P40043\]: the second program has no TheIngress\.sort here/,
  );
  writeFileSync(map, "table: {}\n");
  expect(equal(other, "--entries", map).stderr).toContain("error[P43002]");
});

it("compares without entries where that is asked for, and says so", () => {
  const { status, stdout } = equal(TEXT.replaceAll("kinds", "sorts"), "--entries", "none");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^equal for all packets without entries of a controller, up to one clone, /);
});
