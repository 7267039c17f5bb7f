/** Faults in the simulator: outages and impairments of channels, carrier signals, and switches without program and state. */
import type { Random } from "../../base/index.js";
import { type Channel, type Fabric, Impairment } from "../../sim/packet/index.js";
import { directionsOf, type Element, type Fault, type Flap, isCut } from "./fault.js";

export interface SimulatorFaultOptions {
  /** Random decisions: a stream of its own for each fault. */
  readonly random: Random;
  /** The process of a switch ends: its control channel has nobody at its end. */
  kill(node: number): void;
  /** Brings program and state of a switch back, over the control channel. */
  restart(node: number): Promise<void>;
}

/** An element works again when all of its faults are over. */
export class SimulatorFaults {
  /** By channel: how many active faults cut it. */
  readonly #cuts = new Map<Channel, number>();
  /** By link: how many active faults take its carrier. */
  readonly #downs = new Map<number, number>();
  /** One a fault, however often it begins, so that its random stream goes on. */
  readonly #impairments = new Map<Fault, Impairment>();
  readonly #active = new Set<Fault>();

  constructor(
    readonly fabric: Fabric,
    readonly options: SimulatorFaultOptions,
  ) {}

  begin(fault: Fault): void {
    this.#active.add(fault);
    const { element, effect } = fault;
    const { network, topology } = this.fabric;
    if (isCut(fault)) {
      for (const channel of this.#cutBy(element)) this.#count(channel, 1);
      if (effect.kind === "down") this.#signal(element.index, 1);
      if (effect.kind === "kill") this.options.kill(element.index);
      return;
    }
    const impairment = this.#impairmentOf(fault);
    for (const { link, from } of directionsOf(topology, element)) {
      const { aToB, bToA } = this.fabric.link(link);
      network.impair(from === "a" ? aToB : bToA, impairment);
    }
  }

  /** Resolves when a killed switch runs again; all other faults end at once, without a promise. */
  end(fault: Fault): Promise<void> | undefined {
    this.#active.delete(fault);
    if (fault.effect.kind !== "kill") return void this.#end(fault);
    return this.options.restart(fault.element.index).then(() => this.#end(fault));
  }

  /**
   * Begins faults, which flap if they are to, until the returned function ends them all. For faults without `kill`.
   */
  strike(faults: readonly Fault[]): () => void {
    const { simulation } = this.fabric.network;
    const timers = new Map<Fault, () => void>();
    const change = (fault: Fault, { period, duty }: Flap, begins: boolean) => {
      if (begins) this.begin(fault);
      else this.end(fault);
      const wait = Math.max(1, Math.round(period * (begins ? duty : 1 - duty)));
      timers.set(
        fault,
        simulation.at(simulation.now + wait, () => change(fault, { period, duty }, !begins)),
      );
    };
    for (const fault of faults) {
      if (fault.flap === undefined) this.begin(fault);
      else change(fault, fault.flap, true);
    }
    return () => {
      for (const cancel of timers.values()) cancel();
      for (const fault of [...this.#active]) this.end(fault);
    };
  }

  #end(fault: Fault): void {
    const { element, effect } = fault;
    if (isCut(fault)) {
      for (const channel of this.#cutBy(element)) this.#count(channel, -1);
      if (effect.kind === "down") this.#signal(element.index, -1);
      return;
    }
    const impairment = this.#impairmentOf(fault);
    for (const { link, from } of directionsOf(this.fabric.topology, element)) {
      const { aToB, bToA } = this.fabric.link(link);
      (from === "a" ? aToB : bToA).unimpair(impairment);
    }
  }

  /** A node that loses everything is cut off in both directions of its links. */
  #cutBy(element: Element): Channel[] {
    if (element.kind === "node")
      return this.fabric.topology.nodes[element.index]!.ports.flatMap(({ link }) => {
        const { aToB, bToA } = this.fabric.link(link);
        return [aToB, bToA];
      });
    const { aToB, bToA } = this.fabric.link(element.index);
    return element.ways === "both" ? [aToB, bToA] : [element.ways === "out" ? aToB : bToA];
  }

  #count(channel: Channel, change: 1 | -1): void {
    const count = (this.#cuts.get(channel) ?? 0) + change;
    this.#cuts.set(channel, count);
    if (count === 1 && change === 1) channel.fail();
    if (count === 0) channel.repair();
  }

  #signal(link: number, change: 1 | -1): void {
    const count = (this.#downs.get(link) ?? 0) + change;
    this.#downs.set(link, count);
    if (count === (change === 1 ? 1 : 0))
      this.fabric.network.signalLink(this.fabric.link(link), change === -1);
  }

  #impairmentOf(fault: Fault): Impairment {
    let impairment = this.#impairments.get(fault);
    if (impairment === undefined) {
      const { effect, match, number } = fault;
      if (effect.kind !== "packets") throw new Error("only faults of packets are impairments");
      const { loss, corruption, delay } = effect;
      impairment = new Impairment({
        ...(match === undefined ? {} : { match }),
        loss,
        corruption,
        delay,
        random: this.options.random.fork(`fault ${number}`),
      });
      this.#impairments.set(fault, impairment);
    }
    return impairment;
  }
}
