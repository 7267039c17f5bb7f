/** What a page may ask of a lab: the requests, each with the schema that checks it at the edge of the server. */
import { z } from "zod";

const name = z.string().min(1).max(64);
const path = z.string().min(1).max(512);
const id = z.number().int().min(0);
const port = z.number().int().min(0).max(511);
/** A text of a program or of another file of the project. */
const fileText = z.string().max(2 ** 21);
/** A value of a header field as people write it: `10.0.1.1`, `08:00:00:00:01:11`, `0x800`, `64`. */
const fieldValue = z.union([z.string().max(4096), z.number().int().min(0)]);
const hex = z
  .string()
  .max(2 * 65_536)
  .regex(/^([0-9a-fA-F]{2})*$/, "expected hex digits, two a byte");

/**
 * A header of a packet to build. `header` is a well-known one (`ethernet`, `vlan`, `arp`, `ipv4`, `ipv6`, `icmp`, `tcp`,
 * `udp`) or the name of a header type of a program; fields that are left out get the value that the rest of the
 * packet implies (types, lengths, checksums, the sender's addresses), or 0.
 */
const layerSchema = z.strictObject({
  header: name,
  fields: z.record(name, fieldValue).default({}),
});

const packetSchema = z.union([
  z.strictObject({ hex }),
  z.strictObject({
    layers: z.array(layerSchema).min(1).max(32),
    /** After the last header: text, or bytes as hex. */
    payload: z.union([z.strictObject({ text: z.string().max(16_384) }), z.strictObject({ hex })]).optional(),
  }),
]);

/** Where a packet starts: at a host, which sends it by its NIC; or at a port of a switch, as if it came in there. */
const sourceSchema = z.union([z.strictObject({ host: name }), z.strictObject({ switch: name, port })]);

const trafficSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("ping"),
    from: name,
    /** A host's name, or an address. */
    to: name,
    count: z.number().int().min(1).max(100_000).default(4),
    /** Nanoseconds of the lab's clock from one echo request to the next. */
    intervalNs: z.number().min(1000).max(1e12).default(1e9),
    bytes: z.number().int().min(0).max(9000).default(56),
    ttl: z.number().int().min(1).max(255).default(64),
  }),
  z.strictObject({
    kind: z.literal("udp"),
    from: name,
    to: name,
    port: z.number().int().min(1).max(65_535).default(5001),
    /** Bits per second of payload. */
    rateBps: z.number().min(1).max(1e12),
    /** Bytes of payload of each datagram. */
    bytes: z.number().int().min(4).max(9000).default(1000),
    /** Nanoseconds of the lab's clock; absent: until it is stopped. */
    durationNs: z.number().min(1).max(1e15).optional(),
  }),
  z.strictObject({
    kind: z.literal("tcp"),
    from: name,
    to: name,
    port: z.number().int().min(1).max(65_535).default(5201),
    /** Bytes of payload; absent: until it is stopped. */
    bytes: z
      .number()
      .int()
      .min(1)
      .max(2 ** 40)
      .optional(),
    congestionControl: name.default("cubic"),
  }),
]);

const requests = [
  /** The whole state of the lab; the first request of a page. */
  z.strictObject({ op: z.literal("describe") }),

  z.strictObject({ op: z.literal("files.list") }),
  z.strictObject({ op: z.literal("files.read"), path }),
  /** Writes a file. A program is compiled, and without errors swapped in at the switches that run it. */
  z.strictObject({ op: z.literal("files.save"), path, text: fileText }),
  /** Compiles what the file would be, and changes nothing. */
  z.strictObject({ op: z.literal("files.check"), path, text: fileText }),
  /**
   * What an editor asks about a P4 file, which has `text` in the editor; `at` is an offset in it, in UTF-16 code units, lines
   * ending with one. Nothing is changed: the editor carries edits out.
   */
  z.strictObject({ op: z.literal("edit.hover"), path, text: fileText, at: id }),
  z.strictObject({ op: z.literal("edit.complete"), path, text: fileText, at: id }),
  z.strictObject({ op: z.literal("edit.signature"), path, text: fileText, at: id }),
  z.strictObject({ op: z.literal("edit.definition"), path, text: fileText, at: id }),
  z.strictObject({ op: z.literal("edit.fixes"), path, text: fileText }),
  z.strictObject({ op: z.literal("edit.rename"), path, text: fileText, at: id, name }),
  z.strictObject({ op: z.literal("edit.format"), path, text: fileText }),
  /** The network from the files again: hosts, links, programs, entries, clock at 0. */
  z.strictObject({ op: z.literal("restart") }),

  z.strictObject({
    op: z.literal("clock.set"),
    running: z.boolean().optional(),
    /** Nanoseconds of the lab's clock in a nanosecond of the wall's: 1 is real time, 0.001 slow motion. */
    speed: z.number().min(1e-9).max(1000).optional(),
    /** Time in which no packet is on its way passes at real time at least, whatever `speed`. */
    skipIdle: z.boolean().optional(),
  }),
  /** Lets a paused clock go on to the next arrival of a packet anywhere, or at one node, or by a time. */
  z.strictObject({
    op: z.literal("clock.step"),
    until: z
      .union([
        z.strictObject({ kind: z.literal("arrival"), node: name.optional(), packet: id.optional() }),
        z.strictObject({ kind: z.literal("time"), ns: z.number().min(1).max(1e12) }),
      ])
      .default({ kind: "arrival" }),
  }),

  /** Breaks or mends a link. `signalled`: both ends see that the carrier is gone; otherwise packets vanish silently. */
  z.strictObject({
    op: z.literal("link.set"),
    link: id,
    up: z.boolean(),
    signalled: z.boolean().default(true),
  }),
  /** Breaks or mends a switch: its process is gone, and comes back with its program and its files' entries. */
  z.strictObject({ op: z.literal("switch.set"), switch: name, up: z.boolean() }),

  /** The bytes of a packet, and what is wrong with it; sends nothing. */
  z.strictObject({ op: z.literal("packet.build"), packet: packetSchema, from: sourceSchema }),
  z.strictObject({
    op: z.literal("packet.send"),
    packet: packetSchema,
    from: sourceSchema,
    count: z.number().int().min(1).max(10_000).default(1),
    intervalNs: z.number().min(1).max(1e12).default(1e6),
  }),
  /** The last packets that have a story, the newest first. */
  z.strictObject({ op: z.literal("packet.list"), limit: z.number().int().min(1).max(500).default(50) }),
  z.strictObject({ op: z.literal("packet.story"), packet: id }),

  z.strictObject({ op: z.literal("traffic.start"), traffic: trafficSchema }),
  /** Without `flow`, all. */
  z.strictObject({ op: z.literal("traffic.stop"), flow: id.optional() }),

  /** A line for the small command interpreter of a simulated host (`help` lists its words); answers come as events `console`. */
  z.strictObject({ op: z.literal("host.command"), host: name, line: z.string().max(4096) }),
  /** A shell on a host of a testbed. What it prints comes as events `terminal`. */
  z.strictObject({
    op: z.literal("terminal.open"),
    host: name,
    columns: z.number().int().min(10).max(500).default(80),
    rows: z.number().int().min(2).max(200).default(24),
  }),
  z.strictObject({ op: z.literal("terminal.input"), terminal: id, data: z.string().max(65_536) }),
  z.strictObject({
    op: z.literal("terminal.resize"),
    terminal: id,
    columns: z.number().int().min(10).max(500),
    rows: z.number().int().min(2).max(200),
  }),
  z.strictObject({ op: z.literal("terminal.close"), terminal: id }),

  /** Statements of `p4loom shell` (or commands of simple_switch_CLI), one a line, at a switch. */
  z.strictObject({ op: z.literal("control.run"), switch: name, text: z.string().max(2 ** 20) }),
  /** Words that can follow at the cursor. */
  z.strictObject({
    op: z.literal("control.complete"),
    switch: name,
    line: z.string().max(4096),
    cursor: z.number().int().min(0).max(4096),
  }),
  /** Takes back the last request of this lab that changed the state of the switch. */
  z.strictObject({ op: z.literal("control.undo"), switch: name }),
  /** Tables, groups, counters, meters, registers, ... of a switch. */
  z.strictObject({
    op: z.literal("state.read"),
    switch: name,
    /** Cells of an array (counter, meter, register) from this one on; absent: the first ones, then those that are not 0. */
    cells: z.strictObject({ array: name, from: id }).optional(),
  }),
  /** From now on the state of the switch comes as events `state` when it has changed, a few times a second at most. */
  z.strictObject({ op: z.literal("state.watch"), switch: name, on: z.boolean() }),

  z.strictObject({ op: z.literal("exercise.read") }),
  /** Runs tests of the exercise, by their names; without them all. Results come as events `test`, and as the answer. */
  z.strictObject({ op: z.literal("exercise.test"), tests: z.array(name).max(200).optional() }),
] as const;

export const labRequestSchema = z.discriminatedUnion("op", requests);

/** A request after its check: defaults are filled in. */
export type LabRequest = z.output<typeof labRequestSchema>;
/** A request as a page may write it. */
export type LabRequestInput = z.input<typeof labRequestSchema>;
export type LabOp = LabRequest["op"];
export type RequestOf<Op extends LabOp> = Extract<LabRequest, { op: Op }>;
export type Traffic = z.output<typeof trafficSchema>;
export type PacketInput = z.output<typeof packetSchema>;
export type PacketSource = z.output<typeof sourceSchema>;

/** What a page sends: a request with a number of its own, which the answer bears. */
export const labCallSchema = z.strictObject({ id, request: labRequestSchema });
export type LabCall = z.output<typeof labCallSchema>;
