/**
 * Failover runs on real switches and hosts: a flow of the kernel's TCP, a failure injected into the switches, and the time until its
 * data get through again. The flows and failures are those of the simulator.
 */
import { defined, fail, given, Random } from "../../../../base/index.js";
import type { FlowKey } from "../../../../base/packets/index.js";
import type { Fabric } from "../../../sim/packet/index.js";
import type { AgentFlow } from "../../../testbed/index.js";
import type { Topology } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { checkTestbedDelay } from "../../faults/during-testbed.js";
import { type Element, elementName, type Fault } from "../../faults/fault.js";
import { TestbedFaults } from "../../faults/on-testbed.js";
import { type Clock, FlowWatch, MONOTONIC_CLOCK, sleepUntil } from "../../testbed/flow-watch.js";
import { LoadMeter, saturationWarnings } from "../../testbed/machine-load.js";
import { agentSeed, type SchemeOnTestbed } from "../../testbed/scheme-on-testbed.js";
import { withCleanup } from "../../testbed/with-testbed.js";
import type { TestbedSide } from "../kind.js";
import { type DrawnFailure, faultsOf, isPartial } from "./failures.js";
import type { PathExample, Sample, Series } from "./results.js";
import { FailoverRig, FlowDrawer, type Paths, SERVER_PORT } from "./rig.js";
import type { Experiment, FailoverUnit } from "./schema.js";

// Predicts the runs of a testbed with the simulator, which has the same programs and the same state: the flow of each run,
// the paths of its two directions, and the element that fails. The first packets of a flow do not depend on time.

interface PredictedRun {
  /** Node indexes of the hosts. */
  readonly source: number;
  readonly destination: number;
  readonly clientPort: number;
  readonly paths: Paths;
  /** The elements that fail. */
  readonly elements: readonly Element[];
  /** Nanoseconds from the start of the flow to the failure. */
  readonly failsAfter: number;
}

class Predictor {
  readonly #experiment: Experiment;
  readonly #fabric: Fabric;
  readonly #seed: number;

  constructor(experiment: Experiment, fabric: Fabric, seed: number) {
    this.#experiment = experiment;
    this.#fabric = fabric;
    this.#seed = seed;
  }

  /** `use`: number of earlier connections with the same hosts and ports in this testbed. */
  run(failure: DrawnFailure, run: number, use: number): PredictedRun {
    const { topology } = this.#experiment;
    const drawer = new FlowDrawer(this.#experiment, this.#fabric, (_run, _end, flow) =>
      agentRandom(topology, this.#seed, flow, use),
    );
    const { flow, paths, elements, failsAfter } = drawer.draw(failure, run, this.#seed);
    drawer.close(flow);
    const { source, destination, clientPort } = flow;
    return { source: source.host, destination: destination.host, clientPort, paths, elements, failsAfter };
  }

  /** Paths of one flow before the failure and after its recovery, as in the simulator. */
  example(failure: DrawnFailure, runs: number): PathExample | undefined {
    return new FailoverRig(this.#experiment, this.#fabric).show(failure, runs, this.#seed);
  }
}

/** The randomness that the agent of the sending host gives to a flow; it depends on addresses and ports in hexadecimal. */
function agentRandom(topology: Topology, seed: number, flow: FlowKey, use: number): Random {
  const host = defined(
    topology.nodes.find(
      (node) => node.host !== undefined && [node.host.ipv4, node.host.ipv6].includes(flow.src),
    ),
  );
  const digits = flow.src === defined(host.host).ipv4 ? 8 : 32;
  const hex = (value: bigint | number, length: number) => value.toString(16).padStart(length, "0");
  const key = hex(flow.src, digits) + hex(flow.dst, digits) + hex(flow.srcPort, 4) + hex(flow.dstPort, 4);
  return new Random(agentSeed(seed, host.name)).fork(key).fork(use);
}

/** Maximum number of attempts at a run whose flow has timeouts before its fault. */
const MAX_ATTEMPTS = 5;

/** Data that the runs of one scheme share. */
interface Prepared {
  readonly predictor: Predictor;
  /** How often a pair of hosts and ports was used: agents draw a new selector each time. */
  readonly uses: Map<string, number>;
}

/** How failover runs on real switches. The flows and failures are those of the simulator. */
export const FAILOVER_ON_TESTBED: TestbedSide<Experiment, FailoverUnit, Series, Prepared> = {
  async check({ failures, locate }, engine, stop) {
    for (const [i, failure] of failures.entries()) {
      const place = (key?: string) => locate(["failures", i, ...(key === undefined ? [] : [key])]);
      await checkTestbedDelay(failure, `failure "${failure.name}"`, engine, place, stop);
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
    const rig = new TestbedRig(experiment, fabric, prepared);
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
class TestbedRig {
  constructor(
    readonly experiment: Experiment,
    readonly fabric: SchemeOnTestbed,
    readonly prepared: Prepared,
  ) {}

  async run(failure: DrawnFailure, run: number): Promise<Sample> {
    const { journal } = this.fabric.run;
    const name = `scheme ${this.fabric.scheme.label}, ${failure.name}, run ${run}`;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const predicted = this.#predict(failure, run);
      const meter = new LoadMeter(this.fabric.run.testbed);
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
    const peer = defined(defined(topology.nodes[destination]).host);
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
      testbed: new TestbedFaults(
        topology,
        this.fabric.faultyTestbed,
        new Map(faults.map((fault, i) => [fault, i])),
      ),
      stop: this.fabric.run.stop,
    });
  }

  #describe({ paths, elements, clientPort }: PredictedRun): string {
    const { topology } = this.experiment;
    const way = (nodes: readonly number[]) =>
      nodes.map((node) => defined(topology.nodes[node]).name).join(" ");
    return `port ${clientPort}, data ${way(paths.data)}, acknowledgements ${way(paths.acks)}, ${elements.map((element) => elementName(topology, element)).join(" and ")} fails`;
  }
}

/**
 * A flow that was hit has its first timeout one RTO after its last segment. The RTO adds to the round trip the margin, or four deviations
 * of the round trip where a busy machine makes these greater. So the wait is several margins, and at least this long.
 */
const FIRST_TIMEOUT_MARGINS = 10;
const FIRST_TIMEOUT_MIN = 3_000_000_000;

// One run on a testbed: a real TCP connection, a fault in the switches, and the wait until data flow again.

/** Times in nanoseconds. */
export interface RecoveryPlan {
  /** From the start of the flow to the fault. */
  readonly failsAfter: number;
  readonly giveUp: number;
  /** Time from the fault within which a flow that was hit has its first timeout. */
  readonly firstTimeout: number;
  /** For a failure that lets packets pass: time in which timeouts are counted; a flow without one is not an error. */
  readonly observation: number | undefined;
  readonly faults: readonly Fault[];
  readonly testbed: TestbedFaults;
  readonly stop: AbortSignal;
  /** The clock of the flow's events; default: the monotonic clock of the machine. */
  readonly clock?: Clock;
}

type RecoveryOutcome =
  | { readonly kind: "sample"; readonly sample: Sample }
  /** The flow had a timeout before its fault: the machine was too slow, and the flow may have changed its path. */
  | { readonly kind: "disturbed" }
  /** No timeout followed: the fault was not on the path of the flow. */
  | { readonly kind: "missed" };

/**
 * Injects a fault on the path of a flow that was just opened, waits for the flow to recover, ends the fault, and stops the
 * flow. The time of the fault is the beginning of its first write. Rejects with DiagnosticError P43172 when the flow
 * breaks, with the DeviceError of a switch, or with the reason of `stop`.
 */
export async function measureRecovery(flow: AgentFlow, plan: RecoveryPlan): Promise<RecoveryOutcome> {
  const clock = plan.clock ?? MONOTONIC_CLOCK;
  const watch = new FlowWatch(flow, plan.stop, clock);
  try {
    const startedAt = await watch.need((event) => (event.kind === "started" ? event.atNs : undefined));
    await watch.need((event) => (event.kind === "connected" ? event : undefined));
    await sleepUntil(startedAt + plan.failsAfter, plan.stop, clock);
    const failedAt = clock.now();
    const timeouts = () => watch.events.filter((event) => event.kind === "timeout");
    let end = () => plan.testbed.endAll();
    const outcome = await withCleanup<"disturbed" | "missed" | number | undefined>(
      async () => {
        end = await plan.testbed.inject(plan.faults, (ns) => sleepUntil(clock.now() + ns, plan.stop, clock));
        if (plan.observation !== undefined) {
          await sleepUntil(failedAt + plan.observation, plan.stop, clock);
          return timeouts().some(({ atNs }) => atNs < failedAt) ? "disturbed" : lastRecovery(watch, failedAt);
        }
        const hit = await watch.until(
          (event) => (event.kind === "timeout" && event.atNs >= failedAt ? event : undefined),
          failedAt + plan.firstTimeout,
        );
        if (timeouts().some(({ atNs }) => atNs < failedAt)) return "disturbed";
        if (hit === undefined) return "missed";
        return await watch.until(
          (event) =>
            event.kind === "recovered" && event.triedAtNs >= failedAt ? event.triedAtNs : undefined,
          failedAt + plan.giveUp,
        );
      },
      () => end(),
    );
    if (outcome === "disturbed" || outcome === "missed") return { kind: outcome };
    const triedAt = outcome;
    const counted = plan.observation === undefined ? triedAt : failedAt + plan.observation;
    const tries = timeouts().filter(({ atNs }) => counted === undefined || atNs <= counted).length;
    const { tcp } = await flow.stop();
    const recoveryMs = triedAt === undefined ? Number.POSITIVE_INFINITY : (triedAt - failedAt) / 1e6;
    return {
      kind: "sample",
      sample: { recoveryMs, timeouts: tries, rttMs: (tcp?.rttUs ?? Number.NaN) / 1e3 },
    };
  } finally {
    watch.close();
    // Its result has been read, or the run has failed for another reason.
    flow.stop().catch(() => {});
  }
}

/** Time at which the acknowledged retransmission of the last timeout left; `from` without timeouts; undefined if it was lost. */
function lastRecovery({ events }: FlowWatch, from: number): number | undefined {
  let last: number | undefined = from;
  for (const event of events) {
    if (event.kind === "timeout" && event.atNs >= from) last = undefined;
    if (event.kind === "recovered" && event.triedAtNs >= from) last = event.triedAtNs;
  }
  return last;
}
