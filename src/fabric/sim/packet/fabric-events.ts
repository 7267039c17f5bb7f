/** Events of an experiment on a fabric, for recorders: flows, faults, and the beginning of the experiment. */
import type { FlowKey } from "../../../base/packets/index.js";

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
