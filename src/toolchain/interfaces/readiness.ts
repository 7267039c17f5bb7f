/**
 * Finds the sockets that are ready. All sockets are in one epoll set, which Node's event loop watches. Where that is not
 * possible, a thread of libuv's pool waits instead, which costs some 50 microseconds for each wake-up.
 */
import { type Libc, memory } from "./libc.js";
import { type Alarm, LoopAlarm } from "./loop-alarm.js";

const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_DELETE = 2;
const EPOLL_CTL_MODIFY = 3;
/** The events for which a socket is watched or ready: bits that may be combined. */
export const READABLE = 1;
export const WRITABLE = 4;
/** The other end sends no more. */
export const ENDED = 0x2000;
const EPOLL_CLOEXEC = 0o2000000;
/** `struct epoll_event` is packed on x86-64 only. */
const EVENT_WORDS = process.arch === "x64" ? 3 : 4;
/** Number of sockets that are served in one turn. The kernel returns the others first in the next turn. */
const SOCKETS_A_TURN = 4;
/** Time in ms after which a waiting thread of the pool checks whether the set was closed. */
const POOL_WAIT_MS = 20;

export class Readiness {
  readonly #epoll: number;
  readonly #events: Uint8Array<ArrayBuffer>;
  readonly #words: Uint32Array;
  readonly #alarm: Alarm;

  /**
   * @param onReady called from the event loop, once after each {@link arm}, when a socket is ready
   * @param most number of sockets that {@link ready} finds at once
   */
  constructor(
    readonly c: Libc,
    onReady: () => void,
    readonly most = SOCKETS_A_TURN,
  ) {
    this.#events = memory(most * EVENT_WORDS * 4);
    this.#words = new Uint32Array(this.#events.buffer);
    this.#epoll = c.epollCreate(EPOLL_CLOEXEC);
    if (this.#epoll < 0) throw new Error(`epoll_create1: ${c.errorName(c.errno())}`);
    this.#alarm = LoopAlarm.make(c.native, this.#epoll, onReady) ?? new PoolAlarm(c, this.#epoll, onReady);
  }

  /**
   * @param key returned by {@link key} for the socket
   * @param events for which it is watched
   */
  add(fd: number, key: number, events = READABLE): void {
    this.#control(EPOLL_CTL_ADD, fd, key, events);
  }

  /** Watches a socket for other events from now on. */
  change(fd: number, key: number, events: number): void {
    this.#control(EPOLL_CTL_MODIFY, fd, key, events);
  }

  /** To be called before the socket is closed. An event that was found already may still be reported. */
  remove(fd: number): void {
    this.#control(EPOLL_CTL_DELETE, fd, 0, 0);
  }

  #control(operation: number, fd: number, key: number, events: number): void {
    const event = memory(EVENT_WORDS * 4);
    const words = new Uint32Array(event.buffer);
    words[0] = events;
    words[EVENT_WORDS - 2] = key;
    if (this.c.epollControl(this.#epoll, operation, fd, event) < 0) {
      throw new Error(`epoll_ctl: ${this.c.errorName(this.c.errno())}`);
    }
  }

  /** Number of sockets that are ready now, at most those of one turn; {@link key} and {@link events} identify them. */
  ready(): number {
    return Math.max(this.c.epollWait(this.#epoll, this.#events, this.most, 0), 0);
  }

  key(i: number): number {
    return this.#words[(i + 1) * EVENT_WORDS - 2]!;
  }

  /** The events for which a socket is ready; errors are always reported. */
  events(i: number): number {
    return this.#words[i * EVENT_WORDS]!;
  }

  arm(): void {
    this.#alarm.arm();
  }

  close(): void {
    this.#alarm.close();
    this.c.close(this.#epoll);
  }
}

/** Waits in a thread of libuv's pool. */
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
