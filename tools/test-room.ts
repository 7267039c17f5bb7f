/**
 * The tests that a change of a room needs, in short time: `make test ROOM=fabric/topology`, or `npx tsx tools/test-room.ts ROOM
 * [--list]`. ROOM is a folder below src, with its wing or without. Runs the room's own tests, tests elsewhere that import the room or
 * that belong to rooms which import it directly, and the architecture test.
 *
 * Tests of other rooms are taken until the times of tools/rooms/times.json, with those of the room's own tests, reach 25 s of
 * processor time; those left out are counted. Labs (real switches and hosts) are left out. `--list` prints the files alone.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { roomNamed } from "./rooms/name.mjs";
import { readImports, select } from "./rooms/select.js";

/** Loading modules takes some more seconds. */
const LIMIT_MS = 20_000;

const root = resolve(import.meta.dirname, "..");
const { values: options, positionals } = parseArgs({
  options: { list: { type: "boolean", default: false } },
  allowPositionals: true,
});
const room = positionals.length === 1 ? roomNamed(root, positionals[0]) : undefined;
if (room === undefined) {
  console.error(
    `no room "${positionals.join(" ")}"; a room is a folder below src, with its wing (fabric/topology) or without (topology)`,
  );
  process.exit(2);
}

const times = JSON.parse(readFileSync(join(root, "tools/rooms/times.json"), "utf8")) as Record<
  string,
  number
>;
const { own, users, leftOut } = select(room, readImports(root), times, LIMIT_MS);
const files = ["test/architecture.test.ts", ...own, ...users];
if (options.list) {
  console.log(files.join("\n"));
  process.exit(0);
}
console.log(
  `${room}: ${own.length} test files of its own, ${users.length} of rooms that use it, the architecture test; for ${leftOut.length} there is no time`,
);
const { status } = spawnSync(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", "--project=rooms", "--project=processes", ...files],
  { cwd: root, stdio: "inherit" },
);
process.exit(status ?? 1);
