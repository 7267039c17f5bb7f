/** Parts of a workload: each gives its own flows in the order of their starts. */
import type { Random } from "../../base/index.js";
import type { GapDrawer } from "./arrivals.js";
import type { SizeDistribution } from "./cdf.js";
import type { Pattern } from "./patterns/pattern.js";
import type { FlowArrival, FlowGroup } from "./workload.js";

/** How the flows of a part are carried. */
export interface Service {
  readonly protocol: "tcp" | "udp";
  /** Payload rate in bits per second: of UDP flows, and of TCP flows whose application writes at a rate. */
  readonly rateBps?: number | undefined;
  /** Port of the receivers. */
  readonly port: number;
}

/** A flow; the workload sets its id when it starts. */
export class Flow implements FlowArrival {
  id = -1;
  /** Index of its part. */
  part = 0;
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  readonly rateBps?: number;

  constructor(
    readonly startNs: number,
    readonly source: number,
    readonly destination: number,
    readonly bytes: number,
    service: Service,
  ) {
    this.protocol = service.protocol;
    this.port = service.port;
    if (service.rateBps !== undefined) this.rateBps = service.rateBps;
  }
}

/** A flow of a group. */
export class GroupFlow extends Flow {
  constructor(
    startNs: number,
    source: number,
    destination: number,
    bytes: number,
    service: Service,
    readonly group: FlowGroup,
    /** Whether it is the first flow of the group. */
    readonly first: boolean,
  ) {
    super(startNs, source, destination, bytes, service);
  }
}

/** State that the parts of a workload share: how many flows may still start, and the numbers of groups. */
export interface Allowance {
  /** Whether this many flows may start at this time; they are then counted. */
  take(flows: number, startNs: number): boolean;
  newGroup(): number;
}

export interface FlowSource {
  /** The flow that starts next; undefined after the last. The flows of one group start together and follow each other. */
  next(): Flow | undefined;
  /** The flows that start because this flow of the part is complete. Flows of new groups are taken from the allowance. */
  completed?(flow: Flow, nowNs: number): readonly Flow[];
}

/** An endless sequence of drawn flows. */
export class DrawnFlows implements FlowSource {
  #time = 0;
  readonly #arrivals: Random;
  readonly #pairs: Random;
  readonly #sizes: Random;

  constructor(
    readonly gap: GapDrawer,
    readonly pattern: Pattern,
    readonly sizes: SizeDistribution,
    readonly service: Service,
    random: Random,
  ) {
    this.#arrivals = random.fork("arrivals");
    this.#pairs = random.fork("pairs");
    this.#sizes = random.fork("sizes");
  }

  next(): Flow {
    this.#time += this.gap(this.#arrivals);
    const [source, destination] = this.pattern.draw(this.#pairs);
    const bytes = this.sizes.sample(this.#sizes);
    return new Flow(Math.floor(this.#time), source, destination, bytes, this.service);
  }
}
