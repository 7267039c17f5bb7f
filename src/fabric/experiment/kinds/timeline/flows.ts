/** The flows of a timeline, their events, and the rows that summarise them. Times count from its start. */
import { claim, given, Random } from "../../../../base/index.js";
import { nodeNamed, type TopologyNode } from "../../../topology/index.js";
import { drawClientPort } from "../../../traffic/index.js";
import type { SchemeRun } from "../../experiment.js";
import type { Fault } from "../../faults/fault.js";
import type { RunResults } from "../../results.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import type { Timeline } from "./check.js";

export interface TimelineFlow {
  readonly from: TopologyNode;
  readonly to: TopologyNode;
  readonly clientPort: number;
  /** Port of the receiver. */
  readonly port: number;
  /** Nanoseconds. */
  readonly start: number;
  /** Undefined: it sends until the end. */
  readonly bytes: number | undefined;
}

/**
 * In the order of the file; the flows of one line follow each other. Client ports are drawn; flows between the same hosts to
 * the same port have different ones, of which there are enough: `checkTimeline` has checked that.
 */
export function timelineFlows({ settings, topology }: Timeline, seed: number): TimelineFlow[] {
  const random = new Random(seed).fork("flows");
  const taken = new Map<string, Set<number>>();
  return settings.flows.flatMap(({ from, to, count, start, bytes, port }) => {
    const key = `${from} ${to} ${port}`;
    const ports = taken.get(key) ?? new Set();
    taken.set(key, ports);
    return Array.from({ length: count }, (): TimelineFlow => {
      let clientPort = drawClientPort(random);
      while (ports.has(clientPort)) clientPort = drawClientPort(random);
      ports.add(clientPort);
      return {
        from: nodeNamed(topology, from)!,
        to: nodeNamed(topology, to)!,
        clientPort,
        port,
        start,
        bytes,
      };
    });
  });
}

/**
 * An interval without progress in which the sender's timer expired; progress is an acknowledgement of new data. Nanoseconds from
 * the start of the timeline.
 */
interface Outage {
  /**
   * The last progress before it, or the start of sending if there was none. A testbed's hosts do not report progress: there it
   * is the latest time that the first timeout allows, which is earlier than the timeout by the RTO margin.
   */
  readonly from: number;
  readonly firstTimeout: number;
  /** The first progress after it. Undefined: it lasted to the end. */
  readonly to: number | undefined;
  readonly timeouts: number;
}

/**
 * What ended an outage. `left`: data flowed again while all faults of the outage still acted, so the flow had left them, or the
 * switches had. `repaired`: only after one of these faults had ended, which does not show that the flow ever left it.
 */
type Recovery = "left" | "repaired";

/** Undefined: the outage did not end, or no fault acted during it. */
export function recoveryOf(
  { from, to }: Outage,
  faults: readonly Pick<Fault, "at" | "until" | "flap">[],
): Recovery | undefined {
  if (to === undefined) return undefined;
  const during = faults.filter(({ at, until = Number.POSITIVE_INFINITY }) => at < to && until > from);
  if (during.length === 0) return undefined;
  return during.every((fault) => actsAt(fault, to)) ? "left" : "repaired";
}

function actsAt(
  { at, until = Number.POSITIVE_INFINITY, flap }: Pick<Fault, "at" | "until" | "flap">,
  time: number,
): boolean {
  if (time >= until) return false;
  return flap === undefined || (time - at) % flap.period < flap.duty * flap.period;
}

/** The record of one flow. */
export interface FlowRecord {
  readonly flow: TimelineFlow;
  /** Acknowledged bytes. */
  readonly bytes: number;
  /** Nanoseconds from the flow's start to the last acknowledgement; undefined: it did not end. */
  readonly completion: number | undefined;
  readonly outages: readonly Outage[];
  /** Copies that both ends sent; undefined on a testbed, whose hosts do not report them. */
  readonly copies?: number;
  /** The reason why the connection broke; undefined: it did not. */
  readonly broken: string | undefined;
}

/**
 * Why the outages of a record are not those of the flow: a host counted more timeouts than it reported, as has happened on machines that were
 * saturated. Undefined: it reported all.
 */
export function unreported(reported: number, counted: number): string | undefined {
  if (counted <= reported) return undefined;
  return `${counted} timeouts, of which the host reported ${reported}: the outages of this flow are not known`;
}

/** Collects timeouts and recoveries in time order. */
export class OutageLog {
  readonly #outages: Outage[] = [];
  /** Timeouts so far, of all outages. */
  timeouts = 0;
  #open: { from: number; firstTimeout: number; timeouts: number } | undefined;

  /** `progressAt`: the last progress before the timeout. */
  timedOut(at: number, progressAt: number): void {
    this.#open ??= { from: progressAt, firstTimeout: at, timeouts: 0 };
    this.#open.timeouts++;
    this.timeouts++;
  }

  /** New data were acknowledged. */
  recovered(at: number): void {
    if (this.#open === undefined) return;
    this.#outages.push({ ...this.#open, to: at });
    this.#open = undefined;
  }

  outages(): Outage[] {
    return this.#open === undefined ? this.#outages : [...this.#outages, { ...this.#open, to: undefined }];
  }
}

/** One line of the result table: one flow under one scheme. */
export interface TimelineRow {
  scheme: string;
  flow: number;
  from: string;
  to: string;
  client_port: number;
  /** Acknowledged by the end. */
  bytes: number;
  /** Flow completion time; null for a flow that did not end. */
  fct_ms: number | null;
  timeouts: number;
  /** Timeouts at which the scheme's hosts chose another path. */
  repaths: number;
  /**
   * Packets that both ends sent beyond one for each timeout and one for each received segment. Null on a testbed, whose hosts
   * do not report them.
   */
  copies: number | null;
  outages: number;
  /**
   * Longest {@link Outage}. Null where one did not end, or there was none.
   */
  longest_outage_ms: number | null;
  /** Whether data flowed again after every outage. */
  recovered: boolean;
  /**
   * What ended its outages; `repaired` where this is so for one of them. Null where an outage did not end, there was none, or no fault
   * acted during any.
   */
  recovered_by: Recovery | null;
  /** On a testbed: whether the machine was saturated while the flows of the scheme ran. */
  saturated?: boolean;
}

export function timelineRow(
  { label, plan }: SchemeRun,
  number: number,
  { flow, bytes, completion, outages, copies, broken }: FlowRecord,
  faults: readonly Fault[],
  load?: RunLoad,
): TimelineRow {
  const timeouts = outages.reduce((sum, outage) => sum + outage.timeouts, 0);
  const recovered = broken === undefined && outages.every(({ to }) => to !== undefined);
  const lengths = outages.map(({ from, to = Number.POSITIVE_INFINITY }) => to - from);
  return {
    scheme: label,
    flow: number,
    from: flow.from.name,
    to: flow.to.name,
    client_port: flow.clientPort,
    bytes,
    fct_ms: completion === undefined ? null : milliseconds(completion),
    timeouts,
    repaths: plan.repaths ? timeouts : 0,
    copies: copies ?? null,
    outages: outages.length,
    longest_outage_ms: recovered && lengths.length > 0 ? milliseconds(Math.max(...lengths)) : null,
    recovered,
    recovered_by: recovered ? worst(outages.map((outage) => recoveryOf(outage, faults))) : null,
    ...given({ saturated: load === undefined ? undefined : load.saturated }),
  };
}

function worst(ways: readonly (Recovery | undefined)[]): Recovery | null {
  if (ways.includes("repaired")) return "repaired";
  return ways.includes("left") ? "left" : null;
}

/** The row's column `recovered` for people. */
export function recoveredText({ recovered, recovered_by }: TimelineRow): string {
  if (!recovered) return "no";
  if (recovered_by === "repaired") return recovered_by;
  return claim(recovered_by === null ? "recovered" : "leftTheFault");
}

function milliseconds(ns: number): number {
  return Number((ns / 1e6).toFixed(3));
}

// The results of a timeline.

/** All flows under one scheme, in the order of {@link TimelineRow.flow}. */
export interface TimelineSeries {
  readonly scheme: SchemeRun;
  readonly records: readonly FlowRecord[];
  /** On a testbed: load of the machine while the flows ran. */
  readonly load?: RunLoad;
}

export type TimelineResults = RunResults<Timeline, TimelineSeries, TimelineRow>;
