/**
 * The engines `switch` and `bmv2`: the experiment's switches as processes on real interfaces, its hosts as Linux
 * hosts with the kernel's TCP and our agent. The flows and failures are those of the simulator.
 */
import { fail } from "../../../base/index.js";
import type { Program } from "../../../program/index.js";
import type { SwitchEngine } from "../../../testbed/index.js";
import { bootFabric, ProgramCompiler } from "../../boot.js";
import type { SchemeLog } from "../../control-plane.js";
import type { EngineContext, EngineOutcome } from "../../engine.js";
import type { Experiment, SchemeRun } from "../../experiment.js";
import { type DrawnFailure, faultsOf, isPartial } from "../../faults/drawn-failures.js";
import { elementName } from "../../faults/fault.js";
import { checkLabDelay } from "../../faults/lab-check.js";
import { LabFaults } from "../../faults/on-lab.js";
import { LoadMeter, saturationWarnings } from "../../testbed/machine-load.js";
import { SchemeOnLab } from "../../testbed/scheme-on-lab.js";
import { withLab } from "../../testbed/with-lab.js";
import { SERVER_PORT } from "./flow-draw.js";
import { type PredictedRun, Predictor } from "./prediction.js";
import { measureRecovery, type RecoveryOutcome } from "./recovery.js";
import type { Sample, Series } from "./results.js";

/** A run is repeated up to this often when its flow has timeouts before its fault. */
const MAX_ATTEMPTS = 5;

/** A scheme with its compiled programs and its predictions. */
interface ReadyScheme {
  readonly scheme: SchemeRun;
  readonly programs: ReadonlyMap<string, Program>;
  readonly predictor: Predictor;
}

/** The {@link Engine}. Nothing is started before all programs are compiled and the first flows are drawn. */
export async function runOnTestbed(
  engine: SwitchEngine,
  experiment: Experiment,
  seed: number,
  context: EngineContext,
): Promise<EngineOutcome> {
  const { schemes } = experiment;
  const { progress, p4c } = context;
  for (const [i, failure] of experiment.failures.entries()) {
    const place = (key?: string) => experiment.locate(["failures", i, ...(key === undefined ? [] : [key])]);
    await checkLabDelay(failure, `failure "${failure.name}"`, engine, place, context.stop);
  }
  const faultTables = Math.max(...experiment.failures.map(({ sites }) => sites.length));
  const compiler = new ProgramCompiler({ p4c, faultTables });
  const ready: ReadyScheme[] = [];
  for (const scheme of schemes) {
    const fabric = await bootFabric(experiment, scheme, compiler, seed);
    const programs = await compiler.compileAll(scheme);
    const predictor = new Predictor(experiment, fabric, seed);
    for (const failure of experiment.failures) predictor.run(failure, 0, 0);
    ready.push({ scheme, programs, predictor });
    context.stop.throwIfAborted();
  }
  const total = schemes.reduce((sum, { runs }) => sum + runs, 0) * experiment.failures.length;
  let done = 0;
  const logs: SchemeLog[] = [];
  const { value: series, notes } = await withLab(engine, experiment, seed, context, async (run) => {
    const made: Series[] = [];
    for (const { scheme, programs, predictor } of ready) {
      progress(done, total, `${scheme.label}: configure`);
      const fabric = new SchemeOnLab(run, experiment, scheme, programs);
      const rig = new TestbedRig(experiment, fabric, predictor);
      try {
        await fabric.configure();
        await fabric.control.start();
        for (const failure of experiment.failures) {
          const samples: Sample[] = [];
          for (let number = 0; number < scheme.runs; number++) {
            samples.push(await rig.run(failure, number));
            progress(++done, total, `${scheme.label}, ${failure.name}`);
          }
          made.push({ scheme, failure, samples, example: predictor.example(failure, scheme.runs) });
        }
        logs.push(...(await fabric.control.stop()));
      } finally {
        await fabric.close();
      }
    }
    return made;
  });
  const loads = series.flatMap(({ samples }) => samples.map(({ load }) => load));
  return { series, programs: compiler.sources, notes, warnings: saturationWarnings(loads), logs };
}

/** The runs of one scheme. */
class TestbedRig {
  /** How often a pair of hosts and ports was used: agents draw a new selector each time. */
  readonly #uses = new Map<string, number>();

  constructor(
    readonly experiment: Experiment,
    readonly fabric: SchemeOnLab,
    readonly predictor: Predictor,
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
          "P43017",
          undefined,
          `${name}: the flow had no timeout after its failure`,
          `predicted: ${this.#describe(predicted)}`,
          "the switches do not forward as the simulator does, or the machine stood still; logs/run.log has all runs",
        );
      journal.write(`${name}: a timeout before the failure; the run is repeated`);
    }
    const { locate, settings } = this.experiment;
    fail(
      "P43013",
      locate(["transport", "rto_margin"]) ?? locate([]),
      `${name}: in each of ${MAX_ATTEMPTS} attempts the flow timed out before anything had failed`,
      `rto_margin is ${settings.transport.rto_margin / 1e6} ms: this machine needs more, or fewer switches`,
    );
  }

  #predict(failure: DrawnFailure, run: number): PredictedRun {
    const first = this.predictor.run(failure, run, 0);
    const key = `${first.source} ${first.destination} ${first.clientPort}`;
    const use = this.#uses.get(key) ?? 0;
    this.#uses.set(key, use + 1);
    return use === 0 ? first : this.predictor.run(failure, run, use);
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
      windowSegments: window_segments,
    });
    return measureRecovery(flow, {
      failsAfter,
      giveUp: settings.give_up,
      firstTimeout: FIRST_TIMEOUT_MARGINS * rto_margin + FIRST_TIMEOUT_MIN,
      observation: isPartial(failure) ? settings.observation : undefined,
      faults,
      // Failures at once may concern the same packets.
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
 * A flow that was hit has its first timeout one RTO after its last segment. The RTO is the margin, or four deviations of
 * the round trip where a busy machine makes these more, so the wait is several margins and at least this long.
 */
const FIRST_TIMEOUT_MARGINS = 10;
const FIRST_TIMEOUT_MIN = 3_000_000_000;
