/** Pairs drawn by the weights of a traffic matrix between racks or hosts. */
import { AliasTable } from "../alias-table.js";
import type { Place } from "../flow.js";
import type { Pattern } from "./pattern.js";

/** A square matrix of weights: row = from, column = to. */
export interface TrafficMatrix {
  readonly size: number;
  /** Row by row; none negative, at least one above 0. */
  readonly weights: Float64Array;
}

/** The places of each row: a host, or the hosts of a rack, racks by their index; undefined for another number of rows. */
export function matrixGroups(places: readonly Place[], size: number): Place[][] | undefined {
  if (size === places.length) return places.map((place) => [place]);
  const racks = new Map<number, Place[]>();
  for (const place of places) {
    const members = racks.get(place.rack);
    if (members === undefined) racks.set(place.rack, [place]);
    else members.push(place);
  }
  if (size !== racks.size) return undefined;
  return [...racks.entries()].sort(([a], [b]) => a - b).map(([, members]) => members);
}

/**
 * @param groups of {@link matrixGroups}, one a row. Between the hosts of two groups all pairs are alike; a group of one host
 *   has the weight 0 to itself
 */
export function matrixPattern(matrix: TrafficMatrix, groups: readonly (readonly Place[])[]): Pattern {
  const { size, weights } = matrix;
  const cells: number[] = [];
  let all = 0;
  let between = 0;
  const sends = new Uint8Array(size);
  const receives = new Uint8Array(size);
  for (let cell = 0; cell < weights.length; cell++) {
    const weight = weights[cell]!;
    if (weight === 0) continue;
    const [from, to] = [Math.floor(cell / size), cell % size];
    cells.push(cell);
    all += weight;
    sends[from] = 1;
    receives[to] = 1;
    if (groups[from]![0]!.rack !== groups[to]![0]!.rack) between += weight;
  }
  const table = new AliasTable(cells.map((cell) => weights[cell]!));
  const members = (flags: Uint8Array) => groups.flatMap((group, index) => (flags[index] === 1 ? group : []));
  return {
    senders: members(sends),
    receivers: members(receives),
    interRackShare: between / all,
    draw: (random) => {
      const cell = cells[table.draw(random)]!;
      const from = groups[Math.floor(cell / size)]!;
      const to = groups[cell % size]!;
      const source = random.int(from.length);
      let destination = random.int(from === to ? to.length - 1 : to.length);
      if (from === to && destination >= source) destination++;
      return [from[source]!.host, to[destination]!.host];
    },
  };
}
