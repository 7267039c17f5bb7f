/**
 * Failover runs on real switches and hosts: a flow of the kernel's TCP, a failure injected into the switches, and the time until its
 * data get through again. The flows and failures are those of the simulator.
 */

import { fail, given } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import { elementName } from "../../faults/fault.js";
import { checkLabDelay } from "../../faults/lab-check.js";
import { LabFaults } from "../../faults/on-lab.js";
import { LoadMeter, saturationWarnings } from "../../testbed/machine-load.js";
import type { SchemeOnLab } from "../../testbed/scheme-on-lab.js";
import type { LabSide } from "../kind.js";
import { type DrawnFailure, faultsOf, isPartial } from "./failures.js";
import { type PredictedRun, Predictor } from "./prediction.js";
import { measureRecovery, type RecoveryOutcome } from "./recovery.js";
import type { Sample, Series } from "./results.js";
import { SERVER_PORT } from "./rig.js";
import type { Experiment, FailoverUnit } from "./schema.js";

/** Maximum number of attempts at a run whose flow has timeouts before its fault. */
const MAX_ATTEMPTS = 5;

/** Data that the runs of one scheme share. */
export interface Prepared {
  readonly predictor: Predictor;
  /** How often a pair of hosts and ports was used: agents draw a new selector each time. */
  readonly uses: Map<string, number>;
}

/** How failover runs on real switches. The flows and failures are those of the simulator. */
export const FAILOVER_ON_LAB: LabSide<Experiment, FailoverUnit, Series, Prepared> = {
  async check({ failures, locate }, engine, stop) {
    for (const [i, failure] of failures.entries()) {
      const place = (key?: string) => locate(["failures", i, ...(key === undefined ? [] : [key])]);
      await checkLabDelay(failure, `failure "${failure.name}"`, engine, place, stop);
    }
    return Math.max(...failures.map(({ sites }) => sites.length));
  },
  /** The first flows are drawn before anything starts. */
  async prepare(experiment, _scheme, seed, boot) {
    const predictor = new Predictor(experiment, await boot(), seed);
    for (const failure of experiment.failures) predictor.run(failure, 0, 0);
    return { predictor, uses: new Map() };
  },
  async run(experiment, { scheme, failure }, { fabric, prepared, controllers, stepDone }) {
    await controllers.start();
    const rig = new LabRig(experiment, fabric, prepared);
    const samples: Sample[] = [];
    for (let number = 0; number < scheme.runs; number++) {
      samples.push(await rig.run(failure, number));
      await stepDone();
    }
    return { scheme, failure, samples, example: prepared.predictor.example(failure, scheme.runs) };
  },
  warnings: (series) => saturationWarnings(series.flatMap(({ samples }) => samples.map(({ load }) => load))),
};

/** The runs of one scheme under one failure. */
class LabRig {
  constructor(
    readonly experiment: Experiment,
    readonly fabric: SchemeOnLab,
    readonly prepared: Prepared,
  ) {}

  async run(failure: DrawnFailure, run: number): Promise<Sample> {
    const { journal } = this.fabric.run;
    const name = `scheme ${this.fabric.scheme.label}, ${failure.name}, run ${run}`;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const predicted = this.#predict(failure, run);
      const meter = new LoadMeter(this.fabric.run.lab);
      await meter.start();
      const outcome = await this.#measure(failure, predicted);
      const load = await meter.stop();
      if (outcome.kind === "sample") {
        const { recoveryMs, timeouts } = outcome.sample;
        const busy = `machine ${Math.round(100 * load.machine)} % busy${load.saturated ? ", saturated" : ""}`;
        journal.write(
          `${name}: ${this.#describe(predicted)}: ${recoveryMs} ms, ${timeouts} timeouts, ${busy}`,
        );
        return { ...outcome.sample, load };
      }
      if (outcome.kind === "missed")
        fail(
          CODES.noTimeout,
          undefined,
          `${name}: the flow had no timeout after the failure`,
          `predicted: ${this.#describe(predicted)}`,
          "the switches do not forward as the simulator does, or the machine was too slow; logs/run.log has all runs",
        );
      journal.write(`${name}: a timeout before the failure; the run is repeated`);
    }
    const { locate, settings } = this.experiment;
    fail(
      CODES.timeoutBeforeFault,
      locate(["transport", "rto_margin"]) ?? locate([]),
      `${name}: in each of ${MAX_ATTEMPTS} attempts the flow timed out before the failure`,
      `rto_margin is ${settings.transport.rto_margin / 1e6} ms: this machine needs more, or fewer switches`,
    );
  }

  #predict(failure: DrawnFailure, run: number): PredictedRun {
    const first = this.prepared.predictor.run(failure, run, 0);
    const key = `${first.source} ${first.destination} ${first.clientPort}`;
    const use = this.prepared.uses.get(key) ?? 0;
    this.prepared.uses.set(key, use + 1);
    return use === 0 ? first : this.prepared.predictor.run(failure, run, use);
  }

  async #measure(
    failure: DrawnFailure,
    { source, destination, clientPort, elements, failsAfter }: PredictedRun,
  ): Promise<RecoveryOutcome> {
    const { settings, topology } = this.experiment;
    const { ip } = settings.traffic;
    const { segment_bytes, window_segments, rto_margin } = settings.transport;
    const [client] = await Promise.all([
      this.fabric.agent(source),
      this.fabric.listen(destination, SERVER_PORT),
    ]);
    const peer = topology.nodes[destination]!.host!;
    const faults = faultsOf(failure, elements);
    const flow = client.flow({
      to: ip === 4 ? peer.ipv4 : peer.ipv6,
      ipVersion: ip,
      port: SERVER_PORT,
      clientPort,
      segmentBytes: segment_bytes,
      ...given({ windowSegments: window_segments }),
    });
    return measureRecovery(flow, {
      failsAfter,
      giveUp: settings.give_up,
      firstTimeout: FIRST_TIMEOUT_MARGINS * rto_margin + FIRST_TIMEOUT_MIN,
      observation: isPartial(failure) ? settings.observation : undefined,
      faults,
      // Failures at the same time may affect the same packets.
      lab: new LabFaults(topology, this.fabric.faultyLab, new Map(faults.map((fault, i) => [fault, i]))),
      stop: this.fabric.run.stop,
    });
  }

  #describe({ paths, elements, clientPort }: PredictedRun): string {
    const { topology } = this.experiment;
    const way = (nodes: readonly number[]) => nodes.map((node) => topology.nodes[node]!.name).join(" ");
    return `port ${clientPort}, data ${way(paths.data)}, acknowledgements ${way(paths.acks)}, ${elements.map((element) => elementName(topology, element)).join(" and ")} fails`;
  }
}

/**
 * A flow that was hit has its first timeout one RTO after its last segment. The RTO adds to the round trip the margin, or four deviations
 * of the round trip where a busy machine makes these greater. So the wait is several margins, and at least this long.
 */
const FIRST_TIMEOUT_MARGINS = 10;
const FIRST_TIMEOUT_MIN = 3_000_000_000;
