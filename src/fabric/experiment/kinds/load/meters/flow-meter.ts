/** Measures flows by size class: completion times, slowdowns, goodputs, retransmissions. */
import { given } from "../../../../../base/index.js";
import { Moments, QuantileSketch, type SketchJson } from "../../../../statistics/index.js";
import type { FlowArrival, FlowGroup } from "../../../../traffic/index.js";
import { SIZE_CLASSES, type SizeBounds, type SizeClass, sizeClassOf } from "../size-classes.js";

/** Counters of the ends of a flow. A figure that an engine cannot report is absent. */
export interface FlowCounters {
  /** Payload that the receiver has in order. */
  readonly delivered: number;
  readonly segmentsSent?: number;
  readonly retransmissions?: number;
  readonly timeouts?: number;
  readonly fastRetransmits?: number;
  /** Number of segments, copies excluded, that arrived below the highest byte before them; and the greatest such distance in bytes. */
  readonly reordered?: number;
  readonly maxReorderingBytes?: number;
  readonly marked?: number;
  /** How often the sender changed its path for a reason other than a timeout. */
  readonly repaths?: number;
  /** Nanoseconds in which the path chooser kept new data back; and the longest time between two segments while new data waited. */
  readonly heldNs?: number;
  readonly longestSilenceNs?: number;
}

/** Sums of {@link FlowCounters} over flows; for the distance of reordering and the silence the maximum. */
export type CounterSums = { -readonly [K in keyof Omit<FlowCounters, "delivered">]: number };

/** All measured flows of one size class, as JSON. */
export interface ClassFigures {
  /** Number of measured flows, finished or not. */
  readonly flows: number;
  readonly unfinished: number;
  /** Payload of the measured flows. */
  readonly bytes: number;
  /** Finished flows: completion times in nanoseconds, and their ratios to the ideal times. */
  readonly fct: SketchJson;
  readonly slowdown: SketchJson;
  /** Goodputs of finished flows (bytes per second): see {@link Moments}. */
  readonly goodputs: readonly [count: number, mean: number, squares: number];
  /** Flows with segments out of order: the number of these segments, and the greatest distance in bytes. */
  readonly late: SketchJson;
  readonly furthest: SketchJson;
  /** Flows whose new data were held back: for how many nanoseconds. */
  readonly held: SketchJson;
  readonly counters: CounterSums;
  /** Payload of all flows of the class, measured or not, that arrived in order in the window. */
  readonly delivered: number;
  /** The part of it that arrived before the first command; absent: there is none in the window. */
  readonly deliveredBefore?: number;
}

/** Groups of flows: requests with their answers, incasts, collective operations. */
export interface GroupFigures {
  readonly groups: number;
  readonly unfinished: number;
  /** Nanoseconds from the start of a group to the completion of its last flow. */
  readonly completion: SketchJson;
  /** Their ratios to the ideal times, of groups that have one. */
  readonly slowdown?: SketchJson;
}

export type FlowFigures = Readonly<Record<SizeClass, ClassFigures>>;

/** A flow that has arrived. */
export interface MeteredFlow {
  readonly arrival: FlowArrival;
  readonly sizeClass: SizeClass;
  readonly measured: boolean;
  /** Ideal completion time in nanoseconds; undefined where no path joins the hosts. */
  readonly ideal: number | undefined;
  counters(): FlowCounters;
}

interface ClassMeter {
  flows: number;
  finished: number;
  bytes: number;
  readonly fct: QuantileSketch;
  readonly slowdown: QuantileSketch;
  readonly goodputs: Moments;
  readonly late: QuantileSketch;
  readonly furthest: QuantileSketch;
  readonly held: QuantileSketch;
  readonly counters: CounterSums;
  /** Payload of finished flows. */
  delivered: number;
  deliveredAtBegin: number;
  deliveredAtEnd: number;
  deliveredAtCommand: number | undefined;
}

interface OpenGroup {
  readonly group: FlowGroup;
  readonly ideal: number | undefined;
  left: number;
}

export class FlowMeter {
  readonly #classes: Readonly<Record<SizeClass, ClassMeter>>;
  readonly #open = new Map<number, MeteredFlow>();
  readonly #groups = new Map<number, OpenGroup>();
  readonly #groupTimes = new QuantileSketch();
  readonly #groupSlowdowns = new QuantileSketch();
  #groupCount = 0;
  #openMeasured = 0;
  /** Number of flows of measured groups that have not arrived. */
  #awaited = 0;

  constructor(
    readonly bounds: SizeBounds,
    /** Nanoseconds: flows that start earlier are not measured. */
    readonly warmUp: number,
    /** Completion time of a flow that is alone in the empty network. */
    readonly ideal: (arrival: FlowArrival) => number | undefined,
    /** Number of measured flows after which no further flow is measured but the rest of groups that have begun: groups are whole. */
    readonly most: number = Number.POSITIVE_INFINITY,
  ) {
    this.#classes = Object.fromEntries(SIZE_CLASSES.map((name) => [name, newClass()])) as Record<
      SizeClass,
      ClassMeter
    >;
  }

  /** Number of flows that have arrived and are measured. */
  get measured(): number {
    return Object.values(this.#classes).reduce((sum, { flows }) => sum + flows, 0);
  }

  /** Whether no further flow is measured. */
  get hasAll(): boolean {
    return this.measured >= this.most && this.#awaited === 0;
  }

  /** Number of measured flows that have not ended. */
  get openMeasured(): number {
    return this.#openMeasured;
  }

  /** Number of flows that have not ended. */
  get open(): number {
    return this.#open.size;
  }

  /** A flow arrives; `counters` is called from time to time until it ends. */
  started(arrival: FlowArrival, counters: () => FlowCounters): MeteredFlow {
    const { group } = arrival;
    const inGroup = group !== undefined && this.#groups.has(group.id);
    const measured = arrival.startNs >= this.warmUp && (inGroup || this.measured < this.most);
    const sizeClass = sizeClassOf(arrival.bytes, this.bounds);
    const ideal = measured ? this.ideal(arrival) : undefined;
    const flow: MeteredFlow = { arrival, sizeClass, measured, ideal, counters };
    this.#open.set(arrival.id, flow);
    if (!measured) return flow;
    if (group !== undefined && group.startNs >= this.warmUp) {
      if (!inGroup) {
        this.#groups.set(group.id, { group, ideal: group.idealNs?.(this.ideal), left: group.flows });
        this.#groupCount++;
        this.#awaited += group.flows;
      }
      this.#awaited--;
    }
    this.#openMeasured++;
    const meter = this.#classes[sizeClass];
    meter.flows++;
    meter.bytes += arrival.bytes;
    return flow;
  }

  /** The receiver has all data of the flow, `nowNs` after the start of the traffic. */
  completed(flow: MeteredFlow, nowNs: number): void {
    const { arrival, measured, ideal, sizeClass } = flow;
    this.#open.delete(arrival.id);
    const meter = this.#classes[sizeClass];
    meter.delivered += arrival.bytes;
    this.#groupProgress(arrival, nowNs);
    if (!measured) return;
    this.#openMeasured--;
    const time = nowNs - arrival.startNs;
    meter.finished++;
    meter.fct.add(time);
    if (ideal !== undefined) meter.slowdown.add(time / ideal);
    if (time > 0) meter.goodputs.add((arrival.bytes * 1e9) / time);
  }

  /** The ends of a flow are closed: its counters do not change any more. To be called once for each flow, unfinished ones included. */
  ended(flow: MeteredFlow): void {
    if (!flow.measured) return;
    const meter = this.#classes[flow.sizeClass];
    const counters = flow.counters();
    addCounters(meter.counters, counters);
    const { reordered = 0, maxReorderingBytes = 0, heldNs = 0 } = counters;
    if (heldNs > 0) meter.held.add(heldNs);
    if (reordered === 0) return;
    meter.late.add(reordered);
    meter.furthest.add(maxReorderingBytes);
  }

  /**
   * Begins or ends the window: goodput counts the payload that arrives between these two calls. `command`: the first command of the
   * experiment divides it.
   */
  window(edge: "begin" | "command" | "end"): void {
    const key = (
      { begin: "deliveredAtBegin", command: "deliveredAtCommand", end: "deliveredAtEnd" } as const
    )[edge];
    for (const meter of Object.values(this.#classes)) meter[key] = meter.delivered;
    for (const flow of this.#open.values()) {
      const meter = this.#classes[flow.sizeClass];
      meter[key] = meter[key]! + flow.counters().delivered;
    }
  }

  /** Payload of all flows that receivers have in order by now. */
  delivered(): number {
    let sum = 0;
    for (const { delivered } of Object.values(this.#classes)) sum += delivered;
    for (const flow of this.#open.values()) sum += flow.counters().delivered;
    return sum;
  }

  /** Flows that have not ended, in the order of their arrival. */
  openFlows(): readonly MeteredFlow[] {
    return [...this.#open.values()];
  }

  classes(): FlowFigures {
    return Object.fromEntries(
      Object.entries(this.#classes).map(([name, meter]): [string, ClassFigures] => [
        name,
        {
          flows: meter.flows,
          unfinished: meter.flows - meter.finished,
          bytes: meter.bytes,
          fct: meter.fct.toJson(),
          slowdown: meter.slowdown.toJson(),
          goodputs: meter.goodputs.toJson(),
          late: meter.late.toJson(),
          furthest: meter.furthest.toJson(),
          counters: meter.counters,
          held: meter.held.toJson(),
          delivered: meter.deliveredAtEnd - meter.deliveredAtBegin,
          ...given({
            deliveredBefore:
              meter.deliveredAtCommand === undefined
                ? undefined
                : meter.deliveredAtCommand - meter.deliveredAtBegin,
          }),
        },
      ]),
    ) as Record<SizeClass, ClassFigures>;
  }

  /** Undefined where no measured flow belongs to a group. */
  groups(): GroupFigures | undefined {
    if (this.#groupCount === 0) return undefined;
    return {
      groups: this.#groupCount,
      unfinished: this.#groupCount - this.#groupTimes.count,
      completion: this.#groupTimes.toJson(),
      ...given({
        slowdown: this.#groupSlowdowns.count === 0 ? undefined : this.#groupSlowdowns.toJson(),
      }),
    };
  }

  #groupProgress({ group }: FlowArrival, nowNs: number): void {
    const open = group && this.#groups.get(group.id);
    if (open === undefined || --open.left > 0) return;
    this.#groups.delete(open.group.id);
    const time = nowNs - open.group.startNs;
    this.#groupTimes.add(time);
    if (open.ideal !== undefined) this.#groupSlowdowns.add(time / open.ideal);
  }
}

function newClass(): ClassMeter {
  return {
    flows: 0,
    finished: 0,
    bytes: 0,
    fct: new QuantileSketch(),
    slowdown: new QuantileSketch(),
    goodputs: new Moments(),
    late: new QuantileSketch(),
    furthest: new QuantileSketch(),
    held: new QuantileSketch(),
    counters: {},
    delivered: 0,
    deliveredAtBegin: 0,
    deliveredAtEnd: 0,
    deliveredAtCommand: undefined,
  };
}

/** Adds those counters that are present. */
export function addCounters(sums: CounterSums, counters: CounterSums): void {
  for (const key of COUNTERS) {
    const value = counters[key];
    if (value === undefined) continue;
    sums[key] = MAXIMA.has(key) ? Math.max(sums[key] ?? 0, value) : (sums[key] ?? 0) + value;
  }
}

const MAXIMA: ReadonlySet<string> = new Set(["maxReorderingBytes", "longestSilenceNs"]);

const COUNTERS: readonly (keyof CounterSums)[] = [
  "segmentsSent",
  "retransmissions",
  "timeouts",
  "fastRetransmits",
  "reordered",
  "maxReorderingBytes",
  "marked",
  "repaths",
  "heldNs",
  "longestSilenceNs",
];
