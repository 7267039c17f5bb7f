/**
 * Joins sockets to Node's event loop, which takes only those that it knows. All sockets stand in one epoll set; that
 * set is one handle of libuv's, whose poll functions the Node binary offers to addons. So a packet wakes the loop
 * directly: no thread, no polling. Threads of `worker_threads` have a loop that cannot be found from outside; there
 * a thread of libuv's pool waits instead, which costs some 50 microseconds a wake-up.
 */
import { isMainThread } from "node:worker_threads";
import { type Libc, memory, type Native } from "./libc.js";

const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const EPOLL_CLOEXEC = 0o2000000;
const UV_POLL = 8;
const UV_READABLE = 1;
/** struct epoll_event is packed on x86-64 only. */
const EVENT_WORDS = process.arch === "x64" ? 3 : 4;
/** Sockets served in one turn: the kernel hands out the others first in the next one. */
const SOCKETS_A_TURN = 4;
/** How long a thread of the pool waits before it looks whether the end has come, in ms. */
const POOL_WAIT_MS = 20;

interface Alarm {
  /** Calls back once when something is ready, from the event loop. */
  arm(): void;
  close(): void;
}

export class Readiness {
  readonly #epoll: number;
  readonly #events = memory(SOCKETS_A_TURN * EVENT_WORDS * 4);
  readonly #words = new Uint32Array(this.#events.buffer);
  readonly #alarm: Alarm;

  /** @param onReady called from the event loop, once after each {@link arm}, when a socket is readable */
  constructor(
    readonly c: Libc,
    onReady: () => void,
  ) {
    this.#epoll = c.epollCreate(EPOLL_CLOEXEC);
    if (this.#epoll < 0) throw new Error(`epoll_create1: ${c.errorName(c.errno())}`);
    this.#alarm =
      (isMainThread ? LoopAlarm.make(c.native, this.#epoll, onReady) : undefined) ??
      new PoolAlarm(c, this.#epoll, onReady);
  }

  /** @param key what {@link ready} gives for it */
  add(fd: number, key: number): void {
    const event = memory(EVENT_WORDS * 4);
    const words = new Uint32Array(event.buffer);
    words[0] = EPOLLIN;
    words[EVENT_WORDS - 2] = key;
    if (this.c.epollControl(this.#epoll, EPOLL_CTL_ADD, fd, event) < 0) {
      throw new Error(`epoll_ctl: ${this.c.errorName(this.c.errno())}`);
    }
  }

  /** How many sockets are readable now, at most a turn's; their keys by {@link key}. */
  ready(): number {
    return Math.max(this.c.epollWait(this.#epoll, this.#events, SOCKETS_A_TURN, 0), 0);
  }

  key(i: number): number {
    return this.#words[(i + 1) * EVENT_WORDS - 2]!;
  }

  arm(): void {
    this.#alarm.arm();
  }

  close(): void {
    this.#alarm.close();
    this.c.close(this.#epoll);
  }
}

/** uv_poll_t of the main loop. */
class LoopAlarm implements Alarm {
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

  /** Undefined where the binary does not offer what it takes. */
  static make(native: Native, fd: number, onReady: () => void): LoopAlarm | undefined {
    try {
      const loop = native.func("void *uv_default_loop()")();
      if (native.func("const char *uv_handle_type_name(int)")(UV_POLL) !== "poll") return undefined;
      const handle = memory(Number(native.func("ulong uv_handle_size(int)")(UV_POLL)));
      const start = native.func("int uv_poll_start(void *, int, void *)");
      const stop = native.func("int uv_poll_stop(void *)");
      if (native.func("int uv_poll_init(void *, void *, int)")(loop, handle, fd) !== 0) return undefined;
      return new LoopAlarm(native, start, stop, handle, onReady);
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

/** A thread of libuv's pool. */
class PoolAlarm implements Alarm {
  readonly #events = memory(SOCKETS_A_TURN * EVENT_WORDS * 4);
  #closed = false;

  constructor(
    readonly c: Libc,
    readonly fd: number,
    readonly onReady: () => void,
  ) {}

  arm(): void {
    if (this.#closed) return;
    this.c.epollWait.async(this.fd, this.#events, SOCKETS_A_TURN, POOL_WAIT_MS, (_error, count) => {
      if (this.#closed) return;
      if (count > 0) this.onReady();
      else this.arm();
    });
  }

  close(): void {
    this.#closed = true;
  }
}
