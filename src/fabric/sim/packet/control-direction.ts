/**
 * One direction of a control channel: a reliable byte stream, like TCP. Messages arrive in the order in which they
 * were sent, and none is lost. A fault of the channel delays them: a lost message is sent again after a
 * retransmission timeout, and messages that are sent while the channel is cut arrive after the end of the cut.
 */
import type { Random } from "../../../base/index.js";
import { NS_PER_MS, NS_PER_S, type Simulation } from "./simulation.js";

/** Effect of a fault on the messages of a channel. */
export interface ControlFault {
  /** Share of the transmissions that are lost, 0 to 1; 1 cuts the channel. */
  readonly loss: number;
  /** Additional delay of each message, nanoseconds. */
  readonly delay: number;
  /** Source of the random losses. */
  readonly random: Random;
}

/** Minimum retransmission timeout of Linux; it doubles with each further loss of the same message. */
const RETRANSMISSION_NS = 200 * NS_PER_MS;
/** Maximum number of losses of one message: the next transmission arrives. */
const MOST_LOSSES = 10;

interface Waiting {
  readonly bytes: number;
  readonly fn: () => void;
}

export class ControlDirection {
  #freeAt = 0;
  /** Arrival of the message that was sent last. */
  #lastAt = 0;
  readonly #faults = new Set<ControlFault>();
  /** Sent while the channel is cut. */
  #waiting: Waiting[] = [];

  constructor(
    readonly simulation: Simulation,
    /** Nanoseconds of propagation. */
    readonly delay: number,
    /** Bits per second; 0: messages take no time of transmission. */
    readonly rate: number,
  ) {}

  begin(fault: ControlFault): void {
    this.#faults.add(fault);
  }

  end(fault: ControlFault): void {
    this.#faults.delete(fault);
    if (this.#isCut) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { bytes, fn } of waiting) this.send(bytes, fn);
  }

  get #isCut(): boolean {
    for (const { loss } of this.#faults) if (loss >= 1) return true;
    return false;
  }

  /** Calls `fn` when a message of this number of bytes, sent now, has arrived in full. */
  send(bytes: number, fn: () => void): void {
    if (this.#isCut) {
      this.#waiting.push({ bytes, fn });
      return;
    }
    const { now } = this.simulation;
    const time = this.rate > 0 ? Math.ceil((bytes * 8 * NS_PER_S) / this.rate) : 0;
    this.#freeAt = Math.max(this.#freeAt, now) + time;
    this.#lastAt = Math.max(this.#lastAt, this.#freeAt + this.delay + this.#lateness());
    this.simulation.at(this.#lastAt, fn);
  }

  #lateness(): number {
    let late = 0;
    for (const { loss, delay, random } of this.#faults) {
      late += delay;
      let timeout = RETRANSMISSION_NS;
      for (let losses = 0; loss > 0 && losses < MOST_LOSSES && random.float() < loss; losses++) {
        late += timeout;
        timeout *= 2;
      }
    }
    return late;
  }
}
