/** Faults in the simulator: outages and impairments of channels, carrier signals, and switches without program and state. */

import { given } from "../../../base/index.js";
import {
  type Channel,
  type ControlFault,
  type Fabric,
  type FabricPlace,
  Impairment,
} from "../../sim/packet/index.js";
import type { FaultyChannel, SimulatorFaultOptions } from "../kinds/kind.js";
import {
  ALL_CHANNELS,
  directionsOf,
  type Element,
  effectName,
  elementName,
  endName,
  type Fault,
  type Flap,
  isCut,
} from "./fault.js";

type NetworkElement = Exclude<Element, { kind: "control" | "flow" }>;

/** Injects and ends faults. An element works again when all of its faults have ended. */
export class SimulatorFaults {
  /** By channel: how many active faults cut it. */
  readonly #cuts = new Map<Channel, number>();
  /** By link: how many active faults have taken its carrier away. */
  readonly #downs = new Map<number, number>();
  /** One for each fault, however often the fault begins, so that its random stream continues. */
  readonly #impairments = new Map<Fault, Impairment>();
  readonly #active = new Set<Fault>();
  readonly #ofControl = new Map<Fault, ControlFault>();
  /** Rates that slowed links have without faults. */
  readonly #rates = new Map<Channel, number>();

  constructor(
    readonly fabric: Fabric,
    readonly options: SimulatorFaultOptions,
  ) {}

  begin(fault: Fault): void {
    this.#active.add(fault);
    const { element, effect } = fault;
    const { network, topology, events } = this.fabric;
    events.faultBegan(
      nameOf(fault),
      `${elementName(topology, element)}: ${effectName(fault)}`,
      placeOf(element),
    );
    if (element.kind === "control") {
      const one = this.#controlFaultOf(fault);
      for (const channel of this.#controlOf(element.index)) channel.beginFault(one);
      return;
    }
    if (effect.kind === "drop" || element.kind === "flow") {
      this.options.drops?.begin(fault);
      return;
    }
    if (effect.kind !== "packets") {
      for (const channel of this.#channelsAt(element)) this.#count(channel, 1);
      if (effect.kind === "down") this.#signal(element.index, 1);
      else this.options.kill(element.index);
      return;
    }
    this.#setRates(fault);
    if (!isImpairing(fault)) return;
    const impairment = this.#impairmentOf(fault);
    for (const channel of this.#impairedBy(fault, element)) network.impair(channel, impairment);
  }

  /** Resolves when a killed switch runs again; all other faults end at once, and the result is undefined. */
  end(fault: Fault): Promise<void> | undefined {
    this.#active.delete(fault);
    const { topology, events } = this.fabric;
    const { element } = fault;
    events.faultEnded(
      nameOf(fault),
      `${elementName(topology, element)}: ${endName(fault)}`,
      placeOf(element),
    );
    if (fault.effect.kind !== "kill") return void this.#end(fault);
    const restarted = this.options.restart(fault.element.index);
    if (restarted === undefined) return void this.#end(fault);
    return restarted.then(() => this.#end(fault));
  }

  /**
   * Begins the faults, with their flapping, until the returned function ends them all. Its promise resolves when killed switches run
   * again; the caller must advance time meanwhile.
   */
  inject(faults: readonly Fault[]): () => Promise<void> {
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
      return Promise.all([...this.#active].map((fault) => this.end(fault))).then(() => {});
    };
  }

  #end(fault: Fault): void {
    const { element, effect } = fault;
    if (element.kind === "control") {
      const one = this.#controlFaultOf(fault);
      for (const channel of this.#controlOf(element.index)) channel.endFault(one);
      return;
    }
    if (effect.kind === "drop" || element.kind === "flow") {
      this.options.drops?.end(fault);
      return;
    }
    if (effect.kind !== "packets") {
      for (const channel of this.#channelsAt(element)) this.#count(channel, -1);
      if (effect.kind === "down") this.#signal(element.index, -1);
      return;
    }
    this.#setRates(fault);
    if (!isImpairing(fault)) return;
    const impairment = this.#impairmentOf(fault);
    for (const channel of this.#impairedBy(fault, element)) channel.unimpair(impairment);
  }

  /** Sets the rates of the links of a fault to the product of the shares of all active faults. */
  #setRates({ effect, element }: Fault): void {
    if (effect.kind !== "packets" || effect.rate === undefined) return;
    const { topology } = this.fabric;
    for (const { link, from } of directionsOf(topology, element)) {
      const ends = this.fabric.link(link);
      const channel = from === "a" ? ends.aToB : ends.bToA;
      const whole = this.#rates.get(channel) ?? channel.rate;
      this.#rates.set(channel, whole);
      let rate = whole;
      for (const { effect: other, element: where } of this.#active) {
        if (other.kind !== "packets" || other.rate === undefined) continue;
        if (directionsOf(topology, where).some((one) => one.link === link && one.from === from))
          rate *= other.rate;
      }
      channel.rate = rate;
    }
  }

  #controlOf(index: number): readonly FaultyChannel[] {
    const { control } = this.options;
    return index === ALL_CHANNELS ? [...control.values()] : [control.get(index)!];
  }

  #controlFaultOf(fault: Fault): ControlFault {
    let made = this.#ofControl.get(fault);
    if (made === undefined) {
      const { effect, number } = fault;
      if (effect.kind !== "packets") throw new Error("control channels have faults of messages alone");
      const random = this.options.random.fork(`fault ${number}`);
      made = { loss: effect.loss, delay: effect.delay, random };
      this.#ofControl.set(fault, made);
    }
    return made;
  }

  /**
   * The channels at whose far ends a fault of packets acts. A switch that nothing passes receives nothing either, so that no controller
   * on it sees a packet.
   */
  #impairedBy(fault: Fault, element: NetworkElement): Channel[] {
    if (isCut(fault)) return this.#channelsAt(element);
    return directionsOf(this.fabric.topology, element).map(({ link, from }) => {
      const { aToB, bToA } = this.fabric.link(link);
      return from === "a" ? aToB : bToA;
    });
  }

  /** The channels of the element: for a node, both directions of all its links. */
  #channelsAt(element: NetworkElement): Channel[] {
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
        ...given({ match }),
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

function nameOf({ number }: Fault): string {
  return `fault ${number}`;
}

function placeOf(element: Element): FabricPlace {
  if (element.kind === "link") return { link: element.index };
  if (element.kind === "flow") return {};
  return element.index === ALL_CHANNELS ? {} : { node: element.index };
}

/** Whether the fault decides about each packet separately. */
function isImpairing({ effect }: Fault): boolean {
  return effect.kind === "packets" && (effect.loss > 0 || effect.corruption > 0 || effect.delay > 0);
}
