/**
 * Paths between two sets of switches that have no switch and no link in common, as many as possible: a minimum-cost flow in which
 * each switch and each link carries one path (Menger: their number is the smallest number of switches and links that separate the
 * sets). Where one switch or link separates them, two paths that share only what every path must cross.
 */
import type { Topology } from "./topology.js";

/** A path as the switches on it and the port by which it leaves each; the last switch has no port. */
export interface SwitchPath {
  /** Node indexes. */
  readonly nodes: readonly number[];
  /** Port numbers, one fewer than {@link nodes}. */
  readonly ports: readonly number[];
}

/** Costs more than any path has links, so that the flow shares as few elements as possible. */
const SHARED = 1 << 20;
const UNLIMITED = 1 << 20;

export class DisjointPaths {
  /** Vertices: 2 i enters switch i, 2 i + 1 leaves it; then source and sink. */
  readonly #source: number;
  readonly #sink: number;
  readonly #place = new Map<number, number>();
  readonly #switches: readonly number[];
  /** Arcs in pairs: arc and its reverse differ in the lowest bit. */
  readonly #to: number[] = [];
  readonly #cost: number[] = [];
  readonly #full: number[] = [];
  /** By arc: its port; 0 for arcs that are no links. */
  readonly #port: number[] = [];
  readonly #leaving: number[][] = [];
  /** For each switch the arc for its first path, and the arc for all further ones. */
  readonly #through: { readonly first: number; readonly further: number }[] = [];
  readonly #linkArcs: number[] = [];
  #left: Int32Array = new Int32Array(0);

  constructor(readonly topology: Topology) {
    const { nodes, down } = topology;
    const switches = nodes.filter(({ role }) => role !== "host");
    this.#switches = switches.map(({ index }) => index);
    for (const [i, { index }] of switches.entries()) this.#place.set(index, i);
    this.#source = 2 * switches.length;
    this.#sink = this.#source + 1;
    for (let vertex = 0; vertex <= this.#sink; vertex++) this.#leaving.push([]);
    for (const i of switches.keys())
      this.#through.push({
        first: this.#arc(2 * i, 2 * i + 1, 1, 0),
        further: this.#arc(2 * i, 2 * i + 1, 0, SHARED),
      });
    for (const [i, { ports }] of switches.entries())
      for (const { number, peer, link } of ports) {
        const place = this.#place.get(peer);
        if (place === undefined || down?.has(link)) continue;
        this.#linkArcs.push(this.#arc(2 * i + 1, 2 * place, 1, 1, number));
        this.#linkArcs.push(this.#arc(2 * i + 1, 2 * place, 0, SHARED, number));
      }
    for (const i of switches.keys()) {
      this.#arc(this.#source, 2 * i, 0, 0);
      this.#arc(2 * i + 1, this.#sink, 0, 0);
    }
  }

  /**
   * Paths from any switch of `from` to any switch of `to`, at most `most`, of the minimum total length. Where only one path exists
   * without a common element, two that share as little as possible, if they differ. A set of one switch may be on every path; each switch
   * of a larger set is on one path. Empty where there is no path.
   */
  between(from: readonly number[], to: readonly number[], most: number): SwitchPath[] {
    this.#prepare(from, to, 0);
    let found = 0;
    while (found < most && this.#augment()) found++;
    if (found === 1 && most > 1) {
      this.#prepare(from, to, 1);
      for (found = 0; found < 2 && this.#augment(); ) found++;
    }
    const paths = Array.from({ length: found }, () => this.#take());
    const [one, other] = paths;
    const isTwice = other !== undefined && `${one!.nodes} ${one!.ports}` === `${other.nodes} ${other.ports}`;
    return (isTwice ? [one!] : paths).sort((a, b) => a.nodes.length - b.nodes.length);
  }

  #arc(tail: number, head: number, room: number, cost: number, port = 0): number {
    const arc = this.#to.length;
    this.#to.push(head, tail);
    this.#cost.push(cost, -cost);
    this.#full.push(room, 0);
    this.#port.push(port, 0);
    this.#leaving[tail]!.push(arc);
    this.#leaving[head]!.push(arc + 1);
    return arc;
  }

  /** @param further number of paths beyond the first one that a switch and a link may carry */
  #prepare(from: readonly number[], to: readonly number[], further: number): void {
    const left = Int32Array.from(this.#full);
    const ends = (list: readonly number[]) => new Set(list.map((node) => this.#place.get(node)!));
    const [starts, goals] = [ends(from), ends(to)];
    for (const [i, own] of this.#through.entries()) {
      left[own.further] = further;
      const isAlone = (starts.size === 1 && starts.has(i)) || (goals.size === 1 && goals.has(i));
      if (isAlone) left[own.first] = UNLIMITED;
    }
    for (let k = 1; k < this.#linkArcs.length; k += 2) left[this.#linkArcs[k]!] = further;
    for (const arc of this.#leaving[this.#source]!)
      left[arc] = starts.has(this.#to[arc]! >> 1) ? UNLIMITED : 0;
    for (const reverse of this.#leaving[this.#sink]!) left[reverse ^ 1] = 0;
    for (const goal of goals) {
      // A packet ends at the first switch of the destination that it reaches.
      for (const arc of this.#leaving[2 * goal + 1]!) {
        if ((arc & 1) === 1) continue;
        left[arc] = this.#to[arc] === this.#sink ? UNLIMITED : 0;
      }
    }
    this.#left = left;
  }

  /** Sends one more path along the cheapest path with free capacity, which may cancel parts of others; false where there is none. */
  #augment(): boolean {
    const left = this.#left;
    const size = this.#leaving.length;
    const best = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
    const by = new Int32Array(size).fill(-1);
    const waits = new Uint8Array(size);
    best[this.#source] = 0;
    const queue = [this.#source];
    for (let head = 0; head < queue.length; head++) {
      const vertex = queue[head]!;
      waits[vertex] = 0;
      for (const arc of this.#leaving[vertex]!) {
        if (left[arc]! <= 0) continue;
        const to = this.#to[arc]!;
        const cost = best[vertex]! + this.#cost[arc]!;
        if (cost >= best[to]!) continue;
        best[to] = cost;
        by[to] = arc;
        if (waits[to] === 0) {
          waits[to] = 1;
          queue.push(to);
        }
      }
    }
    if (by[this.#sink] === -1) return false;
    for (let vertex = this.#sink; vertex !== this.#source; ) {
      const arc = by[vertex]!;
      left[arc]!--;
      left[arc ^ 1]!++;
      vertex = this.#to[arc ^ 1]!;
    }
    return true;
  }

  /** Extracts one path from the flow. */
  #take(): SwitchPath {
    const left = this.#left;
    const nodes: number[] = [];
    const ports: number[] = [];
    for (let vertex = this.#source; vertex !== this.#sink; ) {
      // The free capacity of a reverse arc is the flow on its arc.
      const arc = this.#leaving[vertex]!.find((one) => (one & 1) === 0 && left[one ^ 1]! > 0)!;
      left[arc ^ 1]!--;
      const port = this.#port[arc]!;
      if (port > 0) ports.push(port);
      vertex = this.#to[arc]!;
      if (vertex < this.#source && (vertex & 1) === 0) nodes.push(this.#switches[vertex >> 1]!);
    }
    return { nodes, ports };
  }
}
