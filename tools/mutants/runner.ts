/**
 * Vitest's runner for mutation tests. A test runs once without a mutant, which shows the mutants that it reaches; then once for
 * each of these that no test has caught so far. Modules are loaded once, so that a try costs no more than the test itself.
 *
 * After a caught mutant, the test runs again without a mutant. If it fails, the mutant has changed the state of a module
 * permanently: the process ends, and `tools/mutants.mjs` starts it again from the journal.
 *
 * Tests that start processes run in a copy of the project (tools/mutants/tree.mjs), where the processes try the mutant too. Their limits
 * are of processor time and of time in which all processes wait (tools/mutants/try-watch.ts), and such a test must fail twice with a mutant.
 */
import { writeFileSync } from "node:fs";
import type { RunnerTask, RunnerTestCase, RunnerTestFile, RunnerTestSuite } from "vitest";
import { TestRunner } from "vitest";
import { chosen, type Event, readEvents, readTimes, writeEvent } from "./files.js";
import { IdleWatch } from "./idle-watch.js";
import { Processes } from "./processes.js";
import { type Taken, TryWatch } from "./try-watch.js";

/** Steps (executed places of mutants) that a test may take with a mutant, as a multiple of those without, and in addition. */
const STEPS_FACTOR = 10;
const STEPS_MORE = 2_000_000;
/**
 * Steps that the tries of one mutant may take together: no further test tries it then. A test that takes more without a
 * mutant is left out. Long tests would take most of the time and notice few mutants that short ones did not.
 */
const MAX_STEPS = Number(process.env["P4LOOM_MUTANTS_STEPS"] ?? 50_000_000);

/**
 * The same where tests start processes: processor time of all processes, and time in which all of them wait, in ms. What a test may take
 * with a mutant limits each of the two, what the tries of a mutant may take together limits the sum.
 */
const MAX_MS = 1000 * Number(process.env["P4LOOM_MUTANTS_SECONDS"] ?? 90);
const TIME_FACTOR = 4;
const TIME_MORE_MS = 8000;
const UNLIMITED: Taken = { cpuMs: Number.POSITIVE_INFINITY, idleMs: Number.POSITIVE_INFINITY };

class Limit extends Error {}

/** The functions that the instrumented code calls. Places without a chosen mutant increment `steps` themselves. */
class Mutants {
  active = "";
  reached = new Set<string>();
  steps = 0;
  limit = Number.POSITIVE_INFINITY;

  isActive(id: string): boolean {
    if (this.active !== id) return false;
    this.step();
    return true;
  }

  cover(ids: readonly string[]): void {
    this.step();
    if (this.active === "") for (const id of ids) this.reached.add(id);
  }

  stop(): never {
    throw new Limit("the mutant takes too many steps");
  }

  private step(): void {
    if (++this.steps > this.limit) this.stop();
  }
}

const mutants = new Mutants();
(globalThis as unknown as { p4loomMutants: Mutants }).p4loomMutants = mutants;

interface Work {
  /** The next repetition tries this mutant; none: it runs without a mutant. */
  queue: string[];
  current: string | undefined;
  phase: "baseline" | "mutant" | "again" | "check";
  steps: number;
  /** What the run without a mutant took, where tests start processes. */
  taken: Taken;
  /** The run without a mutant has started processes. */
  starts: boolean;
  /** Mutants that the test reaches in its own process, whose modules remain loaded. */
  inside: ReadonlySet<string>;
  /** Longest time without work of the run without a mutant, in looks. */
  idleLooks: number;
  /** Processor time in ms at which the try began. */
  start: number;
}

/** The same test by the same name in each process. */
function keyOf(test: RunnerTestCase): string {
  let name = test.name;
  for (let suite: RunnerTestSuite | undefined = test.suite; suite !== undefined; suite = suite.suite)
    name = `${suite.name} > ${name}`;
  return `${test.file.filepath}#${name}`;
}

const files = chosen();
const measuring = files.mutants.length === 0;
const processes = new Processes(files.tree);
const watch = files.tree === undefined ? undefined : new TryWatch(files.tree);
const startsProcesses = watch !== undefined;
processes.end();
processes.activate("");
const before = readEvents(files.journal);
const alive = new Set(files.mutants);
const done = new Set<string>();
/** What the tries of each mutant have taken so far: steps, or ms. */
const spent = new Map<string, number>();
const spend = (mutant: string, amount: number): void => {
  spent.set(mutant, (spent.get(mutant) ?? 0) + amount);
};
const MAX_SPENT = startsProcesses ? MAX_MS : MAX_STEPS;
for (const event of before) {
  if (event.kind === "result") spend(event.mutant, event.spent);
  if (event.kind === "result" && event.status !== "Survived") alive.delete(event.mutant);
  if (event.kind === "done" || event.kind === "broken") done.add(event.test);
}
const times: Record<string, number> = readTimes();
/** Used instead of a duration: the test takes too many steps, and is not run again. */
const TOO_LONG = -1;
/** Tries of this test that ended in a process before. */
const tried = (test: string): Set<string> =>
  new Set(before.flatMap((event) => (event.kind === "result" && event.test === test ? [event.mutant] : [])));

const write = (event: Event): void => writeEvent(files.journal, event);

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Looks without work, as a multiple of those without a mutant, and in addition, after which a test waits for what
 * does not come.
 */
const IDLE_FACTOR = 4;
const IDLE_MORE = 20;

/** The members of a result that vitest reads after each repetition, but does not declare. */
interface Ending {
  pending?: boolean;
}

export default class MutantRunner extends TestRunner {
  readonly #work = new WeakMap<object, Work>();
  /** Tries of mutants in this process. */
  #tries = 0;
  readonly #idle = new IdleWatch();
  /** This try has ended since its test waited for what does not come. */
  #waited = false;

  onCollected(collected: RunnerTestFile[]): void {
    const timeOf = (task: RunnerTask): number =>
      "tasks" in task ? task.tasks.reduce((sum, one) => sum + timeOf(one), 0) : (times[keyOf(task)] ?? 0);
    const sort = (suite: { tasks: RunnerTask[] }): void => {
      suite.tasks.sort((a, b) => timeOf(a) - timeOf(b));
      for (const task of suite.tasks) if ("tasks" in task) sort(task);
    };
    for (const file of collected) sort(file);
    write({ kind: "static", mutants: [...mutants.reached] });
    mutants.reached.clear();
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const timeMs = times[keyOf(test)] ?? 0;
    const isOut = done.has(keyOf(test)) || timeMs === TOO_LONG || timeMs > files.longestMs;
    if (isOut && test.mode !== "skip") test.mode = "skip";
    await super.onBeforeRunTask(test);
    if (test.mode !== "run" && test.mode !== "queued") return;
    // Each repetition is one try, with all hooks; the test ends itself when no mutant is left.
    test.repeats = Number.MAX_SAFE_INTEGER;
    this.#work.set(test, {
      queue: [],
      current: undefined,
      phase: "baseline",
      steps: 0,
      idleLooks: 0,
      start: 0,
      taken: UNLIMITED,
      starts: false,
      inside: new Set(),
    });
  }

  override onBeforeTryTask(test: RunnerTestCase): void {
    const work = this.#work.get(test)!;
    test.result!.state = "run";
    delete test.result!.errors;
    super.onBeforeTryTask(test);
    mutants.reached.clear();
    mutants.steps = 0;
    const isTry = work.phase === "mutant" || work.phase === "again";
    mutants.limit = isTry
      ? work.steps * STEPS_FACTOR + STEPS_MORE
      : startsProcesses
        ? Number.POSITIVE_INFINITY
        : MAX_STEPS;
    work.start = cpuMs();
    processes.forgetReached();
    this.#waited = false;
    const looks =
      work.phase === "baseline" || startsProcesses
        ? Number.POSITIVE_INFINITY
        : work.idleLooks * IDLE_FACTOR + IDLE_MORE;
    // A hook that waits cannot be ended: the process ends, and the next one goes on.
    this.#idle.start(looks, () => this.#endProcess(test));
    const limitOf = (ms: number): number =>
      work.phase === "baseline" ? MAX_MS : ms * TIME_FACTOR + TIME_MORE_MS;
    watch?.start({ cpuMs: limitOf(work.taken.cpuMs), idleMs: limitOf(work.taken.idleMs) });
    if (!isTry) return;
    write({ kind: "start", mutant: work.current!, test: keyOf(test) });
    mutants.active = work.current!;
    processes.activate(work.current!);
  }

  /** Called by vitest in place of the test's function. A test that waits for what does not come fails, and its hooks run. */
  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    try {
      await new Promise((resolve, reject) => {
        const end = () => {
          this.#waited = true;
          reject(new Limit("the test waits for what does not come"));
        };
        this.#idle.onIdle = end;
        if (watch !== undefined) watch.onLimit = end;
        Promise.resolve(run()).then(resolve, reject);
      });
    } finally {
      if (watch !== undefined) watch.onLimit = () => {};
      this.#idle.onIdle = () => this.#endProcess(test);
    }
  }

  #endProcess(test: RunnerTestCase): void {
    const { phase, current } = this.#work.get(test)!;
    if (phase === "mutant")
      write({ kind: "result", mutant: current!, status: "Timeout", test: keyOf(test), spent: mutants.steps });
    else write({ kind: "spoiled", test: keyOf(test), mutant: current });
    process.kill(process.pid, "SIGKILL");
  }

  /** Called by vitest after each repetition, with the hooks after the test. */
  onAfterRetryTask(test: RunnerTestCase): void {
    const work = this.#work.get(test)!;
    const key = keyOf(test);
    const failed = test.result!.state === "fail";
    const taken = watch?.stop();
    const limited = mutants.steps > mutants.limit || taken?.limited === true;
    const idleLooks = this.#idle.stop();
    mutants.active = "";
    mutants.limit = Number.POSITIVE_INFINITY;
    processes.activate("");
    if (failed) processes.end();
    if (work.phase === "baseline") {
      if (failed || limited || (test.result as Ending).pending === true || test.result!.state === "skip") {
        if (limited) console.error(`left out, since it takes too long: ${key}`);
        else if (failed)
          console.error(`broken without a mutant: ${key}: ${test.result!.errors?.[0]?.message}`);
        if (limited) times[key] = TOO_LONG;
        // The test passed when times were measured: a mutant of another test has spoiled the state of a module.
        if (failed && !limited && this.#tries > 0 && (times[key] ?? TOO_LONG) !== TOO_LONG) {
          write({ kind: "spoiled", test: key, mutant: undefined });
          process.kill(process.pid, "SIGKILL");
        }
        write({ kind: "broken", test: key });
        this.#end(test);
        return;
      }
      times[key] = taken === undefined ? cpuMs() - work.start : taken.cpuMs + taken.idleMs;
      if (measuring) {
        this.#end(test);
        return;
      }
      work.steps = mutants.steps;
      work.idleLooks = idleLooks;
      if (taken !== undefined) [work.taken, work.starts] = [taken, taken.starts];
      work.inside = new Set(mutants.reached);
      const reached = [...new Set([...mutants.reached, ...processes.reached()])];
      const again = tried(key);
      write({ kind: "covered", test: key, mutants: reached });
      work.queue = files.mutants.filter((id) => reached.includes(id) && !again.has(id));
    } else if (work.phase === "mutant" || work.phase === "again") {
      this.#tries++;
      const status = limited || this.#waited ? "Timeout" : failed ? "Killed" : "Survived";
      const isSure = !work.starts && work.inside.has(work.current!);
      if (taken !== undefined && status !== "Survived" && work.phase === "mutant" && !isSure) {
        work.phase = "again";
        return;
      }
      const amount = taken === undefined ? mutants.steps : taken.cpuMs + taken.idleMs;
      write({ kind: "result", mutant: work.current!, status, test: key, spent: amount });
      spend(work.current!, amount);
      if (status !== "Survived") {
        alive.delete(work.current!);
        work.phase = "check";
        // Processes have ended: only what is loaded here can be spoiled.
        if (!startsProcesses || work.inside.has(work.current!)) return;
      }
    } else if (failed) {
      write({ kind: "spoiled", test: key, mutant: work.current });
      process.kill(process.pid, "SIGKILL");
    }
    work.queue = work.queue.filter((id) => alive.has(id) && (spent.get(id) ?? 0) < MAX_SPENT);
    work.current = work.queue.shift();
    work.phase = "mutant";
    if (work.current === undefined) {
      write({ kind: "done", test: key });
      this.#end(test);
    }
  }

  /** A pending test ends its repetitions. */
  #end(test: RunnerTestCase): void {
    (test.result as Ending).pending = true;
  }

  override onAfterRunFiles(): void {
    super.onAfterRunFiles();
    processes.end();
    mutants.reached.clear();
    writeFileSync(files.times, JSON.stringify(times));
  }
}
