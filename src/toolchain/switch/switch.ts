/** The embedded switch: one loaded program, its ports and its control plane. It is a {@link Device} directly. */
import { DiagnosticError, given } from "../../base/index.js";
import {
  type Atomicity,
  type ControllerPacket,
  type Device,
  DeviceError,
  type DeviceEvent,
  type Entity,
  type Match,
  type Pace,
  type PortControl,
  type PortTraffic,
  type PreparedProgram,
  type ReadQuery,
  type Update,
  type UpdateStatus,
} from "../device/index.js";
import { type Program, runnableForm } from "../program/index.js";
import { specialise, specialiseInTurns } from "./codegen/program.js";
import { Digests } from "./control/digests.js";
import { ExpireTimes } from "./control/expire-times.js";
import { IdleTimeouts } from "./control/idle.js";
import { Instance, variantOf } from "./control/instance.js";
import { fromController, toController } from "./control/packet-io.js";
import { addProgramEntries } from "./control/program-entries.js";
import { Reader } from "./control/reader.js";
import { Settings } from "./control/settings.js";
import { Writer } from "./control/writer.js";
import type { AddedEntry, Forwarder } from "./flow/forwarder.js";
import { Generators } from "./flow/generators.js";
import { PacketApps } from "./flow/packet-apps.js";
import { Pna } from "./flow/pna.js";
import { Psa } from "./flow/psa.js";
import { QueueLimits } from "./flow/queue-limits.js";
import { Queues } from "./flow/queues.js";
import { SimpleSwitch } from "./flow/simple-switch.js";
import { Tofino } from "./flow/tofino.js";
import { Traffic } from "./flow/traffic.js";
import { Workspaces } from "./flow/workspace.js";
import {
  noStatistics,
  type QueueOptions,
  type SwitchOptions,
  type SwitchStatistics,
  type TraceOutput,
  type TraceSink,
} from "./options.js";
import { type OutcomeLimits, Outcomes } from "./trace/outcomes.js";
import { TraceRecorder } from "./trace/recorder.js";
import { PacketTracer } from "./trace/tracer.js";
import type { PacketTrace } from "./trace/types.js";

/** Everything that exists while a program is loaded. */
interface Loaded {
  /** As it was given; `instance` has it in the form that runs. */
  readonly program: Program;
  readonly instance: Instance;
  readonly forwarder: Forwarder;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly digests: Digests;
  readonly idle: IdleTimeouts;
  /** Events to report when the program runs. */
  readonly held: DeviceEvent[];
}

/** One object for all updates of a batch: a batch may have a hundred thousand of them. */
const DONE: UpdateStatus = { code: "OK", message: "" };
const ROLLED_BACK: UpdateStatus = {
  code: "ABORTED",
  message: "rolled back: another update of the batch failed",
};
const NOT_TRIED: UpdateStatus = {
  code: "ABORTED",
  message: "not tried: an earlier update of the batch failed",
};

const PATHS = { psa: Psa, pna: Pna };

/** Queues of a switch that gets a depth or a rate but was made without queues; they are like those of BMv2. */
const BMV2_QUEUES: QueueOptions = { depthPackets: 64 };

export class Switch implements Device {
  readonly name: string;
  readonly stats: SwitchStatistics = noStatistics();
  readonly #options: SwitchOptions;
  readonly #cpuPort: number | undefined;
  readonly #workspaces: Workspaces;
  #loaded: Loaded | undefined;
  #queues: Queues | undefined;
  #trace: TraceSink | undefined;
  #traceFilter: ((port: number, frame: Uint8Array) => boolean) | undefined;
  #traceOutput: TraceOutput | undefined;
  #tracer: PacketTracer | undefined;
  /** A packet is run to see what it can do: nothing of it leaves the switch. */
  #isTrying = false;
  /** Limits that the control plane set. They belong to the ports, so they stay when the program changes. */
  readonly #limits = new QueueLimits();
  readonly #expireTimes = new ExpireTimes();
  readonly #generators: Generators;
  readonly #apps: PacketApps;
  /** Queues, hash parameters and packet generators. */
  readonly settings: Settings = new Settings({
    limits: this.#limits,
    expireTimes: this.#expireTimes,
    queues: () => this.queues,
    instance: () => this.#running().instance,
    generate: (generators) => this.#generators.set(generators),
    runApps: (apps) => this.#apps.set(apps),
  });
  #traffic: Traffic | undefined;
  readonly #downPorts = new Set<number>();
  #anyDown = false;
  /** Number of changes of the state of ports. */
  #portChanges = 0;
  readonly #listeners = new Set<(event: DeviceEvent) => void>();
  /** Whether a write that yields between two updates is in progress. */
  #isWriting = false;
  /** Resolves when all requested writes have ended; undefined when none is in progress. */
  #lastWrite: Promise<void> | undefined;

  /** @throws DiagnosticError when the switch cannot run the program (P41101 to P41103) */
  constructor(program: Program | undefined, options: SwitchOptions) {
    this.name = options.name ?? "switch";
    this.#options = options;
    this.#cpuPort = options.cpuPort;
    this.#workspaces = options.workspaces ?? new Workspaces();
    this.#trace = options.trace;
    // A switch that owns the frames that come in may change them.
    const owned = (frame: Uint8Array) => (options.ownsFrames === true ? frame.slice() : frame);
    this.#generators = new Generators(options.clock, (port, frame) => this.receive(port, owned(frame)));
    this.#apps = new PacketApps(
      options.clock,
      (port, frame) => this.receive(port, frame),
      () => (this.program?.bmv2.architecture?.name === "t2na" ? 4 : 3),
    );
    if (program !== undefined) this.install(program);
  }

  get program(): Program | undefined {
    return this.#loaded?.program;
  }

  /** Port of packet-ins and packet-outs, if there is one. */
  get cpuPort(): number | undefined {
    return this.#cpuPort;
  }

  get ports(): PortControl | undefined {
    return this.#options.ports;
  }

  /** Synchronous version of {@link load}: throws, without a change, when the program cannot run. */
  install(program: Program): void {
    this.#start(this.#build(program));
  }

  #start(loaded: Loaded): void {
    this.#loaded?.digests.close();
    this.#loaded?.idle.close();
    this.#loaded?.forwarder.traceTo(undefined);
    this.#loaded = loaded;
    this.#startTrace();
    const { queue } = this.#options;
    const had = this.#queues;
    const lost = had?.close() ?? 0;
    this.stats.dropped += lost;
    this.stats.drops.program += lost;
    this.#queues = undefined;
    loaded.forwarder.queues = undefined;
    if (queue !== undefined || had !== undefined) this.#makeQueues(queue ?? BMV2_QUEUES);
    for (const event of loaded.held.splice(0)) this.#emit(event);
  }

  /** Receives a document of every packet; undefined while packets are not traced. */
  get trace(): TraceSink | undefined {
    return this.#trace;
  }

  /**
   * Turns tracing on or off from the next frame on; the state of the switch stays. When tracing is turned off, or gets
   * another sink, the documents of packets that are still in the switch are handed over incomplete.
   */
  set trace(sink: TraceSink | undefined) {
    this.#trace = sink;
    this.#loaded?.forwarder.traceTo(undefined);
    this.#startTrace();
  }

  /** Chooses which frames {@link trace} gets a document of, by the port that they come in by; the others cost as without it. */
  set traceFilter(filter: ((port: number, frame: Uint8Array) => boolean) | undefined) {
    this.#traceFilter = filter;
    if (this.#loaded !== undefined) this.#loaded.forwarder.traces = filter;
  }

  /** Called with each frame of a traced packet before it leaves, so that a caller can follow the packet to the next switch. */
  set traceOutput(listener: TraceOutput | undefined) {
    this.#traceOutput = listener;
    if (this.#tracer !== undefined) this.#tracer.onOutput = listener;
  }

  #startTrace(): void {
    const sink = this.#trace;
    const loaded = this.#loaded;
    this.#tracer = undefined;
    if (sink === undefined || loaded === undefined) return;
    const { instance, forwarder } = loaded;
    const specialised = specialise(instance.program.bmv2, "traced");
    this.#tracer = new PacketTracer(instance, specialised, this.name, sink, forwarder.state);
    this.#tracer.onOutput = this.#traceOutput;
    forwarder.traces = this.#traceFilter;
    forwarder.traceTo(this.#tracer);
  }

  #build(source: Program): Loaded {
    const program = runnableProgram(source);
    const { clock } = this.#options;
    const { log } = this.#options;
    const told = (message: string): void => {
      if (!this.#isTrying) log?.(message);
    };
    const options = { ...this.#options, ...given({ log: log && told }) };
    const instance = new Instance(program, options, clock, (port) => !this.#downPorts.has(port));
    const digests = new Digests(instance, (list) => this.#emit({ kind: "digest", list }));
    const held: DeviceEvent[] = [];
    const idle = new IdleTimeouts(
      instance,
      (entries, timestampNs) => {
        const event: DeviceEvent = { kind: "idleTimeout", entries, timestampNs };
        if (this.#loaded?.instance === instance) this.#emit(event);
        else held.push(event);
      },
      (table, entry) => writer.tables.expire(table, entry),
    );
    const writer = new Writer(instance, digests, (table, entry) => idle.update(table, entry));
    const { specialised, own, replication } = instance;
    const { architecture, portable } = instance.program.bmv2;
    const Path =
      portable !== undefined ? PATHS[portable.name] : architecture === undefined ? SimpleSwitch : Tofino;
    const forwarder = new Path(
      {
        specialised,
        own,
        stats: this.stats,
        output: this,
        clock,
        registers: instance.registers,
        ownsFrames: this.#options.ownsFrames === true,
        replication,
        cpuPort: this.#cpuPort,
        recirculates: this.#options.recirculates,
        recirculated: (frame) => {
          if (!this.#isTrying) this.#apps.recirculated(frame);
        },
        learn: (list, phv) => {
          if (!this.#isTrying) digests.learn(list, phv);
        },
        addEntry: (entry) => {
          if (!this.#isTrying) addEntry(instance, writer, entry, this.#expireTimes);
        },
        restartTimer: (name, entry, profile) => {
          const table = instance.tables.get(name);
          if (this.#isTrying || table === undefined) return;
          idle.restart(table, entry, profile === undefined ? undefined : this.#expireTimes.of(profile));
        },
      },
      this.#workspaces,
    );
    addProgramEntries(writer.tables);
    const reader = new Reader(instance, writer.tables, digests);
    return { program: source, instance, forwarder, writer, reader, digests, idle, held };
  }

  #makeQueues(queue: QueueOptions): Queues {
    const forwarder = () => this.#running().forwarder;
    const queues = new Queues(
      queue,
      this.#limits,
      this.#options.clock,
      (copy, after, priority) => forwarder().serve(copy, after, priority),
      this,
    );
    queues.resumed = () => forwarder().resume();
    this.#queues = queues;
    if (this.#loaded !== undefined) {
      const { forwarder: current } = this.#loaded;
      current.queues = queues;
      const { cellBytes, ghost } = current;
      queues.cellBytes = cellBytes;
      if (ghost !== undefined)
        queues.depthChanged = (port, priority, depth) => ghost.changed(port, priority, depth);
    }
    return queues;
  }

  #running(): Loaded {
    if (this.#loaded === undefined)
      throw new DeviceError("FAILED_PRECONDITION", `switch ${this.name} has no program`);
    return this.#loaded;
  }

  /** Sends a frame by a port, unless that is down; for the parts of the switch. */
  transmit(port: number, frame: Uint8Array): void {
    if (this.#anyDown && this.#downPorts.has(port)) {
      this.stats.dropped++;
      this.stats.drops.port++;
      this.#tracer?.stranded(port, frame);
      return;
    }
    this.stats.transmitted++;
    this.#traffic?.sent(port, frame.length);
    if (this.#tracer?.transmitted(port, frame, port === this.#cpuPort)) return;
    if (port === this.#cpuPort)
      this.#emit({ kind: "packetIn", packet: toController(this.#running().instance.p4, frame) });
    else this.#options.transmit(port, frame);
  }

  #emit(event: DeviceEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /**
   * Processes a frame that arrives on a port: to the end of ingress, and of egress unless it has to wait in a queue. The
   * switch reads the frame until it has left; the caller must not change it meanwhile. The switch never writes to it, unless
   * the switch was made with `ownsFrames`.
   * A port that is down drops the frame, and so does a switch without a program.
   */
  receive(port: number, frame: Uint8Array): void {
    if (this.#loaded === undefined || (this.#anyDown && this.#downPorts.has(port))) {
      this.#refuse(port, frame);
      return;
    }
    this.#traffic?.received(port, frame.length);
    this.#loaded.forwarder.receive(port, frame);
  }

  trafficOf(port: number): PortTraffic {
    this.#traffic ??= new Traffic();
    return this.#traffic.of(port, this.#options.clock.now());
  }

  /**
   * Every outcome that a frame can have when it arrives now, as one tree: each member of a group that a selector may take, each
   * random number, each result of a `hash`, and each moment of an update. Nothing leaves, and the switch stays as it is.
   * @throws DeviceError FAILED_PRECONDITION without a program, by a port that is down, and while a packet is being run (from a
   * function that the switch calls); INVALID_ARGUMENT for an update of anything but tables, members
   * and groups, and as {@link apply} for an update that cannot be done
   */
  outcomes(port: number, frame: Uint8Array, limits: OutcomeLimits): PacketTrace {
    const { instance, forwarder, writer } = this.#running();
    if (this.#downPorts.has(port)) throw new DeviceError("FAILED_PRECONDITION", `port ${port} is down`);
    if (forwarder.isBusy) throw new DeviceError("FAILED_PRECONDITION", "another packet is being run");
    const { queues } = forwarder;
    const statistics = structuredClone(this.stats);
    const specialised = specialise(instance.program.bmv2, "traced");
    const run = (tracer: PacketTracer): void => {
      this.#tracer = tracer;
      forwarder.traceTo(tracer);
      forwarder.receive(port, frame);
    };
    const setup = { instance, specialised, device: this.name, state: forwarder.state, run };
    forwarder.traceTo(undefined);
    forwarder.traces = undefined;
    // Every copy is run to its end.
    forwarder.queues = undefined;
    this.#isTrying = true;
    try {
      return new Outcomes({ ...setup, apply: (update) => writer.apply(update) }, limits).all();
    } finally {
      this.#isTrying = false;
      forwarder.traceTo(undefined);
      forwarder.queues = queues;
      const { drops, ...counts } = statistics;
      Object.assign(this.stats, counts);
      Object.assign(this.stats.drops, drops);
      this.#startTrace();
    }
  }

  #refuse(port: number, frame: Uint8Array): void {
    const { stats } = this;
    const reason = this.#loaded === undefined ? "no_program" : "port_down";
    stats.received++;
    stats.dropped++;
    if (this.#loaded === undefined) stats.drops.program++;
    else stats.drops.port++;
    if (this.#trace === undefined) return;
    const { clock } = this.#options;
    const program = this.#loaded?.instance.program.bmv2.program;
    const recorder = new TraceRecorder(this.name, program, () => clock.now(), this.#trace);
    recorder.arrive(stats.received - 1, port, frame);
    recorder.drop(recorder.node, reason);
  }

  /**
   * Tells the ghost thread of a Tofino 2's pipe that a queue of the pipe has a length, in cells, as the traffic manager does when the switch
   * has queues.
   * @throws DeviceError FAILED_PRECONDITION when the program has no ghost thread
   */
  reportQueue(pipe: number, queue: number, length: number): void {
    const { ghost } = this.#running().forwarder;
    if (ghost === undefined) throw new DeviceError("FAILED_PRECONDITION", "the program has no ghost thread");
    ghost.report(pipe, queue, length);
  }

  /** Sets whether a port is up; ports are up at first. Group members that watch a port take part while it is up. */
  setPortState(port: number, up: boolean): void {
    if (up !== this.#downPorts.has(port)) return;
    if (up) this.#downPorts.delete(port);
    else this.#downPorts.add(port);
    this.#anyDown = this.#downPorts.size > 0;
    this.#portChanges++;
    if (this.#loaded !== undefined) refreshGroups(this.#loaded.instance);
    if (!up) this.#apps.portDown(port);
    this.#emit({ kind: "portState", port, up });
  }

  /**
   * Applies updates in order. When an update is refused, the others stay with `continueOnError`; otherwise all are rolled back.
   * @throws DeviceError with one status for each update when any was refused; ABORTED while a {@link write} is in progress
   */
  apply(updates: readonly Update[], atomicity: Atomicity = "continueOnError"): void {
    if (this.#isWriting)
      throw new DeviceError("ABORTED", `switch ${this.name} is applying another write; write() waits for it`);
    const steps = this.#steps(updates, atomicity);
    while (!steps.next().done);
  }

  /** The steps of {@link apply}: pauses after each update that was applied or rolled back. */
  *#steps(
    updates: readonly Update[],
    atomicity: Atomicity,
    { writer }: Loaded = this.#running(),
  ): Generator<void, void> {
    const undos: (() => void)[] = [];
    let statuses: UpdateStatus[] | undefined;
    let first: UpdateStatus | undefined;
    for (let i = 0; i < updates.length; i++) {
      const update = updates[i]!;
      if (first !== undefined && atomicity !== "continueOnError") {
        statuses!.push(NOT_TRIED);
        continue;
      }
      try {
        const undo = writer.apply(update);
        if (atomicity !== "continueOnError") undos.push(undo);
        statuses?.push(DONE);
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        const status = { code: error.code, message: error.message };
        first ??= status;
        statuses ??= new Array<UpdateStatus>(i).fill(DONE);
        statuses.push(status);
      }
      yield;
    }
    if (first === undefined || statuses === undefined) return;
    if (atomicity !== "continueOnError") {
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
        undo();
        yield;
      }
      statuses = statuses.map((status) => (status === DONE ? ROLLED_BACK : status));
    }
    throw new DeviceError(first.code, first.message, statuses);
  }

  /** Entities in the order of the queries, then in the order of the program, then in the order of insertion. */
  query(queries: readonly ReadQuery[]): Entity[] {
    const { reader } = this.#running();
    // most reads are of one query, whose list needs no copy
    if (queries.length === 1) return [...reader.read(queries[0]!)];
    return queries.flatMap((query) => [...reader.read(query)]);
  }

  async load(program: Program, pace?: Pace): Promise<void> {
    try {
      if (pace !== undefined)
        await specialiseInTurns(runnableForm(program.bmv2), pace, variantOf(this.#options));
      this.install(program);
    } catch (error) {
      throw asDeviceError(error);
    }
  }

  async verify(program: Program, pace?: Pace): Promise<void> {
    try {
      if (pace !== undefined)
        await specialiseInTurns(runnableForm(program.bmv2), pace, variantOf(this.#options));
      this.#build(program);
    } catch (error) {
      throw asDeviceError(error);
    }
  }

  async prepare(program: Program, pace?: Pace): Promise<PreparedProgram> {
    let loaded: Loaded;
    try {
      if (pace !== undefined)
        await specialiseInTurns(runnableForm(program.bmv2), pace, variantOf(this.#options));
      loaded = this.#build(program);
    } catch (error) {
      throw asDeviceError(error);
    }
    const changes = this.#portChanges;
    return {
      write: async (updates, pace) => {
        for (const steps = this.#steps(updates, "continueOnError", loaded); !steps.next().done; ) {
          const turn = pace?.();
          if (turn !== undefined) await turn;
        }
      },
      read: (queries, pace) => readPaced(loaded.reader, queries, pace),
      commit: () => {
        const before = this.#loaded;
        // Parameters of hashes are settings, which stay while the program stays.
        if (before?.program === program) loaded.instance.own.hashes = before.instance.own.hashes;
        if (changes !== this.#portChanges) refreshGroups(loaded.instance);
        this.#start(loaded);
      },
      discard: () => {
        loaded.digests.close();
        loaded.idle.close();
      },
    };
  }

  async write(updates: readonly Update[], atomicity?: Atomicity, pace?: Pace): Promise<void> {
    const last = this.#lastWrite;
    if (last === undefined && pace === undefined) return this.apply(updates, atomicity);
    const write = (): Promise<void> => this.#applyPaced(updates, atomicity, pace);
    const result = last === undefined ? write() : last.then(write);
    const ended = (): void => {
      if (this.#lastWrite === all) this.#lastWrite = undefined;
    };
    const all = result.then(ended, ended);
    this.#lastWrite = all;
    return result;
  }

  async #applyPaced(
    updates: readonly Update[],
    atomicity: Atomicity = "continueOnError",
    pace?: Pace,
  ): Promise<void> {
    if (pace === undefined || atomicity === "dataplaneAtomic") return this.apply(updates, atomicity);
    const loaded = this.#running();
    const steps = this.#steps(updates, atomicity);
    this.#isWriting = true;
    try {
      while (!steps.next().done) {
        const turn = pace();
        if (turn === undefined) continue;
        await turn;
        if (this.#loaded !== loaded)
          throw new DeviceError("ABORTED", `switch ${this.name} got another program during the write`);
      }
    } finally {
      this.#isWriting = false;
    }
  }

  async read(queries: readonly ReadQuery[], pace?: Pace): Promise<Entity[]> {
    if (pace === undefined) return this.query(queries);
    return readPaced(this.#running().reader, queries, pace);
  }

  async packetOut(packet: ControllerPacket): Promise<void> {
    this.sendPacketOut(packet);
  }

  /** Synchronous version of {@link packetOut}. */
  sendPacketOut(packet: ControllerPacket): void {
    const { cpuPort } = this.#options;
    if (cpuPort === undefined)
      throw new DeviceError("FAILED_PRECONDITION", `switch ${this.name} has no CPU port`);
    const frame = fromController(this.#running().instance.p4, packet);
    this.#running().forwarder.receive(cpuPort, frame);
  }

  async acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    this.#running().digests.acknowledge(digest, listId);
  }

  watch(listener: (event: DeviceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#loaded?.digests.close();
    this.#loaded?.idle.close();
    this.#queues?.close();
    this.#generators.set([]);
    this.#apps.set([]);
    this.#listeners.clear();
  }

  /** For tests: the parts of the loaded program that a Device does not show. */
  get internals(): Loaded {
    return this.#running();
  }

  /** Number of packets that wait in output queues. */
  get waiting(): number {
    return this.#queues?.waiting ?? 0;
  }

  /** Whether the switch may use a frame after {@link receive} has returned. It does not while no queue has a limit. */
  get keepsFrames(): boolean {
    return this.#queues !== undefined && !this.#queues.isOpen;
  }

  /** The output queues; they are made when the control plane first sets a depth or a rate. */
  get queues(): Queues {
    return this.#queues ?? this.#makeQueues(BMV2_QUEUES);
  }
}

async function readPaced(reader: Reader, queries: readonly ReadQuery[], pace?: Pace): Promise<Entity[]> {
  const entities: Entity[] = [];
  for (const query of queries) {
    for (const entity of reader.read(query)) {
      entities.push(entity);
      const turn = pace?.();
      if (turn !== undefined) await turn;
    }
  }
  return entities;
}

/** Group members that watch a port take part while it is up. */
function refreshGroups({ profiles }: Instance): void {
  for (const { store } of profiles.values()) store.refreshAll();
}

/** Inserts an entry that a packet adds. One that the table refuses (there is one with this key, or no room) is none. */
function addEntry(
  { tables }: Instance,
  writer: Writer,
  { table, key, action, values, profile }: AddedEntry,
  times: ExpireTimes,
): void {
  const control = tables.get(table);
  const parameters = control?.info.actions.get(action)?.runtime_data;
  if (control === undefined || parameters === undefined) return;
  const match = control.fieldNames.map((field, i): Match => ({ kind: "exact", field, value: key[i] ?? 0n }));
  const params = Object.fromEntries(parameters.map(({ name }, i) => [name, values[i] ?? 0n]));
  const entity: Entity = {
    kind: "tableEntry",
    table,
    match,
    priority: 0,
    action: { kind: "action", action, params },
    ...(control.info.table.support_timeout ? { idleTimeoutNs: times.of(profile) } : {}),
  };
  try {
    writer.apply({ type: "insert", entity });
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
  }
}

/** The program with its BMv2 JSON in the form that runs. */
function runnableProgram(program: Program): Program {
  const bmv2 = runnableForm(program.bmv2);
  return bmv2 === program.bmv2 ? program : { ...program, bmv2 };
}

/** A program that cannot run is an invalid argument (P4Runtime spec 7.1). */
function asDeviceError(error: unknown): unknown {
  return error instanceof DiagnosticError ? new DeviceError("INVALID_ARGUMENT", error.message) : error;
}
