/**
 * Limits the tries of tests that start processes, independent of the load of the machine. A thread looks at the process of the tests and
 * all processes below it: the processor time that they have used, and the looks at which none of them ran or could have run.
 * Beyond a limit it ends the processes that the test has started, which also ends a call that waits for one (`spawnSync`).
 */
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

const LOOKS_EVERY_MS = 250;
/** Processor time between two looks that timers and the looks themselves take. */
const IDLE_BELOW_MS = 20;

/** What a try has taken: processor time of all processes, and time in which all of them waited; in ms. */
export interface Taken {
  readonly cpuMs: number;
  readonly idleMs: number;
}

/** Places of the numbers that both threads see. `try` is the number of the current one, 0 between tries. */
const PLACES = { try: 0, cpu: 1, idle: 2, starts: 3, limited: 4 } as const;

/** Plain JavaScript, so that it needs no loader. A tick of /proc is 10 ms on every architecture that Node runs on. */
const THREAD = `
const { readdirSync, readFileSync } = require("node:fs");
const { parentPort, workerData: { shared, tree, places: P } } = require("node:worker_threads");
const read = (pid) => {
  try {
    const stat = readFileSync("/proc/" + pid + "/stat", "latin1");
    const f = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, state: f[0], parent: +f[1], cpu: 10 * (+f[11] + +f[12] + +f[13] + +f[14]) };
  } catch { return undefined; }
};
const known = new Map();
const isOfTree = (pid) => {
  if (!known.has(pid))
    try { known.set(pid, readFileSync("/proc/" + pid + "/cmdline", "latin1").includes(tree)); } catch { return false; }
  return known.get(pid);
};
// The process of the tests, those below it, and programs of the tree whose parent has ended.
const ours = () => {
  const all = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)).map((pid) => read(+pid)).filter((one) => one !== undefined);
  const found = new Set([process.pid]);
  for (const { pid, parent } of all) if (parent === 1 && isOfTree(pid)) found.add(pid);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid, state }) => found.has(pid) && state !== "Z");
};
let current;
parentPort.on("message", (one) => { current = one; });
setInterval(() => {
  if (current === undefined || shared[P.try] !== current.number) return;
  const all = ours();
  const cpu = all.reduce((sum, one) => sum + one.cpu, 0);
  current.first ??= cpu;
  const used = cpu - (current.last ?? cpu);
  current.last = cpu;
  const waits = used < ${IDLE_BELOW_MS} && all.every(({ state }) => state !== "R" && state !== "D");
  if (shared[P.try] !== current.number) return;
  shared[P.cpu] = Math.max(shared[P.cpu], cpu - current.first);
  if (waits) shared[P.idle] += ${LOOKS_EVERY_MS};
  if (all.length > 1) shared[P.starts] = 1;
  if (shared[P.limited] === 1 || (shared[P.cpu] <= current.limit.cpuMs && shared[P.idle] <= current.limit.idleMs)) return;
  shared[P.limited] = 1;
  for (const { pid } of all) if (pid !== process.pid) try { process.kill(pid, "SIGKILL"); } catch {}
  parentPort.postMessage("limited");
}, ${LOOKS_EVERY_MS});
`;

/** Processor time of this process and of its children that have ended, in ms. */
function cpuMs(): number {
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return 10 * fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

export class TryWatch {
  /** Called once when a try is beyond a limit, after its processes have ended. */
  onLimit: () => void = () => {};
  readonly #shared = new Float64Array(
    new SharedArrayBuffer(Object.keys(PLACES).length * Float64Array.BYTES_PER_ELEMENT),
  );
  readonly #thread: Worker;
  #tries = 0;
  #cpuAtStart = 0;

  /** @param tree the copy of the project whose programs the tests start */
  constructor(tree: string) {
    const data = { shared: this.#shared, tree: `${tree}/`, places: PLACES };
    this.#thread = new Worker(THREAD, { eval: true, workerData: data, execArgv: [] });
    this.#thread.unref();
    this.#thread.on("message", () => this.onLimit());
  }

  start(limit: Taken): void {
    this.#shared.fill(0);
    this.#cpuAtStart = cpuMs();
    this.#shared[PLACES.try] = ++this.#tries;
    this.#thread.postMessage({ number: this.#tries, limit });
  }

  /** What the try has taken, whether it was beyond a limit, and whether it has started processes. */
  stop(): Taken & { limited: boolean; starts: boolean } {
    this.#shared[PLACES.try] = 0;
    const seen = (place: keyof typeof PLACES): number => this.#shared[PLACES[place]]!;
    return {
      cpuMs: Math.max(cpuMs() - this.#cpuAtStart, seen("cpu")),
      idleMs: seen("idle"),
      limited: seen("limited") === 1,
      starts: seen("starts") === 1,
    };
  }
}
