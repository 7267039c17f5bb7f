/**
 * Packet spraying (P-ECMP, section 3.2): each packet has a selector of its own. `round_robin`: the packets of a host use all
 * combinations of next hops in turn; the choice of the first hop changes fastest, so that the uplinks of its ToR get the same number of
 * packets. Hosts begin at random combinations. With offsets a packet's next hop also depends on its flow's hash, so each flow has turns of
 * its own. `random`: each packet draws its combination, as in random packet spraying (Dixit et al., INFOCOM 2013).
 *
 * Only data packets take turns. Acknowledgements draw: otherwise a host that alternates between data and acknowledgements
 * would send all data over half of the links.
 */
import type { Random } from "../../../base/index.js";
import type { PathChooser } from "../../hosts/index.js";
import { HOPS, type SelectorLayout, writeSlice } from "./layout.js";

export const SPRAYS = ["round_robin", "random"] as const;
export type Spray = (typeof SPRAYS)[number];

/** Number of combinations of values that hosts use: of all hops, or of the one that they share. */
export function combinations(layout: SelectorLayout): number {
  const sizes = HOPS.flatMap((hop) => layout.fanOuts[hop]?.least ?? []);
  if (!layout.shared) return sizes.reduce((product, n) => product * n, 1);
  return Math.max(1, ...HOPS.map((hop) => layout.fanOuts[hop]?.most ?? 1));
}

/** The selector of a combination, from 0 to {@link combinations} - 1; the first hop's value changes from each to the next. */
export function combination(layout: SelectorLayout, index: number): number {
  if (layout.shared) return index;
  const first = layout.control === "hops" ? 1 : 0;
  let selector = 0;
  let rest = index;
  for (const hop of HOPS) {
    const n = layout.fanOuts[hop]?.least;
    if (n === undefined) continue;
    selector = writeSlice(layout, hop, selector, first + (rest % n));
    rest = Math.floor(rest / n);
  }
  return selector;
}

/** Gives the selectors of packets of data, one after the other, and of acknowledgements. */
export class Sprayer {
  readonly #layout: SelectorLayout;
  readonly #count: number;
  readonly #random: Random;
  readonly #rule: Spray;
  #next: number;

  constructor(layout: SelectorLayout, rule: Spray, random: Random) {
    this.#layout = layout;
    this.#count = combinations(layout);
    this.#random = random;
    this.#rule = rule;
    this.#next = random.int(this.#count);
  }

  /** Of data that are sent now. */
  next(): number {
    if (this.#rule === "random") return this.draw();
    const index = this.#next;
    this.#next = (index + 1) % this.#count;
    return combination(this.#layout, index);
  }

  draw(): number {
    return combination(this.#layout, this.#random.int(this.#count));
  }
}

/** One end of a flow whose packets, acknowledgements included, a sprayer sends. */
export class SprayedPath implements PathChooser {
  readonly #sprayer: Sprayer;

  constructor(sprayer: Sprayer) {
    this.#sprayer = sprayer;
  }

  get selector(): number {
    return this.#sprayer.draw();
  }

  selectorFor(): number {
    return this.#sprayer.next();
  }

  onTimeout(): readonly number[] {
    return [this.#sprayer.next()];
  }

  onAck(): void {}

  onData(): readonly number[] {
    return [this.#sprayer.draw()];
  }
}
