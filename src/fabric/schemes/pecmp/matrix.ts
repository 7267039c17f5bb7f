/**
 * Control matrices (P-ECMP, section 3.2). A matrix has one row per group and one column per slot of the
 * base group; a cell is the index of a next hop. A switch sends a flow to C[s mod M, Hash(f) mod N].
 */

/** What the selector controls: a shift relative to the hash, the next hop itself, or (concatenated) both. */
export type Control = "offset" | "hops" | "both";

export interface ControlMatrix {
  /** Base group: the index of a next hop for each of the N columns. */
  readonly base: Uint16Array;
  /** Rows that shift the base group; the first one is the base group itself. */
  readonly offsetRows: number;
  /** Rows that name one next hop, after the others; row `offsetRows + i` names next hop i. */
  readonly hopRows: number;
}

/**
 * Matrix over `hops` next hops. `weights` (WCMP, section 2.3) repeats next hop i `weights[i]` times in the base
 * group, spread out so that neighbours differ if possible; without weights each next hop occurs once.
 *
 * `offset`: N rows, row s is the base group shifted right by s (Figure 3). `hops`: the base group as the default,
 * then a row for every next hop. `both`: N offset rows, then a row for every next hop (section 3.3).
 */
export function controlMatrix(control: Control, hops: number, weights?: readonly number[]): ControlMatrix {
  const base = weights === undefined ? Uint16Array.from({ length: hops }, (_, i) => i) : spread(weights);
  return {
    base,
    offsetRows: control === "hops" ? 1 : base.length,
    hopRows: control === "offset" ? 0 : hops,
  };
}

/** Number of rows M. */
export function rowCount(matrix: ControlMatrix): number {
  return matrix.offsetRows + matrix.hopRows;
}

/** Cells of row r, 0 <= r < M: next hop by column. A hop row has a single column. */
export function matrixRow(matrix: ControlMatrix, row: number): Uint16Array {
  const { base, offsetRows } = matrix;
  if (row >= offsetRows) return Uint16Array.of(row - offsetRows);
  const cells = new Uint16Array(base.length);
  cells.set(base.subarray(base.length - row));
  cells.set(base.subarray(0, base.length - row), row);
  return cells;
}

/** All rows, ready to be written into a switch. */
export function matrixRows(matrix: ControlMatrix): Uint16Array[] {
  return Array.from({ length: rowCount(matrix) }, (_, row) => matrixRow(matrix, row));
}

/**
 * Next hop of selector s for a hash value: C[s mod M, hash mod N]. The paper writes "if s > M", but s = M must
 * wrap as well, because rows are counted from 0.
 */
export function nextHop(matrix: ControlMatrix, selector: number, hash: number): number {
  const row = selector % rowCount(matrix);
  if (row >= matrix.offsetRows) return row - matrix.offsetRows;
  const columns = matrix.base.length;
  return matrix.base[(hash + columns - (row % columns)) % columns]!;
}

/** Slots that the rows occupy in a switch's member table: the sum of all row lengths. */
export function memberCount(matrix: ControlMatrix): number {
  return matrix.offsetRows * matrix.base.length + matrix.hopRows;
}

/**
 * Whether a flow that moves from selector `from` to `to` takes another next hop for every hash value. With
 * weights two columns may name the same next hop, so a shift alone does not guarantee another next hop.
 */
export function alwaysMoves(matrix: ControlMatrix, from: number, to: number): boolean {
  for (let column = 0; column < matrix.base.length; column++) {
    if (nextHop(matrix, from, column) === nextHop(matrix, to, column)) return false;
  }
  return true;
}

/**
 * Smooth weighted round robin: at each step every next hop's credit grows by its weight; the next hop with the highest
 * credit is chosen and loses the sum of all weights. So repetitions of a next hop are as far apart as the weights allow.
 */
function spread(weights: readonly number[]): Uint16Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const credit = weights.map(() => 0);
  const base = new Uint16Array(total);
  for (let column = 0; column < total; column++) {
    let richest = 0;
    for (let i = 0; i < weights.length; i++) {
      credit[i]! += weights[i]!;
      if (credit[i]! > credit[richest]!) richest = i;
    }
    credit[richest]! -= total;
    base[column] = richest;
  }
  return base;
}
