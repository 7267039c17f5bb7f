/** The path of one flow's data through the network, from the links on which they arrive. */

/** Maximum number of path changes that are kept for one flow; later ones are only counted. */
const MAX_PATHS = 32;

/** The two ends of directed links. */
export interface DirectionEnds {
  from(direction: number): number;
  to(direction: number): number;
}

export class FlowPath {
  /** Complete paths, each with the time from which data took it. */
  readonly paths: [at: number, directions: readonly number[]][] = [];
  /** How often data left a node by another link than earlier data. */
  moves = 0;
  #hops: number[] = [];
  #since = 0;

  constructor(
    readonly ends: DirectionEnds,
    readonly destination: number,
  ) {}

  /** Data of the flow arrived over a directed link. Returns the node at which they left the previous path, if they did. */
  arrived(direction: number, now: number): number | undefined {
    const hops = this.#hops;
    const { ends } = this;
    const node = ends.from(direction);
    for (let i = 0; i < hops.length; i++) {
      if (hops[i] === direction) return undefined;
      if (ends.from(hops[i]!) !== node) continue;
      // A new path begins here. Packets in flight on the rest of the old one do not belong to the new one.
      hops.length = i;
      hops.push(direction);
      this.#since = now;
      this.moves++;
      this.#complete(direction);
      return node;
    }
    if (hops.length === 0) this.#since = now;
    else if (ends.to(hops.at(-1)!) !== node) return undefined;
    hops.push(direction);
    this.#complete(direction);
    return undefined;
  }

  #complete(last: number): void {
    if (this.ends.to(last) !== this.destination || this.paths.length >= MAX_PATHS) return;
    const before = this.paths.at(-1)?.[1];
    if (before?.length === this.#hops.length && before.every((one, i) => one === this.#hops[i])) return;
    this.paths.push([this.#since, [...this.#hops]]);
  }
}
