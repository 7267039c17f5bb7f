/**
 * TCP sockets with functions that Node's own do not offer: a segment size, TCP_INFO, the bytes that wait for an acknowledgement, and
 * discarding data without a copy. No call blocks.
 */
import { PROTOCOL_TCP } from "../../base/packets/index.js";
import {
  AF_INET,
  AF_INET6,
  ERROR,
  type Libc,
  libc,
  memory,
  SOCK_CLOEXEC,
  SOCK_NONBLOCK,
  SOCK_STREAM,
  SOL_SOCKET,
  systemError,
} from "./libc.js";

const SO_REUSEADDR = 2;
const SO_ERROR = 4;
const SO_LINGER = 13;
const TCP_NODELAY = 1;
const TCP_MAXSEG = 2;
const TCP_INFO = 11;
const TCP_CONGESTION = 13;
const SHUT_WR = 1;
const SIOCOUTQ = 0x5411;
const MSG_TRUNC = 0x20;
const MSG_NOSIGNAL = 0x4000;
/** Longer than the structure of any kernel so far. */
const INFO_BYTES = 512;

/** Addresses are 4 or 16 bytes. All functions throw an error with the `code` of the system, such as ECONNREFUSED. */
export class TcpSocket {
  readonly #c: Libc;
  #fd: number;

  /** Not yet bound. Fails with P40020 where there is no C library to call. */
  static open(family: 4 | 6): TcpSocket {
    const c = libc();
    const fd = c.socket(family === 4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) throw systemError(c, "socket");
    const socket = new TcpSocket(c, fd);
    socket.#set(SOL_SOCKET, SO_REUSEADDR, 1);
    return socket;
  }

  private constructor(c: Libc, fd: number) {
    this.#c = c;
    this.#fd = fd;
  }

  get fd(): number {
    return this.#fd;
  }

  /** Port 0: the kernel chooses one, see {@link port}. */
  bind(address: Uint8Array, port: number): void {
    const place = socketAddress(address, port);
    this.#check("bind", this.#c.bind(this.#fd, place, place.length));
  }

  /** The port that it is bound to. */
  get port(): number {
    const place = memory(28);
    const length = new Uint32Array([place.length]);
    this.#check("getsockname", this.#c.getsockname(this.#fd, place, length));
    return (place[2]! << 8) | place[3]!;
  }

  /** Address and port of the other end. */
  get peer(): { readonly address: Uint8Array; readonly port: number } {
    const place = memory(28);
    const length = new Uint32Array([place.length]);
    this.#check("getpeername", this.#c.getpeername(this.#fd, place, length));
    const address = place[0] === AF_INET ? place.slice(4, 8) : place.slice(8, 24);
    return { address, port: (place[2]! << 8) | place[3]! };
  }

  listen(backlog: number): void {
    this.#check("listen", this.#c.listen(this.#fd, backlog));
  }

  /** A connection that waits; undefined when none does. */
  accept(): TcpSocket | undefined {
    const fd = this.#c.accept(this.#fd, null, null, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return fd < 0 ? undefined : new TcpSocket(this.#c, fd);
  }

  /** Begins to connect: the socket is writable when it is connected or has failed, see {@link error}. */
  connect(address: Uint8Array, port: number): void {
    const place = socketAddress(address, port);
    if (this.#c.connect(this.#fd, place, place.length) === 0) return;
    if (this.#c.errno() !== ERROR.EINPROGRESS) throw systemError(this.#c, "connect");
  }

  /** Sends small segments at once. */
  sendAtOnce(): void {
    this.#set(PROTOCOL_TCP, TCP_NODELAY, 1);
  }

  /** Bytes of a full segment, the options that every segment has included. */
  limitSegments(bytes: number): void {
    this.#set(PROTOCOL_TCP, TCP_MAXSEG, bytes);
  }

  /** Congestion control by the kernel's name, such as cubic; ENOENT where the kernel does not have it. Connections inherit it from their listener. */
  control(name: string): void {
    const bytes = new TextEncoder().encode(name);
    this.#check(
      "setsockopt",
      this.#c.setsockopt(this.#fd, PROTOCOL_TCP, TCP_CONGESTION, bytes, bytes.length),
    );
  }

  /** No more data will be sent: the other end is notified after the data. */
  finish(): void {
    this.#check("shutdown", this.#c.shutdown(this.#fd, SHUT_WR));
  }

  /** The error since the last call; undefined: none. */
  error(): NodeJS.ErrnoException | undefined {
    const value = new Uint32Array(1);
    this.#get(SOL_SOCKET, SO_ERROR, value);
    return value[0] === 0 ? undefined : systemError(this.#c, "socket", value[0]);
  }

  /** Returns the number of bytes that the kernel accepted; 0 when its buffer is full. */
  send(bytes: Uint8Array, length: number): number {
    const sent = this.#c.send(this.#fd, bytes, length, MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (this.#c.errno() === ERROR.EAGAIN) return 0;
    throw systemError(this.#c, "send");
  }

  /** Discards up to `length` received bytes; returns their number, 0 at the end, -1 when none wait. */
  discard(length: number): number {
    const taken = this.#c.recv(this.#fd, null, length, MSG_TRUNC);
    if (taken >= 0) return taken;
    if (this.#c.errno() === ERROR.EAGAIN) return -1;
    throw systemError(this.#c, "recv");
  }

  /** Bytes that were sent, or wait to be sent, and are not acknowledged. */
  unacknowledged(): number {
    const value = new Uint32Array(1);
    this.#check("SIOCOUTQ", this.#c.ioctl(this.#fd, SIOCOUTQ, value));
    return value[0]!;
  }

  /** `struct tcp_info` as long as this kernel has it (linux/tcp.h). */
  info(): DataView {
    const bytes = memory(INFO_BYTES);
    return new DataView(bytes.buffer, 0, this.#get(PROTOCOL_TCP, TCP_INFO, bytes));
  }

  /** Further calls have no effect. `reset`: the other end is notified at once that the connection has ended. */
  close(reset = false): void {
    if (this.#fd < 0) return;
    // struct linger: on, for 0 seconds.
    if (reset) this.#c.setsockopt(this.#fd, SOL_SOCKET, SO_LINGER, new Uint32Array([1, 0]), 8);
    this.#c.close(this.#fd);
    this.#fd = -1;
  }

  #set(level: number, name: number, value: number): void {
    this.#check("setsockopt", this.#c.setsockopt(this.#fd, level, name, new Uint32Array([value]), 4));
  }

  /** Length of the value. */
  #get(level: number, name: number, value: Uint8Array | Uint32Array): number {
    const length = new Uint32Array([value.byteLength]);
    this.#check("getsockopt", this.#c.getsockopt(this.#fd, level, name, value, length));
    return length[0]!;
  }

  #check(what: string, result: number): void {
    if (result < 0) throw systemError(this.#c, what);
  }
}

/** struct sockaddr_in or sockaddr_in6. */
function socketAddress(address: Uint8Array, port: number): Uint8Array {
  const isV4 = address.length === 4;
  const place = memory(isV4 ? 16 : 28);
  place[0] = isV4 ? AF_INET : AF_INET6;
  place[2] = port >> 8;
  place[3] = port & 0xff;
  place.set(address, isV4 ? 4 : 8);
  return place;
}
