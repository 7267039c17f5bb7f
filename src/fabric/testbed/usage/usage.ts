/**
 * The load of a running lab: processor time of its switches and hosts, and frames that switches lost
 * because they did not read them in time. Two measurements with an interval between them make a {@link LabLoad}, from
 * from which an experiment sees whether its figures describe the network or a saturated machine.
 */
import { monotonicNs } from "../../host-agent/index.js";
import type { LabSpec, SwitchEngine } from "../lab-spec.js";
import { hostNamespace, switchNamespace } from "../run/record.js";
import { setUp } from "../system/command.js";
import { type MachineTimes, type ProcessTimes, processTimesIn, readMachineTimes } from "./processor-time.js";

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
export interface LabUsage {
  /** Nanoseconds of CLOCK_MONOTONIC. */
  readonly atNs: number;
  readonly machine: MachineTimes;
  /** By name. */
  readonly switches: ReadonlyMap<string, SwitchUsage>;
  readonly hosts: ReadonlyMap<string, HostUsage>;
}

/** Shares of an interval; 1 is one processor for the whole of it, so a process with threads may exceed 1. */
export interface LabLoad {
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
 * Measures a lab.
 * @param pids the processes of the switches that run, by name
 */
export async function measureUsage(
  id: string,
  spec: LabSpec,
  engine: SwitchEngine,
  pids: ReadonlyMap<string, number>,
): Promise<LabUsage> {
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

/** The load between two measurements of one lab, the earlier one first. */
export function loadBetween(before: LabUsage, after: LabUsage): LabLoad {
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
