/** A whole topology as a network: hosts with their policy, and for each switch the node that the caller makes. */
import { given, type Json, type Random } from "../../../base/index.js";
import type { FlowKey, SelectorCodec } from "../../../base/packets/index.js";
import type { HostContext, HostPolicy } from "../../hosts/index.js";
import { hostsOf, type Topology, type TopologyNode } from "../../topology/index.js";
import type { ChannelOptions, Node } from "./channel.js";
import { Host } from "./host.js";
import { type Link, Network } from "./network.js";
import { FabricFlowControl } from "./pfc/fabric-flow-control.js";
import type { PfcOptions } from "./pfc/pfc-options.js";
import type { Simulation } from "./simulation.js";
import { type TrimmedPort, trimmedPorts } from "./trimming/fabric-trimming.js";
import type { TrimOptions } from "./trimming/trim-options.js";
import type { WireModel } from "./wire-model.js";

// Events of an experiment on a fabric, for recorders: flows, faults, and the beginning of the experiment.

/** A part of the topology, by its indexes. */
export interface FabricPlace {
  readonly node?: number;
  readonly link?: number;
}

/** Times are those of the simulation at the call. */
export interface FabricObserver {
  /** The experiment begins: its times count from now. */
  began?(): void;
  /** Later events are not part of the experiment. */
  ended?(): void;
  /** Before the first packet of a flow: its number in the results, the five-tuple of its data, and its payload if that is known. */
  flowOpened?(number: number, flow: FlowKey, bytes: number | undefined): void;
  /** The retransmission timer of the sender expired. */
  flowTimedOut?(number: number): void;
  /** The receiver has all data, or the sender knows this, or a flow without an end is closed. */
  flowCompleted?(number: number): void;
  /** `text`: description for people; `name` is the same at the beginning and the end of one fault. */
  faultBegan?(name: string, text: string, place: FabricPlace): void;
  faultEnded?(name: string, text: string, place: FabricPlace): void;
  /** Another action of the experiment file, such as a command to a controller. */
  ordered?(text: string): void;
}

/** Passes events to all observers, in the order of their registration. */
export class FabricEvents implements Required<FabricObserver> {
  #observers: readonly FabricObserver[] = [];

  /** Returns a function that ends the observation. */
  observe(observer: FabricObserver): () => void {
    this.#observers = [...this.#observers, observer];
    return () => {
      this.#observers = this.#observers.filter((one) => one !== observer);
    };
  }

  began(): void {
    for (const one of this.#observers) one.began?.();
  }

  ended(): void {
    for (const one of this.#observers) one.ended?.();
  }

  ordered(text: string): void {
    for (const one of this.#observers) one.ordered?.(text);
  }

  flowOpened(number: number, flow: FlowKey, bytes: number | undefined): void {
    for (const one of this.#observers) one.flowOpened?.(number, flow, bytes);
  }

  flowTimedOut(number: number): void {
    for (const one of this.#observers) one.flowTimedOut?.(number);
  }

  flowCompleted(number: number): void {
    for (const one of this.#observers) one.flowCompleted?.(number);
  }

  faultBegan(name: string, text: string, place: FabricPlace): void {
    for (const one of this.#observers) one.faultBegan?.(name, text, place);
  }

  faultEnded(name: string, text: string, place: FabricPlace): void {
    for (const one of this.#observers) one.faultEnded?.(name, text, place);
  }
}

export interface FabricOptions {
  simulation: Simulation;
  topology: Topology;
  /** Makes the policy of one host. */
  policy(context: HostContext): HostPolicy;
  /** Randomness of the policies: each host forks a stream by its name. */
  random: Random;
  codec: SelectorCodec;
  /** Limits of the output queue of each port of a host, and of a switch that has no queues of its own. */
  queueBytes: number;
  queuePackets: number;
  /** Priority flow control of hosts and switches; the switches are made with it. */
  pfc?: PfcOptions;
  /** Packet trimming of hosts and switches; the switches are made with it. */
  trimming?: TrimOptions;
  /** Of all links. */
  wire: WireModel;
  makeSwitch(node: TopologyNode): Node;
}

export class Fabric {
  readonly network: Network;
  readonly topology: Topology;
  readonly wire: WireModel;
  /** Undefined without priority flow control. */
  readonly flowControl: FabricFlowControl | undefined;
  /** By node index of the topology. */
  readonly nodes: readonly Node[];
  readonly #hosts: ReadonlyMap<number, Host>;
  /** Sources of flows and faults report here; recorders subscribe. */
  readonly events = new FabricEvents();
  readonly #indexes: ReadonlyMap<Node, number>;
  /** Called with each message of a host's policy, given by node index, to the controllers. */
  onTell: (node: number, message: Json) => void = () => {};

  constructor(options: FabricOptions) {
    const { simulation, topology, codec, queueBytes, queuePackets, wire, pfc, trimming } = options;
    this.wire = wire;
    this.topology = topology;
    this.network = new Network(simulation);
    this.#hosts = new Map(
      hostsOf(topology).map((node) => [
        node.index,
        new Host(simulation, {
          name: node.name,
          mac: node.mac,
          ipv4: node.host!.ipv4,
          ipv6: node.host!.ipv6,
          policy: options.policy(this.#contextOf(node, options)),
          codec,
          ...given({ flowControl: pfc && { pfc, wire, queueBytes, queuePackets } }),
          ...given({ trimming }),
        }),
      ]),
    );
    this.nodes = topology.nodes.map((node) => this.#hosts.get(node.index) ?? options.makeSwitch(node));
    this.#indexes = new Map(this.nodes.map((node, index) => [node, index]));
    for (const link of topology.links) {
      const [a, b] = [this.nodes[link.a.node]!, this.nodes[link.b.node]!];
      const from = (node: Node): ChannelOptions => ({
        rate: link.rateBps,
        wire,
        delay: Math.round(link.delayNs),
        // What can be paused waits before the channel.
        queueBytes: node.ownQueues || pfc ? Number.POSITIVE_INFINITY : queueBytes,
        queuePackets: node.ownQueues || pfc ? Number.POSITIVE_INFINITY : queuePackets,
      });
      this.network.connect(
        { node: a, port: link.a.port },
        { node: b, port: link.b.port },
        { aToB: from(a), bToA: from(b) },
      );
    }
    for (const [index, host] of this.#hosts)
      for (const port of topology.nodes[index]!.ports)
        host.setGateway(port.number, topology.nodes[port.peer]!.mac);
    this.flowControl = pfc && new FabricFlowControl(this);
  }

  /** What was trimmed by the ports of switches since they were made; undefined where nothing is. */
  trimmedPorts(): TrimmedPort[] | undefined {
    return trimmedPorts(this.topology, this.nodes);
  }

  #contextOf({ name, index, ports }: TopologyNode, { simulation, random }: FabricOptions): HostContext {
    return {
      name,
      nics: ports.length,
      clock: {
        now: () => simulation.now,
        at: (time, fn) => simulation.at(Math.max(simulation.now, Math.round(time)), fn),
      },
      random: random.fork(name),
      tell: (message) => this.onTell(index, message),
    };
  }

  /** The host at a node of the topology. */
  host(index: number): Host {
    const host = this.#hosts.get(index);
    if (host === undefined) throw new RangeError(`${this.topology.nodes[index]?.name} is no host`);
    return host;
  }

  hosts(): Iterable<Host> {
    return this.#hosts.values();
  }

  /** The simulated link of a link of the topology. */
  link(index: number): Link {
    return this.network.links[index]!;
  }

  /** Index in the topology of a simulated node. */
  indexOf(node: Node): number {
    return this.#indexes.get(node)!;
  }
}
