/**
 * The path of a packet through a Tofino: ingress parser, ingress, ingress deparser, traffic manager, egress parser, egress, egress
 * deparser. Between ingress and egress a packet is bytes: what the deparser emitted. Both parsers find the intrinsic metadata in front of
 * the packet. `docs/tna/engine.md` has the rules.
 */
import { defined } from "../../../base/index.js";
import type { Replica } from "../../device/index.js";
import type { bmv2 } from "../../program/index.js";
import { copyBytes, newFrame } from "../codegen/frames.js";
import type { Stage } from "../codegen/specialised.js";
import {
  clear,
  type EgressPacket,
  errorBits,
  INTRINSIC,
  type IngressPacket,
  type Intrinsic,
  putEgress,
  putIngress,
  TOO_SHORT,
} from "../state/intrinsic.js";
import { NO_LIMIT } from "../state/packet-state.js";
import type { RegisterArray } from "../tables/resources.js";
import { Forwarder, type ForwarderParts, NOT_QUEUED } from "./forwarder.js";
import { GhostThreads } from "./ghost.js";
import type { PacketCopy } from "./packet-copy.js";
import type { MirrorSession } from "./replication.js";
import { Egress, Ingress, PortMetadata, read } from "./tofino-gress.js";
import type { Workspaces } from "./workspace.js";

/** Words that a packet keeps in the traffic manager. */
const WORD = {
  rid: 0,
  isFirst: 1,
  queue: 2,
  serviceClass: 3,
  bypasses: 4,
  isResubmitted: 5,
  length: 6,
} as const;

/** `ucast_egress_port` of a packet for which ingress chose no port. */
const NO_PORT = 511;

/** Bits of `drop_ctl`: what does not happen. */
const DROP = { packet: 1, copyToCpu: 2, mirror: 4 };

/** The hardware counts the frame check sequence, which a frame here does not have. */
const FRAME_CHECK_BYTES = 4;

const PORTS_OF_PIPE = 128;
const PORTS_OF_PARSER = 4;

/** Ports 68 to 71 of a pipe lead back to its ingress. */
export function isRecirculation(port: number): boolean {
  const inPipe = port & (PORTS_OF_PIPE - 1);
  return inPipe >= 68 && inPipe <= 71;
}

/** What the traffic manager is to do with a packet. */
interface Wishes {
  rid: number;
  isFirst: boolean;
  queue: number;
  serviceClass: number;
  bypasses: number;
  /** `pkt_length` of egress: the bytes that came to ingress, or those of the mirror; what ingress adds for egress does not count. */
  length: number;
}

/** What a packet excludes of groups. */
interface Excluded {
  readonly level1: number;
  readonly level2: number;
  readonly rid: number;
}

/** Of a packet that nobody wishes anything for. */
const PLAIN: Readonly<Wishes> = { rid: 0, isFirst: false, queue: 0, serviceClass: 0, bypasses: 0, length: 0 };

/** What a packet met in its queue: when it came, and how many were there when it came and left. */
interface Waited {
  since: number;
  depthBefore: number;
  depthAfter: number;
}

const UNQUEUED: Readonly<Waited> = { since: NOT_QUEUED, depthBefore: 0, depthAfter: 0 };

/** A packet as it comes to ingress, from `start` on. */
interface Arrived {
  port: number;
  frame: Uint8Array;
  start: number;
}

interface Pipe {
  readonly ingress: Ingress;
  readonly egress: Egress;
}

export class Tofino extends Forwarder {
  readonly #pipes: readonly Pipe[];
  readonly #intrinsic: Intrinsic;
  /** Ports that level 2 excludes, a bit each, by the id. */
  readonly #prune: RegisterArray | undefined;
  readonly #errors: Int32Array;
  override readonly cellBytes: number;
  override readonly ghost: GhostThreads | undefined;
  /** Of the present packet. */
  readonly #wishes: Wishes = { ...PLAIN };
  /** Of the copy that is being mirrored. */
  readonly #mirrored: Wishes = { ...PLAIN };
  /** Copies of the present packet that the mirror buffer holds. */
  readonly #mirrors: PacketCopy[] = [];
  #mirrorCount = 0;
  readonly #waited: Waited = { ...UNQUEUED };
  /** The present packet as it came to ingress, one object for all packets; good until its ingress ends. */
  readonly #arrived: Arrived = { port: 0, frame: new Uint8Array(0), start: 0 };
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
    const isChanged = ([header, field]: bmv2.FieldRef) => {
      const { fields, headers } = layout.changes;
      const slot = layout.field(header, field);
      return (
        slot !== undefined && (fields.has(slot.at) || headers.has(defined(layout.headers.get(slot.header))))
      );
    };
    this.#pipes = pipes.map(({ ingress, egress }, i) => ({
      ingress: new Ingress(2 * i, ingress, { place, isChanged }),
      egress: new Egress(2 * i + 1, egress, { place, isChanged }),
    }));
    for (const [i, { ingress }] of pipes.entries())
      this.#pipes[i]!.ingress.portMetadata = ingress.portMetadata?.map((one) => {
        const register = one === undefined ? undefined : this.registers.get(one);
        return register === undefined ? undefined : new PortMetadata(register);
      });
    this.#intrinsic = INTRINSIC[name];
    this.#prune = this.registers.get("$pre.prune");
    this.#errors = errorBits(program.errors);
    this.cellBytes = this.#intrinsic.cellBytes;
    const ghost = new GhostThreads(this.specialised, this.own);
    this.ghost = ghost.any ? ghost : undefined;
  }

  #pipeOf(port: number): Pipe {
    const pipes = this.#pipes;
    return pipes[pipes.length === 1 ? 0 : Math.floor(port / PORTS_OF_PIPE) % pipes.length]!;
  }

  #parse(stage: Stage, port: number): number {
    const { parsers } = stage;
    if (parsers.length === 1) return parsers[0]!(this.state);
    const group = Math.floor((port % PORTS_OF_PIPE) / PORTS_OF_PARSER);
    return parsers[group % parsers.length]!(this.state);
  }

  #portMetadata(all: readonly (PortMetadata | undefined)[], port: number): Uint8Array | undefined {
    const group = Math.floor((port % PORTS_OF_PIPE) / PORTS_OF_PARSER);
    return all[group % all.length]?.of(port);
  }

  /** Nanoseconds. A whole number of them is often not exact as a number of microseconds. */
  #now(): number {
    return Math.round(this.clock.now() * 1000);
  }

  #putTime(at: number, time: number): void {
    if (at < 0) return;
    const { phv } = this.state;
    phv[at] = time;
    phv[at + 1] = (time / 4294967296) & 0xffff;
  }

  protected enter(port: number, frame: Uint8Array, ownsFrame: boolean): void {
    const arrived = this.#arrived;
    arrived.port = port;
    arrived.frame = frame;
    arrived.start = 0;
    this.#begin(frame, 0, ownsFrame);
    this.#ingress(arrived, undefined);
  }

  protected reenter({ port, frame, start, phv, ownsFrame }: PacketCopy): void {
    const isResubmitted = phv[WORD.isResubmitted] === 1;
    const arrived = this.#arrived;
    arrived.port = port;
    arrived.frame = frame;
    arrived.start = start;
    this.#begin(frame, start, ownsFrame);
    this.#ingress(arrived, isResubmitted ? frame.subarray(0, start) : undefined);
  }

  /** Makes a packet, from `start` on, the present one; the PHV stays as it is. */
  #begin(frame: Uint8Array, start: number, ownsFrame: boolean): void {
    const { state } = this;
    const size = frame.length - start;
    state.phv = state.main;
    state.frame = frame;
    state.ownsFrame = ownsFrame;
    state.start = start;
    state.end = frame.length;
    state.packetLength = size;
    state.ingressLength = size + FRAME_CHECK_BYTES;
    state.limit = NO_LIMIT;
    state.clearRequests();
    state.mirror = -1;
    state.resubmitData = undefined;
  }

  /** Puts the present packet into a room of its own, behind `front` bytes of metadata and in front of its frame check sequence, here zeros. */
  #toRoom(frame: Uint8Array, start: number, front: number): Uint8Array {
    const { state } = this;
    const size = frame.length - start;
    const end = front + size;
    if (this.#room.length < end + FRAME_CHECK_BYTES)
      this.#room = new Uint8Array(2 * (end + FRAME_CHECK_BYTES));
    const room = this.#room;
    room.set(start === 0 ? frame : frame.subarray(start), front);
    clear(room, end, end + FRAME_CHECK_BYTES);
    state.frame = room;
    state.ownsFrame = false;
    state.start = 0;
    state.end = end;
    return room;
  }

  #ingress(arrived: Arrived, resubmitted: Uint8Array | undefined): void {
    const { state, code } = this;
    const { port } = arrived;
    const { ingress } = this.#pipeOf(port);
    const stage = code.stages[ingress.number]!;
    const { phv } = state;
    // Nothing of this is looked at where the parser takes the metadata apart and reads none of it.
    if (stage.readsFront || stage.readsTime || !stage.isApart) {
      const arriving = this.#arriving;
      arriving.port = port;
      arriving.nanoseconds = this.#now();
      arriving.isResubmitted = resubmitted !== undefined;
      arriving.front =
        resubmitted ?? (ingress.portMetadata && this.#portMetadata(ingress.portMetadata, port));
    }
    const error = this.#parseIngress(ingress, stage, arrived);
    if (error !== 0 && !ingress.seesErrors) {
      this.#drop("ingress", "parser_error");
      return;
    }
    if (ingress.error >= 0) phv[ingress.error] = error;
    stage.control(state);
    if (this.aborted()) return;
    stage.prepare(state, phv);
    this.#manage(ingress, stage, arrived);
    if (this.#mirrorCount > 0) this.#release();
  }

  /** All fields are 0 but those that the hardware sets. */
  #clearIngress({ port, time }: Ingress, stage: Stage): void {
    const { state, code } = this;
    code.clearPairs(state.pairs);
    if (port >= 0) state.main[port] = NO_PORT;
    if (stage.readsTime) this.#putTime(time, this.#arriving.nanoseconds);
  }

  /**
   * Parses the packet that arrives, gives the bits of its error. The parser can read the frame check sequence, which is no part of the payload:
   * a packet that is too short without it is parsed again. Code that traces or counts parses once.
   */
  #parseIngress(ingress: Ingress, stage: Stage, arrived: Arrived): number {
    const { state } = this;
    this.#clearIngress(ingress, stage);
    if (stage.isApart || ingress.skips) {
      if (stage.readsFront) putIngress(state.front, this.#intrinsic, this.#arriving);
      if (this.tracer === undefined && this.own.hits === undefined) {
        const error = this.#errors[this.#parse(stage, arrived.port)]!;
        if (error !== TOO_SHORT) return error;
        this.#clearIngress(ingress, stage);
      }
      this.#toRoom(arrived.frame, arrived.start, 0);
    } else
      putIngress(
        this.#toRoom(arrived.frame, arrived.start, this.#intrinsic.ingressBytes),
        this.#intrinsic,
        this.#arriving,
      );
    const { end } = state;
    state.end = end + FRAME_CHECK_BYTES;
    const error = this.#errors[this.#parse(stage, arrived.port)]!;
    state.end = Math.max(state.start, end);
    return error;
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
  #manage(ingress: Ingress, stage: Stage, arrived: Arrived): void {
    const { state } = this;
    const { phv } = state;
    const drop = read(phv, ingress.drop);
    if (state.digest !== 0) {
      this.tracer?.digest(state.digest);
      this.learn(state.digest, phv);
    }
    if (state.mirror >= 0 && (drop & DROP.mirror) === 0)
      this.#mirror("ingress_clone", arrived.frame, arrived.start);
    if (state.resubmitData !== undefined && (drop & DROP.packet) === 0) {
      this.#resubmit(arrived, state.resubmitData);
      return;
    }
    const isDropped = (drop & DROP.packet) !== 0;
    const port = ingress.port < 0 || isDropped ? NO_PORT : phv[ingress.port]!;
    const wishes = this.#wishes;
    wishes.rid = 0;
    wishes.isFirst = false;
    wishes.queue = read(phv, ingress.queue);
    wishes.serviceClass = read(phv, ingress.serviceClass);
    wishes.bypasses = read(phv, ingress.bypass);
    wishes.length = state.ingressLength;
    if (ingress.copies && this.#copies(ingress, stage, drop)) return;
    if (port === NO_PORT) this.#drop("ingress", isDropped ? "drop_ctl" : "no_destination");
    else this.#unicast(port, stage.emit(state, NO_LIMIT));
  }

  /** Sends a packet to its groups, the CPU port and its port; false where it goes to one port at most. */
  #copies(ingress: Ingress, stage: Stage, drop: number): boolean {
    const { phv } = this.state;
    const isDropped = (drop & DROP.packet) !== 0;
    const groupA = isDropped ? 0 : read(phv, ingress.groupA);
    const groupB = isDropped ? 0 : read(phv, ingress.groupB);
    const toCpu =
      read(phv, ingress.copyToCpu) === 1 && (drop & DROP.copyToCpu) === 0 && this.cpuPort !== undefined;
    if (groupA === 0 && groupB === 0 && !toCpu) return false;
    const port = ingress.port < 0 || isDropped ? NO_PORT : phv[ingress.port]!;
    const frame = stage.emit(this.state, NO_LIMIT);
    const wishes = this.#wishes;
    if (groupA !== 0 || groupB !== 0) {
      const excluded = {
        level1: read(phv, ingress.level1),
        level2: read(phv, ingress.level2),
        rid: read(phv, ingress.rid),
      };
      if (groupA !== 0) this.#replicate(frame, groupA, excluded);
      if (groupB !== 0) this.#replicate(frame, groupB, excluded);
    }
    wishes.rid = 0;
    wishes.isFirst = false;
    if (toCpu) this.#replica(frame, defined(this.cpuPort));
    if (port !== NO_PORT) this.#replica(frame, port);
    this.tracer?.forked("multicast", groupA || groupB);
    return true;
  }

  /** To one port: at once, where no packet waits, without a copy. */
  #unicast(port: number, frame: Uint8Array): void {
    const { queues } = this;
    const wishes = this.#wishes;
    const line = this.#lineOf(wishes.queue);
    if (this.work!.egress.length > 0 || (queues !== undefined && !queues.passes(port, line))) {
      const copy = this.#copyOf(frame, wishes);
      copy.ownsFrame = true;
      copy.node = this.tracer?.node;
      this.enqueue(copy, port, line);
      return;
    }
    const made = wishes.bypasses === 1 ? frame : this.#egressOf(port, frame, true, UNQUEUED);
    const left = made === undefined ? undefined : this.#out(port, made);
    if (left === undefined) return;
    if (queues === undefined) this.output.transmit(port, left);
    else queues.start(port, left);
  }

  /** A copy to each member of a group that the packet does not exclude. */
  #replicate(frame: Uint8Array, group: number, excluded: Excluded): void {
    const all: readonly Replica[] = this.replication.replicas(group);
    const replicas = all.filter((one) => !this.#isExcluded(one, excluded));
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

  /** Level 1 excludes the replicas of a node; level 2 ports, of the replicas with the packet's `rid`. */
  #isExcluded({ port, instance, exclusion }: Replica, { level1, level2, rid }: Excluded): boolean {
    if (exclusion === level1) return true;
    if (this.#prune === undefined || (instance & 0xffff) !== rid || level2 >= this.#prune.size) return false;
    return (this.#prune.data[level2 * this.#prune.words + (port >> 5)]! & (1 << (port & 31))) !== 0;
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
    phv[WORD.length] = words.length;
    copy.start = 0;
    copy.end = frame.length;
    copy.packetLength = frame.length;
    copy.ingressLength = frame.length;
    copy.limit = NO_LIMIT;
    return copy;
  }

  #resubmit({ port, frame, start }: Arrived, data: Uint8Array): void {
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
    this.goAgain(copy);
  }

  /** A copy of a packet, from `start` on, with the deparser's header in front goes to the ports of the session, through egress. */
  #mirror(cause: "ingress_clone" | "egress_clone", packet: Uint8Array, start: number): void {
    const { state, tracer } = this;
    const session: MirrorSession | undefined = this.replication.sessions.get(state.mirror);
    tracer?.cloneSession(state.mirror, session);
    if (session === undefined) return;
    const { mirrorBytes } = state;
    const whole = packet.length - start;
    const size = session.lengthLimit > 0 ? Math.min(whole, session.lengthLimit) : whole;
    const original = tracer?.node;
    tracer?.use(tracer.fork(cause));
    const { replicas, classOfService } = session;
    const wishes = this.#mirrored;
    wishes.queue = classOfService;
    wishes.length = mirrorBytes + size + FRAME_CHECK_BYTES;
    for (let i = 0; i < replicas.length; i++) {
      const { port, instance } = replicas[i]!;
      const frame = newFrame(mirrorBytes + size);
      copyBytes(frame, 0, state.mirrorData, 0, mirrorBytes);
      copyBytes(frame, mirrorBytes, packet, start, size);
      wishes.rid = instance & 0xffff;
      const copy = this.#copyOf(frame, wishes);
      copy.ownsFrame = true;
      copy.port = port;
      copy.node = tracer?.fork("replica", port, instance);
      this.#mirrors[this.#mirrorCount++] = copy;
    }
    tracer?.forked("clone");
    tracer?.use(original);
  }

  /** Mirrored packets come to the traffic manager behind the packet of which they are copies: the mirror buffer holds them until then. */
  #release(): void {
    const count = this.#mirrorCount;
    this.#mirrorCount = 0;
    for (let i = 0; i < count; i++) {
      const copy = this.#mirrors[i]!;
      this.enqueue(copy, copy.port, this.#lineOf(copy.phv[WORD.queue]!));
    }
  }

  protected leave(
    copy: PacketCopy,
    since: number,
    depthBefore: number,
    depthAfter: number,
  ): Uint8Array | undefined {
    const { port, phv: words } = copy;
    if (words[WORD.bypasses] === 1) return this.#out(port, copy.frame);
    const wishes = this.#wishes;
    wishes.rid = words[WORD.rid]!;
    wishes.isFirst = words[WORD.isFirst] === 1;
    wishes.queue = words[WORD.queue]!;
    wishes.serviceClass = words[WORD.serviceClass]!;
    wishes.length = words[WORD.length]!;
    this.code.clearPairs(this.state.pairs);
    const waited = this.#waited;
    waited.since = since;
    waited.depthBefore = depthBefore;
    waited.depthAfter = depthAfter;
    const frame = this.#egressOf(port, copy.frame, copy.ownsFrame, waited);
    if (this.#mirrorCount > 0) this.#release();
    return frame === undefined ? undefined : this.#out(port, frame);
  }

  /** The frame that leaves by a port; undefined where the port leads back to ingress. */
  #out(port: number, frame: Uint8Array): Uint8Array | undefined {
    if (port !== this.cpuPort && (this.recirculates ?? isRecirculation)(port)) {
      this.recirculated(frame);
      const again = this.#copyOf(frame, PLAIN);
      again.port = port;
      again.node = this.tracer?.fork("recirculate");
      this.tracer?.forked("recirculate");
      this.goAgain(again);
      return undefined;
    }
    this.tracer?.leaves(frame);
    return frame;
  }

  /** The intrinsic metadata that egress gets with the present packet. */
  #leavingOf(port: number, { since, depthBefore, depthAfter }: Readonly<Waited>): EgressPacket {
    const now = this.#now();
    const arrived = since === NOT_QUEUED ? now : Math.round(since * 1000);
    const wishes = this.#wishes;
    const leaving = this.#leaving;
    leaving.port = port;
    leaving.rid = wishes.rid;
    leaving.isFirst = wishes.isFirst;
    leaving.queue = wishes.queue;
    leaving.serviceClass = wishes.serviceClass;
    leaving.depthBefore = depthBefore;
    leaving.depthAfter = depthAfter;
    leaving.arrived = arrived;
    leaving.waited = now - arrived;
    leaving.length = wishes.length;
    return leaving;
  }

  /** Runs egress with the present wishes; the fields of egress are 0. */
  #egressOf(
    port: number,
    packet: Uint8Array,
    ownsFrame: boolean,
    waited: Readonly<Waited>,
  ): Uint8Array | undefined {
    const { state, code } = this;
    const { egress } = this.#pipeOf(port);
    const stage = code.stages[egress.number]!;
    if (stage.isIdle) return ownsFrame ? packet : packet.slice();
    this.#begin(packet, 0, ownsFrame);
    if (stage.readsFront || !(stage.isApart || egress.skips)) {
      const front = stage.isApart ? state.front : this.#toRoom(packet, 0, this.#intrinsic.egressBytes);
      putEgress(front, this.#intrinsic, this.#leavingOf(port, waited));
    }
    const { phv } = state;
    state.egressPort = port;
    if (stage.readsTime) this.#putTime(egress.time, this.#now());
    const error = this.#errors[this.#parse(stage, port)]!;
    if (egress.error >= 0) phv[egress.error] = error;
    stage.control(state);
    if (this.aborted()) return undefined;
    stage.prepare(state, phv);
    const drop = egress.drop < 0 ? 0 : phv[egress.drop]!;
    const isMirrored = state.mirror >= 0 && (drop & DROP.mirror) === 0;
    const isDropped = (drop & DROP.packet) !== 0;
    const frame = isDropped && !isMirrored ? undefined : stage.emit(state, NO_LIMIT);
    if (isMirrored) this.#mirror("egress_clone", defined(frame), 0);
    if (isDropped) {
      this.#drop("egress", "drop_ctl");
      return undefined;
    }
    return frame;
  }
}
