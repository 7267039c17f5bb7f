/** The options of a switch, and its statistics. */
import type { PortControl } from "../device/index.js";
import type { CoverageCounts } from "./coverage.js";
import type { Workspaces } from "./flow/workspace.js";
import type { PacketTrace, TraceInput } from "./trace/types.js";

/** What an alarm calls. */
export interface Sleeper {
  goOff(): void;
}

/** Timers that are set again and again. */
export interface AlarmClock {
  /** A new alarm, not set; returns its number. */
  add(sleeper: Sleeper): number;
  /** From now on it goes off once, at this time in microseconds; Infinity: not at all. */
  set(alarm: number, time: number): void;
}

export interface SwitchClock {
  /** Microseconds since the switch started; may have a fraction. */
  now(): number;
  /** Runs `fn` at a time in microseconds; returns a function that cancels the call. */
  at(time: number, fn: () => void): () => void;
  /** Where the clock has cheaper timers than {@link at}. */
  readonly alarms?: AlarmClock;
}

/**
 * Where the bytes that wait in queues are counted by the port that their frames came in by. A copy counts as a packet of its own.
 */
export interface BufferAccount {
  /** Whether frames that came in by a port are counted; for all others the depths of the options hold. */
  counts(ingressPort: number): boolean;
  /** A packet of a port that counts is about to wait; false: there is no room, and it is dropped. */
  charge(ingressPort: number, egressPort: number, bytes: number): boolean;
  /** A packet of a port that counts waits no more: it leaves, or is dropped. */
  release(ingressPort: number, egressPort: number, bytes: number): void;
  /** The queues were closed, with the pauses of their ports: nothing waits any more, and all was released. */
  closed(): void;
}

/** What a queue may do with a packet: drop it, cut it to its header, or put it into the queue for headers at once. */
export type TrimClass = "data" | "trimmable" | "header";

/**
 * Packet trimming: a trimmable packet that finds no room in its queue is cut, and waits in a further queue of its port, for headers, which is served
 * before all others. What belongs there from the beginning goes there, too.
 */
export interface PacketTrimmer {
  /** Bytes of packets that may wait in the queue for headers of a port. */
  readonly queueBytes: number;
  /** After so many packets of that queue in a row, one of another queue leaves, if one waits. Absent: none does while a header waits. */
  readonly perPacket?: number | undefined;
  /** By the frame as it came in. */
  classOf(frame: Uint8Array): TrimClass;
  /** Length to which this frame is cut; a shorter one stays as it is. */
  lengthOf(frame: Uint8Array): number;
  /** Makes the frame that egress has made of a cut packet say so. The result is the frame itself, or takes its place. */
  finish(frame: Uint8Array): Uint8Array;
  /** A packet of a port was cut; `waits` is false where the queue for headers had no room for it. */
  trimmed(port: number, waits: boolean): void;
  /** The queue for headers of a port had no room for a packet that belongs there. */
  refused(port: number): void;
  /** So many bytes wait in the queue for headers of a port, after a packet was added. */
  waits(port: number, bytes: number): void;
}

export interface QueueOptions {
  /** Maximum number of packets in each queue of a port, without the frame on the wire. Absent: any number. */
  depthPackets?: number;
  /** Maximum number of bytes that wait at a port. Absent: any number. */
  depthBytes?: number;
  /** Rate at which a port sends. `handOver` says when the frame is given to `transmit`. */
  rateBitsPerSecond?(port: number): number | undefined;
  /**
   * Which bit of a frame has left the port when the frame is given to `transmit`. `last` (the default) is right for a
   * medium that takes no time. `first` is for a medium that models the time on the wire itself, as a simulated link
   * does: it saves one timer for each frame.
   */
  handOver?: "first" | "last";
  /** Maximum number of packets that leave a queue in a second. */
  ratePacketsPerSecond?(port: number): number | undefined;
  /** Length to which a shorter frame is padded on the wire. */
  leastBytes?: number;
  /** Bytes that each frame takes on the wire in addition to its length (preamble, check sequence, gap). */
  overheadBytes?: number;
  /** Number of queues of each port, served strictly by `standard_metadata.priority`, highest first; 1 unless given. */
  priorities?: number;
  /** Decides, in place of `depthPackets` and `depthBytes`, whether there is room for what came in by a port that it counts. */
  readonly account?: BufferAccount;
  /** Cuts packets that find no room; absent: they are dropped. */
  readonly trimmer?: PacketTrimmer;
  /** Called whenever the number of packets that wait at a port has changed, with this number and their bytes, without the frame on the wire. */
  lengthChanged?(port: number, packets: number, bytes: number): void;
}

export interface SwitchOptions {
  name?: string;
  /** A virtual clock in the simulator. */
  clock: SwitchClock;
  /** Seed of the `random` extern. */
  seed?: number;
  /** Frames sent to this port go to the controller, packet-outs come in by it. No CPU port unless given. */
  cpuPort?: number;
  /** Value of `egress_spec` that drops; 511 unless given. */
  dropPort?: number;
  /**
   * Of a Tofino: whether what leaves by a port comes in again. Ports 68 to 71 of each pipe (of 128 ports) unless given; never the CPU
   * port.
   */
  recirculates?(port: number): boolean;
  /** Adds and removes ports, for control planes; absent: they cannot. The switch itself has every port number. */
  ports?: PortControl;
  /**
   * A frame that comes in belongs to the switch, which may change it and send the same array on: that is faster than a copy.
   * Otherwise, the default, the switch never writes to a frame that came in.
   */
  ownsFrames?: boolean;
  /**
   * Shared with other switches, which makes many of them faster: memory for the running packet exists once. A
   * program that reads a field of an invalid header gets the value that the last packet of any of them left there.
   */
  workspaces?: Workspaces;
  /** Sends a frame by a port. The frame is a byte array of its exact length, which the receiver may keep. */
  transmit(port: number, frame: Uint8Array): void;
  /** Output queues; without them a frame leaves as soon as egress has ended. */
  queue?: QueueOptions;
  /** Takes the text of `log_msg`. */
  log?(message: string): void;
  /**
   * Receives a document of every packet when its last copy has left or was dropped; the initial value of `Switch.trace`.
   * A traced packet costs many times as much as an untraced one. Without a sink no tracing code runs.
   */
  trace?: TraceSink;
  /** Counts what packets reach of the program. Packets that are traced are not counted. Without it no counting code runs. */
  coverage?: CoverageCounts;
}

export type TraceSink = (packet: PacketTrace) => void;

/** `input` is the same object as that of the document that follows when all copies have ended. */
export type TraceOutput = (input: TraceInput, port: number, frame: Uint8Array) => void;

/** Number of dropped packets by reason; the sum is `dropped`. */
export interface DropCounts {
  /** `egress_spec` was the drop port at the end of ingress. */
  ingress: number;
  /** The same at the end of egress. */
  egress: number;
  /** Multicast groups that are unknown or have no members. */
  replication: number;
  /** Overflow of an output queue, or a priority that the port has no queue for. */
  queue: number;
  /** The port is down, on arrival or on departure. */
  port: number;
  /** No program was loaded, or it was replaced while the packet waited. */
  program: number;
  /** A false `assert` or `assume`. */
  assertion: number;
  /** An endless loop: in a control, or of copies that make more copies. */
  loop: number;
}

export interface SwitchStatistics {
  /** Frames that came in by ports, with packet-outs. */
  received: number;
  /** Frames that left by ports, with packet-ins. */
  transmitted: number;
  /** Packets and copies that were dropped for any reason. */
  dropped: number;
  /** Of these: overflow of an output queue. */
  queueDrops: number;
  /** Of these: a false `assert`, or a loop without end. */
  aborted: number;
  readonly drops: DropCounts;
}

export function noStatistics(): SwitchStatistics {
  const drops = {
    ingress: 0,
    egress: 0,
    replication: 0,
    queue: 0,
    port: 0,
    program: 0,
    assertion: 0,
    loop: 0,
  };
  return { received: 0, transmitted: 0, dropped: 0, queueDrops: 0, aborted: 0, drops };
}
