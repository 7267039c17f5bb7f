/** Runs one suite of third-party tests against one switch, and counts the passed tests. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { execa } from "execa";
import type { Bench } from "./network.js";
import { inside, makeBench } from "./network.js";
import type { PtfSuite, PytestSuite, ScriptSuite, Suite } from "./suites.js";

/** A switch under test: how it is started. The words after the command are those of simple_switch_grpc for both. */
export interface Target {
  readonly name: string;
  readonly command: string;
  readonly before: readonly string[];
}

export interface Places {
  /** Folder with the checkouts of the suites. */
  readonly clients: string;
  readonly project: string;
  readonly python: string;
  /** Folder for programs, logs and copies. */
  readonly work: string;
}

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** Names of tests that failed, in order; for a script, its lines. */
  readonly details: readonly string[];
  readonly seconds: number;
}

interface Compiled {
  readonly config: string;
  readonly p4info: string;
}

const PORTS = 8;
const ADDRESS = "127.0.0.1:9559";

/** @throws Error when the program does not compile or the switch does not start */
export async function runSuite(suite: Suite, target: Target, places: Places): Promise<Outcome> {
  const work = join(places.work, suite.name.replace(/[^A-Za-z0-9]+/g, "-"), target.name);
  mkdirSync(work, { recursive: true });
  const program = await compileProgram(suite, places, work);
  const bench = await makeBench(`p4lc${process.pid % 100000}`, PORTS);
  try {
    const stop = await startSwitch(suite, target, bench, work);
    try {
      const started = performance.now();
      const outcome = await play(suite, bench, program, places, work);
      return { ...outcome, seconds: (performance.now() - started) / 1000 };
    } finally {
      await stop();
    }
  } finally {
    await bench.remove();
  }
}

async function compileProgram(suite: Suite, places: Places, work: string): Promise<Compiled | undefined> {
  if (suite.program === undefined) return undefined;
  const folder = suite.kind === "script" ? places.project : places.clients;
  const program = join(folder, suite.program);
  const stem = basename(program, extname(program));
  const compiled = { config: join(work, `${stem}.json`), p4info: join(work, `${stem}.p4info.txtpb`) };
  const options = ("compilerOptions" in suite ? suite.compilerOptions : undefined) ?? [];
  const main = join(places.project, "dist/cli/main.js");
  const words = options.map((word) => (word.startsWith("-") ? word : join(places.clients, word)));
  const files = ["-o", compiled.config, "--p4runtime-files", compiled.p4info];
  await execa(process.execPath, [main, "compile", program, ...words, ...files]);
  return compiled;
}

async function startSwitch(
  suite: Suite,
  target: Target,
  bench: Bench,
  work: string,
): Promise<() => Promise<void>> {
  const first = "firstPort" in suite ? suite.firstPort : 0;
  const interfaces = bench.pairs.flatMap(({ inner }, i) => ["-i", `${first + i}@${inner}`]);
  const device =
    "deviceId" in suite && suite.deviceId !== undefined ? ["--device-id", String(suite.deviceId)] : [];
  const cpu = suite.cpuPort === undefined ? [] : ["--cpu-port", String(suite.cpuPort)];
  const [command, args] = inside(bench.namespace, target.command, [
    ...target.before,
    "--no-p4",
    ...device,
    ...interfaces,
    "--",
    "--grpc-server-addr",
    ADDRESS,
    ...cpu,
  ]);
  const process_ = execa(command, args, { all: true, reject: false, stdin: "ignore", buffer: true });
  await untilListening(bench, process_, process_.spawnargs);
  return async () => {
    process_.kill("SIGTERM");
    const { all } = await process_;
    writeFileSync(join(work, "switch.log"), all ?? "");
  };
}

async function untilListening(
  bench: Bench,
  process_: Promise<unknown>,
  words: readonly string[],
): Promise<void> {
  let ended = false;
  const mark = () => {
    ended = true;
  };
  process_.then(mark, mark);
  for (let tries = 0; tries < 300; tries++) {
    const [command, args] = inside(bench.namespace, "ss", ["-Htln", "sport", "=", ":9559"]);
    if ((await execa(command, args)).stdout.trim() !== "") return;
    if (ended) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the switch does not listen: ${words.join(" ")}`);
}

type Played = Omit<Outcome, "seconds">;

function play(
  suite: Suite,
  bench: Bench,
  program: Compiled | undefined,
  places: Places,
  work: string,
): Promise<Played> {
  switch (suite.kind) {
    case "ptf":
      return playPtf(suite, bench, program!, places, work);
    case "pytest":
      return playPytest(suite, bench, places, work);
    case "script":
      return playScript(suite, bench, program!, places, work);
  }
}

async function playPtf(
  suite: PtfSuite,
  bench: Bench,
  program: Compiled,
  places: Places,
  work: string,
): Promise<Played> {
  if (!suite.pushes) await push(suite, bench, program, places);
  const modules = suite.modules.map((folder) => join(places.clients, folder));
  let tests = join(places.clients, suite.tests);
  if (extname(tests) === ".py") {
    const folder = join(work, "tests");
    mkdirSync(folder, { recursive: true });
    cpSync(tests, join(folder, basename(tests)));
    tests = folder;
  }
  const parameters = {
    grpcaddr: ADDRESS,
    p4info: program.p4info,
    ...(suite.pushes ? { config: program.config } : {}),
    ...suite.parameters,
  };
  const words = Object.entries(parameters).map(([key, value]) => `${key}='${value}'`);
  const [command, args] = inside(bench.namespace, join(dirname(places.python), "ptf"), [
    "--pypath",
    modules.join(":"),
    ...bench.pairs.flatMap(({ outer }, i) => ["-i", `${suite.firstPort + i}@${outer}`]),
    `--test-params=${words.join(";")}`,
    "--test-dir",
    tests,
    ...(suite.select ?? []),
  ]);
  const text = await run(suite, command, args, places, work, modules);
  return countPtf(text);
}

/** Lines of unittest: `demo1.FwdTest ... ok`, with whatever the test prints in between. */
function countPtf(text: string): Played {
  const details: string[] = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let test = "";
  for (const line of text.split("\n")) {
    const begun = /^(\S+\.\S+) \.\.\./.exec(line);
    if (begun !== null) test = begun[1]!;
    const verdict = /(?:^|\.\.\. ?)(ok|FAIL|ERROR|skipped .*|SKIP.*)$/.exec(line.trim())?.[1];
    if (verdict === undefined || test === "") continue;
    if (verdict === "ok") counts.passed++;
    else if (/^skip/i.test(verdict)) counts.skipped++;
    else {
      counts.failed++;
      details.push(test);
    }
    test = "";
  }
  if (test !== "") {
    counts.failed++;
    details.push(`${test} (not finished)`);
  }
  return { ...counts, details };
}

async function playPytest(suite: PytestSuite, bench: Bench, places: Places, work: string): Promise<Played> {
  const [command, args] = inside(bench.namespace, places.python, [
    "-m",
    "pytest",
    "-q",
    "-rfE",
    "-p",
    "no:cacheprovider",
    "--asyncio-mode=auto",
    ...suite.files,
  ]);
  const folder = join(places.clients, suite.folder);
  const text = await run(suite, command, args, places, work, [folder], folder, {
    [suite.addressVariable]: ADDRESS,
  });
  const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1] ?? 0);
  const details = [...text.matchAll(/^(?:FAILED|ERROR) (\S+)/gm)].map((match) => match[1]!);
  return {
    passed: count("passed"),
    failed: count("failed") + count("error"),
    skipped: count("skipped"),
    details,
  };
}

async function playScript(
  suite: ScriptSuite,
  bench: Bench,
  program: Compiled,
  places: Places,
  work: string,
): Promise<Played> {
  const script = join(places.project, "bench/toolchain/clients/python", suite.script);
  const [command, args] = inside(bench.namespace, places.python, [
    script,
    ADDRESS,
    program.p4info,
    program.config,
  ]);
  const modules = suite.modules.map((folder) => join(places.clients, folder));
  const text = await run(suite, command, args, places, work, modules);
  const details = text.split("\n").filter((line) => line.startsWith("step "));
  const passed = details.filter((line) => !line.includes(" UNEXPECTED ")).length;
  return { passed, failed: details.length - passed, skipped: 0, details };
}

async function push(suite: PtfSuite, bench: Bench, program: Compiled, places: Places): Promise<void> {
  const script = join(places.project, "bench/toolchain/clients/python/push.py");
  const [command, args] = inside(bench.namespace, places.python, [
    script,
    ADDRESS,
    String(suite.deviceId ?? 0),
    program.p4info,
    program.config,
  ]);
  await execa(command, args);
}

async function run(
  suite: Suite,
  command: string,
  args: readonly string[],
  places: Places,
  work: string,
  modules: readonly string[],
  cwd: string = work,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const absent = ("absentModules" in suite ? suite.absentModules : undefined) ?? [];
  const { all } = await execa(command, args, {
    all: true,
    reject: false,
    cwd,
    timeout: suite.seconds * 1000,
    killSignal: "SIGKILL",
    env: {
      PYTHONPATH: [join(places.project, "bench/toolchain/clients/python/absent"), ...modules].join(":"),
      PYTHONDONTWRITEBYTECODE: "1",
      P4LOOM_ABSENT_MODULES: absent.join(","),
      ...more,
    },
  });
  writeFileSync(join(work, "tests.log"), all ?? "");
  return readFileSync(join(work, "tests.log"), "utf8");
}
