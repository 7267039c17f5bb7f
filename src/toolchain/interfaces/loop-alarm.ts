/**
 * Adds a file descriptor to Node's event loop as a poll handle of libuv, whose functions the Node binary exports for
 * addons. Node itself adds only kinds of descriptors that it knows. So a packet wakes the event loop directly, without a
 * thread and without polling. The event loops of `worker_threads` cannot be found from outside.
 */
import { isMainThread } from "node:worker_threads";
import { memory, type Native } from "./libc.js";

const UV_POLL = 8;
const UV_READABLE = 1;

export interface Alarm {
  /** Calls back once, from the event loop, when the descriptor is readable. */
  arm(): void;
  close(): void;
}

/** A uv_poll_t of the main event loop. */
export class LoopAlarm implements Alarm {
  readonly #callback: bigint;

  private constructor(
    readonly native: Native,
    readonly start: (...args: unknown[]) => unknown,
    readonly stop: (...args: unknown[]) => unknown,
    readonly handle: Uint8Array,
    onReady: () => void,
  ) {
    this.#callback = native.callback(() => {
      stop(handle);
      // Node must start the work: otherwise promises and next ticks that it leaves would not run.
      setImmediate(onReady);
    });
  }

  /** Returns undefined where the event loop or the functions of libuv cannot be found. */
  static make(native: Native, fd: number, onReady: () => void): LoopAlarm | undefined {
    if (!isMainThread) return undefined;
    try {
      const loop = native.func("void *uv_default_loop()")();
      if (native.func("const char *uv_handle_type_name(int)")(UV_POLL) !== "poll") return undefined;
      const handle = memory(Number(native.func("ulong uv_handle_size(int)")(UV_POLL)));
      const start = native.func("int uv_poll_start(void *, int, void *)");
      const stop = native.func("int uv_poll_stop(void *)");
      // All fields are set before the event loop gets the handle; after that, its memory must not be freed.
      const alarm = new LoopAlarm(native, start, stop, handle, onReady);
      if (native.func("int uv_poll_init(void *, void *, int)")(loop, handle, fd) === 0) return alarm;
      native.release(alarm.#callback);
      return undefined;
    } catch {
      return undefined;
    }
  }

  arm(): void {
    this.start(this.handle, UV_READABLE, this.#callback);
  }

  close(): void {
    this.native.func("void uv_close(void *, void *)")(this.handle, null);
    // The event loop releases the handle in its next turn.
    setImmediate(() => setImmediate(() => this.native.release(this.#callback)));
  }
}
