/**
 * A byte stream over several TCP connections between the same two hosts, its subflows, similar to MPTCP (RFC 8684). Each
 * segment of a subflow carries the position of its data in the stream in an option; each SYN carries the connection that it joins. The
 * options are our own (RFC 6994): a kernel's MPTCP does not understand them. Further differences from RFC 8684: all subflows
 * are opened at once, data count as arrived when a subflow's receiver has them, in any order, and the receive window is
 * that of each subflow.
 */

import { type FlowKey, unwrap } from "../../../../base/packets/index.js";
import { ReceiveWindow } from "../../../hosts/index.js";
import { type CloseReason, ConnectionCounters, type ConnectionListener, type Stream } from "../connection.js";
import type { SubflowGroup, SubflowView } from "./congestion/congestion-control.js";
import type { SubflowSource } from "./sender.js";
import type { SubflowParent, TcpConnection } from "./tcp.js";
import type { SubflowScheduler } from "./tcp-options.js";

interface Subflow {
  readonly connection: TcpConnection;
  isOpen: boolean;
  isOver: boolean;
  peerFinished: boolean;
  /** Redundant scheduler: first position that this subflow has not sent. */
  cursor: number;
}

/** Data that a subflow could not deliver in time: another one sends them too. */
interface Reinjection {
  start: number;
  readonly end: number;
  readonly from: number;
}

export class MultipathConnection implements Stream, SubflowGroup {
  readonly counters = new ConnectionCounters();
  listener: ConnectionListener = {};
  readonly #scheduler: SubflowScheduler;
  /** By number. */
  readonly #members: (Subflow | undefined)[];
  readonly #views: SubflowView[] = [];
  readonly #arrived = new ReceiveWindow();
  readonly #acknowledged = new ReceiveWindow();
  readonly #reinjections: Reinjection[] = [];
  /** First position that no subflow has sent, and the end of the data. */
  #next = 0;
  #end = 0;
  #finishing = false;
  #turn = 0;
  #pumping = false;
  #isEstablished = false;
  #isOver = false;
  #closing: CloseReason | undefined;
  /** Called once, when the first subflow is established. */
  onAccepted: (() => void) | undefined;
  /** Called once, when all subflows are closed. */
  onOver: (() => void) | undefined;

  constructor(
    readonly token: number,
    count: number,
    scheduler: SubflowScheduler,
  ) {
    this.#members = new Array(count).fill(undefined);
    this.#scheduler = scheduler;
  }

  /** Established subflows, for coupled congestion controls. */
  get subflows(): readonly SubflowView[] {
    return this.#views;
  }

  /** The connections of the subflows, by number. */
  get connections(): readonly TcpConnection[] {
    return this.#members.flatMap((member) => (member === undefined ? [] : [member.connection]));
  }

  get flow(): FlowKey {
    return this.connections[0]!.flow;
  }

  get bytesAcknowledged(): number {
    return this.#acknowledged.next;
  }

  get bytesReceived(): number {
    return this.#arrived.next;
  }

  get repaths(): number | undefined {
    const counts = this.connections.flatMap(({ repaths }) => repaths ?? []);
    return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
  }

  /** The parent for the subflow with this number. */
  parent(subflow: number): SubflowParent {
    const own = this;
    const source: SubflowSource = {
      get hasData() {
        return own.#hasDataFor(subflow);
      },
      onRoom: () => this.#pump(),
      onDelivered: (start, bytes) => this.#onDelivered(start, bytes),
    };
    return {
      token: this.token,
      subflow,
      subflows: this.#members.length,
      source,
      counters: this.counters,
      arrived: (position, bytes) => this.#onArrived(position, bytes),
    };
  }

  /** Adds a subflow that was made with {@link parent}. */
  join(subflow: number, connection: TcpConnection): void {
    const member: Subflow = { connection, isOpen: false, isOver: false, peerFinished: false, cursor: 0 };
    this.#members[subflow] = member;
    connection.listener = {
      established: () => this.#onEstablished(member),
      timedOut: (attempt) => this.#onTimeout(subflow, attempt),
      recovered: (attempts) => {
        this.listener.recovered?.(attempts);
        this.#pump();
      },
      peerFinished: () => this.#onPeerFinished(member),
      closed: (reason) => this.#onClosed(subflow, reason),
    };
  }

  send(bytes: number): void {
    this.#end += bytes;
    this.#pump();
  }

  finish(): void {
    this.#finishing = true;
    this.#finishSubflows();
  }

  close(): void {
    this.#closing = "closed";
    for (const connection of this.connections) connection.close();
    this.#over("closed");
  }

  #finishSubflows(): void {
    if (!this.#finishing || this.#acknowledged.next < this.#end) return;
    for (const member of this.#members) if (member?.isOver === false) member.connection.finish();
  }

  #onEstablished(member: Subflow): void {
    member.isOpen = true;
    const { connection } = member;
    const view: SubflowView = {
      control: connection.congestionControl,
      get smoothedRttNs() {
        return connection.timeout.smoothedRtt ?? -1;
      },
    };
    this.#views.push(view);
    if (!this.#isEstablished) {
      this.#isEstablished = true;
      this.onAccepted?.();
      this.listener.established?.();
    }
    this.#pump();
  }

  #onArrived(position: number, bytes: number): void {
    const before = this.#arrived.next;
    const start = unwrap(position, before);
    this.#arrived.add(start, start + bytes);
    if (this.#arrived.next > before) this.listener.received?.(this.#arrived.next);
  }

  #onDelivered(start: number, bytes: number): void {
    if (bytes === 0) return;
    const before = this.#acknowledged.next;
    this.#acknowledged.add(start, start + bytes);
    const { next } = this.#acknowledged;
    if (next === before || next < this.#end) return;
    this.listener.finished?.();
    this.#finishSubflows();
  }

  /** The first of consecutive timeouts: other subflows also send the outstanding data of the subflow. */
  #onTimeout(subflow: number, attempt: number): void {
    this.listener.timedOut?.(attempt);
    if (attempt === 1) this.#reinject(subflow);
  }

  #reinject(subflow: number): void {
    this.#members[subflow]!.connection.sender.visitOutstanding((start, bytes) => {
      this.#reinjections.push({ start, end: start + bytes, from: subflow });
    });
    this.#pump();
  }

  #onPeerFinished(member: Subflow): void {
    member.peerFinished = true;
    if (this.#members.some((one) => one?.isOpen === true && !one.isOver && !one.peerFinished)) return;
    if (this.listener.peerFinished === undefined) this.finish();
    else this.listener.peerFinished();
  }

  #onClosed(subflow: number, reason: CloseReason): void {
    const member = this.#members[subflow]!;
    member.isOver = true;
    const at = this.#views.findIndex(({ control }) => control === member.connection.congestionControl);
    if (at >= 0) this.#views.splice(at, 1);
    if (reason !== "closed") this.#closing = this.#closing === "finished" ? "finished" : reason;
    if (this.#members.every((one) => one?.isOver === true)) this.#over(this.#closing ?? reason);
    else if (reason !== "finished" && this.#closing !== "closed") this.#reinject(subflow);
  }

  #over(reason: CloseReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onOver?.();
    this.listener.closed?.(reason);
  }

  /** Assigns data to subflows while one can send a segment and there are data. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    for (let subflow = this.#pick(); subflow >= 0; subflow = this.#pick()) {
      const [start, bytes] = this.#take(subflow);
      this.#members[subflow]!.connection.assign(start, bytes);
    }
    this.#pumping = false;
  }

  /** Number of the subflow that sends next; -1 where none can. */
  #pick(): number {
    const count = this.#members.length;
    let best = -1;
    let bestRtt = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const subflow = (this.#turn + i) % count;
      const member = this.#members[subflow];
      if (member?.isOpen !== true || !member.connection.sender.takes || !this.#hasDataFor(subflow)) continue;
      if (this.#scheduler !== "least_rtt") {
        this.#turn = (subflow + 1) % count;
        return subflow;
      }
      const rtt = member.connection.timeout.smoothedRtt ?? Number.MAX_VALUE;
      if (rtt >= bestRtt) continue;
      best = subflow;
      bestRtt = rtt;
    }
    return best;
  }

  #hasDataFor(subflow: number): boolean {
    if (this.#scheduler === "redundant")
      return Math.max(this.#members[subflow]?.cursor ?? 0, this.#acknowledged.next) < this.#end;
    return this.#next < this.#end || this.#nextReinjection(subflow) !== undefined;
  }

  /** The first data that another subflow could not deliver; removes those that have arrived meanwhile. */
  #nextReinjection(subflow: number): Reinjection | undefined {
    const list = this.#reinjections;
    for (let i = 0; i < list.length; ) {
      const one = list[i]!;
      one.start = Math.max(one.start, this.#acknowledged.next);
      const island = one.start < one.end ? this.#acknowledged.islandAt(one.start) : -1;
      if (island >= 0) one.start = Math.min(one.end, this.#acknowledged.islandEnd(island));
      if (one.start >= one.end) list.splice(i, 1);
      else if (one.from !== subflow) return one;
      else i++;
    }
    return undefined;
  }

  /** Position and length of the data that the subflow sends next. */
  #take(subflow: number): [number, number] {
    const member = this.#members[subflow]!;
    const most = member.connection.sender.segmentBytes;
    if (this.#scheduler === "redundant") {
      const start = Math.max(member.cursor, this.#acknowledged.next);
      const bytes = Math.min(most, this.#end - start);
      member.cursor = start + bytes;
      return [start, bytes];
    }
    const again = this.#nextReinjection(subflow);
    const start = again?.start ?? this.#next;
    const bytes = Math.min(most, (again?.end ?? this.#end) - start);
    if (again === undefined) this.#next += bytes;
    else again.start += bytes;
    return [start, bytes];
  }
}
