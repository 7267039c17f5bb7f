/** Graphs in the language of Graphviz. */
import { printable } from "../../base/index.js";
import type { BlockGraph, GraphNode, NodeKind } from "./graph.js";

/** Shapes as `p4c-graphs` uses them. */
const SHAPES: Readonly<Record<NodeKind, string>> = {
  start: "shape=circle",
  exit: "shape=doublecircle",
  state: "shape=rectangle style=rounded",
  table: "shape=ellipse",
  key: "shape=rectangle style=diagonals",
  action: "shape=rectangle style=rounded",
  condition: "shape=diamond",
  switch: "shape=hexagon",
  statements: "shape=rectangle",
  call: "shape=component",
};

/** One `digraph`; nodes are `n0`, `n1`, ... by their positions. */
export function toDot(graph: BlockGraph): string {
  const title = graph.roles.length === 0 ? graph.name : `${graph.name} (${graph.roles.join(", ")})`;
  const lines = [`digraph ${quoted(graph.name)} {`, `  label=${quoted(title)};`, "  labelloc=t;"];
  const members = groupedBy(graph.nodes, ({ cluster }) => cluster);
  const inner = groupedBy(graph.clusters, ({ within }) => within);
  const nodesIn = (cluster: number | undefined, indent: string): void => {
    for (const index of members.get(cluster) ?? []) {
      const node = graph.nodes[index]!;
      lines.push(`${indent}n${index} [label=${label(node)} ${SHAPES[node.kind]}];`);
    }
    for (const index of inner.get(cluster) ?? []) {
      lines.push(
        `${indent}subgraph cluster_${index} {`,
        `${indent}  label=${quoted(graph.clusters[index]!.name)};`,
      );
      nodesIn(index, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  nodesIn(undefined, "  ");
  for (const edge of graph.edges) {
    const text = edge.label === undefined ? "" : ` [label=${quoted(edge.label)}]`;
    lines.push(`  n${edge.from} -> n${edge.to}${text};`);
  }
  return `${lines.join("\n")}\n}\n`;
}

/** Positions of items by a key. */
function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, number[]> {
  const groups = new Map<K, number[]>();
  items.forEach((item, index) => {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [index]);
    else group.push(index);
  });
  return groups;
}

function label({ lines }: GraphNode): string {
  return `"${lines.map(escaped).join("\\n")}"`;
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** In a quoted string of DOT a backslash begins an escape, and a quotation mark ends it. */
function escaped(text: string): string {
  return printable(text).replace(/["\\]/g, "\\$&");
}
