/**
 * Brings a scheme's fabric up: render, compile, load into every switch, apply what the plan sets outside of P4Runtime, and let the control plane
 * write its state.
 */
import { dirname } from "node:path";
import {
  DiagnosticError,
  Diagnostics,
  defined,
  fail,
  formatDiagnostic,
  given,
  Random,
  SourceFile,
  type Span,
} from "../../base/index.js";
import { selectorHeaders, selectorOf } from "../../base/packets/index.js";
import { type Device, DeviceError, type TargetSettings, type Update } from "../../toolchain/device/index.js";
import {
  loadTemplates,
  type ProgramPlan,
  renderProgram,
  type TemplateSet,
  withFaultTables,
  withMarks,
} from "../../toolchain/generate/index.js";
import { compileInput, packageFile, textFolder } from "../../toolchain/loading/index.js";
import { compile } from "../../toolchain/p4/index.js";
import type { Program } from "../../toolchain/program/index.js";
import type { ControllerPlace } from "../controllers/index.js";
import { calculationName, type FabricPlan, type SwitchPlan, type SwitchSetting } from "../schemes/index.js";
import {
  ControlChannel,
  Fabric,
  HostChannel,
  type Node,
  Simulation,
  SwitchNode,
  settle,
} from "../sim/packet/index.js";
import { hostsOf, type Topology, type TopologyNode } from "../topology/index.js";
import { CODES } from "./codes.js";
import type { RunCoverage } from "./coverage.js";
import { type FabricExperiment, type SchemeRun, wireModel } from "./experiment.js";
import { sourceWithFaultTables } from "./faults/source-fault-tables.js";
import { pfcOptions } from "./flow-control.js";
import { checkP4c, compileWithP4c } from "./p4c.js";
import { trimOptions } from "./packet-trimming.js";
import { CompiledPrograms } from "./plan-schemes.js";

interface CompilerOptions {
  /** Path of p4c-bm2-ss; default: the compiler of p4loom. */
  readonly p4c?: string | undefined;
  /** Number of fault tables of the programs; default 0. */
  readonly faultTables?: number;
  /** Packets: `queues.ecn_threshold` of the file. */
  readonly ecnThreshold?: number | undefined;
  /** Programs that other compilers of this process have compiled with the same {@link p4c}; this compiler adds its own to them. */
  readonly compiled?: CompiledPrograms;
  /** Counts what packets reach of the programs. */
  readonly coverage?: RunCoverage | undefined;
}

/** The templates of this package. They do not change while a process runs, so it parses them once. */
let packageTemplates: TemplateSet | undefined;

/** Programs from these templates, by path and text: several experiments of one process compile them once. */
const generatedPrograms = new CompiledPrograms();

/** Compiles the programs of all schemes of an experiment; equal texts are compiled once. */
export class ProgramCompiler {
  readonly #templates: TemplateSet;
  readonly #options: CompilerOptions;
  readonly #compiled: CompiledPrograms;
  readonly coverage: RunCoverage | undefined;
  /** Everything that was compiled, as `SCHEME/NAME.p4`. */
  readonly sources: { file: string; text: string }[] = [];
  /** Labels of schemes whose programs do not use the threshold for marks of the file. */
  readonly #unmarked = new Set<string>();

  /** Fails with P43012 when p4c is asked for and cannot be called. */
  constructor(options: CompilerOptions = {}) {
    this.#options = options;
    this.#compiled = options.compiled ?? new CompiledPrograms();
    this.coverage = options.coverage;
    if (options.p4c !== undefined) checkP4c(options.p4c);
    this.#templates = packageTemplates ??= loadTemplates(textFolder(packageFile("templates")));
  }

  /** Renders the programs of a scheme into {@link sources}, without compiling them. */
  render({ label, plan }: SchemeRun): void {
    for (const program of plan.programs) this.#textOf(label, program);
  }

  /** The programs of a scheme by their names. Fails with P43012 where p4c does. */
  async compileAll({ label, plan }: SchemeRun): Promise<Map<string, Program>> {
    const programs = new Map<string, Program>();
    for (const program of plan.programs)
      programs.set(program.name, await this.#compile(label, program, plan.place));
    return programs;
  }

  /** What a reader of the results must know about the programs, one sentence each. */
  get notes(): string[] {
    return [
      ...(this.#options.p4c === undefined ? [] : ["The programs were compiled by p4c."]),
      ...[...this.#unmarked].map(
        (label) =>
          `Programs of the scheme ${label} mark packets by a rule of their own and not by queues.ecn_threshold.`,
      ),
    ];
  }

  async #compile(scheme: string, plan: ProgramPlan, place: Span | undefined): Promise<Program> {
    const { p4c } = this.#options;
    const text = this.#textOf(scheme, plan);
    const file = `${scheme}/${plan.name}.p4`;
    const source = new SourceFile(plan.own?.file.path ?? file, text);
    // The counts are of one object for each text.
    let program = this.coverage?.programOf(text) ?? this.#compiled.get(text);
    if (program === undefined) {
      program =
        p4c !== undefined
          ? await compileWithP4c(p4c, source)
          : plan.own === undefined
            ? compileGenerated(source)
            : compileOwn(source, scheme, plan.name, place);
      this.#compiled.add(text, program);
    }
    this.coverage?.add(file, source, program);
    return program;
  }

  #textOf(scheme: string, plan: ProgramPlan): string {
    const { faultTables = 0 } = this.#options;
    const isSource = plan.own?.kind === "source";
    const text = isSource
      ? sourceWithFaultTables(defined(plan.own).file, faultTables)
      : this.#render(faultTables > 0 ? withFaultTables(plan, faultTables) : plan, scheme);
    if (isSource && this.#options.ecnThreshold !== undefined) this.#unmarked.add(scheme);
    const file = `${scheme}/${plan.name}.p4`;
    if (!this.sources.some((source) => source.file === file)) this.sources.push({ file, text });
    return text;
  }

  #render(plan: ProgramPlan, scheme: string): string {
    const plain = renderProgram(this.#templates, plan);
    const { ecnThreshold } = this.#options;
    if (ecnThreshold === undefined) return plain;
    const marking = renderProgram(this.#templates, withMarks(plan, ecnThreshold));
    const { ecn } = plan.values as { readonly ecn?: { readonly threshold?: number } };
    if (marking === plain && ecn?.threshold !== ecnThreshold) this.#unmarked.add(scheme);
    return marking;
  }
}

/**
 * The programs of the points of a sweep, and what a reader must know about them. If a later point has another text for a file name, that text is
 * in a folder of the point.
 */
export function programsOf<E extends FabricExperiment>(
  experiments: readonly E[],
  faultTablesOf: (experiment: E) => number | undefined,
): {
  programs: { file: string; text: string }[];
  notes: string[];
} {
  const files = new Map<string, string>();
  const notes = new Set<string>();
  const rendered = new WeakMap<SchemeRun["plan"], Set<string>>();
  for (const [number, experiment] of experiments.entries()) {
    const { ecn_threshold: ecnThreshold } = experiment.settings.queues;
    const faultTables = faultTablesOf(experiment) ?? 0;
    for (const scheme of experiment.schemes) {
      // Plans that points share have the same programs.
      const known = rendered.get(scheme.plan) ?? new Set();
      const key = `${scheme.label} ${ecnThreshold} ${faultTables}`;
      if (known.has(key)) continue;
      rendered.set(scheme.plan, known.add(key));
      const compiler = new ProgramCompiler({ ecnThreshold, faultTables });
      compiler.render(scheme);
      for (const note of compiler.notes) notes.add(note);
      for (const { file, text } of compiler.sources) {
        const before = files.get(file);
        if (before === undefined) files.set(file, text);
        else if (before !== text) files.set(`point-${number + 1}/${file}`, text);
      }
    }
  }
  return { programs: [...files].map(([file, text]) => ({ file, text })), notes: [...notes] };
}

/** The templates belong to p4loom, so a rendered program that does not compile is a defect of p4loom. */
export function compileGenerated(file: SourceFile): Program {
  const key = `${file.path}\n${file.text}`;
  const known = generatedPrograms.get(key);
  if (known !== undefined) return known;
  const diagnostics = new Diagnostics();
  const result = compile({ file }, diagnostics);
  if (result === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  generatedPrograms.add(key, result.program);
  return result.program;
}

/**
 * Compiles P4 text of a user, which may be a rendered template. Its errors are diagnostics; a note of the first one names the program in
 * the module that plans it,
 * at `place`. Included files are searched beside it.
 */
function compileOwn(file: SourceFile, scheme: string, name: string, place: Span | undefined): Program {
  const diagnostics = new Diagnostics();
  const input = compileInput({ path: file.path, include: [dirname(file.path)], define: [] });
  const result = compile({ ...input, file }, diagnostics);
  const first = diagnostics.list.find(({ severity }) => severity === "error");
  if (place !== undefined)
    first?.notes.push({ message: `this is the program "${name}" of the scheme ${scheme}`, span: place });
  diagnostics.throwIfErrors();
  return defined(result).program;
}

/** The control channels of one switch, by the place of the controllers that use them. */
type SwitchChannels = Readonly<Record<ControllerPlace, ControlChannel>>;

/** A fabric in the simulator, and the control channels of each switch by its node index. */
export interface BootedFabric {
  readonly fabric: Fabric;
  readonly channels: ReadonlyMap<number, SwitchChannels>;
  /** Control channels of the hosts, by node index. */
  readonly hostChannels: ReadonlyMap<number, HostChannel>;
}

/** The scheme's fabric in the simulator, all switches running and configured. */
export async function bootFabric(
  experiment: FabricExperiment,
  scheme: SchemeRun,
  compiler: ProgramCompiler,
  seed: number,
): Promise<Fabric> {
  return (await bootControlled(experiment, scheme, compiler, seed)).fabric;
}

/** As {@link bootFabric}, for control planes that run until the end of the experiment. */
export async function bootControlled(
  experiment: FabricExperiment,
  scheme: SchemeRun,
  compiler: ProgramCompiler,
  seed: number,
): Promise<BootedFabric> {
  const { plan } = scheme;
  const programs = await compiler.compileAll(scheme);
  const { queues, control_channel, wire } = experiment.settings;
  const switches = new Map<number, SwitchNode>();
  const pfc = pfcOptions(experiment.settings);
  const trimming = trimOptions(experiment.settings, plan.field);
  const makeSwitch = (node: TopologyNode, simulation: Simulation) => {
    const made = new SwitchNode(simulation, {
      name: node.name,
      seed,
      queuePackets: queues.packets,
      queueBytes: queues.bytes,
      wire: wireModel(wire),
      ...given({ coverage: compiler.coverage?.counts }),
      ...given({ flowControl: pfc && { pfc, mac: node.mac } }),
      ...given({ trimming }),
    });
    switches.set(node.index, made);
    return made;
  };
  const fabric = buildFabric(experiment, scheme, makeSwitch, seed);
  const { simulation } = fabric.network;
  // Each switch has a session of its own; all sessions run at the same time, as with one controller and many switches.
  const { local_delay, ...shared } = control_channel;
  const channels = new Map<number, SwitchChannels>();
  const sessions = plan.switches.map(async (own) => {
    const { node } = own;
    const made = defined(switches.get(node));
    const channel = (delay: number) =>
      new ControlChannel(simulation, made.device, { ...shared, delay }, made);
    const both = { central: channel(shared.delay), switch: channel(local_delay) };
    channels.set(node, both);
    await configureSimulated(both.central, experiment, scheme, own, programs);
  });
  await settle(simulation, Promise.all(sessions));
  const hostChannels = new Map(
    hostsOf(experiment.topology).map(({ index }) => [
      index,
      new HostChannel(simulation, fabric.host(index), control_channel),
    ]),
  );
  fabric.onTell = (node, message) => defined(hostChannels.get(node)).tell(message);
  return { fabric, channels, hostChannels };
}

/** Writes program, settings and state of a switch over its control channel, at its boot and after it was killed. */
export async function configureSimulated(
  channel: ControlChannel,
  { topology }: FabricExperiment,
  { plan }: SchemeRun,
  own: SwitchPlan,
  programs: ReadonlyMap<string, Program>,
): Promise<void> {
  await channel.load(defined(programs.get(own.program)));
  await applySettings(channel, [...queuesOfLinks(topology, own.node), ...(own.settings ?? [])]);
  await writePlanned(channel, plan, own.node);
  if (own.generators !== undefined) await startGenerators(channel, own);
}

/** Makes the switch of a node; `bootFabric` passes one that runs compiled programs. */
type SwitchMaker = (node: TopologyNode, simulation: Simulation) => Node;

/** The network of a scheme, its switches not yet configured. */
export function buildFabric(
  experiment: FabricExperiment,
  { plan, hosts }: SchemeRun,
  makeSwitch: SwitchMaker,
  seed: number,
): Fabric {
  const simulation = new Simulation({ turn: () => new Promise((resolve) => setImmediate(resolve)) });
  const { queues, wire } = experiment.settings;
  return new Fabric({
    simulation,
    topology: experiment.topology,
    policy: hosts,
    random: new Random(seed).fork("hosts"),
    codec: {
      headersOf: (selector) => selectorHeaders(plan.field, selector),
      selectorOf: (headers) => selectorOf(plan.field, headers),
    },
    queueBytes: queues.bytes,
    queuePackets: queues.packets,
    wire: wireModel(wire),
    ...given({ pfc: pfcOptions(experiment.settings) }),
    ...given({ trimming: trimOptions(experiment.settings, plan.field) }),
    makeSwitch: (node) => makeSwitch(node, simulation),
  });
}

// What the plan of a scheme has for a switch: its settings outside P4Runtime, packet generators, the limits of the queues at its links, and
// its state. The calls are the same on every engine.

/** Rates in packets and lengths of the queues at the links of a switch, where the links have such. */
export function queuesOfLinks(topology: Topology, node: number): SwitchSetting[] {
  return defined(topology.nodes[node]).ports.flatMap(({ number: port, link }): SwitchSetting[] => {
    const { ratePps, queuePackets } = defined(topology.links[link]);
    return [
      ...(queuePackets === undefined
        ? []
        : [{ kind: "queueDepth" as const, packets: queuePackets, queues: { port } }]),
      ...(ratePps === undefined
        ? []
        : [{ kind: "queueRate" as const, packetsPerSecond: ratePps, queues: { port } }]),
    ];
  });
}

/** Applies settings in their order. Fails with P45101 where the switch has no settings, or not this one. */
export async function applySettings(device: Device, settings: readonly SwitchSetting[]): Promise<void> {
  for (const one of settings) {
    const target = device.settings ?? refuse(device, NAMES[one.kind]);
    await apply(device, target, one);
  }
}

/** Starts the packet generators of a plan; those of an earlier plan end. Fails with P45101 where the switch has none. */
export async function startGenerators(device: Device, { generators = [] }: SwitchPlan): Promise<void> {
  const { settings } = device;
  if (settings?.setGenerators !== undefined) await settings.setGenerators(generators);
  else if (generators.length > 0) refuse(device, "packet generators");
}

const NAMES: Readonly<Record<SwitchSetting["kind"], string>> = {
  queueDepth: "depths of queues",
  queueRate: "rates of queues",
  crc: "parameters of CRCs",
  toeplitzKey: "keys of Toeplitz hashes",
};

function apply(device: Device, target: TargetSettings, setting: SwitchSetting): Promise<void> {
  switch (setting.kind) {
    case "queueDepth":
      return target.setQueueDepth(setting.packets, setting.queues);
    case "queueRate":
      return target.setQueueRate(setting.packetsPerSecond, setting.queues);
    case "crc":
      return target.setCrcParameters(calculationName(device, setting), setting.width, setting.parameters);
    case "toeplitzKey":
      if (target.setToeplitzKey === undefined) refuse(device, NAMES.toeplitzKey);
      return target.setToeplitzKey(setting.calculation, setting.key);
  }
}

function refuse({ name }: Device, what: string): never {
  return fail(
    CODES.settingLacks,
    undefined,
    `switch ${name} cannot set ${what}, which the experiment or one of its schemes needs`,
    "run it on the simulator (--engine sim) or on p4loom's own switch (--engine switch)",
    "BMv2 takes queues and hashes over Thrift, for which simple_switch_CLI has to be on PATH; it has no packet generators",
  );
}

/**
 * `more` is written before the plan's updates of the switch `node`, in the same batch. Fails with P43406 for an update of a
 * module's plan that the switch refuses; all other errors of the device pass as they are.
 */
export async function writePlanned(
  device: Device,
  plan: FabricPlan,
  node: number,
  more: readonly Update[] = [],
): Promise<void> {
  const index = plan.switches.findIndex((own) => own.node === node);
  const { updates } = defined(plan.switches[index]);
  try {
    await device.write([...more, ...updates]);
  } catch (error) {
    if (plan.place === undefined || error instanceof DiagnosticError) throw error;
    const statuses = error instanceof DeviceError ? error.updates : undefined;
    // A switch that does not answer has not refused an update.
    if (error instanceof DeviceError && statuses === undefined) throw error;
    const first = statuses?.findIndex(({ code }) => code !== "OK");
    if (first !== undefined && first < more.length) throw error;
    const at = first === undefined ? undefined : first - more.length;
    const what = at === undefined ? "the updates" : `update ${at}, ${nameOf(defined(updates[at]))},`;
    const where = `switches[${index}].updates${at === undefined ? "" : `[${at}]`}`;
    const refused = statuses?.filter(({ code }) => code !== "OK").length ?? 1;
    fail(
      CODES.refusedPlan,
      plan.place,
      `switch ${device.name} refuses ${what} of its plan: ${reasonOf(statuses?.[defined(first)] ?? error)}`,
      `it is ${where} of the plan that the module returns`,
      ...(refused > 1 ? [`${refused} updates of this switch are refused; this is the first`] : []),
    );
  }
}

/** `insert tableEntry "nope"`. */
function nameOf({ type, entity }: Update): string {
  const named = Object.entries(entity).find(([key, value]) => key !== "kind" && typeof value === "string");
  return `${type} ${entity.kind}${named === undefined ? "" : ` "${named[1]}"`}`;
}

function reasonOf(error: unknown): string {
  return String((error as { message?: unknown }).message ?? error);
}
