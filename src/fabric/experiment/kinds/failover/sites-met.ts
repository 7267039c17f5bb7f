/** Counts the elements of a failure's classes that the drawn flows cross, for the message that no flow crosses all. */
import type { Topology } from "../../../topology/index.js";
import type { DrawnFailure, SiteClass } from "../../faults/drawn-failures.js";
import { isSameSite, siteKey, sitesOnPath } from "./failure-sites.js";

/** One class of elements that a failure names, and the maxima over all flows so far. */
interface Met {
  readonly site: SiteClass;
  /** How often the failure names it. */
  named: number;
  /** Of one path, data or acknowledgements. */
  onPath: number;
  /** Number of different elements on both paths of a flow. */
  onBoth: number;
}

export class SitesMet {
  readonly #topology: Topology;
  readonly #classes = new Map<string, Met>();

  constructor(topology: Topology, { sites }: DrawnFailure) {
    this.#topology = topology;
    for (const site of sites) {
      const met = this.#classes.get(siteKey(site));
      if (met === undefined) this.#classes.set(siteKey(site), { site, named: 1, onPath: 0, onBoth: 0 });
      else met.named++;
    }
  }

  /** Counts what a flow crosses. */
  add(data: readonly number[], acks: readonly number[]): void {
    for (const met of this.#classes.values()) {
      const [there, back] = [data, acks].map((path) => sitesOnPath(this.#topology, path, met.site));
      const onlyBack = back!.filter((one) => !there!.some((other) => isSameSite(one, other)));
      met.onPath = Math.max(met.onPath, there!.length, back!.length);
      met.onBoth = Math.max(met.onBoth, there!.length + onlyBack.length);
    }
  }

  /** What to write instead, one sentence for each class that is named too often. */
  advice(): string[] {
    const tooMany = [...this.#classes].filter(([, { named, onBoth }]) => named > onBoth);
    if (tooMany.length === 0)
      return [
        "each class of elements is crossed often enough, but not by the same flow: name fewer elements",
      ];
    return tooMany.map(([name, { named, onPath, onBoth }]) =>
      onBoth === 0
        ? `no path has a ${name}: leave it out, or choose pairs of hosts that are farther apart`
        : `the failure names ${named} of ${name}; a path has at most ${onPath}, ` +
          `and a flow with its acknowledgements at most ${onBoth}: name ${name} at most ${times(onBoth)}`,
    );
  }
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
