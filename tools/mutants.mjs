/**
 * Mutation test of a room: `node tools/mutants.mjs ROOM [LINES | survivors]`, for example `p4/lower` or `hash 80`. Stryker
 * changes the code in one place at a time and runs the tests that reach this place; a mutant that no test notices survives.
 *
 * LINES: instead of the whole room, only the mutants of so many lines of code, taken at equal distances, so that every
 * run takes the same ones. Large rooms take hours as a whole. Prints the score and the survivors; the report in full goes to
 * out/mutants/.
 *
 * `survivors`: only the mutants that survived the run before, for new tests of unchanged code. The report and the score are
 * those of the run before with the new results. A file that has changed since is tested as a whole.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Stryker } from "@stryker-mutator/core";

const root = resolve(import.meta.dirname, "..");
const [room, which = ""] = process.argv.slice(2);
if (room === undefined || !existsSync(join(root, "src", room)) || !/^([1-9]\d*|survivors)?$/.test(which)) {
  console.error("usage: node tools/mutants.mjs ROOM [LINES | survivors]; ROOM is a folder below src");
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

const report = join(root, "out", "mutants", `${room.replaceAll("/", "-")}.json`);
const readReport = () => JSON.parse(readFileSync(report, "utf8"));
const mutantsOf = ({ files }) =>
  Object.entries(files).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ file, mutant })));
const isAlive = ({ status }) => status === "Survived" || status === "NoCoverage";

if (which === "survivors" && !existsSync(report)) {
  console.error(`${room}: there is no report of a run before`);
  process.exit(2);
}
const before = which === "survivors" ? readReport() : undefined;

/** The place of a mutant as Stryker's option takes it: columns from 0. */
function placeOf({ file, mutant: { location } }) {
  const { start, end } = location;
  return `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

const isUnchanged = ([file, { source }]) =>
  existsSync(join(root, file)) && readFileSync(join(root, file), "utf8") === source;

function chosen() {
  if (before === undefined) return which === "" ? files : sample(files.flatMap(codeLines), Number(which));
  const unchanged = Object.fromEntries(Object.entries(before.files).filter(isUnchanged));
  const alive = mutantsOf({ files: unchanged }).filter(({ mutant }) => isAlive(mutant));
  const changed = files.filter((file) => file in before.files && !(file in unchanged));
  return [...new Set(alive.map(placeOf)), ...changed];
}

/** Tests outside of the folder that mirrors a room, whose subject is the room's work: programs compiled and run. */
const ALSO = {
  "p4/lower": ["test/p4/emit", "test/p4/compile-golden.test.ts", "test/p4/golden-packets.test.ts"],
  "p4/emit": ["test/p4/lower", "test/p4/compile-golden.test.ts", "test/p4/golden-packets.test.ts"],
};
/** `test` mirrors `src`; a part of a room without a folder of its own is tested by that of the room. */
let tests = room;
while (!existsSync(join(root, "test", tests))) tests = dirname(tests);

mkdirSync(join(root, "out", "mutants"), { recursive: true });
process.chdir(root);
// Read by vitest.config.ts, in the processes that Stryker starts.
process.env["P4LOOM_TESTS"] = [`test/${tests}`, ...(ALSO[room] ?? [])].join(",");
await new Stryker({
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  // All tests of the room: Stryker finds out which of them reach a mutant.
  vitest: { related: false },
  mutate: chosen(),
  coverageAnalysis: "perTest",
  // Mutants of code that runs when a module is loaded need the whole suite each.
  ignoreStatic: true,
  ignorePatterns: ["dist", "out", ".git", "bench", "coverage"],
  concurrency: 2,
  timeoutMS: 12_000,
  dryRunTimeoutMinutes: 20,
  // Texts of messages are held by goldens; their mutants say little about the rules of a room.
  mutator: { excludedMutations: ["StringLiteral"] },
  // Of its own, so that two rooms can be tested at once.
  tempDirName: join("out", `stryker-${room.replaceAll("/", "-")}`),
  reporters: ["json", "progress-append-only"],
  jsonReporter: { fileName: report },
  logLevel: "warn",
}).runMutationTest();

const merged = readReport();
if (before !== undefined) {
  const keyOf = ({ file, mutant }) => JSON.stringify([placeOf({ file, mutant }), mutant.mutatorName, mutant.replacement]);
  const now = new Map(mutantsOf(merged).map((entry) => [keyOf(entry), entry.mutant.status]));
  const unchanged = Object.fromEntries(Object.entries(before.files).filter(isUnchanged));
  for (const entry of mutantsOf({ files: unchanged })) {
    if (isAlive(entry.mutant)) entry.mutant.status = now.get(keyOf(entry)) ?? entry.mutant.status;
  }
  merged.files = { ...merged.files, ...unchanged };
  writeFileSync(report, JSON.stringify(merged));
}

const mutants = mutantsOf(merged);
const count = (...statuses) => mutants.filter(({ mutant }) => statuses.includes(mutant.status)).length;
for (const { file, mutant } of mutants.filter(({ mutant }) => isAlive(mutant))) {
  const { location, mutatorName, replacement, status } = mutant;
  const text = replacement.replace(/\s+/g, " ").slice(0, 80);
  console.log(`${status} ${file}:${location.start.line}:${location.start.column} ${mutatorName}: ${text}`);
}
const caught = count("Killed", "Timeout");
const total = caught + count("Survived", "NoCoverage");
const score = total === 0 ? "no mutants" : `${((100 * caught) / total).toFixed(1)} %`;
console.log(`${room}: ${score}, ${caught} of ${total} mutants noticed, ${count("Ignored")} not tried`);
