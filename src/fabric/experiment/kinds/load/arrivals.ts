/** Lets the flows and recorded packets of a workload arrive in the simulation, one after the other: there is no list of all of them. */
import type { Channel, Fabric, Simulation } from "../../../sim/packet/index.js";
import type { FlowArrival, PacketSource, Workload } from "../../../traffic/index.js";

export class Arrivals {
  readonly #simulation: Simulation;
  readonly #workload: Workload;
  readonly #begin: (flow: FlowArrival) => void;
  readonly #start: number;
  #drawn = false;
  #scheduled = 0;
  /** Arrival of the last flow so far, nanoseconds from the start. */
  lastNs = 0;
  count = 0;

  /** The traffic starts at the present virtual time. */
  constructor(simulation: Simulation, workload: Workload, begin: (flow: FlowArrival) => void) {
    this.#simulation = simulation;
    this.#workload = workload;
    this.#begin = begin;
    this.#start = simulation.now;
    this.#drawNext();
  }

  /** Whether no further flow will arrive, unless the completion of a flow starts one. */
  get ended(): boolean {
    return this.#drawn && this.#scheduled === 0;
  }

  /** Reports that a flow is complete: the flows that it starts will arrive. */
  completed(flow: FlowArrival): void {
    const { now } = this.#simulation;
    for (const next of this.#workload.completed?.(flow, now - this.#start) ?? []) this.#schedule(next, false);
  }

  #drawNext(): void {
    const flow = this.#workload.next();
    if (flow === undefined) this.#drawn = true;
    else this.#schedule(flow, true);
  }

  #schedule(flow: FlowArrival, isNext: boolean): void {
    this.#scheduled++;
    this.#simulation.at(this.#start + flow.startNs, () => {
      this.#scheduled--;
      this.count++;
      this.lastNs = flow.startNs;
      // This precedes the beginning of the flow, so that `ended` is right for it.
      if (isNext) this.#drawNext();
      this.#begin(flow);
    });
  }
}

/** Starts at the present time; one packet is read ahead. */
export function replayPackets(fabric: Fabric, packets: PacketSource): void {
  const { network } = fabric;
  const { simulation } = network;
  const start = simulation.now;
  const uplinks = new Map<number, Channel>();
  const uplinkOf = (host: number) => {
    let channel = uplinks.get(host);
    if (channel === undefined) {
      const node = fabric.host(host);
      const link = network.linksOf(node).find(({ a, b }) => (a.node === node ? a : b).port === 1)!;
      channel = link.a.node === node ? link.aToB : link.bToA;
      uplinks.set(host, channel);
    }
    return channel;
  };
  const sendNext = () => {
    const packet = packets.next();
    if (packet === undefined) return;
    simulation.at(start + packet.timeNs, () => {
      uplinkOf(packet.host).send(packet.frame);
      sendNext();
    });
  };
  sendNext();
}
