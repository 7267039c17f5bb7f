/** Measures the lengths of the switches' output queues over time, from every change of a length. The frame on the wire is not in a queue. */
import { type Fabric, SwitchNode } from "../../../../sim/packet/index.js";
import { TimeWeighted, type TimeWeightedJson, TimeWeightedRecorder } from "../../../../statistics/index.js";

// A quantity over time in at most a few hundred bins, for runs whose length is not known when they begin.

/** As JSON. Bins have one length and begin at 0. */
interface TimeSeriesJson {
  readonly binNs: number;
  /** Mean of each bin over time. */
  readonly mean: readonly number[];
  /** Greatest value of each bin. */
  readonly max: readonly number[];
}

const BINS = 256;
const FIRST_BIN_NS = 1024;

/** Whenever the run grows beyond the last bin, the length of all bins doubles: two bins become one. */
export class TimeSeries {
  readonly #integrals = new Float64Array(BINS);
  readonly #max = new Float64Array(BINS);
  #binNs = FIRST_BIN_NS;
  #at = 0;
  #value = 0;

  /** The quantity has this `value` from `now` on. Times must not descend. */
  set(now: number, value: number): void {
    this.#advance(now);
    this.#value = value;
    this.#raise(this.#binOf(now));
  }

  toJson(end: number): TimeSeriesJson {
    this.#advance(end);
    // The instant of the end begins no bin of its own.
    this.#makeRoom(end - 1);
    const bins = Math.ceil(end / this.#binNs);
    const lengthOf = (bin: number) => Math.min(this.#binNs, end - bin * this.#binNs);
    return {
      binNs: this.#binNs,
      mean: Array.from({ length: bins }, (_, bin) => Math.round(this.#integrals[bin]! / lengthOf(bin))),
      max: Array.from(this.#max.subarray(0, bins)),
    };
  }

  #advance(now: number): void {
    if (this.#value === 0) this.#at = Math.max(this.#at, now);
    while (this.#at < now) {
      const bin = this.#binOf(this.#at);
      this.#raise(bin);
      const until = Math.min(now, (bin + 1) * this.#binNs);
      this.#integrals[bin]! += this.#value * (until - this.#at);
      this.#at = until;
    }
  }

  #raise(bin: number): void {
    if (this.#value > this.#max[bin]!) this.#max[bin] = this.#value;
  }

  #binOf(time: number): number {
    this.#makeRoom(time);
    return Math.floor(time / this.#binNs);
  }

  #makeRoom(time: number): void {
    while (time >= BINS * this.#binNs) {
      for (let bin = 0; bin < BINS; bin++) {
        const [a, b] = [2 * bin, 2 * bin + 1];
        this.#integrals[bin] = a < BINS ? this.#integrals[a]! + this.#integrals[b]! : 0;
        this.#max[bin] = a < BINS ? Math.max(this.#max[a]!, this.#max[b]!) : 0;
      }
      this.#binNs *= 2;
    }
  }
}

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
