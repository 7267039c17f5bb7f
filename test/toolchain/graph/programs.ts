/** Small programs for the tests of graphs: an architecture of their own, so that nothing here depends on v1model. */
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { type BlockGraph, type GraphSettings, programGraphs } from "../../../src/toolchain/graph/index.js";
import { analyse } from "../../../src/toolchain/p4/index.js";

const HEAD = `#include <core.p4>
header h_t { bit<8> a; bit<8> b; }
struct s_t { h_t h; }
parser Parse(packet_in p, out s_t s);
control Work(inout s_t s);
package Pipe(Parse first, Work second);
package Chip(Pipe pipe, Work last);
`;

/** A control \`I\` with these declarations and statements; \`more\` comes before it. */
export function control(body: string, locals = "", more = ""): string {
  return `${HEAD}${more}control I(inout s_t s) {\n${locals}\n    apply {\n${body}\n    }\n}\n`;
}

/** A parser \`P\` with these states. */
export function parser(states: string, more = ""): string {
  return `${HEAD}${more}parser P(packet_in p, out s_t s) {\n${states}\n}\n`;
}

export function graphsOf(
  text: string,
  settings: GraphSettings = {},
): { graphs: BlockGraph[]; diagnostics: Diagnostics } {
  const diagnostics = new Diagnostics();
  const analysis = analyse(new SourceFile("test.p4", text), {}, diagnostics);
  diagnostics.throwIfErrors();
  return { graphs: programGraphs(analysis, settings, diagnostics), diagnostics };
}

/** The edges as \`from -label> to\`, each end by its text. */
export function edgesOf(graph: BlockGraph): string[] {
  const text = (index: number) => graph.nodes[index]!.lines.join(" / ");
  return graph.edges.map(({ from, to, label }) => `${text(from)} -${label ?? ""}> ${text(to)}`);
}
