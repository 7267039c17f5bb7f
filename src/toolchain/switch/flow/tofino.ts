/**
 * The path of a packet through a Tofino: ingress parser, ingress, ingress deparser, traffic manager, egress parser, egress, egress
 * deparser. Between ingress and egress a packet is bytes: what the deparser emitted. Both parsers find the intrinsic metadata in front of
 * the packet. `docs/tna/engine.md` has the rules.
 */
import { defined } from "../../../base/index.js";
import type { Replica } from "../../device/index.js";
import type { bmv2 } from "../../program/index.js";
import type { Stage } from "../codegen/specialised.js";
import { NO_LIMIT } from "../state/packet-state.js";
import { Forwarder, type ForwarderParts, NOT_QUEUED } from "./forwarder.js";
import {
  clear,
  type EgressPacket,
  errorBits,
  INTRINSIC,
  type IngressPacket,
  type Intrinsic,
  putEgress,
  putIngress,
} from "./intrinsic.js";
import type { PacketCopy } from "./packet-copy.js";
import type { MirrorSession } from "./replication.js";
import type { Workspaces } from "./workspace.js";

/** Words that a packet keeps in the traffic manager. */
const WORD = { rid: 0, isFirst: 1, queue: 2, serviceClass: 3, bypasses: 4, isResubmitted: 5 } as const;

/** `ucast_egress_port` of a packet for which ingress chose no port. */
const NO_PORT = 511;

/** Bits of `drop_ctl`: what does not happen. */
const DROP = { packet: 1, copyToCpu: 2, mirror: 4 };

/** The hardware counts the frame check sequence, which a frame here does not have. */
const FRAME_CHECK_BYTES = 4;

const PORTS_OF_PIPE = 128;
const PORTS_OF_PARSER = 4;

/** Length of packets that are copied in a loop, which is faster than `set`. */
const SHORT_COPY = 64;

/** Ports 68 to 71 of a pipe lead back to its ingress. */
export function isRecirculation(port: number): boolean {
  const inPipe = port % PORTS_OF_PIPE;
  return inPipe >= 68 && inPipe <= 71;
}

/** Places of intrinsic metadata in the PHV; -1 for what the program does not name. */
class Gress {
  readonly skips: boolean;
  readonly seesErrors: boolean;
  readonly #fields: Readonly<Record<string, bmv2.FieldRef>>;

  constructor(
    /** Position among the stages. */
    readonly number: number,
    info: bmv2.GressInfo,
    readonly place: (field: bmv2.FieldRef) => number,
  ) {
    this.skips = info.skipsIntrinsic;
    this.seesErrors = info.seesErrors;
    this.#fields = info.fields;
  }

  at(name: string): number {
    const field = this.#fields[name];
    return field === undefined ? -1 : this.place(field);
  }
}

class Ingress extends Gress {
  readonly port = this.at("tm.ucast_egress_port");
  readonly groupA = this.at("tm.mcast_grp_a");
  readonly groupB = this.at("tm.mcast_grp_b");
  readonly bypass = this.at("tm.bypass_egress");
  readonly copyToCpu = this.at("tm.copy_to_cpu");
  readonly queue = this.at("tm.qid");
  readonly serviceClass = this.at("tm.ingress_cos");
  readonly drop = this.at("deparser.drop_ctl");
  readonly error = this.at("parser.parser_err");
  readonly time = this.at("parser.global_tstamp");
}

class Egress extends Gress {
  readonly drop = this.at("deparser.drop_ctl");
  readonly error = this.at("parser.parser_err");
  readonly time = this.at("parser.global_tstamp");
}

/** A field of the program; 0 where the program does not name it. */
function read(phv: Int32Array, at: number): number {
  return at < 0 ? 0 : phv[at]!;
}

/** What the traffic manager is to do with a packet. */
interface Wishes {
  rid: number;
  isFirst: boolean;
  queue: number;
  serviceClass: number;
  bypasses: number;
}

/** Of a packet that nobody wishes anything for. */
const PLAIN: Readonly<Wishes> = { rid: 0, isFirst: false, queue: 0, serviceClass: 0, bypasses: 0 };

interface Pipe {
  readonly ingress: Ingress;
  readonly egress: Egress;
}

export class Tofino extends Forwarder {
  readonly #pipes: readonly Pipe[];
  readonly #intrinsic: Intrinsic;
  readonly #errors: Int32Array;
  /** Of the present packet. */
  readonly #wishes: Wishes = { ...PLAIN };
  /** Intrinsic metadata of the present packet, one object for all packets. */
  readonly #arriving: IngressPacket = { port: 0, nanoseconds: 0, isResubmitted: false, front: undefined };
  readonly #leaving: EgressPacket = {
    port: 0,
    rid: 0,
    isFirst: false,
    queue: 0,
    serviceClass: 0,
    depthBefore: 0,
    depthAfter: 0,
    arrived: 0,
    waited: 0,
    length: 0,
  };
  /** The packet with its intrinsic metadata, while a parser and a control work on it. */
  #room = new Uint8Array(2048);

  constructor(parts: ForwarderParts, workspaces: Workspaces) {
    super(parts, workspaces);
    const { program, layout } = this.specialised;
    const { name, pipes } = defined(program.architecture);
    const place = ([header, field]: bmv2.FieldRef) => layout.field(header, field)?.at ?? -1;
    this.#pipes = pipes.map(({ ingress, egress }, i) => ({
      ingress: new Ingress(2 * i, ingress, place),
      egress: new Egress(2 * i + 1, egress, place),
    }));
    this.#intrinsic = INTRINSIC[name];
    this.#errors = errorBits(program.errors);
  }

  #pipeOf(port: number): Pipe {
    return this.#pipes[Math.floor(port / PORTS_OF_PIPE) % this.#pipes.length]!;
  }

  #parse(stage: Stage, port: number): number {
    const { parsers } = stage;
    const group = Math.floor((port % PORTS_OF_PIPE) / PORTS_OF_PARSER);
    return parsers[parsers.length === 1 ? 0 : group % parsers.length]!(this.state);
  }

  /** Nanoseconds. */
  #now(): number {
    return Math.floor(this.clock.now() * 1000);
  }

  #putTime(at: number, time: number): void {
    if (at < 0) return;
    const { phv } = this.state;
    phv[at] = time;
    phv[at + 1] = (time / 4294967296) & 0xffff;
  }

  protected enter(port: number, frame: Uint8Array): void {
    this.#ingress(port, frame, 0, undefined);
  }

  protected reenter({ port, frame, start, phv }: PacketCopy): void {
    this.#ingress(port, frame, start, phv[WORD.isResubmitted] === 1 ? frame.subarray(0, start) : undefined);
  }

  /** Puts the packet behind `front` bytes of metadata, and clears the fields. */
  #begin(frame: Uint8Array, start: number, front: number, skips: boolean): Uint8Array {
    const { state } = this;
    const size = frame.length - start;
    const all = front + size + FRAME_CHECK_BYTES;
    if (this.#room.length < all) this.#room = new Uint8Array(2 * all);
    const room = this.#room;
    if (size <= SHORT_COPY) for (let i = 0; i < size; i++) room[front + i] = frame[start + i]!;
    else room.set(start === 0 ? frame : frame.subarray(start), front);
    state.phv = state.main;
    state.frame = room;
    state.ownsFrame = false;
    state.start = skips ? front : 0;
    state.end = front + size;
    state.packetLength = size;
    state.ingressLength = size + FRAME_CHECK_BYTES;
    state.limit = NO_LIMIT;
    state.clearRequests();
    state.mirror = -1;
    state.resubmitData = undefined;
    this.code.clear(state.phv);
    return room;
  }

  #ingress(port: number, frame: Uint8Array, start: number, resubmitted: Uint8Array | undefined): void {
    const { state, code } = this;
    const { ingress } = this.#pipeOf(port);
    const stage = code.stages[ingress.number]!;
    const nanoseconds = this.#now();
    const room = this.#begin(frame, start, this.#intrinsic.ingressBytes, ingress.skips);
    const arriving = this.#arriving;
    arriving.port = port;
    arriving.nanoseconds = nanoseconds;
    arriving.isResubmitted = resubmitted !== undefined;
    arriving.front = resubmitted;
    putIngress(room, this.#intrinsic, arriving);
    const { phv, end } = state;
    if (ingress.port >= 0) phv[ingress.port] = NO_PORT;
    this.#putTime(ingress.time, nanoseconds);
    // The ingress parser can read the frame check sequence, here zeros; it is no part of the payload.
    clear(room, end, end + FRAME_CHECK_BYTES);
    state.end = end + FRAME_CHECK_BYTES;
    const error = this.#errors[this.#parse(stage, port)]!;
    state.end = Math.max(state.start, end);
    if (error !== 0 && !ingress.seesErrors) {
      this.#drop("ingress", "parser_error");
      return;
    }
    if (ingress.error >= 0) phv[ingress.error] = error;
    stage.control(state);
    if (this.aborted()) return;
    stage.prepare(state, phv);
    this.#manage(ingress, stage, { port, frame, start });
  }

  #drop(
    where: "ingress" | "egress" | "replication",
    reason: "parser_error" | "drop_ctl" | "no_destination",
  ): void {
    this.stats.dropped++;
    this.stats.drops[where]++;
    this.tracer?.drop(this.tracer.node, reason);
  }

  /** The traffic manager: what ingress asked for. `arrived` is the packet as it came. */
  #manage(ingress: Ingress, stage: Stage, arrived: { port: number; frame: Uint8Array; start: number }): void {
    const { state } = this;
    const { phv } = state;
    const drop = read(phv, ingress.drop);
    if (state.digest !== 0) {
      this.tracer?.digest(state.digest);
      this.learn(state.digest, phv);
    }
    if (state.mirror >= 0 && (drop & DROP.mirror) === 0)
      this.#mirror("ingress_clone", arrived.frame.subarray(arrived.start));
    if (state.resubmitData !== undefined && (drop & DROP.packet) === 0) {
      this.#resubmit(arrived, state.resubmitData);
      return;
    }
    const isDropped = (drop & DROP.packet) !== 0;
    const port = ingress.port < 0 || isDropped ? NO_PORT : phv[ingress.port]!;
    const groupA = isDropped ? 0 : read(phv, ingress.groupA);
    const groupB = isDropped ? 0 : read(phv, ingress.groupB);
    const toCpu =
      read(phv, ingress.copyToCpu) === 1 && (drop & DROP.copyToCpu) === 0 && this.cpuPort !== undefined;
    const isUnicast = groupA === 0 && groupB === 0 && !toCpu;
    if (isUnicast && port === NO_PORT) {
      this.#drop("ingress", isDropped ? "drop_ctl" : "no_destination");
      return;
    }
    const frame = stage.emit(state, NO_LIMIT);
    const wishes = this.#wishes;
    wishes.rid = 0;
    wishes.isFirst = false;
    wishes.queue = read(phv, ingress.queue);
    wishes.serviceClass = read(phv, ingress.serviceClass);
    wishes.bypasses = read(phv, ingress.bypass);
    if (isUnicast) {
      const copy = this.#copyOf(frame, wishes);
      copy.node = this.tracer?.node;
      this.enqueue(copy, port, this.#lineOf(wishes.queue));
      return;
    }
    if (groupA !== 0) this.#replicate(frame, groupA);
    if (groupB !== 0) this.#replicate(frame, groupB);
    wishes.rid = 0;
    wishes.isFirst = false;
    if (toCpu) this.#replica(frame, defined(this.cpuPort));
    if (port !== NO_PORT) this.#replica(frame, port);
    this.tracer?.forked("multicast", groupA || groupB);
  }

  /** A copy to each member of a group. */
  #replicate(frame: Uint8Array, group: number): void {
    const replicas: readonly Replica[] = this.replication.replicas(group);
    this.tracer?.multicast(group, this.replication.groups.has(group), replicas);
    if (replicas.length === 0) {
      this.stats.dropped++;
      this.stats.drops.replication++;
    }
    for (const [i, { port, instance }] of replicas.entries()) {
      this.#wishes.rid = instance & 0xffff;
      this.#wishes.isFirst = i === 0;
      this.#replica(frame, port);
    }
  }

  #replica(frame: Uint8Array, port: number): void {
    const copy = this.#copyOf(frame, this.#wishes);
    copy.node = this.tracer?.fork("replica", port, this.#wishes.rid);
    this.enqueue(copy, port, this.#lineOf(this.#wishes.queue));
  }

  /** The queue of a port; a switch with fewer queues than the hardware puts all others into the first. */
  #lineOf(queue: number): number {
    return queue < (this.queues?.priorities ?? 1) ? queue : 0;
  }

  #copyOf(frame: Uint8Array, words: Readonly<Wishes>): PacketCopy {
    const copy = this.work!.pool.take(frame);
    const { phv } = copy;
    phv[WORD.rid] = words.rid;
    phv[WORD.isFirst] = words.isFirst ? 1 : 0;
    phv[WORD.queue] = words.queue;
    phv[WORD.serviceClass] = words.serviceClass;
    phv[WORD.bypasses] = words.bypasses;
    phv[WORD.isResubmitted] = 0;
    copy.start = 0;
    copy.end = frame.length;
    copy.packetLength = frame.length;
    copy.ingressLength = frame.length;
    copy.limit = NO_LIMIT;
    return copy;
  }

  #resubmit(
    { port, frame, start }: { port: number; frame: Uint8Array; start: number },
    data: Uint8Array,
  ): void {
    const front = this.#intrinsic.ingressBytes - 8;
    const again = new Uint8Array(front + frame.length - start);
    again.set(data.subarray(0, front));
    again.set(frame.subarray(start), front);
    const copy = this.#copyOf(again, PLAIN);
    copy.start = front;
    copy.port = port;
    copy.phv[WORD.isResubmitted] = 1;
    copy.node = this.tracer?.fork("resubmit");
    this.tracer?.forked("resubmit");
    this.work!.again.push(copy);
  }

  /** A copy of a packet with the deparser's header in front goes to the ports of the session, through egress. */
  #mirror(cause: "ingress_clone" | "egress_clone", packet: Uint8Array): void {
    const { state } = this;
    const session: MirrorSession | undefined = this.replication.sessions.get(state.mirror);
    this.tracer?.cloneSession(state.mirror, session);
    if (session === undefined) return;
    const data = state.mirrorData;
    const limit = session.lengthLimit > 0 ? session.lengthLimit : packet.length;
    const cut = packet.length > limit ? packet.subarray(0, limit) : packet;
    const original = this.tracer?.node;
    const clone = this.tracer?.fork(cause);
    this.tracer?.use(clone);
    for (const { port, instance } of session.replicas) {
      const frame = new Uint8Array(data.length + cut.length);
      frame.set(data);
      frame.set(cut, data.length);
      const queue = session.classOfService;
      const copy = this.#copyOf(frame, {
        rid: instance & 0xffff,
        isFirst: false,
        queue,
        serviceClass: 0,
        bypasses: 0,
      });
      copy.node = this.tracer?.fork("replica", port, instance);
      this.enqueue(copy, port, this.#lineOf(queue));
    }
    this.tracer?.forked("clone");
    this.tracer?.use(original);
  }

  protected leave(
    copy: PacketCopy,
    since: number,
    depthBefore: number,
    depthAfter: number,
  ): Uint8Array | undefined {
    const { port, phv } = copy;
    const frame = phv[WORD.bypasses] === 1 ? copy.frame : this.#egress(copy, since, depthBefore, depthAfter);
    if (frame === undefined) return undefined;
    if (port !== this.cpuPort && (this.recirculates ?? isRecirculation)(port)) {
      const again = this.#copyOf(frame, PLAIN);
      again.port = port;
      again.node = this.tracer?.fork("recirculate");
      this.tracer?.forked("recirculate");
      this.work!.again.push(again);
      return undefined;
    }
    this.tracer?.leaves(frame);
    return frame;
  }

  #egress(copy: PacketCopy, since: number, depthBefore: number, depthAfter: number): Uint8Array | undefined {
    const { state, code } = this;
    const { port, phv: words } = copy;
    const { egress } = this.#pipeOf(port);
    const stage = code.stages[egress.number]!;
    const now = this.#now();
    const arrived = since === NOT_QUEUED ? now : Math.floor(since * 1000);
    const room = this.#begin(copy.frame, 0, this.#intrinsic.egressBytes, egress.skips);
    const leaving = this.#leaving;
    leaving.port = port;
    leaving.rid = words[WORD.rid]!;
    leaving.isFirst = words[WORD.isFirst] === 1;
    leaving.queue = words[WORD.queue]!;
    leaving.serviceClass = words[WORD.serviceClass]!;
    leaving.depthBefore = depthBefore;
    leaving.depthAfter = depthAfter;
    leaving.arrived = arrived;
    leaving.waited = now - arrived;
    leaving.length = copy.frame.length + FRAME_CHECK_BYTES;
    putEgress(room, this.#intrinsic, leaving);
    const { phv } = state;
    state.egressPort = port;
    this.#putTime(egress.time, now);
    const error = this.#errors[this.#parse(stage, port)]!;
    if (egress.error >= 0) phv[egress.error] = error;
    stage.control(state);
    if (this.aborted()) return undefined;
    stage.prepare(state, phv);
    const drop = egress.drop < 0 ? 0 : phv[egress.drop]!;
    const isMirrored = state.mirror >= 0 && (drop & DROP.mirror) === 0;
    const isDropped = (drop & DROP.packet) !== 0;
    const frame = isDropped && !isMirrored ? undefined : stage.emit(state, NO_LIMIT);
    if (isMirrored) this.#mirror("egress_clone", defined(frame));
    if (isDropped) {
      this.#drop("egress", "drop_ctl");
      return undefined;
    }
    return frame;
  }
}
