/**
 * Finds the element that loses packets, from probes whose paths are known (P-ECMP, section 3.2, "Failure localization").
 *
 * Each element (a switch, a link, one direction of a link) is a hypothesis: it alone loses packets, with an unknown share p. Of
 * N probes that crossed it K are lost. The prior of p is log-uniform from 0.01 % to 100 %, which gives
 * the integral of p^(K-1) (1-p)^(N-K), B(K, N-K+1), over ln 10^4. Losses on other paths have the small probability `noise` each.
 *
 * A priori a failed switch, a failed link, a failed direction and no failure are equally likely, and so are all elements of a
 * kind. If all elements were equally likely, a fabric with many links would confuse a lossy switch with one of its links more often than
 * the confidence says: in topology #12 a failed switch would have a prior of 2 %. The confidence of a hypothesis is its share
 * of the sum of all products of likelihood and prior.
 */
import type { Topology } from "../topology/index.js";

export type ElementKind = "switch" | "link" | "direction";

export interface NetworkElement {
  readonly kind: ElementKind;
  readonly name: string;
  /** Node index, number of the link, or directed number of the link. */
  readonly number: number;
}

/** An element that a lost probe has crossed. */
export interface Suspect {
  readonly element: NetworkElement;
  /** From 0 to 1. */
  readonly confidence: number;
}

export interface Judgement {
  /** The likeliest element; undefined: most likely there is no loss beyond the noise. */
  readonly element: NetworkElement | undefined;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Estimated share of the packets that the element loses. */
  readonly loss: number;
  /** The likeliest first. All other elements and "no failure" share the rest of the confidence. */
  readonly suspects: readonly Suspect[];
}

/** All switches, and the links between switches with each direction. */
export function elementsOf({ nodes, links, down }: Topology): NetworkElement[] {
  const elements: NetworkElement[] = [];
  for (const { index, name, role } of nodes)
    if (role !== "host") elements.push({ kind: "switch", name, number: index });
  for (const { index, a, b } of links) {
    const [from, to] = [nodes[a.node]!, nodes[b.node]!];
    if (from.role === "host" || to.role === "host" || down?.has(index)) continue;
    elements.push({ kind: "link", name: `${from.name} - ${to.name}`, number: index });
    elements.push({ kind: "direction", name: `${from.name} > ${to.name}`, number: 2 * index });
    elements.push({ kind: "direction", name: `${to.name} > ${from.name}`, number: 2 * index + 1 });
  }
  return elements;
}

/** ln of the ratio of the greatest share to the smallest one. */
const SHARES_SPAN = Math.log(1e4);

/**
 * Counts probes, and computes confidences. A probe costs three additions for each link that it crosses. Elements that no lost probe has
 * crossed are all as likely as no failure; so a judgement computes only the others.
 */
export class LossSolver {
  readonly elements: readonly NetworkElement[];
  readonly #tallies: Readonly<Record<ElementKind, Tally>>;
  /** By directed link: the node that it leads to. */
  readonly #heads: Int32Array;
  /** Prior of one element of a kind, relative to that of no failure. */
  readonly #prior: Readonly<Record<ElementKind, number>>;
  /** Number of kinds that have elements. */
  readonly #kinds: number;
  /** Number of lost probes by index of an element, and the indexes where there are any, in the order of the elements. */
  readonly #lost: Float64Array;
  #suspected: number[] = [];
  #sentInAll = 0;
  #lostInAll = 0;

  constructor(
    topology: Topology,
    /** Share of the packets that a path without failure loses, above 0 and below 1. */
    readonly noise = 1e-9,
  ) {
    const { nodes, links } = topology;
    this.elements = elementsOf(topology);
    this.#tallies = {
      switch: new Tally(nodes.length),
      link: new Tally(links.length),
      direction: new Tally(2 * links.length),
    };
    for (const [i, { kind, number }] of this.elements.entries()) this.#tallies[kind].places[number] = i + 1;
    const sizes = { switch: 0, link: 0, direction: 0 };
    for (const { kind } of this.elements) sizes[kind]++;
    this.#prior = { switch: 1 / sizes.switch, link: 1 / sizes.link, direction: 1 / sizes.direction };
    this.#kinds = Object.values(sizes).filter((size) => size > 0).length;
    this.#lost = new Float64Array(this.elements.length);
    this.#heads = new Int32Array(2 * links.length);
    for (const { index, a, b } of links) {
      this.#heads[2 * index] = b.node;
      this.#heads[2 * index + 1] = a.node;
    }
  }

  /** Adds a probe that crossed these directed links, to the other host and optionally back, and arrived or not. */
  add(links: ArrayLike<number>, arrived: boolean): void {
    const probe = ++this.#sentInAll;
    if (!arrived) this.#lostInAll++;
    const { direction, link: ofLink, switch: ofSwitch } = this.#tallies;
    for (let i = 0; i < links.length; i++) {
      const link = links[i]!;
      if (direction.meets(link, probe) && !arrived) this.#suspect(direction.places[link]!);
      if (ofLink.meets(link >> 1, probe) && !arrived) this.#suspect(ofLink.places[link >> 1]!);
      const head = this.#heads[link]!;
      if (ofSwitch.meets(head, probe) && !arrived) this.#suspect(ofSwitch.places[head]!);
    }
  }

  #suspect(place: number): void {
    if (place === 0 || this.#lost[place - 1]!++ > 0) return;
    this.#suspected.push(place - 1);
    this.#suspected.sort((a, b) => a - b);
  }

  /** The judgement from the probes so far. */
  judge(): Judgement {
    // Prior of no failure, and of all elements that no lost probe has crossed.
    let others = 1 + this.#kinds;
    const logs = this.#suspected.map((i) => {
      const element = this.elements[i]!;
      const prior = this.#prior[element.kind];
      others -= prior;
      return Math.log(prior) + this.#likelihood(this.#sentOver(element), this.#lost[i]!);
    });
    const none = this.#likelihood(0, 0);
    const best = logs.reduce((most, log) => Math.max(most, log), none);
    let sum = others * Math.exp(none - best);
    for (const log of logs) sum += Math.exp(log - best);
    const suspects = this.#suspected
      .map((i, k) => ({ element: this.elements[i]!, confidence: Math.exp(logs[k]! - best) / sum }))
      .sort((a, b) => b.confidence - a.confidence);
    const [first] = suspects;
    if (first === undefined || none >= best)
      return { element: undefined, confidence: Math.exp(none - best) / sum, loss: 0, suspects };
    const { element, confidence } = first;
    const place = this.#tallies[element.kind].places[element.number]! - 1;
    return { element, confidence, loss: this.#lost[place]! / this.#sentOver(element), suspects };
  }

  #sentOver({ kind, number }: NetworkElement): number {
    return this.#tallies[kind].sent[number]!;
  }

  /** Logarithm of the likelihood that the element, crossed by `sent` probes of which `lost` are lost, has failed. */
  #likelihood(sent: number, lost: number): number {
    const own =
      lost === 0 ? times(sent, 1 - this.noise) : logBeta(lost, sent - lost + 1) - Math.log(SHARES_SPAN);
    const elsewhere = this.#lostInAll - lost;
    return own + times(elsewhere, this.noise) + times(this.#sentInAll - sent - elsewhere, 1 - this.noise);
  }
}

/** The probes that crossed the elements of one kind, by the numbers of these. */
class Tally {
  readonly sent: Float64Array;
  /** Index among all elements, from 1; 0: there is none. */
  readonly places: Int32Array;
  /** The last probe of each element: a probe that comes back crosses some elements twice, and counts once. */
  readonly #latest: Float64Array;

  constructor(size: number) {
    this.sent = new Float64Array(size);
    this.places = new Int32Array(size);
    this.#latest = new Float64Array(size);
  }

  /** Counts a probe, by its number from 1, that crosses an element; false where it has been counted. */
  meets(number: number, probe: number): boolean {
    if (this.#latest[number] === probe) return false;
    this.#latest[number] = probe;
    this.sent[number]!++;
    return true;
  }
}

/** count ln(chance), 0 for a count of 0. */
function times(count: number, chance: number): number {
  return count === 0 ? 0 : count * Math.log(chance);
}

/** ln B(a, b) = ln ((a - 1)! (b - 1)! / (a + b - 1)!), of whole numbers from 1. */
function logBeta(a: number, b: number): number {
  return logFactorial(a - 1) + logFactorial(b - 1) - logFactorial(a + b - 1);
}

const SMALL_FACTORIALS = Array.from({ length: 32 }, () => 0);
for (let n = 2; n < 32; n++) SMALL_FACTORIALS[n] = SMALL_FACTORIALS[n - 1]! + Math.log(n);

/** Exact for small numbers, else by Stirling's series to an error below 1e-9. */
function logFactorial(n: number): number {
  if (n < 32) return SMALL_FACTORIALS[n]!;
  return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + 1 / (12 * n) - 1 / (360 * n ** 3);
}
