/**
 * Control graphs as code: a loop over a switch, in which a node with a single way in is written in the
 * place of that way, so that trees become plain nested statements and only joins and loops jump.
 */
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

/** Deeper nesting than this becomes a jump, so that generated code stays within the limits of V8's parser. */
const MAX_NESTING = 60;

export function writeGraph<T>(out: Emitter, graph: Graph<T>): void {
  const { start, nodes } = graph;
  if (start === null || !nodes.has(start)) {
    out.line(graph.end);
    return;
  }
  const ways = new Map<string, number>([[start, 2]]);
  const reached = [start];
  const seen = new Set(reached);
  for (let i = 0; i < reached.length; i++) {
    for (const next of graph.successors(nodes.get(reached[i]!)!)) {
      if (next === null || !nodes.has(next)) continue;
      ways.set(next, (ways.get(next) ?? 0) + 1);
      if (!seen.has(next)) {
        seen.add(next);
        reached.push(next);
      }
    }
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
    graph.write(nodes.get(name)!, (next) => {
      if (next === null || !nodes.has(next)) out.line(graph.end);
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
    out.open(`case ${labels.get(queue[i]!)}:`);
    write(queue[i]!);
    out.close();
  }
  out.line(`default: ${graph.end}`);
  out.close();
}
