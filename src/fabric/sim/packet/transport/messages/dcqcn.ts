/**
 * DCQCN (Zhu et al., SIGCOMM 2015): the rate of a flow under congestion notification packets. Sections and equations are the paper's. The
 * timers have no events of their own: what they did is computed when the rate is read.
 */
import type { MessageControl, MessageControlContext } from "./message-control.js";

/** Times in nanoseconds, rates in bits per second. */
export interface DcqcnOptions {
  /** Weight of a notification in alpha (g). */
  readonly gain: number;
  /** Time without a notification after which alpha falls (K). */
  readonly alphaTimer: number;
  /** Time and bytes after which the rate rises (T, B). */
  readonly increaseTimer: number;
  readonly byteCounter: number;
  /** Rises of fast recovery (F). */
  readonly fastRecovery: number;
  /** What additive and hyper increase add to the target (R_AI, R_HAI). */
  readonly additive: number;
  readonly hyper: number;
  readonly leastRate: number;
}

export class Dcqcn implements MessageControl {
  readonly window: number;
  readonly #options: DcqcnOptions;
  readonly #line: number;
  /** R_C and R_T. */
  #current: number;
  #target: number;
  #alpha = 1;
  /** Before the first notification nothing changes: the flow sends at the rate of its link. */
  #limited = false;
  #alphaAt = 0;
  #increaseAt = 0;
  #bytes = 0;
  /** Expirations of timer and byte counter since the last notification. */
  #times = 0;
  #counts = 0;

  constructor({ window, lineRateBps }: MessageControlContext, options: DcqcnOptions) {
    this.window = window;
    this.#options = options;
    this.#line = lineRateBps;
    this.#current = lineRateBps;
    this.#target = lineRateBps;
  }

  get alpha(): number {
    return this.#alpha;
  }

  get targetRate(): number {
    return this.#target;
  }

  rateAt(now: number): number {
    this.#advance(now);
    return this.#current;
  }

  /** Equation 1. */
  onNotification(now: number): void {
    this.#advance(now);
    const { gain, alphaTimer, increaseTimer, leastRate } = this.#options;
    this.#target = this.#current;
    this.#current = Math.max(this.#current * (1 - this.#alpha / 2), leastRate);
    this.#alpha = (1 - gain) * this.#alpha + gain;
    this.#limited = true;
    this.#alphaAt = now + alphaTimer;
    this.#increaseAt = now + increaseTimer;
    this.#bytes = 0;
    this.#times = 0;
    this.#counts = 0;
  }

  onSent(bytes: number, now: number): void {
    if (!this.#limited) return;
    this.#advance(now);
    this.#bytes += bytes;
    while (this.#bytes >= this.#options.byteCounter) {
      this.#bytes -= this.#options.byteCounter;
      this.#increase();
      this.#counts++;
    }
  }

  onAck(): void {}

  /** Losses are repaired, but are no signal: the paper's fabrics have PFC. */
  onLoss(): void {}
  onTimeout(): void {}

  /** Lets both timers expire as often as they have until now, in the order of their times. */
  #advance(now: number): void {
    if (!this.#limited) return;
    const { gain, alphaTimer, increaseTimer } = this.#options;
    while (Math.min(this.#alphaAt, this.#increaseAt) <= now) {
      if (this.#alphaAt <= this.#increaseAt) {
        // Equation 2.
        this.#alpha *= 1 - gain;
        this.#alphaAt += alphaTimer;
      } else {
        this.#increase();
        this.#times++;
        this.#increaseAt += increaseTimer;
      }
      if (this.#current >= this.#line && this.#target >= this.#line) this.#skip(now);
    }
  }

  /** At the rate of the link only alpha still changes. */
  #skip(now: number): void {
    const { gain, alphaTimer, increaseTimer } = this.#options;
    if (this.#alphaAt <= now) {
      const steps = Math.floor((now - this.#alphaAt) / alphaTimer) + 1;
      this.#alpha *= (1 - gain) ** steps;
      this.#alphaAt += steps * alphaTimer;
    }
    if (this.#increaseAt <= now) {
      const steps = Math.floor((now - this.#increaseAt) / increaseTimer) + 1;
      this.#times += steps;
      this.#increaseAt += steps * increaseTimer;
    }
  }

  /** Equations 3 and 4, and hyper increase as in QCN; the counts are those of the increases before this one (figure 7). */
  #increase(): void {
    const { fastRecovery, additive, hyper } = this.#options;
    const least = Math.min(this.#times, this.#counts);
    if (least > fastRecovery) this.#target += hyper * (least - fastRecovery);
    else if (Math.max(this.#times, this.#counts) >= fastRecovery) this.#target += additive;
    this.#target = Math.min(this.#target, this.#line);
    this.#current = (this.#target + this.#current) / 2;
    // Halving the distance never ends: within a bit per second the rate is the target.
    if (this.#target - this.#current < 1) this.#current = this.#target;
  }
}
