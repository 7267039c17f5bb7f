/** The network of an experiment file and one of its schemes, for callers that show it and do not run the experiment. */
import { z } from "zod";
import type { Diagnostics } from "../../base/index.js";
import { SELECTOR_FIELDS } from "../../base/packets/index.js";
import { type Topology, topologySchema } from "../topology/index.js";
import { ProgramCompiler } from "./boot.js";
import {
  controlPlaneSchema,
  ipSchema,
  type MachineSettings,
  machineKeys,
  type SchemeRun,
  type SchemeSet,
  schemesSchema,
} from "./experiment.js";
import { collecting } from "./files.js";
import { planSchemes, topologyOf } from "./plan-schemes.js";
import { openExperiment, schemesOf } from "./read.js";

export interface NetworkOfFile {
  readonly title: string;
  readonly topology: Topology;
  /** Labels of the file's schemes. */
  readonly labels: readonly string[];
  /** Absent where the file has no schemes, or not the requested one. */
  readonly scheme?: SchemeRun;
  readonly machine: MachineSettings;
  /** Keys of the file other than those of its network: they configure the run. */
  readonly otherKeys: readonly string[];
  /** IP version of the file's traffic. */
  readonly ip: 4 | 6;
  /** P4 texts of the scheme's programs, by their names. */
  readonly programs: ReadonlyMap<string, string>;
}

/** Keys that a testbed uses, and keys that only name things. */
const NETWORK_KEYS: ReadonlySet<string> = new Set(
  "name title seed engine kind topology selector schemes queues control_channel control_plane output own_schemes".split(
    " ",
  ),
);

/** The keys that every kind of experiment has; all others are ignored. */
function shape(schemes: SchemeSet) {
  return z.looseObject({
    name: z.string().default("network"),
    title: z.string().optional(),
    topology: topologySchema,
    selector: z.enum(SELECTOR_FIELDS).default("dscp"),
    schemes: schemesSchema(schemes).optional(),
    traffic: z.looseObject({ ip: ipSchema }).prefault({}),
    queues: machineKeys.queues,
    control_channel: machineKeys.control_channel,
    control_plane: controlPlaneSchema.prefault({}),
  });
}

/**
 * Undefined after errors: those of reading a file of any kind, as far as topology and schemes are concerned. `label`: of the requested
 * scheme; absent: the first.
 */
export async function loadNetworkOf(
  path: string,
  label: string | undefined,
  diagnostics: Diagnostics,
): Promise<NetworkOfFile | undefined> {
  const opened = openExperiment(path, diagnostics);
  if (opened === undefined) return undefined;
  const { source, document } = opened;
  const known = await schemesOf(opened);
  const loaded = document.check(shape(known), diagnostics);
  if (loaded === undefined) return undefined;
  const { value, locate } = loaded;
  return collecting(diagnostics, () => {
    const topology = topologyOf(value, source, locate, undefined);
    const title = value.title ?? value.name;
    const { queues, control_channel, traffic } = value;
    const otherKeys = Object.keys(value).filter(
      (key) => !NETWORK_KEYS.has(key) && locate([key]) !== undefined,
    );
    const machine = { queues, control_channel };
    const network = { title, topology, machine, otherKeys, ip: traffic.ip };
    if (value.schemes === undefined) return { ...network, labels: [], programs: new Map() };
    const settings = { ...value, schemes: value.schemes, runs: 1 } as unknown as Parameters<
      typeof planSchemes
    >[0];
    const runs = planSchemes(settings, topology, { locate, diagnostics, schemes: known });
    const labels = runs.map((run) => run.label);
    const scheme = label === undefined ? runs[0] : runs.find((run) => run.label === label);
    if (scheme === undefined) return { ...network, labels, programs: new Map() };
    const compiler = new ProgramCompiler({ ecnThreshold: queues.ecn_threshold });
    compiler.render(scheme);
    const programs = compiler.sources.map(
      ({ file, text }) => [file.slice(file.lastIndexOf("/") + 1).replace(/\.p4$/, ""), text] as const,
    );
    return { ...network, title: `${title}: ${scheme.title}`, labels, scheme, programs: new Map(programs) };
  });
}
