/** Pairs drawn by the weights of a traffic matrix between racks or hosts. */

import { fail, type Random, type SourceFile, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
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

// Draws one of many weighted items in constant time: Vose's alias method (IEEE Trans. Software Eng. 17(9), 1991).

export class AliasTable {
  /** Share of column i that belongs to i itself; the rest of it belongs to `#alias[i]`. */
  readonly #own: Float64Array;
  readonly #alias: Int32Array;

  /** @param weights at least one; none negative; their sum is above 0 */
  constructor(weights: ArrayLike<number>) {
    const count = weights.length;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[i]!;
    this.#own = new Float64Array(count);
    this.#alias = new Int32Array(count);
    const scaled = Float64Array.from(weights, (weight) => (weight * count) / sum);
    const small: number[] = [];
    const large: number[] = [];
    for (let i = 0; i < count; i++) (scaled[i]! < 1 ? small : large).push(i);
    while (small.length > 0 && large.length > 0) {
      const less = small.pop()!;
      const more = large[large.length - 1]!;
      this.#own[less] = scaled[less]!;
      this.#alias[less] = more;
      scaled[more] = scaled[more]! + scaled[less]! - 1;
      if (scaled[more]! < 1) small.push(large.pop()!);
    }
    // The remaining shares are 1 except for rounding errors; a weight of 0 never remains while another is above 0.
    for (const i of [...small, ...large]) {
      this.#own[i] = 1;
      this.#alias[i] = i;
    }
  }

  /** An index of the weights, each with a probability in proportion to its weight. */
  draw(random: Random): number {
    const column = random.int(this.#own.length);
    return random.float() < this.#own[column]! ? column : this.#alias[column]!;
  }
}

// Files of traffic matrices: one line a sender, values divided by commas or spaces, as many values as lines. Line i, value j:
// the weight of the traffic from rack (or host) i to rack (or host) j, in any unit. `#` starts a comment.

/**
 * Throws DiagnosticError P42334 for a value that is no number from 0 on, a line with another number of values than there are
 * lines, or a matrix without traffic.
 */
export function readMatrix(file: SourceFile): TrafficMatrix {
  const rows: { span: Span; values: number[] }[] = [];
  let offset = 0;
  for (const line of file.text.split("\n")) {
    const start = offset;
    offset += line.length + 1;
    const values: number[] = [];
    for (const { 0: text, index } of line.replace(/#.*/, "").matchAll(/[^\s,]+/g)) {
      const value = Number(text);
      if (!Number.isFinite(value) || value < 0) {
        const span = { file, start: start + index, end: start + index + text.length };
        fail(CODES.matrix, span, `expected a weight, a number from 0 on, got "${text}"`);
      }
      values.push(value);
    }
    if (values.length > 0) rows.push({ span: { file, start, end: start + line.length }, values });
  }
  const size = rows.length;
  const weights = new Float64Array(size * size);
  for (const [row, { span, values }] of rows.entries()) {
    if (values.length !== size)
      fail(
        CODES.matrix,
        span,
        `line ${row + 1} of the matrix has ${values.length} values, but there are ${size} lines`,
      );
    weights.set(values, row * size);
  }
  if (!weights.some((weight) => weight > 0))
    fail(CODES.matrix, { file, start: 0, end: 0 }, "the matrix has no weight above 0");
  return { size, weights };
}
