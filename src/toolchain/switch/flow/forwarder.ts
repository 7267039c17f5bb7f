/**
 * The path of a packet as all architectures have it: arrival, waiting for egress, further passes, the end of a packet that never ends.
 * What an architecture does in between is in its own class.
 */

import type { Code, Specialised } from "../codegen/specialised.js";
import type { SwitchClock, SwitchStatistics } from "../options.js";
import type { OwnState } from "../state/own-state.js";
import type { PacketState } from "../state/packet-state.js";
import type { RegisterArray } from "../tables/resources.js";
import type { TraceNode } from "../trace/recorder.js";
import type { PacketTracer } from "../trace/tracer.js";
import type { GhostThreads } from "./ghost.js";
import { Fifo, type PacketCopy } from "./packet-copy.js";
import type { Output, Queues } from "./queues.js";
import type { Replication } from "./replication.js";
import { type ProgramWorkspaces, Workspace, type Workspaces } from "./workspace.js";

/** Maximum number of passes that one received frame may cause (clones, copies, rounds); a program with more loops forever. */
const MAX_PASSES = 65536;

/** In place of the time at which a packet was queued: the packet was not queued. */
export const NOT_QUEUED = -1;

/** What a forwarder works with. */
export interface ForwarderParts {
  readonly specialised: Specialised;
  readonly own: OwnState;
  readonly stats: SwitchStatistics;
  readonly output: Output;
  readonly clock: SwitchClock;
  /** By name. */
  readonly registers: ReadonlyMap<string, RegisterArray>;
  /** Frames that arrive may be changed. */
  readonly ownsFrames: boolean;
  readonly replication: Replication;
  /** The port of the controller. */
  readonly cpuPort: number | undefined;
  /** As in the options of the switch. */
  readonly recirculates: ((port: number) => boolean) | undefined;
  /** Called with each packet of a Tofino that recirculates. */
  readonly recirculated: (frame: Uint8Array) => void;
  /** Sends the digest of a learn list. */
  readonly learn: (list: number, phv: Int32Array) => void;
  /** Adds an entry that a packet asks for, unless the table has one or is full. */
  readonly addEntry: (entry: AddedEntry) => void;
  /** Restarts the time of the entry of a table that a packet hit; with a profile, with its duration. */
  readonly restartTimer: (table: string, entry: number, profile: number | undefined) => void;
}

/** An entry of a table with exact keys, by names of the program; values in the order of the key and of the action's parameters. */
export interface AddedEntry {
  readonly table: string;
  readonly key: readonly bigint[];
  readonly action: string;
  readonly values: readonly bigint[];
  /** Of its expire time. */
  readonly profile: number;
}

export abstract class Forwarder implements ForwarderParts {
  readonly specialised: Specialised;
  readonly own: OwnState;
  readonly stats: SwitchStatistics;
  readonly output: Output;
  readonly clock: SwitchClock;
  readonly registers: ReadonlyMap<string, RegisterArray>;
  readonly ownsFrames: boolean;
  readonly replication: Replication;
  readonly cpuPort: number | undefined;
  readonly recirculates: ((port: number) => boolean) | undefined;
  readonly recirculated: (frame: Uint8Array) => void;
  readonly learn: (list: number, phv: Int32Array) => void;
  readonly addEntry: (entry: AddedEntry) => void;
  readonly restartTimer: ForwarderParts["restartTimer"];
  /** Undefined while no packet is being run. */
  protected work: Workspace | undefined;
  readonly #workspaces: ProgramWorkspaces;
  /** Undefined: no packet ever waits. */
  queues: Queues | undefined;
  /** Bytes of a cell of the traffic manager's buffer, where depths of queues count cells. */
  readonly cellBytes: number | undefined = undefined;
  /** What runs when queues change. */
  readonly ghost: GhostThreads | undefined = undefined;
  /** Frames that came in while a packet was being run. */
  #arrived: Fifo<{ id: number; port: number; frame: Uint8Array }> | undefined;
  /** The packet that is being run, or was. */
  state: PacketState;
  /** That of the current packet: with or without calls of the tracer. */
  protected code: Code;
  #traced: Code;
  protected tracer: PacketTracer | undefined;
  /** Port by which the frame came in that is being run, in this pass or an earlier one. */
  #ingressPort = 0;

  constructor(parts: ForwarderParts, workspaces: Workspaces) {
    const { specialised } = parts;
    this.specialised = specialised;
    this.own = parts.own;
    this.stats = parts.stats;
    this.output = parts.output;
    this.clock = parts.clock;
    this.registers = parts.registers;
    this.ownsFrames = parts.ownsFrames;
    this.replication = parts.replication;
    this.cpuPort = parts.cpuPort;
    this.recirculates = parts.recirculates;
    this.recirculated = parts.recirculated;
    this.learn = parts.learn;
    this.addEntry = parts.addEntry;
    this.restartTimer = parts.restartTimer;
    this.#workspaces = workspaces.of(specialised);
    this.state = (this.#workspaces.free[0] ?? this.#newWorkspace()).state;
    this.code = specialised.code;
    this.#traced = specialised.code;
  }

  /** Runs ingress on a frame that arrives. */
  protected abstract enter(port: number, frame: Uint8Array, ownsFrame: boolean): void;
  /** Runs ingress on a waiting packet, which {@link load} has made the current one. */
  protected abstract reenter(copy: PacketCopy): void;
  /** Runs egress on a waiting packet, as {@link reenter}; returns the frame to send, if there is one. */
  protected abstract leave(
    copy: PacketCopy,
    since: number,
    depthBefore: number,
    depthAfter: number,
    priority: number,
  ): Uint8Array | undefined;

  /** Chooses the frames that are traced; undefined: all, while there is a tracer. */
  traces: ((port: number, frame: Uint8Array) => boolean) | undefined;

  /** Turns tracing on or off from the next frame on. Packets that are already in the switch are not traced. */
  traceTo(tracer: PacketTracer | undefined): void {
    this.tracer?.close();
    this.tracer = tracer;
    this.code = tracer === undefined ? this.specialised.code : tracer.wrap();
    this.#traced = this.code;
    // Traced code may be running at this moment, so the state keeps the closed tracer, which records nothing.
    tracer?.enter(this.state);
  }

  /** Whether a packet is being run at this moment. */
  get isBusy(): boolean {
    return this.work !== undefined;
  }

  #newWorkspace(): Workspace {
    return new Workspace(this.specialised, this.own, this.#workspaces.pool);
  }

  #begin(): void {
    const work = this.#workspaces.free.pop() ?? this.#newWorkspace();
    const { state } = work;
    state.own = this.own;
    this.work = work;
    this.state = state;
    if (this.tracer !== undefined) this.tracer.enter(state);
  }

  #end(): void {
    this.#workspaces.free.push(this.work!);
    this.work = undefined;
  }

  /** Runs an arriving frame to the end of ingress, and everything that does not have to wait. */
  receive(port: number, frame: Uint8Array): void {
    this.stats.received++;
    if (this.work !== undefined) {
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
    if (this.work !== undefined) return;
    this.#begin();
    try {
      this.#drain();
    } finally {
      this.#end();
    }
  }

  #drain(): void {
    const { pool, egress, again: rounds } = this.work!;
    const waiting = egress.length + rounds.length + (this.#arrived?.length ?? 0);
    if (waiting === 0 && this.queues?.hasReady !== true) return;
    for (let passes = 0; ; passes++) {
      if (passes > MAX_PASSES) {
        this.#giveUp();
        return;
      }
      const copy = egress.shift();
      if (copy !== undefined) {
        this.#ingressPort = copy.ingressPort;
        this.load(copy);
        const frame = this.leave(copy, NOT_QUEUED, 0, 0, 0);
        this.state.phv = this.state.main;
        pool.release(copy);
        if (frame !== undefined) this.output.transmit(copy.port, frame);
        continue;
      }
      if (this.queues?.serveReady()) continue;
      const again = rounds.shift();
      if (again !== undefined) {
        this.#ingressPort = again.ingressPort;
        this.load(again);
        this.reenter(again);
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
    const { pool, egress, again } = this.work!;
    const drop = (copy: PacketCopy): void => {
      this.tracer?.drop(copy.node, "too_many_passes");
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
    let isTraced = false;
    this.#ingressPort = port;
    if (this.tracer !== undefined) {
      isTraced = this.traces?.(port, frame) ?? true;
      if (isTraced) this.tracer.arrive(id, port, frame);
      else this.tracer.use(undefined);
      this.code = isTraced ? this.#traced : this.specialised.code;
    }
    this.enter(port, frame, this.ownsFrames && !isTraced);
  }

  /** Makes a waiting packet the current packet. */
  protected load(copy: PacketCopy): void {
    const { state } = this;
    state.phv = copy.phv;
    state.frame = copy.frame;
    state.ownsFrame = copy.ownsFrame;
    state.start = copy.start;
    state.end = copy.end;
    state.packetLength = copy.packetLength;
    state.ingressLength = copy.ingressLength;
    state.limit = copy.limit;
    this.follow(copy.node);
  }

  /** Sets the part of a trace of the current packet; undefined: none. */
  protected follow(node: TraceNode | undefined): void {
    if (this.tracer === undefined) return;
    this.tracer.use(node);
    this.code = node === undefined ? this.specialised.code : this.#traced;
  }

  protected aborted(): boolean {
    const { aborted } = this.state;
    if (aborted === undefined) return false;
    const { stats } = this;
    this.own.onLog?.(this.state.abortText);
    this.state.aborted = undefined;
    stats.aborted++;
    stats.dropped++;
    if (aborted === "endless_loop") stats.drops.loop++;
    else stats.drops.assertion++;
    this.tracer?.drop(this.tracer.node, aborted);
    return true;
  }

  protected enqueue(copy: PacketCopy, port: number, priority: number): void {
    copy.port = port;
    const { queues } = this;
    if (queues === undefined) {
      this.skipQueue(copy);
      return;
    }
    copy.ingressPort = this.#ingressPort;
    // A packet whose priority has no queue is dropped.
    const refused = queues.push(copy, priority);
    if (refused === undefined) {
      this.tracer?.queued(copy.node);
      return;
    }
    this.stats.queueDrops++;
    this.stats.dropped++;
    this.stats.drops.queue++;
    this.tracer?.drop(copy.node, refused, { egress_port: port });
    this.work!.pool.release(copy);
  }

  /** A packet waits for egress, but in no queue. */
  protected skipQueue(copy: PacketCopy): void {
    copy.ingressPort = this.#ingressPort;
    this.work!.egress.push(copy);
  }

  /** A packet waits for another pass of ingress. */
  protected goAgain(copy: PacketCopy): void {
    copy.ingressPort = this.#ingressPort;
    this.work!.again.push(copy);
  }

  /** Runs egress on a packet that leaves its queue; returns the frame, or undefined. */
  serve(copy: PacketCopy, depthAfter: number, priority: number): Uint8Array | undefined {
    this.#ingressPort = copy.ingressPort;
    this.load(copy);
    const frame = this.leave(copy, copy.since, copy.depth, depthAfter, priority);
    this.state.phv = this.state.main;
    this.work!.pool.release(copy);
    return frame;
  }
}
