/** Measures the lengths of the switches' output queues over time, from every change of a length. The frame on the wire is not in a queue. */
import { type Fabric, SwitchNode } from "../../../../sim/packet/index.js";
import { TimeWeighted, type TimeWeightedJson, TimeWeightedRecorder } from "../../../../statistics/index.js";
import { TimeSeries, type TimeSeriesJson } from "./time-series.js";

/** One output port of a switch. Bytes. */
interface PortQueue {
  readonly node: string;
  readonly port: number;
  readonly peer: string;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** As JSON. */
export interface QueueFigures {
  /** All ports together, each over the whole window. */
  readonly bytes: TimeWeightedJson;
  readonly packets: TimeWeightedJson;
  /** In the order of the topology; ports at which nothing ever waited are left out. */
  readonly ports: readonly PortQueue[];
  /** Number of ports, including those at which nothing waited. */
  readonly portCount: number;
  /** Bytes that wait at all ports together, over the whole run. */
  readonly total: TimeSeriesJson;
}

interface PortRecorder {
  readonly bytes: TimeWeightedRecorder;
  readonly packets: TimeWeightedRecorder;
  waiting: number;
}

export class QueueMeter {
  readonly #fabric: Fabric;
  readonly #start: number;
  /** By node index, then by port number. */
  readonly #recorders: ReadonlyMap<number, readonly PortRecorder[]>;
  readonly #series: TimeSeries;
  readonly #stops: (() => void)[] = [];
  #total = 0;

  /** Measures from now on; undefined where the fabric's switches do not report the lengths of their queues. */
  static on(fabric: Fabric): QueueMeter | undefined {
    return fabric.nodes.some((node) => node instanceof SwitchNode) ? new QueueMeter(fabric) : undefined;
  }

  private constructor(fabric: Fabric) {
    this.#fabric = fabric;
    const { simulation } = fabric.network;
    this.#start = simulation.now;
    this.#series = new TimeSeries();
    const recorders = new Map<number, PortRecorder[]>();
    for (const [index, node] of fabric.nodes.entries()) {
      if (!(node instanceof SwitchNode)) continue;
      const ports = fabric.topology.nodes[index]!.ports.map(
        (): PortRecorder => ({
          bytes: new TimeWeightedRecorder(simulation.now),
          packets: new TimeWeightedRecorder(simulation.now),
          waiting: 0,
        }),
      );
      recorders.set(index, ports);
      const stop = node.watchQueues((port, packets, bytes) => {
        // Packets to the control plane have a queue too, but no link.
        const recorder = ports[port - 1];
        if (recorder === undefined) return;
        const { now } = simulation;
        recorder.bytes.set(now, bytes);
        recorder.packets.set(now, packets);
        this.#total += bytes - recorder.waiting;
        recorder.waiting = bytes;
        this.#series.set(now - this.#start, this.#total);
      });
      this.#stops.push(stop);
    }
    this.#recorders = recorders;
  }

  /** Begins the window: earlier lengths count only in the series over time. */
  begin(): void {
    const { now } = this.#fabric.network.simulation;
    for (const ports of this.#recorders.values())
      for (const { bytes, packets } of ports) {
        bytes.take(now);
        packets.take(now);
      }
  }

  /** Ends the window. The returned function gives the figures; it is to be called at the end of the run. */
  end(): () => QueueFigures {
    const { topology, network } = this.#fabric;
    const { now } = network.simulation;
    const [allBytes, allPackets] = [new TimeWeighted(), new TimeWeighted()];
    const listed: PortQueue[] = [];
    let portCount = 0;
    for (const [index, recorders] of this.#recorders) {
      const { name, ports } = topology.nodes[index]!;
      for (const [i, recorder] of recorders.entries()) {
        const bytes = recorder.bytes.take(now);
        allBytes.merge(bytes);
        allPackets.merge(recorder.packets.take(now));
        portCount++;
        if (bytes.max === 0) continue;
        const [p50, p99] = [bytes.quantile(0.5), bytes.quantile(0.99)];
        const peer = topology.nodes[ports[i]!.peer]!.name;
        listed.push({
          node: name,
          port: i + 1,
          peer,
          mean: Math.round(bytes.mean * 10) / 10,
          p50,
          p99,
          max: bytes.max,
        });
      }
    }
    return () => {
      for (const stop of this.#stops) stop();
      return {
        bytes: allBytes.toJson(),
        packets: allPackets.toJson(),
        ports: listed,
        portCount,
        total: this.#series.toJson(network.simulation.now - this.#start),
      };
    };
  }
}
