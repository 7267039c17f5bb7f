/** A graph of one block, as it is drawn: by Graphviz (`dot.ts`), by us (`svg.ts`), or as JSON. */
import type { Span } from "../../base/index.js";

/**
 * What a node is. Parsers have states; controls have the others. `key` and `action` belong to the table before them, `call` is a
 * control that is applied and not drawn inside.
 */
export type NodeKind =
  | "start"
  | "exit"
  | "state"
  | "table"
  | "key"
  | "action"
  | "condition"
  | "switch"
  | "statements"
  | "call";

export interface GraphNode {
  readonly kind: NodeKind;
  /** The text, by lines; never empty. */
  readonly lines: readonly string[];
  /** Position of its cluster in the list; absent: none. */
  readonly cluster?: number;
  readonly span?: Span;
}

/** From one node to another, by their positions in the list. */
export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly label?: string;
}

/** The nodes of a control that is applied inside the block. */
export interface GraphCluster {
  /** The name of the instance, from the block: `inner.deeper`. */
  readonly name: string;
  /** The cluster around it, by position; absent: the block itself. */
  readonly within?: number;
}

export interface BlockGraph {
  /** The name of the parser or control. */
  readonly name: string;
  readonly kind: "parser" | "control";
  /** The parameters of the package that it is the argument of: `ig`, or `pipe.ingress`; none where it is only called. */
  readonly roles: readonly string[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly clusters: readonly GraphCluster[];
}

/** Longest line of a node, in characters. */
const MAX_LINE = 60;
/** Most lines of a node. */
const MAX_LINES = 6;

/** Lines of a node, each cut, and few of them. */
export function linesOfNode(lines: readonly string[]): string[] {
  const shown = lines.length > MAX_LINES ? lines.slice(0, MAX_LINES - 1) : lines;
  const cut = shown.map((line) => cutLine(line));
  return shown.length < lines.length ? [...cut, `... ${lines.length - shown.length} more`] : cut;
}

/** A text in one line of at most {@link MAX_LINE} characters. */
export function cutLine(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1)}…` : line;
}

/** A graph as plain data, with places as `file:line:column`. */
export function graphJson({ nodes, ...graph }: BlockGraph): object {
  return {
    ...graph,
    nodes: nodes.map(({ span, ...node }) => {
      if (span === undefined) return node;
      const { line, column } = span.file.position(span.start);
      return { ...node, place: `${span.file.path}:${line}:${column}` };
    }),
  };
}
