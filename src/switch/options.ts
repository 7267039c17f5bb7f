/** What a switch is given by whoever runs it. */

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
}
