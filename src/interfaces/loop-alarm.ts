/**
 * Joins a file descriptor to Node's event loop, which by itself takes only kinds that it knows: as a handle of
 * libuv's, whose poll functions the Node binary offers to addons. So a packet wakes the loop directly: no thread, no
 * polling. Threads of `worker_threads` have a loop that cannot be found from outside.
 */
import { isMainThread } from "node:worker_threads";
import { memory, type Native } from "./libc.js";

const UV_POLL = 8;
const UV_READABLE = 1;

export interface Alarm {
  /** Calls back once when something is ready, from the event loop. */
  arm(): void;
  close(): void;
}

/** uv_poll_t of the main loop. */
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
      // Work that Node does not know of would leave promises and next ticks undone: let Node start it.
      setImmediate(onReady);
    });
  }

  /** Undefined where the loop or the functions that it takes cannot be found. */
  static make(native: Native, fd: number, onReady: () => void): LoopAlarm | undefined {
    if (!isMainThread) return undefined;
    try {
      const loop = native.func("void *uv_default_loop()")();
      if (native.func("const char *uv_handle_type_name(int)")(UV_POLL) !== "poll") return undefined;
      const handle = memory(Number(native.func("ulong uv_handle_size(int)")(UV_POLL)));
      const start = native.func("int uv_poll_start(void *, int, void *)");
      const stop = native.func("int uv_poll_stop(void *)");
      // Whole before the loop knows of its handle, whose memory has to stay from then on.
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
    // The loop lets go of the handle in its next round.
    setImmediate(() => setImmediate(() => this.native.release(this.#callback)));
  }
}
