/** Collects the nodes and edges of a graph while the control flow is followed. */
import { type Diagnostics, given, type Span } from "../../base/index.js";
import { CODES } from "./codes.js";
import { type GraphCluster, type GraphEdge, type GraphNode, linesOfNode, type NodeKind } from "./graph.js";

/**
 * Most nodes of a graph, and most clusters. A control inside others is drawn once for each application, so that a short program
 * can ask for many, also of controls that do nothing.
 */
const MAX_NODES = 5000;

/** An edge whose end is not known yet. */
export interface OpenEdge {
  readonly from: number;
  readonly label?: string;
}

export class GraphBuilder {
  readonly nodes: GraphNode[] = [];
  readonly edges: GraphEdge[] = [];
  readonly clusters: GraphCluster[] = [];
  /** The edges that lead to the next node; none after an `exit` or `return`. */
  open: OpenEdge[] = [];
  #cluster: number | undefined;
  #drawn = new Set<string>();

  constructor(
    readonly name: string,
    readonly diagnostics: Diagnostics,
  ) {}

  /** Adds a node behind all open edges; it is then the only open one. */
  add(kind: NodeKind, lines: readonly string[], span?: Span): number {
    const node = this.place(kind, lines, span);
    this.closeAt(node);
    this.open = [{ from: node }];
    return node;
  }

  /** Adds a node without edges. */
  place(kind: NodeKind, lines: readonly string[], span?: Span): number {
    if (this.nodes.length >= MAX_NODES) throw new TooLarge();
    this.nodes.push({ kind, lines: linesOfNode(lines), ...given({ cluster: this.#cluster, span }) });
    return this.nodes.length - 1;
  }

  /** Leads all open edges to a node. */
  closeAt(node: number): void {
    for (const { from, label } of this.open) this.connect(from, node, label);
    this.open = [];
  }

  /** Adds an edge; a second one with the same ends and label would be drawn over it. */
  connect(from: number, to: number, label?: string): void {
    const key = `${from} ${to} ${label ?? ""}`;
    if (this.#drawn.has(key)) return;
    this.#drawn.add(key);
    this.edges.push({ from, to, ...given({ label }) });
  }

  /** What `body` adds is in a cluster of its own. */
  inCluster(name: string, body: () => void): void {
    if (this.clusters.length >= MAX_NODES) throw new TooLarge();
    const around = this.#cluster;
    const prefix = around === undefined ? "" : `${this.clusters[around]!.name}.`;
    this.clusters.push({ name: prefix + name, ...given({ within: around }) });
    this.#cluster = this.clusters.length - 1;
    body();
    this.#cluster = around;
  }

  /** The name of an object of the block, or of the control inside it that is being drawn. */
  qualified(name: string): string {
    return this.#cluster === undefined ? name : `${this.clusters[this.#cluster]!.name}.${name}`;
  }

  /** Runs `body`; false, with P41301, if the graph is too large. */
  build(body: () => void, span: Span): boolean {
    try {
      body();
      return true;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      this.diagnostics.error(
        CODES.tooLarge,
        span,
        `the graph of ${this.name} has more than ${MAX_NODES} nodes or clusters`,
        "--calls draws a control inside it as one node; --block NAME draws one of them alone",
      );
      return false;
    }
  }
}

class TooLarge extends Error {}
