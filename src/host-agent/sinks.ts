/** Listeners: they accept every connection and throw away what comes. */
import { type SocketWatch, TcpSocket } from "../interfaces/index.js";
import { RequestError } from "./requests.js";

/** Bytes that are thrown away at a time, and times before other work gets its turn. */
const PIECE = 1 << 20;
const PIECES = 16;
const MOST_LISTENERS = 1024;
const BACKLOG = 1024;

export class Sinks {
  /** By address and port. */
  readonly #listeners = new Map<string, TcpSocket>();
  readonly #connections = new Set<TcpSocket>();

  constructor(readonly watch: SocketWatch) {}

  /** Listens at an address of this host; once more at the same port is no mistake. */
  listen(own: Uint8Array, port: number): void {
    const key = `${own.join(".")} ${port}`;
    if (this.#listeners.has(key)) return;
    if (this.#listeners.size >= MOST_LISTENERS)
      throw new RequestError(`there are ${MOST_LISTENERS} listeners already`);
    const listener = TcpSocket.open(own.length === 4 ? 4 : 6);
    try {
      listener.bind(own, port);
      listener.listen(BACKLOG);
    } catch (error) {
      listener.close();
      throw error;
    }
    this.#listeners.set(key, listener);
    this.watch.add(listener, { readable: true }, () => this.#accept(listener));
  }

  #accept(listener: TcpSocket): void {
    for (let next = listener.accept(); next !== undefined; next = listener.accept()) {
      const connection = next;
      this.#connections.add(connection);
      this.watch.add(connection, { readable: true }, () => this.#drain(connection));
    }
  }

  #drain(connection: TcpSocket): void {
    try {
      for (let i = 0; i < PIECES; i++) {
        const length = connection.discard(PIECE);
        if (length < 0) return;
        if (length === 0) break;
        if (i === PIECES - 1) return;
      }
    } catch {
      // The other end reset it.
    }
    this.watch.forget(connection);
    this.#connections.delete(connection);
    connection.close();
  }

  close(): void {
    for (const socket of [...this.#connections, ...this.#listeners.values()]) {
      this.watch.forget(socket);
      socket.close();
    }
    this.#connections.clear();
    this.#listeners.clear();
  }
}
