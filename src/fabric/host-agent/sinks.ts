/** Listeners: they accept every connection, discard the data, and report when all data have arrived. */
import { type SocketWatch, TcpSocket } from "../../toolchain/interfaces/index.js";
import { addressText } from "./addresses.js";
import type { AgentEvent, Arriving } from "./events.js";
import { RequestError } from "./requests.js";

/** Number of bytes that are discarded in one step, and maximum number of steps before other work runs. */
const PIECE = 1 << 20;
const PIECES = 16;
const MOST_LISTENERS = 1024;
const BACKLOG = 1024;

interface Connection {
  readonly socket: TcpSocket;
  readonly from: string;
  readonly clientPort: number;
  readonly port: number;
  bytes: number;
}

export interface SinkParts {
  readonly watch: SocketWatch;
  /** Nanoseconds. */
  now(): number;
  tell(event: AgentEvent): void;
}

export class Sinks {
  /** By address and port. */
  readonly #listeners = new Map<string, TcpSocket>();
  readonly #connections = new Set<Connection>();

  constructor(readonly parts: SinkParts) {}

  /** Listens at an address of this host; listening again at the same port has no effect. */
  listen(own: Uint8Array, port: number, congestion?: string): void {
    const key = `${own.join(".")} ${port}`;
    if (this.#listeners.has(key)) return;
    if (this.#listeners.size >= MOST_LISTENERS)
      throw new RequestError(`there are ${MOST_LISTENERS} listeners already`);
    const listener = TcpSocket.open(own.length === 4 ? 4 : 6);
    try {
      if (congestion !== undefined) listener.control(congestion);
      listener.bind(own, port);
      listener.listen(BACKLOG);
    } catch (error) {
      listener.close();
      throw error;
    }
    this.#listeners.set(key, listener);
    this.parts.watch.add(listener, { readable: true }, () => this.#accept(listener, port));
  }

  /** Accepted connections whose end has not arrived. */
  arriving(): Arriving[] {
    return [...this.#connections].map(({ socket: _, ...connection }) => connection);
  }

  #accept(listener: TcpSocket, port: number): void {
    for (let socket = listener.accept(); socket !== undefined; socket = listener.accept()) {
      const connection = connectionOf(socket, port);
      if (connection === undefined) continue;
      this.#connections.add(connection);
      this.parts.watch.add(socket, { readable: true }, () => this.#drain(connection));
    }
  }

  #drain(connection: Connection): void {
    const { socket } = connection;
    try {
      for (let i = 0; i < PIECES; i++) {
        const length = socket.discard(PIECE);
        if (length < 0) return;
        connection.bytes += length;
        if (length === 0) {
          const { socket: _, ...told } = connection;
          this.parts.tell({ event: "received", atNs: this.parts.now(), ...told });
          break;
        }
        if (i === PIECES - 1) return;
      }
    } catch {
      // The other end reset it.
    }
    this.parts.watch.forget(socket);
    this.#connections.delete(connection);
    socket.close();
  }

  close(): void {
    for (const socket of [
      ...[...this.#connections].map(({ socket }) => socket),
      ...this.#listeners.values(),
    ]) {
      this.parts.watch.forget(socket);
      socket.close();
    }
    this.#connections.clear();
    this.#listeners.clear();
  }
}

/** Undefined where the other end has already reset it. */
function connectionOf(socket: TcpSocket, port: number): Connection | undefined {
  try {
    const { address, port: clientPort } = socket.peer;
    return { socket, from: addressText(address), clientPort, port, bytes: 0 };
  } catch {
    socket.close();
    return undefined;
  }
}
