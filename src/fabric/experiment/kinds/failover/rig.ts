/**
 * One run of a failover experiment in the simulator: a flow starts, an element on its path fails without a signal, the
 * hosts act by their scheme, and the time until data are acknowledged again is measured.
 *
 * The fabric is booted once. A run starts on an empty network and leaves it empty, and has randomness of
 * its own, so runs do not depend on each other and may be made in any order. With controllers they do depend on each other:
 * the controllers run on from run to run, and the state that they have written stays.
 */
import { Random } from "../../../../base/index.js";
import { type Fabric, NS_PER_MS } from "../../../sim/packet/index.js";
import { advance, type Steps } from "../../advance.js";
import { type DrawnFailure, faultsOf, isPartial } from "../../faults/drawn-failures.js";
import { elementName } from "../../faults/fault.js";
import { SimulatorFaults } from "../../faults/on-simulator.js";
import type { SimulatorStage } from "../kind.js";
import { sitesOnPath } from "./failure-sites.js";
import { type DrawnRun, FlowDrawer, type SimulatedFlow } from "./flow-draw.js";
import type { PathExample, Sample } from "./results.js";
import type { Experiment } from "./schema.js";

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
