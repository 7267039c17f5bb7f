/**
 * The path of a packet through simple_switch: parser, ingress, the requests of ingress, queue, egress, the requests of
 * egress, deparser. The order at the end of ingress and of egress is that of the "simple_switch"
 * document of the behavioral model.
 */

import type { Replica } from "../../device/index.js";
import { NO_LIMIT } from "../state/packet-state.js";
import { Forwarder, type ForwarderParts, NOT_QUEUED } from "./forwarder.js";
import type { PacketCopy } from "./packet-copy.js";
import type { MirrorSession } from "./replication.js";
import type { Workspaces } from "./workspace.js";

/** Values of `standard_metadata.instance_type`. */
const INSTANCE = {
  normal: 0,
  ingressClone: 1,
  egressClone: 2,
  recirculated: 4,
  replicated: 5,
  resubmitted: 6,
};

export class SimpleSwitch extends Forwarder {
  readonly #timestampsWide: boolean;

  constructor(parts: ForwarderParts, workspaces: Workspaces) {
    super(parts, workspaces);
    const { layout } = this.specialised;
    this.#timestampsWide = (layout.field("intrinsic_metadata", "ingress_global_timestamp")?.words ?? 1) > 1;
  }

  protected enter(port: number, frame: Uint8Array, ownsFrame: boolean): void {
    const { state } = this;
    const { fields } = state;
    const { phv } = state;
    this.code.clear(phv);
    state.frame = frame;
    state.ownsFrame = ownsFrame;
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

  protected reenter(): void {
    this.#stampIngress();
    this.#runIngress(true);
  }

  protected leave(
    copy: PacketCopy,
    since: number,
    depthBefore: number,
    depthAfter: number,
    priority: number,
  ): Uint8Array | undefined {
    return this.#runEgress(copy.port, since, depthBefore, depthAfter, priority);
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

  #runIngress(isCopy: boolean): void {
    const { state } = this;
    const { fields } = state;
    const code = this.code;
    const start = state.start;
    const arrivedLength = state.packetLength;
    const error = code.parse(state);
    const { phv } = state;
    if (fields.parserError >= 0) phv[fields.parserError] = error;
    const wrong = code.verifyChecksums(state);
    if (fields.checksumError >= 0) phv[fields.checksumError] = wrong;
    state.clearRequests();
    code.ingress(state);
    if (this.aborted()) return;

    if (state.clone !== 0) this.#cloneIngress(start, arrivedLength);
    if (state.digest !== 0) {
      this.tracer?.digest(state.digest);
      this.learn(state.digest, phv);
    }
    if (state.resubmit !== 0) {
      const copy = this.work!.pool.take(state.frame);
      copy.ownsFrame = state.ownsFrame;
      code.clear(copy.phv);
      code.copyFieldList(copy.phv, phv, state.resubmit);
      copy.phv[fields.instanceType] = INSTANCE.resubmitted;
      copy.phv[fields.packetLength] = arrivedLength;
      this.#keep(copy, start, arrivedLength);
      copy.node = this.tracer?.fork("resubmit");
      this.tracer?.forked("resubmit");
      this.goAgain(copy);
      return;
    }
    const group = fields.multicastGroup >= 0 ? phv[fields.multicastGroup]! : 0;
    if (group !== 0) {
      phv[fields.instanceType] = INSTANCE.replicated;
      this.#multicast(group, this.replication.replicas(group), NO_LIMIT);
      this.tracer?.forked("multicast", group);
      return;
    }
    const port = phv[fields.egressSpec]!;
    if (port === this.own.dropPort) {
      this.stats.dropped++;
      this.stats.drops.ingress++;
      this.tracer?.discard();
      return;
    }
    phv[fields.instanceType] = INSTANCE.normal;
    const { queues } = this;
    const priority = queues === undefined ? 0 : this.#priorityOf(phv);
    if (isCopy || this.work!.egress.length > 0 || (queues !== undefined && !queues.passes(port, priority))) {
      const copy = this.work!.pool.copyOf(state);
      copy.node = this.tracer?.node;
      this.enqueue(copy, port, this.#priorityOf(copy.phv));
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
    const original = this.tracer?.node;
    const copy = this.work!.pool.take(state.frame);
    copy.node = this.tracer?.fork("ingress_clone");
    copy.phv.fill(0);
    copy.phv[fields.ingressPort] = phv[fields.ingressPort]!;
    this.#keep(copy, start, arrivedLength);
    this.load(copy);
    this.code.parse(state);
    copy.phv.fill(0, 0, specialised.layout.metadata);
    specialised.code.copyFieldList(copy.phv, phv, state.cloneList);
    copy.phv[fields.instanceType] = INSTANCE.ingressClone;
    this.#mirror(session);
    this.work!.pool.release(copy);
    state.phv = phv;
    state.start = payloadStart;
    state.packetLength = packetLength;
    state.limit = limit;
    // The clones use the frame as well.
    state.ownsFrame = false;
    this.follow(original);
  }

  /** The session that the clone call of the program names. */
  #session(): MirrorSession | undefined {
    const id = this.state.clone & 0x7fff;
    const session = this.replication.sessions.get(id);
    this.tracer?.cloneSession(id, session);
    return session;
  }

  /** Copies the current packet to the ports of a session, each copy with the length limit of the session. */
  #mirror(session: MirrorSession): void {
    const limit = session.lengthLimit > 0 ? session.lengthLimit : NO_LIMIT;
    this.#multicast(undefined, session.replicas, limit);
    this.tracer?.forked("clone");
  }

  /** @param group undefined: the replicas are those of a clone session */
  #multicast(group: number | undefined, replicas: readonly Replica[], limit: number): void {
    const { state } = this;
    const { egressRid } = state.fields;
    if (group !== undefined && this.tracer !== undefined)
      this.tracer.multicast(group, this.replication.groups.has(group), replicas);
    if (replicas.length === 0) {
      this.stats.dropped++;
      this.stats.drops.replication++;
    }
    if (replicas.length > 1) state.ownsFrame = false;
    for (const { port, instance } of replicas) {
      const copy = this.work!.pool.copyOf(state);
      if (egressRid >= 0) copy.phv[egressRid] = instance & 0xffff;
      copy.limit = limit;
      copy.node = this.tracer?.fork("replica", port, instance);
      this.enqueue(copy, port, this.#priorityOf(copy.phv));
    }
  }

  #priorityOf(phv: Int32Array): number {
    const { priority } = this.state.fields;
    return priority >= 0 ? phv[priority]! : 0;
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
    const code = this.code;
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
    if (this.aborted()) return undefined;
    if (state.clone !== 0) this.#cloneEgress();
    if (phv[fields.egressSpec] === this.own.dropPort) {
      this.stats.dropped++;
      this.stats.drops.egress++;
      this.tracer?.discard();
      return undefined;
    }
    code.updateChecksums(state);
    if (state.recirculate === 0) return code.deparse(state, state.limit);
    const frame = code.deparse(state, NO_LIMIT);
    const copy = this.work!.pool.take(frame);
    copy.ownsFrame = state.ownsFrame;
    copy.node = this.tracer?.fork("recirculate");
    this.tracer?.forked("recirculate");
    code.clear(copy.phv);
    code.copyFieldList(copy.phv, phv, state.recirculate);
    copy.phv[fields.instanceType] = INSTANCE.recirculated;
    copy.phv[fields.packetLength] = frame.length;
    copy.start = 0;
    copy.end = frame.length;
    copy.packetLength = frame.length;
    copy.ingressLength = frame.length;
    copy.limit = NO_LIMIT;
    this.goAgain(copy);
    return undefined;
  }

  /** Clones the packet as egress left it; the clone goes through egress again. */
  #cloneEgress(): void {
    const { state, specialised } = this;
    const session = this.#session();
    if (session === undefined) return;
    const original = this.tracer?.node;
    state.ownsFrame = false;
    const copy = this.work!.pool.copyOf(state);
    const clone = this.tracer?.fork("egress_clone");
    copy.phv.fill(0, 0, specialised.layout.metadata);
    specialised.code.copyFieldList(copy.phv, state.phv, state.cloneList);
    copy.phv[state.fields.instanceType] = INSTANCE.egressClone;
    const { phv, recirculate, limit } = state;
    state.phv = copy.phv;
    this.tracer?.use(clone);
    this.#mirror(session);
    this.tracer?.use(original);
    state.phv = phv;
    state.recirculate = recirculate;
    state.limit = limit;
    this.work!.pool.release(copy);
  }
}
