/**
 * The path of a packet through simple_switch: parser, ingress, the requests of ingress, queue, egress, the requests of
 * egress, deparser. The order at the end of ingress and of egress is that of the "simple_switch"
 * document of the behavioral model.
 */

import type { Replica } from "../../device/index.js";
import type { Code, Specialised } from "../codegen/specialised.js";
import type { SwitchClock, SwitchStatistics } from "../options.js";
import type { OwnState } from "../state/own-state.js";
import { NO_LIMIT, type PacketState } from "../state/packet-state.js";
import type { TraceNode } from "../trace/recorder.js";
import type { PacketTracer } from "../trace/tracer.js";
import { Fifo, type PacketCopy } from "./packet-copy.js";
import type { Output, Queues } from "./queues.js";
import type { MirrorSession, Replication } from "./replication.js";
import { type ProgramWorkspaces, Workspace, type Workspaces } from "./workspace.js";

/** Values of `standard_metadata.instance_type`. */
const INSTANCE = {
  normal: 0,
  ingressClone: 1,
  egressClone: 2,
  recirculated: 4,
  replicated: 5,
  resubmitted: 6,
};

/** Maximum number of passes that one received frame may cause (clones, copies, rounds); a program with more loops forever. */
const MAX_PASSES = 65536;

/** In place of the time at which a packet was queued: the packet was not queued. */
const NOT_QUEUED = -1;

/** What a forwarder works with. */
interface ForwarderParts {
  readonly specialised: Specialised;
  readonly own: OwnState;
  readonly stats: SwitchStatistics;
  readonly output: Output;
  readonly clock: SwitchClock;
  /** Frames that arrive may be changed. */
  readonly ownsFrames: boolean;
  readonly replication: Replication;
  /** Sends the digest of a learn list. */
  readonly learn: (list: number, phv: Int32Array) => void;
}

export class Forwarder implements ForwarderParts {
  readonly specialised: Specialised;
  readonly own: OwnState;
  readonly stats: SwitchStatistics;
  readonly output: Output;
  readonly clock: SwitchClock;
  readonly ownsFrames: boolean;
  readonly replication: Replication;
  readonly learn: (list: number, phv: Int32Array) => void;
  /** Undefined while no packet is being run. */
  #work: Workspace | undefined;
  readonly #workspaces: ProgramWorkspaces;
  /** Undefined: no packet ever waits. */
  queues: Queues | undefined;
  /** Frames that came in while a packet was being run. */
  #arrived: Fifo<{ id: number; port: number; frame: Uint8Array }> | undefined;
  /** The packet that is being run, or was. */
  state: PacketState;
  /** That of the current packet: with or without calls of the tracer. */
  #code: Code;
  #traced: Code;
  #tracer: PacketTracer | undefined;
  readonly #timestampsWide: boolean;

  constructor(parts: ForwarderParts, workspaces: Workspaces) {
    const { specialised } = parts;
    this.specialised = specialised;
    this.own = parts.own;
    this.stats = parts.stats;
    this.output = parts.output;
    this.clock = parts.clock;
    this.ownsFrames = parts.ownsFrames;
    this.replication = parts.replication;
    this.learn = parts.learn;
    this.#workspaces = workspaces.of(specialised);
    this.state = (this.#workspaces.free[0] ?? this.#newWorkspace()).state;
    this.#code = specialised.code;
    this.#traced = specialised.code;
    const { layout } = specialised;
    this.#timestampsWide = (layout.field("intrinsic_metadata", "ingress_global_timestamp")?.words ?? 1) > 1;
  }

  /** Chooses the frames that are traced; undefined: all, while there is a tracer. */
  traces: ((port: number, frame: Uint8Array) => boolean) | undefined;

  /** Turns tracing on or off from the next frame on. Packets that are already in the switch are not traced. */
  traceTo(tracer: PacketTracer | undefined): void {
    this.#tracer?.close();
    this.#tracer = tracer;
    this.#code = tracer === undefined ? this.specialised.code : tracer.wrap();
    this.#traced = this.#code;
    // Traced code may be running at this moment, so the state keeps the closed tracer, which records nothing.
    tracer?.enter(this.state);
  }

  #newWorkspace(): Workspace {
    return new Workspace(this.specialised, this.own, this.#workspaces.pool);
  }

  #begin(): void {
    const work = this.#workspaces.free.pop() ?? this.#newWorkspace();
    const { state } = work;
    state.own = this.own;
    this.#work = work;
    this.state = state;
    if (this.#tracer !== undefined) this.#tracer.enter(state);
  }

  #end(): void {
    this.#workspaces.free.push(this.#work!);
    this.#work = undefined;
  }

  /** Runs an arriving frame to the end of ingress, and everything that does not have to wait. */
  receive(port: number, frame: Uint8Array): void {
    this.stats.received++;
    if (this.#work !== undefined) {
      this.#arrived ??= new Fifo();
      this.#arrived.push({ id: this.stats.received - 1, port, frame });
      return;
    }
    this.#begin();
    try {
      this.#ingressOf(this.stats.received - 1, port, frame);
      this.#drain();
    } finally {
      this.#end();
    }
  }

  /** Continues with packets that wait; must be called when a port becomes free. */
  resume(): void {
    if (this.#work !== undefined) return;
    this.#begin();
    try {
      this.#drain();
    } finally {
      this.#end();
    }
  }

  #drain(): void {
    const { pool, egress, again: rounds } = this.#work!;
    const waiting = egress.length + rounds.length + (this.#arrived?.length ?? 0);
    if (waiting === 0 && this.queues?.hasReady !== true) return;
    for (let passes = 0; ; passes++) {
      if (passes > MAX_PASSES) {
        this.#giveUp();
        return;
      }
      const copy = egress.shift();
      if (copy !== undefined) {
        this.#load(copy);
        const frame = this.#runEgress(copy.port, NOT_QUEUED, 0, 0, 0);
        this.state.phv = this.state.main;
        pool.release(copy);
        if (frame !== undefined) this.output.transmit(copy.port, frame);
        continue;
      }
      if (this.queues?.serveReady()) continue;
      const again = rounds.shift();
      if (again !== undefined) {
        this.#load(again);
        this.#stampIngress();
        this.#runIngress(true);
        this.state.phv = this.state.main;
        pool.release(again);
        continue;
      }
      const arrived = this.#arrived?.shift();
      if (arrived === undefined) return;
      this.#ingressOf(arrived.id, arrived.port, arrived.frame);
    }
  }

  /**
   * Drops the waiting packets of a program that makes copies endlessly. Afterwards no packet may use the memory of the
   * received frame, since the owner of the frame reuses that memory.
   */
  #giveUp(): void {
    const { pool, egress, again } = this.#work!;
    const drop = (copy: PacketCopy): void => {
      this.#tracer?.drop(copy.node, "too_many_passes");
      pool.release(copy);
      this.#countLoop();
    };
    for (const list of [egress, again]) {
      for (let copy = list.shift(); copy !== undefined; copy = list.shift()) drop(copy);
    }
    this.queues?.discardReady(drop);
    while (this.#arrived?.shift() !== undefined) this.#countLoop();
  }

  #countLoop(): void {
    this.stats.dropped++;
    this.stats.drops.loop++;
    this.stats.aborted++;
  }

  #ingressOf(id: number, port: number, frame: Uint8Array): void {
    const { state } = this;
    let isTraced = false;
    if (this.#tracer !== undefined) {
      isTraced = this.traces?.(port, frame) ?? true;
      if (isTraced) this.#tracer.arrive(id, port, frame);
      else this.#tracer.use(undefined);
      this.#code = isTraced ? this.#traced : this.specialised.code;
    }
    const { fields } = state;
    const { phv } = state;
    this.#code.clear(phv);
    state.frame = frame;
    state.ownsFrame = this.ownsFrames && !isTraced;
    state.start = 0;
    state.end = frame.length;
    state.packetLength = frame.length;
    state.ingressLength = frame.length;
    state.limit = NO_LIMIT;
    phv[fields.ingressPort] = port;
    phv[fields.packetLength] = frame.length;
    this.#stampIngress();
    this.#runIngress(false);
  }

  #stampIngress(): void {
    const { ingressTimestamp } = this.state.fields;
    if (ingressTimestamp >= 0) this.#putTime(ingressTimestamp);
  }

  #putTime(at: number): void {
    const now = this.clock.now();
    const { phv } = this.state;
    phv[at] = now;
    if (this.#timestampsWide) phv[at + 1] = (now / 4294967296) & 0xffff;
  }

  /** Makes a waiting packet the current packet. */
  #load(copy: PacketCopy): void {
    const { state } = this;
    state.phv = copy.phv;
    state.frame = copy.frame;
    state.ownsFrame = copy.ownsFrame;
    state.start = copy.start;
    state.end = copy.end;
    state.packetLength = copy.packetLength;
    state.ingressLength = copy.ingressLength;
    state.limit = copy.limit;
    this.#follow(copy.node);
  }

  /** Sets the part of a trace of the current packet; undefined: none. */
  #follow(node: TraceNode | undefined): void {
    if (this.#tracer === undefined) return;
    this.#tracer.use(node);
    this.#code = node === undefined ? this.specialised.code : this.#traced;
  }

  #aborted(): boolean {
    const { aborted } = this.state;
    if (aborted === undefined) return false;
    const { stats } = this;
    this.own.onLog?.(this.state.abortText);
    this.state.aborted = undefined;
    stats.aborted++;
    stats.dropped++;
    if (aborted === "endless_loop") stats.drops.loop++;
    else stats.drops.assertion++;
    this.#tracer?.drop(this.#tracer.node, aborted);
    return true;
  }

  #runIngress(isCopy: boolean): void {
    const { state } = this;
    const { fields } = state;
    const code = this.#code;
    const start = state.start;
    const arrivedLength = state.packetLength;
    const error = code.parse(state);
    const { phv } = state;
    if (fields.parserError >= 0) phv[fields.parserError] = error;
    const wrong = code.verifyChecksums(state);
    if (fields.checksumError >= 0) phv[fields.checksumError] = wrong;
    state.clearRequests();
    code.ingress(state);
    if (this.#aborted()) return;

    if (state.clone !== 0) this.#cloneIngress(start, arrivedLength);
    if (state.digest !== 0) {
      this.#tracer?.digest(state.digest);
      this.learn(state.digest, phv);
    }
    if (state.resubmit !== 0) {
      const copy = this.#work!.pool.take(state.frame);
      copy.ownsFrame = state.ownsFrame;
      code.clear(copy.phv);
      code.copyFieldList(copy.phv, phv, state.resubmit);
      copy.phv[fields.instanceType] = INSTANCE.resubmitted;
      copy.phv[fields.packetLength] = arrivedLength;
      this.#keep(copy, start, arrivedLength);
      copy.node = this.#tracer?.fork("resubmit");
      this.#tracer?.forked("resubmit");
      this.#work!.again.push(copy);
      return;
    }
    const group = fields.multicastGroup >= 0 ? phv[fields.multicastGroup]! : 0;
    if (group !== 0) {
      phv[fields.instanceType] = INSTANCE.replicated;
      this.#multicast(group, this.replication.replicas(group), NO_LIMIT);
      this.#tracer?.forked("multicast", group);
      return;
    }
    const port = phv[fields.egressSpec]!;
    if (port === this.own.dropPort) {
      this.stats.dropped++;
      this.stats.drops.ingress++;
      this.#tracer?.discard();
      return;
    }
    phv[fields.instanceType] = INSTANCE.normal;
    const { queues } = this;
    const priority = queues === undefined ? 0 : this.#priority();
    if (isCopy || this.#work!.egress.length > 0 || (queues !== undefined && !queues.passes(port, priority))) {
      const copy = this.#work!.pool.copyOf(state);
      copy.node = this.#tracer?.node;
      this.#enqueue(copy, port);
      return;
    }
    // No packet waits: egress runs on the current packet without a copy.
    const frame = this.#runEgress(port, NOT_QUEUED, 0, 0, priority);
    if (frame === undefined) return;
    if (queues === undefined) this.output.transmit(port, frame);
    else queues.start(port, frame);
  }

  #keep(copy: PacketCopy, start: number, length: number): void {
    const { state } = this;
    copy.start = start;
    copy.end = state.end;
    copy.packetLength = length;
    copy.ingressLength = state.ingressLength;
    copy.limit = NO_LIMIT;
  }

  /** Clones the packet as it came to ingress. The clone is parsed again, and keeps only the metadata of the field list. */
  #cloneIngress(start: number, arrivedLength: number): void {
    const { state, specialised } = this;
    const { fields } = state;
    const session = this.#session();
    if (session === undefined) return;
    const { phv, start: payloadStart, packetLength, limit } = state;
    const original = this.#tracer?.node;
    const copy = this.#work!.pool.take(state.frame);
    copy.node = this.#tracer?.fork("ingress_clone");
    copy.phv.fill(0);
    copy.phv[fields.ingressPort] = phv[fields.ingressPort]!;
    this.#keep(copy, start, arrivedLength);
    this.#load(copy);
    this.#code.parse(state);
    copy.phv.fill(0, 0, specialised.layout.metadata);
    specialised.code.copyFieldList(copy.phv, phv, state.cloneList);
    copy.phv[fields.instanceType] = INSTANCE.ingressClone;
    this.#mirror(session);
    this.#work!.pool.release(copy);
    state.phv = phv;
    state.start = payloadStart;
    state.packetLength = packetLength;
    state.limit = limit;
    // The clones use the frame as well.
    state.ownsFrame = false;
    this.#follow(original);
  }

  /** The session that the clone call of the program names. */
  #session(): MirrorSession | undefined {
    const id = this.state.clone & 0x7fff;
    const session = this.replication.sessions.get(id);
    this.#tracer?.cloneSession(id, session);
    return session;
  }

  /** Copies the current packet to the ports of a session, each copy with the length limit of the session. */
  #mirror(session: MirrorSession): void {
    const limit = session.lengthLimit > 0 ? session.lengthLimit : NO_LIMIT;
    this.#multicast(undefined, session.replicas, limit);
    this.#tracer?.forked("clone");
  }

  /** @param group undefined: the replicas are those of a clone session */
  #multicast(group: number | undefined, replicas: readonly Replica[], limit: number): void {
    const { state } = this;
    const { egressRid } = state.fields;
    if (group !== undefined && this.#tracer !== undefined)
      this.#tracer.multicast(group, this.replication.groups.has(group), replicas);
    if (replicas.length === 0) {
      this.stats.dropped++;
      this.stats.drops.replication++;
    }
    if (replicas.length > 1) state.ownsFrame = false;
    for (const { port, instance } of replicas) {
      const copy = this.#work!.pool.copyOf(state);
      if (egressRid >= 0) copy.phv[egressRid] = instance & 0xffff;
      copy.limit = limit;
      copy.node = this.#tracer?.fork("replica", port, instance);
      this.#enqueue(copy, port);
    }
  }

  #priority(): number {
    const { priority } = this.state.fields;
    return priority >= 0 ? this.state.phv[priority]! : 0;
  }

  #enqueue(copy: PacketCopy, port: number): void {
    copy.port = port;
    const { queues } = this;
    if (queues === undefined) {
      this.#work!.egress.push(copy);
      return;
    }
    const { priority } = this.state.fields;
    // As in BMv2, a packet whose priority has no queue is dropped.
    const refused = queues.push(copy, priority >= 0 ? copy.phv[priority]! : 0);
    if (refused === undefined) {
      this.#tracer?.queued(copy.node);
      return;
    }
    this.stats.queueDrops++;
    this.stats.dropped++;
    this.stats.drops.queue++;
    this.#tracer?.drop(copy.node, refused, { egress_port: port });
    this.#work!.pool.release(copy);
  }

  /** Runs egress on a packet that leaves its queue; returns the frame, or undefined. */
  serve(copy: PacketCopy, depthAfter: number, priority: number): Uint8Array | undefined {
    this.#load(copy);
    const frame = this.#runEgress(copy.port, copy.since, copy.depth, depthAfter, priority);
    this.state.phv = this.state.main;
    this.#work!.pool.release(copy);
    return frame;
  }

  /** Returns the frame to send, or undefined when the packet was dropped or recirculates. */
  #runEgress(
    port: number,
    since: number,
    depthBefore: number,
    depthAfter: number,
    priority: number,
  ): Uint8Array | undefined {
    const { state } = this;
    const { fields, phv } = state;
    const code = this.#code;
    if (fields.egressTimestamp >= 0) this.#putTime(fields.egressTimestamp);
    if (fields.enqTimestamp >= 0) {
      const now = this.clock.now();
      const start = since === NOT_QUEUED ? now : since;
      phv[fields.enqTimestamp] = start;
      if (fields.enqDepth >= 0) phv[fields.enqDepth] = depthBefore;
      if (fields.deqTimedelta >= 0) phv[fields.deqTimedelta] = Math.floor(now) - Math.floor(start);
      if (fields.deqDepth >= 0) phv[fields.deqDepth] = depthAfter;
      if (fields.queueId >= 0) phv[fields.queueId] = priority;
    }
    phv[fields.egressPort] = port;
    phv[fields.egressSpec] = (this.own.dropPort + 1) & 511;
    phv[fields.packetLength] = state.packetLength;
    state.clearRequests();
    code.egress(state);
    if (this.#aborted()) return undefined;
    if (state.clone !== 0) this.#cloneEgress();
    if (phv[fields.egressSpec] === this.own.dropPort) {
      this.stats.dropped++;
      this.stats.drops.egress++;
      this.#tracer?.discard();
      return undefined;
    }
    code.updateChecksums(state);
    if (state.recirculate === 0) return code.deparse(state, state.limit);
    const frame = code.deparse(state, NO_LIMIT);
    const copy = this.#work!.pool.take(frame);
    copy.ownsFrame = state.ownsFrame;
    copy.node = this.#tracer?.fork("recirculate");
    this.#tracer?.forked("recirculate");
    code.clear(copy.phv);
    code.copyFieldList(copy.phv, phv, state.recirculate);
    copy.phv[fields.instanceType] = INSTANCE.recirculated;
    copy.phv[fields.packetLength] = frame.length;
    copy.start = 0;
    copy.end = frame.length;
    copy.packetLength = frame.length;
    copy.ingressLength = frame.length;
    copy.limit = NO_LIMIT;
    this.#work!.again.push(copy);
    return undefined;
  }

  /** Clones the packet as egress left it; the clone goes through egress again. */
  #cloneEgress(): void {
    const { state, specialised } = this;
    const session = this.#session();
    if (session === undefined) return;
    const original = this.#tracer?.node;
    state.ownsFrame = false;
    const copy = this.#work!.pool.copyOf(state);
    const clone = this.#tracer?.fork("egress_clone");
    copy.phv.fill(0, 0, specialised.layout.metadata);
    specialised.code.copyFieldList(copy.phv, state.phv, state.cloneList);
    copy.phv[state.fields.instanceType] = INSTANCE.egressClone;
    const { phv, recirculate, limit } = state;
    state.phv = copy.phv;
    this.#tracer?.use(clone);
    this.#mirror(session);
    this.#tracer?.use(original);
    state.phv = phv;
    state.recirculate = recirculate;
    state.limit = limit;
    this.#work!.pool.release(copy);
  }
}
