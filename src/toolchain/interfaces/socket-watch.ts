/** Calls back when one of many sockets is ready. */
import { libc } from "./libc.js";
import { ENDED, READABLE, Readiness, WRITABLE } from "./readiness.js";

const SOCKETS_A_TURN = 64;

export interface Watched {
  readonly fd: number;
}

/** The events for which a socket is watched. */
export interface Interest {
  readonly readable?: boolean;
  readonly writable?: boolean;
}

/** Called with the events for which the socket is ready; both when it failed. */
export type ReadyHandler = (readable: boolean, writable: boolean) => void;

interface Watch {
  readonly fd: number;
  readonly key: number;
  readonly onReady: ReadyHandler;
}

const FAILED = 0x8 | 0x10;

export class SocketWatch {
  readonly #readiness: Readiness;
  /** Keys are not reused: an event of a removed socket has no receiver. */
  readonly #byKey = new Map<number, Watch>();
  readonly #bySocket = new Map<Watched, Watch>();
  #nextKey = 0;
  #closed = false;

  /** Fails with P40020 where there is no C library to call. */
  constructor() {
    this.#readiness = new Readiness(libc(), () => this.#turn(), SOCKETS_A_TURN);
    this.#readiness.arm();
  }

  add(socket: Watched, interest: Interest, onReady: ReadyHandler): void {
    const watch = { fd: socket.fd, key: this.#nextKey++, onReady };
    this.#readiness.add(watch.fd, watch.key, bitsOf(interest));
    this.#byKey.set(watch.key, watch);
    this.#bySocket.set(socket, watch);
  }

  change(socket: Watched, interest: Interest): void {
    const { fd, key } = this.#bySocket.get(socket)!;
    this.#readiness.change(fd, key, bitsOf(interest));
  }

  /** Must be called before the socket is closed; no effect for a socket that is not watched. */
  forget(socket: Watched): void {
    const watch = this.#bySocket.get(socket);
    if (watch === undefined) return;
    this.#bySocket.delete(socket);
    this.#byKey.delete(watch.key);
    this.#readiness.remove(watch.fd);
  }

  #turn(): void {
    if (this.#closed) return;
    const ready = this.#readiness.ready();
    if (ready === 0) {
      this.#readiness.arm();
      return;
    }
    for (let i = 0; i < ready; i++) {
      const events = this.#readiness.events(i);
      const failed = (events & FAILED) !== 0;
      const readable = failed || (events & (READABLE | ENDED)) !== 0;
      this.#byKey.get(this.#readiness.key(i))?.onReady(readable, failed || (events & WRITABLE) !== 0);
    }
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => this.#turn();

  close(): void {
    this.#closed = true;
    this.#readiness.close();
  }
}

function bitsOf({ readable = false, writable = false }: Interest): number {
  return (readable ? READABLE | ENDED : 0) | (writable ? WRITABLE : 0);
}
