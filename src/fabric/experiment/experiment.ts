/** What the experiment files of all kinds have in common: topology, schemes, machine parameters. */

import { z } from "zod";
import type { Locate, SourceFile } from "../../base/index.js";
import { SELECTOR_FIELDS } from "../../base/packets/index.js";
import { SCHEMES, type Scheme } from "../schemes/index.js";
import { bytesSchema, durationSchema, rateSchema, type Topology, topologySchema } from "../topology/index.js";

import type { SchemeRun } from "./scheme-run.js";
import { seeingSchema } from "./seeing/request.js";
import { sweepSchema } from "./sweep/schema.js";
import { transportSchema } from "./transport.js";
import { whole } from "./whole.js";
import { wireSchema } from "./wire.js";

export { whole } from "./whole.js";

/** The packet simulator; real processes of our own switch, or of BMv2, with Linux hosts. */
export const ENGINES = ["sim", "switch", "bmv2"] as const;
export type EngineName = (typeof ENGINES)[number];

/** Schemes by the names that files use: those of the package, and those that a file defines itself. */
export type SchemeSet = Readonly<Record<string, Scheme>>;

/** The keys that a scheme's parameters have in a file. */
export function parameterShape(scheme: Scheme): z.core.$ZodLooseShape {
  return (scheme.parameters as unknown as z.ZodObject).shape;
}

/** Its checks of several keys, which a shape does not have. */
function checksOf(scheme: Scheme): z.core.$ZodCheck<object>[] {
  return ((scheme.parameters as unknown as z.ZodObject).def.checks ?? []) as z.core.$ZodCheck<object>[];
}

export const runsSchema = whole("a number of runs", 1, 1_000_000);

/** The label is also a folder's name: no slashes, and no dot at its beginning. */
export const labelSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 ._+-]*$/,
    "expected letters, digits, spaces, dots, dashes, plus signs and underscores, a letter or digit first",
  );

/** Schemes by name, or a name with the settings that differ from their defaults. */
export function schemesSchema(schemes: SchemeSet) {
  const settings = Object.entries(schemes).map(([name, scheme]) =>
    z
      .strictObject({
        scheme: z.literal(name),
        /** Name in the results, and of the folder of its programs; default: the scheme's name. */
        label: labelSchema.optional(),
        /** Number of runs for this scheme, in place of the file's `runs`. */
        runs: runsSchema.optional(),
        ...parameterShape(scheme),
      })
      .check(...checksOf(scheme)),
  ) as unknown as [z.ZodObject<{ scheme: z.ZodLiteral<string> }>];
  const names = Object.keys(schemes) as [string, ...string[]];
  return z.array(z.union([z.enum(names), z.discriminatedUnion("scheme", settings)])).min(1);
}

/** The schema of a kind's file where it may name these schemes. */
export function withSchemes<V>(schema: z.ZodType<V>): (schemes: SchemeSet) => z.ZodType<V> {
  const object = schema as unknown as z.ZodObject;
  return (schemes) =>
    schemes === SCHEMES
      ? schema
      : (object.extend({ schemes: schemesSchema(schemes) }) as unknown as z.ZodType<V>);
}

/** The schema of a kind whose files cannot name other schemes. */
export function onlySchemes<V>(schema: z.ZodType<V>): () => z.ZodType<V> {
  return () => schema;
}

export const ipSchema = z.union([z.literal(4), z.literal(6)], { error: "expected 4 or 6" }).default(4);

/** Keys that all kinds of experiments have: the network, its schemes, and the output. */
export const fabricKeys = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "expected letters, digits, dots, dashes and underscores"),
  /** One line at the top of the report. */
  title: z.string().optional(),
  seed: whole("a seed", 0, 2 ** 32 - 1).default(1),
  engine: z.enum(ENGINES).default("sim"),
  topology: topologySchema,
  /** Header field that carries the selector, for all schemes that have one. */
  selector: z.enum(SELECTOR_FIELDS).default("dscp"),
  schemes: schemesSchema(SCHEMES),
  /** Many runs with other values of some keys. A single run does not depend on it. */
  sweep: sweepSchema.optional(),
};

export const controlPlaneSchema = z.strictObject({
  /** Plan routes again when a port goes down or comes up, under schemes that can do so. */
  recompute_routes: z.boolean().default(false),
  /** Delay from the event of a port to the new plan. */
  detection: durationSchema.default(10_000_000),
});

export type ControlPlaneSettings = z.output<typeof controlPlaneSchema>;

export const machineKeys = {
  transport: transportSchema({ protocol: "fixed", handshake: false }),
  /**
   * Limits of what may wait at each port of a switch, as the program sees it; the frame on the wire does not count. At a host's
   * port the frame on the wire counts too.
   */
  queues: z
    .strictObject({
      /** Room for a frame at least. */
      bytes: bytesSchema
        .refine((bytes) => bytes >= 64 && bytes <= 1e9, "expected a size from 64 bytes to 1GB")
        .default(1_000_000),
      packets: whole("packets", 1, 1e6).default(1000),
      /** Programs from templates mark packets (CE) that meet a queue of this many packets; absent: the scheme decides. */
      ecn_threshold: whole("packets", 1, 1e6).optional(),
    })
    .prefault({}),
  /** What a frame takes on a link. */
  wire: wireSchema,
  control_channel: z
    .strictObject({
      /** From control plane to switch, one way. */
      delay: durationSchema.default(1_000_000),
      /** Of each direction; absent: messages have no transmission time. */
      rate: rateSchema.optional(),
      /** Time that a switch needs for an update, a query or a packet-out. */
      processing: durationSchema.default(0),
      /** Instead of `delay`, for controllers that run on their switch. */
      local_delay: durationSchema.default(10_000),
    })
    .prefault({}),
  control_plane: controlPlaneSchema.prefault({}),
  /** What is observed of the network in addition to the results; on the simulator. */
  see: seeingSchema.optional(),
  /** Folder for the results, relative to the current folder; `out/NAME` by default. */
  output: z.string().min(1).optional(),
};

/** Queues and control channels, after {@link machineKeys} has parsed them. */
export interface MachineSettings {
  readonly queues: {
    readonly packets: number;
    readonly bytes: number;
    readonly ecn_threshold?: number | undefined;
  };
  readonly control_channel: {
    readonly delay: number;
    readonly rate?: number | undefined;
    readonly processing: number;
    readonly local_delay: number;
  };
}

/** A checked experiment file with its topology and the plans of its schemes. */
export interface Checked<Settings> {
  source: SourceFile;
  locate: Locate;
  settings: Settings;
  topology: Topology;
  schemes: readonly SchemeRun[];
}

const fabricSchema = z.object({ ...fabricKeys, ...machineKeys });

/** The keys of files of all kinds: all that building a fabric depends on. */
export type FabricSettings = z.output<typeof fabricSchema> & { traffic: { ip: 4 | 6 } };

/** The keys that files of kinds without packets have too. */
export type CommonSettings = Pick<
  FabricSettings,
  "name" | "title" | "seed" | "engine" | "topology" | "sweep" | "output"
>;

/** A checked experiment of any kind that has a fabric. */
export type FabricExperiment = Checked<FabricSettings>;

/** Folder of an experiment's results, unless the user gives another one. */
export function outputFolder({
  settings,
}: {
  settings: { name: string; output?: string | undefined };
}): string {
  return settings.output ?? `out/${settings.name}`;
}
