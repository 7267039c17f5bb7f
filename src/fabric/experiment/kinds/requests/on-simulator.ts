/** Runs the application and its faults on the packet simulator once. */
import { Random } from "../../../../base/index.js";
import type { Fabric, Stream, TcpOptions } from "../../../sim/packet/index.js";
import { QuantileSketch, type SketchJson } from "../../../statistics/index.js";
import { nodeNamed } from "../../../topology/index.js";
import { drawClientPort } from "../../../traffic/index.js";
import type { Steps } from "../../advance.js";
import { type TcpTransport, transportOptions } from "../../experiment.js";
import { scheduleFaults } from "../../faults/during-run.js";
import type { SimulatorStage } from "../kind.js";
import type { Application, Requests } from "./check.js";

/** Outcome of one scheme under one seed. All is JSON; times in nanoseconds. */
export interface RequestsOutcome {
  /** Number of measured IOs, and of those that had not completed at the end. */
  readonly ios: number;
  readonly unfinished: number;
  /** Number of IOs that took longer than `jitter`. */
  readonly slow: number;
  /** Latencies of completed IOs. */
  readonly latency: SketchJson;
  /** See `measures.ts`; 0 where there was none. */
  readonly jitter: number;
  readonly hang: number;
  readonly reconnects: number;
  readonly timeouts: number;
}

/** Number of parts into which a run is divided; signals of the process are handled between them. */
const SLICES = 2000;

export async function playRequests(experiment: Requests, stage: SimulatorStage): Promise<RequestsOutcome> {
  const { fabric, seed, play, breathe } = stage;
  const { simulation } = fabric.network;
  const { settings, topology } = experiment;
  const { application, duration, warm_up, traffic } = settings;
  const start = simulation.now;
  fabric.events.began();
  const nodesOf = (names: readonly string[]) => names.map((name) => nodeNamed(topology, name)!.index);
  const own = new SimulatedApplication(fabric, {
    application,
    transport: transportOptions(settings.transport as TcpTransport),
    ip: traffic.ip,
    nodes: { clients: nodesOf(application.clients), servers: nodesOf(application.servers) },
    random: new Random(seed).fork("application"),
    duration,
  });
  const throwIfFailed = scheduleFaults(experiment, duration, stage);
  const slice = Math.ceil(duration / SLICES);
  while (simulation.now < start + duration) {
    await play(until(Math.min(start + duration, simulation.now + slice)));
    throwIfFailed();
    await breathe();
  }
  own.close();
  fabric.events.ended();
  const ios = own.ios.filter((io) => io.start >= warm_up);
  const latency = new QuantileSketch();
  for (const { start: from, end } of ios) if (end !== undefined) latency.add(end - from);
  return {
    ios: ios.length,
    unfinished: ios.filter(({ end }) => end === undefined).length,
    slow: ios.filter((io) => (io.end ?? duration) - io.start > application.jitter).length,
    latency: latency.toJson(),
    jitter: longestJitter(ios, application.jitter, duration),
    hang: longestHang(ios, duration),
    reconnects: own.reconnects,
    timeouts: own.timeouts,
  };
}

function* until(time: number): Steps<void> {
  yield time;
}

// The application on simulated hosts. A client keeps connections to all servers. An IO asks some of them, and is complete when each has
// answered. When a connection gives no answer within the timeout, it is closed; a new one, from another port, repeats its open questions.

/** One IO of a client. */
export interface Io {
  readonly client: number;
  /** Nanoseconds from the start of the application. */
  readonly start: number;
  /** Undefined: it has not completed. */
  end: number | undefined;
  /** Servers that have not answered. */
  left: number;
}

/** Port of the servers. */
const PORT = 5001;

interface ApplicationRun {
  readonly application: Application;
  readonly transport: TcpOptions;
  readonly ip: 4 | 6;
  readonly nodes: { readonly clients: readonly number[]; readonly servers: readonly number[] };
  readonly random: Random;
  /** Nanoseconds after which no IO arrives. */
  readonly duration: number;
}

class SimulatedApplication {
  readonly ios: Io[] = [];
  reconnects = 0;
  timeouts = 0;
  readonly #start: number;
  readonly #links: Link[] = [];

  readonly settings: Application;
  readonly transport: TcpOptions;
  readonly ip: 4 | 6;

  constructor(
    readonly fabric: Fabric,
    { application: settings, transport, ip, nodes, random, duration }: ApplicationRun,
  ) {
    this.settings = settings;
    this.transport = transport;
    this.ip = ip;
    this.#start = this.now;
    for (const server of nodes.servers) this.#listen(server, random.fork(`server ${server}`));
    for (const [client, node] of nodes.clients.entries()) {
      const own = random.fork(`client ${node}`);
      const links = nodes.servers.map((server) =>
        Array.from(
          { length: settings.connections },
          (_, i) => new Link(this, node, server, own.fork(`${server} ${i}`)),
        ),
      );
      this.#links.push(...links.flat());
      this.#arrive(client, links, own.fork("arrivals"), duration);
    }
  }

  get now(): number {
    return this.fabric.network.simulation.now;
  }

  get elapsed(): number {
    return this.now - this.#start;
  }

  close(): void {
    for (const link of this.#links) link.close();
  }

  #arrive(client: number, links: readonly (readonly Link[])[], random: Random, duration: number): void {
    const { interval, fan_out } = this.settings;
    const { simulation } = this.fabric.network;
    let turn = 0;
    const next = (at: number): void => {
      const time = at - interval * Math.log(1 - random.float());
      if (time >= duration) return;
      simulation.at(this.#start + Math.round(time), () => {
        const io: Io = { client, start: this.elapsed, end: undefined, left: fan_out };
        this.ios.push(io);
        const servers = [...links.keys()];
        for (let i = 0; i < fan_out; i++) {
          const drawn = i + random.int(servers.length - i);
          const server = servers[drawn]!;
          servers[drawn] = servers[i]!;
          const own = links[server]!;
          own[turn % own.length]!.ask(io);
        }
        turn++;
        next(time);
      });
    };
    next(0);
  }

  #listen(node: number, random: Random): void {
    const { request, response } = this.settings;
    const accept = (stream: Stream): void => {
      let answered = 0;
      stream.listener = {
        received: (total) => {
          const questions = Math.floor(total / request) - answered;
          answered += questions;
          if (questions > 0) stream.send(questions * response);
        },
      };
    };
    this.fabric.host(node).listen(PORT, this.transport, accept, random);
  }
}

/** A connection of a client to a server, and its successors. */
class Link {
  #stream: Stream | undefined;
  /** Questions without an answer, in the order in which they were asked, with their times. */
  readonly #waiting: { readonly io: Io; askedAt: number }[] = [];
  #opened = 0;
  #watching = false;
  #closed = false;

  constructor(
    readonly application: SimulatedApplication,
    readonly client: number,
    readonly server: number,
    readonly random: Random,
  ) {
    this.#open();
  }

  ask(io: Io): void {
    this.#waiting.push({ io, askedAt: this.application.now });
    this.#stream!.send(this.application.settings.request);
    this.#watch();
  }

  close(): void {
    this.#closed = true;
    this.#stream?.close();
  }

  #open(): void {
    const { fabric, ip, transport, settings } = this.application;
    const [host, server] = [fabric.host(this.client), fabric.host(this.server)];
    const peer = { address: server.address(ip), port: PORT };
    const random = this.random.fork(this.#opened++);
    let port = drawClientPort(random);
    while (!host.isFree(ip, port, peer)) port = drawClientPort(random);
    port = host.sourcePort(ip, port, peer, random.fork("port"));
    const stream = host.connect(ip, port, peer, random.fork("client"), transport);
    let answers = 0;
    stream.listener = {
      timedOut: () => this.application.timeouts++,
      received: (total) => {
        for (; answers < Math.floor(total / settings.response); answers++) this.#answered();
      },
      closed: () => {
        if (!this.#closed && this.#stream === stream) this.#reopen();
      },
    };
    this.#stream = stream;
  }

  #answered(): void {
    const { io } = this.#waiting.shift()!;
    if (--io.left === 0) io.end = this.application.elapsed;
  }

  /** Checks the oldest question when it has waited for the timeout. */
  #watch(): void {
    const [oldest] = this.#waiting;
    if (this.#watching || oldest === undefined) return;
    this.#watching = true;
    const { timeout } = this.application.settings;
    this.application.fabric.network.simulation.at(oldest.askedAt + timeout, () => {
      this.#watching = false;
      if (this.#closed) return;
      const [first] = this.#waiting;
      if (first !== undefined && this.application.now - first.askedAt >= timeout) this.#reopen();
      this.#watch();
    });
  }

  #reopen(): void {
    const { application } = this;
    application.reconnects++;
    const old = this.#stream!;
    this.#stream = undefined;
    old.close();
    this.#open();
    for (const question of this.#waiting) question.askedAt = application.now;
    if (this.#waiting.length > 0) this.#stream!.send(this.#waiting.length * application.settings.request);
  }
}

// Measures of bad service: intervals of slow IOs, and intervals without any progress. Nanoseconds.

/**
 * The longest interval in which slow IOs wait: the longest union of overlapping times from start to end of the IOs that take more than
 * `jitter`, over all clients. 0 without a slow IO. An IO that has not completed waits until `end`.
 */
export function longestJitter(ios: readonly Io[], jitter: number, end: number): number {
  const slow = ios
    .map((io) => [io.start, io.end ?? end] as const)
    .filter(([from, to]) => to - from > jitter)
    .sort(([a], [b]) => a - b);
  let longest = 0;
  let [begin, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, to] of slow) {
    if (from > reached) begin = from;
    reached = Math.max(reached, to);
    longest = Math.max(longest, reached - begin);
  }
  return longest;
}

/**
 * The longest interval of a client in which IOs wait and none completes: from the arrival of an IO at an idle client, or from the last
 * completion, to the next completion or `end`.
 */
export function longestHang(ios: readonly Io[], end: number): number {
  let longest = 0;
  for (const client of new Set(ios.map((io) => io.client))) {
    const events = ios
      .filter((io) => io.client === client)
      .flatMap((io) => [
        { at: io.start, change: 1 },
        ...(io.end === undefined ? [] : [{ at: io.end, change: -1 }]),
      ])
      // At one instant a completion comes first.
      .sort((a, b) => a.at - b.at || a.change - b.change);
    let waiting = 0;
    let since = 0;
    for (const { at, change } of events) {
      if (waiting === 0) since = at;
      else if (change < 0) {
        longest = Math.max(longest, at - since);
        since = at;
      }
      waiting += change;
    }
    if (waiting > 0) longest = Math.max(longest, end - since);
  }
  return longest;
}
