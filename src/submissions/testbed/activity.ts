/** Whether the processes that this one has started have work: what the kernel tells of their threads (proc(5)). */
import { readdirSync, readFileSync } from "node:fs";

/** Of some processes at one instant. */
export interface Activity {
  /** Whether a thread runs, waits for a processor, or for a disk. */
  readonly works: boolean;
  /** How often their threads have been given a processor. */
  readonly turns: number;
}

/** Nanoseconds that the threads of the processes have waited for a processor so far; NaN where the kernel does not count them. */
export function waitedNs(pids: Iterable<number>): number {
  const texts = [...pids].flatMap((pid) => ofThreads(pid, "schedstat"));
  if (texts.length === 0) return Number.NaN;
  return texts.reduce((sum, text) => sum + Number(text.split(" ")[1]), 0);
}

/** Of all threads of the processes. A process that has ended has none. */
export function activityOf(pids: Iterable<number>): Activity {
  let works = false;
  let turns = 0;
  for (const pid of pids)
    for (const status of ofThreads(pid, "status")) {
      works ||= /^State:\s+[RD]/m.test(status);
      for (const [, count] of status.matchAll(/^(?:non)?voluntary_ctxt_switches:\s+(\d+)$/gm))
        turns += Number(count);
    }
  return { works, turns };
}

/** A file of each thread of a process. */
function ofThreads(pid: number, file: "status" | "schedstat"): string[] {
  const folder = `/proc/${pid}/task`;
  return listed(folder).flatMap((thread) => textOf(`${folder}/${thread}/${file}`) ?? []);
}

/** Process ids of all that `root` has started, and of what those have started. */
export function startedBy(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of listed("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // PID (NAME) STATE PARENT ...; a name may have spaces and brackets.
    const parent = /^.*\) \S (\d+) /s.exec(textOf(`/proc/${name}/stat`) ?? "")?.[1];
    if (parent === undefined) continue;
    const own = children.get(Number(parent));
    if (own === undefined) children.set(Number(parent), [Number(name)]);
    else own.push(Number(name));
  }
  const found: number[] = [];
  const visit = (pid: number): void => {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      visit(child);
    }
  };
  visit(root);
  return found;
}

/** Nothing when it is not there any more. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
