/**
 * The engines `switch` and `bmv2`: the experiment's switches as processes on real interfaces, its hosts as Linux
 * hosts with the kernel's TCP and our agent. The flows and failures are those of the simulator.
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError, fail } from "../../base/index.js";
import type { Program } from "../../program/index.js";
import {
  type Agent,
  type AgentSetting,
  type Lab,
  labOf,
  type SwitchEngine,
  startAgent,
  startLab,
} from "../../testbed/index.js";
import type { TopologyNode } from "../../topology/index.js";
import { bootFabric, ProgramCompiler } from "../boot.js";
import type { EngineContext, EngineOutcome } from "../engine.js";
import type { Experiment, Failure, SchemeRun } from "../experiment.js";
import { siteName } from "../failure-sites.js";
import { SERVER_PORT } from "../flow-draw.js";
import type { Sample, Series } from "../results.js";
import { faultEntries } from "./fault-entries.js";
import { agentSeed, type PredictedRun, Predictor } from "./prediction.js";
import { strike } from "./strike.js";

/** A run is made again so often when its flow has timeouts before its fault. */
const MOST_ATTEMPTS = 5;

/** A scheme whose programs are compiled and whose runs are known. */
interface ReadyScheme {
  readonly scheme: SchemeRun;
  readonly programs: ReadonlyMap<string, Program>;
  readonly predictor: Predictor;
}

/** The {@link Engine}. Nothing is started before all programs are compiled and all first flows are drawn. */
export async function runOnTestbed(
  engine: SwitchEngine,
  experiment: Experiment,
  seed: number,
  context: EngineContext,
): Promise<EngineOutcome> {
  const { topology, settings, schemes } = experiment;
  const { progress, testbed, folder, p4c } = context;
  const { network = "netns", bmv2, allowMissing = new Set(), pcap = false } = testbed;
  const stop = testbed.stop ?? new AbortController().signal;
  const compiler = new ProgramCompiler({ p4c, faults: true });
  const ready: ReadyScheme[] = [];
  for (const scheme of schemes) {
    const fabric = await bootFabric(experiment, scheme, compiler, seed);
    const programs = await compiler.compileAll(scheme);
    const predictor = new Predictor(experiment, fabric, seed);
    for (const failure of settings.failures) predictor.run(failure, 0, 0);
    ready.push({ scheme, programs, predictor });
    stop.throwIfAborted();
  }

  const journal = new Journal(folder);
  const lab = await startLab(labOf(topology), {
    network,
    engine,
    ...(bmv2 === undefined ? {} : { bmv2 }),
    folder,
    pcap,
    allowMissing,
    log: (line) => journal.labSays(line),
    stop,
  }).catch((error: unknown) => {
    throw inTopology(experiment, error);
  });
  try {
    const total = schemes.reduce((sum, { runs }) => sum + runs, 0) * settings.failures.length;
    const series: Series[] = [];
    let done = 0;
    for (const one of ready) {
      progress(done, total, `${one.scheme.label}: configure`);
      const rig = new TestbedRig(engine, experiment, one, lab, journal, seed, stop);
      try {
        await rig.configure();
        for (const failure of settings.failures) {
          const samples: Sample[] = [];
          for (let run = 0; run < one.scheme.runs; run++) {
            samples.push(await rig.run(failure, run));
            progress(++done, total, `${one.scheme.label}, ${failure}`);
          }
          const example = one.predictor.example(failure, one.scheme.runs);
          series.push({ scheme: one.scheme, failure, samples, example });
        }
      } finally {
        await rig.close();
      }
    }
    const what = engine === "bmv2" ? "BMv2" : "p4loom's own switch";
    const notes = [
      `Switches: ${what}, one process each, configured by P4Runtime; hosts: Linux ${network === "mininet" ? "(Mininet)" : "network namespaces"} with the kernel's TCP and the host agent. Times are real: they differ from run to run and depend on the machine. Flows and failures are drawn from the seed.`,
      ...(p4c === undefined ? [] : ["The programs were compiled by p4c."]),
      ...journal.facts,
    ];
    return { series, programs: compiler.sources, notes };
  } catch (error) {
    // Whatever breaks when all is being ended breaks for that reason.
    stop.throwIfAborted();
    throw error;
  } finally {
    await lab.close();
  }
}

/** Properties of links that this machine cannot give are refused where the file says what links there are. */
function inTopology({ locate }: Experiment, error: unknown): unknown {
  if (!(error instanceof DiagnosticError)) return error;
  return new DiagnosticError(
    error.diagnostics.map((one) => {
      const span = one.code === "P43105" ? (one.span ?? locate(["topology"])) : one.span;
      return span === undefined ? one : { ...one, span };
    }),
  );
}

/** What is done, in `logs/run.log`; what of it a reader of the results must know. */
class Journal {
  readonly facts: string[] = [];
  readonly #file: string;

  constructor(folder: string) {
    mkdirSync(join(folder, "logs"), { recursive: true });
    this.#file = join(folder, "logs", "run.log");
    writeFileSync(this.#file, "");
  }

  write(line: string): void {
    appendFileSync(this.#file, `${line}\n`);
  }

  /** What a lab says of its progress begins with `run` or a switch; the rest is about what this machine cannot do. */
  labSays(line: string): void {
    if (/^(links|this) /.test(line)) this.fact(`${line[0]!.toUpperCase()}${line.slice(1)}.`);
    else this.write(line);
  }

  /** A line that belongs into the report; said once. */
  fact(line: string): void {
    if (this.facts.includes(line)) return;
    this.facts.push(line);
    this.write(line);
  }
}

/** One scheme on the running lab. */
class TestbedRig {
  readonly #agents = new Map<number, Promise<Agent>>();
  /** How often a pair of hosts and ports was used: agents draw anew each time. */
  readonly #uses = new Map<string, number>();

  constructor(
    readonly engine: SwitchEngine,
    readonly experiment: Experiment,
    readonly ready: ReadyScheme,
    readonly lab: Lab,
    readonly journal: Journal,
    readonly seed: number,
    readonly stop: AbortSignal,
  ) {}

  /** Loads programs and state into all switches. */
  async configure(): Promise<void> {
    const { settings } = this.experiment;
    const { scheme, programs } = this.ready;
    this.journal.write(`scheme ${scheme.label}: programs and state by P4Runtime`);
    await Promise.all(
      scheme.plan.switches.map(async ({ node, program, updates }) => {
        const device = this.#device(node);
        await device.load(programs.get(program)!);
        await device.write(updates);
        await device.settings?.setQueueDepth(settings.queues.packets);
        this.journal.fact(this.#queues(device.settings !== undefined));
      }),
    );
  }

  /** By which way the queues were set, if they were. */
  #queues(set: boolean): string {
    const { packets } = this.experiment.settings.queues;
    if (!set) return "The queues of the switches are as the switches make them: they cannot be told.";
    const way = this.engine === "bmv2" ? "Thrift (simple_switch_CLI)" : "the P4Runtime connection";
    return `Queues of ${packets} packets a port were set by ${way}; queues.bytes has no counterpart.`;
  }

  async run(failure: Failure, run: number): Promise<Sample> {
    for (let attempt = 1; ; attempt++) {
      const predicted = this.#predict(failure, run);
      const outcome = await this.#strike(predicted);
      const name = `scheme ${this.ready.scheme.label}, ${failure}, run ${run}`;
      if (outcome.kind === "sample") {
        const { recoveryMs, timeouts } = outcome.sample;
        this.journal.write(`${name}: ${this.#tell(predicted)}: ${recoveryMs} ms, ${timeouts} timeouts`);
        return outcome.sample;
      }
      if (outcome.kind === "missed")
        throw new Error(
          `${name}: the flow had no timeout, so its way was not the predicted one: ${this.#tell(predicted)}`,
        );
      this.journal.write(`${name}: a timeout before the failure; once more`);
      if (attempt === MOST_ATTEMPTS) this.#tooSlow(name);
    }
  }

  async close(): Promise<void> {
    const started = await Promise.allSettled(this.#agents.values());
    await Promise.all(started.flatMap((agent) => (agent.status === "fulfilled" ? [agent.value.stop()] : [])));
  }

  #predict(failure: Failure, run: number): PredictedRun {
    const first = this.ready.predictor.run(failure, run, 0);
    const key = `${first.source} ${first.destination} ${first.clientPort}`;
    const use = this.#uses.get(key) ?? 0;
    this.#uses.set(key, use + 1);
    return use === 0 ? first : this.ready.predictor.run(failure, run, use);
  }

  async #strike({ source, destination, clientPort, site, failsAfter }: PredictedRun) {
    const { settings, topology } = this.experiment;
    const { ip } = settings.traffic;
    const { segment_bytes, window_segments, rto_margin } = settings.transport;
    const [client] = await Promise.all([this.#agent(source), this.#agent(destination)]);
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
      device: (node) => this.#device(node),
      stop: this.stop,
    });
  }

  /** The agent of a host, started when first asked for. */
  #agent(node: number): Promise<Agent> {
    let agent = this.#agents.get(node);
    if (agent === undefined) {
      agent = this.#startAgent(this.experiment.topology.nodes[node]!);
      this.#agents.set(node, agent);
    }
    return agent;
  }

  async #startAgent(node: TopologyNode): Promise<Agent> {
    const { topology, settings } = this.experiment;
    const { plan } = this.ready.scheme;
    const agent = await startAgent(this.lab.hosts.get(node.name)!, {
      ipv4: node.host!.ipv4,
      ipv6: node.host!.ipv6,
      nics: node.ports.map(({ number, peer }) => ({
        name: `eth${number - 1}`,
        mac: node.mac,
        gateway: topology.nodes[peer]!.mac,
      })),
      field: plan.field,
      policy: plan.hosts.description,
      seed: agentSeed(this.seed, node.name),
      rtoMarginNs: settings.transport.rto_margin,
      rtoCapNs: settings.transport.rto_cap,
    });
    for (const setting of agent.settings) this.#report(setting);
    await agent.listen(SERVER_PORT);
    return agent;
  }

  #report({ name, wanted, effective }: AgentSetting): void {
    if (effective === wanted) return;
    const has = effective === null ? "this kernel has no such setting" : `it is ${effective}`;
    this.journal.fact(`The hosts' ${name} should be ${wanted}, but ${has}.`);
  }

  #device(node: number) {
    return this.lab.switches.get(this.experiment.topology.nodes[node]!.name)!.device;
  }

  #tell({ paths, site, clientPort }: PredictedRun): string {
    const { topology } = this.experiment;
    const way = (nodes: readonly number[]) => nodes.map((node) => topology.nodes[node]!.name).join(" ");
    return `port ${clientPort}, data ${way(paths.data)}, acknowledgements ${way(paths.acks)}, ${siteName(topology, site)} fails`;
  }

  #tooSlow(name: string): never {
    const { locate, settings } = this.experiment;
    const margin = settings.transport.rto_margin / 1e6;
    fail(
      "P43013",
      locate(["transport", "rto_margin"]) ?? locate([]),
      `${name}: in each of ${MOST_ATTEMPTS} attempts the flow timed out before anything had failed`,
      `rto_margin is ${margin} ms: this machine needs more, or fewer switches`,
    );
  }
}

/**
 * A flow that was hit has its first timeout one RTO after what it sent last. So much is waited for it: the RTO is the
 * margin, or four deviations of the round trip where a busy machine makes these more.
 */
const FIRST_TIMEOUT_MARGINS = 10;
const FIRST_TIMEOUT_LEAST = 3_000_000_000;
