/**
 * One run of a failover experiment: a flow starts, something on its way fails without a signal, the hosts do
 * what their scheme says, and the time until data are acknowledged again is measured.
 *
 * The fabric is booted once. A run starts on an empty network and leaves it empty, and draws from randomness of
 * its own, so runs do not depend on each other and may be made in any order.
 */
import { fail, Random } from "../base/index.js";
import {
  type Channel,
  type Connection,
  type Fabric,
  type Host,
  NS_PER_MS,
  NS_PER_S,
  type Peer,
  Segment,
  type TransportOptions,
} from "../sim/packet/index.js";
import { drawClientPort, drawPair, type Place } from "../traffic/index.js";
import type { Experiment, Failure } from "./experiment.js";
import { hostPlaces, type Site, sitesOnPath } from "./failure-sites.js";
import type { PathExample, Sample } from "./results.js";

/** Port that all flows go to. */
const SERVER_PORT = 5201;

interface Flow {
  source: Place;
  destination: Place;
  clientPort: number;
  client: Connection;
  server: Connection;
}

/** Nodes of the topology that the flow's data and its acknowledgements cross, ends included. */
interface Paths {
  data: number[];
  acks: number[];
}

export class FailoverRig {
  readonly #experiment: Experiment;
  readonly #fabric: Fabric;
  readonly #places: readonly Place[];
  readonly #transport: TransportOptions;
  readonly #segment = new Segment();

  constructor(experiment: Experiment, fabric: Fabric) {
    this.#experiment = experiment;
    this.#fabric = fabric;
    this.#places = hostPlaces(experiment.topology);
    const { segment_bytes, window_segments, rto_margin, rto_cap } = experiment.settings.transport;
    this.#transport = {
      segmentBytes: segment_bytes,
      windowSegments: window_segments,
      margin: rto_margin,
      cap: rto_cap,
      initial: NS_PER_S,
    };
  }

  /**
   * Run number `run` of `failure` under `seed`. Throws DiagnosticError P43010 when flows cannot complete a round
   * trip before the failure.
   */
  run(failure: Failure, run: number, seed: number): Sample {
    return this.#run(failure, run, seed, false).sample;
  }

  /** The paths of the first of the `runs` whose data, not only their acknowledgements, the failure hits. */
  show(failure: Failure, runs: number, seed: number): PathExample | undefined {
    const { topology } = this.#experiment;
    for (let run = 0; run < runs; run++) {
      const example = this.#run(failure, run, seed, true).example!;
      const hit = sitesOnPath(topology, example.before, failure).map((site) => site.index);
      if (hit.includes(example.failedNode ?? example.failedLink!)) return example;
    }
    return undefined;
  }

  #run(
    failure: Failure,
    run: number,
    seed: number,
    show: boolean,
  ): { sample: Sample; example: PathExample | undefined } {
    const simulation = this.#fabric.network.simulation;
    const { settings, topology } = this.#experiment;
    // The draws do not depend on the scheme: all schemes meet the same flows and failures.
    const random = new Random(seed).fork(failure).fork(run);
    for (let draws = 1; ; draws++) {
      const start = simulation.now;
      const flow = this.#open(random);
      const paths = this.#discover(flow, start + settings.failure_time);
      const sites = [
        ...sitesOnPath(topology, paths.data, failure),
        ...sitesOnPath(topology, paths.acks, failure),
      ];
      // Flows of one rack cross no leaf, flows of one pod no spine: others are drawn.
      if (sites.length === 0) {
        this.#close(flow);
        if (draws >= MOST_DRAWS) this.#noneHit(failure, draws);
        continue;
      }
      const site = random.pick(sites);
      // A site on both ways has two chances to be drawn: half of them are put back, so that each flow
      // that a site's failure hits counts once, whichever way it is hit.
      const chances = sites.filter((other) => other.index === site.index).length;
      if (random.int(chances) > 0) {
        this.#close(flow);
        continue;
      }
      const phase = random.int(Math.max(1, Math.round(flow.client.timeout.smoothedRtt!)));
      simulation.run(start + settings.failure_time + phase);
      const sample = this.#strike(flow, site);
      const example = show ? this.#example(flow, paths, site, sample) : undefined;
      this.#set(site, "repair");
      this.#close(flow);
      return { sample, example };
    }
  }

  #noneHit(failure: Failure, draws: number): never {
    const { locate, settings } = this.#experiment;
    fail(
      "P43009",
      locate(["failures", settings.failures.indexOf(failure)]),
      `failure "${failure}": none of ${draws} flows of traffic.pairs: ${settings.traffic.pairs} crosses one`,
      "choose pairs of hosts that are farther apart",
    );
  }

  #open(random: Random): Flow {
    const { traffic } = this.#experiment.settings;
    const [source, destination] = drawPair(this.#places, traffic.pairs, random)!;
    const clientPort = drawClientPort(random);
    const [a, b] = [this.#fabric.host(source.host), this.#fabric.host(destination.host)];
    const to = (host: Host, port: number): Peer => ({ address: host.address(traffic.ip), port });
    const client = a.open(traffic.ip, clientPort, to(b, SERVER_PORT), random.fork("client"), this.#transport);
    const server = b.open(traffic.ip, SERVER_PORT, to(a, clientPort), random.fork("server"), this.#transport);
    client.send(Number.POSITIVE_INFINITY);
    return { source, destination, clientPort, client, server };
  }

  /** Runs until the first acknowledgement is back, and tells the ways that both directions take. */
  #discover(flow: Flow, deadline: number): Paths {
    const { network } = this.#fabric;
    const data = [flow.source.host];
    const acks = [flow.destination.host];
    network.observer = (channel, frame) => {
      this.#follow(channel, frame, flow, data, acks);
      if (acks.at(-1) === flow.source.host) network.simulation.stop();
    };
    network.simulation.run(deadline);
    network.observer = undefined;
    if (acks.at(-1) !== flow.source.host || flow.client.timeout.smoothedRtt === undefined) {
      const { locate, settings } = this.#experiment;
      fail(
        "P43010",
        locate(["failure_time"]) ?? locate(["topology"]),
        `no acknowledgement came back within failure_time, ${settings.failure_time / 1e6} ms`,
        "failure_time must be longer than a round trip, and the hosts must reach each other",
      );
    }
    return { data, acks };
  }

  /** Adds a hop to the path of the direction that a frame goes, if it goes on from the path's end. */
  #follow(channel: Channel, frame: Uint8Array, flow: Flow, data: number[], acks: number[]): void {
    if (!this.#segment.read(frame)) return;
    const path = this.#segment.srcPort === flow.clientPort ? data : acks;
    if (this.#fabric.indexOf(channel.source) === path.at(-1)) path.push(this.#fabric.indexOf(channel.target));
  }

  #strike(flow: Flow, site: Site): Sample {
    const simulation = this.#fabric.network.simulation;
    const { settings } = this.#experiment;
    const failedAt = simulation.now;
    const rttMs = flow.client.timeout.smoothedRtt! / NS_PER_MS;
    let timeouts = 0;
    let triedAt = failedAt;
    let recoveredAt = Number.POSITIVE_INFINITY;
    flow.client.listener = {
      timedOut: () => {
        timeouts++;
        triedAt = simulation.now;
      },
      recovered: () => {
        recoveredAt = triedAt;
        simulation.stop();
      },
    };
    this.#set(site, "fail");
    simulation.run(failedAt + settings.give_up);
    flow.client.listener = {};
    return { recoveryMs: (recoveredAt - failedAt) / NS_PER_MS, timeouts, rttMs };
  }

  #set(site: Site, what: "fail" | "repair"): void {
    const { network } = this.#fabric;
    if (site.kind === "node") {
      const node = this.#fabric.nodes[site.index]!;
      if (what === "fail") network.failNode(node);
      else network.repairNode(node);
    } else if (what === "fail") network.failLink(this.#fabric.link(site.index));
    else network.repairLink(this.#fabric.link(site.index));
  }

  /** Follows the data once more, if they flow again. */
  #example(flow: Flow, paths: Paths, site: Site, sample: Sample): PathExample {
    const { network } = this.#fabric;
    const { topology } = this.#experiment;
    const after = [flow.source.host];
    network.observer = (channel, frame) => this.#follow(channel, frame, flow, after, []);
    if (Number.isFinite(sample.recoveryMs))
      network.simulation.run(network.simulation.now + 4 * sample.rttMs * NS_PER_MS);
    network.observer = undefined;
    const name = (node: number) => topology.nodes[node]!.name;
    const link = site.kind === "link" ? topology.links[site.index]! : undefined;
    return {
      failed: link === undefined ? name(site.index) : `${name(link.a.node)} - ${name(link.b.node)}`,
      before: paths.data,
      after: after.at(-1) === flow.destination.host ? after : undefined,
      failedNode: site.kind === "node" ? site.index : undefined,
      failedLink: site.kind === "link" ? site.index : undefined,
    };
  }

  /** Ends the flow and lets what is still under way arrive, so that the next run finds nothing of this one. */
  #close(flow: Flow): void {
    const simulation = this.#fabric.network.simulation;
    flow.client.close();
    flow.server.close();
    simulation.run(simulation.now + DRAIN_TIME);
    this.#fabric.host(flow.source.host).reset();
    this.#fabric.host(flow.destination.host).reset();
  }
}

/** Flows that are drawn for one run before it is given up: some pair of hosts has a site, but it may be rare. */
const MOST_DRAWS = 100_000;

/** Longer than any frame stays in a fabric: full queues and wires of a data center take milliseconds. */
const DRAIN_TIME = NS_PER_S;
