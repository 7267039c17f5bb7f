/**
 * Packet scripts in the style of packetdrill: what comes in at which time, what the host's application does, and what the host
 * must send. One instruction a line, times in milliseconds from the beginning; lines of `#` are notes.
 *
 *     0    connect                           the host opens the connection (`listen`: it accepts one)
 *     0    > S 0:0(0)                        the host sends a SYN
 *     10   < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,wscale 7>
 *     10   > . 1:1(0) ack 1
 *     10   send 3000        finish        pause        resume        close
 *     30   < . 1:1(0) ack 1 win 65535 <sack 1001:2001>
 *     30   state ESTABLISHED
 *
 * Sequence numbers are relative to the SYN of each direction. Flags: S SYN, F FIN, R RST, P PSH, E ECE, W CWR, a dot ACK;
 * `ce`, `ect` and `not-ect` before the flags are the ECN field of the packet. The host must send exactly what the `>` lines say, in this
 * order and at these times (to the microsecond); window, acknowledgement number, options and the ECN field are compared where a
 * line has them, and PSH never is.
 */
import { expect } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { Segment, SegmentBuilder, type SelectorCodec } from "../../../../src/base/packets/index.js";
import type { PathChooser } from "../../../../src/fabric/hosts/index.js";
import {
  type CloseReason,
  Host,
  Network,
  type Node,
  NS_PER_MS,
  type TcpConnection,
  type TcpOptions,
} from "../../../../src/fabric/sim/packet/index.js";
import { policy, steady } from "../packet/relay.js";
import { tcp } from "./options.js";

const codec: SelectorCodec = {
  headersOf: (selector) => ({ dscp: selector, vlan: undefined, flowLabel: 0 }),
  selectorOf: (headers) => headers.dscp,
};

/** Initial sequence number of the other end: its numbers wrap around after 1000 bytes. */
const PEER_START = 2 ** 32 - 1001;
const FLAGS = [
  ["F", 0x01],
  ["S", 0x02],
  ["R", 0x04],
  ["P", 0x08],
  [".", 0x10],
  ["E", 0x40],
  ["W", 0x80],
] as const;

interface Packet {
  at: number;
  ecn: string | undefined;
  flags: string;
  start: number;
  length: number;
  ack: number | undefined;
  window: number | undefined;
  options: string | undefined;
}

const LINE =
  /^(?:(ce|ect|not-ect) )?([FSRPEW.]+) (\d+):(\d+)\((\d+)\)(?: ack (\d+))?(?: win (\d+))?(?: <([^>]*)>)?$/;

function parse(at: number, text: string): Packet {
  const match = LINE.exec(text);
  if (match === null) throw new Error(`not a packet: ${text}`);
  const [, ecn, flags, start, end, length, ack, window, options] = match;
  if (Number(end) - Number(start) !== Number(length)) throw new Error(`lengths differ: ${text}`);
  const number = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
  return {
    at,
    ecn,
    flags: flags!,
    start: Number(start),
    length: Number(length),
    ack: number(ack),
    window: number(window),
    options,
  };
}

/** As a line of a script, with only those parts that `like` has. */
function format(
  { at, ecn, flags, start, length, ack, window, options }: Packet,
  like: Packet | undefined,
): string {
  const parts = [String(Math.round(at * 1000) / 1000), ">"];
  if (like === undefined || like.ecn !== undefined) parts.push(ecn ?? "not-ect");
  parts.push(flags.replace("P", ""), `${start}:${start + length}(${length})`);
  if (ack !== undefined && like?.ack !== undefined) parts.push(`ack ${ack}`);
  if (window !== undefined && like?.window !== undefined) parts.push(`win ${window}`);
  if (like?.options !== undefined) parts.push(`<${options ?? ""}>`);
  return parts.join(" ");
}

/** The other end of the link: notes what the host sends. */
class Wire implements Node {
  readonly name = "wire";
  constructor(readonly note: (frame: Uint8Array) => void) {}
  attach(): void {}
  receive(_port: number, frame: Uint8Array): void {
    this.note(frame);
  }
}

export interface ScriptResult {
  connection: TcpConnection;
  host: Host;
  closed: CloseReason[];
  timeouts: number[];
  /** Attempts at each recovery from timeouts. */
  recovered: number[];
  /** When all data that were given had arrived, in milliseconds. */
  finished: number[];
  /** How often the other end's FIN was reported. */
  peerFinished: number;
}

/** Runs a script; fails where the host sends anything else. `chooser`: what its path chooser does beside nothing. */
export function script(
  text: string,
  options: Partial<TcpOptions> = {},
  chooser: Partial<PathChooser> = {},
): ScriptResult {
  const network = new Network();
  const { simulation } = network;
  const host = new Host(simulation, {
    name: "h",
    mac: 1n,
    ipv4: 0x0a000001n,
    ipv6: 1n,
    policy: policy(() => Object.defineProperties(steady(), Object.getOwnPropertyDescriptors(chooser))),
    codec,
  });
  const sent: Packet[] = [];
  const segment = new Segment();
  let hostStart: number | undefined;
  const wire = new Wire((frame) => {
    expect(segment.read(frame)).toBe(true);
    hostStart ??= segment.sequence;
    sent.push(readPacket(segment, hostStart, simulation.now / NS_PER_MS));
  });
  const link = { rate: 0, delay: 0, queueBytes: 1e9, queuePackets: 1e9 };
  network.connect({ node: host, port: 1 }, { node: wire, port: 1 }, { aToB: link, bToA: link });
  const builder = new SegmentBuilder(
    { ipVersion: 4, srcMac: 2n, dstMac: 1n, src: 0x0a000002n, dst: 0x0a000001n, srcPort: 80, dstPort: 4000 },
    codec,
  );
  const used = tcp({
    segmentBytes: 1000,
    margin: 0,
    delayedAck: { segments: 2, timeout: 40 * NS_PER_MS },
    ...options,
  });
  const result: Partial<ScriptResult> & Omit<ScriptResult, "connection"> = {
    host,
    closed: [],
    timeouts: [],
    recovered: [],
    finished: [],
    peerFinished: 0,
  };
  const watch = (connection: TcpConnection) => {
    result.connection = connection;
    connection.listener = {
      closed: (reason) => result.closed.push(reason),
      timedOut: (attempt) => result.timeouts.push(attempt),
      recovered: (attempts) => result.recovered.push(attempts),
      finished: () => result.finished.push(simulation.now / NS_PER_MS),
      peerFinished: () => void result.peerFinished++,
    };
  };
  const expected: Packet[] = [];
  const actions: Record<string, (argument: string) => void> = {
    connect: () => watch(host.connect(4, 4000, { address: 0x0a000002n, port: 80 }, new Random(1), used)),
    open: () => {
      hostStart = PEER_START;
      watch(host.open(4, 4000, { address: 0x0a000002n, port: 80 }, new Random(1), used) as TcpConnection);
    },
    listen: () => host.listen(4000, used, (stream) => watch(stream as TcpConnection), new Random(1)),
    send: (bytes) => result.connection!.send(Number(bytes)),
    finish: () => result.connection!.finish(),
    pause: () => result.connection!.pause(),
    resume: () => result.connection!.resume(),
    close: () => result.connection!.close(),
    state: (name) => expect(result.connection!.state).toBe(name),
    "<": (line) => {
      const packet = parse(0, line);
      host.receive(1, buildPacket(builder, packet, hostStart ?? 0));
    },
  };
  let last = 0;
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const [, time, word, rest] = /^([\d.]+)\s+(\S+)\s*(.*)$/.exec(line)!;
    const at = Number(time);
    if (at < last) throw new Error(`out of order: ${line}`);
    last = at;
    if (word === ">") expected.push(parse(at, rest!));
    else simulation.at(Math.round(at * NS_PER_MS), () => actions[word!]!(rest!));
  }
  simulation.run(Math.round(last * NS_PER_MS) + 100);
  const likes = sent.map((_, i) => expected[i]);
  expect(sent.map((packet, i) => format(packet, likes[i]))).toEqual(
    expected.map((packet) => format(packet, packet)),
  );
  return result as ScriptResult;
}

function readPacket(segment: Segment, start: number, at: number): Packet {
  const { flags, frame } = segment;
  const options: string[] = [];
  if (segment.mss > 0) options.push(`mss ${segment.mss}`);
  if (segment.sackPermitted) options.push("sackOK");
  if (segment.windowScale >= 0) options.push(`wscale ${segment.windowScale}`);
  const relative = (sequence: number) => (sequence - PEER_START) >>> 0;
  for (let i = 0; i < segment.sackCount; i++)
    options.push(`sack ${relative(segment.sackStarts[i]!)}:${relative(segment.sackEnds[i]!)}`);
  return {
    at,
    ecn: (frame[15]! & 3) === 2 ? "ect" : undefined,
    flags: FLAGS.map(([letter, bit]) => ((flags & bit) === 0 ? "" : letter)).join(""),
    start: (segment.sequence - start) >>> 0,
    length: segment.payloadLength,
    ack: (flags & 0x10) === 0 ? undefined : relative(segment.acknowledgement),
    window: segment.window,
    options: options.join(","),
  };
}

function buildPacket(builder: SegmentBuilder, packet: Packet, hostStart: number): Uint8Array {
  const { options } = builder;
  let at = 0;
  const put32 = (value: number) => {
    options.set([value >>> 24, value >>> 16, value >>> 8, value], at);
    at += 4;
  };
  const blocks = [...(packet.options ?? "").matchAll(/sack (\d+):(\d+)/g)];
  const mss = /mss (\d+)/.exec(packet.options ?? "");
  const scale = /wscale (\d+)/.exec(packet.options ?? "");
  if (mss !== null) put32((2 << 24) | (4 << 16) | Number(mss[1]));
  if (scale !== null) put32((1 << 24) | (3 << 16) | (3 << 8) | Number(scale[1]));
  if (packet.options?.includes("sackOK") === true) put32((1 << 24) | (1 << 16) | (4 << 8) | 2);
  if (blocks.length > 0) put32((1 << 24) | (1 << 16) | (5 << 8) | (2 + 8 * blocks.length));
  for (const [, start, end] of blocks) {
    put32(Number(start) + hostStart);
    put32(Number(end) + hostStart);
  }
  builder.optionsLength = at;
  builder.window = packet.window ?? 0xffff;
  builder.ecn = packet.ecn === "ce" || packet.ecn === "ect";
  let flags = 0;
  for (const [letter, bit] of FLAGS) if (packet.flags.includes(letter)) flags |= bit;
  const frame = builder.build(
    packet.start + PEER_START,
    (packet.ack ?? 0) + hostStart,
    packet.length,
    flags,
    0,
    0,
  );
  if (packet.ecn === "ce") markCe(frame);
  return frame;
}

/** ECT(0) becomes CE in an IPv4 packet: the word grows by one, its checksum falls by one. */
export function markCe(frame: Uint8Array): void {
  frame[15]! |= 3;
  const sum = (((frame[24]! << 8) | frame[25]!) + 0xfffe) % 0xffff;
  frame[24] = sum >> 8;
  frame[25] = sum & 0xff;
}
