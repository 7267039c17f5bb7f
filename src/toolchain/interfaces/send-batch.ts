/** Memory of sendmmsg(2): frames that leave by one interface, handed to the kernel many at once. */
import { ERROR, type Libc, memory } from "./libc.js";
import { BATCH_FRAMES, MAX_FRAME_BYTES } from "./receive-batch.js";

const MESSAGE_WORDS = 16;
const VECTOR_WORDS = 4;
/** Space for a full batch of frames of 1500 bytes. */
const ROOM_BYTES = 128 * 1024;

export class SendBatch {
  readonly #room = memory(ROOM_BYTES);
  readonly #headers = memory(BATCH_FRAMES * MESSAGE_WORDS * 4);
  readonly #vectors = new Uint32Array(memory(BATCH_FRAMES * VECTOR_WORDS * 4).buffer);
  /** Address of the space; addresses of a process have 47 bits. */
  readonly #base: number;
  #count = 0;
  #used = 0;
  sent = 0;
  /** Frames that the kernel did not take: the interface is down, its queue is full, or they are longer than its MTU. */
  refused = 0;
  /** The error with which the last of them was refused. */
  errno = 0;

  constructor(
    readonly c: Libc,
    readonly fd: number,
  ) {
    this.#base = Number(c.address(this.#room));
    const vectorsAt = c.address(new Uint8Array(this.#vectors.buffer));
    const pointers = new BigUint64Array(this.#headers.buffer);
    for (let i = 0; i < BATCH_FRAMES; i++) {
      pointers[(i * MESSAGE_WORDS) / 2 + 2] = vectorsAt + BigInt(4 * VECTOR_WORDS * i);
      pointers[(i * MESSAGE_WORDS) / 2 + 3] = 1n;
    }
  }

  get waiting(): number {
    return this.#count;
  }

  /** Copies a frame into the batch. Without space for it, the frames in the batch are sent first. */
  add(frame: Uint8Array): void {
    const { length } = frame;
    if (length > MAX_FRAME_BYTES) {
      this.refused++;
      return;
    }
    if (this.#count === BATCH_FRAMES || this.#used + length > ROOM_BYTES) this.flush();
    this.#room.set(frame, this.#used);
    const at = this.#count++ * VECTOR_WORDS;
    const address = this.#base + this.#used;
    this.#vectors[at] = address;
    this.#vectors[at + 1] = address / 4294967296;
    this.#vectors[at + 2] = length;
    this.#used += length;
  }

  /** Hands all frames to the kernel. Frames that it refuses are lost, as on a port whose wire is cut or whose queue is full. */
  flush(): void {
    let done = 0;
    while (done < this.#count) {
      const headers = done === 0 ? this.#headers : this.#headers.subarray(done * MESSAGE_WORDS * 4);
      const taken = this.c.sendmmsg(this.fd, headers, this.#count - done, 0);
      if (taken > 0) {
        done += taken;
        this.sent += taken;
        continue;
      }
      const errno = this.c.errno();
      if (errno === ERROR.EINTR) continue;
      // The call reports an error only for the first frame that is left.
      this.errno = errno;
      this.refused++;
      done++;
    }
    this.#count = 0;
    this.#used = 0;
  }
}
