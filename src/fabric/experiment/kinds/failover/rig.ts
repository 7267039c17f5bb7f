/**
 * One run of a failover experiment in the simulator: a flow starts, an element on its path fails without a signal, the
 * hosts act by their scheme, and the time until data are acknowledged again is measured.
 *
 * The fabric is booted once. A run starts on an empty network and leaves it empty, and has randomness of
 * its own, so runs do not depend on each other and may be made in any order. With controllers they do depend on each other:
 * the controllers run on from run to run, and the state that they have written stays.
 */
import { fail, Random } from "../../../../base/index.js";
import { type FlowKey, PROTOCOL_TCP, Segment } from "../../../../base/packets/index.js";
import { CLIENT, SERVER } from "../../../hosts/index.js";
import {
  type Channel,
  type Connection,
  type Fabric,
  type Host,
  NS_PER_MS,
  NS_PER_S,
  type TransportOptions,
} from "../../../sim/packet/index.js";
import type { Topology } from "../../../topology/index.js";
import { drawClientPort, hostPlaces, PairDrawer, type Place } from "../../../traffic/index.js";
import { advance, type Steps } from "../../advance.js";
import { CODES } from "../../codes.js";
import { transportOptions } from "../../experiment.js";
import { type Element, elementName } from "../../faults/fault.js";
import { SimulatorFaults } from "../../on-simulator.js";
import type { SimulatorStage } from "../kind.js";
import {
  type DrawnFailure,
  drawKey,
  faultsOf,
  isPartial,
  isSameSite,
  type SiteClass,
  siteKey,
  sitesOnPath,
} from "./failures.js";
import type { PathExample, Sample } from "./results.js";
import type { Experiment } from "./schema.js";

// Draws the flow of a run and the element that fails on its path: the same for all schemes, and for the simulator and
// a testbed. The path of a flow is observed in the simulator, where the switches run the same programs with the same
// state.

/** Destination port of all flows. */
export const SERVER_PORT = 5201;

/** A flow that is open in the simulator. */
interface SimulatedFlow {
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

interface DrawnRun {
  flow: SimulatedFlow;
  paths: Paths;
  /** The elements that fail, all at once, in the order of the failure's sites. */
  elements: Element[];
  /** Nanoseconds from {@link startedAt}, virtual time, to the failure. */
  failsAfter: number;
  startedAt: number;
}

/** Randomness of the path chooser at an end of a drawn flow; `run` is the randomness of the run. */
type EndRandom = (run: Random, end: "client" | "server", flow: FlowKey) => Random;

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

class SitesMet {
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

export class FailoverRig {
  readonly #experiment: Experiment;
  readonly #fabric: Fabric;
  readonly #drawer: FlowDrawer;
  readonly #power: SimulatorStage["power"];

  /** @param power effect of a failure on the process of a switch; by default the switch is cut off and keeps its state */
  constructor(experiment: Experiment, fabric: Fabric, power: SimulatorStage["power"] = UNPOWERED) {
    this.#power = power;
    this.#experiment = experiment;
    this.#fabric = fabric;
    this.#drawer = new FlowDrawer(experiment, fabric);
  }

  /** Run number `run` of `failure` under `seed`. Throws what {@link FlowDrawer.draw} throws. */
  run(failure: DrawnFailure, run: number, seed: number): Sample {
    return advance(this.#fabric.network.simulation, this.runSteps(failure, run, seed));
  }

  /** As {@link run}, for a caller that advances virtual time. */
  *runSteps(failure: DrawnFailure, run: number, seed: number): Steps<Sample> {
    return (yield* this.#run(failure, run, seed, false)).sample;
  }

  /** The paths of the first of the `runs` runs whose data the failure hits, not only its acknowledgements. */
  show(failure: DrawnFailure, runs: number, seed: number): PathExample | undefined {
    return advance(this.#fabric.network.simulation, this.showSteps(failure, runs, seed));
  }

  /** As {@link show}, for a caller that advances virtual time. */
  *showSteps(failure: DrawnFailure, runs: number, seed: number): Steps<PathExample | undefined> {
    const { topology } = this.#experiment;
    for (let run = 0; run < runs; run++) {
      const example = (yield* this.#run(failure, run, seed, true)).example!;
      const hit = sitesOnPath(topology, example.before, failure.sites[0]!).map((site) => site.index);
      if (hit.includes(example.failedNode ?? example.failedLink!)) return example;
    }
    return undefined;
  }

  *#run(
    failure: DrawnFailure,
    run: number,
    seed: number,
    show: boolean,
  ): Steps<{ sample: Sample; example: PathExample | undefined }> {
    const drawn = yield* this.#drawer.drawSteps(failure, run, seed);
    yield drawn.startedAt + drawn.failsAfter;
    const faults = new SimulatorFaults(this.#fabric, {
      random: new Random(seed).fork("faults").fork(run),
      ...this.#power,
    });
    let end = (): Promise<void> => Promise.resolve();
    const inject = () => {
      end = faults.inject(faultsOf(failure, drawn.elements));
    };
    const sample = isPartial(failure)
      ? yield* this.#observe(drawn.flow, inject)
      : yield* this.#recover(drawn.flow, inject);
    const example = show ? yield* this.#example(drawn, sample) : undefined;
    let failed: unknown;
    const over = end().catch((error: unknown) => {
      failed = error;
    });
    yield* this.#drawer.closeSteps(drawn.flow);
    void over;
    if (failed !== undefined) throw failed;
    return { sample, example };
  }

  /**
   * Runs until data get through again, or until `give_up` has passed. The recovery time of a flow that continues without a timeout, because
   * switches leave out ports that are down, is 0.
   */
  *#recover(flow: SimulatedFlow, inject: () => void): Steps<Sample> {
    const { simulation } = this.#fabric.network;
    const before = this.#stateOf(flow);
    let timeouts = 0;
    let triedAt = before.at;
    let recoveredAt = Number.POSITIVE_INFINITY;
    flow.client.listener = {
      timedOut: () => {
        this.#fabric.events.flowTimedOut(flow.run);
        timeouts++;
        triedAt = simulation.now;
      },
      recovered: () => {
        recoveredAt = triedAt;
        simulation.stop();
      },
    };
    inject();
    const until = before.at + this.#experiment.settings.give_up;
    const sent = flow.client.counters.bytesSent;
    let wait = 2 * flow.client.timeout.smoothedRtt!;
    while (recoveredAt === Number.POSITIVE_INFINITY && simulation.now < until) {
      yield Math.min(until, simulation.now + wait);
      wait *= 2;
      // Data that left after the failure have been acknowledged.
      if (timeouts === 0 && flow.client.bytesAcknowledged > sent) recoveredAt = before.at;
    }
    return this.#sampleOf(flow, before, recoveredAt, timeouts);
  }

  /**
   * Runs for the time of observation, because a flow that recovers on a lossy path may lose packets again. The last recovery counts; the
   * recovery time of a flow without timeouts is 0.
   */
  *#observe(flow: SimulatedFlow, inject: () => void): Steps<Sample> {
    const { simulation } = this.#fabric.network;
    const before = this.#stateOf(flow);
    let timeouts = 0;
    let triedAt = before.at;
    let recoveredAt = before.at;
    flow.client.listener = {
      timedOut: () => {
        this.#fabric.events.flowTimedOut(flow.run);
        timeouts++;
        triedAt = simulation.now;
        recoveredAt = Number.POSITIVE_INFINITY;
      },
      recovered: () => {
        recoveredAt = triedAt;
      },
    };
    inject();
    yield before.at + this.#experiment.settings.observation;
    return this.#sampleOf(flow, before, recoveredAt, timeouts);
  }

  #stateOf(flow: SimulatedFlow) {
    return {
      at: this.#fabric.network.simulation.now,
      copies: copiesOf(flow),
      rttMs: flow.client.timeout.smoothedRtt! / NS_PER_MS,
    };
  }

  #sampleOf(
    flow: SimulatedFlow,
    { at, copies, rttMs }: { at: number; copies: number; rttMs: number },
    recoveredAt: number,
    timeouts: number,
  ): Sample {
    flow.client.listener = {};
    return {
      recoveryMs: (recoveredAt - at) / NS_PER_MS,
      timeouts,
      rttMs,
      copies: copiesOf(flow) - copies,
    };
  }

  /** The path of the data after the recovery, if there was one. */
  *#example({ flow, paths, elements }: DrawnRun, sample: Sample): Steps<PathExample> {
    const { network } = this.#fabric;
    const { topology } = this.#experiment;
    const [first] = elements;
    const after = [flow.source.host];
    network.observer = (channel, frame) =>
      this.#drawer.follow(channel, frame, flow, { data: after, acks: [] });
    if (Number.isFinite(sample.recoveryMs)) yield network.simulation.now + 4 * sample.rttMs * NS_PER_MS;
    network.observer = undefined;
    return {
      failed: elements.map((element) => elementName(topology, element)).join(" and "),
      before: paths.data,
      after: after.at(-1) === flow.destination.host ? after : undefined,
      failedNode: first!.kind === "node" ? first!.index : undefined,
      failedLink: first!.kind === "link" ? first!.index : undefined,
    };
  }
}

/** Without controllers the switches keep the state of their plans. */
const UNPOWERED: SimulatorStage["power"] = {
  kill: () => {},
  restart: () => undefined,
  control: new Map(),
};

/** Number of copies that both ends have sent. */
function copiesOf({ client, server }: SimulatedFlow): number {
  return client.counters.copiesSent + server.counters.copiesSent;
}
