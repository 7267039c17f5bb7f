/** Which faults of a timeline are active: an element works again when all of its faults are over. */
import type { Topology } from "../../topology/index.js";
import type { FaultSpec } from "../experiment.js";
import type { Site } from "../failure-sites.js";
import { ENDED_KIND, type PlacedFault } from "./check.js";

export class ActiveFaults {
  readonly #active = new Map<string, PlacedFault>();

  constructor(readonly topology: Topology) {}

  /** Notes that a fault begins, or that the one that it ends is over. */
  apply(fault: PlacedFault): void {
    const ended = ENDED_KIND[fault.kind];
    if (ended === undefined) this.#active.set(keyOf(fault.kind, fault.site), fault);
    else this.#active.delete(keyOf(ended, fault.site));
  }

  /** In the order in which they began. */
  list(): PlacedFault[] {
    return [...this.#active.values()];
  }

  /** Whether a fault of this kind is active at a site. */
  has(kind: FaultSpec["kind"], site: Site): boolean {
    return this.#active.has(keyOf(kind, site));
  }

  /** Whether a fault of the link or of a switch at one of its ends is active. */
  stops(link: number): boolean {
    const { a, b } = this.topology.links[link]!;
    return this.list().some(({ site }) =>
      site.kind === "link" ? site.index === link : site.index === a.node || site.index === b.node,
    );
  }
}

function keyOf(kind: FaultSpec["kind"], site: Site): string {
  return `${kind} ${site.kind} ${site.index}`;
}
