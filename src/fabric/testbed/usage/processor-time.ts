/** Processor time of processes and of the whole machine, read from /proc (proc(5)). */
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

/** Linux counts processor time for user space in hundredths of a second (USER_HZ) on all its usual platforms. */
const NS_PER_TICK = 10_000_000;
const NS_PER_US = 1000;

/** Processor time of each live process, in nanoseconds since its start; children that have ended are part of it. */
export type ProcessTimes = ReadonlyMap<number, number>;

export interface MachineTimes {
  readonly processors: number;
  /** Sums over all processors since boot. Time that a hypervisor gave to others (steal) counts as busy. */
  readonly busyNs: number;
  readonly idleNs: number;
  /** Time since boot in which some process waited for a processor (PSI "some"); undefined: this kernel has no PSI. */
  readonly waitingNs: number | undefined;
}

/**
 * The processor time in one line of /proc/PID/stat: fields 14 to 17, which are user and system time of the process and
 * of its children that have ended.
 */
export function processNs(stat: string): number {
  // The name in parentheses may itself hold spaces and parentheses. Field 3 follows it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * NS_PER_TICK;
}

/** @param stat /proc/stat, @param pressure /proc/pressure/cpu, where the kernel has it */
export function machineTimes(stat: string, pressure: string | undefined): MachineTimes {
  const lines = stat.split("\n");
  const total = lines.find((line) => line.startsWith("cpu ")) ?? "";
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = total
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const waitingUs = /^some .*\btotal=(\d+)/m.exec(pressure ?? "")?.[1];
  return {
    processors: lines.filter((line) => /^cpu\d/.test(line)).length,
    busyNs: (user + nice + system + irq + softirq + steal) * NS_PER_TICK,
    idleNs: (idle + iowait) * NS_PER_TICK,
    waitingNs: waitingUs === undefined ? undefined : Number(waitingUs) * NS_PER_US,
  };
}

export function readMachineTimes(): MachineTimes {
  return machineTimes(readFileSync("/proc/stat", "utf8"), readIfThere("/proc/pressure/cpu"));
}

/** The processor time of the processes in each of these network namespaces, by the namespace's name. */
export function processTimesIn(namespaces: readonly string[]): Map<string, ProcessTimes> {
  const nameOfInode = new Map<string, string>();
  const times = new Map<string, Map<number, number>>();
  for (const name of namespaces) {
    nameOfInode.set(`net:[${statSync(`/run/netns/${name}`).ino}]`, name);
    times.set(name, new Map());
  }
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const name = nameOfInode.get(namespaceOf(entry) ?? "");
    const stat = name === undefined ? undefined : readIfThere(`/proc/${entry}/stat`);
    if (name !== undefined && stat !== undefined) times.get(name)!.set(Number(entry), processNs(stat));
  }
  return times;
}

/** Undefined for a process that has just ended, or is a zombie. */
function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

/** The text of a file of /proc; undefined: its process has just ended, or the kernel has no such file. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
