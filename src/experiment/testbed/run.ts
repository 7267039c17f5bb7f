/**
 * The engines `switch` and `bmv2`: the experiment's switches as processes on real interfaces, its hosts as Linux
 * hosts with the kernel's TCP and our agent. The flows and failures are those of the simulator.
 */
import { fail } from "../../base/index.js";
import type { Program } from "../../program/index.js";
import type { SwitchEngine } from "../../testbed/index.js";
import { bootFabric, ProgramCompiler } from "../boot.js";
import type { EngineContext, EngineOutcome } from "../engine.js";
import type { Experiment, Failure, SchemeRun } from "../experiment.js";
import { siteName } from "../failure-sites.js";
import { SERVER_PORT } from "../flow-draw.js";
import type { Sample, Series } from "../results.js";
import { faultEntries } from "./fault-entries.js";
import { type PredictedRun, Predictor } from "./prediction.js";
import { SchemeOnLab } from "./scheme-on-lab.js";
import { type StrikeOutcome, strike } from "./strike.js";
import { withLab } from "./with-lab.js";

/** A run is made again so often when its flow has timeouts before its fault. */
const MOST_ATTEMPTS = 5;

/** A scheme whose programs are compiled and whose runs can be told. */
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
  const { settings, schemes } = experiment;
  const { progress, p4c } = context;
  const compiler = new ProgramCompiler({ p4c, faults: true });
  const ready: ReadyScheme[] = [];
  for (const scheme of schemes) {
    const fabric = await bootFabric(experiment, scheme, compiler, seed);
    const programs = await compiler.compileAll(scheme);
    const predictor = new Predictor(experiment, fabric, seed);
    for (const failure of settings.failures) predictor.run(failure, 0, 0);
    ready.push({ scheme, programs, predictor });
    context.testbed.stop?.throwIfAborted();
  }
  const total = schemes.reduce((sum, { runs }) => sum + runs, 0) * settings.failures.length;
  let done = 0;
  const { value: series, notes } = await withLab(engine, experiment, seed, context, async (run) => {
    const made: Series[] = [];
    for (const { scheme, programs, predictor } of ready) {
      progress(done, total, `${scheme.label}: configure`);
      const fabric = new SchemeOnLab(run, experiment, scheme, programs);
      const rig = new TestbedRig(experiment, fabric, predictor);
      try {
        await fabric.configure();
        for (const failure of settings.failures) {
          const samples: Sample[] = [];
          for (let number = 0; number < scheme.runs; number++) {
            samples.push(await rig.run(failure, number));
            progress(++done, total, `${scheme.label}, ${failure}`);
          }
          made.push({ scheme, failure, samples, example: predictor.example(failure, scheme.runs) });
        }
      } finally {
        await fabric.close();
      }
    }
    return made;
  });
  return { series, programs: compiler.sources, notes };
}

/** The runs of one scheme. */
class TestbedRig {
  /** How often a pair of hosts and ports was used: agents draw anew each time. */
  readonly #uses = new Map<string, number>();

  constructor(
    readonly experiment: Experiment,
    readonly fabric: SchemeOnLab,
    readonly predictor: Predictor,
  ) {}

  async run(failure: Failure, run: number): Promise<Sample> {
    const { journal } = this.fabric.run;
    const name = `scheme ${this.fabric.scheme.label}, ${failure}, run ${run}`;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const predicted = this.#predict(failure, run);
      const outcome = await this.#strike(predicted);
      if (outcome.kind === "sample") {
        const { recoveryMs, timeouts } = outcome.sample;
        journal.write(`${name}: ${this.#tell(predicted)}: ${recoveryMs} ms, ${timeouts} timeouts`);
        return outcome.sample;
      }
      if (outcome.kind === "missed")
        fail(
          "P43017",
          undefined,
          `${name}: the flow had no timeout after its failure`,
          `predicted: ${this.#tell(predicted)}`,
          "the switches do not forward as the simulator does, or the machine stood still; logs/run.log has all runs",
        );
      journal.write(`${name}: a timeout before the failure; once more`);
    }
    const { locate, settings } = this.experiment;
    fail(
      "P43013",
      locate(["transport", "rto_margin"]) ?? locate([]),
      `${name}: in each of ${MOST_ATTEMPTS} attempts the flow timed out before anything had failed`,
      `rto_margin is ${settings.transport.rto_margin / 1e6} ms: this machine needs more, or fewer switches`,
    );
  }

  #predict(failure: Failure, run: number): PredictedRun {
    const first = this.predictor.run(failure, run, 0);
    const key = `${first.source} ${first.destination} ${first.clientPort}`;
    const use = this.#uses.get(key) ?? 0;
    this.#uses.set(key, use + 1);
    return use === 0 ? first : this.predictor.run(failure, run, use);
  }

  async #strike({ source, destination, clientPort, site, failsAfter }: PredictedRun): Promise<StrikeOutcome> {
    const { settings, topology } = this.experiment;
    const { ip } = settings.traffic;
    const { segment_bytes, window_segments, rto_margin } = settings.transport;
    const [client] = await Promise.all([
      this.fabric.agent(source),
      this.fabric.listen(destination, SERVER_PORT),
    ]);
    const peer = topology.nodes[destination]!.host!;
    const flow = client.flow({
      to: ip === 4 ? peer.ipv4 : peer.ipv6,
      ipVersion: ip,
      port: SERVER_PORT,
      clientPort,
      segmentBytes: segment_bytes,
      windowSegments: window_segments,
    });
    return strike(flow, {
      failsAfter,
      giveUp: settings.give_up,
      firstTimeout: FIRST_TIMEOUT_MARGINS * rto_margin + FIRST_TIMEOUT_LEAST,
      faults: faultEntries(topology, site),
      device: (node) => this.fabric.device(node),
      stop: this.fabric.run.stop,
    });
  }

  #tell({ paths, site, clientPort }: PredictedRun): string {
    const { topology } = this.experiment;
    const way = (nodes: readonly number[]) => nodes.map((node) => topology.nodes[node]!.name).join(" ");
    return `port ${clientPort}, data ${way(paths.data)}, acknowledgements ${way(paths.acks)}, ${siteName(topology, site)} fails`;
  }
}

/**
 * A flow that was hit has its first timeout one RTO after what it sent last. So much is waited for it: the RTO is the
 * margin, or four deviations of the round trip where a busy machine makes these more.
 */
const FIRST_TIMEOUT_MARGINS = 10;
const FIRST_TIMEOUT_LEAST = 3_000_000_000;
