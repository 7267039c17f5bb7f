/**
 * Parsers and controls as graphs: state machines, and the control flow through tables, actions and conditions.
 *
 *     blocks         the blocks of a program; each becomes a graph in parser-graph or control-graph
 *     graph          what a graph is; as JSON
 *     dot, svg       as text for Graphviz, and drawn by layout
 */

export { type GraphSettings, programGraphs } from "./blocks.js";
export { CODES } from "./codes.js";
export { toDot } from "./dot.js";
export { type BlockGraph, graphJson } from "./graph.js";
export { toSvg } from "./svg.js";
