/** What a switch is given by whoever runs it. */
import type { PacketTrace } from "./trace/types.js";

export interface SwitchClock {
  /** Microseconds since the switch started; may have a fraction. */
  now(): number;
  /** Runs `fn` at a time in microseconds; returns how to cancel it. */
  at(time: number, fn: () => void): () => void;
}

export interface QueueOptions {
  /** Packets that may wait at a port (one of several priorities: each); the one being sent does not count. Absent: any number. */
  depthPackets?: number;
  /** Bytes that may wait at a port. Absent: any number. */
  depthBytes?: number;
  /** Rate at which a port sends. A frame is handed to `transmit` when its last bit has left. */
  rateBitsPerSecond?(port: number): number | undefined;
  /** Most packets that leave a queue in a second. */
  ratePacketsPerSecond?(port: number): number | undefined;
  /** Bytes that each frame takes on the wire beside its own (preamble, check sequence, gap). */
  overheadBytes?: number;
  /** Queues a port, served strictly by `standard_metadata.priority`, highest first; 1 unless given. */
  priorities?: number;
}

export interface SwitchOptions {
  name?: string;
  /** Virtual in the simulator. */
  clock: SwitchClock;
  /** For the `random` extern. */
  seed?: number;
  /** Frames sent to this port go to the controller, packet-outs come in on it. None unless given. */
  cpuPort?: number;
  /** Value of `egress_spec` that drops; 511 unless given. */
  dropPort?: number;
  /** A frame leaves by a port: a new byte array of its exact length, which the receiver may keep. */
  transmit(port: number, frame: Uint8Array): void;
  /** Output queues; without them a frame leaves at once when egress is done with it. */
  queue?: QueueOptions;
  /** Takes the text of `log_msg`. */
  log?(message: string): void;
  /**
   * Takes a document of every packet, when its last copy has left or is dropped; for `Switch.trace` from the start.
   * Tracing costs many times what forwarding does; without it nothing of it runs.
   */
  trace?: TraceSink;
}

export type TraceSink = (packet: PacketTrace) => void;

/** Why packets ended; the numbers add up to `dropped`. */
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
  /** A loop without end, in a control or of ever more copies. */
  loop: number;
}

export interface SwitchStatistics {
  /** Frames that came in by ports, packet-outs included. */
  received: number;
  /** Frames that left by ports, packet-ins included. */
  transmitted: number;
  /** Packets (copies too) that ended in the switch, for whatever reason. */
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
