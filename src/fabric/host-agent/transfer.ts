/**
 * One flow that this host sends.
 *
 * A flow has a number of bytes, or continues until it is stopped. With `windowSegments` at most that many segments are in
 * flight: the next one is written when the kernel's count of unacknowledged bytes leaves space for it. The
 * data path notifies a transfer of each acknowledgement of new data, so it need not poll.
 */
import { readFileSync } from "node:fs";
import { given, systemErrorReason, toHex } from "../../base/index.js";
import { PROTOCOL_TCP } from "../../base/packets/index.js";
import { type SocketWatch, TcpSocket } from "../../toolchain/interfaces/index.js";
import { CLIENT } from "../hosts/index.js";
import { flowKey, flowOf } from "./addresses.js";
import type { AgentEvent, TcpInfo } from "./events.js";
import type { Flows } from "./flows.js";
import type { FlowRequest } from "./requests.js";
import type { FlowWatcher, TcpFlow } from "./tcp-flow.js";
import type { Timers } from "./timers.js";

// Reads TCP_INFO of a socket (linux/tcp.h), as far as the kernel provides it.

/** State of congestion control after a retransmission timeout, and its offset. */
const CA_STATE = 1;
const CA_LOSS = 4;

/** Offset and bytes; kernels add fields at the end. */
const FIELDS: Readonly<Record<keyof TcpInfo, readonly [at: number, bytes: 2 | 4 | 8]>> = {
  rttUs: [68, 4],
  rttVarUs: [72, 4],
  minRttUs: [148, 4],
  rtoUs: [8, 4],
  sendMss: [16, 4],
  congestionWindow: [80, 4],
  retransmissions: [100, 4],
  bytesRetransmitted: [208, 8],
  kernelTimeouts: [240, 2],
};

/** Null for members that this kernel does not report. */
function tcpInfo(socket: TcpSocket): TcpInfo {
  const view = socket.info();
  const read = (field: keyof TcpInfo): number | null => {
    const [at, bytes] = FIELDS[field];
    if (at + bytes > view.byteLength) return null;
    if (bytes === 2) return view.getUint16(at, true);
    const low = view.getUint32(at, true);
    return bytes === 4 ? low : low + view.getUint32(at + 4, true) * 2 ** 32;
  };
  return {
    rttUs: read("rttUs"),
    rttVarUs: read("rttVarUs"),
    minRttUs: read("minRttUs"),
    rtoUs: read("rtoUs"),
    sendMss: read("sendMss"),
    congestionWindow: read("congestionWindow"),
    retransmissions: read("retransmissions"),
    bytesRetransmitted: read("bytesRetransmitted"),
    kernelTimeouts: read("kernelTimeouts"),
  };
}

/** Whether the socket's congestion control is in the state after a retransmission timeout. */
function isInLossState(socket: TcpSocket): boolean {
  return socket.info().getUint8(CA_STATE) === CA_LOSS;
}

/** The kernel accepts no smaller maximum segment size. */
const LEAST_SEGMENT = 88;
const TIMESTAMPS_LENGTH = 12;
/** The data: zeros. */
const CHUNK = new Uint8Array(new ArrayBuffer(1 << 16));
/** A transfer without a notification of progress checks by itself after this time. */
const LOOK_AGAIN_NS = 50e6;
/** Maximum number of bytes of the other end that are read and discarded at once. */
const PIECE = 4096;

export interface TransferParts {
  readonly flows: Flows;
  readonly watch: SocketWatch;
  readonly timers: Timers;
  /** Nanoseconds. */
  now(): number;
  tell(event: AgentEvent): void;
}

export class Transfer implements FlowWatcher {
  #socket: TcpSocket | undefined;
  #key: Uint8Array | undefined;
  #connected = false;
  /** Whether it waits until the socket has space. */
  #awaitsRoom = true;
  #looks = false;
  #written = 0;
  #startedAt: number | undefined;
  #finishing = false;
  #over = false;

  constructor(
    readonly request: FlowRequest,
    readonly source: Uint8Array,
    readonly parts: TransferParts,
    readonly onEnd: () => void,
  ) {}

  /** Size of the whole flow, for policies that depend on it. */
  get bytes(): number | undefined {
    return this.request.bytes;
  }

  /** Connects; has no effect on a flow that has ended. */
  start(): void {
    if (this.#over) return;
    const { request, parts } = this;
    try {
      const socket = this.#open();
      const clientPort = socket.port;
      this.#key = flowKey(this.source, request.to, clientPort, request.port);
      parts.flows.watch(this.#key, this);
      this.#startedAt = parts.now();
      socket.connect(request.to, request.port);
      parts.tell({ event: "started", id: request.id, atNs: this.#startedAt, clientPort });
      parts.watch.add(socket, { readable: true, writable: true }, (readable, writable) =>
        this.#ready(socket, readable, writable),
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  #open(): TcpSocket {
    const { to, segmentBytes } = this.request;
    const socket = TcpSocket.open(to.length === 4 ? 4 : 6);
    this.#socket = socket;
    socket.sendAtOnce();
    if (this.request.congestion !== undefined) socket.control(this.request.congestion);
    if (segmentBytes !== undefined)
      socket.limitSegments(Math.max(LEAST_SEGMENT, segmentBytes + timestampsLength()));
    this.#bind(socket);
    return socket;
  }

  /** Binds to the requested port, or to the one that the policy chooses; a chosen port that is in use is ignored. */
  #bind(socket: TcpSocket): void {
    const { to, port, clientPort, policyPort } = this.request;
    const { policy } = this.parts.flows.host;
    if (!policyPort || policy.sourcePort === undefined) {
      socket.bind(this.source, clientPort);
      return;
    }
    const key = flowKey(this.source, to, clientPort, port);
    const random = this.parts.flows.random.fork("port").fork(toHex(key));
    const chosen = policy.sourcePort(flowOf(key, PROTOCOL_TCP), CLIENT, random);
    try {
      socket.bind(this.source, chosen);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EADDRINUSE") throw error;
      socket.bind(this.source, clientPort);
    }
  }

  #ready(socket: TcpSocket, readable: boolean, writable: boolean): void {
    const { parts, request } = this;
    try {
      const error = socket.error();
      if (error !== undefined) throw error;
      if (readable && socket.discard(PIECE) === 0) {
        // The other end closes when it has received our FIN, which follows all data.
        if (!this.#finishing) throw new Error("the other end closed the connection");
        this.finish(false);
        return;
      }
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (!writable) return;
    if (!this.#connected) {
      this.#connected = true;
      parts.tell({ event: "connected", id: request.id, atNs: parts.now() });
    }
    this.#pump(socket);
    if (!this.#over && !this.#awaitsRoom) parts.watch.change(socket, { readable: true });
  }

  /** Writes as much as there is space for. */
  #pump(socket: TcpSocket): void {
    const { segmentBytes, windowSegments } = this.request;
    const window = windowSegments === undefined ? undefined : windowSegments * segmentBytes!;
    const piece = window === undefined ? CHUNK.length : segmentBytes!;
    this.#awaitsRoom = false;
    try {
      let room = window === undefined ? Number.POSITIVE_INFINITY : window - socket.unacknowledged();
      while (this.#left > 0) {
        const size = Math.min(piece, this.#left);
        if (room < size) break;
        const sent = socket.send(CHUNK, size);
        if (sent === 0) {
          this.#awaitsRoom = true;
          this.parts.watch.change(socket, { readable: true, writable: true });
          return;
        }
        this.#written += sent;
        room -= sent;
      }
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#endIfWritten(socket);
    // The data path drops flows when there are too many.
    this.#lookAgain();
  }

  #endIfWritten(socket: TcpSocket): void {
    if (!this.request.finish || this.#finishing || this.#left > 0) return;
    this.#finishing = true;
    socket.finish();
  }

  /** Bytes that must still be written. */
  get #left(): number {
    return this.request.bytes === undefined ? Number.POSITIVE_INFINITY : this.request.bytes - this.#written;
  }

  #lookAgain(): void {
    if (this.#looks) return;
    this.#looks = true;
    this.parts.timers.at(this.parts.now() + LOOK_AGAIN_NS, () => {
      this.#looks = false;
      this.progressed();
    });
  }

  // From the data path.

  progressed(): void {
    const socket = this.#socket;
    if (socket === undefined || this.#over || !this.#connected) return;
    if (this.#left > 0) {
      if (!this.#awaitsRoom) this.#pump(socket);
    } else if (socket.unacknowledged() === 0) this.finish(false);
    else this.#lookAgain();
  }

  timedOut(flow: TcpFlow, selectors: readonly number[]): void {
    this.parts.tell({
      event: "timeout",
      id: this.request.id,
      atNs: flow.triedAt,
      attempt: flow.attempts,
      selectors: [...selectors],
    });
  }

  recovered(flow: TcpFlow, attempts: number): void {
    this.parts.tell({
      event: "recovered",
      id: this.request.id,
      atNs: this.parts.now(),
      triedAtNs: flow.triedAt,
      attempts,
      selector: flow.chooser.selector,
    });
  }

  inLossState(): boolean {
    return this.#socket !== undefined && isInLossState(this.#socket);
  }

  // The end.

  /** Reports the flow; a stopped flow is reset, so that no data stay in flight. */
  finish(stopped: boolean): void {
    if (this.#over) return;
    const now = this.parts.now();
    const socket = this.#socket;
    const flow = this.#key && this.parts.flows.sending(this.#key, 0, this.#key.length);
    this.parts.tell({
      event: "finished",
      id: this.request.id,
      atNs: now,
      stopped,
      bytes: socket !== undefined && this.#connected ? this.#acknowledged(socket) : 0,
      fctNs: this.#startedAt === undefined ? null : now - this.#startedAt,
      timeouts: flow?.timeouts ?? 0,
      ...given({ tcp: socket === undefined ? undefined : tcpInfo(socket) }),
    });
    this.close(stopped);
  }

  /** Acknowledged bytes; a FIN that waits counts as one byte. */
  #acknowledged(socket: TcpSocket): number {
    const waiting = socket.unacknowledged();
    return Math.max(0, this.#written - (this.#finishing ? Math.max(0, waiting - 1) : waiting));
  }

  #fail(error: unknown): void {
    const text = systemErrorReason(error);
    this.parts.tell({ event: "failed", id: this.request.id, text, atNs: this.parts.now() });
    this.close(true);
  }

  /** Ends it without a report. */
  close(reset: boolean): void {
    this.#over = true;
    this.onEnd();
    if (this.#key !== undefined) this.parts.flows.unwatch(this.#key, this);
    if (this.#socket === undefined) return;
    this.parts.watch.forget(this.#socket);
    this.#socket.close(reset);
    this.#socket = undefined;
  }
}

/** Bytes that the kernel's timestamp option takes of each segment. */
function timestampsLength(): number {
  try {
    return readFileSync("/proc/sys/net/ipv4/tcp_timestamps", "utf8").trim() === "0" ? 0 : TIMESTAMPS_LENGTH;
  } catch {
    return TIMESTAMPS_LENGTH;
  }
}
