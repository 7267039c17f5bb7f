/** Commands for one packet that the pages of exercises give: each runs in the folder of its exercise. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const course = resolve(import.meta.dirname, "../../examples/course");
const commands = readdirSync(course).flatMap((name) =>
  [
    ...readFileSync(join(course, name, "README.md"), "utf8").matchAll(
      /p4loom (trace [^`\n]*--packet [^`\n]*)/g,
    ),
  ].map(([, words]) => [name, words!] as const),
);

it.each(commands)("%s: p4loom %s", (name, words) => {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...words.split(" ")], {
    cwd: join(course, name),
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
});
