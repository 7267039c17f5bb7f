/**
 * Mutation test of a room: `node tools/mutants.mjs ROOM [COUNT | survivors | report] [TEST ...]`, for example `toolchain/p4/lower` or
 * `toolchain/switch 300`. Stryker's instrumenter changes the code at one place at a time; the tests of the room that reach this place run
 * with the change, the short ones first, until one fails. A mutant with which no test fails survives. Prints the score and
 * the survivors; the full report is in out/mutants/.
 *
 * COUNT: number of mutants, at equal distances in the room's code; the same code always gives the same mutants.
 * `survivors`: only the mutants that survived the previous run, for new tests. The score is that of the previous run with
 * the new results. In a file that has changed since a run of all mutants, those of the changed lines are tried; a sample
 * only loses the mutants of such lines. TEST: only these files, such as new ones with `survivors`.
 *
 * P4LOOM_MUTANTS_PROCESSES=1 tries the tests of STARTING, which start the command, workers, agents or labs, in a copy of the project
 * whose programs hold the mutants too (tools/mutants/tree.mjs): with `survivors` only these tests, with COUNT the others too. Limits are
 * then of the processor time of all processes, and of the time in which all of them wait: a test may take four times what it took
 * without a mutant and 8 seconds more of each, must fail twice, and the tries of a mutant take 90 seconds together
 * (P4LOOM_MUTANTS_SECONDS sets another number); a test that takes more without a mutant is left out.
 *
 * P4LOOM_MUTANTS_RECORD=TEXT writes the score into tools/mutants/scores.json, from which docs/testing.md is made (`make
 * figures PAGE=testing`), and the survivors of a room below the goal into tools/mutants/survivors.json, from which docs/mutants.md
 * is made; TEXT says what was tried, for example `fresh sample`. `report` in place of COUNT tries nothing, and records the last run.
 *
 * One process loads the code once, with a switch for each mutant (tools/mutants/runner.ts). A mutant is also caught if it
 * ends the process, uses 60 seconds of processor time, or leaves all processes of the tests idle for 30 seconds; the
 * process is then started again and continues after this mutant. Processor time of other programs does not count. A mutant
 * is tried until its tries have executed 50 million places of mutants; a test that executes more without a mutant is left
 * out. P4LOOM_MUTANTS_STEPS sets another number: fewer give a lower bound of the score in less time.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { describeSurvivors } from "./mutants/survivors.mjs";
import { makeTree } from "./mutants/tree.mjs";
import { roomNamed } from "./rooms/name.mjs";

const root = resolve(import.meta.dirname, "..");
const startsProcesses = process.env["P4LOOM_MUTANTS_PROCESSES"] === "1";
const [named, which = "", ...onlyTests] = process.argv.slice(2);
// A file of a room, such as fabric/paths/localiser.ts, is tried by the tests of its folder, or by those that are named.
const isFile = named?.endsWith(".ts") === true;
const folder = roomNamed(root, isFile ? dirname(named) : named);
const room = isFile && folder !== undefined ? join(folder, basename(named)) : folder;
if (named === undefined || room === undefined || !existsSync(join(root, "src", room)) || !/^([1-9]\d*|survivors|report)?$/.test(which)) {
  console.error("usage: node tools/mutants.mjs ROOM [COUNT | survivors | report] [TEST ...]; ROOM is a folder below src, or below one of its wings, or a file of it");
  process.exit(2);
}
process.chdir(root);

/** Tests outside the folder that mirrors a room that nevertheless test the room: programs that are compiled and run. */
const ALSO = {
  "fabric/sim": ["test/fabric/controllers"],
  "fabric/sim/flow": ["test/fabric/schemes/dahu"],
  "toolchain/editing": ["test/toolchain/language-server", "test/course/lab/editing.test.ts"],
  "course/exercises": ["test/course/grading"],
  "course/grading": ["test/course/lab/session.test.ts"],
  "toolchain/program": ["test/toolchain/p4/emit", "test/toolchain/p4/compile-golden.test.ts", "test/toolchain/device", "test/toolchain/stf"],
  "toolchain/formatting": ["test/toolchain/generate", "test/toolchain/editing"],
  "toolchain/symbolic": ["test/toolchain/equal", "test/toolchain/testgen"],
  "fabric/experiment/faults": ["test/fabric/experiment"],
  "fabric/experiment/seeing": ["test/fabric/experiment"],
  "fabric/experiment/sweep": ["test/fabric/experiment"],
  "course/lab": ["test/course/grading", "test/course/exercises"],
  "base/packets": [
    ...["traffic/pcap.test.ts", "traffic/pcapng.test.ts", "traffic/replay.test.ts", "host-agent", "probing"].map((path) => `test/fabric/${path}`),
    ...["frame-pool", "frames", "read-frame", "stack-rules", "stack-messages", "host"].map((file) => `test/fabric/sim/packet/${file}.test.ts`),
    ...["test/fabric/sim/tcp/udp.test.ts", "test/course/exercises/packets.test.ts", "test/course/lab/packets.test.ts", "test/toolchain/hash"],
  ],
  "toolchain/p4/lower": ["test/toolchain/p4/emit", "test/toolchain/p4/compile-golden.test.ts", "test/toolchain/p4/constructs.test.ts", "test/toolchain/p4/golden-packets.test.ts"],
  "toolchain/p4/emit": ["test/toolchain/p4/lower", "test/toolchain/p4/compile-golden.test.ts", "test/toolchain/p4/constructs.test.ts", "test/toolchain/p4/golden-packets.test.ts"],
};
/** Tests that start processes with code of a room, or labs. */
const STARTING = {
  "course/lab-server": [
    "test/fabric/testbed/lab-session.test.ts",
    "test/fabric/testbed/lab-course.test.ts",
    "test/course/lab/browser/course.test.ts",
  ],
  "course/lab": ["test/course/lab/browser", "test/cli/trace/command.test.ts"],
  "course/submissions": ["test/course/submissions", "test/fabric/testbed/grade.test.ts", "test/docs/course-commands.test.ts"],
  "fabric/own-schemes": ["test/fabric/own-schemes"],
  "fabric/experiment/testbed": ["test/fabric/experiment/testbed.test.ts", "test/fabric/experiment/load/on-lab.test.ts"],
  "fabric/experiment/faults": ["test/parity/faults.test.ts", "test/fabric/experiment/testbed.test.ts", "test/fabric/experiment/load/on-lab.test.ts"],
  "fabric/experiment/seeing": ["test/fabric/experiment/timeline", "test/fabric/experiment/seeing/timeline-page.test.ts"],
  "fabric/experiment/sweep": ["test/cli/sweep.test.ts", "test/cli/slurm.test.ts"],
  "fabric/experiment/kinds": ["test/cli/sweep.test.ts", "test/fabric/experiment/testbed.test.ts", "test/fabric/experiment/load/on-lab.test.ts"],
};
/** Parts of a larger room with tests of their own: they are tested only by their own name. */
const APART = {
  "fabric/sim/packet/transport": ["test/fabric/sim/tcp", "test/fabric/sim/congestion", "test/fabric/sim/packet/transport.test.ts", "test/fabric/sim/packet/chooser-signals.test.ts"],
  "fabric/sim/packet/transport/messages": ["test/second-models/messages.test.ts", "test/second-models/flight.test.ts"],
};
/** Tests that compare minutes of simulated time with closed forms: each try would take seconds. */
const LEFT_OUT = [join("test", "fabric", "sim", "congestion", "validation.test.ts")];
/** The score that every room should have. */
const GOAL = 0.85;
/** Tests that start processes have limits of their own. */
const LOOPS_AFTER_CPU_MS = startsProcesses ? 300_000 : 60_000;
const HANGS_AFTER_IDLE_MS = startsProcesses ? 180_000 : 30_000;
const LOOKS_EVERY_MS = 2000;
/** Tests up to this time try the mutants first, in ms. */
const SHORT_MS = startsProcesses ? 3000 : 200;
const LONGEST_MS = 86_400_000;
/** Processor time that timers use between two checks. */
const IDLE_CPU_MS = 100;

const filesBelow = (folder, ending) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
const isApart = (file) =>
  Object.keys(APART).some((part) => part !== room && !room.startsWith(`${part}/`) && file.startsWith(`src/${part}/`));
const sources = (isFile ? [join("src", room)] : filesBelow(join("src", room), ".ts")).filter(
  (file) => !/generated|(^|\/)index\.ts$/.test(file) && !isApart(file),
);

/** `test` mirrors `src`; a part of a room without its own folder is tested by the folder of the room. */
let mirror = room;
while (!existsSync(join("test", mirror))) mirror = dirname(mirror);
const starting = startsProcesses ? (STARTING[room] ?? []) : [];
const inside = APART[room] ?? [join("test", mirror), ...(ALSO[room] ?? [])];
const own = [...(startsProcesses && which === "survivors" ? [] : inside), ...starting]
  .flatMap((path) => (path.endsWith(".ts") ? [path] : filesBelow(path, ".test.ts")))
  .filter((path) => !LEFT_OUT.includes(path));
const missing = onlyTests.find((path) => !existsSync(path));
if (missing !== undefined) {
  console.error(`there is no test file ${missing}`);
  process.exit(2);
}
const name = room.replaceAll("/", "-");
const place = (suffix) => join(root, "out", "mutants", `${name}${suffix}`);
const tree = startsProcesses ? place(".tree") : undefined;
const tests = [...new Set(onlyTests.length > 0 ? onlyTests : own)].map((path) => resolve(tree ?? root, path));
mkdirSync(join(root, "out", "mutants"), { recursive: true });

const PRELUDE = `// @ts-nocheck
const stryMutants_9fa48 = globalThis.p4loomMutants;
function stryMutAct_9fa48(id) { return stryMutants_9fa48.isActive(id); }
function stryCov_9fa48(...ids) { stryMutants_9fa48.cover(ids); }
function stryStep_9fa48() { if (++stryMutants_9fa48.steps > stryMutants_9fa48.limit) stryMutants_9fa48.stop(); }
`;

/** The code with only the chosen mutants: at the places of all others it only counts steps, which costs little. */
const withMutants = (code, ids) =>
  code
    .replace(/stryMutAct_9fa48\(\s*"(\d+)"\s*\)/g, (call, id) => (ids.has(id) ? call : "false"))
    .replace(/stryCov_9fa48\(((?:\s*"\d+",?)+\s*)\)/g, (_, list) => {
      const kept = list.match(/\d+/g).filter((id) => ids.has(id));
      return kept.length === 0 ? "stryStep_9fa48()" : `stryCov_9fa48(${kept.map((id) => `"${id}"`).join(", ")})`;
    });

// The code with its mutants. Texts of messages are held by goldens: their mutants say little about the rules of a room.
const silent = { debug() {}, info() {}, warn: console.warn, error: console.error, isDebugEnabled: () => false };
const { files, mutants: made } = await new Instrumenter(silent).instrument(
  sources.map((file) => ({ name: file, mutate: true, content: readFileSync(file, "utf8") })),
  { plugins: null, excludedMutations: ["StringLiteral"], ignorers: [] },
);
const instrumented = files.map(({ name: file, content }) => {
  const code = content.replace(/^[\s\S]*?\nfunction stryMutAct_9fa48\(id\) \{[\s\S]*?\n\}\n/, () => PRELUDE);
  if (!code.startsWith(PRELUDE) && content.includes("stryMutAct")) throw new Error(`${file}: an unknown header`);
  return [join(root, file), code];
});

const mutants = made
  .filter(({ status }) => status !== "Ignored")
  .map(({ id, fileName, location, mutatorName, replacement }) => {
    const line = readFileSync(fileName, "utf8").split("\n")[location.start.line];
    return { id, file: fileName, location, mutatorName, replacement, line };
  });

/** The same mutant in code whose other lines may have changed. */
const keyOf = ({ file, line, location, mutatorName, replacement }) =>
  JSON.stringify([file, line, location.start.column, location.end.column, mutatorName, replacement]);
const isAlive = ({ status }) => status === "Survived" || status === "NoCoverage";

/** Where a mutant of an older report stands now: of equal lines, the nearest. */
function placeNow(mutant) {
  const key = keyOf(mutant);
  const away = ({ location }) => Math.abs(location.start.line - mutant.location.start.line);
  return mutants.filter((one) => keyOf(one) === key).reduce((best, one) => (away(one) < away(best) ? one : best)).location;
}

const report = place(".json");
let kept = [];
let trying = mutants;
let isSample = /^\d/.test(which);
if (which === "survivors" || which === "report") {
  if (!existsSync(report)) {
    console.error(`${room}: there is no report of a run before`);
    process.exit(2);
  }
  const { mutants: old, sample } = JSON.parse(readFileSync(report, "utf8"));
  isSample = sample;
  const byKey = new Map(old.map((mutant) => [keyOf(mutant), mutant]));
  const lines = new Set(old.map(({ file, line }) => `${file}\n${line}`));
  const touched = new Set(old.filter(({ file, line }) => !mutants.some((m) => m.file === file && m.line === line)).map(({ file }) => file));
  trying = mutants.filter((mutant) => {
    const last = byKey.get(keyOf(mutant));
    return last === undefined ? !sample && touched.has(mutant.file) && !lines.has(`${mutant.file}\n${mutant.line}`) : isAlive(last);
  });
  if (which === "report") trying = [];
  const again = new Set(trying.map(keyOf));
  const now = new Set(mutants.map(keyOf));
  kept = old.filter((mutant) => !again.has(keyOf(mutant)) && now.has(keyOf(mutant))).map((mutant) => ({ ...mutant, location: placeNow(mutant) }));
} else if (which !== "") {
  const step = Math.max(1, mutants.length / Number(which));
  trying = Array.from({ length: Math.min(Number(which), mutants.length) }, (_, i) => mutants[Math.floor(i * step)]);
}

const journal = place(".journal");
const times = place(startsProcesses ? ".processes.times.json" : ".times.json");
rmSync(journal, { force: true });

const events = () => {
  if (!existsSync(journal)) return [];
  return readFileSync(journal, "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
};

/** Processor time that the processes of a group have used, and whether one of them could run now. */
function cpuMsOf(group) {
  let ms = 0;
  let runs = false;
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    let fields;
    try {
      fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
    } catch {
      continue; // It has ended.
    }
    if (Number(fields[2]) !== group) continue;
    runs ||= fields[0] === "R" || fields[0] === "D";
    // User and system time, in ticks of 10 ms.
    ms += 10 * (Number(fields[11]) + Number(fields[12]));
  }
  return { ms, runs };
}

/**
 * Runs the tests once to the end, or until a mutant hangs. Resolves to whether the process ended by itself, without
 * an open try.
 */
function runTests(ids, longestMs) {
  const chosen = { code: place(".code.json"), tests, tree, mutants: ids, longestMs, journal, times };
  writeFileSync(place(".chosen.json"), JSON.stringify(chosen));
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--config", "tools/mutants/vitest.config.ts", "--reporter", "dot"],
    {
      detached: true,
      stdio: ["ignore", "ignore", ids.length === 0 || process.env["P4LOOM_MUTANTS_LOG"] ? "inherit" : "ignore"],
      env: { ...process.env, CI: "1", P4LOOM_MUTANTS: place(".chosen.json") },
    },
  );
  return new Promise((resolve) => {
    let tried, cpuAtStart = 0, last = cpuMsOf(child.pid), idle = 0;
    const watch = setInterval(() => {
      const now = cpuMsOf(child.pid);
      const open = openTry();
      const key = open && JSON.stringify(open);
      if (key !== tried) [tried, cpuAtStart, idle] = [key, now.ms, 0];
      idle = now.runs || now.ms - last.ms > IDLE_CPU_MS ? 0 : idle + LOOKS_EVERY_MS;
      last = now;
      if (idle > HANGS_AFTER_IDLE_MS || (open !== undefined && now.ms - cpuAtStart > LOOPS_AFTER_CPU_MS))
        process.kill(-child.pid, "SIGKILL");
    }, LOOKS_EVERY_MS);
    const stop = () => process.kill(-child.pid, "SIGKILL");
    process.once("exit", stop);
    child.once("exit", () => {
      clearInterval(watch);
      process.removeListener("exit", stop);
      resolve();
    });
  });
}

/** The try that has begun and not ended. Reads only the end of the journal, which becomes long. */
function openTry() {
  if (!existsSync(journal)) return undefined;
  const text = readFileSync(journal, "utf8");
  const start = text.lastIndexOf('{"kind":"start"');
  const end = text.indexOf("\n", start);
  if (start < 0 || end < 0 || text.lastIndexOf('{"kind":"result"') > start) return undefined;
  return JSON.parse(text.slice(start, end));
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

if (trying.length > 0) {
  const ids = trying.map(({ id }) => id);
  const code = instrumented.map(([file, text]) => [file, withMutants(text, new Set(ids))]);
  writeFileSync(place(".code.json"), JSON.stringify(Object.fromEntries(code)));
  if (tree !== undefined) makeTree(root, tree, code.map(([file, text]) => [relative(root, file), text]), PRELUDE);
  // The times determine the order of the tests; for survivors, those of the previous run are used while the tests are the same.
  const isOld = existsSync(times) && tests.some((test) => statSync(test).mtimeMs > statSync(times).mtimeMs);
  if (which !== "survivors" || isOld) rmSync(times, { force: true });
  if (!existsSync(times)) await runTests([], LONGEST_MS);
  rmSync(journal, { force: true });
  const { appendFileSync } = await import("node:fs");
  // Short tests of all files come first: a long one would take most of what the tries of a mutant may take.
  for (const longestMs of [SHORT_MS, LONGEST_MS]) {
    const isOver = (all) => {
      const over = new Set(all.flatMap(({ kind, test }) => (kind === "done" || kind === "broken" ? [test] : [])));
      const measured = Object.entries(JSON.parse(readFileSync(times, "utf8")));
      return measured.every(([test, ms]) => ms < 0 || ms > longestMs || over.has(test));
    };
    // A mutant can also end the process after its try, by a promise without a handler. Repeat until all tests are done, or no
    // run makes progress.
    for (let before = -1, all = events(); !isOver(all); ) {
      await runTests(ids, longestMs);
      const open = openTry();
      if (open !== undefined)
        appendFileSync(journal, `${JSON.stringify({ kind: "result", mutant: open.mutant, status: "Timeout", test: open.test, spent: 0 })}\n`);
      all = events();
      const steps = all.filter(({ kind }) => ["result", "done", "broken", "spoiled"].includes(kind)).length;
      if (steps === before) break;
      before = steps;
    }
  }
}

if (trying.length > 0 && !events().some(({ kind }) => kind === "done")) {
  console.error(`${room}: the tests do not run; P4LOOM_MUTANTS_LOG=1 shows their messages`);
  process.exit(1);
}

const statuses = new Map();
const reached = new Set();
const loaded = new Set();
for (const event of events()) {
  if (event.kind === "covered") for (const id of event.mutants) reached.add(id);
  if (event.kind === "static") for (const id of event.mutants) loaded.add(id);
  if (event.kind === "result" && event.status !== "Survived") statuses.set(event.mutant, event);
}
const tried = trying.map((mutant) => {
  const result = statuses.get(mutant.id);
  // Mutants of code that runs when a module is loaded would need the whole suite each.
  const otherwise = reached.has(mutant.id) ? "Survived" : loaded.has(mutant.id) ? "Ignored" : "NoCoverage";
  return { ...mutant, status: result?.status ?? otherwise, noticedBy: result?.test };
});
const all = [...kept, ...tried];
writeFileSync(report, JSON.stringify({ sample: isSample, mutants: all }));

const count = (...wanted) => all.filter(({ status }) => wanted.includes(status)).length;
for (const { file, location, mutatorName, replacement, status } of all.filter(isAlive)) {
  const text = replacement.replace(/\s+/g, " ").slice(0, 80);
  console.log(`${status} ${file}:${location.start.line + 1}:${location.start.column + 1} ${mutatorName}: ${text}`);
}
const caught = count("Killed", "Timeout");
const total = caught + count("Survived", "NoCoverage");
const score = total === 0 ? "no mutants" : `${((100 * caught) / total).toFixed(1)} %`;
console.log(`${room}: ${score}, ${caught} of ${total} mutants noticed, ${count("Ignored")} not tried`);

const tells = process.env["P4LOOM_MUTANTS_RECORD"];
if (tells !== undefined && total > 0) {
  const commit = spawnSync("git", ["rev-parse", "--short=8", "HEAD"], { encoding: "utf8" }).stdout.trim();
  const date = new Date().toISOString().slice(0, 10);
  put("scores.json", { room, tried: tells, mutants: total, detected: caught, date, commit });
  const isReached = caught >= GOAL * total;
  put("survivors.json", isReached ? undefined : { room, survivors: describeSurvivors(all.filter(isAlive)) });
}

/** Puts the record of this room into a stored list, in place of an older one. Undefined: it has none. */
function put(list, record) {
  const path = join(root, "tools/mutants", list);
  const records = JSON.parse(readFileSync(path, "utf8"));
  const at = records.findIndex((each) => each.room === room);
  records.splice(at < 0 ? records.length : at, at < 0 ? 0 : 1, ...(record === undefined ? [] : [record]));
  const lines = records.map((each) => JSON.stringify(each).replaceAll('{"file"', '\n  {"file"'));
  writeFileSync(path, `[\n${lines.join(",\n")}\n]\n`);
}
