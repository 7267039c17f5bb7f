/**
 * What the experiment files of all kinds have in common: topology, schemes, machine parameters, transport, and what is observed. It is one
 * schema, and therefore one file of more than 400 lines.
 */
import { z } from "zod";
import { given, type Locate, type SourceFile } from "../../base/index.js";
import { SELECTOR_FIELDS } from "../../base/packets/index.js";
import type { FlowAssignment, HostContext, HostPolicy } from "../hosts/index.js";
import { type FabricPlan, type KnownFlow, SCHEMES, type Scheme } from "../schemes/index.js";
import {
  CONGESTION_CONTROLS,
  type CongestionControlName,
  ETHERNET_WIRE,
  HEADERS_ONLY,
  NS_PER_MS,
  NS_PER_S,
  SUBFLOW_SCHEDULERS,
  type TcpOptions,
  type TransportOptions,
  type WireModel,
} from "../sim/packet/index.js";
import {
  bytesSchema,
  durationSchema,
  positiveDurationSchema,
  rateSchema,
  type Topology,
  topologySchema,
} from "../topology/index.js";
import { type FlowControlSettings, flowControlSchema } from "./flow-control.js";
import {
  checkMessages,
  MESSAGE_CONTROLS,
  MESSAGE_KEYS,
  type MessageTransport,
  messageKeys,
  messageOptions,
  settleMessages,
} from "./message-transport.js";
import { type TrimSettings, trimSchema } from "./packet-trimming.js";
import { sweepSchema } from "./sweep/space.js";

// Whole numbers in experiment files.

export const whole = (what: string, least: number, most: number) => {
  const error = `expected ${what}, a whole number from ${least} to ${most}`;
  return z.number({ error }).int(error).min(least, error).max(most, error);
};

// The key `wire` of experiment files: what a frame takes on a link of the simulator. Every table with times or rates says which one it has.

const MODELS = { headers: HEADERS_ONLY, ethernet: ETHERNET_WIRE } as const satisfies Readonly<
  Record<string, WireModel>
>;

export type WireName = keyof typeof MODELS;

const MEANINGS: Readonly<Record<WireName, string>> = {
  headers: "a frame takes its bytes from the Ethernet header on; no preamble, check sequence, gap or padding",
  ethernet:
    "a frame takes at least 60 bytes from the Ethernet header on, and 24 of preamble, check sequence and gap",
};

const wireSchema = z.enum(Object.keys(MODELS) as [WireName, ...WireName[]]).default("headers");

export function wireModel(name: WireName): WireModel {
  return MODELS[name];
}

/** One line for tables and pages. */
export function wireText(name: WireName): string {
  return `${name}: ${MEANINGS[name]}`;
}

// What a user observes of a run in addition to its results: packets on links, flows hop by hop, and a timeline page.

const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item.transform((one) => [one]), z.array(item)]);

const seeingSchema = z.strictObject({
  /** Links whose frames are captured: `all`, a node, `NODE:PORT`, or `NODE NODE`. */
  pcap: oneOrMore(z.string().min(1)).optional(),
  /** Numbers of flows, as in the results. */
  trace_flows: oneOrMore(z.number().int().min(0)).optional(),
  /** A timeline page of each run. */
  timeline: z.boolean().optional(),
});

export interface SeeingRequest {
  readonly pcap: readonly string[];
  readonly flows: readonly number[];
  readonly timeline: boolean;
}

/** The requests of the file and of the command line together; undefined: none. */
export function seeingOf(
  file: z.output<typeof seeingSchema> | undefined,
  options: Partial<SeeingRequest> = {},
): SeeingRequest | undefined {
  const pcap = [...(file?.pcap ?? []), ...(options.pcap ?? [])];
  const flows = [...new Set([...(file?.trace_flows ?? []), ...(options.flows ?? [])])];
  const timeline = options.timeline === true || file?.timeline === true;
  return pcap.length + flows.length === 0 && !timeline ? undefined : { pcap, flows, timeline };
}

// The key `transport` of experiment files, and the connections of the simulator that it describes (docs/transport.md).

/** TCP. Times in nanoseconds. */
export interface TcpTransport {
  readonly protocol: "tcp";
  readonly segment_bytes: number;
  readonly window_segments?: undefined;
  readonly rto_margin: number;
  readonly rto_min: number;
  readonly rto_cap: number;
  readonly rto_initial: number;
  /** Timeouts of SYNs; absent: `rto_initial` and `rto_cap`. */
  readonly syn_rto_initial?: number;
  readonly syn_rto_cap?: number;
  readonly congestion_control: CongestionControlName;
  /** Segments. */
  readonly initial_window: number;
  readonly receive_buffer: number;
  readonly delayed_ack: { readonly segments: number; readonly timeout: number };
  readonly ecn: TcpOptions["ecn"];
  readonly sack: boolean;
  readonly rack: boolean;
  readonly reordering: boolean;
  readonly handshake: boolean;
  readonly subflows?: NonNullable<TcpOptions["subflows"]>;
  readonly time_wait: number;
  readonly user_timeout: number;
}

/** A fixed window without handshake and congestion control (the transport of the failover experiments), TCP, or messages. */
type TransportSettings =
  | {
      readonly protocol?: undefined;
      readonly segment_bytes: number;
      readonly window_segments: number;
      /** Nanoseconds. RTO = smoothed RTT + margin, doubled at each timeout up to the cap. */
      readonly rto_margin: number;
      readonly rto_cap: number;
    }
  | MessageTransport
  | TcpTransport;

const tcpControls = Object.keys(CONGESTION_CONTROLS) as CongestionControlName[];
const controls = [...new Set([...tcpControls, ...MESSAGE_CONTROLS])] as [string, ...string[]];

const fileSchema = z.strictObject({
  protocol: z.enum(["fixed", "messages", "tcp"]).optional(),
  segment_bytes: whole("bytes of payload", 1, 8900).default(1000),
  /** Of `fixed` alone. */
  window_segments: whole("segments", 1, 10_000).optional(),
  rto_margin: positiveDurationSchema.default(5 * NS_PER_MS),
  rto_cap: durationSchema.default(NS_PER_S),
  /** The following keys are for `tcp` alone. */
  rto_min: durationSchema.optional(),
  rto_initial: positiveDurationSchema.optional(),
  syn_rto_initial: positiveDurationSchema.optional(),
  syn_rto_cap: positiveDurationSchema.optional(),
  congestion_control: z.enum(controls).optional(),
  initial_window: whole("segments", 1, 10_000).optional(),
  receive_buffer: bytesSchema.optional(),
  delayed_ack: z
    .strictObject({
      segments: whole("segments", 1, 64).default(2),
      timeout: durationSchema.default(NS_PER_MS),
    })
    .optional(),
  ecn: z
    .union([z.boolean(), z.enum(["off", "classic", "accurate"])], {
      error: "expected true, false, off, classic or accurate",
    })
    .optional(),
  sack: z.boolean().optional(),
  rack: z.boolean().optional(),
  reordering: z.boolean().optional(),
  handshake: z.boolean().optional(),
  subflows: z
    .strictObject({
      count: whole("a number of subflows", 1, 16),
      scheduler: z.enum(SUBFLOW_SCHEDULERS).default("least_rtt"),
      ports: z.enum(["own", "shared"]).exactOptional(),
    })
    .optional(),
  time_wait: durationSchema.optional(),
  user_timeout: positiveDurationSchema.optional(),
  /** Of `messages` alone; it has some of the others too. */
  ...messageKeys,
});

type File = z.output<typeof fileSchema>;

/** Keys that both protocols have. */
const COMMON: ReadonlySet<string> = new Set(["protocol", "segment_bytes", "rto_margin", "rto_cap"]);

/** How a kind of experiments opens its connections. */
interface TransportDefaults {
  readonly protocol: "fixed" | "tcp";
  /** Whether connections of this kind can begin with a handshake. */
  readonly handshake: boolean;
}

/** The key `transport` of a kind of experiments; it may be absent. */
export function transportSchema(defaults: TransportDefaults) {
  return fileSchema
    .superRefine((file, context) => checkTransport(file, defaults, context))
    .transform((file): TransportSettings => settle(file, defaults))
    .prefault({});
}

function checkTransport(file: File, defaults: TransportDefaults, context: z.RefinementCtx): void {
  const wrong = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  const protocol = file.protocol ?? defaults.protocol;
  const given = Object.keys(file).filter((key) => !COMMON.has(key) && file[key as keyof File] !== undefined);
  if (protocol === "fixed") {
    for (const key of given)
      if (key in messageKeys) wrong(key, `${key} is a key of messages: write protocol: messages beside it`);
      else if (key !== "window_segments")
        wrong(key, `${key} is a key of TCP: write protocol: tcp beside it, or leave it out`);
    return;
  }
  if (protocol === "messages") {
    for (const key of given)
      if (!MESSAGE_KEYS.has(key)) wrong(key, `protocol: messages has no ${key}: leave it out`);
    checkMessages(file, wrong);
    return;
  }
  for (const key of given)
    if (key in messageKeys) wrong(key, `${key} is a key of messages: write protocol: messages beside it`);
  if (file.congestion_control !== undefined && !isTcpControl(file.congestion_control))
    wrong(
      "congestion_control",
      `${file.congestion_control} is a control of messages: write protocol: messages, or one of ${tcpControls.join(", ")}`,
    );
  if (file.window_segments !== undefined)
    wrong(
      "window_segments",
      "the window of TCP is that of its congestion control: write congestion_control: fixed and initial_window",
    );
  if (file.handshake === true && !defaults.handshake)
    wrong("handshake", "the connections of this kind of experiment are open when it starts");
  if (file.subflows !== undefined && !(file.handshake ?? defaults.handshake))
    wrong(
      "subflows",
      "a connection with subflows needs a handshake, which this file or its kind does not have",
    );
  if (file.rack === true && file.sack === false)
    wrong("rack", "needs selective acknowledgements: leave out sack: false");
  if (file.reordering === true && (file.rack === false || file.sack === false))
    wrong("reordering", "tolerance of reordering needs RACK: leave out rack: false and sack: false");
  const ecn = ecnOf(file);
  if (file.congestion_control === "dctcp" && ecn !== "accurate")
    wrong(
      "ecn",
      "must be accurate for DCTCP, which needs a report of each mark: write ecn: accurate, or leave it out",
    );
  if ((file.rto_min ?? 0) > file.rto_cap) wrong("rto_min", "must not be longer than rto_cap");
  const cap = file.syn_rto_cap ?? file.rto_cap;
  if ((file.syn_rto_initial ?? 0) > cap)
    wrong(
      "syn_rto_initial",
      `must not be longer than the longest timeout of a SYN, ${cap / NS_PER_S}s: write a longer syn_rto_cap`,
    );
}

function isTcpControl(name: string): name is CongestionControlName {
  return Object.hasOwn(CONGESTION_CONTROLS, name);
}

function ecnOf({ ecn, congestion_control }: File): TcpOptions["ecn"] {
  const precise = congestion_control === "dctcp";
  if (ecn === undefined) return precise ? "accurate" : "off";
  if (typeof ecn === "boolean") return ecn ? (precise ? "accurate" : "classic") : "off";
  return ecn;
}

function settle(file: File, defaults: TransportDefaults): TransportSettings {
  const { segment_bytes, rto_margin, rto_cap, congestion_control = "cubic" } = file;
  if (file.protocol === "messages") return settleMessages(file);
  if ((file.protocol ?? defaults.protocol) === "fixed")
    return { segment_bytes, window_segments: file.window_segments ?? 1, rto_margin, rto_cap };
  const sack = file.sack ?? true;
  return {
    protocol: "tcp",
    segment_bytes,
    rto_margin,
    rto_min: file.rto_min ?? 0,
    rto_cap,
    rto_initial: file.rto_initial ?? NS_PER_S,
    ...given({ syn_rto_initial: file.syn_rto_initial }),
    ...given({ syn_rto_cap: file.syn_rto_cap }),
    congestion_control: isTcpControl(congestion_control) ? congestion_control : "cubic",
    initial_window: file.initial_window ?? 10,
    receive_buffer: file.receive_buffer ?? 4_000_000,
    delayed_ack: file.delayed_ack ?? { segments: 2, timeout: NS_PER_MS },
    ecn: ecnOf(file),
    sack,
    rack: file.rack ?? sack,
    reordering: file.reordering ?? false,
    handshake: file.handshake ?? defaults.handshake,
    ...given({ subflows: file.subflows }),
    time_wait: file.time_wait ?? 10 * NS_PER_MS,
    user_timeout: file.user_timeout ?? 100 * NS_PER_S,
  };
}

/** The options of the simulator's connections. */
export function transportOptions(transport: TcpTransport): TcpOptions;
export function transportOptions(transport: TransportSettings): TransportOptions;
export function transportOptions(transport: TransportSettings): TransportOptions {
  const { segment_bytes, rto_margin, rto_cap } = transport;
  if (transport.protocol === "messages") return messageOptions(transport);
  if (transport.protocol === undefined)
    return {
      segmentBytes: segment_bytes,
      windowSegments: transport.window_segments,
      margin: rto_margin,
      cap: rto_cap,
      initial: NS_PER_S,
    };
  const { rto_initial, syn_rto_initial = rto_initial, syn_rto_cap = rto_cap } = transport;
  const hasSyn = transport.syn_rto_initial !== undefined || transport.syn_rto_cap !== undefined;
  return {
    protocol: "tcp",
    ...given({ syn: hasSyn ? { initial: syn_rto_initial, cap: syn_rto_cap } : undefined }),
    segmentBytes: segment_bytes,
    margin: rto_margin,
    floor: transport.rto_min,
    cap: rto_cap,
    initial: rto_initial,
    congestionControl: CONGESTION_CONTROLS[transport.congestion_control],
    initialWindow: transport.initial_window,
    receiveBuffer: transport.receive_buffer,
    delayedAck: transport.delayed_ack,
    ecn: transport.ecn,
    sack: transport.sack,
    rack: transport.rack,
    reordering: transport.reordering,
    handshake: transport.handshake,
    ...given({ subflows: transport.subflows }),
    timeWait: transport.time_wait,
    userTimeout: transport.user_timeout,
  };
}

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
      /** Priority flow control: switches pause their senders, and the limits above are those of hosts alone. */
      pfc: flowControlSchema.optional(),
      /** Packet trimming: a packet that finds no room is cut to its headers, which overtake the data. */
      trim: trimSchema.optional(),
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
    readonly pfc?: FlowControlSettings | undefined;
    readonly trim?: TrimSettings | undefined;
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

// A scheme of an experiment, planned.

/** One scheme of an experiment, planned for its topology. */
export interface SchemeRun {
  /** Name in the results. */
  label: string;
  /** Name in figures and tables for people. */
  title: string;
  scheme: string;
  runs: number;
  /** The parameters after the scheme's schema has parsed them. */
  parameters: Readonly<Record<string, unknown>>;
  plan: FabricPlan;
  /** Schemas of the values of its commands, by their names. */
  commands: Readonly<Record<string, z.ZodType>>;
  /** Throws DiagnosticError for a command that has the right shape but cannot be carried out. */
  checkCommand?: (command: { readonly name: string; readonly values: unknown }, locate: Locate) => void;
  /** Plans flows that are known before they open, one assignment a flow; absent: the scheme plans none. */
  assign?: (flows: readonly KnownFlow[]) => FlowAssignment[];
  /** Makes the policy of one host of the plan, for hosts in this process. */
  hosts(context: HostContext): HostPolicy;
}
