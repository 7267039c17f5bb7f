/**
 * Messages to one controller. When it reads too slowly, notifications that may be lost (packets, digests, idle timeouts:
 * P4Runtime spec 16) are dropped beyond a limit; arbitration updates and errors are never dropped.
 */
export interface Sink<T> {
  /** False when the receiver reads too slowly; the event `drain` reports that it has caught up. */
  write(message: T): boolean;
  once(event: "drain", listener: () => void): unknown;
}

/** Notifications that wait for a slow controller. */
const MAX_WAITING = 4096;

export class Outbox<T> {
  readonly #waiting: T[] = [];
  #blocked = false;
  #closed = false;
  /** Notifications dropped so far. */
  dropped = 0;

  constructor(
    private readonly sink: Sink<T>,
    private readonly limit = MAX_WAITING,
  ) {}

  /** Sends a message, or keeps it until the controller reads again. */
  send(message: T): void {
    if (this.#closed) return;
    if (this.#blocked) this.#waiting.push(message);
    else this.#write(message);
  }

  /** Sends a message that may be lost. */
  notify(message: T): void {
    if (this.#blocked && this.#waiting.length >= this.limit) this.dropped++;
    else this.send(message);
  }

  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
  }

  #write(message: T): void {
    if (this.sink.write(message)) return;
    this.#blocked = true;
    this.sink.once("drain", () => this.#flush());
  }

  #flush(): void {
    this.#blocked = false;
    let sent = 0;
    while (sent < this.#waiting.length && !this.#blocked && !this.#closed)
      this.#write(this.#waiting[sent++]!);
    this.#waiting.splice(0, sent);
  }
}
