/** Memory of recvmmsg(2): many frames in one call, each with the VLAN tag that the kernel took out of it. */
import { addWords, ETHERTYPE_VLAN, Ethernet, finishChecksum, put16, Vlan } from "../../base/packets/index.js";
import { type Libc, memory } from "./libc.js";

/** Maximum length of a frame. No wire carries a longer frame; it is dropped. */
export const MAX_FRAME_BYTES = 65_535;
export const BATCH_FRAMES = 64;

/** `struct mmsghdr` in 32-bit words; a pointer takes two words. */
const MESSAGE_WORDS = 16;
const CONTROL_LENGTH_WORD = 10;
const FLAGS_WORD = 12;
const LENGTH_WORD = 14;
/** Space before the frame: for a VLAN tag, and for the 10 bytes of struct virtio_net_hdr before it. */
const VNET_BYTES = 10;
const HEAD_BYTES = 16;
const SLOT_BYTES = HEAD_BYTES + MAX_FRAME_BYTES + 1;
/** Size of struct cmsghdr and struct tpacket_auxdata, the only control data that are requested. */
const CONTROL_BYTES = 40;
const CONTROL_WORDS = CONTROL_BYTES / 4;
const VECTOR_BYTES = 16;
const VECTORS_AT = BATCH_FRAMES * MESSAGE_WORDS * 4;
const CONTROL_AT = VECTORS_AT + BATCH_FRAMES * VECTOR_BYTES;
const STATUS_WORD = 4;
const VLAN_WORD = 8;

const MSG_TRUNC = 0x20;
const TP_STATUS_VLAN_VALID = 0x10;
const TP_STATUS_VLAN_TPID_VALID = 0x40;
const NEEDS_CHECKSUM = 1;

/** Why {@link ReceiveBatch.frame} could not return a frame. */
export type Loss = "tooLong" | "segments";

export class ReceiveBatch {
  readonly #slots = memory(BATCH_FRAMES * SLOT_BYTES);
  /** The messages, then the vectors and control data to which they point. */
  readonly #headers = memory(BATCH_FRAMES * (4 * MESSAGE_WORDS + VECTOR_BYTES + CONTROL_BYTES));
  readonly #words = new Uint32Array(this.#headers.buffer);
  /** Why {@link frame} returned nothing. */
  loss: Loss = "tooLong";

  constructor(readonly c: Libc) {
    const pointers = new BigUint64Array(this.#headers.buffer, 0, BATCH_FRAMES * 8);
    const vectors = new BigUint64Array(this.#headers.buffer, VECTORS_AT, BATCH_FRAMES * 2);
    const slots = c.address(this.#slots);
    const headers = c.address(this.#headers);
    for (let i = 0; i < BATCH_FRAMES; i++) {
      vectors[2 * i] = slots + BigInt(i * SLOT_BYTES + HEAD_BYTES - VNET_BYTES);
      vectors[2 * i + 1] = BigInt(VNET_BYTES + MAX_FRAME_BYTES);
      pointers[8 * i + 2] = headers + BigInt(VECTORS_AT + VECTOR_BYTES * i);
      pointers[8 * i + 3] = 1n;
      pointers[8 * i + 4] = headers + BigInt(CONTROL_AT + CONTROL_BYTES * i);
      this.#words[i * MESSAGE_WORDS + CONTROL_LENGTH_WORD] = CONTROL_BYTES;
    }
  }

  /** Reads the frames that wait at a socket, at most {@link BATCH_FRAMES}; returns their number, or -1 (see errno). */
  read(fd: number): number {
    return this.c.recvmmsg(fd, this.#headers, BATCH_FRAMES, 0, null);
  }

  /**
   * Frame `i` of the last {@link read}; call it once for each frame. The frame is in memory of the batch, which the next
   * read overwrites. VLAN tag and checksum are where a wire has them. Undefined when the frame is lost; {@link loss} says
   * why.
   */
  frame(i: number): Uint8Array | undefined {
    const words = this.#words;
    const message = i * MESSAGE_WORDS;
    const length = words[message + LENGTH_WORD]! - VNET_BYTES;
    const truncated = (words[message + FLAGS_WORD]! & MSG_TRUNC) !== 0;
    words[message + CONTROL_LENGTH_WORD] = CONTROL_BYTES;
    const slots = this.#slots;
    let start = i * SLOT_BYTES + HEAD_BYTES;
    const header = start - VNET_BYTES;
    if (slots[header + 1] !== 0) {
      this.loss = "segments";
      return undefined;
    }
    const control = CONTROL_AT / 4 + i * CONTROL_WORDS;
    const status = words[control + STATUS_WORD]!;
    const tagged = (status & TP_STATUS_VLAN_VALID) !== 0;
    if (truncated || length + (tagged ? Vlan.LENGTH : 0) > MAX_FRAME_BYTES) {
      this.loss = "tooLong";
      return undefined;
    }
    if (slots[header]! & NEEDS_CHECKSUM) {
      const frame = slots.subarray(start, start + length);
      completeChecksum(
        frame,
        slots[header + 6]! | (slots[header + 7]! << 8),
        slots[header + 8]! | (slots[header + 9]! << 8),
      );
    }
    const end = start + length;
    if (tagged) {
      const vlan = words[control + VLAN_WORD]!;
      const type = (status & TP_STATUS_VLAN_TPID_VALID) !== 0 ? vlan >>> 16 : ETHERTYPE_VLAN;
      slots.copyWithin(start - Vlan.LENGTH, start, start + 2 * Ethernet.ADDRESS_LENGTH);
      start -= Vlan.LENGTH;
      put16(slots, start + 2 * Ethernet.ADDRESS_LENGTH, type);
      put16(slots, start + Ethernet.LENGTH, vlan);
    }
    // This is faster than subarray, which looks for a subclass.
    return new Uint8Array(slots.buffer, start, end - start);
  }
}

/**
 * Completes the checksum of a frame whose sender computed only that of the pseudo header, and left the rest to hardware that a
 * virtual wire does not have (virtio 1.2, section 5.1.6.2: the field at `start + offset` holds it; the checksum runs from `start` to
 * the end).
 */
export function completeChecksum(frame: Uint8Array, start: number, offset: number): void {
  const at = start + offset;
  if (at + 2 > frame.length) return;
  // 0 would mean "no checksum" in UDP, and its complement is the same number.
  const checksum = finishChecksum(addWords(frame, start, frame.length, 0)) || 0xffff;
  put16(frame, at, checksum);
}
