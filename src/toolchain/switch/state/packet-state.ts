/**
 * The packet that is being run: an object with a fixed shape, whose members generated code uses by name. Switches that run the
 * same program may share one, since nothing in it outlives a packet; {@link OwnState} is the state of each switch.
 */
import type { Layout } from "../codegen/layout.js";
import type { OwnState } from "./own-state.js";

/** PHV places of the standard metadata that the switch itself reads and writes; -1 for a field the program lacks. */
export interface StandardFields {
  readonly ingressPort: number;
  readonly egressSpec: number;
  readonly egressPort: number;
  readonly instanceType: number;
  readonly packetLength: number;
  readonly ingressTimestamp: number;
  readonly egressTimestamp: number;
  readonly enqTimestamp: number;
  readonly enqDepth: number;
  readonly deqTimedelta: number;
  readonly deqDepth: number;
  readonly queueId: number;
  readonly multicastGroup: number;
  readonly egressRid: number;
  readonly checksumError: number;
  readonly parserError: number;
  readonly priority: number;
}

export function standardFields(layout: Layout): StandardFields {
  const at = (...names: string[]) => {
    for (const name of names) {
      const dot = name.indexOf(".");
      const field = layout.field(name.slice(0, dot), name.slice(dot + 1));
      if (field !== undefined) return field.at;
    }
    return -1;
  };
  return {
    ingressPort: at("standard_metadata.ingress_port"),
    egressSpec: at("standard_metadata.egress_spec"),
    egressPort: at("standard_metadata.egress_port"),
    instanceType: at("standard_metadata.instance_type"),
    packetLength: at("standard_metadata.packet_length"),
    ingressTimestamp: at("intrinsic_metadata.ingress_global_timestamp"),
    egressTimestamp: at("intrinsic_metadata.egress_global_timestamp"),
    enqTimestamp: at("queueing_metadata.enq_timestamp"),
    enqDepth: at("queueing_metadata.enq_qdepth"),
    deqTimedelta: at("queueing_metadata.deq_timedelta"),
    deqDepth: at("queueing_metadata.deq_qdepth"),
    queueId: at("queueing_metadata.qid"),
    multicastGroup: at("intrinsic_metadata.mcast_grp"),
    egressRid: at("intrinsic_metadata.egress_rid"),
    checksumError: at("standard_metadata.checksum_error"),
    parserError: at("standard_metadata.parser_error"),
    priority: at("intrinsic_metadata.priority", "standard_metadata.priority"),
  };
}

const NO_BYTES = new Uint8Array(0);

/** A length that no packet reaches: nothing is cut. */
export const NO_LIMIT = 0x3fffffff;

/** Why the program could not continue with a packet: the reason of its drop. */
export type Abort = "endless_loop" | "assertion";

export class PacketState {
  /** PHV of the current packet. */
  phv: Int32Array;
  /** The memory of the state's own PHV, and that memory as pairs of words. */
  readonly main: Int32Array;
  readonly pairs: Float64Array;
  /** The frame: bytes `start` to `end` are not parsed yet, or after the parser the payload. */
  frame: Uint8Array = NO_BYTES;
  start = 0;
  end = 0;
  /** Nothing but this packet uses the frame, so it may be changed. */
  ownsFrame = false;
  /** Scratch for hash inputs. */
  hashInput: Uint8Array;
  /** That of the switch whose packet it is. */
  own: OwnState;

  /** Length that `packet_length` shows in egress: follows setValid and setInvalid. */
  packetLength = 0;
  /** Length as received, which counters and meters count. */
  ingressLength = 0;
  exit = 0;
  aborted: Abort | undefined = undefined;
  /** For the log. */
  abortText = "";
  clone = 0;
  cloneList = 0;
  resubmit = 0;
  recirculate = 0;
  digest = 0;
  limit = NO_LIMIT;
  /** Of a Tofino: the metadata in front of the packet, where the parser reads it apart from the frame. */
  readonly front = new Uint8Array(32);
  /** Of a Tofino: the session of the copy that the deparser asks for, -1 for none, and the header in front of it: the first bytes of a room. */
  mirror = -1;
  mirrorData = new Uint8Array(32);
  mirrorBytes = 0;
  /** Of a Tofino: the port of the packet in egress, for the trace. */
  egressPort = 0;
  /** Of a Tofino: what stands in front of the packet in its second pass; undefined: there is none. */
  resubmitData: Uint8Array | undefined = undefined;
  /** Receives every step of traced code, which runs only while there is a tracer. A `PacketTracer`: generated code alone calls it. */
  tracer: object | undefined = undefined;

  constructor(
    words: number,
    readonly fields: StandardFields,
    hashBytes: number,
    own: OwnState,
  ) {
    this.pairs = new Float64Array((words + 1) >> 1);
    this.main = new Int32Array(this.pairs.buffer, 0, words);
    this.phv = this.main;
    this.own = own;
    this.hashInput = new Uint8Array(Math.max(16, hashBytes));
  }

  /** Clears the requests of the last control. */
  clearRequests(): void {
    this.exit = 0;
    this.clone = 0;
    this.cloneList = 0;
    this.resubmit = 0;
    this.recirculate = 0;
    this.digest = 0;
  }

  /** The deparser asks for a copy with the first bytes of the hash input in front. */
  mirrorTo(session: number, length: number): void {
    this.mirror = session;
    this.mirrorBytes = length;
    if (this.mirrorData.length < length) this.mirrorData = new Uint8Array(2 * length);
    const { mirrorData, hashInput } = this;
    for (let i = 0; i < length; i++) mirrorData[i] = hashInput[i]!;
  }

  /** The deparser asks for another pass of ingress. */
  resubmitWith(length: number): void {
    this.resubmitData = this.hashInput.slice(0, length);
  }

  hashRoom(size: number): Uint8Array {
    if (this.hashInput.length < size) this.hashInput = new Uint8Array(2 * size);
    return this.hashInput;
  }

  truncateTo(length: number): void {
    if (length < this.limit) this.limit = length;
  }

  /** The program cannot continue with this packet: it is dropped. */
  abort(reason: Abort, text: string): void {
    this.aborted = reason;
    this.abortText = text;
    this.exit = 1;
  }

  /** Puts a uniform number between the 64-bit bounds (inclusive) into scratch[0..2); false when low > high. */
  randomBetween(
    scratch: Int32Array,
    lowLow: number,
    lowHigh: number,
    highLow: number,
    highHigh: number,
  ): boolean {
    const borrow = highLow >>> 0 < lowLow >>> 0 ? 1 : 0;
    const spanLow = (highLow - lowLow) | 0;
    const spanHigh = (highHigh >>> 0) - (lowHigh >>> 0) - borrow;
    if (spanHigh < 0) return false;
    const { random } = this.own;
    let drawLow: number;
    let drawHigh = 0;
    if (spanHigh === 0) drawLow = spanLow === -1 ? random.uint32() : random.int((spanLow >>> 0) + 1);
    else {
      const mask = 2 ** (32 - Math.clz32(spanHigh)) - 1;
      do {
        drawLow = random.uint32();
        drawHigh = (random.uint32() & mask) >>> 0;
      } while (drawHigh > spanHigh || (drawHigh === spanHigh && drawLow > spanLow >>> 0));
    }
    const sum = (lowLow >>> 0) + (drawLow >>> 0);
    scratch[0] = sum | 0;
    scratch[1] = (lowHigh + drawHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
    return true;
  }

  /** v1model's log_msg: each `{}` is replaced by the next value. */
  log(format: string, values: readonly bigint[]): void {
    let next = 0;
    this.own.onLog?.(format.replace(/\{\}/g, () => String(values[next++] ?? "")));
  }
}
