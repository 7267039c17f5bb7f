/** The keys of `transport` with `protocol: messages` (docs/transport.md, "Messages"). */
import { z } from "zod";
import { given } from "../../base/index.js";
import {
  Dcqcn,
  FixedWindow,
  type MessageControlMaker,
  type MessageOptions,
  NS_PER_MS,
  NS_PER_US,
  RECOVERIES,
  type Recovery,
  Swift,
} from "../sim/packet/index.js";
import { bytesSchema, durationSchema, positiveDurationSchema, rateSchema } from "../topology/index.js";

export const MESSAGE_CONTROLS = ["fixed", "dcqcn", "swift"] as const;
type MessageControlName = (typeof MESSAGE_CONTROLS)[number];

const share = z.number().gt(0, { error: "expected a number above 0, at most 1" }).max(1);
const above0 = z.number().gt(0, { error: "expected a number above 0" });
const count = z.number().int().min(1).max(1_000_000);

/** The rates are computed timer by timer: with shorter ones an idle flow would cost millions of steps. */
const timerSchema = positiveDurationSchema.refine((time) => time >= NS_PER_US, {
  error: "expected at least 1us",
});

/** The values of the paper, section 5.2 and table 2, from memory. */
const dcqcnSchema = z.strictObject({
  gain: share.default(1 / 256),
  alpha_timer: timerSchema.default(55 * NS_PER_US),
  increase_timer: timerSchema.default(55 * NS_PER_US),
  byte_counter: bytesSchema.default(10_000_000),
  fast_recovery: count.default(5),
  additive: rateSchema.default(40_000_000),
  hyper: rateSchema.default(400_000_000),
  cnp_interval: timerSchema.default(50 * NS_PER_US),
  min_rate: rateSchema.default(10_000_000),
});

const swiftSchema = z.strictObject({
  target: positiveDurationSchema.default(50 * NS_PER_US),
  hop: durationSchema.default(NS_PER_US),
  flow_range: durationSchema.default(100 * NS_PER_US),
  flow_smallest: above0.default(0.1),
  flow_largest: above0.default(100),
  additive: above0.default(1),
  decrease: share.default(0.8),
  largest_decrease: share.default(0.5),
  min_window: share.default(0.01),
  reset_after: count.default(5),
});

/** Each may be absent. */
export const messageKeys = {
  recovery: z.enum(RECOVERIES).optional(),
  reordering_packets: count.optional(),
  window: bytesSchema.optional(),
  dcqcn: dcqcnSchema.optional(),
  swift: swiftSchema.optional(),
} as const;

type File = z.output<z.ZodObject<typeof messageKeys>> & {
  readonly congestion_control?: string | undefined;
  readonly rto_min?: number | undefined;
  readonly rto_initial?: number | undefined;
  readonly rto_cap: number;
  readonly rto_margin: number;
  readonly segment_bytes: number;
};

/** Times in nanoseconds. */
export interface MessageTransport {
  readonly protocol: "messages";
  readonly segment_bytes: number;
  readonly window_segments?: undefined;
  readonly recovery: Recovery;
  /** Absent with go-back-N. */
  readonly reordering_packets?: number;
  readonly congestion_control: MessageControlName;
  /** Bytes; absent with DCQCN: no limit beside its rate. */
  readonly window?: number;
  readonly dcqcn?: z.output<typeof dcqcnSchema>;
  readonly swift?: z.output<typeof swiftSchema>;
  readonly rto_margin: number;
  readonly rto_min: number;
  readonly rto_cap: number;
  readonly rto_initial: number;
}

/** Keys that have a meaning with `protocol: messages`; the file has further common ones. */
export const MESSAGE_KEYS: ReadonlySet<string> = new Set([
  ...Object.keys(messageKeys),
  "congestion_control",
  "rto_min",
  "rto_initial",
]);

/** Reports what cannot be, by key. */
export function checkMessages(file: File, wrong: (key: string, message: string) => void): void {
  const control = controlOf(file);
  if (control === undefined)
    wrong(
      "congestion_control",
      `${file.congestion_control} is a control of TCP: protocol: messages has ${MESSAGE_CONTROLS.join(", ")}`,
    );
  for (const name of ["dcqcn", "swift"] as const)
    if (file[name] !== undefined && control !== name)
      wrong(name, `the settings of ${name} need congestion_control: ${name}: write it, or leave them out`);
  if (file.reordering_packets !== undefined && file.recovery === "go_back_n")
    wrong(
      "reordering_packets",
      "with go_back_n each gap is a loss: leave it out, or write recovery: selective_repeat",
    );
  const { swift } = file;
  if (swift !== undefined && swift.flow_smallest >= swift.flow_largest)
    wrong("swift", `flow_smallest, ${swift.flow_smallest}, is not below flow_largest, ${swift.flow_largest}`);
  if (file.window !== undefined && file.window < file.segment_bytes)
    wrong("window", `${file.window} bytes are less than one packet: write at least segment_bytes`);
  if ((file.rto_min ?? 0) > file.rto_cap) wrong("rto_min", "must not be longer than rto_cap");
  if ((file.rto_initial ?? 0) > file.rto_cap) wrong("rto_initial", "must not be longer than rto_cap");
}

function controlOf({ congestion_control: name = "fixed" }: File): MessageControlName | undefined {
  return MESSAGE_CONTROLS.find((one) => one === name);
}

export function settleMessages(file: File): MessageTransport {
  const { segment_bytes, rto_margin, rto_cap, recovery = "selective_repeat" } = file;
  const control = controlOf(file) ?? "fixed";
  const window = file.window ?? (control === "dcqcn" ? undefined : Math.max(64_000, segment_bytes));
  return {
    protocol: "messages",
    segment_bytes,
    recovery,
    ...(recovery === "selective_repeat" ? { reordering_packets: file.reordering_packets ?? 64 } : {}),
    congestion_control: control,
    ...given({ window }),
    ...(control === "dcqcn" ? { dcqcn: file.dcqcn ?? dcqcnSchema.parse({}) } : {}),
    ...(control === "swift" ? { swift: file.swift ?? swiftSchema.parse({}) } : {}),
    rto_margin,
    rto_min: file.rto_min ?? 0,
    rto_cap,
    rto_initial: file.rto_initial ?? Math.min(10 * NS_PER_MS, rto_cap),
  };
}

export function messageOptions(transport: MessageTransport): MessageOptions {
  const { segment_bytes, window, dcqcn } = transport;
  return {
    protocol: "messages",
    segmentBytes: segment_bytes,
    margin: transport.rto_margin,
    floor: transport.rto_min,
    cap: transport.rto_cap,
    initial: transport.rto_initial,
    recovery: transport.recovery,
    reorderingPackets: transport.reordering_packets ?? Number.POSITIVE_INFINITY,
    window: window === undefined ? Number.POSITIVE_INFINITY : Math.floor(window / segment_bytes),
    control: controlMaker(transport),
    ecn: dcqcn !== undefined,
    ...given({ notificationInterval: dcqcn?.cnp_interval }),
  };
}

function controlMaker({ dcqcn, swift }: MessageTransport): MessageControlMaker {
  if (dcqcn !== undefined) {
    const options = {
      gain: dcqcn.gain,
      alphaTimer: dcqcn.alpha_timer,
      increaseTimer: dcqcn.increase_timer,
      byteCounter: dcqcn.byte_counter,
      fastRecovery: dcqcn.fast_recovery,
      additive: dcqcn.additive,
      hyper: dcqcn.hyper,
      leastRate: dcqcn.min_rate,
    };
    return (context) => new Dcqcn(context, options);
  }
  if (swift !== undefined) {
    const options = {
      target: swift.target,
      hop: swift.hop,
      flowRange: swift.flow_range,
      flowSmallest: swift.flow_smallest,
      flowLargest: swift.flow_largest,
      additive: swift.additive,
      decrease: swift.decrease,
      largestDecrease: swift.largest_decrease,
      leastWindow: swift.min_window,
      resetAfter: swift.reset_after,
    };
    return (context) => new Swift(context, options);
  }
  return (context) => new FixedWindow(context);
}
