/**
 * Names the element that loses packets, from probes whose ways are known (P-ECMP, section 3.2, "Failure localization").
 *
 * Each element (a switch, a link, one direction of a link) is a hypothesis: it alone loses packets, with an unknown share p. Of
 * N probes that crossed it K are lost. Before the first probe every order of magnitude of p from 0.01 % to 100 % is equally likely, which gives
 * the integral of p^(K-1) (1-p)^(N-K), B(K, N-K+1), over ln 10^4. Losses on other ways have the small chance `noise` each. With
 * equal chances of all hypotheses before, the confidence of one is its share of all likelihoods.
 */
import type { Topology } from "../topology/index.js";

export type ElementKind = "switch" | "link" | "direction";

export interface NetworkElement {
  readonly kind: ElementKind;
  readonly name: string;
  /** Node index, number of the link, or directed number of the link. */
  readonly number: number;
}

export interface Verdict {
  /** Undefined: nothing is lost beyond the noise. */
  readonly element: NetworkElement | undefined;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Share of the packets that the element loses, as estimated. */
  readonly loss: number;
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

/** ln of the greatest share over the least one. */
const SHARES_SPAN = Math.log(1e4);

export class LossSolver {
  readonly #sent: Float64Array;
  readonly #lost: Float64Array;
  /** Place of an element by its number, from 1; 0: there is none. */
  readonly #places: Readonly<Record<ElementKind, Int32Array>>;
  #sentInAll = 0;
  #lostInAll = 0;

  constructor(
    readonly elements: readonly NetworkElement[],
    /** Share of the packets that a healthy way loses, above 0 and below 1. */
    readonly noise = 1e-9,
  ) {
    this.#sent = new Float64Array(elements.length);
    this.#lost = new Float64Array(elements.length);
    const most = elements.reduce((top, { number }) => Math.max(top, number), 0);
    const empty = () => new Int32Array(most + 2);
    this.#places = { switch: empty(), link: empty(), direction: empty() };
    for (const [i, { kind, number }] of elements.entries()) this.#places[kind][number] = i + 1;
  }

  /** A probe crossed these directed links and switches, and arrived or did not. */
  add(links: ArrayLike<number>, switches: ArrayLike<number>, arrived: boolean): void {
    this.#sentInAll++;
    if (!arrived) this.#lostInAll++;
    const { direction, link, switch: own } = this.#places;
    for (let i = 0; i < links.length; i++) {
      this.#count(direction[links[i]!], arrived);
      this.#count(link[links[i]! >> 1], arrived);
    }
    for (let i = 0; i < switches.length; i++) this.#count(own[switches[i]!], arrived);
  }

  #count(place: number | undefined, arrived: boolean): void {
    if (place === undefined || place === 0) return;
    this.#sent[place - 1]!++;
    if (!arrived) this.#lost[place - 1]!++;
  }

  /** Confidence of each element, in their order, and last of none. */
  confidences(): Float64Array {
    const size = this.elements.length;
    const logs = new Float64Array(size + 1);
    for (let i = 0; i < size; i++) logs[i] = this.#likelihood(this.#sent[i]!, this.#lost[i]!);
    logs[size] = this.#likelihood(0, 0);
    const best = logs.reduce((most, log) => Math.max(most, log), Number.NEGATIVE_INFINITY);
    let sum = 0;
    for (let i = 0; i <= size; i++) sum += logs[i] = Math.exp(logs[i]! - best);
    return logs.map((share) => share / sum);
  }

  /** The likeliest element. */
  verdict(shares = this.confidences()): Verdict {
    let best = shares.length - 1;
    for (let i = 0; i < shares.length; i++) if (shares[i]! > shares[best]!) best = i;
    const element = this.elements[best];
    const loss = element === undefined ? 0 : this.#lost[best]! / this.#sent[best]!;
    return { element, confidence: shares[best]!, loss };
  }

  /** Logarithm of the likelihood that the element, crossed by `sent` probes of which `lost` are lost, is the one that loses. */
  #likelihood(sent: number, lost: number): number {
    const own =
      lost === 0 ? times(sent, 1 - this.noise) : logBeta(lost, sent - lost + 1) - Math.log(SHARES_SPAN);
    const elsewhere = this.#lostInAll - lost;
    return own + times(elsewhere, this.noise) + times(this.#sentInAll - sent - elsewhere, 1 - this.noise);
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
