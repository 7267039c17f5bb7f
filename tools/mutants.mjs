/**
 * Mutation test of a room: `node tools/mutants.mjs ROOM [LINES]`, for example `p4/lower` or `hash 80`. Stryker changes the
 * code in one place at a time and runs the tests that reach this place; a mutant that no test notices survives.
 *
 * LINES: instead of the whole room, only the mutants of so many lines of code, taken at equal distances, so that every
 * run takes the same ones. Large rooms take hours as a whole. Prints the score and the survivors; the report in full goes to
 * out/mutants/.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Stryker } from "@stryker-mutator/core";

const root = resolve(import.meta.dirname, "..");
const [room, lines] = process.argv.slice(2);
if (room === undefined || !existsSync(join(root, "src", room)) || !/^[1-9]\d*$|^$/.test(lines ?? "")) {
  console.error("usage: node tools/mutants.mjs ROOM [LINES]; ROOM is a folder below src");
  process.exit(2);
}

const files = readdirSync(join(root, "src", room), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && entry.name !== "index.ts")
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .filter((file) => !file.includes("generated"))
  .sort();

/** Lines that can hold a mutant: no comments, imports, types or closing brackets alone. */
function codeLines(file) {
  const places = [];
  let comment = false;
  for (const [index, line] of readFileSync(join(root, file), "utf8").split("\n").entries()) {
    const text = line.trim();
    if (text.startsWith("/*")) comment = true;
    const code = !comment && !/^(\/\/|import |export (type|interface|\*|\{)|type |interface |[\])},;]*$)/.test(text);
    if (text.includes("*/")) comment = false;
    if (code) places.push(`${file}:${index + 1}-${index + 1}`);
  }
  return places;
}

function sample(places, count) {
  const step = Math.max(1, places.length / count);
  return Array.from({ length: Math.min(count, places.length) }, (_, i) => places[Math.floor(i * step)]);
}

const mutate = lines ? sample(files.flatMap(codeLines), Number(lines)) : files;
/** Tests outside of the folder that mirrors a room, whose subject is the room's work: programs compiled and run. */
const ALSO = {
  "p4/lower": ["test/p4/emit", "test/p4/compile-golden.test.ts", "test/p4/golden-packets.test.ts"],
  "p4/emit": ["test/p4/lower", "test/p4/compile-golden.test.ts", "test/p4/golden-packets.test.ts"],
};
/** `test` mirrors `src`; a part of a room without a folder of its own is tested by that of the room. */
let tests = room;
while (!existsSync(join(root, "test", tests))) tests = dirname(tests);

const report = join("out", "mutants", `${room.replaceAll("/", "-")}.json`);
mkdirSync(join(root, "out", "mutants"), { recursive: true });
process.chdir(root);
// Read by vitest.config.ts, in the processes that Stryker starts.
process.env["P4LOOM_TESTS"] = [`test/${tests}`, ...(ALSO[room] ?? [])].join(",");
const results = await new Stryker({
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  // All tests of the room: Stryker finds out which of them reach a mutant.
  vitest: { related: false },
  mutate,
  coverageAnalysis: "perTest",
  // Mutants of code that runs when a module is loaded need the whole suite each.
  ignoreStatic: true,
  ignorePatterns: ["dist", "out", ".git", "bench", "coverage"],
  concurrency: 2,
  timeoutMS: 12_000,
  // Texts of messages are held by goldens; their mutants say little about the rules of a room.
  mutator: { excludedMutations: ["StringLiteral"] },
  tempDirName: "out/stryker",
  reporters: ["json", "progress-append-only"],
  jsonReporter: { fileName: report },
  logLevel: "warn",
}).runMutationTest();

const count = (status) => results.filter((mutant) => mutant.status === status).length;
const caught = count("Killed") + count("Timeout");
const survived = results.filter(({ status }) => status === "Survived" || status === "NoCoverage");
for (const { fileName, location, mutatorName, replacement, status } of survived) {
  const place = `${relative(root, fileName)}:${location.start.line}:${location.start.column + 1}`;
  console.log(`${status} ${place} ${mutatorName}: ${replacement.replace(/\s+/g, " ").slice(0, 80)}`);
}
const total = caught + survived.length;
const score = total === 0 ? "no mutants" : `${((100 * caught) / total).toFixed(1)} %`;
console.log(`${room}: ${score}, ${caught} of ${total} mutants noticed, ${count("Ignored")} not tried`);
