/**
 * The schema of `exercise.yaml`: the files that are handed in, and the tests with their points. docs/course.md
 * describes each key.
 */
import { z } from "zod";
import { durationSchema, rangeSchema } from "./amounts.js";

/** What runs the switches of a test: the simulator, processes of our switch, processes of BMv2. */
export const ENGINES = ["sim", "switch", "bmv2"] as const;
export type Engine = (typeof ENGINES)[number];

const text = (what: string) => z.string({ error: `expected ${what}` }).min(1, `expected ${what}`);
const path = text("the path of a file in the exercise's folder");
const node = text("the name of a host or switch");
const count = (low: number, high: number) =>
  z
    .number({ error: `expected a whole number from ${low} to ${high}` })
    .int()
    .min(low)
    .max(high);

const field = z.union([z.number().int().nonnegative(), z.string()], {
  error: "expected a value: a number, an address, or the name of a host",
});

/** `ipv4: { ttl: 64 }`, `text: hello`, `hex: 0a0b`, `zeros: 20`: one key for each element. */
const stackSchema = z
  .array(
    z.record(z.string(), z.union([z.record(z.string(), field), z.string(), z.number(), z.null()]), {
      error: "expected a header with its fields, such as `ipv4: { ttl: 64 }`",
    }),
    { error: "expected a list of headers, such as [ethernet: {}, ipv4: { dst: h2 }]" },
  )
  .min(1, "expected at least one header");

const seenSchema = z.strictObject({
  at: node,
  packet: stackSchema,
  /** Length of the frame; without it, more bytes may follow the packet. */
  bytes: count(1, 9100).optional(),
});

const packetStep = z.strictObject({
  /** The host that sends. */
  from: node,
  send: stackSchema,
  /** All packets that arrive at hosts, in the order of each host; an empty list: no packet may arrive. */
  expect: z.array(seenSchema).default([]),
  /** How long the network runs after the packet. */
  within: durationSchema.default(100e6),
});

const pingStep = z.strictObject({
  from: node,
  to: node,
  count: count(1, 1000).default(1),
  ttl: count(1, 255).default(64),
  /** Number of replies; by default all. */
  answered: rangeSchema.optional(),
});

const trafficStep = z.strictObject({
  from: node,
  to: node,
  protocol: z.enum(["udp", "tcp"]).default("udp"),
  flows: count(1, 10_000).default(1),
  /** The field in which flows differ: each flow has the next value; the others stay those of the first flow. */
  vary: z.enum(["source_port", "port", "source", "destination"]).default("source_port"),
  /** Packets of each flow. */
  packets: count(1, 10_000).default(1),
  /** Time between two packets, of the same flow or of different flows. */
  gap: durationSchema.default(1e6),
  /** A pause after this number of packets of every flow. */
  pause: z.strictObject({ after: count(1, 10_000), for: durationSchema }).optional(),
  /** Bytes of a frame. */
  bytes: count(60, 1514).default(200),
  source_port: count(0, 65_535).default(10_000),
  port: count(0, 65_535).default(5000),
  dscp: count(0, 63).default(0),
  /** The ECN field: 1 and 2 are packets that may be marked (RFC 3168). */
  ecn: count(0, 3).default(0),
  within: durationSchema.default(100e6),
  /** Packets that arrive at `to`: a number, or a share of the sent packets. */
  received: rangeSchema.optional(),
  /** Those of them that have the mark "congestion experienced", 3 in the ECN field. */
  marked: rangeSchema.optional(),
  /** Packets that leave ports of switches. */
  ports: z.record(z.string(), rangeSchema).optional(),
  /** The distribution of the packets over some ports: how many of the ports are used, and the share of each used port. */
  split: z
    .strictObject({
      over: z.array(text("a port such as s1-p2")).min(2, "expected two ports or more"),
      used: rangeSchema.optional(),
      each: rangeSchema.optional(),
    })
    .optional(),
  /** Whether the packets of each flow must arrive in the order in which they were sent. */
  in_order: z.boolean().default(false),
});

const askStep = z.strictObject({
  switch: node,
  /** A statement of the shell, or a command of simple_switch_CLI. */
  line: text("a statement of the shell, such as `read counter sent[1]`"),
  /** Sum of all counters in the output. */
  packets: rangeSchema.optional(),
  bytes: rangeSchema.optional(),
  /** Sum of all registers in the output. */
  value: rangeSchema.optional(),
  /** Number of objects in the output, without default entries. */
  count: rangeSchema.optional(),
  /** A text that the output must contain. */
  says: text("a part of the output").optional(),
});

const linkStep = z.strictObject({ between: z.tuple([node, node]), state: z.enum(["up", "down"]) });

const packetInsStep = z.strictObject({
  switch: node,
  /** Number since the last step that checks packet-ins of this switch. */
  count: rangeSchema.default({ low: 1, high: Number.POSITIVE_INFINITY, percent: false }),
  /** Metadata that each packet-in must have. */
  metadata: z.record(z.string(), field).default({}),
  packet: stackSchema.optional(),
});

const digestsStep = z.strictObject({
  switch: node,
  digest: text("the name of a digest"),
  count: rangeSchema.default({ low: 1, high: Number.POSITIVE_INFINITY, percent: false }),
  /** Records that must be among them, each with its members in the order of the struct. */
  has: z.array(z.array(field)).default([]),
});

const stepSchema = z.strictObject({
  packet: packetStep.optional(),
  ping: pingStep.optional(),
  traffic: trafficStep.optional(),
  wait: durationSchema.optional(),
  link: linkStep.optional(),
  ask: askStep.optional(),
  packet_ins: packetInsStep.optional(),
  digests: digestsStep.optional(),
});

const fitSchema = z.strictObject({
  target: text("a target: rmt, tofino, tofino2, or a file in the exercise's folder"),
  /** Maximum number of stages of the placed program; by default, all stages of the target. */
  stages: count(1, 1000).optional(),
  /** Whether a warning fails the test, too. */
  strict: z.boolean({ error: "expected true or false" }).default(false),
});

const testSchema = z.strictObject({
  name: text("a name"),
  points: z.number({ error: "expected a number of points" }).nonnegative("expected a number of points"),
  /** Shown if the test fails. */
  hint: text("a hint").optional(),
  steps: z.array(stepSchema).min(1, "expected at least one step").optional(),
  /** A packet test in the STF language for a single switch. */
  stf: path.optional(),
  fit: fitSchema.optional(),
  /** The program of `stf` and `fit`; by default the first one that is handed in. */
  program: path.optional(),
});

const testsSchema = z.array(testSchema).min(1, "expected at least one test");

export const exerciseSchema = z.strictObject({
  title: text("a title"),
  /** Describes what the tests check, in one or two sentences. */
  about: text("what the tests check"),
  /** The files of a submission; the files of starter and solution have the same names. */
  hands_in: z.array(path).min(1, "expected at least one file"),
  topology: path.default("topology.json"),
  /** The module of the control plane, one of the files in `hands_in`. */
  controller: path.optional(),
  /** The engines that run its programs; by default all. */
  engines: z
    .array(z.enum(ENGINES), { error: `expected a list of ${ENGINES.join(", ")}` })
    .min(1, "expected at least one engine")
    .optional(),
  /** Headers in addition to the well-known ones: the widths of their fields in bits, in their order. */
  headers: z
    .record(
      z.string(),
      z.record(z.string(), count(1, 128), { error: "expected fields with their widths in bits" }),
    )
    .default({}),
  limits: z
    .strictObject({
      /** Real time without progress after which the tests of a submission are stopped, in seconds: it only ends what hangs. */
      seconds: count(60, 3600).default(60),
      memory_mb: count(64, 65_536).default(1024),
      /** Maximum number of frames that cross links in a test. */
      frames: count(1, 10_000_000).default(200_000),
      /** Maximum number of events of the simulation in a test. */
      events: count(1, 100_000_000).default(2_000_000),
    })
    .prefault({}),
  tests: testsSchema,
  /** What students know of the tests of `hidden/tests.yaml`, which they do not get. */
  hidden: z
    .strictObject({
      tests: count(1, 1000),
      points: z.number({ error: "expected a number of points" }).nonnegative("expected a number of points"),
    })
    .optional(),
});

/** `hidden/tests.yaml`: its tests have the form of those of `exercise.yaml`. */
export const hiddenTestsSchema = z.strictObject({ tests: testsSchema });

/** The words at the start of `README.de.md`: names and hints of the tests by their names in `exercise.yaml`. */
export const translationSchema = z.strictObject({
  title: text("the title of the exercise"),
  about: text("one sentence about the exercise"),
  tests: z
    .record(
      z.string(),
      z.strictObject({ name: text("the name of the test"), hint: text("a hint").optional() }),
    )
    .default({}),
});

export type RawTest = z.output<typeof testSchema>;
export type RawExercise = z.output<typeof exerciseSchema>;
export type RawStep = RawTest["steps"] extends readonly (infer S)[] | undefined ? S : never;
export type PacketInput = z.output<typeof stackSchema>;
