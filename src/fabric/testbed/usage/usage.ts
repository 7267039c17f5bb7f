/**
 * The load of a running testbed: processor time of its switches and hosts, and frames that switches lost
 * because they did not read them in time. Two measurements with an interval between them make a {@link TestbedLoad}, from
 * from which an experiment sees whether its figures describe the network or a saturated machine.
 */

import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { monotonicNs } from "../../host-agent/index.js";
import { hostNamespace, switchNamespace } from "../run/record.js";
import { setUp } from "../system/command.js";
import type { SwitchEngine, TestbedSpec } from "../testbed-spec.js";

export interface SwitchUsage {
  /** The process of the switch; a restarted switch has another one. Empty while it does not run. */
  readonly processes: ProcessTimes;
  /**
   * Frames that the kernel dropped because the switch did not read its interfaces in time, since the process started.
   * Undefined for BMv2: it reads through a ring of libpcap, whose losses only BMv2 itself could report.
   */
  readonly unreadFrames: number | undefined;
}

export interface HostUsage {
  /** All processes in the host, including the agent. A process that ends between two measurements is not counted. */
  readonly processes: ProcessTimes;
}

/** One measurement; all counters grow from the start of their object. */
export interface TestbedUsage {
  /** Nanoseconds of CLOCK_MONOTONIC. */
  readonly atNs: number;
  readonly machine: MachineTimes;
  /** By name. */
  readonly switches: ReadonlyMap<string, SwitchUsage>;
  readonly hosts: ReadonlyMap<string, HostUsage>;
}

/** Shares of an interval; 1 is one processor for the whole of it, so a process with threads may exceed 1. */
export interface TestbedLoad {
  readonly seconds: number;
  readonly processors: number;
  /** Busy share of all processors together, from 0 to 1. Other programs of the machine count too. */
  readonly machine: number;
  /** Share of the interval in which some process waited for a processor; undefined: the kernel does not report it. */
  readonly waiting: number | undefined;
  readonly switches: ReadonlyMap<
    string,
    { readonly processor: number; readonly unreadFrames: number | undefined }
  >;
  readonly hosts: ReadonlyMap<string, { readonly processor: number }>;
}

/**
 * Measures a testbed.
 * @param pids the processes of the switches that run, by name
 */
export async function measureUsage(
  id: string,
  spec: TestbedSpec,
  engine: SwitchEngine,
  pids: ReadonlyMap<string, number>,
): Promise<TestbedUsage> {
  const unread = engine === "bmv2" ? undefined : await unreadFrames(switchNamespace(id));
  const atNs = monotonicNs();
  const machine = readMachineTimes();
  const inNamespaces = processTimesIn([
    switchNamespace(id),
    ...spec.hosts.map(({ name }) => hostNamespace(id, name)),
  ]);
  const ofSwitches = inNamespaces.get(switchNamespace(id))!;
  const switches = spec.switches.map(({ name, ports }): [string, SwitchUsage] => {
    const pid = pids.get(name);
    const ns = pid === undefined ? undefined : ofSwitches.get(pid);
    const lost = ports.reduce((sum, port) => sum + (unread?.get(port.interface) ?? 0), 0);
    return [
      name,
      {
        processes: new Map(pid === undefined || ns === undefined ? [] : [[pid, ns]]),
        unreadFrames: unread === undefined ? undefined : lost,
      },
    ];
  });
  const hosts = spec.hosts.map(({ name }): [string, HostUsage] => [
    name,
    { processes: inNamespaces.get(hostNamespace(id, name))! },
  ]);
  return { atNs, machine, switches: new Map(switches), hosts: new Map(hosts) };
}

/** Frames dropped at the packet sockets of a namespace, by interface. */
async function unreadFrames(namespace: string): Promise<Map<string, number>> {
  const argv = ["ip", "netns", "exec", namespace, "ss", "--packet", "--all", "--numeric", "--memory"];
  return packetSocketDrops(await setUp("packet sockets", argv));
}

/** Reads the output of `ss --packet --all --numeric --memory`: the last value of `skmem` counts dropped packets. */
export function packetSocketDrops(text: string): Map<string, number> {
  const drops = new Map<string, number>();
  for (const match of text.matchAll(/:([^\s:]+)\s+\*\s.*skmem:\([^)]*\bd(\d+)\)/g)) {
    const name = match[1]!;
    drops.set(name, (drops.get(name) ?? 0) + Number(match[2]));
  }
  return drops;
}

/** The load between two measurements of one testbed, the earlier one first. */
export function loadBetween(before: TestbedUsage, after: TestbedUsage): TestbedLoad {
  const ns = after.atNs - before.atNs;
  const share = (used: number): number => (ns > 0 ? used / ns : 0);
  const busy = after.machine.busyNs - before.machine.busyNs;
  const idle = after.machine.idleNs - before.machine.idleNs;
  const [waitedBefore, waitedAfter] = [before.machine.waitingNs, after.machine.waitingNs];
  return {
    seconds: ns / 1e9,
    processors: after.machine.processors,
    machine: busy + idle > 0 ? busy / (busy + idle) : 0,
    waiting:
      waitedBefore === undefined || waitedAfter === undefined
        ? undefined
        : Math.min(1, share(waitedAfter - waitedBefore)),
    switches: new Map(
      [...after.switches].map(([name, { processes, unreadFrames: lost }]) => {
        const earlier = before.switches.get(name);
        const restarted = [...processes.keys()].some((pid) => earlier?.processes.has(pid) !== true);
        const lostBefore = restarted ? 0 : (earlier?.unreadFrames ?? 0);
        return [
          name,
          {
            processor: share(timeBetween(earlier?.processes, processes)),
            unreadFrames: lost === undefined ? undefined : Math.max(0, lost - lostBefore),
          },
        ] as const;
      }),
    ),
    hosts: new Map(
      [...after.hosts].map(([name, { processes }]) => [
        name,
        { processor: share(timeBetween(before.hosts.get(name)?.processes, processes)) },
      ]),
    ),
  };
}

/** A process that was not there before is counted from its start. */
function timeBetween(before: ProcessTimes | undefined, after: ProcessTimes): number {
  let sum = 0;
  for (const [pid, ns] of after) sum += Math.max(0, ns - (before?.get(pid) ?? 0));
  return sum;
}

// Frames and bytes that passed the interfaces of a testbed's switches, as the kernel counts them (/proc/net/dev).

/** Since the interface was made. Received: by the switch. Bytes are those of frames, without the frame check sequence. */
export interface InterfaceCounters {
  readonly receivedBytes: number;
  readonly receivedFrames: number;
  readonly sentBytes: number;
  readonly sentFrames: number;
}

/**
 * Of all interfaces of switches, by name. Takes some 10 ms; less than 1 ms with `pid`.
 * @param pid of a process in the namespace of the switches
 */
export async function readCounters(
  id: string,
  pid: number | undefined,
): Promise<Map<string, InterfaceCounters>> {
  try {
    if (pid !== undefined) return interfaceCounters(readFileSync(`/proc/${pid}/net/dev`, "utf8"));
  } catch {
    // It has just ended.
  }
  const argv = ["ip", "netns", "exec", switchNamespace(id), "cat", "/proc/net/dev"];
  return interfaceCounters(await setUp("counters of the interfaces", argv));
}

/** Reads /proc/net/dev: two lines of heads, then one line an interface. */
export function interfaceCounters(text: string): Map<string, InterfaceCounters> {
  const counters = new Map<string, InterfaceCounters>();
  for (const [, name, values] of text.matchAll(/^\s*([^\s:]+):\s*(.+)$/gm)) {
    const numbers = values!.trim().split(/\s+/).map(Number);
    const [receivedBytes = 0, receivedFrames = 0] = numbers;
    const [sentBytes = 0, sentFrames = 0] = numbers.slice(8);
    counters.set(name!, { receivedBytes, receivedFrames, sentBytes, sentFrames });
  }
  return counters;
}

// Processor time of processes and of the whole machine, read from /proc (proc(5)).

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

function readMachineTimes(): MachineTimes {
  return machineTimes(readFileSync("/proc/stat", "utf8"), readIfThere("/proc/pressure/cpu"));
}

/** The processor time of the processes in each of these network namespaces, by the namespace's name. */
function processTimesIn(namespaces: readonly string[]): Map<string, ProcessTimes> {
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
