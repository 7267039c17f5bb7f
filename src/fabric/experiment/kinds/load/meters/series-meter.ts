/** Counts what hosts send, what is lost and what arrives, in bins from the start of the traffic. */

import { given } from "../../../../../base/index.js";
import {
  type Fabric,
  type Simulation,
  type Stream,
  SwitchNode,
  TcpConnection,
} from "../../../../sim/packet/index.js";

/** As JSON; lists have an entry for each bin. Packets of both directions count, acknowledgements included. */
export interface LoadSeries {
  readonly binNs: number;
  /** Packets that hosts handed to their links. */
  readonly sent: readonly number[];
  /** Packets for which queues had no space, and packets that faults lost. */
  readonly lostInQueues: readonly number[];
  readonly lostByFaults: readonly number[];
  /** Payload that receivers got in order, in bytes. */
  readonly delivered: readonly number[];
}

type Counts = readonly [sent: number, queues: number, faults: number, delivered: number];

export class SeriesMeter {
  readonly #bins: Counts[] = [];
  #before: Counts;
  #isOver = false;

  /** Counts from now on, for all flows; `delivered`: total payload that receivers have so far. */
  constructor(
    readonly fabric: Fabric,
    readonly binNs: number,
    readonly delivered: () => number,
  ) {
    this.#before = this.#count();
    this.#wait();
  }

  /** The figures at the end of the run; the last bin may be shorter. */
  figures(): { readonly series: LoadSeries } {
    this.#isOver = true;
    this.#add();
    const list = (which: 0 | 1 | 2 | 3) => this.#bins.map((bin) => bin[which]);
    const [sent, lostInQueues, lostByFaults, delivered] = [list(0), list(1), list(2), list(3)];
    return { series: { binNs: this.binNs, sent, lostInQueues, lostByFaults, delivered } };
  }

  #wait(): void {
    const { simulation } = this.fabric.network;
    simulation.at(simulation.now + this.binNs, () => {
      if (this.#isOver) return;
      this.#add();
      this.#wait();
    });
  }

  #add(): void {
    const now = this.#count();
    const before = this.#before;
    this.#bins.push([now[0] - before[0], now[1] - before[1], now[2] - before[2], now[3] - before[3]]);
    this.#before = now;
  }

  #count(): Counts {
    const hosts = new Set<unknown>(this.fabric.hosts());
    let [sent, queues, faults] = [0, 0, 0];
    for (const { stats, source } of this.fabric.network.channels) {
      if (hosts.has(source)) sent += stats.sent;
      queues += stats.overflowed;
      faults += stats.vanished;
    }
    for (const { overflowed } of this.fabric.hosts()) queues += overflowed;
    for (const node of this.fabric.nodes)
      if (node instanceof SwitchNode) queues += node.device.stats.drops.queue;
    return [sent, queues, faults, this.delivered()];
  }
}

// Samples the congestion windows and round trips of certain flows at equal intervals while they are open.

/** One look at a flow's sender. Times in nanoseconds, sizes in bytes. */
export interface WindowSample {
  readonly flow: number;
  /** From the start of the traffic. */
  readonly at: number;
  readonly window: number;
  readonly inFlight: number;
  /** RFC 6298; absent before the first round trip. */
  readonly smoothedRtt?: number;
  /** Bytes that are acknowledged. */
  readonly acknowledged: number;
}

/** Maximum number of samples of a run: more are a mistake, such as an interval of 1 ns. */
const MAX_SAMPLES = 1_000_000;

export class WindowTrace {
  readonly #flows: ReadonlySet<number>;
  readonly #samples: WindowSample[] = [];
  #leftOut = 0;

  constructor(
    readonly simulation: Simulation,
    flows: readonly number[],
    readonly intervalNs: number,
  ) {
    this.#flows = new Set(flows);
  }

  /** A flow begins to send; `start`: of the traffic. Looks at it until it is closed. */
  follow(flow: number, client: Stream, start: number): void {
    if (!this.#flows.has(flow) || !(client instanceof TcpConnection)) return;
    const look = () => {
      if (client.state === "CLOSED") return;
      this.#add(flow, client, start);
      this.simulation.at(this.simulation.now + this.intervalNs, look);
    };
    look();
  }

  samples(): { readonly windows: readonly WindowSample[]; readonly windowsLeftOut?: number } {
    return {
      windows: this.#samples,
      ...given({ windowsLeftOut: this.#leftOut === 0 ? undefined : this.#leftOut }),
    };
  }

  #add(flow: number, client: TcpConnection, start: number): void {
    if (this.#samples.length >= MAX_SAMPLES) {
      this.#leftOut++;
      return;
    }
    const { smoothedRtt } = client.timeout;
    this.#samples.push({
      flow,
      at: this.simulation.now - start,
      window: client.congestionControl.window,
      inFlight: client.bytesInFlight,
      ...given({ smoothedRtt }),
      acknowledged: client.bytesAcknowledged,
    });
  }
}
