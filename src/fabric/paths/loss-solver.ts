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
import { PairCounts, type Together } from "./pair-counts.js";
import { ProbeRecord } from "./probe-record.js";

/** `host_link`, `host_direction`: between a host and its switch. */
type ElementKind = "switch" | "link" | "direction" | "host_link" | "host_direction";

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

/** Two elements that lose packets together. */
export interface Pair {
  readonly a: NetworkElement;
  readonly b: NetworkElement;
  /** Against a fault of one element or none. */
  readonly odds: number;
  /** Number of probes that crossed one of both or both, and of the lost ones among them. */
  readonly sent: number;
  readonly lost: number;
}

interface Judgement {
  /** The likeliest element; undefined: most likely there is no loss beyond the noise. */
  readonly element: NetworkElement | undefined;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Estimated share of the packets that the element loses. */
  readonly loss: number;
  /** The likeliest first. All other elements and "no failure" share the rest of the confidence. */
  readonly suspects: readonly Suspect[];
}

/** All switches, then all links that are up, each with its directions. */
export function elementsOf({ nodes, links, down }: Topology): NetworkElement[] {
  const elements: NetworkElement[] = [];
  for (const { index, name, role } of nodes)
    if (role !== "host") elements.push({ kind: "switch", name, number: index });
  for (const { index, a, b } of links) {
    const [from, to] = [nodes[a.node]!, nodes[b.node]!];
    if (down?.has(index)) continue;
    const isHosts = from.role === "host" || to.role === "host";
    const [link, direction] = isHosts
      ? (["host_link", "host_direction"] as const)
      : (["link", "direction"] as const);
    elements.push({ kind: link, name: `${from.name} - ${to.name}`, number: index });
    elements.push({ kind: direction, name: `${from.name} > ${to.name}`, number: 2 * index });
    elements.push({ kind: direction, name: `${to.name} > ${from.name}`, number: 2 * index + 1 });
  }
  return elements;
}

/** What a directed link is an element of: for links, links of hosts among them, and for their directions. */
const OF_LINKS = {
  link: "link",
  host_link: "link",
  direction: "direction",
  host_direction: "direction",
  switch: "switch",
} as const;

/** Prior of a second fault, given the first one, relative to that of independent faults. */
const SECOND_FAULT = 0.3;

/** ln of the ratio of the greatest share to the smallest one. */
const SHARES_SPAN = Math.log(1e4);

/**
 * Counts probes, and computes confidences. A probe costs three additions for each link that it crosses. Elements that no lost probe has
 * crossed are all as likely as no failure; so a judgement computes only the others.
 */
export class LossSolver {
  readonly elements: readonly NetworkElement[];
  readonly #tallies: Readonly<Record<"switch" | "link" | "direction", Tally>>;
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
  readonly #probes = new ProbeRecord();
  readonly #together: PairCounts;
  /** By index of an element: the last call of {@link #placesOf} that found it. */
  readonly #marks: Float64Array;
  #mark = 0;

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
    for (const [i, element] of this.elements.entries())
      this.#tallies[OF_LINKS[element.kind]].places[element.number] = i + 1;
    const sizes = { switch: 0, link: 0, direction: 0, host_link: 0, host_direction: 0 };
    for (const { kind } of this.elements) sizes[kind]++;
    this.#prior = Object.fromEntries(Object.entries(sizes).map(([kind, size]) => [kind, 1 / size])) as Record<
      ElementKind,
      number
    >;
    this.#kinds = Object.values(sizes).filter((size) => size > 0).length;
    this.#lost = new Float64Array(this.elements.length);
    this.#marks = new Float64Array(this.elements.length);
    this.#together = new PairCounts(this.elements.length, this.#probes, (crossed, out) =>
      this.#placesOf(crossed, out),
    );
    this.#heads = new Int32Array(2 * links.length);
    for (const { index, a, b } of links) {
      this.#heads[2 * index] = b.node;
      this.#heads[2 * index + 1] = a.node;
    }
  }

  /** Adds a probe that crossed these directed links, to the other host and optionally back, and arrived or not. */
  add(links: ArrayLike<number>, arrived: boolean): void {
    const probe = ++this.#sentInAll;
    this.#probes.add(links, arrived);
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

  /** Number of lost probes so far. */
  get lost(): number {
    return this.#lostInAll;
  }

  /** Whether as many probes crossed one of both as crossed the other, and as many of them are lost. */
  countsAlike(a: NetworkElement, b: NetworkElement): boolean {
    return this.#sentOver(a) === this.#sentOver(b) && this.#lostOver(a) === this.#lostOver(b);
  }

  /** Whether as many probes crossed an element as crossed a pair, and as many of them were lost, when the pair was computed or later. */
  countsAsPair(element: NetworkElement, { sent, lost }: Pair): boolean {
    return this.#sentOver(element) >= sent && this.#lostOver(element) >= lost;
  }

  /**
   * Pairs of elements that may lose packets, each with its odds against one element or none: the goodness of fit of a single fault.
   * An element with a share of its own explains losses anywhere on it, also those that in truth two other elements cause; what shows the
   * difference is which of its probes are lost. Pairs are a priori as likely as their elements together, times {@link SECOND_FAULT}.
   *
   * Only pairs are counted that cross the first lost probe, and the first one that the first element does not cross: no other
   * pair explains both. An element that every lost probe has crossed needs no second one.
   */
  pairs(): readonly Pair[] {
    const { logs, none, best, others } = this.#logs();
    const [firstLost] = this.#probes.lost;
    if (firstLost === undefined) return [];
    let single = others * Math.exp(none - best);
    for (const log of logs) single += Math.exp(log - best);
    const out = new Int32Array(this.elements.length);
    const crossed = (probe: number) => out.slice(0, this.#placesOf(this.#probes.linksOf(probe), out));
    const pairs: [number, number][] = [];
    for (const a of crossed(firstLost)) {
      const own = this.elements[a]!;
      const next = this.#probes.lost.find((probe) => !crossed(probe).includes(a));
      if (next === undefined) continue;
      for (const b of crossed(next))
        if (this.#lost[b]! < this.#lostInAll && !areOfOneLink(this.elements[b]!, own)) pairs.push([a, b]);
    }
    const together = this.#together.of(pairs);
    return pairs.map(([i, j], k) => {
      const [a, b] = [this.elements[i]!, this.elements[j]!];
      const both = together[k]!;
      return {
        a,
        b,
        odds: Math.exp(this.#logOfPair(a, b, both) - best) / single,
        sent: this.#sentOver(a) + this.#sentOver(b) - both.sent,
        lost: this.#lostOver(a) + this.#lostOver(b) - both.lost,
      };
    });
  }

  /** Writes the indexes of the elements that directed links cross, each once, to `out`; returns their number. */
  #placesOf(links: ArrayLike<number>, out: Int32Array): number {
    const { direction, link: ofLink, switch: ofSwitch } = this.#tallies;
    const mark = ++this.#mark;
    let count = 0;
    const add = (place: number) => {
      if (place === 0 || this.#marks[place - 1] === mark) return;
      this.#marks[place - 1] = mark;
      out[count++] = place - 1;
    };
    for (let i = 0; i < links.length; i++) {
      const link = links[i]!;
      add(direction.places[link]!);
      add(ofLink.places[link >> 1]!);
      add(ofSwitch.places[this.#heads[link]!]!);
    }
    return count;
  }

  #logOfPair(a: NetworkElement, b: NetworkElement, both: Together): number {
    const prior = Math.log(SECOND_FAULT * this.#prior[a.kind] * this.#prior[b.kind]);
    const [sentA, sentB, lostA, lostB] = [
      this.#sentOver(a),
      this.#sentOver(b),
      this.#lostOver(a),
      this.#lostOver(b),
    ];
    const elsewhere = this.#lostInAll - lostA - lostB + both.lost;
    const own = logOfShares(
      { sent: sentA - both.sent, lost: lostA - both.lost },
      { sent: sentB - both.sent, lost: lostB - both.lost },
      both,
    );
    return prior + own + times(elsewhere, this.noise);
  }

  #lostOver({ kind, number }: NetworkElement): number {
    return this.#lost[this.#tallies[OF_LINKS[kind]].places[number]! - 1]!;
  }

  /** Logarithms of likelihood times prior of the suspects and of no failure, the greatest of them, and the prior of the rest. */
  #logs(): { logs: number[]; none: number; best: number; others: number } {
    // Prior of no failure, and of all elements that no lost probe has crossed.
    let others = 1 + this.#kinds;
    const logs = this.#suspected.map((i) => {
      const element = this.elements[i]!;
      const prior = this.#prior[element.kind];
      others -= prior;
      return Math.log(prior) + this.#likelihood(this.#sentOver(element), this.#lost[i]!);
    });
    const none = this.#likelihood(0, 0);
    return { logs, none, best: logs.reduce((most, log) => Math.max(most, log), none), others };
  }

  /** The judgement from the probes so far. */
  judge(): Judgement {
    const { logs, none, best, others } = this.#logs();
    let sum = others * Math.exp(none - best);
    for (const log of logs) sum += Math.exp(log - best);
    const suspects = this.#suspected
      .map((i, k) => ({ element: this.elements[i]!, confidence: Math.exp(logs[k]! - best) / sum }))
      .sort((a, b) => b.confidence - a.confidence);
    const [first] = suspects;
    if (first === undefined || none >= best)
      return { element: undefined, confidence: Math.exp(none - best) / sum, loss: 0, suspects };
    const { element, confidence } = first;
    const place = this.#tallies[OF_LINKS[element.kind]].places[element.number]! - 1;
    return { element, confidence, loss: this.#lost[place]! / this.#sentOver(element), suspects };
  }

  #sentOver({ kind, number }: NetworkElement): number {
    return this.#tallies[OF_LINKS[kind]].sent[number]!;
  }

  /** Logarithm of the likelihood that the element, crossed by `sent` probes of which `lost` are lost, has failed. */
  #likelihood(sent: number, lost: number): number {
    const own =
      lost === 0 ? times(sent, 1 - this.noise) : logBeta(lost, sent - lost + 1) - Math.log(SHARES_SPAN);
    const elsewhere = this.#lostInAll - lost;
    return own + times(elsewhere, this.noise) + times(this.#sentInAll - sent - elsewhere, 1 - this.noise);
  }
}

/** A link and its directions are one fault, together as well. */
function areOfOneLink(a: NetworkElement, b: NetworkElement): boolean {
  const linkOf = ({ kind, number }: NetworkElement) =>
    kind === "switch" ? -1 : OF_LINKS[kind] === "link" ? number : number >> 1;
  return linkOf(a) >= 0 && linkOf(a) === linkOf(b);
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

/**
 * Logarithm of the likelihood of the losses of two elements, each with a share of its own: of the probes that cross the first alone, the
 * second alone, and both. A lost probe that crosses both is lost at the first, or survives it and is lost at the second; summed over the
 * number of those that the first has lost. Each element loses at least one probe: else there is one fault.
 */
function logOfShares(first: Together, second: Together, both: Together): number {
  const logs: number[] = [];
  const arrivedBoth = both.sent - both.lost;
  for (let i = 0; i <= both.lost; i++) {
    const [lostA, lostB] = [first.lost + i, second.lost + both.lost - i];
    if (lostA === 0 || lostB === 0) continue;
    logs.push(
      logChoose(both.lost, i) +
        logBeta(lostA, first.sent - first.lost + both.sent - i + 1) +
        logBeta(lostB, second.sent - second.lost + arrivedBoth + 1),
    );
  }
  const best = logs.reduce((most, log) => Math.max(most, log), -Infinity);
  return logs.length === 0
    ? -Infinity
    : best + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - best), 0)) - 2 * Math.log(SHARES_SPAN);
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
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
