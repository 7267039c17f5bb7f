/**
 * An embedded switch as a node of the network: frames in and out by its ports, time from the simulation. Its output
 * queues are those of the switch, so that the program sees their depths and delays; the channel of a port models
 * only the wire.
 */
import {
  type BufferAccount,
  type CoverageCounts,
  type QueueOptions,
  Switch,
  type SwitchClock,
  type SwitchOptions,
  Workspaces,
} from "../../../toolchain/switch/index.js";
import type { Channel, Node } from "./channel.js";
import type { PfcOptions } from "./pfc/pfc-options.js";
import { SwitchFlowControl } from "./pfc/switch-flow-control.js";
import { MicrosecondClock, type Simulation } from "./simulation.js";
import { SwitchTrimmer } from "./trimming/switch-trimmer.js";
import type { TrimOptions } from "./trimming/trim-options.js";
import { HEADERS_ONLY, type WireModel } from "./wire-model.js";

/** Memory that the switches of one simulation share, since they run one after the other. */
interface Shared {
  readonly clock: MicrosecondClock;
  readonly workspaces: Workspaces;
}

const ofSimulation = new WeakMap<Simulation, Shared>();

function sharedOf(simulation: Simulation): Shared {
  let shared = ofSimulation.get(simulation);
  if (shared === undefined) {
    shared = { clock: new MicrosecondClock(simulation), workspaces: new Workspaces() };
    ofSimulation.set(simulation, shared);
  }
  return shared;
}

export interface SwitchNodeOptions {
  name: string;
  /** Seed of the switch's random numbers. */
  seed: number;
  /** Packets and bytes that may wait at a port, the frame on the wire not included. */
  queuePackets: number;
  queueBytes: number;
  /** Of the links; absent: a frame takes its own bytes. */
  wire?: WireModel;
  /** Priority flow control, in place of the limits of packets and bytes; `mac`: the source address of its frames. */
  flowControl?: { readonly pfc: PfcOptions; readonly mac: bigint };
  /** Packets that find no room are cut to their headers. */
  trimming?: TrimOptions;
  /** Number of queues of a port, served strictly by `standard_metadata.priority`, highest first; default: 1. */
  priorities?: number;
  /** Frames sent to this port are packet-ins; packet-outs come in on it. */
  cpuPort?: number;
  /** Receives the texts of `log_msg`. */
  log?(message: string): void;
  /** Counts what packets reach of the program. */
  coverage?: CoverageCounts;
}

/** Port of packet-ins and packet-outs, which is also the default of the testbed's switches. */
export const CPU_PORT = 510;

/** Called whenever the backlog of a port has changed, the frame on the wire excluded. */
export type QueueObserver = (port: number, packets: number, bytes: number) => void;

/** Options of a switch and of its queues in one object, since every frame reads both. */
class Ports implements SwitchOptions, QueueOptions {
  readonly outputs: (Channel | undefined)[] = [];
  strayed = 0;
  readonly strayPorts = new Set<number>();
  queueObservers: readonly QueueObserver[] = [];
  readonly handOver = "first";
  readonly depthPackets: number;
  readonly depthBytes: number;
  readonly priorities: number;
  readonly leastBytes: number;
  readonly overheadBytes: number;
  readonly clock: SwitchClock;
  readonly workspaces: Workspaces;
  readonly ownsFrames = true;
  readonly name: string;
  readonly seed: number;
  readonly cpuPort: number;
  readonly log?: (message: string) => void;
  readonly coverage?: CoverageCounts;
  readonly account?: BufferAccount;
  readonly trimmer?: SwitchTrimmer;

  constructor(
    simulation: Simulation,
    options: SwitchNodeOptions,
    flowControl: SwitchFlowControl | undefined,
    trimmer: SwitchTrimmer | undefined,
  ) {
    const { clock, workspaces } = sharedOf(simulation);
    this.depthPackets = options.queuePackets;
    this.depthBytes = options.queueBytes;
    this.priorities = options.priorities ?? 1;
    const { leastBytes, overheadBytes } = options.wire ?? HEADERS_ONLY;
    this.leastBytes = leastBytes;
    this.overheadBytes = overheadBytes;
    this.clock = clock;
    this.workspaces = workspaces;
    this.name = options.name;
    this.seed = options.seed;
    this.cpuPort = options.cpuPort ?? CPU_PORT;
    if (options.log !== undefined) this.log = (message) => options.log?.(message);
    if (options.coverage !== undefined) this.coverage = options.coverage;
    if (flowControl !== undefined) this.account = flowControl;
    if (trimmer !== undefined) this.trimmer = trimmer;
  }

  get queue(): QueueOptions {
    return this;
  }

  rateBitsPerSecond(port: number): number | undefined {
    return this.outputs[port]?.rate || undefined;
  }

  lengthChanged(port: number, packets: number, bytes: number): void {
    for (const observer of this.queueObservers) observer(port, packets, bytes);
  }

  transmit(port: number, frame: Uint8Array): void {
    const output = this.outputs[port];
    if (output !== undefined) {
      output.send(frame);
      return;
    }
    this.strayed++;
    this.strayPorts.add(port);
  }
}

export class SwitchNode implements Node, PortSource {
  readonly device: Switch;
  readonly name: string;
  readonly ownQueues = true;
  readonly #ports: Ports;
  readonly #downPorts = new Set<number>();
  readonly #portListeners = new Set<() => void>();
  /** Undefined: frames that find no room are dropped, and nobody is paused. */
  readonly flowControl: SwitchFlowControl | undefined;
  /** Undefined: frames that find no room are not cut. */
  readonly trimmer: SwitchTrimmer | undefined;

  constructor(simulation: Simulation, options: SwitchNodeOptions) {
    this.name = options.name;
    const { flowControl, trimming } = options;
    this.trimmer = trimming && new SwitchTrimmer(trimming);
    this.flowControl =
      flowControl && new SwitchFlowControl(simulation, flowControl.pfc, () => this.device, flowControl.mac);
    this.#ports = new Ports(simulation, options, this.flowControl, this.trimmer);
    this.device = new Switch(undefined, this.#ports);
  }

  /** Number of frames that the switch sent to a port without a link. */
  get strayed(): number {
    return this.#ports.strayed;
  }

  /** The ports without a link by which these frames left. */
  get strayPorts(): ReadonlySet<number> {
    return this.#ports.strayPorts;
  }

  /** The backlog of a port, the frame on the wire excluded. */
  backlog(port: number): { packets: number; bytes: number } {
    return this.device.queues.backlog(port);
  }

  /** For measurements; returns a function that ends the observation. */
  watchQueues(observer: QueueObserver): () => void {
    const ports = this.#ports;
    ports.queueObservers = [...ports.queueObservers, observer];
    return () => {
      ports.queueObservers = ports.queueObservers.filter((one) => one !== observer);
    };
  }

  attach(port: number, output: Channel): void {
    this.#ports.outputs[port] = output;
    this.flowControl?.attach(port, output);
  }

  receive(port: number, frame: Uint8Array): void {
    if (this.flowControl?.takes(port, frame) === true) return;
    this.device.receive(port, frame);
  }

  portState(port: number, up: boolean): void {
    if (up !== this.#downPorts.has(port)) return;
    if (up) this.#downPorts.delete(port);
    else this.#downPorts.add(port);
    this.device.setPortState(port, up);
    if (!up) this.flowControl?.portDown(port);
    for (const listener of [...this.#portListeners]) listener();
  }

  get downPorts(): ReadonlySet<number> {
    return this.#downPorts;
  }

  watchPorts(listener: () => void): () => void {
    this.#portListeners.add(listener);
    return () => this.#portListeners.delete(listener);
  }
}

/** The ports of a switch, for its control channel. */
export interface PortSource {
  /** Ports that have lost their carrier. */
  readonly downPorts: ReadonlySet<number>;
  /** Calls back after each change of {@link downPorts}; returns a function that ends this. */
  watchPorts(listener: () => void): () => void;
}

/** Ports that are always up. */
export const STEADY_PORTS: PortSource = { downPorts: new Set(), watchPorts: () => () => {} };
