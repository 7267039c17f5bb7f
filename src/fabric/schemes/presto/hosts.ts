/** Presto's hosts: the route of each segment by the cell that it is in. */
import { z } from "zod";
import type { HostPolicy, NextSegment, PathChooser, SegmentMarks } from "../../hosts/index.js";
import { multirouteHosts, type routesDescription, routesOfFlow } from "../multiroute/hosts.js";

export const cellSchema = z
  .number()
  .int()
  .min(1000)
  .max(2 ** 30);

interface PrestoDescription {
  readonly cell: number;
  /** Nanoseconds; absent: receivers hold nothing back. */
  readonly hold?: number | undefined;
  readonly routes: z.output<typeof routesDescription>;
}

export function prestoHosts({ cell, hold, routes }: PrestoDescription): HostPolicy {
  const { nic } = multirouteHosts(routes);
  const selectorsOf = routesOfFlow(routes);
  return {
    needs: ["packets", ...(hold === undefined ? [] : (["reassembly"] as const))],
    ...(hold === undefined ? {} : { reassembly: { cellBytes: cell, holdNs: hold } }),
    nic,
    open(flow, random) {
      const selectors = selectorsOf(flow).map(({ selector }) => selector);
      return selectors.length === 0
        ? new CellPath([0], 0, cell)
        : new CellPath(selectors, random.int(selectors.length), cell);
    },
  };
}

/** Cell after cell on the next route, from one that is drawn (section 3.1: round robin over the list of labels). */
class CellPath implements PathChooser {
  /** Number of cells before the present one, with those that timeouts have skipped. */
  #turn: number;

  constructor(
    private readonly selectors: readonly number[],
    private start: number,
    private readonly cell: number,
  ) {
    this.#turn = start;
  }

  /** Of acknowledgements, and of what follows the last segment. */
  get selector(): number {
    return this.selectors[this.#turn % this.selectors.length]!;
  }

  selectorFor({ position }: NextSegment): number {
    this.#turn = this.start + Math.floor(position / this.cell);
    return this.selector;
  }

  /** A retransmission is a cell of its own: it takes the next route. */
  onTimeout(): readonly number[] {
    this.start++;
    this.#turn++;
    return [this.selector];
  }

  onAck(): void {}

  /** Acknowledgements are shorter than a cell; where data come twice, they have been lost, and the next ones take the next route. */
  onData(_segment: SegmentMarks, duplicate: boolean): readonly number[] {
    if (duplicate) {
      this.start++;
      this.#turn++;
    }
    return [this.selector];
  }
}
