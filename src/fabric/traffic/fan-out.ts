/**
 * Requests with fan-out: a client asks several servers at once, and each answers with a flow of its own. Without bytes in the
 * question the servers answer at the instant of the request, which is an incast at the client.
 */
import type { Random } from "../../base/index.js";
import type { GapDrawer } from "./arrivals.js";
import type { SizeDistribution } from "./cdf.js";
import { type Allowance, type Flow, type FlowSource, GroupFlow, type Service } from "./flow-source.js";
import type { FlowGroup } from "./workload.js";

export interface FanOut {
  /** Indexes of hosts in `Topology.nodes`, each once. */
  readonly clients: readonly number[];
  readonly servers: readonly number[];
  /** Number of servers that one request asks; at most the number of servers other than the client. */
  readonly degree: number;
  /** Payload of each question; 0: there are no questions. */
  readonly questionBytes: number;
  /** Of the answers. */
  readonly sizes: SizeDistribution;
  readonly service: Service;
}

/** A request from its first flow to its last answer. */
class Request implements FlowGroup {
  readonly flows: number;
  /** Number of answers that are not complete yet. */
  left: number;

  constructor(
    readonly id: number,
    readonly startNs: number,
    fanOut: FanOut,
    /** Index in the clients of a closed loop. */
    readonly slot: number,
  ) {
    this.left = fanOut.degree;
    this.flows = fanOut.questionBytes > 0 ? 2 * this.left : this.left;
  }
}

/** The server answers when it is complete. The size of the answer is drawn with the request, so that it is the same in every network. */
class Question extends GroupFlow {
  constructor(
    startNs: number,
    client: number,
    server: number,
    readonly fanOut: FanOut,
    request: FlowGroup,
    first: boolean,
    readonly answerBytes: number,
  ) {
    super(startNs, client, server, fanOut.questionBytes, fanOut.service, request, first);
  }

  answer(nowNs: number): Flow {
    const { destination: server, source: client, answerBytes, fanOut, group } = this;
    return new GroupFlow(nowNs, server, client, answerBytes, fanOut.service, group, false);
  }
}

/** Draws the flows with which requests of one client, or of all clients, begin. */
class RequestDrawer {
  readonly #pairs: Random;
  readonly #sizes: Random;

  constructor(
    readonly fanOut: FanOut,
    /** By host: its index in the servers. */
    readonly ranks: ReadonlyMap<number, number>,
    random: Random,
  ) {
    this.#pairs = random.fork("pairs");
    this.#sizes = random.fork("sizes");
  }

  draw(client: number, request: Request): Flow[] {
    const { fanOut } = this;
    const { questionBytes, service, sizes } = fanOut;
    const { startNs } = request;
    return this.#servers(client).map((server, index) => {
      const answerBytes = sizes.sample(this.#sizes);
      const first = index === 0;
      return questionBytes > 0
        ? new Question(startNs, client, server, fanOut, request, first, answerBytes)
        : new GroupFlow(startNs, server, client, answerBytes, service, request, first);
    });
  }

  /** Servers other than the client; all sets are equally likely (Floyd's algorithm: Bentley, Comm. ACM 30(9), 1987). */
  #servers(client: number): number[] {
    const { servers, degree } = this.fanOut;
    const own = this.ranks.get(client) ?? servers.length;
    const count = own < servers.length ? servers.length - 1 : servers.length;
    const drawn = new Set<number>();
    for (let top = count - degree; top < count; top++) {
      const index = this.#pairs.int(top + 1);
      drawn.add(drawn.has(index) ? top : index);
    }
    return [...drawn].map((index) => servers[index < own ? index : index + 1]!);
  }
}

function ranksOf({ servers }: FanOut): ReadonlyMap<number, number> {
  return new Map(servers.map((server, rank) => [server, rank]));
}

/** Open loop: requests arrive independently of the completion of earlier ones. */
export class OpenRequests implements FlowSource {
  readonly completed?: (flow: Flow, nowNs: number) => readonly Flow[];
  #time = 0;
  /** Flows of the last request that were not returned yet, last first. */
  #waiting: Flow[] = [];
  readonly #arrivals: Random;
  readonly #clients: Random;
  readonly #drawer: RequestDrawer;

  constructor(
    readonly fanOut: FanOut,
    readonly gap: GapDrawer,
    readonly allowance: Allowance,
    random: Random,
  ) {
    this.#arrivals = random.fork("arrivals");
    this.#clients = random.fork("clients");
    this.#drawer = new RequestDrawer(fanOut, ranksOf(fanOut), random);
    if (fanOut.questionBytes > 0)
      this.completed = (flow, nowNs) => (flow instanceof Question ? [flow.answer(nowNs)] : []);
  }

  next(): Flow {
    if (this.#waiting.length === 0) {
      this.#time += this.gap(this.#arrivals);
      const { fanOut, allowance } = this;
      const request = new Request(allowance.newGroup(), Math.floor(this.#time), fanOut, 0);
      const client = this.#clients.pick(fanOut.clients);
      this.#waiting = this.#drawer.draw(client, request).reverse();
    }
    return this.#waiting.pop()!;
  }
}

/** A closed loop: each client has a number of requests in flight, and starts another one after a time of thinking. */
export interface ClosedLoop {
  /** Number of requests of one client in flight. */
  readonly outstanding: number;
  /** Mean of the exponential time from the last answer to the next request, and before the first request; 0: none. */
  readonly thinkNs: number;
}

/** Each request slot has random numbers of its own, so that its n-th request is the same in every network. */
export class ClosedRequests implements FlowSource {
  readonly #slots: { readonly client: number; readonly think: Random; readonly drawer: RequestDrawer }[];
  /** The flows of the first requests, last first. */
  readonly #first: Flow[];

  constructor(
    readonly fanOut: FanOut,
    readonly loop: ClosedLoop,
    readonly allowance: Allowance,
    random: Random,
  ) {
    const ranks = ranksOf(fanOut);
    this.#slots = fanOut.clients.flatMap((client, index) =>
      Array.from({ length: loop.outstanding }, (_, place) => {
        const own = random.fork(`client ${index} place ${place}`);
        return { client, think: own.fork("think"), drawer: new RequestDrawer(fanOut, ranks, own) };
      }),
    );
    const starts = this.#slots.map((_, slot) => ({ slot, startNs: this.#think(slot) }));
    starts.sort((a, b) => a.startNs - b.startNs || a.slot - b.slot);
    this.#first = starts.flatMap(({ slot, startNs }) => this.#ask(slot, startNs)).reverse();
  }

  next(): Flow | undefined {
    return this.#first.pop();
  }

  completed(flow: Flow, nowNs: number): readonly Flow[] {
    if (flow instanceof Question) return [flow.answer(nowNs)];
    const request = (flow as GroupFlow).group as Request;
    if (--request.left > 0) return [];
    const startNs = nowNs + this.#think(request.slot);
    return this.allowance.take(request.flows, startNs) ? this.#ask(request.slot, startNs) : [];
  }

  #think(slot: number): number {
    return Math.floor(this.#slots[slot]!.think.exponential(this.loop.thinkNs));
  }

  #ask(slot: number, startNs: number): Flow[] {
    const { client, drawer } = this.#slots[slot]!;
    const request = new Request(this.allowance.newGroup(), startNs, this.fanOut, slot);
    return drawer.draw(client, request);
  }
}
