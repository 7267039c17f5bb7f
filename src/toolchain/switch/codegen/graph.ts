/**
 * Control graphs as code. A node with one predecessor is written in place of the jump to it, so that trees become plain
 * nested statements. In a graph without loops, a node with several predecessors follows a labelled block, which the
 * predecessors leave. With loops, or too many such nodes, the code is a loop over a switch.
 */
import { defined } from "../../../base/index.js";
import type { Emitter } from "./emitter.js";

export interface Graph<T> {
  readonly start: string | null;
  readonly nodes: ReadonlyMap<string, T>;
  /** Successors, one an edge (the same one may come several times). */
  successors(node: T): (string | null)[];
  /** Writes a node; `go(next)` writes the jump to a successor, and every way through must end in one. */
  write(node: T, go: (next: string | null) => void): void;
  /** Statement that leaves the graph. */
  readonly end: string;
  /** Statement before a jump that may go backwards. */
  readonly beforeJump?: string;
}

/** Maximum number of labelled blocks, which are nested; more become a switch. */
const MAX_BLOCKS = 40;

/** Maximum nesting; deeper code becomes a jump, so that it stays within the limits of V8's parser. */
const MAX_NESTING = 60;

/** Whether an edge leads to a node; others end the graph. */
function leads<T>({ nodes }: Graph<T>, next: string | null): next is string {
  return next !== null && nodes.has(next);
}

export function writeGraph<T>(out: Emitter, graph: Graph<T>): void {
  const { start, nodes } = graph;
  if (!leads(graph, start)) {
    out.line(graph.end);
    return;
  }
  const ways = new Map<string, number>([[start, 2]]);
  const reached = [start];
  const seen = new Set(reached);
  for (let i = 0; i < reached.length; i++) {
    for (const next of graph.successors(defined(nodes.get(defined(reached[i]))))) {
      if (!leads(graph, next)) continue;
      ways.set(next, (ways.get(next) ?? 0) + 1);
      if (!seen.has(next)) {
        seen.add(next);
        reached.push(next);
      }
    }
  }
  const joins = joinsOf(graph, reached, ways);
  if (joins !== undefined) {
    writeBlocks(out, graph, joins);
    return;
  }
  const labels = new Map<string, number>([[start, 0]]);
  const queue = [start];
  const label = (name: string) => {
    let number = labels.get(name);
    if (number === undefined) {
      number = labels.size;
      labels.set(name, number);
      queue.push(name);
    }
    return number;
  };
  let depth = 0;
  const write = (name: string): void => {
    depth++;
    graph.write(defined(nodes.get(name)), (next) => {
      if (!leads(graph, next)) out.line(graph.end);
      else if (ways.get(next) === 1 && depth < MAX_NESTING) write(next);
      else {
        if (graph.beforeJump !== undefined) out.line(graph.beforeJump);
        out.line(`node = ${label(next)}; continue graph;`);
      }
    });
    depth--;
  };
  out.line("let node = 0;");
  out.open("graph: for (;;) switch (node)");
  for (let i = 0; i < queue.length; i++) {
    out.open(`case ${labels.get(defined(queue[i]))}:`);
    write(defined(queue[i]));
    out.close();
  }
  out.line(`default: ${graph.end}`);
  out.close();
}

/** Nodes with several predecessors, each before its successors; undefined when blocks cannot represent the graph. */
function joinsOf<T>(
  graph: Graph<T>,
  reached: readonly string[],
  ways: ReadonlyMap<string, number>,
): string[] | undefined {
  const { nodes } = graph;
  const start = defined(reached[0]);
  const after = new Map(
    reached.map((name) => [
      name,
      graph.successors(defined(nodes.get(name))).filter((next) => leads(graph, next)),
    ]),
  );
  const waiting = new Map(reached.map((name) => [name, 0]));
  for (const nexts of after.values())
    for (const next of nexts) waiting.set(next, defined(waiting.get(next)) + 1);
  if (waiting.get(start) !== 0) return undefined;
  // Kahn's order: a node follows all its predecessors; nodes of a loop never appear.
  const order = [start];
  const depths = new Map([[start, 0]]);
  for (let i = 0; i < order.length; i++) {
    const name = defined(order[i]);
    for (const next of defined(after.get(name))) {
      const left = defined(waiting.get(next)) - 1;
      waiting.set(next, left);
      const depth = ways.get(next) === 1 ? defined(depths.get(name)) + 1 : 0;
      if (depth >= MAX_NESTING) return undefined;
      depths.set(next, depth);
      if (left === 0) order.push(next);
    }
  }
  const joins = order.filter((name) => name !== start && ways.get(name) !== 1);
  return order.length === reached.length && joins.length <= MAX_BLOCKS ? joins : undefined;
}

function writeBlocks<T>(out: Emitter, graph: Graph<T>, joins: readonly string[]): void {
  const { nodes } = graph;
  const numbers = new Map(joins.map((name, i) => [name, i]));
  const write = (name: string): void =>
    graph.write(defined(nodes.get(name)), (next) => {
      if (!leads(graph, next)) out.line(graph.end);
      else if (numbers.has(next)) out.line(`break join${numbers.get(next)};`);
      else write(next);
    });
  for (let i = joins.length - 1; i >= 0; i--) out.open(`join${i}:`);
  write(graph.start!);
  for (const name of joins) {
    out.close();
    write(name);
  }
}
