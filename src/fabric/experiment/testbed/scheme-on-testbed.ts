/** One scheme on a running testbed: programs and state in the switches, agents with its host policy on the hosts. */

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defined, given, Random } from "../../../base/index.js";
import type { Device, Update } from "../../../toolchain/device/index.js";
import type { Program } from "../../../toolchain/program/index.js";
import {
  type Agent,
  type AgentSetting,
  isShaped,
  type RunningSwitch,
  type SwitchEngine,
  startAgent,
  type Testbed,
  type TestbedEnd,
  testbedOf,
} from "../../testbed/index.js";
import type { TopologyNode } from "../../topology/index.js";
import { applySettings, queuesOfLinks, startGenerators, writePlanned } from "../boot.js";
import { TestbedControl } from "../control-plane-on-testbed.js";
import type { FabricExperiment, SchemeRun } from "../experiment.js";
import type { FaultyTestbed } from "../faults/on-testbed.js";

export interface TestbedRun {
  readonly engine: SwitchEngine;
  readonly testbed: Testbed;
  readonly journal: Journal;
  readonly seed: number;
  readonly stop: AbortSignal;
}

export class SchemeOnTestbed {
  readonly #agents = new Map<number, Promise<Agent>>();
  /** By node and port. */
  readonly #listening = new Map<string, Promise<void>>();

  readonly run: TestbedRun;
  readonly control: TestbedControl;

  /** The run of the scheme stops with `run`, and when a controller fails. */
  constructor(
    run: TestbedRun,
    readonly experiment: FabricExperiment,
    readonly scheme: SchemeRun,
    /** By their names. */
    readonly programs: ReadonlyMap<string, Program>,
    /** Hosts send without an agent between their kernel and the wire. */
    readonly direct = false,
  ) {
    this.control = new TestbedControl({
      topology: experiment.topology,
      scheme,
      seed: run.seed,
      switch: (node) => this.switch(node),
      agent: (node) => this.agent(node),
      log: (line) => run.journal.write(line),
    });
    this.run = { ...run, stop: AbortSignal.any([run.stop, this.control.failed]) };
  }

  /** Loads programs and state into all switches. */
  async configure(): Promise<void> {
    this.run.journal.write(`scheme ${this.scheme.label}: programs and state by P4Runtime`);
    await Promise.all(this.scheme.plan.switches.map(({ node }) => this.configureSwitch(node)));
  }

  /** Loads program and state into one switch; `more` is written before the state, in the same batch. */
  async configureSwitch(node: number, more: readonly Update[] = []): Promise<void> {
    const { packets } = this.experiment.settings.queues;
    const own = defined(this.scheme.plan.switches.find((one) => one.node === node));
    const device = this.device(node);
    await device.load(defined(this.programs.get(own.program)));
    await device.settings?.setQueueDepth(packets);
    await applySettings(device, [...queuesOfLinks(this.experiment.topology, node), ...(own.settings ?? [])]);
    await writePlanned(device, this.scheme.plan, node, more);
    await startGenerators(device, own);
    this.run.journal.fact(this.#queues(device.settings !== undefined, packets));
    this.control.configured(node);
  }

  /** A sentence on how the queues were set, if they were. */
  #queues(set: boolean, packets: number): string {
    if (!set) return "The queues of the switches keep their default sizes, which cannot be changed.";
    const way = this.run.engine === "bmv2" ? "Thrift (simple_switch_CLI)" : "the P4Runtime connection";
    return `Queues of ${packets} packets a port were set by ${way}; queues.bytes has no counterpart.`;
  }

  /** A switch by its node index. */
  switch(node: number): RunningSwitch {
    return defined(this.run.testbed.switches.get(defined(this.experiment.topology.nodes[node]).name));
  }

  device(node: number): Device {
    return this.switch(node).device;
  }

  /** Operations of this testbed that faults use. */
  get faultyTestbed(): FaultyTestbed {
    const { links } = testbedOf(this.experiment.topology);
    // The name of a switch's interface distinguishes parallel links.
    const end = ({ node, interface: name }: TestbedEnd) =>
      this.run.testbed.switches.has(node) ? name : node;
    return {
      device: (node) => this.device(node),
      kill: (node) => this.switch(node).kill(),
      restart: async (node, more) => {
        await this.switch(node).restart();
        await this.configureSwitch(node, more);
      },
      setCarrier: (link, up) =>
        this.run.testbed.setLink(end(defined(links[link]).a), end(defined(links[link]).b), up),
      setDelay: (link, from, extra) =>
        this.run.testbed.setDelay(
          defined(links[link])[from].node,
          defined(links[link])[from].interface,
          extra,
        ),
    };
  }

  /** The agent of a host. It is started at the first request. */
  agent(node: number): Promise<Agent> {
    let agent = this.#agents.get(node);
    if (agent === undefined) {
      agent = this.#startAgent(defined(this.experiment.topology.nodes[node]));
      this.#agents.set(node, agent);
    }
    return agent;
  }

  async #startAgent(node: TopologyNode): Promise<Agent> {
    const { topology, settings } = this.experiment;
    const rates = node.ports.map(({ link }) => defined(topology.links[link]).rateBps);
    const agent = await startAgent(defined(this.run.testbed.hosts.get(node.name)), {
      name: node.name,
      ipv4: defined(node.host).ipv4,
      ipv6: defined(node.host).ipv6,
      nics: node.ports.map(({ number, peer }) => ({
        name: `eth${number - 1}`,
        mac: node.mac,
        gateway: defined(topology.nodes[peer]).mac,
      })),
      field: this.scheme.plan.field,
      policy: this.scheme.plan.hosts,
      seed: agentSeed(this.run.seed, node.name),
      ...given({
        rateBps:
          !this.direct && rates.every(isShaped) ? rates.reduce((sum, rate) => sum + rate, 0) : undefined,
      }),
      ...(this.direct ? { direct: true, ecn: offersEcn(settings) } : {}),
      rtoMarginNs: settings.transport.rto_margin,
      rtoCapNs: settings.transport.rto_cap,
    });
    for (const setting of agent.settings) this.#report(setting);
    return agent;
  }

  /** Makes a host accept flows at a port, with a congestion control by the kernel's name. */
  listen(node: number, port: number, congestion?: string): Promise<void> {
    const key = `${node} ${port}`;
    let listening = this.#listening.get(key);
    if (listening === undefined) {
      listening = this.agent(node).then((agent) => agent.listen(port, congestion));
      this.#listening.set(key, listening);
    }
    return listening;
  }

  #report({ name, wanted, effective }: AgentSetting): void {
    if (effective === wanted) return;
    const has = effective === null ? "this kernel has no such setting" : `it is ${effective}`;
    this.run.journal.fact(`The hosts' ${name} should be ${wanted}, but ${has}.`);
  }

  /** Ends controllers and agents; the switches keep their state. */
  async close(): Promise<void> {
    this.control.close();
    const started = await Promise.allSettled(this.#agents.values());
    await Promise.all(started.flatMap((agent) => (agent.status === "fulfilled" ? [agent.value.stop()] : [])));
  }
}

/** Whether connections offer ECN; DCTCP does so by itself. */
function offersEcn({ transport }: FabricExperiment["settings"]): boolean {
  return transport.protocol === "tcp" && transport.ecn !== "off";
}

/** Seed of the agent on a host. */
export function agentSeed(seed: number, host: string): number {
  return new Random(seed).fork(`agent ${host}`).uint32();
}

// The log of a testbed's runs, `logs/run.log`, and the facts in it that a reader of the results must know.

export class Journal {
  readonly facts: string[] = [];
  readonly #folder: string;
  #begun = false;

  constructor(folder: string) {
    this.#folder = join(folder, "logs");
  }

  /** The first line creates the file, so a run that is refused before that leaves none. */
  write(line: string): void {
    const file = join(this.#folder, "run.log");
    if (!this.#begun) {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(file, "");
      this.#begun = true;
    }
    appendFileSync(file, `${line}\n`);
  }

  /** A sentence for the report; a repeated one is ignored. */
  fact(sentence: string): void {
    if (this.facts.includes(sentence)) return;
    this.facts.push(sentence);
    this.write(sentence);
  }
}
