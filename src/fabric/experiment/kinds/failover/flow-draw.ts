/**
 * Draws the flow of a run and the element that fails on its path: the same for all schemes, and for the simulator and
 * a testbed. The path of a flow is observed in the simulator, where the switches run the same programs with the same
 * state.
 */
import { fail, Random } from "../../../../base/index.js";
import { type FlowKey, PROTOCOL_TCP, Segment } from "../../../../base/packets/index.js";
import { CLIENT, SERVER } from "../../../hosts/index.js";
import {
  type Channel,
  type Connection,
  type Fabric,
  type Host,
  NS_PER_S,
  type TransportOptions,
} from "../../../sim/packet/index.js";
import type { Topology } from "../../../topology/index.js";
import { drawClientPort, hostPlaces, PairDrawer, type Place } from "../../../traffic/index.js";
import { advance, type Steps } from "../../advance.js";
import { CODES } from "../../codes.js";
import { type DrawnFailure, drawKey, type SiteClass } from "../../faults/drawn-failures.js";
import type { Element } from "../../faults/fault.js";
import { transportOptions } from "../../transport.js";
import { isSameSite, siteKey, sitesOnPath } from "./failure-sites.js";
import type { Experiment } from "./schema.js";

/** Destination port of all flows. */
export const SERVER_PORT = 5201;

/** A flow that is open in the simulator. */
export interface SimulatedFlow {
  /** Number of its run. */
  run: number;
  source: Place;
  destination: Place;
  clientPort: number;
  client: Connection;
  server: Connection;
}

/** Nodes of the topology that the flow's data and its acknowledgements cross, ends included. */
export interface Paths {
  data: number[];
  acks: number[];
}

export interface DrawnRun {
  flow: SimulatedFlow;
  paths: Paths;
  /** The elements that fail, all at once, in the order of the failure's sites. */
  elements: Element[];
  /** Nanoseconds from {@link startedAt}, virtual time, to the failure. */
  failsAfter: number;
  startedAt: number;
}

/** Randomness of the path chooser at an end of a drawn flow; `run` is the randomness of the run. */
export type EndRandom = (run: Random, end: "client" | "server", flow: FlowKey) => Random;

const OF_ITS_OWN: EndRandom = (run, end) => run.fork(end);

export class FlowDrawer {
  readonly #experiment: Experiment;
  readonly #fabric: Fabric;
  readonly #pairs: PairDrawer;
  readonly #transport: TransportOptions;
  readonly #segment = new Segment();
  readonly #endRandom: EndRandom;
  readonly #maxDraws: number;

  /** `maxDraws`: maximum number of flows that are drawn for one run. */
  constructor(
    experiment: Experiment,
    fabric: Fabric,
    endRandom: EndRandom = OF_ITS_OWN,
    maxDraws = MAX_DRAWS,
  ) {
    this.#endRandom = endRandom;
    this.#maxDraws = maxDraws;
    this.#experiment = experiment;
    this.#fabric = fabric;
    this.#pairs = new PairDrawer(hostPlaces(experiment.topology), experiment.settings.traffic.pairs);
    this.#transport = transportOptions(experiment.settings.transport);
  }

  /**
   * Makes run number `run` of `failure` under `seed`; its flow is open and has had its first acknowledgement. Throws
   * DiagnosticError P43009 when no flow meets the failure, P43010 when flows cannot complete a round trip before it.
   */
  draw(failure: DrawnFailure, run: number, seed: number): DrawnRun {
    return advance(this.#fabric.network.simulation, this.drawSteps(failure, run, seed));
  }

  /** As {@link draw}, for a caller that advances virtual time. */
  *drawSteps(failure: DrawnFailure, run: number, seed: number): Steps<DrawnRun> {
    const simulation = this.#fabric.network.simulation;
    const { settings } = this.#experiment;
    // The draws do not depend on the scheme: all schemes meet the same flows and failures.
    const random = new Random(seed).fork(drawKey(failure)).fork(run);
    const met = new SitesMet(this.#experiment.topology, failure);
    for (let draws = 1; ; draws++) {
      const startedAt = simulation.now;
      const flow = this.#open(run, random);
      this.#fabric.events.flowOpened(run, flow.client.flow, undefined);
      const paths = yield* this.#discover(flow, startedAt + settings.failure_time);
      const elements = this.#pick(failure, paths, random);
      // Flows within a rack cross no leaf, and flows within a pod no spine: another flow is drawn.
      if (elements === "none" || elements === "put back") {
        yield* this.closeSteps(flow);
        if (elements === "none") {
          met.add(paths.data, paths.acks);
          if (draws >= this.#maxDraws) this.#noneHit(failure, draws, met);
        }
        continue;
      }
      const phase = random.int(Math.max(1, Math.round(flow.client.timeout.smoothedRtt!)));
      return { flow, paths, elements, failsAfter: settings.failure_time + phase, startedAt };
    }
  }

  /** One element for each site of the failure, all of them different. */
  #pick({ sites }: DrawnFailure, { data, acks }: Paths, random: Random): Element[] | "none" | "put back" {
    const { topology } = this.#experiment;
    const picked: Element[] = [];
    for (const site of sites) {
      const elements = [...sitesOnPath(topology, data, site), ...sitesOnPath(topology, acks, site)].filter(
        (one) => !picked.some((other) => isSameSite(one, other)),
      );
      if (elements.length === 0) return "none";
      const element = random.pick(elements);
      // An element on both paths has two chances to be drawn. Half of these draws are discarded, so that each flow
      // that its failure hits counts once, whichever path is hit.
      const chances = elements.filter((other) => isSameSite(other, element)).length;
      if (random.int(chances) > 0) return "put back";
      picked.push(element);
    }
    return picked;
  }

  /** Ends the flow and lets packets in flight arrive, so that the next run starts on an empty network. */
  close(flow: SimulatedFlow): void {
    advance(this.#fabric.network.simulation, this.closeSteps(flow));
  }

  /** As {@link close}, for a caller that advances virtual time. */
  *closeSteps(flow: SimulatedFlow): Steps<void> {
    flow.client.close();
    flow.server.close();
    this.#fabric.events.flowCompleted(flow.run);
    yield this.#fabric.network.simulation.now + DRAIN_TIME;
    this.#fabric.host(flow.source.host).reset();
    this.#fabric.host(flow.destination.host).reset();
  }

  /** Appends a hop to the path of the frame's direction, if the hop begins at the end of the path. */
  follow(channel: Channel, frame: Uint8Array, flow: SimulatedFlow, { data, acks }: Paths): void {
    if (!this.#segment.read(frame)) return;
    const path = this.#segment.srcPort === flow.clientPort ? data : acks;
    if (this.#fabric.indexOf(channel.source) === path.at(-1)) path.push(this.#fabric.indexOf(channel.target));
  }

  #noneHit(failure: DrawnFailure, draws: number, met: SitesMet): never {
    const { locate, settings, failures } = this.#experiment;
    fail(
      CODES.noPlace,
      locate(["failures", failures.indexOf(failure)]),
      `failure "${failure.name}": none of ${draws} flows of traffic.pairs: ${settings.traffic.pairs} crosses all its elements`,
      ...met.advice(),
    );
  }

  #open(run: number, random: Random): SimulatedFlow {
    const { traffic } = this.#experiment.settings;
    const [source, destination] = this.#pairs.draw(random)!;
    const drawn = drawClientPort(random);
    const [a, b] = [source, destination].map(({ host }) => this.#fabric.host(host)) as [Host, Host];
    const serverEnd = { address: b.address(traffic.ip), port: SERVER_PORT };
    const clientPort = a.sourcePort(traffic.ip, drawn, serverEnd, random.fork("port"));
    const open = (end: "client" | "server", own: Host, srcPort: number, peer: Host, dstPort: number) => {
      const [src, dst] = [own.address(traffic.ip), peer.address(traffic.ip)];
      const key: FlowKey = { src, dst, protocol: PROTOCOL_TCP, srcPort, dstPort };
      const to = { address: dst, port: dstPort };
      const drawing = this.#endRandom(random, end, key);
      return own.open(traffic.ip, srcPort, to, drawing, this.#transport, end === "client" ? CLIENT : SERVER);
    };
    const client = open("client", a, clientPort, b, SERVER_PORT);
    const server = open("server", b, SERVER_PORT, a, clientPort);
    client.send(Number.POSITIVE_INFINITY);
    return { run, source, destination, clientPort, client, server };
  }

  /** Runs until the first acknowledgement is back, and returns the paths of both directions. */
  *#discover(flow: SimulatedFlow, deadline: number): Steps<Paths> {
    const { network } = this.#fabric;
    const paths: Paths = { data: [flow.source.host], acks: [flow.destination.host] };
    network.observer = (channel, frame) => {
      this.follow(channel, frame, flow, paths);
      if (paths.acks.at(-1) === flow.source.host) network.simulation.stop();
    };
    yield deadline;
    network.observer = undefined;
    if (paths.acks.at(-1) !== flow.source.host || flow.client.timeout.smoothedRtt === undefined) {
      const { locate, settings } = this.#experiment;
      fail(
        CODES.failsTooEarly,
        locate(["failure_time"]) ?? locate(["topology"]),
        `no acknowledgement arrived within failure_time, ${settings.failure_time / 1e6} ms`,
        "failure_time must be longer than a round trip, and the hosts must reach each other",
      );
    }
    return paths;
  }
}

/** Maximum number of flows drawn for one run: a site on some path may be rare. */
const MAX_DRAWS = 100_000;

/** Longer than any frame stays in a fabric: full queues and wires of a data center take milliseconds. */
const DRAIN_TIME = NS_PER_S;

/** One class of elements that a failure names, and the maxima over all flows so far. */
interface Met {
  readonly site: SiteClass;
  /** How often the failure names it. */
  named: number;
  /** Of one path, data or acknowledgements. */
  onPath: number;
  /** Number of different elements on both paths of a flow. */
  onBoth: number;
}

export class SitesMet {
  readonly #topology: Topology;
  readonly #classes = new Map<string, Met>();

  constructor(topology: Topology, { sites }: DrawnFailure) {
    this.#topology = topology;
    for (const site of sites) {
      const met = this.#classes.get(siteKey(site));
      if (met === undefined) this.#classes.set(siteKey(site), { site, named: 1, onPath: 0, onBoth: 0 });
      else met.named++;
    }
  }

  /** Counts what a flow crosses. */
  add(data: readonly number[], acks: readonly number[]): void {
    for (const met of this.#classes.values()) {
      const [there, back] = [data, acks].map((path) => sitesOnPath(this.#topology, path, met.site));
      const onlyBack = back!.filter((one) => !there!.some((other) => isSameSite(one, other)));
      met.onPath = Math.max(met.onPath, there!.length, back!.length);
      met.onBoth = Math.max(met.onBoth, there!.length + onlyBack.length);
    }
  }

  /** What to write instead, one sentence for each class that is named too often. */
  advice(): string[] {
    const tooMany = [...this.#classes].filter(([, { named, onBoth }]) => named > onBoth);
    if (tooMany.length === 0)
      return [
        "each class of elements is crossed often enough, but not by the same flow: name fewer elements",
      ];
    return tooMany.map(([name, { named, onPath, onBoth }]) =>
      onBoth === 0
        ? `no path has a ${name}: leave it out, or choose pairs of hosts that are farther apart`
        : `the failure names ${named} of ${name}; a path has at most ${onPath}, ` +
          `and a flow with its acknowledgements at most ${onBoth}: name ${name} at most ${times(onBoth)}`,
    );
  }
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
