/**
 * One run of a failover experiment in the simulator: a flow starts, something on its way fails without a signal, the
 * hosts do what their scheme says, and the time until data are acknowledged again is measured.
 *
 * The fabric is booted once. A run starts on an empty network and leaves it empty, and draws from randomness of
 * its own, so runs do not depend on each other and may be made in any order.
 */
import { type Fabric, NS_PER_MS } from "../sim/packet/index.js";
import type { Experiment, Failure } from "./experiment.js";
import { type Site, siteName, sitesOnPath } from "./failure-sites.js";
import { type DrawnRun, FlowDrawer, type SimulatedFlow } from "./flow-draw.js";
import type { PathExample, Sample } from "./results.js";

export class FailoverRig {
  readonly #experiment: Experiment;
  readonly #fabric: Fabric;
  readonly #drawer: FlowDrawer;

  constructor(experiment: Experiment, fabric: Fabric) {
    this.#experiment = experiment;
    this.#fabric = fabric;
    this.#drawer = new FlowDrawer(experiment, fabric);
  }

  /** Run number `run` of `failure` under `seed`. Throws what {@link FlowDrawer.draw} throws. */
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
    const drawn = this.#drawer.draw(failure, run, seed);
    this.#fabric.network.simulation.run(drawn.startedAt + drawn.failsAfter);
    const sample = this.#strike(drawn.flow, drawn.site);
    const example = show ? this.#example(drawn, sample) : undefined;
    setFault(this.#fabric, drawn.site, "repair");
    this.#drawer.close(drawn.flow);
    return { sample, example };
  }

  #strike(flow: SimulatedFlow, site: Site): Sample {
    const simulation = this.#fabric.network.simulation;
    const { settings } = this.#experiment;
    const failedAt = simulation.now;
    const rttMs = flow.client.timeout.smoothedRtt! / NS_PER_MS;
    const copiesBefore = copiesOf(flow);
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
    setFault(this.#fabric, site, "fail");
    simulation.run(failedAt + settings.give_up);
    flow.client.listener = {};
    const copies = copiesOf(flow) - copiesBefore;
    return { recoveryMs: (recoveredAt - failedAt) / NS_PER_MS, timeouts, rttMs, copies };
  }

  /** Follows the data once more, if they flow again. */
  #example({ flow, paths, site }: DrawnRun, sample: Sample): PathExample {
    const { network } = this.#fabric;
    const { topology } = this.#experiment;
    const after = [flow.source.host];
    network.observer = (channel, frame) =>
      this.#drawer.follow(channel, frame, flow, { data: after, acks: [] });
    if (Number.isFinite(sample.recoveryMs))
      network.simulation.run(network.simulation.now + 4 * sample.rttMs * NS_PER_MS);
    network.observer = undefined;
    return {
      failed: siteName(topology, site),
      before: paths.data,
      after: after.at(-1) === flow.destination.host ? after : undefined,
      failedNode: site.kind === "node" ? site.index : undefined,
      failedLink: site.kind === "link" ? site.index : undefined,
    };
  }
}

/** Copies that both ends have sent. */
function copiesOf({ client, server }: SimulatedFlow): number {
  return client.copiesSent + server.copiesSent;
}

/** Makes a site of the simulated fabric swallow everything without a signal, or work again. */
function setFault(fabric: Fabric, site: Site, what: "fail" | "repair"): void {
  const { network } = fabric;
  if (site.kind === "node") {
    const node = fabric.nodes[site.index]!;
    if (what === "fail") network.failNode(node);
    else network.repairNode(node);
  } else if (what === "fail") network.failLink(fabric.link(site.index));
  else network.repairLink(fabric.link(site.index));
}
