/**
 * CONGA (Alizadeh et al., SIGCOMM 2014) as the paper describes it, in plain numbers: the discounting rate estimator of a link (section 3.2), the
 * quantised metric, its ageing, and the choice of an uplink (section 3.5). Times are in microseconds.
 */

/**
 * X grows by the bytes of each packet and loses the share `alpha` each `period`. The first period begins with the first packet, and another
 * first one after a pause of `forgotten`.
 */
export class Estimator {
  #left = 0;
  #begun: number | undefined;

  constructor(
    private readonly alpha: number,
    private readonly period: number,
    private readonly forgotten: number,
  ) {}

  /** The register at a time, which is not before an earlier one. */
  at(now: number): number {
    this.#begun ??= now;
    if (now - this.#begun >= this.forgotten) {
      this.#left = 0;
      this.#begun = now;
    }
    for (; now - this.#begun >= this.period; this.#begun += this.period) this.#left *= 1 - this.alpha;
    return this.#left;
  }

  add(now: number, bytes: number): void {
    this.#left = this.at(now) + bytes;
  }
}

/** Congestion metric: X over the bytes of a full link in tau = period / alpha, in Q bits. */
export function quantised(x: number, capacity: number, bits: number): number {
  return Math.min(2 ** bits - 1, Math.floor((x / capacity) * 2 ** bits));
}

/** A metric that was not heard of for `age`: half of it after each full time of ageing. */
export function aged(metric: number, age: number, ageing: number): number {
  const halvings = age <= 0 ? 0 : Math.ceil(age / ageing) - 1;
  return Math.floor(metric / 2 ** halvings);
}

export interface Uplink {
  readonly local: number;
  readonly remote: number;
}

/** The uplinks that may be taken: the least maximum of both metrics; the one of the last flowlet alone, if it is among them. */
export function bestUplinks(uplinks: readonly Uplink[], before?: number): number[] {
  const worst = uplinks.map(({ local, remote }) => Math.max(local, remote));
  const least = Math.min(...worst);
  const best = worst.flatMap((value, i) => (value === least ? [i] : []));
  return before !== undefined && best.includes(before) ? [before] : best;
}

/**
 * The order in which entries of a row of Congestion-From-Leaf return: in turn, those first that have changed since they were last sent (section
 * 3.3). `undefined`: nothing is known of this tag.
 */
export class Feedback {
  readonly #known: (number | undefined)[];
  readonly #changed: boolean[];
  #turn = 0;

  constructor(tags: number) {
    this.#known = new Array<number | undefined>(tags).fill(undefined);
    this.#changed = new Array<boolean>(tags).fill(false);
  }

  heard(tag: number, metric: number): void {
    if (this.#known[tag] !== metric) this.#changed[tag] = true;
    this.#known[tag] = metric;
  }

  next(): { tag: number; metric: number } | undefined {
    const order = this.#known.map((_, i) => (this.#turn + i) % this.#known.length);
    const tag = order.find((i) => this.#changed[i]) ?? order.find((i) => this.#known[i] !== undefined);
    if (tag === undefined) return undefined;
    this.#changed[tag] = false;
    this.#turn = (tag + 1) % this.#known.length;
    return { tag, metric: this.#known[tag]! };
  }
}
