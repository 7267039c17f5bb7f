/** The key `transport` of experiment files, and the connections of the simulator that it describes (docs/transport.md). */
import { z } from "zod";
import {
  CONGESTION_CONTROLS,
  type CongestionControlName,
  NS_PER_MS,
  NS_PER_S,
  SUBFLOW_SCHEDULERS,
  type TcpOptions,
  type TransportOptions,
} from "../sim/packet/index.js";
import { bytesSchema, durationSchema, positiveDurationSchema } from "../topology/index.js";
import { whole } from "./whole.js";

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

/** A fixed window without handshake and congestion control (the transport of the failover experiments), or TCP. */
export type TransportSettings =
  | {
      readonly protocol?: undefined;
      readonly segment_bytes: number;
      readonly window_segments: number;
      /** Nanoseconds. RTO = smoothed RTT + margin, doubled at each timeout up to the cap. */
      readonly rto_margin: number;
      readonly rto_cap: number;
    }
  | TcpTransport;

const controls = Object.keys(CONGESTION_CONTROLS) as [CongestionControlName, ...CongestionControlName[]];

const fileSchema = z.strictObject({
  protocol: z.enum(["fixed", "tcp"]).optional(),
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
});

type File = z.output<typeof fileSchema>;

/** Keys that both protocols have. */
const COMMON: ReadonlySet<string> = new Set(["protocol", "segment_bytes", "rto_margin", "rto_cap"]);

/** How a kind of experiments opens its connections. */
export interface TransportDefaults {
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
  if ((file.protocol ?? defaults.protocol) === "fixed") {
    for (const key of Object.keys(file))
      if (!COMMON.has(key) && key !== "window_segments" && file[key as keyof File] !== undefined)
        wrong(key, `${key} is a key of TCP: write protocol: tcp beside it, or leave it out`);
    return;
  }
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

function ecnOf({ ecn, congestion_control }: File): TcpOptions["ecn"] {
  const precise = congestion_control === "dctcp";
  if (ecn === undefined) return precise ? "accurate" : "off";
  if (typeof ecn === "boolean") return ecn ? (precise ? "accurate" : "classic") : "off";
  return ecn;
}

function settle(file: File, defaults: TransportDefaults): TransportSettings {
  const { segment_bytes, rto_margin, rto_cap } = file;
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
    ...(file.syn_rto_initial === undefined ? {} : { syn_rto_initial: file.syn_rto_initial }),
    ...(file.syn_rto_cap === undefined ? {} : { syn_rto_cap: file.syn_rto_cap }),
    congestion_control: file.congestion_control ?? "cubic",
    initial_window: file.initial_window ?? 10,
    receive_buffer: file.receive_buffer ?? 4_000_000,
    delayed_ack: file.delayed_ack ?? { segments: 2, timeout: NS_PER_MS },
    ecn: ecnOf(file),
    sack,
    rack: file.rack ?? sack,
    reordering: file.reordering ?? false,
    handshake: file.handshake ?? defaults.handshake,
    ...(file.subflows === undefined ? {} : { subflows: file.subflows }),
    time_wait: file.time_wait ?? 10 * NS_PER_MS,
    user_timeout: file.user_timeout ?? 100 * NS_PER_S,
  };
}

/** The options of the simulator's connections. */
export function transportOptions(transport: TcpTransport): TcpOptions;
export function transportOptions(transport: TransportSettings): TransportOptions;
export function transportOptions(transport: TransportSettings): TransportOptions {
  const { segment_bytes, rto_margin, rto_cap } = transport;
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
    ...(hasSyn ? { syn: { initial: syn_rto_initial, cap: syn_rto_cap } } : {}),
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
    ...(transport.subflows === undefined ? {} : { subflows: transport.subflows }),
    timeWait: transport.time_wait,
    userTimeout: transport.user_timeout,
  };
}
