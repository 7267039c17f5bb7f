/** Measures whether the child processes of this one are working, by the kernel's data about their threads (proc(5)). */
import { readdirSync, readFileSync, statSync } from "node:fs";

/** The activity of some processes at one instant. */
export interface Activity {
  /** Whether a thread is running, or waits for a processor or a disk. */
  readonly works: boolean;
  /** How often their threads were scheduled on a processor. */
  readonly turns: number;
}

/**
 * Total time that the threads of the processes have waited for a processor, in nanoseconds; NaN if the kernel does
 * not count it.
 */
export function waitedNs(pids: Iterable<number>): number {
  const texts = [...pids].flatMap((pid) => ofThreads(pid, "schedstat"));
  if (texts.length === 0) return Number.NaN;
  return texts.reduce((sum, text) => sum + Number(text.split(" ")[1]), 0);
}

/** The activity of all threads of the processes. A process that has ended has none. */
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

/** The texts of a file of /proc, for each thread of a process. */
function ofThreads(pid: number, file: "status" | "schedstat"): string[] {
  const folder = `/proc/${pid}/task`;
  return listed(folder).flatMap((thread) => textOf(`${folder}/${thread}/${file}`) ?? []);
}

/** Process ids of all direct and indirect child processes of `root`. */
export function startedBy(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of listed("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // PID (NAME) STATE PARENT ...; a name may contain spaces and brackets.
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

/** The identity of the network namespace of a process; undefined if the process has ended. */
export function namespaceOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}/ns/net`).ino;
  } catch {
    return undefined;
  }
}

/** The identity of a network namespace by the name that `ip netns` has for it. */
export function namespaceCalled(name: string): number {
  return statSync(`/run/netns/${name}`).ino;
}

/** The names in a folder; empty if it no longer exists. */
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
