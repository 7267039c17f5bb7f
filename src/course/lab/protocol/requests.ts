/** The requests of a page, each with the schema by which the server checks it. */
import { z } from "zod";

const name = z.string().min(1).max(64);
const path = z.string().min(1).max(512);
const id = z.number().int().min(0);
const port = z.number().int().min(0).max(511);
/** The text of a program or of another file of the project. */
const fileText = z.string().max(2 ** 21);
/** A value of a header field in its usual notation: `10.0.1.1`, `08:00:00:00:01:11`, `0x800`, `64`. */
const fieldValue = z.union([z.string().max(4096), z.number().int().min(0)]);
const hex = z
  .string()
  .max(2 * 65_536)
  .regex(/^([0-9a-fA-F]{2})*$/, "expected hex digits, two for each byte");

/**
 * A header of a packet to build. `header` is a well-known one (`ethernet`, `vlan`, `arp`, `ipv4`, `ipv6`, `icmp`, `tcp`,
 * `udp`) or the name of a program's header type. Fields that are left out get the value that follows from the rest of the
 * packet (types, lengths, checksums, the sender's addresses), or 0.
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

/** Where a packet starts: at a host, which sends it by its NIC; or at a port of a switch, as if it arrived there. */
const sourceSchema = z.union([z.strictObject({ host: name }), z.strictObject({ switch: name, port })]);

const trafficSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("ping"),
    from: name,
    /** A host's name, or an address. */
    to: name,
    count: z.number().int().min(1).max(100_000).default(4),
    /** Time between two echo requests, in nanoseconds of the lab's clock. */
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
  /** Returns the whole state of the lab; the first request of a page. */
  z.strictObject({ op: z.literal("describe") }),

  z.strictObject({ op: z.literal("files.list") }),
  z.strictObject({ op: z.literal("files.read"), path }),
  /** Writes a file. A program is compiled; without errors, it replaces the running version on its switches. */
  z.strictObject({ op: z.literal("files.save"), path, text: fileText }),
  /** Compiles the program as if the file had this text, and changes nothing. */
  z.strictObject({ op: z.literal("files.check"), path, text: fileText }),
  /**
   * Requests of an editor about a P4 file that has `text` in the editor. `at` is an offset in this text, in UTF-16 code
   * units; the end of a line counts as one. These requests change nothing: the editor applies the edits.
   */
  z.strictObject({ op: z.literal("edit.hover"), path, text: fileText, at: id }),
  z.strictObject({ op: z.literal("edit.complete"), path, text: fileText, at: id }),
  z.strictObject({ op: z.literal("edit.signature"), path, text: fileText, at: id }),
  z.strictObject({ op: z.literal("edit.definition"), path, text: fileText, at: id }),
  z.strictObject({ op: z.literal("edit.fixes"), path, text: fileText }),
  z.strictObject({ op: z.literal("edit.rename"), path, text: fileText, at: id, name }),
  z.strictObject({ op: z.literal("edit.format"), path, text: fileText }),
  /** Creates the network again from the files: hosts, links, programs, entries, clock at 0. */
  z.strictObject({ op: z.literal("restart") }),

  z.strictObject({
    op: z.literal("clock.set"),
    running: z.boolean().optional(),
    /** Simulated time for each unit of real time: 1 is real time, 0.001 slow motion. */
    speed: z.number().min(1e-9).max(1000).optional(),
    /** While no packet is in the network, the speed is at least that of real time, whatever `speed` is. */
    skipIdle: z.boolean().optional(),
  }),
  /** Advances a paused clock to the next arrival of a packet, at any node or at one node, or by a given time. */
  z.strictObject({
    op: z.literal("clock.step"),
    until: z
      .union([
        z.strictObject({ kind: z.literal("arrival"), node: name.optional(), packet: id.optional() }),
        z.strictObject({ kind: z.literal("time"), ns: z.number().min(1).max(1e12) }),
      ])
      .default({ kind: "arrival" }),
  }),

  /**
   * Breaks or repairs a link. `signalled`: both ends see the loss of the carrier; otherwise packets are lost without
   * a signal.
   */
  z.strictObject({
    op: z.literal("link.set"),
    link: id,
    up: z.boolean(),
    signalled: z.boolean().default(true),
  }),
  /** Breaks or repairs a switch: a broken switch does not run; a repaired one starts with its program and its files' entries. */
  z.strictObject({ op: z.literal("switch.set"), switch: name, up: z.boolean() }),

  /** Returns the bytes of a packet and its errors; sends nothing. */
  z.strictObject({ op: z.literal("packet.build"), packet: packetSchema, from: sourceSchema }),
  z.strictObject({
    op: z.literal("packet.send"),
    packet: packetSchema,
    from: sourceSchema,
    count: z.number().int().min(1).max(10_000).default(1),
    intervalNs: z.number().min(1).max(1e12).default(1e6),
  }),
  /** Returns the latest packets that have a story, the newest first. */
  z.strictObject({ op: z.literal("packet.list"), limit: z.number().int().min(1).max(500).default(50) }),
  z.strictObject({ op: z.literal("packet.story"), packet: id }),
  /**
   * Returns all that a packet can do at a switch, from the bytes with which it arrived there and the present state of the
   * switch; nothing is sent. `hop` is an index into the hops of its story.
   */
  z.strictObject({ op: z.literal("packet.outcomes"), packet: id, hop: id }),

  z.strictObject({ op: z.literal("traffic.start"), traffic: trafficSchema }),
  /** Stops one flow; without `flow`, all. */
  z.strictObject({ op: z.literal("traffic.stop"), flow: id.optional() }),

  /**
   * Runs a line in the command interpreter of a simulated host (`help` lists its commands); its output comes as
   * events `console`.
   */
  z.strictObject({ op: z.literal("host.command"), host: name, line: z.string().max(4096) }),
  /** Opens a shell on a host of a testbed. Its output comes as events `terminal`. */
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

  /** Runs statements of `p4loom shell` (or commands of simple_switch_CLI), one on each line, at a switch. */
  z.strictObject({ op: z.literal("control.run"), switch: name, text: z.string().max(2 ** 20) }),
  /** Returns the words that can follow at the cursor. */
  z.strictObject({
    op: z.literal("control.complete"),
    switch: name,
    line: z.string().max(4096),
    cursor: z.number().int().min(0).max(4096),
  }),
  /** Undoes the last request of this lab that changed the state of the switch. */
  z.strictObject({ op: z.literal("control.undo"), switch: name }),
  /** Returns tables, groups, counters, meters, registers, ... of a switch. */
  z.strictObject({
    op: z.literal("state.read"),
    switch: name,
    /** Cells of an array (counter, meter, register) from this index; absent: the first cells, then those that are not 0. */
    cells: z.strictObject({ array: name, from: id }).optional(),
  }),
  /** Starts or stops events `state`, which are sent when the state of the switch has changed, at most a few times a second. */
  z.strictObject({ op: z.literal("state.watch"), switch: name, on: z.boolean() }),

  /** `language`: a tag of BCP 47; without a translation into it, the texts are those of `README.md`. */
  z.strictObject({ op: z.literal("exercise.read"), language: z.string().max(35).optional() }),
  /** Runs the named tests of the exercise; without `tests`, all. Results come as events `test`, and in the reply. */
  z.strictObject({ op: z.literal("exercise.test"), tests: z.array(name).max(200).optional() }),
] as const;

export const labRequestSchema = z.discriminatedUnion("op", requests);

/** A request after its check: defaults are filled in. */
export type LabRequest = z.output<typeof labRequestSchema>;
/** A request before its check: members with a default may be absent. */
export type LabRequestInput = z.input<typeof labRequestSchema>;
export type LabOp = LabRequest["op"];
export type RequestOf<Op extends LabOp> = Extract<LabRequest, { op: Op }>;
export type Traffic = z.output<typeof trafficSchema>;
export type PacketInput = z.output<typeof packetSchema>;
export type PacketSource = z.output<typeof sourceSchema>;

/** A message of a page: a request with a number, which the reply repeats. */
export const labCallSchema = z.strictObject({ id, request: labRequestSchema });
