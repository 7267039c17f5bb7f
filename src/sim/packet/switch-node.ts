/**
 * An embedded switch as a node of the network: frames in and out by its ports, time from the simulation. Its output
 * queues are those of the switch, so that the program sees their depths and delays; the channel behind a port models
 * the wire alone.
 */
import { Switch } from "../../switch/index.js";
import type { Channel } from "./channel.js";
import type { Node } from "./network.js";
import type { PortSource } from "./port-source.js";
import { microsecondClock, type Simulation } from "./simulation.js";

export interface SwitchNodeOptions {
  name: string;
  /** For what the switch draws at random. */
  seed: number;
  /** Packets and bytes that may wait at a port, the frame on the wire not included. */
  queuePackets: number;
  queueBytes: number;
  /** Queues a port, served strictly by `standard_metadata.priority`, highest first; 1 unless given. */
  priorities?: number;
  /** Frames sent to this port are packet-ins; packet-outs come in on it. */
  cpuPort?: number;
}

/** Port of packet-ins and packet-outs, the one that the testbed's switches use unless told otherwise. */
export const CPU_PORT = 510;

/** Hears whenever what waits at a port has changed, the frame on the wire left out. */
export type QueueObserver = (port: number, packets: number, bytes: number) => void;

export class SwitchNode implements Node, PortSource {
  readonly device: Switch;
  readonly name: string;
  readonly ownQueues = true;
  readonly #outputs: (Channel | undefined)[] = [];
  readonly #downPorts = new Set<number>();
  readonly #portListeners = new Set<() => void>();
  #queueObservers: readonly QueueObserver[] = [];
  /** Frames that the switch sent to a port without a link. */
  strayed = 0;

  constructor(simulation: Simulation, options: SwitchNodeOptions) {
    this.name = options.name;
    this.device = new Switch(undefined, {
      name: options.name,
      clock: microsecondClock(simulation),
      seed: options.seed,
      ownsFrames: true,
      cpuPort: options.cpuPort ?? CPU_PORT,
      queue: {
        depthPackets: options.queuePackets,
        depthBytes: options.queueBytes,
        rateBitsPerSecond: (port) => this.#outputs[port]?.options.rate || undefined,
        handOver: "first",
        lengthChanged: (port, packets, bytes) => {
          for (const observer of this.#queueObservers) observer(port, packets, bytes);
        },
        ...(options.priorities === undefined ? {} : { priorities: options.priorities }),
      },
      transmit: (port, frame) => {
        const output = this.#outputs[port];
        if (output === undefined) this.strayed++;
        else output.send(frame);
      },
    });
  }

  /** What waits at a port, the frame on the wire not included. */
  backlog(port: number): { packets: number; bytes: number } {
    return this.device.queues.backlog(port);
  }

  /** For measurements; returns how to stop. */
  watchQueues(observer: QueueObserver): () => void {
    this.#queueObservers = [...this.#queueObservers, observer];
    return () => {
      this.#queueObservers = this.#queueObservers.filter((one) => one !== observer);
    };
  }

  attach(port: number, output: Channel): void {
    this.#outputs[port] = output;
  }

  receive(port: number, frame: Uint8Array): void {
    this.device.receive(port, frame);
  }

  portState(port: number, up: boolean): void {
    if (up !== this.#downPorts.has(port)) return;
    if (up) this.#downPorts.delete(port);
    else this.#downPorts.add(port);
    this.device.setPortState(port, up);
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
