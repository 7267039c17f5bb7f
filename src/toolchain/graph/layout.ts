/**
 * A layered drawing of a directed graph, after Sugiyama, Tagawa and Toda (IEEE Trans. SMC 11, 1981): edges against the flow are
 * turned round, nodes are put into layers, long edges get a point in each layer that they cross, the layers are ordered by the
 * mean place of their neighbours, and the places are set. Every step depends on the order of nodes and edges alone, so that
 * the same graph always has the same drawing.
 */

export interface Box {
  readonly width: number;
  readonly height: number;
}

export interface Arc {
  readonly from: number;
  readonly to: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  /** Centres of the nodes, in pixels from the upper left corner. */
  readonly centres: readonly Point[];
  /**
   * For each arc the points between its ends, from its first end to its last one: upper and lower end of each layer that it crosses,
   * so that it crosses them upright, between the boxes.
   */
  readonly bends: readonly (readonly Point[])[];
  readonly width: number;
  readonly height: number;
}

/** Space between boxes of a layer, and between layers. */
const GAP_X = 24;
const GAP_Y = 44;
/** Width of the place that a long edge takes in a layer. */
const BEND = 8;
/** Rounds in which layers are ordered, and in which places are set. */
const ORDER_ROUNDS = 8;
const PLACE_ROUNDS = 6;
/** Most points of long edges, and most layers that all edges together cross. */
const MAX_BENDS = 60_000;
const MAX_CROSSED = 400_000;

/** An item of a layer: a node, or where long edges to one node pass the layer. */
interface Item {
  readonly layer: number;
  readonly width: number;
  up: number[];
  down: number[];
}

/** The drawing; undefined if the edges have too many points for one. */
export function layout(boxes: readonly Box[], arcs: readonly Arc[]): Layout | undefined {
  const turned = againstTheFlow(boxes.length, arcs);
  const flow = arcs.map(({ from, to }, index) => (turned[index] ? { from: to, to: from } : { from, to }));
  const layers = layersOf(boxes.length, flow);
  const items: Item[] = boxes.map(({ width }, node) => ({ layer: layers[node]!, width, up: [], down: [] }));
  const paths = splitLongArcs(items, flow);
  if (paths === undefined) return undefined;
  const rows = orderedRows(items);
  const x = placesOf(items, rows);
  const y = heightsOf(boxes, rows);
  const left = items.reduce((least, item, index) => Math.min(least, x[index]! - item.width / 2), 0);
  const centre = (index: number): Point => ({
    x: round(x[index]! - left),
    y: round(y.middles[items[index]!.layer]!),
  });
  return {
    centres: boxes.map((_, node) => centre(node)),
    bends: paths.map((path, index) => {
      const points = path.flatMap((item) => {
        const { x, y: middle } = centre(item);
        const half = y.heights[items[item]!.layer]! / 2;
        return [
          { x, y: round(middle - half) },
          { x, y: round(middle + half) },
        ];
      });
      return turned[index] ? points.reverse() : points;
    }),
    width: round(items.reduce((most, item, index) => Math.max(most, x[index]! - left + item.width / 2), 0)),
    height: round(y.total),
  };
}

/** For each arc whether it closes a circle: it leads to a node from which its own beginning is being searched (depth first). */
function againstTheFlow(count: number, arcs: readonly Arc[]): boolean[] {
  const turned = arcs.map(({ from, to }) => from === to);
  const leaving: number[][] = Array.from({ length: count }, () => []);
  arcs.forEach(({ from, to }, index) => {
    if (from !== to) leaving[from]!.push(index);
  });
  const state = new Uint8Array(count);
  const next = new Uint32Array(count);
  const [OPEN, DONE] = [1, 2];
  for (let start = 0; start < count; start++) {
    if (state[start] !== 0) continue;
    const stack = [start];
    state[start] = OPEN;
    while (stack.length > 0) {
      const node = stack.at(-1)!;
      const arc = leaving[node]![next[node]!++];
      if (arc === undefined) {
        state[node] = DONE;
        stack.pop();
        continue;
      }
      const { to } = arcs[arc]!;
      if (state[to] === OPEN) turned[arc] = true;
      else if (state[to] === 0) {
        state[to] = OPEN;
        stack.push(to);
      }
    }
  }
  return turned;
}

/** The layer of each node: one below the lowest node that leads to it. Arcs have no circle but those from a node to itself. */
function layersOf(count: number, arcs: readonly Arc[]): number[] {
  const waiting = new Uint32Array(count);
  const leaving: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of arcs) {
    if (from === to) continue;
    waiting[to]!++;
    leaving[from]!.push(to);
  }
  const layers = new Array<number>(count).fill(0);
  const ready = layers.flatMap((_, node) => (waiting[node] === 0 ? [node] : []));
  for (const node of ready)
    for (const to of leaving[node]!) {
      layers[to] = Math.max(layers[to]!, layers[node]! + 1);
      if (--waiting[to]! === 0) ready.push(to);
    }
  return layers;
}

/**
 * Adds the items of long arcs, and joins items of adjacent layers. Long arcs to one node share their items, so that the many exits
 * of a program are one line. Returns the items between the ends of each arc; undefined if there would be too many.
 */
function splitLongArcs(items: Item[], arcs: readonly Arc[]): number[][] | undefined {
  const shared = new Map<string, number>();
  const joined = new Set<string>();
  const join = (above: number, below: number): void => {
    const key = `${above} ${below}`;
    if (joined.has(key)) return;
    joined.add(key);
    items[above]!.down.push(below);
    items[below]!.up.push(above);
  };
  const nodes = items.length;
  const paths: number[][] = [];
  let crossed = 0;
  for (const { from, to } of arcs) {
    const path: number[] = [];
    paths.push(path);
    if (from === to) continue;
    let above = from;
    for (let layer = items[from]!.layer + 1; layer < items[to]!.layer; layer++) {
      if (++crossed > MAX_CROSSED) return undefined;
      const key = `${to} ${layer}`;
      let item = shared.get(key);
      if (item === undefined) {
        item = items.length;
        if (item - nodes >= MAX_BENDS) return undefined;
        items.push({ layer, width: BEND, up: [], down: [] });
        shared.set(key, item);
      }
      join(above, item);
      path.push(item);
      above = item;
    }
    join(above, to);
  }
  return paths;
}

/** The items of each layer from left to right: the order with the fewest crossings that the rounds come to. */
function orderedRows(items: readonly Item[]): number[][] {
  const rows: number[][] = [];
  items.forEach(({ layer }, index) => {
    (rows[layer] ??= []).push(index);
  });
  const at = new Float64Array(items.length);
  const number = (row: readonly number[]) => row.forEach((item, place) => void (at[item] = place));
  for (const row of rows) number(row);
  let best = rows.map((row) => [...row]);
  let fewest = crossings(items, rows, at);
  for (let round = 0; round < ORDER_ROUNDS && fewest > 0; round++) {
    const down = round % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      const middle = new Map(
        row.map((item) => [item, mean(down ? items[item]!.up : items[item]!.down, at) ?? at[item]!]),
      );
      row.sort((one, other) => middle.get(one)! - middle.get(other)! || at[one]! - at[other]!);
      number(row);
    }
    const found = crossings(items, rows, at);
    if (found >= fewest) continue;
    fewest = found;
    best = rows.map((row) => [...row]);
  }
  return best;
}

function mean(neighbours: readonly number[], at: Float64Array): number | undefined {
  if (neighbours.length === 0) return undefined;
  return neighbours.reduce((sum, one) => sum + at[one]!, 0) / neighbours.length;
}

/** The number of crossings between adjacent layers: pairs of edges in another order below than above, counted in a Fenwick tree. */
function crossings(items: readonly Item[], rows: readonly (readonly number[])[], at: Float64Array): number {
  let count = 0;
  for (let layer = 0; layer + 1 < rows.length; layer++) {
    const size = rows[layer + 1]!.length;
    const tree = new Uint32Array(size + 1);
    let seen = 0;
    for (const item of rows[layer]!) {
      const ends = items[item]!.down.map((below) => at[below]!).sort((a, b) => a - b);
      for (const end of ends) {
        let before = 0;
        for (let i = end + 1; i > 0; i -= i & -i) before += tree[i]!;
        count += seen - before;
      }
      for (const end of ends) {
        for (let i = end + 1; i <= size; i += i & -i) tree[i]!++;
        seen++;
      }
    }
  }
  return count;
}

/** The horizontal centres of the items: near the mean of their neighbours, without overlap. */
function placesOf(items: readonly Item[], rows: readonly (readonly number[])[]): Float64Array {
  const x = new Float64Array(items.length);
  for (const row of rows) spread(row, items, x, new Array(row.length).fill(0));
  for (let round = 0; round < PLACE_ROUNDS; round++) {
    const down = round % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      const wanted = row.map((item) => mean(down ? items[item]!.up : items[item]!.down, x) ?? x[item]!);
      spread(row, items, x, wanted);
    }
  }
  return x;
}

/**
 * Sets the places of a row as near to the wanted ones as their order and widths allow (least squares: neighbours that push each
 * other become one block at the mean of their wishes).
 */
function spread(
  row: readonly number[],
  items: readonly Item[],
  x: Float64Array,
  wanted: readonly number[],
): void {
  const offsets: number[] = [];
  row.forEach((item, place) => {
    const before = row[place - 1];
    const gap = before === undefined ? 0 : (items[before]!.width + items[item]!.width) / 2 + GAP_X;
    offsets.push((offsets[place - 1] ?? 0) + gap);
  });
  const blocks: { sum: number; count: number }[] = [];
  row.forEach((_, place) => {
    let block = { sum: wanted[place]! - offsets[place]!, count: 1 };
    for (
      let last = blocks.at(-1);
      last !== undefined && last.sum / last.count >= block.sum / block.count;
      last = blocks.at(-1)
    ) {
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  });
  let place = 0;
  for (const { sum, count } of blocks)
    for (let i = 0; i < count; i++, place++) x[row[place]!] = sum / count + offsets[place]!;
}

/** The vertical middle and the height of each layer, which is as high as its highest box. */
function heightsOf(
  boxes: readonly Box[],
  rows: readonly (readonly number[])[],
): { middles: number[]; heights: number[]; total: number } {
  let top = 0;
  const heights = rows.map((row) => row.reduce((most, item) => Math.max(most, boxes[item]?.height ?? 0), 0));
  const middles = heights.map((height) => {
    const middle = top + height / 2;
    top += height + GAP_Y;
    return middle;
  });
  return { middles, heights, total: Math.max(0, top - GAP_Y) };
}

/** Tenths of a pixel: further digits would be noise of the additions. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
