/** Second models of the message transport: written from the descriptions in docs/transport.md and from DCQCN's paper, without the sources. */

export interface OneLoss {
  readonly recovery: "selective_repeat" | "go_back_n";
  /** Packets of the message, and the one that is lost when it is sent first, from 0. */
  readonly packets: number;
  readonly lost: number;
  /** Transmissions after a packet that tell of its loss. */
  readonly distance: number;
  /** Nanoseconds on one link: of a packet, of an acknowledgement, of the wire. There are two links each way. */
  readonly data: number;
  readonly answer: number;
  readonly wire: number;
  /** Nanoseconds above the round trip after which a packet is lost. */
  readonly margin: number;
}

/** When the last byte arrives, and how many packets were sent again. The window is open, and the round trip longer than the message. */
export function deliverWithOneLoss(loss: OneLoss): { readonly time: number; readonly again: number } {
  const { recovery, packets, lost, distance, data, answer, wire, margin } = loss;
  const arrives = (packet: number) => (packet + 2) * data + 2 * wire;
  const back = 2 * answer + 2 * wire;
  const isGoBackN = recovery === "go_back_n";
  const witness = lost + (isGoBackN ? 1 : distance);
  const leaves = (lost + 1) * data;
  const roundTrip = arrives(lost) + back - leaves;
  const found = witness < packets ? arrives(witness) + back : leaves + roundTrip + margin;
  const again = isGoBackN ? packets - lost : 1;
  return { time: found + (again + 1) * data + 2 * wire, again };
}

/**
 * The same where the first relay cuts the packet to its header: the header follows the packet before it without a gap, its answer comes a round trip of
 * headers later, and the packet is sent again at once.
 */
export function deliverWithOneCut({
  recovery,
  packets,
  lost,
  data,
  answer,
  wire,
}: Omit<OneLoss, "distance" | "margin">): { readonly time: number; readonly again: number } {
  const found = (lost + 1) * data + 3 * answer + 4 * wire;
  const again = recovery === "go_back_n" ? packets - lost : 1;
  return { time: found + (again + 1) * data + 2 * wire, again };
}

export interface Dcqcn {
  readonly line: number;
  readonly g: number;
  readonly alphaTimer: number;
  readonly timer: number;
  readonly bytes: number;
  readonly f: number;
  readonly additive: number;
  readonly hyper: number;
  readonly least: number;
}

export type DcqcnEvent = { readonly at: number } & ({ readonly cnp: true } | { readonly sent: number });

/** The rate after each event, with every expiry of a timer as an event of its own (Zhu et al., equations 1 to 4, figure 7). */
export function dcqcnRates(setting: Dcqcn, events: readonly DcqcnEvent[]): number[] {
  const { line, g, alphaTimer, timer, bytes, f, additive, hyper, least } = setting;
  const state = { rc: line, rt: line, alpha: 1, t: 0, bc: 0, left: bytes };
  let [alphaAt, timerAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const increase = () => {
    if (Math.max(state.t, state.bc) < f) {
      // Fast recovery: the target stays.
    } else if (Math.min(state.t, state.bc) > f) state.rt += (Math.min(state.t, state.bc) - f) * hyper;
    else state.rt += additive;
    state.rt = Math.min(state.rt, line);
    state.rc = (state.rc + state.rt) / 2;
  };
  return events.map((event) => {
    for (;;) {
      const next = Math.min(alphaAt, timerAt);
      if (next > event.at) break;
      if (alphaAt === next) {
        state.alpha = (1 - g) * state.alpha;
        alphaAt += alphaTimer;
      } else {
        increase();
        state.t++;
        timerAt += timer;
      }
    }
    if ("cnp" in event) {
      state.rt = state.rc;
      state.rc = Math.max(least, state.rc * (1 - state.alpha / 2));
      state.alpha = (1 - g) * state.alpha + g;
      [state.t, state.bc, state.left] = [0, 0, bytes];
      alphaAt = event.at + alphaTimer;
      timerAt = event.at + timer;
    } else if (timerAt < Number.POSITIVE_INFINITY) {
      for (state.left -= event.sent; state.left <= 0; state.left += bytes) {
        increase();
        state.bc++;
      }
    }
    return state.rc;
  });
}

/** Swift's target (section 3.5): base + hops + what a small window gets more, all in one unit. */
export function swiftTarget(
  base: number,
  perHop: number,
  hops: number,
  flows: { readonly range: number; readonly smallest: number; readonly largest: number },
  window: number,
): number {
  const alpha = flows.range / (flows.smallest ** -0.5 - flows.largest ** -0.5);
  const beta = -alpha / Math.sqrt(flows.largest);
  return base + perHop * hops + Math.max(0, Math.min(alpha / Math.sqrt(window) + beta, flows.range));
}

/** A ring of entropy values under REPS, by lists: unused ones oldest first, and the last values in the order of the ring. */
export class RepsModel {
  unused: number[] = [];
  /** Slots of the ring; undefined: nothing was ever there. */
  readonly slots: (number | undefined)[];
  next = 0;
  constructor(readonly size: number) {
    this.slots = new Array<number | undefined>(size).fill(undefined);
  }
  good(value: number): void {
    this.slots[this.next] = value;
    this.next = (this.next + 1) % this.size;
    this.unused.push(value);
    if (this.unused.length > this.size) this.unused.shift();
  }
  /** The value of the next packet; undefined: it is drawn. */
  take(): number | undefined {
    return this.unused.shift();
  }
}
