/** The experiment file of the kind `load`: many flows that arrive by a workload, and their completion times. */
import { z } from "zod";
import type { Diagnostics, Locate, Random, SourceFile } from "../../../../base/index.js";
import {
  bytesSchema,
  durationSchema,
  positiveDurationSchema,
  rateSchema,
  type Topology,
} from "../../../topology/index.js";
import { OPERATIONS, type PacketSource, type Workload } from "../../../traffic/index.js";
import { commandsSchema } from "../../control-plane.js";
import { type Checked, fabricKeys, ipSchema, machineKeys, transportSchema, whole } from "../../experiment.js";
import type { RunFaults } from "../../faults/during-run.js";
import { listedFaultSchema } from "../../faults/listed-faults.js";
import { shareSchema } from "../../faults/schema.js";
import { DEFAULT_BOUNDS, SIZE_CLASSES } from "./size-classes.js";
import type { FileDigest } from "./traffic-files.js";

// Schema of the keys `load` and `traffic` of experiments under load; docs/traffic.md explains them. `plan-traffic.ts` checks their meaning.

const LOAD = "expected a load above 0 and at most 1, such as 0.5";

/** Offered payload as a share of the capacity that `load_of` names. */
export const loadSchema = z.number({ error: LOAD }).gt(0, LOAD).max(1, LOAD);

const SHARE = "expected a share from 0 to 1";

/** A map with exactly one of these keys, which says how to read the value. */
function oneOf<S extends Record<string, z.ZodOptional>>(shape: S) {
  const error = `expected exactly one of the keys ${Object.keys(shape).join(", ")}`;
  return z
    .strictObject(shape, { error: ({ code }) => (code === "invalid_type" ? error : undefined) })
    .refine((value) => Object.keys(value).length === 1, { error, when: ({ issues }) => issues.length === 0 });
}

const SIZE_FACTOR = "expected a factor above 0 and at most 1000, such as 0.125";

const sizesSchema = z.union([
  /** A distribution of the package, by name. */
  z.string({ error: "expected the name of a distribution" }),
  oneOf({
    fixed: bytesSchema.optional(),
    /** Minimum and maximum. */
    uniform: z.tuple([bytesSchema, bytesSchema]).optional(),
    /** A distribution of the package with all sizes multiplied. */
    scaled: z
      .strictObject({
        of: z.string({ error: "expected the name of a distribution" }),
        by: z.number({ error: SIZE_FACTOR }).gt(0, SIZE_FACTOR).max(1000, SIZE_FACTOR),
      })
      .optional(),
    cdf: z
      .strictObject({
        /** Path of a file, relative to the experiment file's folder. */
        file: z.string().min(1),
        shares: z.enum(["percent", "fraction"]).default("percent"),
      })
      .optional(),
  }),
]);

const SIGMA = "expected a standard deviation above 0 and at most 5, such as 2";

const arrivalsSchema = z.union([
  z.enum(["poisson", "constant"]),
  z.strictObject({
    lognormal: z.strictObject({ sigma: z.number({ error: SIGMA }).gt(0, SIGMA).max(5, SIGMA) }),
  }),
]);

const hosts = (what: string) =>
  z.union([whole(what, 1, 1e6), z.array(z.string()).min(1)], {
    error: `expected ${what}, or a list of their names`,
  });

const requestsSchema = z.strictObject({
  /** Number of servers that each request goes to. */
  fan_out: whole("a number of servers", 1, 1e6),
  clients: hosts("a number of clients").optional(),
  servers: hosts("a number of servers").optional(),
  /** Payload of each question; absent: the servers answer at the instant of the request. */
  question: bytesSchema.optional(),
  /** Absent: requests arrive independently of earlier ones. */
  loop: z
    .strictObject({
      outstanding: whole("a number of requests", 1, 1e6).default(1),
      think: durationSchema,
    })
    .optional(),
});

const collectiveSchema = z.strictObject({
  operation: z.enum(OPERATIONS, { error: `expected one of ${OPERATIONS.join(", ")}` }),
  /** In the order of the ring; absent: all, in the order of the topology. */
  hosts: hosts("a number of hosts").optional(),
  /** One operation after the other; absent: they begin independently of earlier ones. */
  loop: z.strictObject({ think: durationSchema }).optional(),
});

const patternSchema = z.union([
  z.enum(["all_to_all", "inter_rack", "inter_pod", "permutation"]),
  oneOf({
    stride: whole("a distance between hosts", 1, 1e6).optional(),
    /** Share of the flows that stay in their rack. */
    rack_local: z.number({ error: SHARE }).min(0, SHARE).max(1, SHARE).optional(),
    /** Path of a file, relative to the experiment file's folder. */
    matrix: z.string().min(1).optional(),
    incast: z
      .strictObject({
        senders: whole("a number of senders", 1, 1e6),
        receivers: hosts("a number of receivers").optional(),
      })
      .optional(),
    requests: requestsSchema.optional(),
    collective: collectiveSchema.optional(),
  }),
]);

const partKeys = {
  sizes: sizesSchema.optional(),
  arrivals: arrivalsSchema.optional(),
  pattern: patternSchema.optional(),
  /** Mean time between the flows, incasts or requests of all hosts, in place of a load. */
  interval: positiveDurationSchema.optional(),
  /** `tcp` with a rate: the application of each flow writes its data at this rate. */
  protocol: z
    .union([z.literal("tcp"), oneOf({ udp: rateSchema.optional(), tcp: rateSchema.optional() })])
    .optional(),
  port: whole("a port", 1, 65_535).optional(),
};

const partSchema = z.strictObject({
  /** Share of the load. */
  share: z.number({ error: SHARE }).gt(0, SHARE).max(1, SHARE).optional(),
  ...partKeys,
});

const SCALE = "expected a factor above 0, such as 0.5";

/** Factor by which recorded times are multiplied. */
const timeScale = z.number({ error: SCALE }).gt(0, SCALE).default(1);

export const trafficSchema = z.strictObject({
  ip: ipSchema,
  ...partKeys,
  /** Parts; a key that a part does not have is taken from beside `mix`. */
  mix: z.array(partSchema).min(1).optional(),
  load_of: z.enum(["host_links", "core"]).optional(),
  /** Flows of a traffic file, in place of drawn ones. */
  trace: z
    .strictObject({
      /** Path relative to the experiment file's folder. */
      file: z.string().min(1),
      time_scale: timeScale,
    })
    .optional(),
  /** Maximum number of flows. */
  flows: whole("a number of flows", 1, 1e9).optional(),
  /** Flows start before this time. */
  duration: positiveDurationSchema.optional(),
  /** Packets of a capture, in addition to the flows. */
  replay: z
    .strictObject({
      /** Path relative to the experiment file's folder: pcap or pcapng. */
      file: z.string().min(1),
      /** Hosts, by the addresses or prefixes of the capture that they replace. */
      hosts: z.record(z.string(), z.string()).default({}),
      /** How packets with other addresses are handled. */
      others: z.enum(["spread", "drop"]).default("spread"),
      time_scale: timeScale,
    })
    .optional(),
});

export type TrafficSettings = z.output<typeof trafficSchema>;
export type TrafficPart = z.output<typeof partSchema>;

/** Figures of one seed whose mean is never 0 where flows end. */
const CONVERGING = [
  "slowdown_mean",
  "slowdown_p50",
  "slowdown_p95",
  "slowdown_p99",
  "slowdown_p999",
  "fct_mean_ms",
  "fct_p50_ms",
  "fct_p95_ms",
  "fct_p99_ms",
  "fct_p999_ms",
  "rct_mean_ms",
  "rct_p50_ms",
  "rct_p99_ms",
  "goodput_gbps",
] as const;

const WITHIN = "expected a part of the mean above 0 and below 1, such as 5%";
const CONFIDENCE = "expected a confidence from 0.5 to 0.999, such as 0.95";

/** The number of seeds is the smallest at which every scheme's interval of a figure is small. */
const untilSchema = z
  .strictObject({
    metric: z.enum(CONVERGING, { error: `expected one of ${CONVERGING.join(", ")}` }),
    size: z.enum(["all", ...SIZE_CLASSES]).default("all"),
    confidence: z.number({ error: CONFIDENCE }).min(0.5, CONFIDENCE).max(0.999, CONFIDENCE).default(0.95),
    /** Half of the interval, as a part of the mean. */
    within: shareSchema.refine((part) => part > 0 && part < 1, WITHIN).prefault("5%"),
    min_runs: whole("a number of seeds", 5, 10_000).default(10),
    max_runs: whole("a number of seeds", 5, 10_000).default(100),
  })
  .refine(({ min_runs, max_runs }) => min_runs <= max_runs, {
    path: ["max_runs"],
    error: "expected at least min_runs, which is 10 where the file has none",
  });

export const loadFileSchema = z.strictObject({
  kind: z.literal("load").optional(),
  ...fabricKeys,
  /** Offered payload as a share of the capacity that `traffic.load_of` names; absent for traffic with a rate of its own. */
  load: loadSchema.optional(),
  traffic: trafficSchema,
  /** Time from the start in which flows, links and queues are not measured. `auto`: found by a pilot run; the default with `until`. */
  warm_up: z.union([durationSchema, z.literal("auto")]).optional(),
  /** The number of flows after which no further flow is measured, except the rest of a request or collective that has begun. Traffic goes on until they have ended, so that none of them meets a network that empties. */
  measured_flows: whole("a number of flows", 1, 1e9).optional(),
  until: untilSchema.optional(),
  /** Time after the last arrival: flows that have not ended by then count as unfinished. */
  drain: durationSchema.default(1_000_000_000),
  /** Bounds of the size classes: the largest small flow, the smallest large one. */
  sizes: z
    .strictObject({
      small: bytesSchema.default(DEFAULT_BOUNDS.small),
      large: bytesSchema.default(DEFAULT_BOUNDS.large),
    })
    .prefault({}),
  faults: z.array(listedFaultSchema).default([]),
  commands: commandsSchema,
  /** `flows`: `flows.jsonl` has a line for each measured flow. */
  record: z.literal("flows").optional(),
  /** Maximum number of lines for each unit. */
  record_limit: whole("a number of lines", 1, 10_000_000).default(100_000),
  /** Length of a bin of `series.csv`, which has the packets sent, lost and delivered over time. */
  series: positiveDurationSchema.optional(),
  /** `windows.csv`: congestion windows and round trips of certain flows, by their numbers, at equal intervals. */
  windows: z
    .strictObject({
      flows: z
        .array(whole("the number of a flow", 0, 1e9))
        .min(1)
        .max(1000),
      interval: positiveDurationSchema.default(1_000_000),
    })
    .optional(),
  ...machineKeys,
  transport: transportSchema({ protocol: "tcp", handshake: true }),
});

/** The file with the defaults of its keys. */
export type LoadFile = z.output<typeof loadFileSchema>;

/** The file with all defaults filled in. */
export interface LoadSettings extends Omit<LoadFile, "warm_up"> {
  /** Nanoseconds; 0 before a pilot run has found it. */
  readonly warm_up: number;
  /** The rule by which a pilot run finds the end of the transient, which is the warm-up; absent: the file gives the warm-up. */
  readonly truncation?: "mser-5";
}

export function settingsOf({ warm_up, ...file }: LoadFile): LoadSettings {
  const isFound = warm_up === "auto" || (warm_up === undefined && file.until !== undefined);
  return {
    ...file,
    warm_up: typeof warm_up === "number" ? warm_up : 0,
    ...(isFound ? { truncation: "mser-5" } : {}),
  };
}

export type Load = Checked<LoadSettings> &
  RunFaults & {
    readonly traffic: TrafficPlan;
  };

// What the plans of a run's traffic share.

export interface TrafficContext {
  readonly settings: TrafficSettings;
  /** The key `load` of the file. */
  readonly load: number | undefined;
  /** Payload of a full segment. */
  readonly segmentBytes: number;
  readonly topology: Topology;
  /** The experiment file. */
  readonly source: SourceFile;
  /** Finds places of the experiment file: the traffic is under `traffic`, the load under `load`. */
  readonly locate: Locate;
  readonly diagnostics: Diagnostics;
}

/** Without the files and the packets. */
export type FlowPlan = Omit<TrafficPlan, "files" | "replay">;

/** Checked traffic, with hosts of its topology. */
export interface TrafficPlan {
  /** The same seed gives the same flows, under every scheme. */
  workload(random: Random): Workload;
  /** Frames that hosts send in addition to the flows; absent: none. */
  readonly replay: (() => PacketSource) | undefined;
  /** Flows start before this time, in nanoseconds, and `flows` is their maximum number; absent where the file gives none. */
  readonly durationNs: number | undefined;
  readonly flows: number | undefined;
  /** What drawn traffic costs on average; absent for recorded flows, and for closed loops that only a duration ends. */
  readonly cost?: TrafficCost | undefined;
  /** The files that were read in addition to the experiment file: results depend on them. */
  readonly files: readonly FileDigest[];
}

export interface TrafficCost {
  readonly flows: number;
  /** Payload. */
  readonly bytes: number;
  /** Data packets, without retransmissions and acknowledgements. */
  readonly packets: number;
}
