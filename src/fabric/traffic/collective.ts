/**
 * Collective operations of N hosts, whose steps wait for each other: the ring all-reduce, with 2(N-1) steps in which each host sends a part to its successor
 * (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009), and the all-to-all in N-1 rounds, in each of which
 * every host sends its part for another one. A host begins a step when the parts of all steps before it have arrived there.
 */
import type { Random } from "../../base/index.js";
import type { GapDrawer } from "./arrivals.js";
import type { SizeDistribution } from "./cdf.js";
import { type Allowance, type Flow, type FlowSource, GroupFlow, type Service } from "./flow-source.js";
import type { FlowArrival, FlowGroup } from "./workload.js";

export const OPERATIONS = ["all_reduce", "all_to_all"] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface CollectiveSpec {
  readonly operation: Operation;
  /** Indexes of hosts in `Topology.nodes`, each once, in the order of the ring; at least two. */
  readonly hosts: readonly number[];
  /** Bytes of each host's data, which are divided into as many parts as there are hosts. */
  readonly sizes: SizeDistribution;
  readonly service: Service;
}

/** Steps, each with a flow of every host. */
export function stepsOf(operation: Operation, hosts: number): number {
  return operation === "all_reduce" ? 2 * (hosts - 1) : hosts - 1;
}

/** The ranks to which a host sends in a step, and the part that it sends. */
function sentIn(
  operation: Operation,
  rank: number,
  step: number,
  hosts: number,
): readonly [to: number, part: number] {
  if (operation === "all_to_all") {
    const to = (rank + step + 1) % hosts;
    return [to, to];
  }
  // What has come from the predecessor in the step before; a sum of all is complete after N-1 steps and goes round as it is.
  return [(rank + 1) % hosts, (rank + 2 * hosts - step) % hosts];
}

/** The flow of a host in a step. */
class StepFlow extends GroupFlow {
  constructor(
    startNs: number,
    readonly collective: Collective,
    rank: number,
    readonly step: number,
    readonly to: number,
    bytes: number,
  ) {
    const { hosts, service } = collective.spec;
    super(startNs, hosts[rank]!, hosts[to]!, bytes, service, collective, step === 0 && rank === 0);
  }
}

/** One operation from its first flow to its last. */
class Collective implements FlowGroup {
  readonly flows: number;
  readonly steps: number;
  left: number;
  /** By rank: the next step that it sends; and the steps that have arrived there. */
  readonly #next: number[];
  readonly #arrived: Set<number>[];

  constructor(
    readonly id: number,
    readonly startNs: number,
    readonly spec: CollectiveSpec,
    /** Of each host's data. */
    readonly bytes: number,
  ) {
    const { operation, hosts } = spec;
    this.steps = stepsOf(operation, hosts.length);
    this.flows = this.steps * hosts.length;
    this.left = this.flows;
    this.#next = hosts.map(() => 1);
    this.#arrived = hosts.map(() => new Set());
  }

  /** The flows of the first step, in the order of the ranks. */
  begin(): StepFlow[] {
    return this.spec.hosts.map((_, rank) => this.#send(rank, 0, this.startNs));
  }

  /** The flows that begin when this one has arrived. */
  arrived({ to, step }: StepFlow, nowNs: number): StepFlow[] {
    this.left--;
    const arrived = this.#arrived[to]!;
    arrived.add(step);
    const flows: StepFlow[] = [];
    for (let next = this.#next[to]!; next < this.steps && arrived.has(next - 1); next++) {
      flows.push(this.#send(to, next, nowNs));
      this.#next[to] = next + 1;
    }
    return flows;
  }

  #send(rank: number, step: number, nowNs: number): StepFlow {
    const [to, part] = sentIn(this.spec.operation, rank, step, this.spec.hosts.length);
    return new StepFlow(nowNs, this, rank, step, to, this.#partBytes(part));
  }

  /** Parts differ by a byte at most, and none is empty. */
  #partBytes(part: number): number {
    const hosts = this.spec.hosts.length;
    const until = (parts: number) => Math.floor((parts * this.bytes) / hosts);
    return Math.max(1, until(part + 1) - until(part));
  }

  /**
   * The time of the operation where each flow is alone in the empty network: with equal hosts the steps times the time of a flow. `timeOf`: of a flow.
   * Undefined where a flow has none.
   */
  idealNs(timeOf: (flow: FlowArrival) => number | undefined): number | undefined {
    const { operation, hosts } = this.spec;
    let start = hosts.map(() => 0);
    for (let step = 0; step < this.steps; step++) {
      const next = [...start];
      for (const rank of hosts.keys()) {
        const flow = this.#send(rank, step, 0);
        const time = timeOf(flow);
        if (time === undefined) return undefined;
        const [to] = sentIn(operation, rank, step, hosts.length);
        next[to] = Math.max(next[to]!, start[rank]! + time);
      }
      start = next;
    }
    return Math.max(...start);
  }
}

/** Draws the operations of a part. */
class Operations {
  readonly #sizes: Random;

  constructor(
    readonly spec: CollectiveSpec,
    readonly allowance: Allowance,
    random: Random,
  ) {
    this.#sizes = random.fork("sizes");
  }

  begin(startNs: number): StepFlow[] {
    const { spec, allowance } = this;
    return new Collective(allowance.newGroup(), startNs, spec, spec.sizes.sample(this.#sizes)).begin();
  }
}

/** Operations that begin independently of the end of earlier ones. */
export class OpenCollectives implements FlowSource {
  readonly #operations: Operations;
  readonly #arrivals: Random;
  #time = 0;
  /** Flows of the first step that were not returned yet, last first. */
  #waiting: Flow[] = [];

  constructor(
    spec: CollectiveSpec,
    readonly gap: GapDrawer,
    allowance: Allowance,
    random: Random,
  ) {
    this.#operations = new Operations(spec, allowance, random);
    this.#arrivals = random.fork("arrivals");
  }

  next(): Flow {
    if (this.#waiting.length === 0) {
      this.#time += this.gap(this.#arrivals);
      this.#waiting = this.#operations.begin(Math.floor(this.#time)).reverse();
    }
    return this.#waiting.pop()!;
  }

  completed(flow: Flow, nowNs: number): readonly Flow[] {
    return (flow as StepFlow).collective.arrived(flow as StepFlow, nowNs);
  }
}

/** One operation after the other, as the iterations of a training. */
export class RepeatedCollectives implements FlowSource {
  readonly #operations: Operations;
  readonly #think: Random;
  readonly #first: Flow[];

  constructor(
    spec: CollectiveSpec,
    /** Mean of the exponential time before the first operation and after each; 0: none. */
    readonly thinkNs: number,
    readonly allowance: Allowance,
    random: Random,
  ) {
    this.#operations = new Operations(spec, allowance, random);
    this.#think = random.fork("think");
    this.#first = this.#operations.begin(this.#pause()).reverse();
  }

  next(): Flow | undefined {
    return this.#first.pop();
  }

  completed(flow: Flow, nowNs: number): readonly Flow[] {
    const { collective } = flow as StepFlow;
    const flows = collective.arrived(flow as StepFlow, nowNs);
    if (collective.left > 0) return flows;
    const startNs = nowNs + this.#pause();
    return this.allowance.take(collective.flows, startNs) ? this.#operations.begin(startNs) : [];
  }

  #pause(): number {
    return Math.floor(this.#think.exponential(this.thinkNs));
  }
}
