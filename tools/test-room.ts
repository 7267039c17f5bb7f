/**
 * The tests that a change of a room needs, in short time: `make test ROOM=fabric/topology`, or `npx tsx tools/test-room.ts ROOM
 * [--list]`. ROOM is a folder below src, with its wing or without. Runs the room's own tests, tests elsewhere that import the room or
 * that belong to rooms which import it directly, and the architecture test.
 *
 * Tests of other rooms are taken until the times of tools/rooms/times.json, with those of the room's own tests, reach 20 s of
 * processor time; those left out are counted. Labs (real switches and hosts) are left out. `--list` prints the files alone.
 *
 * `npx tsx tools/test-room.ts --measure [FILE ...]` runs all tests but labs, or these, and writes their times into times.json.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { LABS } from "../vitest.config.js";
import { roomNamed } from "./rooms/name.mjs";
import { isOneOf, readImports, select, USUAL_MS } from "./rooms/select.js";

/** Loading modules takes some more seconds. */
const LIMIT_MS = 20_000;

const root = resolve(import.meta.dirname, "..");
const TIMES = join(root, "tools/rooms/times.json");
const readTimes = () => JSON.parse(readFileSync(TIMES, "utf8")) as Record<string, number>;

/** Runs test files, but those of labs; resolves to the exit status. */
function runTests(files: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--project=rooms", "--project=processes", ...files];
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env }).status ?? 1;
}

/** Files that take less than the time of an unknown file are left out. */
function measure(files: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-times-"));
  const list = join(folder, "times.jsonl");
  const status = runTests(files, { ...process.env, P4LOOM_TEST_TIMES: list });
  const measured = new Map(Object.entries(readTimes()).filter(([file]) => existsSync(join(root, file))));
  for (const line of existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : []) {
    const [file, ms] = JSON.parse(line) as [string, number];
    if (ms > USUAL_MS) measured.set(file, ms);
    else measured.delete(file);
  }
  rmSync(folder, { recursive: true });
  writeFileSync(TIMES, `${JSON.stringify(Object.fromEntries([...measured].sort()), undefined, 1)}\n`);
  return status;
}

const { values: options, positionals } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    measure: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
if (options.measure) process.exit(measure(positionals));
const room = positionals.length === 1 ? roomNamed(root, positionals[0]) : undefined;
if (room === undefined) {
  console.error(
    `no room "${positionals.join(" ")}"; a room is a folder below src, with its wing (fabric/topology) or without (topology)`,
  );
  process.exit(2);
}

const imports = [...readImports(root)].filter(([file]) => !isOneOf(LABS, file));
const { own, users, leftOut } = select(room, new Map(imports), readTimes(), LIMIT_MS);
const files = ["test/architecture.test.ts", ...own, ...users];
if (options.list) {
  console.log(files.join("\n"));
  process.exit(0);
}
console.log(
  `${room}: ${own.length} test files of its own, ${users.length} of rooms that use it, the architecture test; for ${leftOut.length} there is no time`,
);
process.exit(runTests(files));
