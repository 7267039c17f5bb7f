/** `p4loom graph`: the parsers and controls of a program as graphs. */
import { join } from "node:path";
import { Diagnostics, fail, given } from "../../base/index.js";
import {
  type BlockGraph,
  CODES as GRAPH_CODES,
  graphJson,
  programGraphs,
  toDot,
  toSvg,
} from "../../toolchain/graph/index.js";
import { compileInput, type OutputFile, withProject, writeFiles } from "../../toolchain/loading/index.js";
import { analyse } from "../../toolchain/p4/index.js";
import { CODES } from "../codes.js";
import { EXIT, printDiagnostics } from "../outcome.js";
import type { GraphArguments } from "./graph-options.js";

/** Exit status 0 when every graph is made, 1 when the program is wrong or a graph is too large. */
export async function graph(path: string, options: GraphArguments): Promise<number> {
  checkArguments(path, options);
  const diagnostics = new Diagnostics();
  const { I: include, D: define, U: undefine, block, calls } = options;
  const { file, ...input } = compileInput(await withProject({ path, include, define, undefine }));
  const analysis = analyse(file, input, diagnostics);
  diagnostics.throwIfErrors();
  const graphs = programGraphs(analysis, given({ blocks: block, calls }), diagnostics);
  if (graphs.length === 0 && !diagnostics.hasErrors)
    diagnostics.error(
      GRAPH_CODES.noSuchBlock,
      { file, start: 0, end: Math.min(1, file.text.length) },
      "the program has no parser or control to draw",
      "name the file that has them, or include it",
    );
  const files = filesOf(graphs, options, diagnostics);
  printDiagnostics(
    diagnostics.list.filter(({ severity }) => severity === "error"),
    options.jsonDiagnostics,
  );
  if (options.out !== undefined) writeFiles(files);
  else for (const { content } of files) process.stdout.write(content);
  return diagnostics.hasErrors ? EXIT.wrongInput : EXIT.success;
}

function checkArguments(path: string, { dot, svg, json, out, block }: GraphArguments): void {
  const wrong = (message: string, note: string): never => fail(CODES.wrongValue, undefined, message, note);
  if (path.endsWith(".json"))
    wrong(`${path}: a graph is made from P4 source`, "a BMv2 JSON has lost the names of states and blocks");
  if (out !== undefined) return;
  if ([dot, svg, json].filter(Boolean).length > 1)
    wrong("--dot, --svg and --json together have no place on stdout", "give one of them, or --out DIR");
  if (svg && block?.length !== 1)
    wrong("--svg prints one drawing", "choose it by --block NAME, or give --out DIR");
}

/** The files of all graphs: one for each block and form. JSON is one document, on stdout and in `graphs.json`. */
function filesOf(
  graphs: readonly BlockGraph[],
  { dot, svg, json, out = "" }: GraphArguments,
  diagnostics: Diagnostics,
): (OutputFile & { content: string })[] {
  const file = (name: string, content: string) => ({ path: join(out, name), content });
  const files = json ? [file("graphs.json", `${JSON.stringify(graphs.map(graphJson), null, 2)}\n`)] : [];
  for (const one of graphs) {
    if (dot || !(svg || json)) files.push(file(`${one.name}.dot`, toDot(one)));
    const drawing = svg ? toSvg(one, diagnostics) : undefined;
    if (drawing !== undefined) files.push(file(`${one.name}.svg`, drawing));
  }
  return files;
}
